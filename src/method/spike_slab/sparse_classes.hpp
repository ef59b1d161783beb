// Two classes under a sparse prior, for rows in memory and rows that are read in passes.                        docs/math/sparse.md
#pragma once

#include <functional>
#include <memory>

#include "design/sparse_rows.hpp"
#include "method/spike_slab/class_steps.hpp"
#include "method/spike_slab/sparse_fit.hpp"

namespace ardvark::internal {

/// \param noise    ClassRows::noise()
/// \param squares  sums of squares of the columns; empty: they are standardised
[[nodiscard]] SpikeSlabSettings slab_of_rows(const Frame& frame, double noise, SparseParts parts, const Vector& squares);
/// \throws InvalidArgument  rounding would hide the differences between fits
void require_weights_that_leave_digits(const FitOptions& options, double sum);
/// Those of the whole table. If the classes are separated, only the rows at the border have weight, and columns may be alike there that
/// differ in the table.
[[nodiscard]] Matrix correlations_in(const Frame& frame, const std::vector<Index>& columns);
/// The solution without its rows.
/// \param squares   [p] sums of weight times squared entry of the penalised columns; empty: the columns are standardised
/// \param steps     tolerance, number and report of the steps are those of the options
/// \param in_table  as interchangeable_columns()
[[nodiscard]] Solution solve_sparse_rows(const Frame& frame, const PenalisedColumns& which, ClassRows& rows, const Vector& squares,
                                         ClassStepSettings steps, const Correlations& in_table);

/// Of all columns of the design.
struct ComponentOfMixture {
  Vector mean;
  Matrix covariance;
};
[[nodiscard]] ComponentOfMixture component_of_mixture(const Mixture& mixture, const MixtureComponent& one, Index num_columns);

/// The moments of the rows first .. first+count-1 under each component.
using MomentsOfRows = decltype(RowMoments::of_components);
/// With X of sparse rows: all rows are computed at once.                                                                          (SL.8)
[[nodiscard]] MomentsOfRows moments_of_rows(const Mixture& mixture, Design& X);

/// A table in memory, and its rows if they are sparse and X is not.                                                               (SL.8)
struct TableOfRows {
  FitTable X;
  const Standardization& standardization;
  std::shared_ptr<const SparseRows> sparse = nullptr;

  [[nodiscard]] std::unique_ptr<Design> design() const;
  [[nodiscard]] MomentsOfRows moments(const Mixture& posterior) const;
};
/// \throws InvalidArgument  too many rows and columns
void require_decomposition(const Frame& frame, const PenalisedColumns& which);
/// The likelihood of the rows of a table, on columns that a design has. \param t, k  [rows of the design] target, observation weights
using MakeRows = std::function<std::unique_ptr<RowsInMemory>(std::unique_ptr<Design> design, const Vector& t, const Vector& k)>;
/// A table of which only some columns are in memory. \param frame  gets notes and warnings                                       (SL.15)
[[nodiscard]] Solution solve_wide_rows(Frame& frame, const MakeRows& make_rows);
/// The solution without its rows. \param k  [rows of the table] observation weights; \param frame  gets warnings
[[nodiscard]] Solution solve_table(Frame& frame, const PenalisedColumns& which, TableOfRows& table, const Vector& k,
                                   const std::function<std::unique_ptr<RowsInMemory>(std::unique_ptr<Design>)>& make_rows);

}  // namespace ardvark::internal
