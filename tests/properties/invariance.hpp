// When two fits are answers to the same question.
#pragma once

#include <string>

#include "property.hpp"

namespace ardvark::testing {

/// What two fits have in common, in the units of the first.
struct Estimates {
  double bound = 0;
  Vector mean, sd;  ///< of all coefficients but the intercepts; of relevance vector machines, which have others by other vectors, none
};
[[nodiscard]] Estimates estimates_of(const SavedModel& model);

/// The prior of the fit is sparse, slab or dense.
[[nodiscard]] bool is_sparse_fit(const Subject& subject);
/// The nats that "converged" leaves to be gained at most, as FitOptions::tolerance says.
[[nodiscard]] double promised_gain(const Subject& subject);

/// The same, and what rounding may do to the bound of these equations.
[[nodiscard]] double allowed_gain(const Subject& subject);
/// What a matrix with an entry for each row may lose: rounding times what the rows would vary by before they are seen.
[[nodiscard]] double rounding_of_rows(const Subject& subject);

/// A preset that ends where the published program does.
[[nodiscard]] bool follows_published_stop(const Subject& subject);

/// The problem with a tolerance ten thousand times smaller than that of the subject, and sweeps to reach it: what two answers still
/// differed by must shrink with it.
[[nodiscard]] DrawnProblem taken_further(const Subject& subject, DrawnProblem problem);

/// Where two fits, each within `gain` nats of the same maximum, are further apart than that allows; empty: nowhere.
[[nodiscard]] std::string apart(const Estimates& a, const Estimates& b, double gain);

}  // namespace ardvark::testing
