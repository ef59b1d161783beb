#include "engine/coordinate/group_axes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/products.hpp"
#include "core/rearrange.hpp"
#include "core/secular.hpp"

namespace ardvark {
namespace {

using blas::Transpose;

// A diag(d) A', lower triangle, or A' diag(d) A for `yes`; d >= 0.
Matrix weighted_square(Transpose transpose, const Matrix& A, const Vector& d) {
  const bool by_columns = transpose == Transpose::yes;
  const Index n = by_columns ? A.cols() : A.rows(), inner = by_columns ? A.rows() : A.cols();
  const Vector root = d.cwiseSqrt();
  const Matrix scaled = by_columns ? Matrix(root.asDiagonal() * A) : Matrix(A * root.asDiagonal());
  Matrix out = Matrix::Zero(n, n);
  if (n > 0 && inner > 0) blas::syrk(transpose, n, inner, 1.0, scaled.data(), scaled.rows(), 0.0, out.data(), n);
  return out;
}

void add_squares(const Matrix& A, const Vector& weights, Vector& out) {  // out += (A o A) weights
  for (Index a = 0; a < A.cols(); ++a)
    if (weights[a] != 0) out += weights[a] * A.col(a).cwiseAbs2();
}

}  // namespace

Vector GroupInverse::times(const Vector& c) const {
  Vector out = kappa * c + shrink.cwiseProduct(c);
  if (N.cols() > 0) out += N * (N.transpose() * c);
  return out;
}

double GroupInverse::trace(Index columns) const { return static_cast<double>(columns) * kappa + shrink.sum() + N.squaredNorm(); }

Vector GroupAxes::project(const Vector& u) const {
  return is_whole() ? Vector(lambda.cwiseSqrt().cwiseProduct(u)) : Vector(W.transpose() * u);
}

Vector GroupAxes::apply(const Vector& x) const { return is_whole() ? Vector(lambda.cwiseSqrt().cwiseProduct(x)) : Vector(W * x); }

// L^-1 of S(x) = L L' = I + h (G - P' diag(x/(1 + x lambda)) P), which is I + h Z_R'(I + x Z_B Z_B')^-1 Z_R.
Matrix GroupAxes::root_of_others(double h, double x, double& log_det) const {
  const Index r = G.rows();
  log_det = 0;
  if (r == 0) return {};
  const Vector taken = x / (1 + x * lambda.array());
  Matrix L = h * (G - weighted_square(Transpose::yes, P, taken));
  L.diagonal().array() += 1;
  if (!blas::potrf(r, L.data(), r)) {
    log_det = std::numeric_limits<double>::quiet_NaN();  // beyond what rounding allows: the bound says so
    return Matrix::Zero(r, r);
  }
  log_det = 2 * L.diagonal().array().log().sum();
  static_cast<void>(blas::trtri(r, L.data(), r));  // no diagonal element is zero
  return L.triangularView<Eigen::Lower>();
}

Vector GroupAxes::times_A(double h, const Vector& x) const {
  const Vector shrunk = (1 + h * lambda.array()).inverse();
  Vector out = lambda.cwiseProduct(shrunk).cwiseProduct(x);
  if (h == 0 || G.rows() == 0) return out;
  double ignored = 0;
  const Matrix root = root_of_others(h, h, ignored);
  const Vector along = root * (P.transpose() * shrunk.cwiseProduct(x));
  return out - h * shrunk.cwiseProduct(P * (root.transpose() * along));
}

// With k' = h + kappa:  shrink = - kappa^2 lambda/(1 + k' lambda)    N = h^1/2 kappa diag(1/(1 + k' lambda)) P S(k')^-1/2
//     ln|I + kappa A| = sum ln (1 + k' lambda)/(1 + h lambda) + ln|S(k')| - ln|S(h)|                                           (SP.17)
GroupInverse GroupAxes::invert(double h, double kappa) const {
  const double both = h + kappa;
  const Vector shrunk = (1 + both * lambda.array()).inverse();
  GroupInverse out{kappa, -kappa * kappa * lambda.cwiseProduct(shrunk), Matrix(lambda.size(), 0), 0};
  out.stretch = ((both * lambda.array()).log1p() - (h * lambda.array()).log1p()).sum();
  if (h == 0 || G.rows() == 0) return out;
  double with = 0, without = 0;
  const Matrix root = root_of_others(h, both, with);
  static_cast<void>(root_of_others(h, h, without));
  out.stretch += with - without;
  out.N = std::sqrt(h) * kappa * (shrunk.asDiagonal() * P);
  blas::trmm(blas::Side::right, Transpose::yes, out.N.rows(), out.N.cols(), root.data(), root.rows(), out.N.data(), out.N.rows());
  return out;
}

Matrix GroupAxes::times_W(const Matrix& B) const {
  return is_whole() ? Matrix(B * lambda.cwiseSqrt().asDiagonal()) : products::times(B, W);
}

Vector GroupAxes::squares(const Matrix& BW, const GroupInverse& inverse) const {
  Vector out = Vector::Zero(BW.rows());
  add_squares(BW, inverse.kappa + inverse.shrink.array(), out);
  if (inverse.N.cols() > 0) out += products::times(BW, inverse.N).rowwise().squaredNorm();
  return out;
}

Vector GroupAxes::spread(const GroupInverse& inverse) const {
  return is_whole() ? Vector(lambda.array() * (inverse.kappa + inverse.shrink.array())) : squares(W, inverse);
}

Vector GroupAxes::diagonal(const GroupInverse& inverse) const {
  Vector out = Vector::Constant(Q.rows(), inverse.kappa);
  add_squares(Q, inverse.shrink, out);
  if (inverse.N.cols() > 0) out += products::times(Q, inverse.N).rowwise().squaredNorm();
  return out;
}

Matrix GroupAxes::matrix(const GroupInverse& inverse) const {
  Matrix out = -weighted_square(Transpose::no, Q, -inverse.shrink);
  if (inverse.N.cols() > 0) {
    const Matrix QN = products::times(Q, inverse.N);
    blas::syrk(Transpose::no, QN.rows(), QN.cols(), 1.0, QN.data(), QN.rows(), 1.0, out.data(), out.rows());
  }
  out.diagonal().array() += inverse.kappa;
  mirror(out);
  return out;
}

namespace {

std::shared_ptr<const GroupAxes> axes_of_group(const ReducedRows& rows, Index first, Index k, bool has_dense) {
  const Index p = rows.size(), m = rows.rank();
  const auto Z = rows.Z();
  auto out = std::make_shared<GroupAxes>();
  if (k == p && (rows.l.array() > 0).all()) {  // Z Z' = diag(l) says it
    out->lambda = rows.l;
    out->Q = Z.transpose() * rows.l.cwiseSqrt().cwiseInverse().asDiagonal();
    return out;
  }
  if (rows.gram.size() > 0) {
    out->Q = rows.gram.block(first, first, k, k);
  } else {
    out->Q = Matrix::Zero(k, k);
    blas::syrk(Transpose::yes, k, m, 1.0, Z.data() + first * m, m, 0.0, out->Q.data(), k);
  }
  if (!symmetric_eigen(out->Q, out->lambda)) return nullptr;
  out->lambda = out->lambda.cwiseMax(0.0);
  out->W = products::times(Z.middleCols(first, k), out->Q);
  if (!has_dense || k == p) return out;
  Matrix others(m, p - k);
  others << Z.leftCols(first), Z.rightCols(p - k - first);
  out->P = products::transposed_times(out->W, others);
  out->G = Matrix::Zero(p - k, p - k);
  blas::syrk(Transpose::yes, p - k, m, 1.0, others.data(), m, 0.0, out->G.data(), p - k);
  return out;
}

}  // namespace

std::vector<std::shared_ptr<const GroupAxes>> axes_of(const ReducedRows& rows, const ColumnSets& sets, bool has_dense, Index least) {
  std::vector<std::shared_ptr<const GroupAxes>> out(static_cast<std::size_t>(sets.size()));
  if (!sets.has_one_indicator() || rows.rank() == 0) return out;
  for (Index set = 0; set < sets.size(); ++set) {
    const std::span<const Index> columns = sets.columns_of(set);
    const auto k = static_cast<Index>(columns.size()), others = rows.size() - k;
    const bool serves = others == 0 || (k <= rows.rank() && (!has_dense || others <= k));
    if (k >= least && serves) out[static_cast<std::size_t>(set)] = axes_of_group(rows, columns[0], k, has_dense);
  }
  return out;
}

}  // namespace ardvark
