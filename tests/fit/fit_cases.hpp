// Both tasks through one door, the problems that every fit is tried on, and when two fits are the same.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"

namespace ardvark::testing {

inline const double nan = std::nan("");

inline Fit fit_any(Task task, MatrixView X, const Problem& problem, const FitOptions& options) {
  if (task == Task::linear) return fit_linear(X, problem.y, options);
  return fit_logistic(X, problem.labels, options);
}

/// Taken to the end, with a proper hyper-prior.
inline FitOptions with_prior(const Prior& prior) {
  FitOptions options;
  options.prior = prior;
  options.precision = {0.5, 0.5};
  options.tolerance = 1e-12;
  options.max_sweeps = 5000;
  return options;
}

struct FitCase {
  Task task;
  Prior prior;
  Index n, p;
  std::string text;
};

inline std::vector<FitCase> fit_cases() {
  std::vector<FitCase> all;
  for (Task task : {Task::linear, Task::logistic})
    for (const Prior& prior : {Prior::shared(), Prior::ard()})
      for (const auto& [n, p] : {std::pair<Index, Index>{50, 4}, std::pair<Index, Index>{12, 20}}) {
        const std::string text =
            std::string(to_string(task)) + ", " + to_string(prior.kind) + ", " + std::to_string(n) + " x " + std::to_string(p);
        all.push_back({task, prior, n, p, text});
      }
  return all;
}

/// Two fits of the same thing. With more columns than rows ARD's bound is nearly level in some directions: there coefficients are known to
/// fewer digits than the bound.
inline double tolerance_of(const FitCase& c) { return c.prior.kind == PriorKind::ard && c.n < c.p ? 2e-3 : 1e-6; }

inline void expect_same(const Fit& a, const Fit& b, double tolerance) {
  EXPECT_LE(relative_distance(a.mean, b.mean), tolerance);
  EXPECT_LE(relative_distance(a.variance, b.variance), tolerance);
  EXPECT_LE(relative_distance(a.bound, b.bound), std::min(tolerance, 1e-6));
  EXPECT_LE(relative_distance(a.log_det_V, b.log_det_V), tolerance);
  ASSERT_EQ(a.intercept.has_value(), b.intercept.has_value());
  if (a.intercept) {
    EXPECT_LE(relative_distance(a.intercept->mean, b.intercept->mean), tolerance);
    EXPECT_LE(relative_distance(a.intercept->variance, b.intercept->variance), tolerance);
  }
}

/// The options of a model but for a change.
template <typename Change>
FitOptions changed(Change&& change) {
  FitOptions options;
  change(options);
  return options;
}

}  // namespace ardvark::testing
