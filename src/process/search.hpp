// Finds the hyper-parameters with the highest evidence, and what the evidence leaves open around them.        docs/math/process.md (KM.3),
// (KM.4)
#pragma once

#include <functional>
#include <vector>

#include "process/evidence.hpp"

namespace ardvark::internal {

struct Maximum {
  Hyperparameters theta = {};
  double value = -std::numeric_limits<double>::infinity();
  Vector gradient = {};
  Matrix inverse = {};  ///< [theta, theta] of minus the Hessian, about, as the steps have found it
  int steps = 0;
  bool converged = false;            ///< no step along the gradient gains more than a millionth of the value, or 1e-6 nats
  std::vector<Index> at_limit = {};  ///< positions in theta of hyper-parameters that are at their limit
};

/// What is varied, and how far: the others keep their values.
struct SearchSpace {
  std::vector<Index> free;  ///< positions in theta
  Vector low, high;         ///< [theta]
};
using Objective = std::function<Slope(const Hyperparameters& theta, bool with_gradient)>;

/// Quasi-Newton steps (BFGS) between limits.
[[nodiscard]] Maximum maximise(const Objective& objective, const SearchSpace& space, const Hyperparameters& start, int max_steps);

/// A maximum of the evidence over all widths, and points that stand for what the evidence leaves open.
struct Hypothesis {
  Maximum best;
  double log_evidence = 0;              ///< of the hypothesis, by Laplace's approximation                                           (KM.4)
  Matrix covariance;                    ///< [free, free] of theta, by the curvature at the maximum
  std::vector<Hyperparameters> points;  ///< of equal weight; first only the maximum
};

enum class WidthKind { fixed, shared, each };

/// Where the search with all rows begins, and what may be expected of it.
struct Outlook {
  Hyperparameters theta = {};
  Slope slope = {};                                                ///< there
  Matrix inverse = {};                                             ///< [theta, theta] of minus the Hessian, about
  double log_evidence = -std::numeric_limits<double>::infinity();  ///< of the hypothesis, as if this were its maximum
  double gain = 0;                                                 ///< nats, that the slope and the Hessian promise
};
/// From the maximum of the evidence of a part of the rows.                                                                         (KM.3)
/// \param given  [widths] ln rho that are fixed; empty: they are found
[[nodiscard]] Outlook outlook(ProcessEvidence& evidence, ProcessEvidence& part, const Vector& given);

/// Searches; the maximum is the only point. An outlook that is not finite is ignored.
[[nodiscard]] Hypothesis find_hypothesis(ProcessEvidence& evidence, const Vector& given, const Outlook& from = {});
/// Searches from the maximum of a similar evidence, with its covariance.
/// \param more   how many times as many rows there are now
/// \param rough  ends early, and the covariance is only that of the steps
[[nodiscard]] Hypothesis find_hypothesis(ProcessEvidence& evidence, const Vector& given, const Hypothesis& from, double more, bool rough);

/// Replaces the maximum by the points that stand for what the evidence leaves open around it.                                      (KM.4)
void place_points(ProcessEvidence& evidence, const Vector& given, Hypothesis& hypothesis);

}  // namespace ardvark::internal
