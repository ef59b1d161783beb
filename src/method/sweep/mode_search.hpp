// The mode of w with the precisions held, by Newton's method.                                    docs/math/logistic_laplace.md (LAP.2)
#pragma once

#include "likelihood/likelihood.hpp"
#include "posterior/solver.hpp"

namespace ardvark::internal {

class ModeSearch {
 public:
  /// For a likelihood that is taken to its mode. Both outlive this.
  ModeSearch(Likelihood& likelihood, Solver& solver) : likelihood_(likelihood), solver_(solver) {}

  /// From where q is to where a Newton step has no more than this squared length in the Hessian's metric. Near the mode: one solve.
  /// \param rows  <- those at the mode, which q.V is built from
  /// \return      false if the system is not positive definite
  [[nodiscard]] bool solve(const Vector& a, double enough, Rows& rows, Posterior& q);

  /// q.m is not of q.w before the next step: there is nothing to compare that with.
  void columns_changed() {
    moved_ = true;
    w_before_ = Vector();  // of another size from now on: core/resize.hpp
    newton_w_ = Vector();
  }

 private:
  [[nodiscard]] double penalised_likelihood(const Vector& a, const Posterior& q) const {
    return likelihood_.log_likelihood() - 0.5 * a.dot(q.w.cwiseAbs2());
  }

  Likelihood& likelihood_;
  Solver& solver_;
  bool moved_ = false;
  Vector w_before_, m_before_, newton_w_, newton_m_;
};

}  // namespace ardvark::internal
