// The loop of all sweep models.
#pragma once

#include "likelihood/likelihood.hpp"
#include "method/loop/loop.hpp"
#include "posterior/solver.hpp"
#include "prior/precision.hpp"

namespace ardvark::internal {

class PrecisionBlocks;

/// A sweep is solve -> likelihood -> prior. Published programs differ in the point of the sweep at which they evaluate the bound.
enum class EvaluateAfter {
  prior,      ///< VBLinLogit, linear
  solve,      ///< VBLinLogit, logistic
  rows,       ///< SLR: solve, rows, bound, precisions, and columns leave; for rules that may lower the bound                (SLR.1)
  likelihood  ///< models: the only order in which the bound is at its maximum over all but E[alpha], so steps can be extrapolated and
              ///< undone
};

enum class StopRule {
  relative_change,  ///< published: |L - L_last| < tolerance |L|, L without constants
  remaining_gain,   ///< the predicted remaining gain in the bound <= tolerance nats per row
  standstill,       ///< predicted gain of the next plain step of precisions and rows is small, and no column leaves or comes back (SLR.3)
  never             ///< published: exactly max_sweeps sweeps
};

struct SweepSettings : LoopSettings {
  EvaluateAfter order = EvaluateAfter::likelihood;
  StopRule stop = StopRule::remaining_gain;
  bool compat = false;     ///< stop exactly as the published program, false stop included
  bool accelerate = true;  ///< Anderson extrapolation of longer steps than those of VB; undone if the bound falls                 (OPT.7)
  bool bold_steps = true;  ///< the best precision of each single column (OPT.3) instead of MacKay's step (OPT.6)
  bool polish =
      true;  ///< Newton steps of the mean between solves, if rows depend on it and steps are damped or accelerated (VG.4), (OPT.8)
  bool single_precision = false;  ///< O(n p^2) products in single precision until the gains are close to its rounding             (MP.2)
  bool condense = false;          ///< with many more columns than rows: optimise the few that matter alone, between sweeps  (CONDENSE)
  PrecisionBlocks* blocks = nullptr;  ///< raises the bound in blocks of columns between two solves            (BLOCK.1)
  int num_plain_sweeps = 0;           ///< plain VB sweeps before the first accelerated one
  Vector score_rounding;  ///< [columns] rounding error of the bound for each unit of a weight, nats; empty: negligible         (BOUND.7)
};

struct SweepOutcome : LoopOutcome {
  int num_rejected = 0;        ///< extrapolations undone
  int num_single = 0;          ///< sweeps with products in single precision
  int num_damped = 0;          ///< sweeps with a shortened step
  Rows rows;                   ///< the rows inside V
  std::vector<Index> columns;  ///< columns of the design that are in q, ascending; all columns unless some were pruned
};

/// Runs the loop to its end. Then `q` is the last posterior, and `prior` has the groups that are in it.
SweepOutcome sweep(Likelihood& likelihood, PrecisionPrior& prior, Solver& solver, Posterior& q, const SweepSettings& settings);

/// The bound on the log evidence at the present state.                                                        (BOUND.1)
[[nodiscard]] double evaluate_bound(const Likelihood& likelihood, const PrecisionPrior& prior, const Posterior& q);

}  // namespace ardvark::internal
