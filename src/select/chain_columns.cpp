#include "select/chain_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/blas.hpp"
#include "core/validate.hpp"

namespace ardvark::internal {
namespace {

constexpr Index most_to_visit = 2000;
constexpr double least_inclusion = 1e-3;  // from which a column is judged before those that only go with the target
constexpr double too_small = 1e-8;        // of the size of a flat column: what is left of it beside the others is rounding
constexpr double least_own = 1e-10;       // of the square of a column: what is left of it beside the flat columns is rounding

// Whether the column is in every model, or is the offset.
bool is_beside(Index j, const EffectOptions& options, std::optional<Index> offset) {
  return j == offset || std::ranges::find(options.flat, j) != options.flat.end();
}

// Orthonormal columns that span those of F: Gram and Schmidt, twice.
Matrix orthonormal(Matrix F) {
  Index rank = 0;
  for (Index j = 0; j < F.cols(); ++j) {
    Vector v = F.col(j);
    const double size = v.norm();
    for (int pass = 0; pass < 2; ++pass) v -= F.leftCols(rank) * (F.leftCols(rank).transpose() * v);
    if (v.norm() > too_small * size) F.col(rank++) = v.normalized();
  }
  F.conservativeResize(Eigen::NoChange, rank);
  return F;
}

Vector target_of(VectorView target, const Vector& weights, Task task) {
  Vector y = Eigen::Map<const Vector>(target.data(), weights.size());
  if (task != Task::logistic) return y;
  const double second = (weights.array() > 0).select(y.array(), -std::numeric_limits<double>::infinity()).maxCoeff();
  return (y.array() == second).cast<double>().matrix();
}

Matrix flat_columns(const FitTable& X, const EffectOptions& options) {
  const Index given = static_cast<Index>(options.flat.size()), first = options.intercept ? 1 : 0;
  Matrix flat = Matrix::Ones(X.rows(), first + given);
  const auto design = X.design();
  for (Index j = 0; j < given; ++j) design->columns(options.flat[static_cast<std::size_t>(j)], 1, flat.middleCols(first + j, 1));
  return flat;
}

// How much each column goes with the target, as a share of its size.
Vector size_of_agreement(const FitTable& X, const ChainColumns& columns, const EffectOptions& options) {
  Standardization s;
  X.moments(columns.weights, options.intercept, s.center, s.scale);
  s.scale = (s.scale.array() > 0).select(s.scale.cwiseInverse().array(), 0.0);
  const double rows = columns.weights.sum(), mean = options.intercept ? columns.weights.dot(columns.target) / rows : 0;
  Vector with_target(X.cols());
  X.design(std::move(s))->project(columns.weights.cwiseProduct(Vector(columns.target.array() - mean)), with_target);
  return with_target.cwiseAbs() / rows;
}

// The columns that are judged, in the order of the table. Of many, those with the largest inclusion, then those that go with the target:
// neighbours of a column with an effect do so, and may have it in its place.                                                   (FDR.1)
std::vector<Index> judged_columns(const FitTable& X, const ChainColumns& columns, const EffectOptions& options,
                                  std::optional<Index> offset) {
  std::vector<Index> which(static_cast<std::size_t>(X.cols()));
  std::iota(which.begin(), which.end(), Index{0});
  if (X.cols() <= most_to_visit) return which;
  std::erase_if(which, [&](Index j) { return is_beside(j, options, offset); });
  Vector order = size_of_agreement(X, columns, options);  // at most 1
  if (!options.inclusion.empty())
    for (Index j = 0; j < X.cols(); ++j)
      if (options.inclusion[j] >= least_inclusion) order[j] = 2 + options.inclusion[j];
  const auto end = which.begin() + std::min<std::ptrdiff_t>(most_to_visit, std::ssize(which));
  std::ranges::partial_sort(which, end, [&](Index a, Index b) { return order[a] != order[b] ? order[a] > order[b] : a < b; });
  which.erase(end, which.end());
  std::ranges::sort(which);
  return which;
}

// Q, and X' with the root of the weights of it.
struct FlatPart {
  Matrix Q, both;
};
FlatPart flat_part_of(Design& design, const Matrix& flat, const Vector& root) {
  FlatPart out{orthonormal(root.asDiagonal() * flat), {}};
  out.both = Matrix::Zero(design.cols(), out.Q.cols());
  if (out.Q.cols() > 0) design.project_several(root.asDiagonal() * out.Q, out.both);
  return out;
}

// The units of the columns: what is left of each beside the flat columns has the mean square 1. Unit 0: nothing is left, or it is flat.
Standardization units_of(const FitTable& table, const ChainColumns& columns, const EffectOptions& options, std::optional<Index> offset) {
  Standardization s;
  table.moments(columns.weights, options.intercept, s.center, s.scale);
  for (Index j = 0; j < table.cols(); ++j) {
    const bool is_flat = is_beside(columns.which[static_cast<std::size_t>(j)], options, offset);
    const bool varies = std::isfinite(s.scale[j]) && s.scale[j] > 0 && !table.all_equal(j, columns.weights, options.intercept);
    s.scale[j] = varies && !is_flat ? 1 / s.scale[j] : 0;
  }
  const auto design = table.design(s);
  const FlatPart part = flat_part_of(*design, columns.flat, columns.weights.cwiseSqrt());
  const Vector own = 1 - part.both.rowwise().squaredNorm().array() / columns.weights.sum();
  s.scale = (own.array() > least_own).select(s.scale.array() / own.array().cwiseMax(least_own).sqrt(), 0.0);
  return s;
}

}  // namespace

Vector weights_of(VectorView weights, Index num_rows) {
  if (weights.empty()) return Vector::Ones(num_rows);
  return Eigen::Map<const Vector>(weights.data(), num_rows);
}

ChainColumns chain_columns(const FitTable& X, VectorView target, const EffectOptions& options, std::optional<Index> offset) {
  validate::vector(target, X.rows(), "target");
  validate::weights(options.weights, X.rows());
  ChainColumns columns;
  columns.weights = weights_of(options.weights, X.rows());
  columns.target = target_of(target, columns.weights, options.task);
  columns.flat = flat_columns(X, options);
  columns.which = judged_columns(X, columns, options, offset);
  if (std::ssize(columns.which) < X.cols()) columns.copy = std::make_unique<ColumnCopy>(X, columns.which);
  columns.table = columns.copy ? columns.copy->table() : X;
  columns.units = units_of(columns.table, columns, options, offset);
  const auto visited = static_cast<double>((columns.units.scale.array() > 0).count());
  columns.num_columns = visited + static_cast<double>(X.cols() - columns.table.cols());
  if (columns.copy) columns.num_columns -= static_cast<double>(options.flat.size()) + (offset ? 1 : 0);
  columns.design = columns.table.design(columns.units);
  return columns;
}

ChainColumns some_of(const ChainColumns& columns, const std::vector<Index>& positions) {
  ChainColumns out;
  for (const Index j : positions) out.which.push_back(columns.which[static_cast<std::size_t>(j)]);
  out.copy = std::make_unique<ColumnCopy>(columns.table, positions);
  out.table = out.copy->table();
  out.units = {columns.units.center(positions), columns.units.scale(positions)};
  out.design = out.table.design(out.units);
  out.flat = columns.flat;
  out.target = columns.target, out.weights = columns.weights;
  out.num_columns = columns.num_columns;
  return out;
}

// X' diag(w) X less what the flat columns explain of it.
WeightedRows weighted_rows(const ChainColumns& columns, const Vector& target, const Vector& weights) {
  WeightedRows out;
  out.root = weights.cwiseSqrt();
  FlatPart part = flat_part_of(*columns.design, columns.flat, out.root);
  const Vector y = out.root.cwiseProduct(target);
  out.flat_part = part.Q * Vector(part.Q.transpose() * y);
  const Vector rest = y - out.flat_part;
  const Index m = columns.design->cols();
  Matrix& gram = out.rows.gram;
  gram = Matrix::Zero(m, m);
  columns.design->gram(weights, gram);
  if (m > 0 && part.Q.cols() > 0) blas::syrk(blas::Transpose::no, m, part.Q.cols(), -1, part.both.data(), m, 1, gram.data(), m);
  gram.triangularView<Eigen::StrictlyUpper>() = gram.transpose();
  out.rows.projected.resize(m);
  columns.design->project(out.root.cwiseProduct(rest), out.rows.projected);
  out.rows.squared = rest.squaredNorm();
  out.rows.degrees = std::max(weights.sum() - static_cast<double>(part.Q.cols()), 1.0);
  out.rows.num_columns = columns.num_columns;
  out.flat = std::move(part.Q);
  out.both = std::move(part.both);
  return out;
}

WeightedRows class_rows(const ChainColumns& columns, const Vector& target, const Vector& weights) {
  WeightedRows out = weighted_rows(columns, target, weights);
  out.rows.has_noise = false;
  const double share = share_of_second(columns);
  out.rows.degrees = std::max(columns.weights.sum() * share * (1 - share), 1.0);  // (FDR.5)
  return out;
}

// A score is x'b, and what the flat columns explain of z - x'b. Rows of weight 0 do not count.
Vector scores_of(const ChainColumns& columns, const WeightedRows& rows, const Vector& effects, Normals* draw, double noise_sd) {
  Vector scores(rows.root.size());
  columns.design->apply(effects, scores);
  Vector of_flat = -rows.both.transpose() * effects;
  if (draw != nullptr)
    for (double& coefficient : of_flat) coefficient += noise_sd * (*draw)();
  const Vector part = rows.flat_part + rows.flat * of_flat;
  return (rows.root.array() > 0).select(scores + part.cwiseQuotient(rows.root), 0.0);
}

double share_of_second(const ChainColumns& columns) { return (columns.weights.dot(columns.target) + 0.5) / (columns.weights.sum() + 1); }

}  // namespace ardvark::internal
