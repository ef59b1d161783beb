// Common part of solvers that factorise V^-1 = L L', p x p.                                          docs/math/ridge.md (RIDGE.3)
#pragma once

#include <cmath>

#include "core/blas.hpp"
#include "posterior/solver.hpp"

namespace ardvark::internal {

class Triangular : public Solver {
 public:
  explicit Triangular(System system) : system_(system), p_(system.X.cols()), L_inverse_(p_, p_) {}

  [[nodiscard]] bool solve(const Rows& rows, const Vector& a, Posterior& q) override {
    return solve_mean(rows, a, q) && complete(rows, a, q);
  }

  [[nodiscard]] bool complete(const Rows& rows, const Vector& a, Posterior& q) override {
    if (!blas::trtri(p_, L_inverse_.data(), p_)) return false;
    for (Index j = 0; j < p_; ++j) q.V_diagonal[j] = L_inverse_.col(j).tail(p_ - j).squaredNorm();
    sum_by_group(system_.partition, a, q);

    if (system_.likelihood.row_moments) system_.X.row_variance(L_inverse_, q.s);
    if (system_.likelihood.residual) q.residual = residual(rows, q);
    return std::isfinite(q.log_det_V);
  }

  [[nodiscard]] bool respond(const Vector& r, const Vector& a, Posterior& q) override {
    system_.X.project(r, q.w);
    blas::trmv(blas::Transpose::no, p_, L_inverse_.data(), p_, q.w.data());
    blas::trmv(blas::Transpose::yes, p_, L_inverse_.data(), p_, q.w.data());
    system_.X.apply(q.w, q.m);
    sum_by_group(system_.partition, a, q);
    return q.w.allFinite();
  }

  // z'Omega X V X'Omega z = ||L^-1 X'Omega z||^2
  [[nodiscard]] bool outlook(const Rows& rows, Outlook& out) override {
    Matrix X(rows.omega.size(), p_);
    system_.X.columns(0, p_, X);
    out.complement = true;
    out.U = X.transpose() * rows.omega.asDiagonal();
    blas::trmm(blas::Side::left, blas::Transpose::no, p_, X.rows(), L_inverse_.data(), p_, out.U.data(), p_);
    return true;
  }

  [[nodiscard]] bool finish(const Rows&, const Vector&, Posterior& q) override {
    if (!system_.likelihood.row_moments) system_.X.apply(q.w, q.m);
    return true;
  }

  [[nodiscard]] double variance_of(const Vector& x) override {
    return (L_inverse_.triangularView<Eigen::Lower>() * x).squaredNorm();  // (RIDGE.3)
  }

  [[nodiscard]] CovarianceFactor factor() override {
    CovarianceFactor f;
    f.kind = CovarianceFactor::Kind::triangular;
    f.L_inverse = L_inverse_.triangularView<Eigen::Lower>();
    return f;
  }

 protected:
  /// sum omega_n (r_n/omega_n - x_n'w)^2
  [[nodiscard]] virtual double residual(const Rows& rows, Posterior& q) = 0;

  System system_;
  Index p_;
  Matrix L_inverse_;  // lower triangle, L until the posterior is complete; the strict upper triangle is never read
};

}  // namespace ardvark::internal
