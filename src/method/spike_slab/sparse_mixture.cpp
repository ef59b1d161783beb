// The posterior of the weights from q(b) of the starts.                                               docs/math/sparse.md (SP.6), (SP.8)
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <span>

#include "core/eigen_solvers.hpp"
#include "core/general_solve.hpp"
#include "core/products.hpp"
#include "core/special.hpp"
#include "method/spike_slab/sparse_fit.hpp"

namespace ardvark::internal {

Matrix root_of(const Matrix& C) {
  if (C.rows() == 1) return C.cwiseSqrt();
  Matrix L = C;
  if (blas::potrf(L.rows(), L.data(), L.rows())) return L.triangularView<Eigen::Lower>();
  const Vector size = C.diagonal().cwiseMax(0.0).cwiseSqrt();  // each column has its own unit
  const Vector unit = (size.array() > 0).select(size, 1.0).cwiseInverse();
  const Eigen::SelfAdjointEigenSolver<Matrix> axes(Matrix(unit.asDiagonal() * C * unit.asDiagonal()));
  return size.asDiagonal() * axes.eigenvectors() * axes.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal();
}

namespace {

// The sets whose effects are uncertain enough to influence others. With more columns than rows, only the first ones, until they have as
// many columns as Z has rows. The effects of the other sets are taken as independent. (SP.6)
std::vector<Index> uncertain_sets(const SpikeSlab& q, const Vector& d) {
  const ColumnSets& sets = q.sets();
  Vector size = Vector::Zero(sets.size());
  const Vector variance = q.variance();
  std::vector<Index> some;
  for (Index s = 0; s < size.size(); ++s) {
    for (const Index j : sets.columns_of(s)) size[s] += variance[j] * d[j];
    if (size[s] > 1e-6 * q.hyper().s2) some.push_back(s);
  }
  std::stable_sort(some.begin(), some.end(), [&](Index a, Index b) { return size[a] > size[b]; });
  const auto columns_of = [&](Index s) { return static_cast<Index>(sets.columns_of(s).size()); };
  const Index p = q.num_columns(), most = static_cast<double>(p) <= q.rows().degrees ? p : q.rows().rank();
  Index columns = 0;
  std::size_t count = 0;
  while (count < some.size() && columns < most) columns += columns_of(some[count++]);
  some.resize(count);
  std::sort(some.begin(), some.end());
  return some;
}

// Starts that reached the same maximum: the first of them, and the sum of their weights.
struct Maximum {
  std::size_t first = 0;
  double weight = 0;
  Vector w;  // [p] their average
  std::vector<std::size_t> members;
};

// Different maxima differ by hundreds of s2 in the predictions of all rows together. Starts that stopped at different places of one flat
// maximum differ by less than s2/4: their means are averaged, and they share one component.                                      (SP.8)
std::vector<Maximum> maxima(const std::vector<StartOutcome>& starts, const Vector& weight, double seen) {
  std::vector<Maximum> found;
  for (std::size_t s = 0; s < starts.size(); ++s) {
    const double share = weight[static_cast<Index>(s)];
    if (share == 0) continue;
    Vector w = mean_of(starts[s].q);
    const auto same = std::find_if(found.begin(), found.end(), [&](const Maximum& other) {
      return are_alike(starts[s].q, starts[other.first].q, seen, (w - other.w).squaredNorm());
    });
    if (same == found.end()) {
      found.push_back({s, share, std::move(w), {s}});
    } else {
      same->weight += share;
      same->members.push_back(s);
      same->w += share / same->weight * (w - same->w);
    }
  }
  return found;
}

// F with F'F = K^-1, lower triangular; K is overwritten. False: K is not positive definite.
bool invert_root(Matrix& K) {
  const Index size = K.rows();
  if (size > 0 && !(blas::potrf(size, K.data(), size) && blas::trtri(size, K.data(), size))) return false;
  K.triangularView<Eigen::StrictlyUpper>().setZero();
  return true;
}

// Cov w = (E + Z'Z/s2)^-1 = F'F, of all columns, and tr(Z Cov Z')/s2 = p - tr(E Cov).                                         (SP.16)
bool root_of_sum(const SpikeSlab& q, const Vector& d, MixtureComponent& out) {
  const auto Z = q.rows().Z();
  const Index p = Z.cols();
  const double s2 = q.hyper().s2, dense = s2 * q.hyper().h;
  Matrix& F = out.F;
  if (q.rows().gram) {
    F = *q.rows().gram / s2;
  } else {
    F = Matrix::Zero(p, p);
    blas::syrk(blas::Transpose::yes, p, Z.rows(), 1.0, Z.data(), Z.rows(), 0.0, F.data(), p);
    F *= 1 / s2;
  }
  const Vector variance = q.variance();
  std::vector<Matrix> E;
  for (Index set = 0; set < q.sets().size(); ++set) {
    const std::span<const Index> columns = q.sets().columns_of(set);
    if (columns.size() == 1) {
      const Index j = columns[0];
      const double v = variance[j], left = 1 - v * d[j] / s2;
      E.push_back(Matrix::Constant(1, 1, left / (dense * left + v)));
      F(j, j) += E.back()(0, 0);
      continue;
    }
    const Matrix C = q.covariance_of(set);
    const Matrix weighted = (q.D() / s2).cwiseSqrt().asDiagonal() * Z(Eigen::all, columns);
    const Matrix left = Matrix::Identity(C.rows(), C.rows()) - products::times(products::transposed_times(weighted, weighted), C);
    Matrix of_set = left.transpose();
    if (!blas::solve((dense * left + C).transpose(), of_set)) return false;
    E.push_back(0.5 * (of_set + of_set.transpose()));  // symmetric, except for rounding
    F(columns, columns) += E.back();
  }
  if (!invert_root(F)) return false;
  double effective = static_cast<double>(p);
  for (Index set = 0; set < q.sets().size(); ++set) {
    const Matrix of_set = F(Eigen::all, q.sets().columns_of(set));
    effective -= products::times(of_set, E[static_cast<std::size_t>(set)]).cwiseProduct(of_set).sum();
  }
  out.effective_of_active = effective;
  return true;
}

// B = F'F + diag(v) = S (I + S' offdiag(Z'DZ)/s2 S)^-1 S', S S' = Cov b set by set.                                              (SP.6)
bool root_of_effects(const SpikeSlab& q, const Vector& d, MixtureComponent& out) {
  const auto Z = q.rows().Z();
  out.v = q.variance();
  const std::vector<Index> uncertain = uncertain_sets(q, d);
  for (const Index set : uncertain) {
    const std::span<const Index> columns = q.sets().columns_of(set);
    out.active.insert(out.active.end(), columns.begin(), columns.end());
  }
  std::sort(out.active.begin(), out.active.end());
  out.v(out.active).setZero();
  const auto a = static_cast<Index>(out.active.size());
  const Vector root = (q.D() / q.hyper().s2).cwiseSqrt();
  Matrix ZS = root.asDiagonal() * Z(Eigen::all, out.active);
  struct OfSet {
    std::vector<Index> at;  // its positions among the active columns
    Matrix S;
  };
  std::vector<OfSet> of_sets;
  const auto times_S = [&](Matrix& A, bool transposed) {  // A <- A S, or A S'
    for (const auto& [at, S] : of_sets)
      if (at.size() == 1)
        A.col(at[0]) *= S(0, 0);
      else
        A(Eigen::all, at) = (A(Eigen::all, at) * (transposed ? Matrix(S.transpose()) : S)).eval();
  };
  for (const Index set : uncertain) {
    std::vector<Index> at;
    for (const Index j : q.sets().columns_of(set))
      at.push_back(std::lower_bound(out.active.begin(), out.active.end(), j) - out.active.begin());
    of_sets.push_back({std::move(at), root_of(q.covariance_of(set))});
  }
  times_S(ZS, false);
  Matrix C = Matrix::Zero(a, a);
  if (a > 0) blas::syrk(blas::Transpose::yes, a, ZS.rows(), 1.0, ZS.data(), ZS.rows(), 0.0, C.data(), a);
  for (const OfSet& of_set : of_sets) C(of_set.at, of_set.at).setZero();
  C.diagonal().array() += 1;
  const bool factored = invert_root(C);
  out.F = factored ? std::move(C) : Matrix(Matrix::Identity(a, a));
  times_S(out.F, true);
  return factored;
}

SparsePosterior empty_posterior(const PenalisedColumns& which) {
  SparsePosterior out;
  out.mixture.columns = which.columns;
  out.mixture.flat_columns = which.flat;
  out.positive = Vector::Zero(which.size());
  return out;
}

// P(x > 0) + P(x = 0)/2 for a Student-t with this mean and squared scale.                                                     (SP.25)
double above_zero(double mean, double square, double degrees) {
  if (square > 0) return student_t_tail(degrees, -mean / std::sqrt(square));
  return mean > 0 ? 1 : mean < 0 ? 0 : 0.5;
}

// w_j = b_j + u_j: in the slab with probability q, with the rest of the variance; otherwise u_j alone. The mean of u_j depends on b_j:
// what b_j explains is not left for u_j.                                                                                      (SP.22)
void add_positive(const SpikeSlab& q, double weight, const std::optional<Vector>& variance, Vector& positive) {
  const double h = q.hyper().h, s2 = q.hyper().s2, degrees = q.student_degrees();
  const Vector w = mean_of(q), of_b = q.variance(), d = h > 0 ? q.look().d : Vector::Zero(w.size());
  for (Index j = 0; j < w.size(); ++j) {
    const double in = q.inclusion()[q.sets().unit_of(q.sets().set_of(j), j)], out = 1 - in, m = q.mean()[j];
    const double left = std::max(1 - h * d[j], 0.0), of_u = s2 * h * left, total = variance ? (*variance)[j] : left * left * of_b[j] + of_u;
    const double alone = w[j] - left * m;  // mean of u_j if b_j = 0
    double sum = out * above_zero(alone, of_u, degrees);
    if (in > 0) {
      const double mu = left * m / in, rest = (total - out * of_u - in * out * mu * mu) / in;
      sum += in * above_zero(alone + mu, std::max(rest, 1e-3 * total), degrees);
    }
    positive[j] += weight * sum;
  }
}

}  // namespace

Vector mean_of(const SpikeSlab& q) {  // (SP.6)
  if (q.hyper().h == 0 || q.rows().rank() == 0) return q.mean();
  return q.mean() + q.hyper().h * q.rows().project(q.Dr());
}

MixtureComponent component_of(const SpikeSlab& q, std::shared_ptr<const DenseBasis> basis, const Vector& flat_mean, bool& factored) {
  const SpikeSlabHyper& hyper = q.hyper();
  const Index p = q.rows().size();
  MixtureComponent out;
  out.s2 = hyper.s2;
  out.h = hyper.h;
  out.spread = q.dense_spread();
  out.w = mean_of(q);
  out.flat_mean = flat_mean - basis->G * out.w;
  out.basis = std::move(basis);
  const Vector d = q.look().d;
  if (hyper.h > 0 && q.num_columns() == p && p <= q.rows().rank() && root_of_sum(q, d, out)) {
    if (out.spread) {  // only the difference from the covariance given h, which F contains
      out.spread->variance -= hyper.s2 * hyper.h;
      out.spread->narrowing -= hyper.s2 * hyper.h * hyper.h * q.D();
    }
    out.h = 0;
    out.v = Vector::Zero(p);
    out.active.resize(static_cast<std::size_t>(p));
    std::iota(out.active.begin(), out.active.end(), Index{0});
    factored = true;
    return out;
  }
  factored = root_of_effects(q, d, out);
  return out;
}

SparsePosterior posterior_of(const PenalisedColumns& which, const std::vector<StartOutcome>& starts,
                             const std::vector<std::shared_ptr<const ReducedRows>>& rows, const Vector& weight, double seen, Signs signs) {
  SparsePosterior out = empty_posterior(which);
  Mixture& mixture = out.mixture;
  if (signs == Signs::unknown) out.positive.setConstant(std::numeric_limits<double>::quiet_NaN());
  for (std::size_t s = 0; s < starts.size(); ++s)
    if (const double share = weight[static_cast<Index>(s)]; share > 0 && signs == Signs::known)
      add_positive(starts[s].q, share, std::nullopt, out.positive);
  for (Maximum& maximum : maxima(starts, weight, seen)) {
    bool one = true;
    const auto& its_rows = rows[maximum.first];
    MixtureComponent component = component_of(starts[maximum.first].q, its_rows, its_rows->flat_mean, one);
    component.flat_mean += component.basis->G * (component.w - maximum.w);
    component.w = std::move(maximum.w);
    component.weight = maximum.weight;
    out.members.push_back(std::move(maximum.members));
    mixture.components.push_back(std::move(component));
    out.factored = out.factored && one;
  }
  mixture.normalise_weights();  // starts that share a maximum may sum to 1 + 2e-16
  return out;
}

SparsePosterior posterior_of(const PenalisedColumns& which, const HyperGrid& grid, std::shared_ptr<const ReducedRows> rows) {
  SparsePosterior out = empty_posterior(which);
  const Index p = which.size();
  std::vector<Index> all(static_cast<std::size_t>(p));
  std::iota(all.begin(), all.end(), Index{0});
  std::map<GridCell, std::vector<const GridPoint*>> cells;
  for (const GridPoint& point : grid.points) cells[point.cell].push_back(&point);
  for (const auto& [cell, points] : cells) {
    MixtureComponent sum;
    sum.weight = sum.s2 = 0;
    sum.basis = rows;
    sum.w = sum.v = Vector::Zero(p);
    sum.active = all;
    Matrix square = Matrix::Zero(p, p);
    double effective = 0;
    for (const GridPoint* point : points) {
      bool one = true;
      const MixtureComponent component = component_of(point->q, rows, rows->flat_mean, one);
      out.factored = out.factored && one;
      const Matrix covariance = component.covariance();
      add_positive(point->q, point->weight, Vector(covariance.diagonal()), out.positive);
      const Vector off = component.w - sum.w;  // from the mean so far: updates of moments avoid cancellation
      const double before = sum.weight;
      sum.weight += point->weight;
      const double share = point->weight / sum.weight;
      square = (1 - share) * square + share * covariance + before / sum.weight * share * off * off.transpose();
      sum.w += share * off;
      sum.s2 += share * (component.s2 - sum.s2);
      effective += share * (component.marginals().effective_parameters - static_cast<double>(which.flat.size()) - effective);
    }
    sum.effective_of_active = effective;
    sum.flat_mean = rows->flat_mean - rows->G * sum.w;
    sum.F = root_of(square).transpose();
    out.mixture.components.push_back(std::move(sum));
  }
  out.mixture.normalise_weights();
  return out;
}

}  // namespace ardvark::internal
