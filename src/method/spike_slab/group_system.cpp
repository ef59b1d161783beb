#include "method/spike_slab/group_system.hpp"

#include <cmath>
#include <limits>

#include "core/products.hpp"
#include "core/rearrange.hpp"
#include "core/secular.hpp"

namespace ardvark::internal {
namespace {

using blas::Transpose;
using Columns = Eigen::Ref<const Matrix>;

// A diag(d) A', lower triangle, or A' diag(d) A for `yes`; d >= 0.
Matrix weighted_square(Transpose transpose, const Columns& A, const Vector& d) {
  const bool by_columns = transpose == Transpose::yes;
  const Index n = by_columns ? A.cols() : A.rows(), inner = by_columns ? A.rows() : A.cols();
  const Vector root = d.cwiseSqrt();
  const Matrix scaled = by_columns ? Matrix(root.asDiagonal() * A) : Matrix(A * root.asDiagonal());
  Matrix out = Matrix::Zero(n, n);
  if (n > 0 && inner > 0) blas::syrk(transpose, n, inner, 1.0, scaled.data(), scaled.rows(), 0.0, out.data(), n);
  return out;
}

// L^-1 of M = L L' (lower triangle), and ln |M|. False: M is not positive definite.
bool inverse_root(Matrix& M, double& log_det) {
  const Index n = M.rows();
  log_det = 0;
  if (n == 0) return true;
  if (!blas::potrf(n, M.data(), n)) return false;
  log_det = 2 * M.diagonal().array().log().sum();
  if (!blas::trtri(n, M.data(), n)) return false;
  M.triangularView<Eigen::StrictlyUpper>().setZero();
  return std::isfinite(log_det);
}

// A L^-T, L^-1 lower triangular.
Matrix times_root(Matrix A, const Matrix& inverse_root) {
  if (A.size() > 0)
    blas::trmm(blas::Side::right, Transpose::yes, A.rows(), A.cols(), inverse_root.data(), inverse_root.rows(), A.data(), A.rows());
  return A;
}

Vector times(const Columns& A, const Vector& x) {
  Vector out = Vector::Zero(A.rows());
  if (A.size() > 0) blas::gemv(Transpose::no, A.rows(), A.cols(), 1.0, A.data(), A.outerStride(), x.data(), 0.0, out.data());
  return out;
}

Vector transposed_times(const Columns& A, const Vector& x) {
  Vector out = Vector::Zero(A.cols());
  if (A.size() > 0) blas::gemv(Transpose::yes, A.rows(), A.cols(), 1.0, A.data(), A.outerStride(), x.data(), 0.0, out.data());
  return out;
}

// I + kappa A = L L':  inverse = kappa L^-T L^-1.                                                                               (SP.10)
class ByItself : public GroupInverse {
 public:
  ByItself(const Columns& Z, const Vector& l, double h, double kappa) : Z_(Z), kappa_(kappa) {
    root_ = weighted_square(Transpose::yes, Z_, kappa / (1 + h * l.array()));
    root_.diagonal().array() += 1;
    if (!inverse_root(root_, stretch_)) stretch_ = std::numeric_limits<double>::quiet_NaN();
    trace_ = kappa * root_.squaredNorm();
    spread_ = in_the_rows().Y.rowwise().squaredNorm();
  }
  [[nodiscard]] Vector times(const Vector& c) const override {
    Vector x = c;
    blas::trmv(Transpose::no, x.size(), root_.data(), root_.rows(), x.data());
    blas::trmv(Transpose::yes, x.size(), root_.data(), root_.rows(), x.data());
    return kappa_ * x;
  }
  [[nodiscard]] Vector diagonal() const override { return kappa_ * root_.colwise().squaredNorm().transpose(); }
  [[nodiscard]] Matrix matrix() const override {
    Matrix out = root_;
    blas::lauum(out.rows(), out.data(), out.rows());
    mirror(out);
    return kappa_ * out;
  }
  [[nodiscard]] DiagonalAndSquare in_the_rows() const override {
    return {Vector::Zero(Z_.rows()), times_root(std::sqrt(kappa_) * Z_, root_), 1};
  }

 private:
  Columns Z_;  // [m, k]
  double kappa_;
  Matrix root_;  // [k, k] L^-1
};

// w = (1 + h l)/(1 + (h + kappa) l), N = I - Z' diag(1/l) Z, Q = diag(l)^-1/2 Z, and M = N + Q' diag(w) Q of all columns:
//     inverse = kappa (M_BB - M_BR M_RR^-1 M_RB)      ln|I + kappa A| = ln|M_RR| - sum ln w      M_RR = L L'      B = Q_R L^-T
//     Z_B inverse Z_B' = kappa (diag(l w) - diag(l^1/2 w) B B' diag(l^1/2 w))                                                    (SP.17)
class ByOthers : public GroupInverse {
 public:
  // Q_R [m, r], N_RR [r, r], empty where N = 0.
  ByOthers(const Columns& Z, const Vector& l, const Matrix& Q_R, const Matrix& N_RR, bool is_full, double h, double kappa)
      : Z_(Z), kappa_(kappa), root_l_(l.cwiseSqrt()), is_full_(is_full) {
    const Index m = Z.rows(), k = Z.cols();
    const Vector removed = kappa * l.array() / (1 + (h + kappa) * l.array());  // 1 - w
    w_ = (1 + h * l.array()) / (1 + (h + kappa) * l.array());
    D_ = (1 + h * l.array()).inverse();
    v_ = is_full ? w_ : Vector(-removed);
    Matrix M = weighted_square(Transpose::yes, Q_R, w_);
    if (N_RR.size() > 0) M += N_RR;
    double log_det = 0;
    is_sound_ = inverse_root(M, log_det);
    if (!is_sound_) return;
    B_ = times_root(Q_R, M);
    const Vector b = B_.rowwise().squaredNorm();
    stretch_ = log_det - w_.array().log().sum();
    trace_ = kappa * (static_cast<double>(k - m) + (w_.array() * (1 + removed.array() * b.array())).sum());
    spread_ = kappa * l.array() * w_.array() * (1 - w_.array() * b.array()).max(0.0);
  }
  [[nodiscard]] bool is_sound() const { return is_sound_; }
  [[nodiscard]] Vector times(const Vector& c) const override {
    Vector x = times_once(c);
    if (is_full_) return x;
    // If N is not 0, terms of size kappa cancel. One step of refinement corrects the error.
    const Vector rest = c - x / kappa_ - transposed_times(Z_, D_.cwiseProduct(internal::times(Z_, x)));
    return x + times_once(rest);
  }
  [[nodiscard]] Vector diagonal() const override {
    Vector out = transposed_times(Z_.cwiseAbs2(), v_.cwiseQuotient(root_l_.cwiseAbs2()));
    if (B_.cols() > 0) out -= with_others().colwise().squaredNorm().transpose();
    if (!is_full_) out.array() += 1;
    return kappa_ * out;
  }
  [[nodiscard]] Matrix matrix() const override {
    Matrix out = weighted_square(Transpose::yes, Z_, v_.cwiseAbs().cwiseQuotient(root_l_.cwiseAbs2()));
    if (!is_full_) out = Matrix::Identity(out.rows(), out.rows()) - out;
    if (B_.cols() > 0) {
      const Matrix F = with_others();
      blas::syrk(Transpose::yes, F.cols(), F.rows(), -1.0, F.data(), F.rows(), 1.0, out.data(), out.rows());
    }
    mirror(out);
    return kappa_ * out;
  }
  [[nodiscard]] DiagonalAndSquare in_the_rows() const override {
    const Vector scale = std::sqrt(kappa_) * root_l_.cwiseProduct(w_);
    return {kappa_ * root_l_.cwiseAbs2().cwiseProduct(w_), scale.asDiagonal() * B_, -1};
  }

 private:
  [[nodiscard]] Matrix with_others() const {  // L^-1 M_RB
    return products::transposed_times(B_, v_.cwiseQuotient(root_l_).asDiagonal() * Z_);
  }
  [[nodiscard]] Vector times_once(const Vector& c) const {
    const Vector seen = v_.cwiseQuotient(root_l_).cwiseProduct(internal::times(Z_, c));  // diag(v) Q_B c
    const Vector left = seen - v_.cwiseProduct(internal::times(B_, transposed_times(B_, seen)));
    Vector out = transposed_times(Z_, left.cwiseQuotient(root_l_));
    if (!is_full_) out += c;
    return kappa_ * out;
  }

  Columns Z_;  // [m, k]
  double kappa_;
  Vector root_l_, w_, D_, v_;  // v: for M_BR and M_RB, and for M_BB minus I if N is not 0
  Matrix B_;                   // [m, r]
  bool is_full_, is_sound_ = false;
};

// A = Q diag(lambda) Q' with D = I:  inverse = Q diag(kappa/(1 + kappa lambda)) Q' + kappa (I - Q Q').
class InAxes : public GroupInverse {
 public:
  InAxes(const Matrix& Q, const Vector& lambda, const Matrix& W, double kappa) : Q_(Q), W_(W), kept_(kappa / (1 + kappa * lambda.array())) {
    stretch_ = (kappa * lambda.array()).log1p().sum();
    trace_ = kept_.sum();
    spread_ = internal::times(W_.cwiseAbs2(), kept_);
  }
  [[nodiscard]] Vector times(const Vector& c) const override { return internal::times(Q_, kept_.cwiseProduct(transposed_times(Q_, c))); }
  [[nodiscard]] Vector diagonal() const override { return internal::times(Q_.cwiseAbs2(), kept_); }
  [[nodiscard]] Matrix matrix() const override {
    Matrix out = weighted_square(Transpose::no, Q_, kept_);
    mirror(out);
    return out;
  }
  [[nodiscard]] DiagonalAndSquare in_the_rows() const override { return {Vector::Zero(W_.rows()), W_ * kept_.cwiseSqrt().asDiagonal(), 1}; }

 private:
  const Matrix &Q_, &W_;
  Vector kept_;
};

// The common part of the systems of all sides: the group's columns of Z, whose memory it keeps alive.
class OnRows : public GroupSystem, public std::enable_shared_from_this<OnRows> {
 public:
  OnRows(const ReducedRows& rows, Index first, Index count) : storage_(rows.storage), l_(rows.l), first_(first), count_(count) {}

 protected:
  [[nodiscard]] Columns Z() const { return Eigen::Map<const Matrix>(storage_.get() + first_ * l_.size(), l_.size(), count_); }
  [[nodiscard]] const Vector& l() const { return l_; }

 private:
  std::shared_ptr<double[]> storage_;
  Vector l_;
  Index first_, count_;
};

// An inverse that keeps its system alive.
template <typename Inverse>
std::shared_ptr<const GroupInverse> keeping(std::shared_ptr<const GroupSystem> system, Inverse inverse) {
  struct Both {
    std::shared_ptr<const GroupSystem> system;
    Inverse inverse;
  };
  auto both = std::make_shared<const Both>(Both{std::move(system), std::move(inverse)});
  return {both, &both->inverse};
}

class OwnSystem : public OnRows {
 public:
  using OnRows::OnRows;
  [[nodiscard]] std::shared_ptr<const GroupInverse> invert(double h, double kappa) const override {
    return keeping(shared_from_this(), ByItself(Z(), l(), h, kappa));
  }
};

class SystemOfOthers : public OnRows {
 public:
  SystemOfOthers(const ReducedRows& rows, Index first, Index count) : OnRows(rows, first, count), is_full_(rows.rank() == rows.size()) {
    const auto Z = rows.Z();
    const Index behind = rows.size() - count - first;
    Q_R_.resize(rows.rank(), first + behind);
    Q_R_ << Z.leftCols(first), Z.rightCols(behind);
    Q_R_ = rows.l.cwiseSqrt().cwiseInverse().asDiagonal() * Q_R_;
    if (is_full_ || Q_R_.cols() == 0) return;
    N_RR_ = -weighted_square(Transpose::yes, Q_R_, Vector::Ones(rows.rank()));
    N_RR_.diagonal().array() += 1;
  }
  [[nodiscard]] std::shared_ptr<const GroupInverse> invert(double h, double kappa) const override {
    ByOthers by_others(Z(), l(), Q_R_, N_RR_, is_full_, h, kappa);
    if (by_others.is_sound()) return keeping(shared_from_this(), std::move(by_others));
    return keeping(shared_from_this(), ByItself(Z(), l(), h, kappa));  // adds I to the rounded matrix
  }

 private:
  bool is_full_;
  Matrix Q_R_, N_RR_;  // [m, r], [r, r]
};

class SystemInAxes : public OnRows {
 public:
  SystemInAxes(const ReducedRows& rows, Index first, Index count) : OnRows(rows, first, count) {
    if (rows.gram)
      Q_ = rows.gram->block(first, first, count, count);
    else
      Q_ = weighted_square(Transpose::yes, Z(), Vector::Ones(rows.rank()));
    is_sound_ = symmetric_eigen(Q_, lambda_);
    if (!is_sound_) return;
    lambda_ = lambda_.cwiseMax(0.0);
    W_ = products::times(Z(), Q_);
  }
  [[nodiscard]] bool is_sound() const { return is_sound_; }
  [[nodiscard]] std::shared_ptr<const GroupInverse> invert(double, double kappa) const override {
    return keeping(shared_from_this(), InAxes(Q_, lambda_, W_, kappa));
  }

 private:
  Matrix Q_;       // [k, k] Z_B'Z_B = Q diag(lambda) Q'
  Vector lambda_;  // [k]
  Matrix W_;       // [m, k] Z_B Q
  bool is_sound_ = false;
};

}  // namespace

std::shared_ptr<const GroupSystem> group_system(const ReducedRows& rows, Index first, Index count, Side side) {
  if (side == Side::own) return std::make_shared<const OwnSystem>(rows, first, count);
  if (side == Side::others) return std::make_shared<const SystemOfOthers>(rows, first, count);
  auto in_axes = std::make_shared<const SystemInAxes>(rows, first, count);
  return in_axes->is_sound() ? in_axes : nullptr;
}

std::vector<std::shared_ptr<const GroupSystem>> group_systems(const ReducedRows& rows, const ColumnSets& sets, bool has_dense,
                                                              Index least) {
  std::vector<std::shared_ptr<const GroupSystem>> out(static_cast<std::size_t>(sets.size()));
  if (!sets.has_one_indicator() || rows.rank() == 0) return out;
  const bool is_rotated = (rows.l.array() > 0).all();
  for (Index set = 0; set < sets.size(); ++set) {
    const std::span<const Index> columns = sets.columns_of(set);
    const auto k = static_cast<Index>(columns.size()), others = rows.size() - k;
    if (k < least) continue;
    const bool in_axes = !has_dense && k <= rows.rank();
    const Side side = is_rotated && others < k ? Side::others : in_axes ? Side::axes : Side::own;
    out[static_cast<std::size_t>(set)] = group_system(rows, columns[0], k, side);
  }
  return out;
}

}  // namespace ardvark::internal
