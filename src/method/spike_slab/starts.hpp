// Where the spike-and-slab updates start, and when they stop.                                               docs/math/sparse.md (SP.8)
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ardvark/report.hpp"
#include "method/spike_slab/spike_slab.hpp"

namespace ardvark::internal {

/// Which parts of the prior there are.
enum class SparseParts {
  both,        ///< a few effects of their own over many small ones
  slab_only,   ///< h = 0
  dense_only,  ///< pi = 0: the ridge with its exact evidence
};

struct AscentSettings {
  double tolerance = 1e-3;  ///< nats; see calm_sweeps
  int max_sweeps = 600;
  int calm_sweeps = 2;  ///< so many successive sweeps, the last over all sets, must change the bound by less
  int wide_sweeps = 3;  ///< after each of the first ones, h is searched over its whole range
  std::function<bool(int sweeps, double bound)> on_sweep;  ///< false: stop
};

struct StartOutcome {
  std::string name;
  SpikeSlab q;
  Status status = Status::failed;
  int sweeps = 0;
  double bound = 0;
  std::vector<double> history = {};
  double log_prior = 0;  ///< of its hyper-parameters, at a point of a grid                                                      (SP.21)
};

/// Bounds are near if they differ by less than so many tolerances: only a few sweeps are missing to the end of the other start.
inline constexpr double near = 100;

/// The positions of the starts on the path.
inline constexpr std::array<int, 4> start_penalties = {5, 9, 13, 17};
/// The penalty at this position, as a part of the one at which all weights are zero.
[[nodiscard]] double penalty_at(int position);

/// Weights on an L1 path of the reduced rows. The path has 20 penalties, from the one at which all weights are zero down to a fiftieth of
/// it. \param penalties  positions on the path  \returns  [p, penalties.size()]
[[nodiscard]] Matrix lasso_path(const ReducedRows& rows, std::span<const int> penalties);

/// Groups by |Z_g'y|, the largest first, ties by position.
[[nodiscard]] std::vector<Index> by_correlation(const ReducedRows& rows, const PenalisedColumns& which);
/// Groups by the size of their weights, then by correlation.
[[nodiscard]] std::vector<Index> by_size(const Vector& m, const PenalisedColumns& which, const std::vector<Index>& correlation);

/// Whether both are at the same maximum: the same noise and dense part, and the same predictions of all rows together.
/// \param seen      SpikeSlabSettings::seen()
/// \param distance  |w - w'|^2                                                                                               (SP.8)
[[nodiscard]] bool are_alike(const SpikeSlab& a, const SpikeSlab& b, double seen, double distance);

/// Sweeps over the sets until the bound no longer changes, or until the start meets one that has ended. The state is that of the last
/// sweep, or of the start that it met.                                                                                               (SP.8)
void ascend(const std::vector<Index>& order, const AscentSettings& settings, std::span<const StartOutcome> ended, StartOutcome& start);

/// All starts of a linear model, with these sets of columns. The result does not depend on the number of threads.
[[nodiscard]] std::vector<StartOutcome> run_starts(const ReducedRows& rows, const PenalisedColumns& which,
                                                   const std::shared_ptr<const ColumnSets>& sets, const SpikeSlabSettings& slab,
                                                   const AscentSettings& ascent, SparseParts parts, Index num_threads);

/// The state of a start on the rows of more columns, of which its own are the first.                                           (SP.26)
[[nodiscard]] SpikeSlab on_more_columns(const SpikeSlab& before, const PenalisedColumns& which, std::shared_ptr<const ColumnSets> sets,
                                        const ReducedRows& rows, Index columns_beside, std::shared_ptr<const ColumnsBeside> beside);

/// exp(bound/4), normalised; 0 for a start that failed, or below a thousandth of the best.                                   (SP.8)
[[nodiscard]] Vector start_weights(const std::vector<double>& bounds);

}  // namespace ardvark::internal
