// Two classes under a sparse prior: working rows, a fit of them, new log odds, and again.                  docs/math/sparse.md (SL.6),
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
  double rounding = 1e-5;                                     ///< nats: a fall by less is none
  std::optional<LogOdds> start = std::nullopt;                ///< of a fit nearby; none: nothing is known of the rows
  /// ln evidence of what else there is in an average: the less the weight, the less a nat of this part matters.                  (SL.11)
  double log_evidence_beside = -std::numeric_limits<double>::infinity();
};

/// A linear problem at s2 = 1 that stands for the rows of two classes.
struct WorkingRows {
  const Sites& sites;
  Vector target;    ///< [rows] z = r/omega
  double shift;     ///< from a bound of these rows to about that of the classes                                                 (SL.10)
  double constant;  ///< the part of it that does not hang on the log odds
  int step;         ///< from 0; again where the step before was too long
  /// ln of the prior of the intercept that goes with a variance of the log odds, less that in the rows; empty: there is none.     (SP.20)
  std::function<double(double signal)> log_prior_of_signal;
};

struct WorkingFit {
  double log_evidence = 0;  ///< of the working rows
  LogOdds log_odds;
  std::vector<WeightedSignal> signals;  ///< under which it was found
};

struct ClassSteps {
  Status status = Status::failed;
  std::vector<double> history;  ///< the bound after each step
  LogOdds log_odds;             ///< after the last of them
  double farthest = 0;          ///< the largest m^2 + s of the log odds of a row
};

/// The bound of classes from that of their working rows.                                                                       (SL.10)
[[nodiscard]] double bound_of_classes(const ClassRows& rows, const WorkingRows& working, const WorkingFit& fit);

/// \param solve   none: these rows have no fit
/// \param accept  what was solved last stands, with this bound
[[nodiscard]] ClassSteps run_class_steps(ClassRows& rows, bool has_flat, const ClassStepSettings& settings,
                                         const std::function<std::optional<WorkingFit>(const WorkingRows&)>& solve,
                                         const std::function<void(double bound)>& accept);

}  // namespace ardvark::internal
