// Two classes, averaged over the values of the hyper-parameters on a grid.                   docs/math/sparse.md (SP.20), (SP.21), (SL.10)
#pragma once

#include <memory>
#include <vector>

#include "method/spike_slab/class_steps.hpp"
#include "method/spike_slab/sparse_fit.hpp"

namespace ardvark::internal {

struct ClassGrid {
  HyperGrid grid;                                        ///< its log evidence is that of the classes
  std::vector<std::shared_ptr<const ReducedRows>> rows;  ///< the working rows of the points; of cells, one entry for each
  SparsePosterior posterior;
  KnownOdds log_odds;  ///< of the average; empty for fit_class_cells
  Extent extent;
  Status status = Status::failed;
  std::vector<double> history;  ///< the bound after each step; for fit_class_cells, of the average while the best cell changed
  int steps = 0;                ///< for fit_class_cells, the largest number of any cell with weight
};

struct ClassGridSettings : ClassStepSettings {
  SparseParts parts = SparseParts::both;
  Index num_threads = 1;
  std::optional<GridCell> only = std::nullopt;
};

/// All points use one set of working rows, made from the moments of the average.                                                 (SL.10)
[[nodiscard]] ClassGrid fit_class_grid(ClassRows& rows, const PenalisedColumns& which, const std::shared_ptr<const ColumnSets>& sets,
                                       const SpikeSlabSettings& slab, const ClassGridSettings& settings);
/// Each cell of the grid has its own working rows. For small tables, where they cost little.                                    (SL.11)
[[nodiscard]] ClassGrid fit_class_cells(ClassRows& rows, const PenalisedColumns& which, const std::shared_ptr<const ColumnSets>& sets,
                                        const SpikeSlabSettings& slab, const ClassGridSettings& settings);

}  // namespace ardvark::internal
