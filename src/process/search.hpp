// Finds the hyper-parameters with the highest evidence, and what the evidence leaves open around them.        docs/math/process.md (KM.3),
// (KM.4)
#pragma once

#include <functional>
#include <optional>
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

/// A maximum of the evidence over all widths, and points that stand for what the evidence leaves open.
struct WidthHypothesis {
  Maximum best;
  double log_evidence = 0;              ///< of the hypothesis, by Laplace's approximation                                           (KM.4)
  Matrix covariance;                    ///< [free, free] of theta, by the curvature at the maximum
  std::vector<Hyperparameters> points;  ///< of equal weight; first only the maximum
  std::vector<FullPosterior> posteriors = {};  ///< of the points, once they are placed
};

enum class WidthKind { fixed, shared, each };

/// With as many, a search begins with a part of the rows, and what makes no difference to an average is not found exactly.
constexpr Index many_rows = 300;
/// With as few free hyper-parameters, points are placed exactly, and each hypothesis has all of its own.                            (KM.4)
constexpr Index few_dimensions = 5;

/// The maximum of a part of the rows; or where the search with all rows begins, and what may be expected of it.
struct SearchOutlook {
  Hyperparameters theta = {};
  Slope slope = {};                                                ///< there, with all rows
  Matrix inverse = {};                                             ///< [theta, theta] of minus the Hessian, about
  double log_evidence = -std::numeric_limits<double>::infinity();  ///< of the hypothesis, as if this were its maximum
  double gain = 0;                                                 ///< nats, that the slope and the Hessian promise
};
/// \param given  [widths] ln rho that are fixed; empty: they are found
/// \param near   with a width each: the maximum with one width for all, where the search begins; empty: it is not known
[[nodiscard]] SearchOutlook outlook_of_part(ProcessEvidence& part, const Vector& given, const Hyperparameters& near);
/// With all rows.                                                                                                                  (KM.3)
/// \param more   how many times as many rows there are now
[[nodiscard]] SearchOutlook outlook(ProcessEvidence& evidence, const Vector& given, const SearchOutlook& of_part, double more);

/// Searches; the maximum is the only point. An outlook that is not finite is ignored.
/// \param average  whether it is averaged over what the evidence leaves open: then many rows need no exact maximum
[[nodiscard]] WidthHypothesis find_hypothesis(ProcessEvidence& evidence, const Vector& given, const SearchOutlook& from = {},
                                              bool average = false);
enum class Ending {
  rough,     ///< early, and the curvature is only that of the steps
  of_steps,  ///< near the maximum, with the curvature of the steps
  exact      ///< at the maximum, with its curvature
};
/// Searches from the maximum of a similar evidence, with its covariance.
/// \param more   how many times as many rows there are now
[[nodiscard]] WidthHypothesis find_hypothesis(ProcessEvidence& evidence, const Vector& given, const WidthHypothesis& from, double more,
                                              Ending ending);

/// Some steps from the maximum of a similar evidence, with its curvature, while one promises to gain .1 nats.                     (PASS.7)
/// \param more  how many times as many rows there are now
[[nodiscard]] Maximum climb_further(ProcessEvidence& evidence, const Vector& given, const WidthHypothesis& from, double more,
                                    int max_steps);
/// The best ln h and ln g, with the widths of the start.                                                                          (PASS.7)
[[nodiscard]] Maximum maximum_at_widths(ProcessEvidence& evidence, const Hyperparameters& start);
/// The same for the widths of a similar evidence, with the curvature there.
[[nodiscard]] WidthHypothesis hypothesis_at_widths(ProcessEvidence& evidence, const Vector& given, const WidthHypothesis& from,
                                                   double more);

/// Replaces the maximum by the points that stand for what the evidence leaves open around it.                                      (KM.4)
/// \param corners  of the regular polytope, those to use, and the maximum if there is none; empty: all
void place_points(FullEvidence& evidence, const Vector& given, WidthHypothesis& hypothesis,
                  const std::optional<std::vector<Index>>& corners = {});
/// How many corners there are in all.
[[nodiscard]] Index num_corners(const WidthHypothesis& hypothesis);

}  // namespace ardvark::internal
