// The choice of the solver and of the kind of sweeps.
#pragma once

#include <memory>
#include <string>

#include "ardvark/fit.hpp"
#include "method/sweep/sweep.hpp"

namespace ardvark::internal {

/// Rules that may lower the bound, and pruning, need plain sweeps.
[[nodiscard]] inline bool sweeps_plainly(const FitOptions& options) {
  return options.rule.value_or(UpdateRule::vb) != UpdateRule::vb || options.pruning.is_on();
}

struct SolverChoice {
  SolverKind kind = SolverKind::automatic;
  std::string reason;
};
/// \throws InvalidArgument  the chosen solver cannot solve this problem
[[nodiscard]] SolverChoice choose_solver(const FitOptions& options, const LikelihoodTraits& likelihood, const Partition& partition,
                                         Index num_rows);

/// \param may_shrink  columns may leave, and the solver must remove them
[[nodiscard]] std::unique_ptr<Solver> make_solver(SolverKind kind, System system, bool may_shrink);

/// \param rows         the sum of the observation weights
/// \param num_columns  of the caller's table
[[nodiscard]] SweepSettings sweep_settings(const FitOptions& options, Task task, const LikelihoodTraits& likelihood, double rows,
                                           Index num_columns);

}  // namespace ardvark::internal
