// The choice behind PriorKind::automatic: sparse, unless something makes it impossible.
#pragma once

#include <string>

#include "ardvark/fit.hpp"

namespace ardvark::internal {

struct PriorChoice {
  PriorKind kind = PriorKind::sparse;
  std::string note;  ///< the choice and its reason, for the report; empty: as asked for, or sparse for automatic
};
/// \param obstacle  why it cannot be sparse; empty if it can
/// \param rows      sum of the observation weights
[[nodiscard]] PriorChoice choose_prior(PriorKind asked, const std::string& obstacle, double rows, Index num_columns);

struct ChosenOptions {
  FitOptions options;  ///< as given, but the prior is not automatic
  std::string note;
  std::string need_of_small = {};  ///< of a sparse table that is large: what keeps the sparse priors from it
};
/// For fits on a table. \param num_columns  with a coefficient: not the exposure
/// \throws InvalidArgument  a sparse prior with an option that cannot be used with it
[[nodiscard]] ChosenOptions with_chosen_prior(const FitOptions& options, Task task, Index num_rows, Index num_columns,
                                              const std::string& need_of_small = {});

}  // namespace ardvark::internal
