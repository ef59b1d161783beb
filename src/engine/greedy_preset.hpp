// The presets rvm_regression and rvm_classification, as fit_linear and fit_logistic run them.
#pragma once

#include "ardvark/fit.hpp"
#include "engine/greedy.hpp"

namespace ardvark {

[[nodiscard]] bool is_greedy_preset(const std::string& preset);
/// y [n]: the target of a linear, 0 and 1 of a logistic fit. Everything of `fit` but its task and classes.
void fit_greedy_preset(MatrixView X, const Vector& y, const FitOptions& options, Fit& fit);

/// A type-II fit of all columns of the design, which has no intercept of its own; the flat ones are the outcome's free columns.
void describe_greedy(const GreedyOutcome& outcome, Design& design, const std::vector<Index>& flat, const Vector& y, const Vector& k,
                     Fit& fit);

}  // namespace ardvark
