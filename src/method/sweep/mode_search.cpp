#include "method/sweep/mode_search.hpp"

#include <cmath>
#include <limits>

namespace ardvark::internal {

// Each solve gives the end point of a step, and V, the inverse Hessian at its start. A step is halved while it lowers the penalised log
// likelihood.
bool ModeSearch::solve(const Vector& a, double enough, Rows& rows, Posterior& q) {
  likelihood_.update(q, rows);
  double last_length = std::numeric_limits<double>::infinity();
  for (int step = 0; step < 200; ++step) {
    const double value = penalised_likelihood(a, q);
    w_before_ = q.w;
    m_before_ = q.m;
    if (!solver_.solve_mean(rows, a, q)) return false;
    newton_w_ = q.w;
    newton_m_ = q.m;
    const double length = a.dot((newton_w_ - w_before_).cwiseAbs2()) + rows.omega.dot((newton_m_ - m_before_).cwiseAbs2());
    const bool rounding = length < 1e-8 && length > 0.25 * last_length;
    if (!(length > enough) || rounding) {
      q.total_weight = rows.omega.sum();
      return std::isfinite(length) && solver_.complete(rows, a, q);
    }
    last_length = length;
    likelihood_.update(q, rows);
    for (double part = 0.5; !moved_ && part > 1e-9 && !(penalised_likelihood(a, q) >= value - 1e-14 * (std::abs(value) + 1)); part *= 0.5) {
      q.w = w_before_ + part * (newton_w_ - w_before_);
      q.m = m_before_ + part * (newton_m_ - m_before_);
      likelihood_.update(q, rows);
    }
    moved_ = false;
  }
  q.total_weight = rows.omega.sum();
  return solver_.solve(rows, a, q);
}

}  // namespace ardvark::internal
