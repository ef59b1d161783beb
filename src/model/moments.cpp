// A model from a posterior that the caller gives as numbers.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "ardvark/model.hpp"
#include "core/blas.hpp"
#include "core/eigen_solvers.hpp"
#include "core/refusals.hpp"
#include "core/validate.hpp"
#include "design/table_design.hpp"
#include "frame/solution.hpp"

namespace ardvark {

using namespace internal;

namespace {

constexpr double rounding = 1e-6;  // of a matrix from inv(): far above its rounding error, far below a mistake of the caller

Matrix symmetric(const MatrixView& view, Index p, const char* name) {
  if (view.rows() != p || view.cols() != p)
    throw InvalidArgument({.argument = name,
                           .value = fmt::format("{} x {}", view.rows(), view.cols()),
                           .why = fmt::format("it must be {} x {}, because mean has {} entries", p, p, p)});
  validate::matrix(view, name);
  Matrix V = read_table(view);
  const double largest = V.cwiseAbs().maxCoeff();
  for (Index j = 0; j < p; ++j)
    for (Index i = 0; i < j; ++i) {
      if (!(std::abs(V(i, j) - V(j, i)) <= rounding * largest))
        throw refused(name, fmt::format("is not symmetric: ({}, {}) is {}, ({}, {}) is {}", i + 1, j + 1, V(i, j), j + 1, i + 1, V(j, i)));
      V(i, j) = V(j, i) = 0.5 * V(i, j) + 0.5 * V(j, i);
    }
  return V;
}

// If V has no triangular factor, because of rounding or because some weights have variance zero, the factor comes from its eigenvectors.
CovarianceFactor factor_of(const Matrix& V) {
  const Index p = V.rows();
  CovarianceFactor factor = triangular_factor_of(V);
  if (factor.kind != CovarianceFactor::Kind::none) return factor;
  const Eigen::SelfAdjointEigenSolver<Matrix> axes(V);
  const Vector& variance = axes.eigenvalues();
  if (!(variance[0] >= -rounding * std::max(variance[p - 1], 0.0)))
    throw refused("V", fmt::format("is not a covariance matrix: its eigenvalues go from {:.3g} to {:.3g}; none may be negative",
                                   variance[0], variance[p - 1]));
  factor.kind = CovarianceFactor::Kind::reduced;  // x'Vx = ||R x||^2                                                    (RIDGE.7)
  factor.d = Vector::Zero(p);
  factor.T.resize(0, p);
  factor.B = Matrix::Zero(p, p);
  factor.R = variance.cwiseMax(0.0).cwiseSqrt().asDiagonal() * axes.eigenvectors().transpose();
  for (Index j = 0; j < p; ++j) factor.flat_columns.push_back(j);
  return factor;
}

double log_det(const CovarianceFactor& factor) {
  if (factor.kind != CovarianceFactor::Kind::triangular) return -std::numeric_limits<double>::max();  // singular
  return 2 * factor.L_inverse.diagonal().array().log().sum();
}

// w'V^-1 w
double quadratic_of(const Vector& w, const CovarianceFactor& factor, const MatrixView& V_inverse) {
  const Index p = w.size();
  if (V_inverse.rows() > 0 || V_inverse.cols() > 0) {
    const Matrix inverse = symmetric(V_inverse, p, "V_inverse");
    return w.dot(inverse * w);
  }
  if (factor.kind != CovarianceFactor::Kind::triangular) return 0;  // V has no inverse, and the published programs have no prediction
  Vector half = w;
  blas::trsv(blas::Transpose::yes, p, factor.L_inverse.data(), p, half.data());
  return half.squaredNorm();
}

}  // namespace

SavedModel model_from_moments(const ardvark::Moments& moments, const ModelOptions& options) {
  const Index p = moments.mean.size();
  if (p < 1) throw InvalidArgument({.argument = "mean", .value = "empty", .why = "it must have one entry per column"});
  validate::vector(moments.mean, p, "mean");
  const bool regression = moments.noise.shape != 0 || moments.noise.rate != 0;
  if (regression) validate::gamma(moments.noise, "noise.shape", "noise.rate");
  if (regression && moments.noise.shape < least_noise_shape)
    throw wrong("noise.shape", moments.noise.shape, fmt::format("it must be at least {:g}", least_noise_shape));
  if (!options.class_names.empty() && regression)
    throw refused("class_names", "applies only to classifications; this is a regression, because noise is given");
  if (!options.class_names.empty() && options.class_names.size() != 2)
    throw wrong_size("class_names", options.class_names.size(), "it must have two");
  if (!options.column_names.empty() && static_cast<Index>(options.column_names.size()) != p)
    throw wrong_size("column_names", options.column_names.size(), fmt::format("it must have one per column: {}", p));
  const Matrix V = symmetric(moments.V, p, "V");

  Frame frame;
  frame.task = regression ? Task::linear : Task::logistic;
  if (!regression) frame.classes = options.class_names.empty() ? std::vector<std::string>{"-1", "1"} : options.class_names;
  frame.names = complete_names(options.column_names, p);
  const auto columns = static_cast<std::size_t>(p);
  frame.left_out.assign(columns, false);
  Solution given;
  given.prior = PriorKind::none;
  given.group.assign(columns, Partition::fixed);
  given.relevance = Vector::Zero(p);
  given.relevant.assign(columns, true);
  given.factor = factor_of(V);
  given.w = moments.mean.eigen();
  given.V_diagonal = V.diagonal().cwiseMax(0.0);
  given.log_det_V = log_det(given.factor);
  given.num_in_use = p;
  given.quadratic = regression ? 0 : quadratic_of(given.w, given.factor, moments.V_inverse);
  given.noise = moments.noise;
  given.report.status = Status::converged;
  given.report.message = "the posterior is as given";
  given.report.solver_reason = "nothing was fitted";

  Fit fit = assemble(frame, std::move(given));
  fit.target = options.target;
  FeatureEncoding encoding = FeatureEncoding::of_numbers(fit.column_names);
  return {.fit = std::move(fit), .encoding = std::move(encoding)};
}

}  // namespace ardvark
