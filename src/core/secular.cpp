#include "core/secular.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/blas.hpp"
#include "core/blas_names.hpp"

extern "C" {
void dlaed4_(const int*, const int*, const double*, const double*, double*, const double*, double*, int*);
}

namespace ardvark::internal {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

double entry(const Matrix& C, Index i, Index j) { return C(std::max(i, j), std::min(i, j)); }

// A plane rotation of two coordinates. After it the first coordinate is an axis (an eigenvector) of the matrix.
struct Rotation {
  Index first = 0, second = 0;
  double c = 1, s = 0;
};

// diag(a) + rho z z' in rotated coordinates: the coordinates in `kept` have strictly ascending a and z that are not nearly 0, the others
// are axes.
struct Deflated {
  std::vector<Index> kept, axes;
  std::vector<Rotation> rotations;
};

// Like LAPACK's laed2: a coordinate with nearly no part in the rank-one term is an axis. If two have nearly the same a, a rotation makes
// one of them an axis.
Deflated deflate(const std::vector<Index>& ascending, double rho, Vector& a, Vector& z) {
  Deflated out;
  const double negligible = 8 * eps;  // relative to 1, the scale of a and rho
  for (const Index j : ascending) {
    if (!(rho * std::abs(z[j]) > negligible)) {
      out.axes.push_back(j);
      continue;
    }
    if (!out.kept.empty()) {
      const Index i = out.kept.back();
      const double length = std::hypot(z[i], z[j]), c = z[j] / length, s = -z[i] / length, gap = a[j] - a[i];
      if (std::abs(gap * c * s) <= negligible) {
        out.rotations.push_back({i, j, c, s});
        z[j] = length;
        z[i] = 0;
        const double at_i = a[i] * c * c + a[j] * s * s;
        a[j] = a[i] * s * s + a[j] * c * c;
        a[i] = at_i;
        out.axes.push_back(i);
        out.kept.back() = j;
        continue;
      }
    }
    out.kept.push_back(j);
  }
  return out;
}

// Eigenvalues and eigenvectors of diag(a) + rho z z'; a strictly ascending, |z| = 1, no entry of z is 0.
bool solve_secular(const Vector& a, Vector z, double rho, Vector& values, Matrix& U) {
  const Index k = a.size();
  values.resize(k);
  U.resize(k, k);
  if (k == 0) return true;
  const int ik = static_cast<int>(k);
  for (Index j = 0; j < k; ++j) {  // U(i, j) = a_i - value_j; for k <= 2 the vectors themselves
    const int ij = static_cast<int>(j + 1);
    int info = 0;
    dlaed4_(&ik, &ij, a.data(), z.data(), U.data() + j * k, &rho, &values[j], &info);
    if (info != 0) return false;
  }
  if (k <= 2) return U.allFinite();
  Vector product = Vector::Ones(k);  // the z_i^2 for which the values are exact, up to the sign and a common factor
  for (Index j = 0; j < k; ++j)
    for (Index i = 0; i < k; ++i) product[i] *= i == j ? U(i, i) : U(i, j) / (a[i] - a[j]);
  for (Index i = 0; i < k; ++i) z[i] = std::copysign(std::sqrt(std::abs(product[i])), z[i]);
  for (Index j = 0; j < k; ++j) {
    U.col(j) = z.cwiseQuotient(U.col(j));
    U.col(j).normalize();
  }
  return U.allFinite();
}

}  // namespace

std::optional<DiagonalPlusRankOne> as_diagonal_plus_rank_one(const Matrix& C) {
  const Index n = C.rows();
  if (n < 3) return std::nullopt;
  double scale = 0;
  for (Index column = 0; column < n; ++column) scale = std::max(scale, C.col(column).tail(n - column).cwiseAbs().maxCoeff());
  const double rounding = 1e-13 * scale;
  if (!(scale > 0) || !std::isfinite(scale)) return std::nullopt;
  // v_i^2 = C_ij C_il / C_jl: (i, j) is the largest entry off the diagonal, l has the largest other entry of column j.
  Index i = 1, j = 0;
  for (Index column = 0; column < n; ++column)
    for (Index row = column + 1; row < n; ++row)
      if (std::abs(C(row, column)) > std::abs(C(i, j))) i = row, j = column;
  Index l = -1;
  for (Index other = 0; other < n; ++other)
    if (other != i && other != j && (l < 0 || std::abs(entry(C, j, other)) > std::abs(entry(C, j, l)))) l = other;
  DiagonalPlusRankOne out{C.diagonal(), Vector::Zero(n), 1};
  if (std::abs(C(i, j)) > rounding) {
    const bool is_alone = entry(C, j, l) == 0;  // no other entry off the diagonal: any v_i is correct
    const double square = is_alone ? std::abs(C(i, j)) : C(i, j) * (entry(C, i, l) / entry(C, j, l));
    if (square == 0) return std::nullopt;
    out.sign = square > 0 ? 1 : -1;
    out.v[i] = std::sqrt(std::abs(square));
    for (Index other = 0; other < n; ++other)
      if (other != i) out.v[other] = out.sign * entry(C, i, other) / out.v[i];
  }
  for (Index column = 0; column < n; ++column)
    for (Index row = column + 1; row < n; ++row)
      if (!(std::abs(C(row, column) - out.sign * out.v[row] * out.v[column]) <= rounding)) return std::nullopt;
  out.a -= out.sign * out.v.cwiseAbs2();
  return out;
}

bool decompose(const DiagonalPlusRankOne& of, Vector& values, Matrix& Q) {
  const Index n = of.a.size();
  const double square = of.v.squaredNorm(), unit = std::max(of.a.size() > 0 ? of.a.cwiseAbs().maxCoeff() : 0.0, square);
  if (!std::isfinite(unit)) return false;
  values = Vector::Zero(n);
  Q = Matrix::Identity(n, n);
  if (!(unit > 0)) return true;
  Vector a = of.sign / unit * of.a, z = square > 0 ? Vector(of.v / std::sqrt(square)) : Vector(of.v);  // if the sign is -1: those of -C
  double rho = square / unit;
  std::vector<Index> ascending(static_cast<std::size_t>(n));
  std::iota(ascending.begin(), ascending.end(), Index{0});
  std::stable_sort(ascending.begin(), ascending.end(), [&](Index i, Index j) { return a[i] < a[j]; });
  const Deflated parts = deflate(ascending, rho, a, z);

  Vector kept_z = z(parts.kept), found;
  const double left = kept_z.squaredNorm();
  if (left > 0) kept_z /= std::sqrt(left);
  rho *= left;
  Matrix U;
  if (!solve_secular(a(parts.kept), kept_z, rho, found, U)) return false;
  const auto k = static_cast<Index>(parts.kept.size());
  Vector all(n);
  all << found, a(parts.axes);
  Matrix rows = Matrix::Zero(n, n);  // one vector per row, so a rotation changes two columns
  for (Index c = 0; c < k; ++c) rows.col(parts.kept[static_cast<std::size_t>(c)]).head(k) = U.row(c).transpose();
  for (Index c = k; c < n; ++c) rows(c, parts.axes[static_cast<std::size_t>(c - k)]) = 1;
  for (auto r = parts.rotations.rbegin(); r != parts.rotations.rend(); ++r) {
    const Vector first = rows.col(r->first);
    rows.col(r->first) = r->c * first - r->s * rows.col(r->second);
    rows.col(r->second) = r->s * first + r->c * rows.col(r->second);
  }
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return of.sign * all[i] < of.sign * all[j]; });
  values = of.sign * unit * all(order);
  const Matrix columns = rows.transpose();
  for (Index c = 0; c < n; ++c) Q.col(c) = columns.col(order[static_cast<std::size_t>(c)]);
  return true;
}

bool symmetric_eigen(Matrix& C, Vector& values, double least) {
  constexpr Index least_size = 64;
  const Index n = C.rows();
  values.resize(n);
  if (n >= least_size) {
    if (const auto structured = as_diagonal_plus_rank_one(C)) {
      Matrix Q;
      if (decompose(*structured, values, Q)) {
        C.swap(Q);
        return !(least > 0) || values[0] >= least;
      }
    }
  }
  return blas::syevd(n, C.data(), n, values.data(), least);
}

}  // namespace ardvark::internal
