// Two classes under every value of the hyper-parameters that the evidence leaves open.       docs/math/sparse.md (SP.20), (SP.21), (SL.10)
#pragma once

#include <memory>
#include <vector>

#include "method/spike_slab/class_steps.hpp"
#include "method/spike_slab/sparse_fit.hpp"

namespace ardvark::internal {

struct ClassGrid {
  HyperGrid grid;                                        ///< its log evidence is that of the classes
  std::vector<std::shared_ptr<const ReducedRows>> rows;  ///< that the points see
  SparsePosterior posterior;
  LogOdds log_odds;     ///< of the average; of cells none
  double farthest = 0;  ///< the largest m^2 + s of the log odds of a row
  Status status = Status::failed;
  std::vector<double> history;  ///< the bound after each step; of cells, that of the one with the best point
  int steps = 0;                ///< the most that a cell which counts took
};

struct ClassGridSettings : ClassStepSettings {
  SparseParts parts = SparseParts::both;
  Index num_threads = 1;
  std::optional<GridCell> only = std::nullopt;
};

/// One set of working rows, from the moments of the average, serves all points.                                                  (SL.10)
[[nodiscard]] ClassGrid fit_class_grid(ClassRows& rows, const PenalisedColumns& which, const std::shared_ptr<const ColumnSets>& sets,
                                       const SpikeSlabSettings& slab, const ClassGridSettings& settings);
/// Each cell of the grid has working rows of its own, for tables so small that they cost nothing.                               (SL.11)
[[nodiscard]] ClassGrid fit_class_cells(ClassRows& rows, const PenalisedColumns& which, const std::shared_ptr<const ColumnSets>& sets,
                                        const SpikeSlabSettings& slab, const ClassGridSettings& settings);

}  // namespace ardvark::internal
