// Linear and logistic regression under the priors sparse, slab and dense, from the caller's table to a Fit.         docs/math/sparse.md
#pragma once

#include <memory>
#include <string>

#include "ardvark/fit.hpp"
#include "frame/prepare.hpp"
#include "posterior/state.hpp"

namespace ardvark {

/// Beyond this many rows and columns at once the decomposition of (SP.2) is too dear.
inline constexpr Index most_to_rotate = 20000;

/// The first option that differs from its default and has no meaning beside the priors sparse, slab and dense; empty: none.
[[nodiscard]] std::string foreign_to_sparse(const FitOptions& options, Task task);

/// \throws InvalidArgument  options that have no meaning beside such a prior
void validate_sparse(const FitOptions& options, Task task, Index num_columns);

/// A sparse fit has several starts, and one false of on_sweep ends them all.
[[nodiscard]] inline FitOptions ending_at_once(FitOptions options) {
  if (options.on_sweep)
    options.on_sweep = [ask = std::move(options.on_sweep), goes_on = true](const Progress& progress) mutable {
      return goes_on = goes_on && ask(progress);
    };
  return options;
}

/// Everything of `fit` but task, R^2 and seconds. y [n] standardised as `state` says. `memory`: of X, if the caller has given it away.
void fit_sparse_linear(MatrixView X, std::shared_ptr<double[]> memory, const Vector& y, const Vector& k, const FitOptions& options,
                       Prepared prepared, std::shared_ptr<detail::FitState> state, Fit& fit);
/// t [n] in {0, 1}. Everything of `fit` but task, classes and seconds.
void fit_sparse_logistic(MatrixView X, const Vector& t, const Vector& k, const FitOptions& options, Prepared prepared,
                         std::shared_ptr<detail::FitState> state, Fit& fit);

}  // namespace ardvark
