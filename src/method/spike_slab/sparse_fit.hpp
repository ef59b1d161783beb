// What the linear and the logistic fit under a sparse prior have in common.                                        docs/math/sparse.md
#pragma once

#include <functional>
#include <limits>

#include "method/spike_slab/hyper_grid.hpp"
#include "method/spike_slab/sparse.hpp"

namespace ardvark::internal {

[[nodiscard]] SparseParts parts_of(PriorKind kind);

/// Called after a sweep of a start with its number, and the bound in the units of the rows. False: stop.
using SweepReport = std::function<bool(int sweeps, double bound)>;
/// Calls work(report). `work` may report from several threads; options.on_sweep, if there is one, is called on the calling thread. If it
/// returns false once, all reports return false.
/// \param offset  from the units of the rows to those of the data, nats
void run_reported(const FitOptions& options, double offset, const std::function<void(const SweepReport&)>& work);

/// Sorted by group if the options name groups. Left-out columns are in neither list.
[[nodiscard]] PenalisedColumns penalised_columns(const FitOptions& options, Index num_columns, const std::vector<bool>& left_out);

/// Which columns have a joint posterior: groups if there are any, otherwise correlated columns; all others alone.   (SP.10), (SP.13)
[[nodiscard]] std::shared_ptr<const ColumnSets> sets_of(const PenalisedColumns& which, const ReducedRows& rows);

/// S with S S' = C. C may be singular: copies of a column share an effect.
[[nodiscard]] Matrix root_of(const Matrix& C);

/// Mean of the weights of one start, the dense part included.                                                                  (SP.6)
[[nodiscard]] Vector mean_of(const SpikeSlab& q);

/// The covariance of one start's weights; `factored`: whether the correlations of the effects could be computed.     (SP.6), (SP.15)
[[nodiscard]] MixtureComponent component_of(const SpikeSlab& q, std::shared_ptr<const DenseBasis> basis, const Vector& flat_mean,
                                            bool& factored);

/// The posterior of the weights.
struct SparsePosterior {
  Mixture mixture;
  Vector positive;       ///< [p] probability of a weight above 0, plus half of that of 0                                      (SP.22)
  bool factored = true;  ///< false: the correlations of the effects could not be computed
  std::vector<std::vector<std::size_t>> members = {};  ///< of each component: its starts
};

enum class Signs { known, unknown };  ///< unknown: not computed, NaN

/// From the starts with weight, each with its rows. Starts that reached the same maximum share a component, with the average of their means
/// and the covariance of the first. `seen`: SpikeSlabSettings::seen().                                                          (SP.8)
[[nodiscard]] SparsePosterior posterior_of(const PenalisedColumns& which, const std::vector<StartOutcome>& starts,
                                           const std::vector<std::shared_ptr<const ReducedRows>>& rows, const Vector& weight, double seen,
                                           Signs signs = Signs::known);
/// The same for the points of a grid. The points of one cell share a component with their mean and covariance, which includes the spread of
/// their means.                                                                                                                (SP.21)
[[nodiscard]] SparsePosterior posterior_of(const PenalisedColumns& which, const HyperGrid& grid, std::shared_ptr<const ReducedRows> rows);

/// The fits that a sparse posterior averages: starts, or the points of a grid.
struct AveragedFits {
  std::vector<StartOutcome> fits;
  Vector weight;                  ///< of each; they sum to 1
  std::optional<HyperGrid> grid;  ///< without its points, which are the fits
};
/// Whether there are so few columns, or so few rows of classes, that the fit is the average over the grid.                     (SP.21)
/// \param rows_of_classes  the sum of their weights; infinite: a regression
[[nodiscard]] inline bool is_averaged(const PenalisedColumns& which, double rows_of_classes = std::numeric_limits<double>::infinity()) {
  constexpr double few_rows = 30.5;  // 30, whatever the rounding of weights
  const Index most = rows_of_classes <= few_rows ? 100 : 20;
  return which.size() > 0 && which.size() <= most;
}
[[nodiscard]] AveragedFits averaged_grid(HyperGrid grid);
/// Of the Gram matrix: single precision if there are many more rows than columns, so that it is most of the work.                (MP.3)
[[nodiscard]] Products products_of(const FitOptions& options, Index num_rows, Index num_columns);

/// The correlations of some columns of the design, without their signs. For classes, whose working rows have other weights than the rows
/// of the table.
using Correlations = std::function<Matrix(const std::vector<Index>& columns)>;
/// Credible sets of the columns that this start includes; columns of a block that explain the same effect share one.         (SP.9)
/// \param in_table  empty: the correlations are those of the rows of q
[[nodiscard]] std::vector<CredibleSet> credible_sets(const SpikeSlab& q, const Correlations& in_table);
/// The correlations that products of columns say; those of a column of zeros are 0.
[[nodiscard]] Matrix correlations_from(const Matrix& products);
/// A warning about columns with an effect that are highly correlated with other columns; empty: there are none.
/// \param in_table  must say so, too; empty: only the rows of q
[[nodiscard]] std::string interchangeable_columns(const SpikeSlab& q, const Correlations& in_table, const std::vector<std::string>& names);

/// \throws InvalidArgument  too few rows for the noise
void require_row_for_noise(const FitOptions& options, double rows, Index num_flat);
/// Settings of a regression. \param squares  [p] |x~_j|^2; \param square_of_target  |y~|^2; \param frame  gets a warning
[[nodiscard]] SpikeSlabSettings slab_of_regression(Frame& frame, const Vector& squares, Index num_flat, double square_of_target,
                                                   double degrees);

/// Whether only some columns are in memory at a time: there are many more than have effects.                                  (SP.26)
[[nodiscard]] bool is_wide(const Frame& frame);
[[nodiscard]] Solution solve_wide_linear(Frame& frame);
[[nodiscard]] Solution solve_linear_in_memory(Frame& frame);    ///< all columns at once, whatever their number
[[nodiscard]] Solution solve_wide_logistic(Frame& frame);       ///< (SL.15)
[[nodiscard]] Solution solve_logistic_in_memory(Frame& frame);  ///< all columns at once, whatever their number
[[nodiscard]] Solution solve_wide_moments(Frame& frame);        ///< (SL.15), (SL.16)
[[nodiscard]] Solution solve_moments_in_memory(Frame& frame);   ///< all columns at once, whatever their number

/// Everything except Solution::rows, from the averaged fits and their posterior.
[[nodiscard]] Solution solution_of(const Frame& frame, const PenalisedColumns& which, const AveragedFits& averaged,
                                   SparsePosterior posterior, const Correlations& in_table = {});

/// Mean, variances and factor of the weights, and their effective parameters; `out.flat` is read.
void take_mixture(Mixture mixture, const Frame& frame, Solution& out);

/// A solution without a posterior; `why` is the message of its report.
[[nodiscard]] Solution failed_solution(const Frame& frame, std::string why);

}  // namespace ardvark::internal
