// From the units of the design to those of the user: w_user = y_scale scale_j w_j, and the intercept is the prediction at x = 0.
#pragma once

#include <functional>

#include "ardvark/fit.hpp"
#include "posterior/state.hpp"
#include "waist/waist.hpp"

namespace ardvark {

/// mean, variance, V_diagonal, log_det_V and intercept of `fit`, whose task, posterior, noise and left_out are set, from w, V_diagonal and
/// log_det_V of q.
/// \param num_in_use   columns of the design, the intercept among them, that log_det_V is about
/// \param variance_of  x -> x'Vx in the units of the design
void to_user_units(const Posterior& q, Index num_in_use, const std::function<double(const Vector&)>& variance_of,
                   const detail::FitState& state, Fit& fit);

/// What the log evidence gains by the change of units: the density of y changes by its scale, and a flat density of 1 is 1 in the units of
/// the user.                                                                                                              (LIN.5)
[[nodiscard]] double bound_offset(const std::vector<Index>& flat_columns, const detail::FitState& state, Task task, double rows);

}  // namespace ardvark
