// The one loop of every sweep model.
#pragma once

#include "ardvark/report.hpp"
#include "likelihood/likelihood.hpp"
#include "posterior/solver.hpp"
#include "prior/precision.hpp"

namespace ardvark {

/// A sweep is solve -> likelihood -> prior, round and round. Published programs differ in the point of the round at which they look at the
/// bound.
enum class EvaluateAfter {
  prior,      ///< VBLinLogit, linear
  solve,      ///< VBLinLogit, logistic
  likelihood  ///< models: the only order in which the bound is profiled over all but E[alpha], so steps can be extrapolated and taken back
};

enum class StopRule {
  relative_change,  ///< published: |L - L_last| < tolerance |L|, L without constants
  remaining_gain    ///< the predicted remaining gain in the bound <= tolerance nats per row
};

struct SweepSettings {
  EvaluateAfter order = EvaluateAfter::likelihood;
  StopRule stop = StopRule::remaining_gain;
  double tolerance = 1e-8;
  int max_sweeps = 500;
  bool compat = false;     ///< stop exactly as the published program, false stop included
  bool accelerate = true;  ///< Anderson extrapolation of bolder steps than VB's, taken back when the bound falls                  (OPT.7)
  bool bold_steps = true;  ///< the best precision of each column by itself (OPT.3) rather than MacKay's step (OPT.6)
  bool polish = true;      ///< likelihoods whose steps are damped: cheap Newton steps of the mean between solves          (VG.4)
  bool single_precision = false;  ///< O(n p^2) products in single precision until the gains come near its rounding                (MP.2)
  bool condense = false;          ///< with many more columns than rows: settle the few that matter by themselves between sweeps (CONDENSE)
  int num_plain_sweeps = 0;       ///< plain VB sweeps before the first accelerated one
  double num_rows = 0;            ///< sum of the observation weights
  SweepCallback on_sweep;
};

struct SweepOutcome {
  Status status = Status::failed;
  std::string message;
  int sweeps = 0;
  int num_rejected = 0;  ///< extrapolations taken back
  int num_single = 0;    ///< sweeps with products in single precision
  int num_damped = 0;    ///< sweeps with a shortened step
  double bound = 0;
  std::vector<double> bound_history;
  Vector a;   ///< [p] the precisions inside V
  Rows rows;  ///< the rows inside V
};

/// Runs to the end; `q` holds the last posterior.
SweepOutcome sweep(Likelihood& likelihood, PrecisionPrior& prior, Solver& solver, Posterior& q, const SweepSettings& settings);

/// The bound on the log evidence at the present state.                                                        (BOUND.1)
[[nodiscard]] double evaluate_bound(const Likelihood& likelihood, const PrecisionPrior& prior, const Posterior& q);

}  // namespace ardvark
