// Fits under every value of the hyper-parameters that the evidence leaves open, and what each of them weighs.   docs/math/sparse.md (SP.21)
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "method/spike_slab/starts.hpp"

namespace ardvark::internal {

/// Where the fits of a grid lie in it: without a dense part by kappa, else by h.
struct GridCell {
  bool dense = false;
  int exponent = 0;  ///< of kappa, or of the ratio of the dense signal to the noise: powers of 4
  [[nodiscard]] bool operator==(const GridCell&) const = default;
  [[nodiscard]] auto operator<=>(const GridCell&) const = default;
};

struct GridPoint : StartOutcome {
  GridCell cell;
  double signal = 0;  ///< p (h + pi kappa) in units of the columns: what the prior says of the variance of x'w over s2
  double weight = 0;  ///< of all that count together 1
};

/// One of the two hypotheses: no small effects, or small effects of every column.
struct Hypothesis {
  bool dense = false;
  double log_weight = 0;  ///< of both together 1
};

/// All points of one kappa and one ratio of the dense signal, in the order of pi. None: no effects of their own; no dense part.
struct GridLine {
  std::optional<int> kappa, ratio;
  [[nodiscard]] auto operator<=>(const GridLine&) const = default;
};
using GridLines = std::map<GridLine, std::vector<GridPoint>>;

struct HyperGrid {
  std::vector<GridPoint> points;  ///< that count, in the order of the grid; none: no fit came to a finite bound
  GridLines lines;                ///< the points that were visited, if they were to be kept
  Index num_points = 0;           ///< of the whole grid
  std::vector<Hypothesis> hypotheses;
  double log_evidence = 0;  ///< ln sum exp(bound) prior
  std::size_t best = 0;     ///< the point of the greatest weight
  double peak = 0;          ///< its bound
};

struct GridSettings {
  AscentSettings ascent;
  SparseParts parts = SparseParts::both;
  std::optional<GridCell> only = std::nullopt;  ///< no points but those of this cell
  /// What else the prior of a point hangs on: the variance of the log odds, p (h + pi kappa), of classes.                       (SP.20)
  std::function<double(double signal)> log_prior_of_signal = {};
  bool keeps_lines = false;
  const GridLines* from = nullptr;  ///< of rows that were nearly these: its points go on from where they were                  (SL.10)
};

/// ln of a sum of exponentials; -infinity of none.
[[nodiscard]] double log_sum(const std::vector<double>& terms);

/// ln of the prior of kappa = 4^k, in units of the noise of a row, and of the dense signal over the noise, 4^j: lattices that sum to 1.
[[nodiscard]] double log_prior_of_kappa(int k, double tail);
[[nodiscard]] double log_prior_of_ratio(int j);
/// Log odds of pi, and ln of the prior of each.
struct PriorOfOdds {
  double log_odds, log_prior;
};
[[nodiscard]] std::vector<PriorOfOdds> prior_of_odds(Index num_groups);

/// Where the lattices begin and end before the evidence has been asked: [first, last] of kappa, and of the ratio of the dense signal.
struct GridRanges {
  int first_kappa = 0, last_kappa = 0, first_ratio = -4, last_ratio = 2;
  int least_kappa = 0;  ///< no slab is narrower than what the rows can tell from nothing: four noise variances of all of them
};
[[nodiscard]] GridRanges first_ranges(const SpikeSlabSettings& slab);
inline constexpr int least_exponent = -12, most_exponent = 24;  ///< of any lattice
inline constexpr double least_share_at_end = 1e-3;              ///< at an end of a lattice: with more it is made longer

/// Every point is a fit of its own with these sets, one after another or on several threads: the result is the same.
/// \param slab  its fit_effects, fit_dense and dense_penalty are not looked at; its kappa_tail is of the lattice's prior
[[nodiscard]] HyperGrid run_grid(const ReducedRows& rows, const PenalisedColumns& which, const std::shared_ptr<const ColumnSets>& sets,
                                 const SpikeSlabSettings& slab, const GridSettings& settings, Index num_threads);

}  // namespace ardvark::internal
