// A random target for any likelihood, drawn from given linear predictors.
#pragma once

#include <cmath>

#include "ardvark/fit.hpp"
#include "support/random_problem.hpp"

namespace ardvark::testing {

/// Numbers with noise of sd 1, classes 0 and 1 (both present), or counts.
inline Vector draw_target(Task task, const Vector& eta, Random& random) {
  Vector y(eta.size());
  for (Index i = 0; i < y.size(); ++i) {
    if (task == Task::linear) y[i] = eta[i] + random.normal();
    if (task == Task::logistic) y[i] = random.uniform() < 1 / (1 + std::exp(-eta[i])) ? 1 : 0;
    if (task == Task::counts) {  // by the waiting times of a Poisson process
      double time = -std::log(1 - random.uniform());
      for (y[i] = 0; time < std::exp(eta[i]); ++y[i]) time -= std::log(1 - random.uniform());
    }
  }
  if (task == Task::logistic) y[0] = 0, y[y.size() - 1] = 1;
  return y;
}

}  // namespace ardvark::testing
