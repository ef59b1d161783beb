#include "method/sweep/sweep_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/memory.hpp"
#include "core/refusals.hpp"
#include "posterior/decomposition.hpp"
#include "target/target.hpp"

namespace ardvark::internal {
namespace {

// Exact solvers make two square matrices of the columns or of the rows, whichever are fewer.
void require_memory(PriorKind prior, Index num_rows, Index num_columns) {
  const Index size = std::min(num_rows, num_columns);
  const double needed = 16 * static_cast<double>(size) * static_cast<double>(size), available = physical_memory();
  if (!(available > 0) || needed <= available) return;
  throw InvalidArgument(
      {.argument = "prior",
       .value = to_string(prior),
       .why = fmt::format("it needs two matrices of {} x {} numbers ({:.0f} GB) for {} rows and {} columns, and this machine has {:.0f} GB",
                          size, size, 1e-9 * needed, num_rows, num_columns, 1e-9 * available),
       .remedy = "a regression under prior shared (--prior shared) with a joint posterior makes none, and neither does prior laplace "
                 "(--prior laplace)"});
}

}  // namespace

SolverChoice choose_solver(const FitOptions& options, const LikelihoodTraits& likelihood, const Partition& partition, Index num_rows) {
  const Index p = partition.num_columns() - partition.num_flat();
  const bool can_spectral = likelihood.constant_rows && partition.is_shared() && !options.pruning.is_on();
  if (options.solver == SolverKind::spectral && !can_spectral)
    throw refused("solver", "spectral", "needs a linear model with a shared prior, no columns of fixed precision and no pruning");
  if (options.solver == SolverKind::dual && partition.num_flat() >= num_rows)
    throw refused("solver", "dual",
                  fmt::format("needs more rows than flat columns; there are {} rows and {} flat columns", num_rows, partition.num_flat()));
  const bool can_iterate = can_spectral && !sweeps_plainly(options);
  if (options.solver == SolverKind::iterative && !can_iterate)
    throw refused(
        "solver", "iterative",
        fmt::format(
            "needs a linear model with a shared prior (prior shared; here it is {}), a joint posterior, update rule vb, columns that "
            "vary, none of fixed precision, and no pruning",
            to_string(options.prior.kind)));
  const bool is_iterative = options.solver == SolverKind::iterative ||
                            (can_iterate && options.solver == SolverKind::automatic && std::min(p, num_rows) > most_to_decompose);
  if (!is_iterative) require_memory(options.prior.kind, num_rows, p);
  if (options.solver != SolverKind::automatic) return {options.solver, "as requested"};
  if (is_iterative) return {SolverKind::iterative, fmt::format("a decomposition of {} rows and {} columns is too expensive", num_rows, p)};
  if (can_spectral) return {SolverKind::spectral, "linear with one precision for all columns"};
  if (p <= num_rows || partition.num_flat() >= num_rows)
    return {SolverKind::primal, fmt::format("{} columns are not more than {} rows", p, num_rows)};
  return {SolverKind::dual, fmt::format("{} columns are more than {} rows", p, num_rows)};
}

std::unique_ptr<Solver> make_solver(SolverKind kind, System system, bool may_shrink) {
  if (may_shrink) return make_shrinking(system, kind);
  const Index p = system.partition.num_columns() - system.partition.num_flat(), n = system.X.rows();
  const bool dual = kind == SolverKind::dual || (kind == SolverKind::spectral && p > n && system.partition.num_flat() < n);
  if (kind == SolverKind::qr) return make_qr(system);
  if (kind == SolverKind::iterative) return make_iterative(system);
  std::unique_ptr<Solver> exact = dual ? make_dual(system) : make_primal(system);
  return kind == SolverKind::spectral ? make_spectral(system, std::move(exact)) : std::move(exact);
}

SweepSettings sweep_settings(const FitOptions& options, Task task, const LikelihoodTraits& likelihood, double rows, Index num_columns) {
  const auto p = static_cast<double>(num_columns);
  SweepSettings s;
  s.num_rows = rows;
  s.max_sweeps = options.max_sweeps;
  s.on_sweep = options.on_sweep;
  s.record_every = options.record_every;
  if (sweeps_plainly(options) || likelihood.to_mode) {  // (SLR.1)
    s.order = EvaluateAfter::rows;
    s.stop = options.compat ? StopRule::never : StopRule::standstill;
    s.tolerance = options.tolerance.value_or(1e-8);
    s.accelerate = false;
    s.pruning = options.pruning;
    s.compat = options.compat;
    if (options.compat) s.mode_tolerance = 1e-20;
    return s;
  }
  if (options.preset.empty() || options.accelerate) {
    s.accelerate = options.accelerate;
    // With less work, the conversions to single precision cost more than they save.
    s.single_precision = options.mixed_precision && rows * p * p > 1e8;
    // With more columns than rows, the bound has many maxima. The first sweeps are plain, to reach the maximum of plain VB. (OPT, warning
    // i)
    const bool many = p > rows;
    if (many) s.num_plain_sweeps = 20;
    s.bold_steps = !many;
    // A sweep over the few columns that matter costs at most n^3, one over all columns 2 n^2 p.
    s.condense = p > 8 * rows;
    s.tolerance = options.tolerance.value_or(many ? 1e-4 : 1e-8);
  } else {
    s.tolerance = options.tolerance.value_or(1e-5);
    s.order = has_noise(task) ? EvaluateAfter::prior : EvaluateAfter::solve;
    s.stop = StopRule::relative_change;
    s.accelerate = false;
    s.compat = options.compat;
  }
  return s;
}

}  // namespace ardvark::internal
