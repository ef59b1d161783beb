// The one loop of every sweep model.
#pragma once

#include "likelihood/likelihood.hpp"
#include "method/loop/loop.hpp"
#include "posterior/solver.hpp"
#include "prior/precision.hpp"

namespace ardvark::internal {

class PrecisionBlocks;

/// A sweep is solve -> likelihood -> prior, round and round. Published programs differ in the point of the round at which they look at the
/// bound.
enum class EvaluateAfter {
  prior,      ///< VBLinLogit, linear
  solve,      ///< VBLinLogit, logistic
  rows,       ///< SLR: solve, rows, look, precisions, and columns leave; for rules that may lower the bound on the way     (SLR.1)
  likelihood  ///< models: the only order in which the bound is profiled over all but E[alpha], so steps can be extrapolated and taken back
};

enum class StopRule {
  relative_change,  ///< published: |L - L_last| < tolerance |L|, L without constants
  remaining_gain,   ///< the predicted remaining gain in the bound <= tolerance nats per row
  standstill,  ///< what is predicted of the precisions' and the rows' own step alone, and no column wants to leave or come back (SLR.3)
  never        ///< published: as many sweeps as asked for
};

struct SweepSettings : LoopSettings {
  EvaluateAfter order = EvaluateAfter::likelihood;
  StopRule stop = StopRule::remaining_gain;
  bool compat = false;     ///< stop exactly as the published program, false stop included
  bool accelerate = true;  ///< Anderson extrapolation of bolder steps than VB's, taken back when the bound falls                  (OPT.7)
  bool bold_steps = true;  ///< the best precision of each column by itself (OPT.3) rather than MacKay's step (OPT.6)
  bool polish = true;      ///< rows that follow the mean, steps damped or accelerated: Newton steps of it between solves  (VG.4), (OPT.8)
  bool single_precision = false;  ///< O(n p^2) products in single precision until the gains come near its rounding                (MP.2)
  bool condense = false;          ///< with many more columns than rows: settle the few that matter by themselves between sweeps (CONDENSE)
  PrecisionBlocks* blocks = nullptr;  ///< takes the precisions uphill in blocks of columns between two solves (BLOCK.1)
  int num_plain_sweeps = 0;           ///< plain VB sweeps before the first accelerated one
  Vector score_rounding;  ///< [columns] what rounding may do to the bound by each unit of a weight, nats; empty: little        (BOUND.7)
};

struct SweepOutcome : LoopOutcome {
  int num_rejected = 0;        ///< extrapolations taken back
  int num_single = 0;          ///< sweeps with products in single precision
  int num_damped = 0;          ///< sweeps with a shortened step
  Rows rows;                   ///< the rows inside V
  std::vector<Index> columns;  ///< those of the design that q is about, ascending; all of them unless columns were pruned
};

/// Runs to the end; `q` holds the last posterior, and `prior` the groups that it is about.
SweepOutcome sweep(Likelihood& likelihood, PrecisionPrior& prior, Solver& solver, Posterior& q, const SweepSettings& settings);

/// The bound on the log evidence at the present state.                                                        (BOUND.1)
[[nodiscard]] double evaluate_bound(const Likelihood& likelihood, const PrecisionPrior& prior, const Posterior& q);

}  // namespace ardvark::internal
