// The mode of w with fixed precisions, by Newton's method.                                       docs/math/logistic_laplace.md (LAP.2)
#pragma once

#include "likelihood/likelihood.hpp"
#include "posterior/solver.hpp"

namespace ardvark::internal {

class ModeSearch {
 public:
  /// For a likelihood that needs the mode. Both must outlive this object.
  ModeSearch(Likelihood& likelihood, Solver& solver) : likelihood_(likelihood), solver_(solver) {}

  /// Moves q to a point where the squared length of a Newton step in the Hessian's metric is at most `enough`. Near the mode: one solve.
  /// \param rows  <- those at the mode, from which q.V is computed
  /// \return      false if the system is not positive definite
  [[nodiscard]] bool solve(const Vector& a, double enough, Rows& rows, Posterior& q);

  /// Call this if q.m no longer belongs to q.w. The next step is not compared with an earlier one.
  void columns_changed() {
    moved_ = true;
    w_before_ = Vector();  // it will have another size: core/resize.hpp
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
