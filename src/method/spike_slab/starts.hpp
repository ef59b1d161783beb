// From where the spike-and-slab updates begin, and how long they go on.                                     docs/math/sparse.md (SP.8)
#pragma once

#include <functional>
#include <optional>
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
  double tolerance = 1e-3;  ///< nats; two successive sweeps that change the bound by less end it
  int max_sweeps = 600;
  int calm_sweeps = 2;                                     ///< that must change the bound by less, the last of them over all sets
  int wide_sweeps = 3;                                     ///< of them, after which h is searched for over all its range
  std::function<bool(int sweeps, double bound)> on_sweep;  ///< false: stop
};

struct StartOutcome {
  std::string name;
  SpikeSlab q;
  Status status = Status::failed;
  int sweeps = 0;
  double bound = 0;
  std::vector<double> history = {};
  double log_prior = 0;  ///< of its hyper-parameters, where they are given                                                      (SP.21)
};

/// Bounds that differ by less than so many tolerances are near: all but a few sweeps of the way to where the other start ended.
inline constexpr double near = 100;

/// Weights of an L1 path on the reduced rows: of 20 penalties from that at which all are zero down to a fiftieth of it, these.
/// \returns  [p, penalties.size()]
[[nodiscard]] Matrix lasso_path(const ReducedRows& rows, const std::vector<int>& penalties);

/// Groups by how much the target follows them, ties by position.
[[nodiscard]] std::vector<Index> by_correlation(const ReducedRows& rows, const PenalisedColumns& which);
/// Groups by the size of their weights, then by correlation.
[[nodiscard]] std::vector<Index> by_size(const Vector& m, const PenalisedColumns& which, const std::vector<Index>& correlation);

/// In the place of the same maximum: noise and dense part alike, and means that cannot be told apart in all rows together.
/// \param seen      how much of the observations a typical column sees
/// \param distance  |w - w'|^2                                                                                               (SP.8)
[[nodiscard]] bool are_alike(const SpikeSlab& a, const SpikeSlab& b, double seen, double distance);

/// Sweeps over the sets until the bound stands still, or until the start is where one of those that have ended did; the state is that of
/// the last sweep, or theirs.                                                                                                 (SP.8)
void ascend(const std::vector<Index>& order, const AscentSettings& settings, std::span<const StartOutcome> ended, StartOutcome& start);

/// All starts of a linear model, each with these sets of columns, one after another or on several threads: the result is the same.
[[nodiscard]] std::vector<StartOutcome> run_starts(const ReducedRows& rows, const PenalisedColumns& which,
                                                   const std::shared_ptr<const ColumnSets>& sets, const SpikeSlabSettings& slab,
                                                   const AscentSettings& ascent, SparseParts parts, Index num_threads);

/// exp(bound/4), normalised; 0 for a start that failed, or below a thousandth of the best.                                   (SP.8)
[[nodiscard]] Vector start_weights(const std::vector<double>& bounds);

}  // namespace ardvark::internal
