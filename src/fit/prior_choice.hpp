// What PriorKind::automatic stands for: sparse, unless something is asked for that sparse has not.
#pragma once

#include <string>

#include "ardvark/fit.hpp"

namespace ardvark::internal {

struct PriorChoice {
  PriorKind kind = PriorKind::sparse;
  std::string note;  ///< which it is and what decided it, for the report; empty: what was asked for, or sparse for automatic
};
/// \param obstacle  why it cannot be sparse; empty: it can
/// \param rows      sum of the observation weights
[[nodiscard]] PriorChoice choose_prior(PriorKind asked, const std::string& obstacle, double rows, Index num_columns);

struct ChosenOptions {
  FitOptions options;  ///< as given, with a prior that is not automatic
  std::string note;
};
/// Of fit_linear and fit_logistic, for `num_rows` rows of `num_columns` columns.
/// \throws InvalidArgument  a sparse prior beside an option that it has no meaning for
[[nodiscard]] ChosenOptions with_chosen_prior(const FitOptions& options, Task task, Index num_rows, Index num_columns);

}  // namespace ardvark::internal
