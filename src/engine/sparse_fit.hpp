// What the linear and the logistic fit under a sparse prior have in common.                                        docs/math/sparse.md
#pragma once

#include "engine/coordinate/starts.hpp"
#include "engine/sparse.hpp"

namespace ardvark {

[[nodiscard]] SparseParts parts_of(PriorKind kind);

/// After a sweep of a start: its number, and the bound in the units of the rows. False: stop.
using SweepReport = std::function<bool(int sweeps, double bound)>;
/// work(report), which may report from several threads; options.on_sweep, if there is one, is called on this one.
/// \param offset  from the units of the rows to those of the data, nats
void run_reported(const FitOptions& options, double offset, const std::function<void(const SweepReport&)>& work);

/// By group where the options name groups. Left-out columns are in neither list.
[[nodiscard]] PenalisedColumns penalised_columns(const FitOptions& options, Index num_columns, const std::vector<bool>& left_out);

/// Which columns have a posterior together: groups if there are any, else correlated columns, else each its own.     (SP.10), (SP.13)
[[nodiscard]] std::shared_ptr<const ColumnSets> sets_of(const PenalisedColumns& which, const ReducedRows& rows);

/// S with S S' = C, which need not be of full rank: copies of a column share an effect.
[[nodiscard]] Matrix root_of(const Matrix& C);

/// The variance of one start's weights; `factored` says whether correlations among the effects could be had.         (SP.6), (SP.15)
[[nodiscard]] MixtureComponent component_of(const SpikeSlab& q, std::shared_ptr<const DenseBasis> basis, const Vector& flat_mean,
                                            bool& factored);

/// The starts that count, each with its rows; those that came to the same maximum share a component: their average mean, the covariance of
/// the first. `seen`: how much of the observations a typical column sees. `factored` becomes false where correlations among the effects
/// could not be had.                                                                                                             (SP.8)
[[nodiscard]] Mixture mixture_of(const PenalisedColumns& which, const std::vector<StartOutcome>& starts,
                                 const std::vector<std::shared_ptr<const ReducedRows>>& rows, const Vector& weight, double seen,
                                 bool& factored);

/// Credible sets of the columns that this start includes; columns of a block that stand for one effect share one.            (SP.9)
[[nodiscard]] std::vector<CredibleSet> credible_sets(const SpikeSlab& q);
/// Warns of columns with an effect that other columns follow closely.
void note_interchangeable(const SpikeSlab& q, Fit& fit);

/// Everything a Fit says of its weights, once the components are known.
void describe_sparse(const FitOptions& options, const PenalisedColumns& which, const std::vector<StartOutcome>& starts,
                     const Vector& weight, bool factored, Mixture mixture, const std::vector<bool>& left_out, detail::FitState& state,
                     Fit& fit);

/// The starts of a logistic fit, each with the rows that it ended at.
struct SparseStarts {
  std::vector<StartOutcome> starts;
  std::vector<std::shared_ptr<const ReducedRows>> rows;
};
/// fit_sparse_logistic by starts of which none ends where another did: the fit that (SL.9) shortens, to be compared with it.
void fit_sparse_logistic_in_full(MatrixView X, const Vector& t, const Vector& k, const FitOptions& options, Prepared prepared,
                                 std::shared_ptr<detail::FitState> state, Fit& fit, SparseStarts& starts);

/// No start came to a finite bound.
void describe_failure(const FitOptions& options, const std::vector<bool>& left_out, detail::FitState& state, Fit& fit);

}  // namespace ardvark
