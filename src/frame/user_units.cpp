#include "frame/user_units.hpp"

#include <cmath>
#include <limits>

namespace ardvark {

void to_user_units(const Posterior& q, Index num_in_use, const std::function<double(const Vector&)>& variance_of,
                   const detail::FitState& state, Fit& fit) {
  const Standardization& s = state.standardization;
  const Index p = fit.num_columns();
  double spread = 1;  // variance of w given V: b_N/(a_N - 1) for linear
  if (fit.is_joint()) {
    const double shape = fit.noise.shape, rate = fit.noise.rate / (state.y_scale * state.y_scale);
    spread = shape > 1 ? rate / (shape - 1) : std::numeric_limits<double>::infinity();
  }
  const double y2 = state.y_scale * state.y_scale;
  const double unit = fit.is_joint() ? 1 : y2;  // of V: the target's scale is in it where the noise is not
  fit.log_det_V = q.log_det_V + static_cast<double>(num_in_use) * std::log(unit);
  for (Index j = 0; j < p; ++j) {
    const double scale = s.scale.size() > 0 ? s.scale[j] : 1.0;
    if (fit.left_out[static_cast<std::size_t>(j)]) {
      fit.mean[j] = fit.variance[j] = fit.V_diagonal[j] = 0;
      continue;
    }
    fit.mean[j] = state.y_scale * scale * q.w[j];
    fit.V_diagonal[j] = unit * scale * scale * q.V_diagonal[j];
    fit.variance[j] = y2 * spread * scale * scale * q.V_diagonal[j];
    if (q.V_diagonal[j] > 0) fit.log_det_V += 2 * std::log(scale);  // pruned columns are not in it
  }
  if (s.intercept) {
    Vector origin = Vector::Zero(p + 1);
    for (Index j = 0; j < p; ++j)
      if (s.center.size() > 0) origin[j] = -s.center[j] * s.scale[j];
    origin[p] = 1;
    fit.intercept = Intercept{state.y_center + state.y_scale * q.w.dot(origin), y2 * spread * variance_of(origin)};
  }
}

double bound_offset(const std::vector<Index>& flat_columns, const detail::FitState& state, Task task, double rows) {
  double offset = task == Task::linear ? -rows * std::log(state.y_scale) : 0.0;
  for (Index j : flat_columns) {
    const bool scaled = state.standardization.scale.size() > j;
    offset += std::log(state.y_scale) + (scaled ? std::log(state.standardization.scale[j]) : 0.0);
  }
  return offset;
}

}  // namespace ardvark
