#include "frame/conditioning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "core/digits.hpp"
#include "core/validate.hpp"

namespace ardvark::internal {
namespace {

double distance_of(double center, double scale) { return is_read_by_differences(center, scale) ? 1.0 : 1 + std::abs(center) * scale; }

}  // namespace

// |dw_j| <= u sqrt(V_jj) (sum_k l_k |w_k| + rho sum_k sqrt(f_k)) by QR, with l_k^2 = [V^-1]_kk, f_k = l_k^2 V_kk; by a Gram matrix
// u sqrt(V_jj) sum_k sqrt(f_k) (sum_k l_k |w_k| + |z|). A column has no more digits than its values relative to zero, unless it is read by
// its differences. Digits that are lost when the numbers are stored have another warning.                            (RIDGE.9), (LIN.7)
Conditioning condition_of(Solver& solver, const Partition& partition, const Standardization& standardization, const Posterior& q,
                          const Vector& omega, double noise_variance) {
  constexpr double rounding = 1.1e-16;
  const Index p = q.w.size(), num_named = p - (standardization.intercept ? 1 : 0);
  const Vector l = solver.precision_diagonal(q).cwiseSqrt();
  const Vector inflation = l.cwiseAbs2().cwiseProduct(q.V_diagonal);
  Conditioning out;
  out.number = std::sqrt(static_cast<double>(p) * inflation.sum());
  double sizes = 0, roots = 0;
  for (Index j = 0; j < p; ++j) {
    const Index group = partition.group[static_cast<std::size_t>(j)];
    if (group == Partition::left_out) continue;
    if (group == Partition::flat) out.flat_inflation = std::max(out.flat_inflation, inflation[j]);
    if (j < num_named && inflation[j] > out.inflation) {
      out.inflation = inflation[j];
      out.inflated = j;
    }
    const double far = j < standardization.center.size() ? distance_of(standardization.center[j], standardization.scale[j]) : 1.0;
    sizes += far * l[j] * std::abs(q.w[j]);
    roots += far * std::sqrt(inflation[j]);
  }
  const bool by_qr = solver.kind() == SolverKind::qr;
  const double explained = omega.dot(q.m.cwiseAbs2());
  const double left = q.residual > 0 ? q.residual + q.penalty : q.total_weight;
  const double reach = by_qr ? sizes + roots * std::sqrt(left) : roots * (sizes + std::sqrt(left + explained));
  for (Index j = 0; j < num_named; ++j) {
    if (partition.group[static_cast<std::size_t>(j)] == Partition::left_out) continue;
    const double sd = std::sqrt(q.V_diagonal[j] * noise_variance), size = std::max(std::abs(q.w[j]), sd);
    if (size == 0) continue;  // this coefficient is exactly zero
    const double known = std::log10(size / (rounding * std::sqrt(q.V_diagonal[j]) * reach));
    const double digits = std::isnan(known) ? 0.0 : std::max(known, 0.0);
    if (digits >= out.digits) continue;
    out.digits = digits;
    out.column = j;
  }
  return out;
}

Vector score_rounding_of(Design& X, const Standardization& standardization, double rows) {
  constexpr double rounding = 1.1e-16;
  Vector out(X.cols());
  Matrix column(X.rows(), 1);
  for (Index j = 0; j < X.cols(); ++j) {
    X.columns(j, 1, column);
    const double far = j < standardization.center.size() ? distance_of(standardization.center[j], standardization.scale[j]) : 1.0;
    out[j] = rounding * far * rows * column.norm() / std::sqrt(static_cast<double>(X.rows()));  // as if all rows had the same weight
  }
  return out;
}

// A variance that is inflated tenfold is the usual sign of collinear columns. QR needs twice the flops and keeps all digits of a small
// table. For a large table, a Gram matrix keeps ten digits up to an inflation of 1e5. With a prior, the standard deviations stay far above
// rounding up to a much larger inflation.
bool asks_for_qr(const Conditioning& of_gram, Index rows, Index columns) {
  const auto p = static_cast<double>(columns);
  const bool is_small = static_cast<double>(rows) * p * p <= 1e9;
  return !(of_gram.flat_inflation <= (is_small ? 10 : 1e5)) || (!(of_gram.inflation <= 1e8) && columns <= 2000);
}

std::string warning_of(const Conditioning& conditioning, SolverKind solver, const std::vector<std::string>& column_names) {
  if (conditioning.digits >= 4) return "";
  const int digits = static_cast<int>(std::floor(conditioning.digits));
  const std::string most =
      conditioning.inflated < 0 ? "" : fmt::format("'{}' most, ", validate::column_name(column_names, conditioning.inflated));
  return fmt::format("the columns are collinear or nearly so ({}condition number about {:.0e}): in the coefficient of '{}' {}; {}", most,
                     conditioning.number, validate::column_name(column_names, conditioning.column),
                     digits == 0 ? std::string("no digit can be trusted")
                                 : fmt::format("about {} {} can be trusted", digits, digits == 1 ? "digit" : "digits"),
                     solver == SolverKind::qr ? "leave columns out, or give them a prior"
                                              : "use solver qr, which keeps more digits, or give the columns a prior");
}

void warn_of_flat_columns(Design& X, const std::vector<Index>& flat, const Vector& k, const std::vector<std::string>& column_names,
                          std::vector<std::string>& warnings) {
  const Index n = X.rows(), f = static_cast<Index>(flat.size());
  if (f < 2 || n < f) return;
  Matrix F(n, f);
  for (Index j = 0; j < f; ++j) X.columns(flat[static_cast<std::size_t>(j)], 1, F.col(j));
  F = k.cwiseSqrt().asDiagonal() * F;
  blas::triangularise(n, f, F.data(), n);
  Matrix L = Matrix(F.topRows(f).triangularView<Eigen::Upper>()).transpose();
  const Vector squares = L.rowwise().squaredNorm();
  if (!blas::trtri(f, L.data(), f)) return;  // no factor: the fit reports it
  Vector inflation(f);                       // (RIDGE.9)
  for (Index j = 0; j < f; ++j) inflation[j] = squares[j] * L.col(j).tail(f - j).squaredNorm();
  Index most = 0;
  constexpr double four_digits_left = 1e11;
  if (!(inflation.maxCoeff(&most) > four_digits_left)) return;
  warnings.push_back(fmt::format(
      "the columns without a prior are collinear or nearly so ('{}' most, condition number about {:.0e}): few digits of their "
      "coefficients can be trusted; leave columns out, or give them a prior",
      validate::column_name(column_names, flat[static_cast<std::size_t>(most)]), std::sqrt(static_cast<double>(f) * inflation.sum())));
}

}  // namespace ardvark::internal
