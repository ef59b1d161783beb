// The presets rvm_regression and rvm_classification, as fit_linear and fit_logistic run them.
#pragma once

#include "ardvark/fit.hpp"
#include "method/greedy/greedy.hpp"
#include "posterior/state.hpp"

namespace ardvark {

/// y [n]: the target of a linear, 0 and 1 of a logistic fit. Everything of `fit` but its task and classes.
void fit_greedy_preset(MatrixView X, const Vector& y, const FitOptions& options, Fit& fit);

/// A type-II fit of all columns of the design: what `standardization` leaves of p columns, then the intercept if it has one. `free` as the
/// outcome had them; y [n] as the greedy algorithm saw it: y_user = state.y_center + state.y_scale y for a linear fit.
void describe_greedy(const GreedyOutcome& outcome, Design& design, const std::vector<Index>& free, const Vector& y, const Vector& k,
                     std::shared_ptr<detail::FitState> state, Fit& fit);

}  // namespace ardvark
