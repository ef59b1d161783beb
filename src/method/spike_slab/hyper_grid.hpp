// Fits on a grid of values of the hyper-parameters, and the weight of each fit.                                 docs/math/sparse.md (SP.21)
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "method/spike_slab/starts.hpp"

namespace ardvark::internal {

/// A part of the grid: without a dense part all points with one kappa, otherwise all points with one h.
struct GridCell {
  bool dense = false;
  int exponent = 0;  ///< of kappa, or of the ratio of the dense signal to the noise: powers of 4
  [[nodiscard]] bool operator==(const GridCell&) const = default;
  [[nodiscard]] auto operator<=>(const GridCell&) const = default;
};

struct GridPoint : StartOutcome {
  GridCell cell;
  double signal = 0;  ///< p (h + pi kappa) in units of the columns: the prior variance of x'w over s2
  double weight = 0;  ///< the weights of all points that are kept sum to 1
};

/// One of the two hypotheses: no small effects, or small effects of every column.
struct Hypothesis {
  bool dense = false;
  double log_weight = 0;  ///< the weights of both sum to 1
};

/// Differences of log evidences have rounding errors that grow with the number of rows: brings the sum of the weights to 1 again.
void normalise(std::vector<Hypothesis>& hypotheses);

/// All points with one kappa and one ratio of the dense signal, in the order of pi. kappa none: no effects of their own; ratio none: no
/// dense part.
struct GridLine {
  std::optional<int> kappa, ratio;
  [[nodiscard]] auto operator<=>(const GridLine&) const = default;
};
using GridLines = std::map<GridLine, std::vector<GridPoint>>;

struct HyperGrid {
  std::vector<GridPoint> points;  ///< those with weight, in the order of the grid; empty: no fit reached a finite bound
  GridLines lines;                ///< all points that were computed, if keeps_lines
  Index num_points = 0;           ///< of the whole grid
  std::vector<Hypothesis> hypotheses;
  double log_evidence = 0;  ///< ln sum exp(bound) prior
  std::size_t best = 0;     ///< the point with the largest weight
  double peak = 0;          ///< its bound
};

struct GridSettings {
  AscentSettings ascent;
  SparseParts parts = SparseParts::both;
  std::optional<GridCell> only = std::nullopt;  ///< only the points of this cell
  /// For classes, the prior of a point also depends on the variance of the log odds, p (h + pi kappa).                          (SP.20)
  std::function<double(double signal)> log_prior_of_signal = {};
  bool keeps_lines = false;
  const GridLines* from = nullptr;  ///< the lines of a fit to almost the same rows: each point continues from its state there  (SL.10)
};

/// ln of a sum of exponentials; -infinity of none.
[[nodiscard]] double log_sum(const std::vector<double>& terms);

/// ln of the prior of kappa = 4^k, in units of the noise of a row, and of the ratio of the dense signal to the noise, 4^j. Over all k, and
/// over all j, they sum to 1. tail is e, narrowest is c.
[[nodiscard]] double log_prior_of_kappa(int k, double tail, double narrowest);
[[nodiscard]] double log_prior_of_ratio(int j);
/// A value of pi as log odds, and ln of its prior.
struct PriorOfOdds {
  double log_odds, log_prior;
};
[[nodiscard]] std::vector<PriorOfOdds> prior_of_odds(Index num_groups, const PriorOfGrid& prior);

/// The first ranges of the grid, before it grows: exponents [first, last] of kappa, and of the ratio of the dense signal.
struct GridRanges {
  int first_kappa = 0, last_kappa = 0, first_ratio = -4, last_ratio = 2;
  int least_kappa = 0;  ///< lower limit: in a narrower slab, all rows together cannot distinguish an effect from 0 (four noise variances)
};
[[nodiscard]] GridRanges first_ranges(const SpikeSlabSettings& slab);
inline constexpr int least_exponent = -12, most_exponent = 24;  ///< limits of every range
inline constexpr double least_share_at_end = 1e-3;              ///< if the end of a range has a larger weight, the range grows

/// Every point is a separate fit with these sets. The result does not depend on the number of threads.
/// \param slab  its fit_effects, fit_dense and dense_penalty are ignored; its kappa_tail belongs to the prior of the grid
[[nodiscard]] HyperGrid run_grid(const ReducedRows& rows, const PenalisedColumns& which, const std::shared_ptr<const ColumnSets>& sets,
                                 const SpikeSlabSettings& slab, const GridSettings& settings, Index num_threads);

}  // namespace ardvark::internal
