// Two classes under a sparse prior, for rows in memory and rows that are read in passes.                        docs/math/sparse.md
#pragma once

#include "method/spike_slab/class_steps.hpp"
#include "method/spike_slab/sparse_fit.hpp"

namespace ardvark::internal {

/// The solution without its rows.
/// \param squares   [p] sums of weight times squared entry of the penalised columns; empty: the columns are standardised
/// \param steps     tolerance, number and report of the steps are those of the options
/// \param in_table  as interchangeable_columns()
[[nodiscard]] Solution solve_sparse_rows(const Frame& frame, const PenalisedColumns& which, ClassRows& rows, const Vector& squares,
                                         ClassStepSettings steps, const AreCorrelated& in_table);

/// Of all columns of the design.
struct ComponentOfMixture {
  Vector mean;
  Matrix covariance;
};
[[nodiscard]] ComponentOfMixture component_of_mixture(const Mixture& mixture, const MixtureComponent& one, Index num_columns);

}  // namespace ardvark::internal
