#include "method/spike_slab/wide_table.hpp"

#include <algorithm>
#include <cmath>

#include "core/products.hpp"
#include "core/rearrange.hpp"
#include "core/resize.hpp"
#include "core/secular.hpp"
#include "design/column_panels.hpp"
#include "posterior/solver.hpp"

namespace ardvark::internal {
namespace {

constexpr Index columns_at_once = 64;
constexpr double eigenvalue_of_rounding = 1e-12;  // below this part of the largest                                            (SP.2)

// Eigenvalues that are more than rounding, ascending, and the start of their vectors among the columns of C. -1: not finite.
Index first_eigenvalue(Matrix& C, Vector& values) {
  values.resize(C.rows());
  if (C.rows() == 0) return 0;
  if (!symmetric_eigen(C, values, 0)) return -1;
  Index first = 0;
  const double largest = values[values.size() - 1];
  while (first < values.size() && !(values[first] > std::max(eigenvalue_of_rounding * largest, 0.0))) ++first;
  return first;
}

std::shared_ptr<double[]> copy_of(const Matrix& Z) {
  std::shared_ptr<double[]> memory(new double[static_cast<std::size_t>(std::max<Index>(Z.size(), 1))]);
  std::copy_n(Z.data(), Z.size(), memory.get());
  return memory;
}

// Calls use(some of the list, where they begin).
void in_panels(const std::vector<Index>& list, auto&& use) {
  for (std::size_t first = 0; first < list.size(); first += columns_at_once) {
    const std::size_t end = std::min(list.size(), first + columns_at_once);
    use(std::vector<Index>(list.begin() + static_cast<std::ptrdiff_t>(first), list.begin() + static_cast<std::ptrdiff_t>(end)),
        static_cast<Index>(first));
  }
}

}  // namespace

WideTable::WideTable(Design& X, const PenalisedColumns& all, const Vector& omega, const Vector& y, double num_rows)
    : X_(X), all_(all), root_(omega.cwiseSqrt()), y_(root_.cwiseProduct(y)), degrees_(num_rows - static_cast<double>(all.flat.size())) {
  which_.flat = all.flat;
  which_.begin = {0};
}

// With F'OF = L L' and R = L^-1, the columns of Q = diag(omega)^1/2 F R' are orthonormal, and G = R'Q'diag(omega)^1/2 X.         (RIDGE.7)
bool WideTable::begin() {
  const auto f = static_cast<Index>(all_.flat.size());
  const Matrix F = root_.asDiagonal() * read_columns(X_, all_.flat), FOF = F.transpose() * F;
  Matrix L = FOF;
  if (f > 0 && (!blas::potrf(f, L.data(), f) || collinear(FOF, L))) return false;
  for (Index i = 0; i < f; ++i) log_det_FOF_ += 2 * std::log(L(i, i));
  L.triangularView<Eigen::StrictlyUpper>().setZero();
  if (f > 0 && !blas::trtri(f, L.data(), f)) return false;
  R_ = L;
  Q_ = F * R_.transpose();
  G_active_.resize(f, 0);
  const Vector Qy = Q_.transpose() * y_;
  flat_mean_ = R_.transpose() * Qy;
  y_ -= Q_ * Qy;
  square_of_target_ = y_.squaredNorm();
  return std::isfinite(square_of_target_);
}

void WideTable::look_at_all() {
  const Index f = Q_.cols();
  G_ = Matrix::Zero(f, size());
  if (f == 0) return;
  const Matrix of_design = project(Q_);
  for (Index j = 0; j < size(); ++j) G_.col(j) = of_design.row(all_.columns[static_cast<std::size_t>(j)]).transpose();
  G_ = R_.transpose() * G_;
}

// |x~|^2 = |x|^2 - |Q'x|^2, and Q'x = R'^-1 G.
void WideTable::set_squares(Vector squares, bool exact) {
  squares_ = std::move(squares);
  knows_squares_ = exact;
  if (exact && Q_.cols() > 0) {
    const Matrix QX = R_.transpose().triangularView<Eigen::Upper>().solve(G_);
    squares_ = (squares_ - QX.colwise().squaredNorm().transpose()).cwiseMax(0.0);
  }
}

// Of the columns as they are, K = X X'; with P = I - Q Q', X~ X~' = P diag(omega)^1/2 K diag(omega)^1/2 P.                       (SP.27)
bool WideTable::decompose(Matrix K) {
  K = root_.asDiagonal() * K * root_.asDiagonal();
  const Matrix KQ = products::times(K, Q_), QKQ = products::transposed_times(Q_, KQ);
  const Matrix half = KQ - 0.5 * products::times(Q_, QKQ);
  K -= products::times_transposed(Q_, half);
  K -= products::times_transposed(half, Q_);
  Vector values;
  const Index first = first_eigenvalue(K, values);
  if (first < 0) return false;
  const Index m = values.size() - first;
  U_ = K.rightCols(m);
  l_ = values.tail(m);
  rotated_target_ = U_.transpose() * y_;
  rest_ = std::max((y_ - U_ * rotated_target_).squaredNorm(), 0.0);
  return true;
}

Matrix WideTable::read(const std::vector<Index>& which) const {
  Matrix out(X_.rows(), static_cast<Index>(which.size()));
  for (std::size_t i = 0; i < which.size(); ++i)
    X_.columns(all_.columns[static_cast<std::size_t>(which[i])], 1, out.middleCols(static_cast<Index>(i), 1));
  out = root_.asDiagonal() * out;
  return out;
}

void WideTable::project_out(Matrix& of_rows) const {
  if (Q_.cols() > 0) of_rows -= products::times(Q_, products::transposed_times(Q_, of_rows));
}

Matrix WideTable::columns(const std::vector<Index>& which) const {
  Matrix out = read(which);
  project_out(out);
  return out;
}

Matrix WideTable::project(const Matrix& A) const {
  Matrix out;
  X_.project_several(root_.asDiagonal() * A, out);
  return out;
}

void WideTable::activate(const std::vector<Index>& more) {
  is_decomposed() ? add_to_rotated(more) : add_to_gram(more);
  const Index before = G_active_.cols();
  Matrix G(Q_.cols(), before + static_cast<Index>(more.size()));
  G.leftCols(before) = G_active_;
  in_panels(more, [&](const std::vector<Index>& some, Index first) {
    G.middleCols(before + first, static_cast<Index>(some.size())) = R_.transpose() * products::transposed_times(Q_, read(some));
  });
  G_active_ = std::move(G);
  for (const Index j : more) {
    active_.push_back(j);
    which_.columns.push_back(all_.columns[static_cast<std::size_t>(j)]);
    which_.begin.push_back(static_cast<Index>(active_.size()));
  }
}

void WideTable::add_to_gram(const std::vector<Index>& more) {
  std::vector<Index> all = active_;
  all.insert(all.end(), more.begin(), more.end());
  const auto before = static_cast<Index>(active_.size()), count = static_cast<Index>(more.size());
  Matrix C = Matrix::Zero(before + count, before + count);
  Vector b(before + count);
  if (before > 0) C.topLeftCorner(before, before) = C_, b.head(before) = b_;
  in_panels(more, [&](const std::vector<Index>& some, Index first) {
    const Matrix panel = columns(some);
    b.segment(before + first, panel.cols()) = panel.transpose() * y_;
    in_panels(all, [&](const std::vector<Index>& others, Index at) {
      if (at > before + first + panel.cols()) return;  // the other triangle
      C.block(at, before + first, static_cast<Index>(others.size()), panel.cols()) = products::transposed_times(columns(others), panel);
    });
  });
  for (Index j = before; j < before + count; ++j) C.row(j).head(j) = C.col(j).head(j).transpose();
  C_ = std::move(C);
  b_ = std::move(b);
}

void WideTable::add_to_rotated(const std::vector<Index>& more) {
  const Index before = C_.cols();
  Matrix Z(l_.size(), before + static_cast<Index>(more.size()));
  if (before > 0) Z.leftCols(before) = C_;
  in_panels(more, [&](const std::vector<Index>& some, Index first) {
    Z.middleCols(before + first, static_cast<Index>(some.size())) = products::transposed_times(U_, columns(some));
  });
  C_ = std::move(Z);
}

std::shared_ptr<ReducedRows> WideTable::rows(KeepBasis basis) const {
  auto out = std::make_shared<ReducedRows>();
  out->degrees = degrees_;
  out->R = R_;
  out->G = G_active_;
  out->flat_mean = flat_mean_;
  out->log_det_FOF = log_det_FOF_;
  if (is_decomposed()) {
    out->l = l_;
    out->y = rotated_target_;
    out->rest = rest_;
    out->storage = copy_of(C_);
    out->square = C_.squaredNorm();
    if (basis == KeepBasis::yes) out->U = U_;
    return out;
  }
  Matrix V = C_;
  Vector values;
  const Index first = std::max<Index>(first_eigenvalue(V, values), 0), m = values.size() - first;
  const Vector root = values.tail(m).cwiseSqrt();
  const Matrix Z = root.asDiagonal() * V.rightCols(m).transpose();
  out->l = values.tail(m);
  out->y = (V.rightCols(m).transpose() * b_).cwiseQuotient(root);
  out->rest = std::max(square_of_target_ - out->y.squaredNorm(), 0.0);
  out->storage = copy_of(Z);
  out->square = out->l.sum();
  if (basis == KeepBasis::yes) {  // U = X~ V diag(l)^-1/2
    out->U = Matrix::Zero(y_.size(), m);
    const Matrix by_column = V.rightCols(m) * root.cwiseInverse().asDiagonal();
    in_panels(active_, [&](const std::vector<Index>& some, Index at) {
      out->U += products::times(columns(some), by_column.middleRows(at, static_cast<Index>(some.size())));
    });
  }
  return out;
}

Matrix WideTable::residuals(const Matrix& of_active, const Matrix& Dr) const {
  if (is_decomposed()) return products::times(U_, Dr);
  Matrix out = y_.replicate(1, of_active.cols());
  in_panels(active_, [&](const std::vector<Index>& some, Index first) {
    const auto m = of_active.middleRows(first, static_cast<Index>(some.size()));
    if ((m.array() != 0).any()) out -= products::times(columns(some), m);
  });
  return out;
}

std::shared_ptr<const DenseBasis> WideTable::basis(Index count) const {
  auto out = std::make_shared<DenseBasis>();
  const Index p = size();
  out->l = l_.tail(count);
  out->G = G_;
  out->R = R_;
  out->storage = std::shared_ptr<double[]>(new double[static_cast<std::size_t>(std::max<Index>(count * p, 1))]);
  Eigen::Map<Matrix> Z(out->storage.get(), count, p);
  const Matrix directions = root_.asDiagonal() * U_.rightCols(count);  // orthogonal to the flat columns after the weights
  for_column_panels(X_, all_.columns, [&](const auto& panel, const std::vector<Index>& at) {
    const Matrix of_panel = products::transposed_times(directions, panel);
    for (std::size_t i = 0; i < at.size(); ++i) Z.col(at[i]) = of_panel.col(static_cast<Index>(i));
  });
  return out;
}

}  // namespace ardvark::internal
