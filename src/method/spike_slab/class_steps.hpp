// Two classes under a sparse prior. Each step makes working rows, fits them and computes new log odds.   docs/math/sparse.md (SL.6),
// (SL.10)
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "ardvark/report.hpp"
#include "method/spike_slab/class_rows.hpp"

namespace ardvark::internal {

struct ClassStepSettings {
  double tolerance = 2e-3;  ///< nats
  int max_steps = 600;
  std::function<bool(int steps, double bound)> on_step = {};  ///< false: stop
  double rounding = 1e-5;                                     ///< nats: a smaller fall of the bound does not count
  std::optional<KnownOdds> start = std::nullopt;              ///< the log odds of a neighbouring fit; none: those of before()
  /// A row in memory keeps at least this share of its weight in a step; 0: no limit. An effect that separates the few rows that have its
  /// column would look like none, once their weights have fallen too far.                                                        (SL.6)
  double least_share_of_weight = 0;
  /// Where even the shortest step would lower the bound by nats, the fit ends before it: further columns may help.               (SL.6)
  bool ends_before_fall = false;
  std::vector<WeightedSignal> signals = {{}};  ///< for the row of the intercept's prior in the first step
  /// Log evidence of the other parts of an average. The smaller the weight of this part, the larger is its tolerance.            (SL.11)
  double log_evidence_beside = -std::numeric_limits<double>::infinity();
};

/// A linear problem at s2 = 1 that stands for the rows of two classes.
struct WorkingRows {
  const WorkingSites& sites;
  Vector target;    ///< [rows] z = r/omega
  double shift;     ///< added to a bound of these rows, gives approximately that of the classes                                 (SL.10)
  double constant;  ///< the part of `shift` that does not depend on the log odds
  int step;         ///< from 0; a step that was too long is repeated with the same number
  /// ln of the prior of the intercept at a variance of the log odds, minus the one in the rows; empty: no such prior.     (SP.20)
  std::function<double(double signal)> log_prior_of_signal;
};

struct WorkingFit {
  double log_evidence = 0;  ///< of the working rows
  KnownOdds log_odds;
  std::vector<WeightedSignal> signals;  ///< of the fits that it averages
};

struct ClassSteps {
  Status status = Status::failed;
  std::vector<double> history;  ///< the bound after each step
  KnownOdds log_odds;           ///< after the last step
  Extent extent;
};

/// The bound of the classes, computed from the log evidence of their working rows.                                             (SL.10)
[[nodiscard]] double bound_of_classes(const ClassRows& rows, const WorkingRows& working, const WorkingFit& fit);

/// \param solve   fits the working rows; none: they have no fit
/// \param accept  is called if the last result of `solve` is kept, with its bound
[[nodiscard]] ClassSteps run_class_steps(ClassRows& rows, bool has_flat, const ClassStepSettings& settings,
                                         const std::function<std::optional<WorkingFit>(const WorkingRows&)>& solve,
                                         const std::function<void(double bound)>& accept);

}  // namespace ardvark::internal
