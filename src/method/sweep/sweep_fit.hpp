// A linear or logistic fit by sweeps, from a likelihood and prepared columns to a Fit in the user's units.
#pragma once

#include <memory>
#include <string>

#include "ardvark/fit.hpp"
#include "core/stopwatch.hpp"
#include "frame/prepare.hpp"
#include "likelihood/likelihood.hpp"
#include "posterior/state.hpp"

namespace ardvark {

struct SweepProblem {
  MatrixView X;
  Likelihood& likelihood;
  Prepared prepared;
  PreparedPrior prior;
  double rows = 0;                           ///< sum of the observation weights
  const Vector* proper_intercept = nullptr;  ///< the weights, if the likelihood has a row more, that of the prior of the intercept (SP.20)
  std::string no_posterior = {};             ///< why there is none, so that no sweep is tried; empty: nothing is known against one
};

/// Everything of `fit`, whose task and posterior are set, but what it says of the rows. The same for both tasks.
/// \param state  holds the units of the target
/// \param watch  started with the fit
/// \return       the last posterior, in the units of the design
Posterior fit_by_sweeps(const FitOptions& options, SweepProblem problem, std::shared_ptr<detail::FitState> state, const Stopwatch& watch,
                        Fit& fit);

}  // namespace ardvark
