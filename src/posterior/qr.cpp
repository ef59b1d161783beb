// The QR solver: the triangular factor of the rows. A Gram matrix would square their condition number.              docs/math/ridge.md
//
//     [ diag(omega)^1/2 X ]     [ R ]
//     [      A^1/2        ] = Q [ 0 ]      V^-1 = R'R = L L', L = R'      w = V X'r                                     (RIDGE.9)
#include "core/precise_qr.hpp"
#include "posterior/triangular.hpp"

namespace ardvark::internal {
namespace {

class Qr final : public Triangular {
 public:
  explicit Qr(System system)
      : Triangular(system),
        constant_(system.likelihood.constant_rows),
        has_response_(constant_ || system.likelihood.residual),
        R_rows_(p_ + 1, p_ + 1),
        c_(p_),
        norms_(p_),
        correction_(p_) {}

  [[nodiscard]] SolverKind kind() const override { return SolverKind::qr; }

  [[nodiscard]] bool solve_mean(const Rows& rows, const Vector& a, Posterior& q) override {
    if (!constant_ || !is_reduced_) reduce(rows);
    is_reduced_ = true;
    factorise(a);
    if (!L_inverse_.diagonal().allFinite() || flat_columns_are_collinear() || (L_inverse_.diagonal().array() == 0).any()) return false;
    q.log_det_V = -2 * L_inverse_.diagonal().array().abs().log().sum();
    if (has_response_) {
      q.w = c_;
      blas::trsv(blas::Transpose::yes, p_, L_inverse_.data(), p_, q.w.data());
    } else {
      seminormal(rows, a, q);
    }
    return q.w.allFinite();
  }

  [[nodiscard]] Vector precision_diagonal(const Posterior&) override { return norms_.cwiseAbs2(); }

 protected:
  // The last element of the response is the part that no column explains.
  [[nodiscard]] double residual(const Rows&, Posterior& q) override {
    const Vector missed = R_rows_.topLeftCorner(p_, p_).triangularView<Eigen::Upper>() * q.w - R_rows_.col(p_).head(p_);
    return missed.squaredNorm() + R_rows_(p_, p_) * R_rows_(p_, p_);
  }

 private:
  // R_rows_ <- the triangle of diag(omega)^1/2 [X, r/omega]
  void reduce(const Rows& rows) {
    const Index n = system_.X.rows();
    work_.resize(n, p_ + 1);
    system_.X.columns(0, p_, work_.leftCols(p_));
    const Vector root = rows.omega.cwiseSqrt();
    for (Index j = 0; j < p_; ++j) work_.col(j).array() *= root.array();
    for (Index i = 0; i < n; ++i) work_(i, p_) = has_response_ && root[i] > 0 ? rows.r[i] / root[i] : 0.0;
    if (n <= p_ + 1)  // the factor of another table may stand in for its rows
      triangularise_precisely(work_);
    else
      blas::triangularise(n, p_ + 1, work_.data(), n);
    R_rows_.setZero();
    const Index height = std::min(n, p_ + 1);
    R_rows_.topRows(height) = work_.topRows(height).triangularView<Eigen::Upper>();
    work_.resize(0, 0);
  }

  // [R_rows; A^1/2 0] -> L = R' in L_inverse_, Q'[r/omega^1/2; 0] in c_
  void factorise(const Vector& a) {
    const Matrix* R = &R_rows_;
    if ((a.array() > 0).any()) {
      stacked_.setZero(2 * p_ + 1, p_ + 1);
      stacked_.topRows(p_ + 1) = R_rows_;
      stacked_.bottomLeftCorner(p_, p_).diagonal() = a.cwiseSqrt();
      blas::triangularise(stacked_.rows(), p_ + 1, stacked_.data(), stacked_.rows());
      R = &stacked_;
    }
    for (Index j = 0; j < p_; ++j) {
      norms_[j] = R->col(j).head(j + 1).norm();
      L_inverse_.row(j).head(j + 1) = R->col(j).head(j + 1).transpose();
    }
    c_ = R->col(p_).head(p_);
  }

  // Solves the normal equations with this factor, and corrects the solution once with their residual. This is as accurate as using Q, which
  // would require a division by the smallest weight.
  void seminormal(const Rows& rows, const Vector& a, Posterior& q) {
    system_.X.project(rows.r, q.w);
    twice(q.w);
    system_.X.apply(q.w, q.m);
    system_.X.project(rows.r - rows.omega.cwiseProduct(q.m), correction_);
    correction_ -= a.cwiseProduct(q.w);
    twice(correction_);
    q.w += correction_;
    if (system_.likelihood.row_moments) system_.X.apply(q.w, q.m);
  }
  void twice(Vector& x) const {
    blas::trsv(blas::Transpose::no, p_, L_inverse_.data(), p_, x.data());
    blas::trsv(blas::Transpose::yes, p_, L_inverse_.data(), p_, x.data());
  }

  // If the columns before a flat column span it, its pivot is only rounding error.
  [[nodiscard]] bool flat_columns_are_collinear() const {
    for (Index j : system_.partition.flat_columns)
      if (!(std::abs(L_inverse_(j, j)) > 4e-16 * static_cast<double>(p_ + 10) * norms_[j])) return true;
    return false;
  }

  bool constant_, has_response_;
  bool is_reduced_ = false;
  Matrix R_rows_;          // [p+1, p+1], upper triangle, zeros below
  Matrix stacked_, work_;  // work_ is used only while the rows are reduced
  Vector c_, norms_, correction_;
};

}  // namespace

std::unique_ptr<Solver> make_qr(System system) { return std::make_unique<Qr>(system); }

}  // namespace ardvark::internal
