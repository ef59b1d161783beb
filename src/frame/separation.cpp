#include "frame/separation.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/blas.hpp"
#include "core/eigen_solvers.hpp"
#include "core/rearrange.hpp"
#include "posterior/solver.hpp"
#include "target/target.hpp"
#include "waist/waist.hpp"

namespace ardvark::internal {
namespace {

constexpr const char* separating =
    "columns without a prior separate the classes, so the likelihood has no maximum and the coefficients grow without limit; give the "
    "columns a prior that limits them (--prior shared --a0 1 --b0 1)";

constexpr const char* unlimited_rates =
    "columns without a prior tell rows whose counts are all 0 from the others, so the likelihood has no maximum and the coefficients grow "
    "without limit; give the columns a prior that limits them (--prior shared --a0 1 --b0 1)";

Matrix columns_of(const Frame& frame, const std::vector<Index>& columns) {
  const auto design = frame.design();
  Matrix F(design->rows(), static_cast<Index>(columns.size()));
  for (Index j = 0; j < F.cols(); ++j) design->columns(columns[static_cast<std::size_t>(j)], 1, F.middleCols(j, 1));
  return F;
}

// The columns without a prior, times the square roots of the row weights, each with length 1; a column that is 0 stays 0.
Matrix flat_columns_in_units(const Frame& frame, const std::vector<Index>& flat_columns) {
  Matrix F = frame.k.cwiseSqrt().asDiagonal() * columns_of(frame, flat_columns);
  for (auto column : F.colwise())
    if (const double size = column.norm(); size > 0) column /= size;
  return F;
}

// Whether columns of length 1 are linearly dependent, judged by their Gram matrix. The Gram matrix keeps only about half of the digits, so
// columns that are almost dependent may also be called dependent.
bool are_dependent(const Matrix& G) {
  Matrix L = G;
  return !blas::potrf(G.cols(), L.data(), G.cols()) || collinear(G, L);
}

// The same for the columns without a prior. If they are many, those of a sparse table are not written out: its Gram matrix is smaller.
bool are_dependent(const Frame& frame, const std::vector<Index>& flat_columns) {
  const Index p = frame.X.cols(), written_out = frame.X.rows() * static_cast<Index>(flat_columns.size());
  if (!frame.X.is_sparse() || written_out <= p * p) {
    const Matrix F = flat_columns_in_units(frame, flat_columns);
    return are_dependent(Matrix(F.transpose() * F));
  }
  const auto design = frame.design();
  Matrix G(design->cols(), design->cols());
  design->gram(frame.k, G);
  mirror(G);
  G = Matrix(G(flat_columns, flat_columns));
  const Vector size = G.diagonal().cwiseSqrt(), unit = (size.array() > 0).select(size.cwiseInverse(), 0.0);
  return are_dependent(Matrix(unit.asDiagonal() * G * unit.asDiagonal()));
}

// Whether the distance of a column from the span of the others is not larger than rounding of the numbers.                   (RIDGE.11)
// \param distances  1 + the distance of each column's mean from zero, in standard deviations
bool are_dependent_but_for_rounding(Matrix F, const Vector& distances) {
  constexpr double rounding = 1.1e-16;
  const Index f = F.cols();
  blas::triangularise(F.rows(), f, F.data(), F.outerStride());
  const Matrix R = F.topRows(f).triangularView<Eigen::Upper>();
  if ((R.diagonal().array() == 0).any()) return true;
  const Matrix inverse = R.triangularView<Eigen::Upper>().solve(Matrix::Identity(f, f));
  const Matrix S = inverse * inverse.transpose();  // [F'F]^-1
  if (!S.allFinite()) return true;
  for (Index j = 0; j < f; ++j)
    if (!(std::sqrt(S(j, j)) > 8 * rounding * S.col(j).cwiseAbs().dot(distances))) return true;
  return false;
}

// Whether the coefficients of the columns without a prior have grown in a direction that changes no rate of a row with counts, and lowers
// rates of rows without: then the likelihood of the counts has no maximum.
bool have_unlimited_rates(const Frame& frame, const std::vector<Index>& flat_columns, const Vector& w) {
  const Matrix F = columns_of(frame, flat_columns);
  const auto is_free = frame.target.array() > 0 || frame.k.array() == 0;  // rows that a lower rate does not fit better
  const Vector counted = (frame.target.array() > 0).select(frame.k, 0.0);
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(Matrix(F.transpose() * counted.asDiagonal() * F));
  const Index num_free = (eigen.eigenvalues().array() <= 1e-10 * eigen.eigenvalues().maxCoeff()).count();
  const Matrix directions = eigen.eigenvectors().leftCols(num_free);
  const Vector change = F * (directions * (directions.transpose() * Vector(w(flat_columns))));
  const double largest = change.cwiseAbs().maxCoeff();
  return largest > 1 && (is_free || change.array() <= 1e-6 * largest).all();
}

}  // namespace

std::string why_no_maximum(const Frame& frame, const std::vector<Index>& flat_columns) {
  const Standardization& standardization = frame.units.standardization;
  const auto num_flat = static_cast<Index>(flat_columns.size());
  if (num_flat < 2 || num_flat > (frame.k.array() > 0).count()) return "";
  if (!are_dependent(frame, flat_columns)) return "";
  if (frame.X.is_sparse()) return dependent_flat_columns;
  Vector distances = Vector::Ones(num_flat);
  for (Index j = 0; j < num_flat; ++j)
    if (const Index column = flat_columns[static_cast<std::size_t>(j)]; column < standardization.center.size())
      distances[j] += std::abs(standardization.center[column]) * standardization.scale[column];
  return are_dependent_but_for_rounding(flat_columns_in_units(frame, flat_columns), distances) ? dependent_flat_columns : "";
}

std::string why_separated(const std::string& when) { return fmt::format("{}: {}", when, separating); }
std::string why_unlimited(const std::string& when) { return fmt::format("{}: {}", when, unlimited_rates); }

void explain_no_posterior(const Frame& frame, const std::vector<Index>& flat_columns, const When& when, Report& report) {
  const auto num_flat = static_cast<Index>(flat_columns.size());
  const Index num_rows = (frame.k.array() > 0).count();
  const bool only_intercept = num_flat == 1 && flat_columns.front() == frame.num_columns();  // it separates no classes
  if (num_flat == 0 || only_intercept) return;
  report.status = Status::separated;
  if (num_flat > num_rows) {
    report.message = fmt::format(
        "{}: {} columns without a prior are more than the {} rows with a weight above 0, so {}; give them a prior (--prior shared)",
        when.text, num_flat, num_rows, is_count(frame.task) ? "the counts do not determine them" : "they separate any classes");
    if (is_count(frame.task)) report.status = Status::not_positive_definite;
    return;
  }
  if (are_dependent(frame, flat_columns)) {
    report.status = Status::not_positive_definite;
    report.message = dependent_flat_columns;
  } else if (!when.row_weights_have_changed) {
    report.status = Status::not_positive_definite;
  } else {
    report.message = is_count(frame.task) ? why_unlimited(when.text) : why_separated(when.text);
  }
}

void call_vanished(const Frame& frame, Solution& solution) {
  constexpr double least = -700;  // of a logarithm
  Report& report = solution.report;
  if (!solution.usable) return;
  Vector eta = solution.rows.m + 0.5 * solution.rows.s;
  if (frame.offset.size() > 0) eta += frame.offset;
  if (!((frame.k.array() > 0) && (frame.target.array() > 0) && (eta.array() < least)).any()) return;
  report.status = Status::bound_fell;
  report.message = fmt::format(
      "sweep {}: a rate is 0 where there are counts, and rounding of the bound ({:.3g}) hides it: give the hyper-prior numbers (a0, b0) "
      "that are nearer to 1, or rescale the columns",
      report.sweeps, report.bound);
  solution.usable = false;
}

void call_overflown(const Frame& frame, const Vector& log_rate, Solution& solution) {
  const Vector eta = frame.offset.size() > 0 ? Vector(log_rate + frame.offset) : log_rate;
  double largest = -std::numeric_limits<double>::infinity();
  for (Index i = 0; i < eta.size(); ++i)
    if (frame.k[i] > 0 && !(eta[i] <= largest)) largest = eta[i];
  call_overflown(frame.options.family, fmt::format("sweep {}", solution.report.sweeps), largest, solution);
}

void call_overflown(std::optional<Family> family, const std::string& when, double largest, Solution& solution) {
  constexpr double most = 700;  // of a logarithm
  Report& report = solution.report;
  if (!solution.usable || largest < most) return;
  solution.usable = false;
  if (report.status == Status::separated) return;
  report.status = Status::separated;
  report.message = fmt::format(
      "{}: the expected rate of a row is larger than any number: the counts do not limit the columns without a prior, or the "
      "intercept; give the columns a prior that limits them (--prior shared --a0 1 --b0 1){}",
      when, family == Family::negative_binomial ? ", or take family poisson" : "");
}

void call_unlimited(const Frame& frame, Solution& solution) {
  Report& report = solution.report;
  const bool may_be = report.status == Status::bound_fell || is_sparse(solution.prior);  // whose steps end where the bound is almost flat
  if (!may_be || solution.flat.empty() || frame.X.is_sparse()) return;
  if (!have_unlimited_rates(frame, solution.flat, solution.w)) return;
  report.status = Status::separated;
  report.message = why_unlimited(fmt::format("sweep {}", report.sweeps));
}

void call_separated(const Frame& frame, Solution& solution) {
  Report& report = solution.report;
  const Vector& t = frame.target;
  if (report.status != Status::converged && report.status != Status::max_sweeps) return;
  if (solution.flat.empty() || !solution.usable) return;
  Vector of_flat = Vector::Zero(solution.w.size()), m(t.size());
  of_flat(solution.flat) = solution.w(solution.flat);
  frame.design()->apply(of_flat, m);
  for (Index i = 0; i < t.size(); ++i)
    if (frame.k[i] > 0 && !(t[i] > 0.5 ? m[i] > 0 : m[i] < 0)) return;
  report.status = Status::separated;
  report.message = fmt::format(
      "after {} sweeps all rows are classified correctly: columns without a prior separate the classes, so the likelihood has no maximum; "
      "the coefficients grow without limit and are those of the last sweep; give the columns a prior that limits them (--prior shared "
      "--a0 1 --b0 1)",
      report.sweeps);
}

}  // namespace ardvark::internal
