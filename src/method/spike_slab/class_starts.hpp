// Two classes with many columns: several starts, all on one set of working rows.                       docs/math/sparse.md (SP.8), (SL.12)
#pragma once

#include <memory>
#include <vector>

#include "method/spike_slab/class_steps.hpp"
#include "method/spike_slab/sparse_fit.hpp"

namespace ardvark::internal {

/// A start between steps.
struct ClassRunner {
  StartOutcome at;
  bool has_effects;
  std::shared_ptr<const ColumnsBeside> beside = nullptr;  ///< what columns beside add (SP.26)
  int sweeps = 0;                                         ///< of all steps
  std::size_t leader = 0;                                 ///< itself, or the start whose maximum it reached
  int lost = 0;                                           ///< successive steps without weight
  double weight = 0;                                      ///< in the last step
  LogOdds odds = {};                                      ///< of rows in memory, in the last step
  [[nodiscard]] bool waits() const;
};

struct ClassStarts {
  std::vector<StartOutcome> starts;         ///< their bounds are those of the classes
  Vector weight;                            ///< of each                                                                          (SP.8)
  std::shared_ptr<const ReducedRows> rows;  ///< the working rows of all starts
  Status status = Status::failed;
  std::vector<double> history;       ///< the bound after each step
  std::vector<ClassRunner> runners;  ///< where they stand, for ClassStartSettings::from
  KnownOdds log_odds;                ///< of their average
};

struct ClassStartSettings : ClassStepSettings {
  int max_sweeps = 600;  ///< of one start in one step
  SparseParts parts = SparseParts::both;
  Index num_threads = 1;
  /// Starts go on from here: those of an earlier fit with the same columns, or with the first of them. None: they begin.        (SL.15)
  const std::vector<ClassRunner>* from = nullptr;
};

/// \param slab  at s2 = 1; its fit_dense is ignored
/// One Gram matrix per step, and one pass of variances for each different maximum.                                               (SL.12)
[[nodiscard]] ClassStarts fit_class_starts(ClassRows& rows, const PenalisedColumns& which, const SpikeSlabSettings& slab,
                                           const ClassStartSettings& settings);

}  // namespace ardvark::internal
