#include "method/spike_slab/wide_table.hpp"

#include <algorithm>
#include <cmath>

#include "core/products.hpp"
#include "core/rearrange.hpp"
#include "core/resize.hpp"
#include "core/secular.hpp"
#include "design/column_panels.hpp"
#include "design/some_products.hpp"
#include "posterior/solver.hpp"

namespace ardvark::internal {
namespace {

constexpr Index directions_at_once = 32;
constexpr double eigenvalue_of_rounding = 1e-12;  // below this part of the largest                                            (SP.2)
constexpr double rest_of_combination = 1e-10;     // so much of |x~|^2 may be left of a combination of other columns

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

// Calls use(some of the list, where they begin), so few that panels of them take at most 16 MB, if that is more than a few columns.
void in_panels(const std::vector<Index>& list, Index num_rows, auto&& use) {
  const auto at_once = static_cast<std::size_t>(std::clamp<Index>((Index{1} << 21) / std::max<Index>(num_rows, 1), 8, 64));
  for (std::size_t first = 0; first < list.size(); first += at_once) {
    const std::size_t end = std::min(list.size(), first + at_once);
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

Matrix WideTable::project_in_single(const Matrix& A) const {
  Matrix out;
  internal::project_in_single(X_, root_.asDiagonal() * A, out);
  return out;
}

void WideTable::activate(const std::vector<Index>& more) {
  is_decomposed() ? add_to_rotated(more) : add_to_triangle(more);
  name_active(more);
}

void WideTable::name_active(const std::vector<Index>& more) {
  for (const Index j : more) {
    active_.push_back(j);
    which_.columns.push_back(all_.columns[static_cast<std::size_t>(j)]);
    which_.begin.push_back(static_cast<Index>(active_.size()));
  }
}

// Z <- (Z more) with zeros below. The rows that were handed out keep the memory before.
void WideTable::append(const Matrix& more, Index count) {
  const Index before = static_cast<Index>(which_.columns.size()), rank = more.rows();
  std::shared_ptr<double[]> memory(new double[static_cast<std::size_t>(std::max<Index>(rank * (before + count), 1))]);
  Eigen::Map<Matrix> next(memory.get(), rank, before + count);
  next.topLeftCorner(rank_, before) = Z();
  next.bottomLeftCorner(rank - rank_, before).setZero();
  next.rightCols(count) = more.leftCols(count);
  Z_ = std::move(memory);
  rank_ = rank;
}

// By the entries of the columns if all openers are held by theirs.
HeldEntries::Products WideTable::products_of_panel(const std::vector<Index>& some) {
  if (by_entries_) {
    std::vector<Index> list;
    for (const Index j : some) list.push_back(all_.columns[static_cast<std::size_t>(j)]);
    if (auto found = by_entries_->products(list, y_)) return std::move(*found);
    by_entries_.reset();
  }
  Matrix panel = read(some);
  HeldEntries::Products out;
  out.with_flat = products::transposed_times(Q_, panel);
  project_out(panel);
  project_some(X_, openers_, root_.asDiagonal() * panel, out.with_held);
  out.among = products::transposed_times(panel, panel);
  out.of_target = panel.transpose() * y_;
  return out;
}

// X~_A = U Z with orthonormal U that is never made: with the openers X~_O = U L', a further column has U'x~ = L^-1 X~_O'x~, and opens a row
// of its own if something of it is left.                                                                                        (SP.26)
void WideTable::add_to_triangle(const std::vector<Index>& more) {
  const auto count = static_cast<Index>(more.size()), before = G_active_.cols();
  Matrix Z = Matrix::Zero(rank_ + count, count);
  G_active_.conservativeResize(Eigen::NoChange, before + count);
  if (openers_.empty()) by_entries_.emplace(X_, root_, Q_, X_.has_intercept() && !all_.flat.empty() && all_.flat.back() == X_.cols() - 1);
  in_panels(more, X_.rows(), [&](const std::vector<Index>& some, Index first) {
    const auto width = static_cast<Index>(some.size()), rank = static_cast<Index>(openers_.size());
    const auto [with_held, square, of_target, with_flat] = products_of_panel(some);
    G_active_.middleCols(before + first, width) = R_.transpose() * with_flat;
    const Matrix above = products::times(inverse_, with_held);
    Matrix left = square - products::transposed_times(above, above), own = Matrix::Zero(width, width);
    Index opened = 0;
    for (Index j = 0; j < width; ++j) {
      const Vector rest = left.col(j).tail(width - j) - own.topRows(opened).rightCols(width - j).transpose() * own.col(j).head(opened);
      if (!(rest[0] > rest_of_combination * square(j, j))) continue;
      own.row(opened++).tail(width - j) = rest.transpose() / std::sqrt(rest[0]);
      openers_.push_back(all_.columns[static_cast<std::size_t>(some[static_cast<std::size_t>(j)])]);
    }
    if (by_entries_) by_entries_->hold({openers_.end() - opened, openers_.end()});
    Z.middleCols(first, width).topRows(rank) = above;
    Z.middleCols(first, width).middleRows(rank, opened) = own.topRows(opened);
    open_rows(above, own.topRows(opened), of_target);
  });
  append(Z.topRows(static_cast<Index>(openers_.size())), count);
}

// L^-1 and U'y~ with the rows that columns of a panel opened. With L = (L1 0; A' D) L^-1 has the rows (-D^-1 A' L1^-1, D^-1). The diagonal
// of D is the first entry of each row of `own` that is not 0.
void WideTable::open_rows(const Matrix& above, const Matrix& own, const Vector& product) {
  const Index before = above.rows(), opened = own.rows();
  Matrix A(before, opened), D = Matrix::Zero(opened, opened);
  Vector b(opened);
  for (Index i = 0, j = 0; i < opened; ++i, ++j) {
    while (own(i, j) == 0) ++j;
    A.col(i) = above.col(j);
    D.row(i).head(i + 1) = own.col(j).head(i + 1).transpose();
    b[i] = product[j];
  }
  const Matrix inverse = D.triangularView<Eigen::Lower>().solve(Matrix::Identity(opened, opened));
  Matrix all = Matrix::Zero(before + opened, before + opened);
  all.topLeftCorner(before, before) = inverse_;
  all.bottomLeftCorner(opened, before) = -products::times(inverse, products::transposed_times(A, inverse_));
  all.bottomRightCorner(opened, opened) = inverse;
  Vector target(before + opened);
  target.head(before) = of_target_;
  target.tail(opened) = inverse * (b - A.transpose() * of_target_);
  inverse_ = std::move(all);
  of_target_ = std::move(target);
}

void WideTable::add_to_rotated(const std::vector<Index>& more) {
  const auto count = static_cast<Index>(more.size()), before = G_active_.cols();
  Matrix Z(l_.size(), count);
  G_active_.conservativeResize(Eigen::NoChange, before + count);
  in_panels(more, X_.rows(), [&](const std::vector<Index>& some, Index first) {
    const auto width = static_cast<Index>(some.size());
    Matrix panel = read(some);
    G_active_.middleCols(before + first, width) = R_.transpose() * products::transposed_times(Q_, panel);
    project_out(panel);
    Z.middleCols(first, width) = products::transposed_times(U_, panel);
  });
  append(Z, count);
}

std::shared_ptr<ReducedRows> WideTable::rows(KeepBasis basis) const {
  auto out = std::make_shared<ReducedRows>();
  out->degrees = degrees_;
  out->R = R_;
  out->G = G_active_;
  out->flat_mean = flat_mean_;
  out->log_det_FOF = log_det_FOF_;
  out->storage = Z_;
  out->square = Z().squaredNorm();
  if (is_decomposed()) {
    out->l = l_;
    out->y = rotated_target_;
    out->rest = rest_;
    if (basis == KeepBasis::yes) out->U = U_;
    return out;
  }
  out->l = Vector::Zero(rank_);
  out->y = of_target_;
  out->rest = std::max(square_of_target_ - of_target_.squaredNorm(), 0.0);
  if (basis == KeepBasis::yes) decompose_rows(*out);
  return out;
}

// Z Z' = V diag(l) V': the rows turned by V', and U = X~_O L'^-1 V.
void WideTable::decompose_rows(ReducedRows& out) const {
  Matrix V = products::times_transposed(Z(), Z());
  Vector values;
  const Index first = std::max<Index>(first_eigenvalue(V, values), 0), m = values.size() - first;
  const Matrix turn = V.rightCols(m);
  const Matrix turned = products::transposed_times(turn, Z());
  out.l = values.tail(m);
  out.y = turn.transpose() * of_target_;
  out.storage = std::shared_ptr<double[]>(new double[static_cast<std::size_t>(std::max<Index>(turned.size(), 1))]);
  std::copy_n(turned.data(), turned.size(), out.storage.get());
  apply_some(X_, openers_, products::transposed_times(inverse_, turn), out.U);
  out.U = root_.asDiagonal() * out.U;
  project_out(out.U);
}

Matrix WideTable::residuals(const Matrix& of_active, const Matrix& Dr) const {
  if (is_decomposed()) return products::times(U_, Dr);
  Matrix out;
  apply_some(X_, which_.columns, -of_active, out);
  out = root_.asDiagonal() * out;
  project_out(out);
  out.colwise() += y_;
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
  for (Index first = 0; first < count; first += directions_at_once) {
    const Index some = std::min(directions_at_once, count - first);
    const Matrix product = project_in_single(U_.middleCols(U_.cols() - count + first, some));
    for (Index j = 0; j < p; ++j) Z.col(j).segment(first, some) = product.row(all_.columns[static_cast<std::size_t>(j)]).transpose();
  }
  return out;
}

}  // namespace ardvark::internal
