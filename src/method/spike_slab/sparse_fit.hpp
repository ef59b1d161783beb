// What the linear and the logistic fit under a sparse prior have in common.                                        docs/math/sparse.md
#pragma once

#include <functional>

#include "method/spike_slab/hyper_grid.hpp"
#include "method/spike_slab/sparse.hpp"

namespace ardvark::internal {

[[nodiscard]] SparseParts parts_of(PriorKind kind);

/// After a sweep of a start: its number, and the bound in the units of the rows. False: stop.
using SweepReport = std::function<bool(int sweeps, double bound)>;
/// work(report), which may report from several threads; options.on_sweep, if there is one, is called on this one. One false of it ends all.
/// \param offset  from the units of the rows to those of the data, nats
void run_reported(const FitOptions& options, double offset, const std::function<void(const SweepReport&)>& work);

/// By group where the options name groups. Left-out columns are in neither list.
[[nodiscard]] PenalisedColumns penalised_columns(const FitOptions& options, Index num_columns, const std::vector<bool>& left_out);

/// Which columns have a posterior together: groups if there are any, else correlated columns, else each its own.     (SP.10), (SP.13)
[[nodiscard]] std::shared_ptr<const ColumnSets> sets_of(const PenalisedColumns& which, const ReducedRows& rows);

/// S with S S' = C, which need not be of full rank: copies of a column share an effect.
[[nodiscard]] Matrix root_of(const Matrix& C);

/// Mean of the weights of one start, the dense part included.                                                                  (SP.6)
[[nodiscard]] Vector mean_of(const SpikeSlab& q);

/// The variance of one start's weights; `factored` says whether correlations among the effects could be had.         (SP.6), (SP.15)
[[nodiscard]] MixtureComponent component_of(const SpikeSlab& q, std::shared_ptr<const DenseBasis> basis, const Vector& flat_mean,
                                            bool& factored);

/// The posterior of the weights.
struct SparsePosterior {
  Mixture mixture;
  Vector positive;       ///< [p] probability of a weight above 0, half of that of 0 included                                  (SP.22)
  bool factored = true;  ///< false: correlations among the effects could not be had
};

/// The starts that count, each with its rows; those that came to the same maximum share a component: their average mean, the covariance of
/// the first. `seen`: how much of the observations a typical column sees.                                                       (SP.8)
[[nodiscard]] SparsePosterior posterior_of(const PenalisedColumns& which, const std::vector<StartOutcome>& starts,
                                           const std::vector<std::shared_ptr<const ReducedRows>>& rows, const Vector& weight, double seen);
/// The same of the points of a grid: those of one cell share a component, which has their mean and covariance, the spread of the means
/// included.                                                                                                                   (SP.21)
[[nodiscard]] SparsePosterior posterior_of(const PenalisedColumns& which, const HyperGrid& grid, std::shared_ptr<const ReducedRows> rows);

/// What a sparse posterior is the average of: starts, or the points of a grid.
struct AveragedFits {
  std::vector<StartOutcome> fits;
  Vector weight;                  ///< of each; they sum to 1
  std::optional<HyperGrid> grid;  ///< without its points, which are the fits
};
/// Whether the columns are so few that all of the grid is averaged.
[[nodiscard]] inline bool is_averaged(const PenalisedColumns& which) {
  constexpr Index most = 20;
  return which.size() > 0 && which.size() <= most;
}
[[nodiscard]] AveragedFits averaged_grid(HyperGrid grid);
/// Of a Gram matrix that is the better part of the work, of many more rows than columns.                                         (MP.3)
[[nodiscard]] Products products_of(const FitOptions& options, Index num_rows, Index num_columns);

/// Credible sets of the columns that this start includes; columns of a block that stand for one effect share one.            (SP.9)
[[nodiscard]] std::vector<CredibleSet> credible_sets(const SpikeSlab& q);
/// Whether two columns of the design are correlated, by more than this.
using AreCorrelated = std::function<bool(Index one, Index other, double least)>;
/// A warning of columns with an effect that other columns follow closely; empty: there are none.
/// \param in_table  asked as well, where the rows of q weigh other than those of the table: of classes
[[nodiscard]] std::string interchangeable_columns(const SpikeSlab& q, const AreCorrelated& in_table, const std::vector<std::string>& names);

/// Everything but the rows, once the components are known.
[[nodiscard]] Solution solution_of(const Frame& frame, const PenalisedColumns& which, const AveragedFits& averaged,
                                   SparsePosterior posterior, const AreCorrelated& in_table = {});

/// No start came to a finite bound.
[[nodiscard]] Solution failed_solution(const Frame& frame);

}  // namespace ardvark::internal
