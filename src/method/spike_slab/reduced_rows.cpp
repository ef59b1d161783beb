#include "method/spike_slab/reduced_rows.hpp"

#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "core/eigen_solvers.hpp"
#include "core/products.hpp"
#include "core/rearrange.hpp"
#include "core/secular.hpp"
#include "design/column_panels.hpp"
#include "posterior/solver.hpp"

namespace ardvark::internal {
namespace {

constexpr Index most_to_keep = 4096;              // columns: with more, the Gram matrix is not kept
constexpr double smallest_share = 1e-12;          // eigenvalues below this part of the largest are rounding
constexpr double share_that_loses_digits = 1e-8;  // below this part of the largest, an eigenvalue has fewer than eight digits
constexpr double smallest_share_by_rows = 1e-13;  // and singular values of the rows themselves
constexpr Index most_sizes_by_rows = 200;
constexpr double most_by_rows = 2e8;       // products: with fewer, a decomposition of the rows is cheap
constexpr double least_to_be_sure = 1e-2;  // in single precision: relative lower limit of the smallest eigenvalue and of the rest of y

// R and ln|F'OF| from the Gram matrix of the flat columns.
bool factor_flat(const Matrix& FOF, ReducedRows& out) {
  const Index f = FOF.rows();
  Matrix L = FOF;
  out.log_det_FOF = 0;
  if (f > 0 && (!blas::potrf(f, L.data(), f) || collinear(FOF, L))) return false;
  for (Index i = 0; i < f; ++i) out.log_det_FOF += 2 * std::log(L(i, i));
  L.triangularView<Eigen::StrictlyUpper>().setZero();
  if (f > 0 && !blas::trtri(f, L.data(), f)) return false;
  out.R = L;
  return true;
}

// The largest eigenvalues of C (lower triangle) that are more than rounding, ascending; their vectors are the last columns of C. -1: not
// finite, or, early, one is less than `least`.
Index decompose(Matrix& C, Vector& values, double least = 0) {
  const Index size = C.rows();
  values.resize(size);
  if (size == 0) return 0;
  if (!symmetric_eigen(C, values, least)) return -1;
  const double largest = values[size - 1];
  Index first = 0;
  while (first < size && !(values[first] > smallest_share * largest)) ++first;
  return largest > 0 ? size - first : 0;
}

std::shared_ptr<double[]> memory_of(Index size) { return std::shared_ptr<double[]>(new double[static_cast<std::size_t>(size)]); }

// diag(root) X of these columns, in the memory of X if X gives it away.
std::shared_ptr<double[]> weighted_columns(Design& X, const std::vector<Index>& columns, const Vector& root) {
  const Index n = X.rows(), p = static_cast<Index>(columns.size());
  if (std::shared_ptr<double[]> memory = X.surrender_columns()) {
    bring_to_front(memory.get(), n, columns);
    for (Index j = 0; j < p; ++j) {
      Eigen::Map<Vector> x(memory.get() + j * n, n);
      x = root.cwiseProduct(x);
    }
    return memory;
  }
  std::shared_ptr<double[]> memory = memory_of(n * p);
  Eigen::Map<Matrix> A(memory.get(), n, p);
  const auto place = [&](Index j) { return columns[static_cast<std::size_t>(j)]; };
  products::tiles(p, blas::threads_to_read(n * p), [&](Index first, Index count) {
    for (Index from = first, to = first; from < first + count; from = to) {  // columns that are side by side
      do ++to;
      while (to < first + count && place(to) == place(to - 1) + 1);
      X.columns(place(from), to - from, A.middleCols(from, to - from));
    }
    A.middleCols(first, count) = root.asDiagonal() * A.middleCols(first, count);
  });
  return memory;
}

// X~ and y~ themselves.
bool project_rows(Design& X, const PenalisedColumns& which, const Vector& omega, const Vector& y, ReducedRows& out) {
  const Index n = X.rows(), p = which.size(), f = static_cast<Index>(which.flat.size());
  const Vector root = omega.cwiseSqrt();
  const Matrix F = root.asDiagonal() * read_columns(X, which.flat);
  if (!factor_flat(F.transpose() * F, out)) return false;
  const Matrix Q = F * out.R.transpose();  // orthonormal
  out.storage = weighted_columns(X, which.columns, root);
  Eigen::Map<Matrix> A(out.storage.get(), n, p);
  const Matrix QA = Q.transpose() * A;
  out.G = out.R.transpose() * QA;
  if (f > 0) blas::gemm(blas::Transpose::no, blas::Transpose::no, n, p, f, -1.0, Q.data(), n, QA.data(), f, 1.0, A.data(), n);
  out.y = root.cwiseProduct(y);
  const Vector Qy = Q.transpose() * out.y;
  out.flat_mean = out.R.transpose() * Qy;
  out.y -= Q * Qy;
  out.l = Vector::Zero(n);
  out.square = A.squaredNorm();
  return std::isfinite(out.square);
}

// Z and l from X~ and y~ themselves: X~ = W diag(l)^1/2 V'. Used if the Gram matrix, which squares the ratio of sizes, has lost the small
// ones.                                                                                                                          (SP.2)
bool reduce_by_rows(Index n, Index p, ReducedRows& out) {
  Matrix all(n, p + 1);
  all << Eigen::Map<const Matrix>(out.storage.get(), n, p), out.y;
  out.storage.reset();
  const bool is_tall = n > p;
  if (is_tall) blas::triangularise(n, p + 1, all.data(), n);  // the span of X~ and y~ is enough
  const Index size = is_tall ? p + 1 : n;
  if (is_tall) all.topRows(size).triangularView<Eigen::StrictlyLower>().setZero();
  const Vector target = all.col(p).head(size);
  const Eigen::JacobiSVD<Matrix> svd(all.topLeftCorner(size, p), Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Vector& values = svd.singularValues();  // descending
  if (!values.allFinite()) return false;
  Index m = 0;
  while (m < values.size() && values[m] > smallest_share_by_rows * values[0]) ++m;
  const Vector root = values.head(m).reverse();
  const Matrix W = svd.matrixU().leftCols(m).rowwise().reverse();
  out.l = root.cwiseAbs2();
  out.y = W.transpose() * target;
  out.rest = (target - W * out.y).squaredNorm();
  out.square = out.l.sum();
  out.storage = memory_of(m * p);
  Eigen::Map<Matrix>(out.storage.get(), m, p) = root.asDiagonal() * svd.matrixV().leftCols(m).rowwise().reverse().transpose();
  if (!is_tall) out.U = W;
  return true;
}

// Whether some eigenvalues of a Gram matrix have lost their digits, and the table is small enough to decompose the rows themselves. The
// last `kept` eigenvalues are not rounding. (SP.2)
bool should_ask_rows(const Vector& values, Index kept, Index dropped_anyway, Index n, Index p) {
  const Index size = values.size();
  const double products = static_cast<double>(size * size) * static_cast<double>(std::max(n, p));
  if (size == 0 || size > most_sizes_by_rows || products > most_by_rows) return false;
  return kept + dropped_anyway < size || (kept > 0 && values[size - kept] < share_that_loses_digits * values[size - 1]);
}

// More columns than rows: Z = U'X~.   \param lost  number of flat columns and of rows with weight zero: dimensions without data
bool reduce_wide(Index lost, ReducedRows& out) {
  const Index n = out.rank(), p = out.size();
  const Eigen::Map<const Matrix> A(out.storage.get(), n, p);
  const Vector target = out.y;
  Matrix C = Matrix::Zero(n, n);
  blas::syrk(blas::Transpose::no, n, p, 1.0, A.data(), n, 0.0, C.data(), n);
  Vector values;
  const Index m = decompose(C, values);
  if (m < 0) return false;
  if (should_ask_rows(values, m, lost, n, p)) return reduce_by_rows(n, p, out);
  const auto U = C.rightCols(m);
  out.l = values.tail(m);
  out.y = U.transpose() * target;
  out.rest = std::max((target - U * out.y).squaredNorm(), 0.0);
  // In place, panel by panel: column j of Z ends before column j of A begins.
  const Index block = std::clamp<Index>((Index{1} << 20) / std::max<Index>(n, 1), 1, std::max<Index>(p, 1));
  Matrix panel(m, std::min(block, p));
  for (Index first = 0; first < p && m > 0; first += block) {
    const Index count = std::min(block, p - first);
    products::tiles(count, blas::threads_for(static_cast<double>(m * n) * static_cast<double>(count)), [&](Index from, Index own) {
      blas::gemm(blas::Transpose::yes, blas::Transpose::no, m, own, n, 1.0, U.data(), n, A.col(first + from).data(), n, 0.0,
                 panel.data() + from * m, m);
    });
    std::copy_n(panel.data(), m * count, out.storage.get() + first * m);
  }
  out.U = U;
  return true;
}

// Z = L' with X~'X~ = L L'. False: a column is almost a combination of others, or y of the columns, and digits would be lost.
bool reduce_to_triangle(const Matrix& gram, const Vector& Xr, double total, bool is_single, ReducedRows& out) {
  const double least = is_single ? least_to_be_sure : 1e-8, least_rest = is_single ? least_to_be_sure : 1e-6;
  const Index p = gram.rows();
  Matrix L = gram;
  if (p > 0 && !blas::potrf(p, L.data(), p)) return false;
  for (Index j = 0; j < p; ++j)
    if (!(L(j, j) * L(j, j) > least * gram(j, j))) return false;
  const Vector y = L.triangularView<Eigen::Lower>().solve(Xr);
  const double rest = total - y.squaredNorm();
  if (!(rest > least_rest * total)) return false;
  out.l = Vector::Zero(p);
  out.y = y;
  out.rest = rest;
  out.square = gram.trace();
  out.storage = memory_of(std::max<Index>(p * p, 1));
  Eigen::Map<Matrix> Z(out.storage.get(), p, p);
  Z.setZero();
  Z.triangularView<Eigen::Upper>() = L.triangularView<Eigen::Lower>().transpose();
  return true;
}

// No more columns than rows: Z = diag(l)^1/2 Q', from the Gram matrix. In single precision only if this does not lose digits.  (MP.3)
bool reduce_tall(Design& X, const PenalisedColumns& which, const Vector& omega, const Vector& y, KeepBasis basis, Rotation rotation,
                 Products products, ReducedRows& out) {
  const Index n = X.rows(), p = which.size();
  const bool is_single = products == Products::single_precision && which.flat.size() <= 1 && X.set_products(products);
  const auto again = [&] { return reduce_tall(X, which, omega, y, basis, rotation, Products::double_precision, out); };
  Matrix all = Matrix::Zero(X.cols(), X.cols());
  Vector Xy(X.cols());
  X.gram_and_project(omega, y, all, Xy);
  X.set_products(Products::double_precision);
  if (!all.diagonal().allFinite()) return false;
  const auto entry = [&](Index i, Index j) { return all(std::max(i, j), std::min(i, j)); };
  const auto f = static_cast<Index>(which.flat.size());
  const auto flat = [&](Index i) { return which.flat[static_cast<std::size_t>(i)]; };
  const auto column = [&](Index j) { return which.columns[static_cast<std::size_t>(j)]; };
  const Matrix FX = Matrix::NullaryExpr(f, p, [&](Index i, Index j) { return entry(flat(i), column(j)); });
  const Matrix FF = Matrix::NullaryExpr(f, f, [&](Index i, Index j) { return entry(flat(i), flat(j)); });
  if (!factor_flat(FF, out)) return false;
  const Matrix RFX = out.R * FX;
  const Vector RFy = out.R * Xy(which.flat);
  out.G = out.R.transpose() * RFX;
  out.flat_mean = out.R.transpose() * RFy;
  Matrix C(p, p);  // both triangles
  products::tiles(p, blas::threads_to_read(p * p), [&](Index first, Index count) {
    for (Index j = first; j < first + count; ++j) {
      for (Index i = j; i < p; ++i) C(i, j) = entry(column(i), column(j));
      C.col(j).tail(p - j) -= RFX.rightCols(p - j).transpose() * RFX.col(j);
    }
  });
  all.resize(0, 0);
  mirror(C);
  const Vector Xr = Xy(which.columns) - RFX.transpose() * RFy;
  const Matrix F = read_columns(X, which.flat);
  const Vector target = y - F * out.flat_mean;
  const double total = omega.dot(target.cwiseAbs2());

  if (p <= most_to_keep && basis == KeepBasis::no && rotation == Rotation::to_diagonal) out.gram = std::make_shared<const Matrix>(C);
  if (rotation == Rotation::to_triangle && basis == KeepBasis::no && reduce_to_triangle(C, Xr, total, is_single, out)) return true;
  const double least = is_single && p > 0 ? least_to_be_sure * C.trace() / static_cast<double>(p) : 0;
  Vector values;
  const Index m = decompose(C, values, least);
  if (is_single && m < p) return again();
  if (m < 0) return false;
  if (basis == KeepBasis::no && should_ask_rows(values, m, 0, n, p)) {
    if (!project_rows(X, which, omega, y, out) || !reduce_by_rows(n, p, out)) return false;
    X.forget();
    return true;
  }
  const auto Q = C.rightCols(m);
  out.l = values.tail(m);
  const Vector root = out.l.cwiseSqrt();
  out.y = (Q.transpose() * Xr).cwiseQuotient(root);
  out.rest = total - out.y.squaredNorm();
  if (is_single && out.rest < least_to_be_sure * total) return again();
  if (out.rest < 1e-6 * total) {  // the difference is mostly rounding: sum the squared residuals instead
    Vector w = Vector::Zero(X.cols()), fitted(n);
    w(which.columns) = Q * out.y.cwiseQuotient(root);
    w(which.flat) = out.flat_mean - out.G * w(which.columns);
    X.apply(w, fitted);
    out.rest = omega.dot((y - fitted).cwiseAbs2());
  }
  if (basis == KeepBasis::no) X.forget();
  out.square = out.l.sum();
  out.storage = memory_of(m * p);
  Eigen::Map<Matrix>(out.storage.get(), m, p) = root.asDiagonal() * Q.transpose();
  if (basis == KeepBasis::no) return true;
  // U = X~ Q diag(l)^-1/2, X~ = diag(omega)^1/2 (X - F G).
  out.U = Matrix::Zero(n, m);
  const Matrix by_column = Q * root.cwiseInverse().asDiagonal();
  for_column_panels(X, which.columns, [&](const auto& panel, const std::vector<Index>& at) {
    const Matrix rows = by_column(at, Eigen::all);
    blas::gemm(blas::Transpose::no, blas::Transpose::no, n, m, panel.cols(), 1.0, panel.data(), n, rows.data(), panel.cols(), 1.0,
               out.U.data(), n);
  });
  out.U -= F * (out.G * by_column);
  out.U = omega.cwiseSqrt().asDiagonal() * out.U;
  return true;
}

}  // namespace

Vector ReducedRows::project(const Vector& u) const {
  const Index m = rank();
  Vector out(size());
  products::tiles(size(), blas::threads_to_read(m * size()), [&](Index first, Index count) {
    blas::gemv(blas::Transpose::yes, m, count, 1.0, storage.get() + first * m, m, u.data(), 0.0, out.data() + first);
  });
  return out;
}

bool reduce_rows(Design& X, const PenalisedColumns& which, const Vector& omega, const Vector& y, double num_rows, KeepBasis basis,
                 ReducedRows& out, Rotation rotation, Products products) {
  out = {};
  out.degrees = num_rows - static_cast<double>(which.flat.size());
  const bool rotate = rotation != Rotation::as_they_are;
  if (rotate && which.size() <= X.rows()) return reduce_tall(X, which, omega, y, basis, rotation, products, out);
  const Index lost = static_cast<Index>(which.flat.size()) + (omega.array() == 0).count();
  if (!project_rows(X, which, omega, y, out) || (rotate && !reduce_wide(lost, out))) return false;
  if (basis == KeepBasis::no) out.U.resize(0, 0);
  return true;
}

ReducedRows ReducedColumns::with_target(const Vector& y) const {
  ReducedRows out;
  static_cast<DenseBasis&>(out) = rows;
  out.square = rows.square;
  out.degrees = rows.degrees;
  out.gram = rows.gram;
  out.near = rows.near;
  out.systems = rows.systems;
  out.log_det_FOF = rows.log_det_FOF;
  Vector u = root.cwiseProduct(y);
  const Vector along = flat.transpose() * u;
  out.flat_mean = rows.R.transpose() * along;
  u -= flat * along;
  out.y = Vector::Zero(rows.rank());
  const Index n = u.size(), m = rows.rank();
  if (m > 0) {
    blas::gemv(blas::Transpose::yes, n, m, 1.0, rows.U.data(), n, u.data(), 0.0, out.y.data());
    blas::gemv(blas::Transpose::no, n, m, -1.0, rows.U.data(), n, out.y.data(), 1.0, u.data());
  }
  out.rest = u.squaredNorm();
  return out;
}

std::unique_ptr<ReducedColumns> reduce_columns(Design& X, const PenalisedColumns& which, const Vector& omega, double num_rows) {
  auto out = std::make_unique<ReducedColumns>();
  ReducedRows& rows = out->rows;
  const Index n = X.rows(), p = which.size(), size = std::min(n, p);
  if (!reduce_rows(X, which, omega, Vector::Zero(n), num_rows, KeepBasis::yes, rows)) return {};
  Vector values = Vector::Zero(size);
  values.tail(rows.rank()) = rows.l;
  if (p <= n && should_ask_rows(values, rows.rank(), 0, n, p)) return {};
  if (p <= n && p <= most_to_keep) {
    Matrix gram = Matrix::Zero(p, p);
    if (rows.rank() > 0) blas::syrk(blas::Transpose::yes, p, rows.rank(), 1.0, rows.storage.get(), rows.rank(), 0.0, gram.data(), p);
    mirror(gram);
    rows.gram = std::make_shared<const Matrix>(std::move(gram));
  }
  out->root = omega.cwiseSqrt();
  out->flat = out->root.asDiagonal() * read_columns(X, which.flat) * rows.R.transpose();
  return out;
}

}  // namespace ardvark::internal
