// Compares two fits that should give the same answer.
#pragma once

#include <string>

#include "property.hpp"

namespace ardvark::testing {

/// The results of a fit that are compared, in the units of the first fit.
struct Estimates {
  double bound = 0;
  Vector mean, sd;  ///< of all coefficients except intercepts; empty for relevance vector machines: other vectors have other coefficients
};
[[nodiscard]] Estimates estimates_of(const SavedModel& model);

/// The prior of the fit is sparse, slab or dense.
[[nodiscard]] bool is_sparse_fit(const Subject& subject);
/// The largest gain, in nats, that may be left when a fit has converged, by the documentation of FitOptions::tolerance.
[[nodiscard]] double promised_gain(const Subject& subject);

/// The same plus the rounding error of the bound for these equations.
[[nodiscard]] double allowed_gain(const Subject& subject);
/// Rounding error of a matrix with a row and a column for each observation: rounding times the sum of the prior variances of x'w.
[[nodiscard]] double rounding_of_rows(const Subject& subject);

/// The fit is a preset that stops where the published program stops.
[[nodiscard]] bool follows_published_stop(const Subject& subject);

/// The problem with a tolerance that is ten thousand times smaller than that of the subject, and with enough sweeps to reach it. With it,
/// the difference of two answers must become smaller.
[[nodiscard]] DrawnProblem taken_further(const Subject& subject, DrawnProblem problem);

/// Says where two fits differ by more than is allowed if both are within `gain` nats of the same maximum; empty: nowhere.
[[nodiscard]] std::string apart(const Estimates& a, const Estimates& b, double gain);

}  // namespace ardvark::testing
