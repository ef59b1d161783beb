// From the caller's table to the rows of a chain: of numbers, or of two classes with weights.   docs/math/effects.md
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "ardvark/effects.hpp"
#include "select/inclusion_chain.hpp"
#include "table/column_copy.hpp"

namespace ardvark::internal {

/// Of a chain with weights of the rows: sweeps with the same weights.
inline constexpr int sweeps_of_weights = 5;

/// The columns that a chain visits, in the form of the table, and what it reads of the rows.
struct ChainColumns {
  std::vector<Index> which;          // [m] positions in the table
  FitTable table;                    // of these columns
  std::unique_ptr<ColumnCopy> copy;  // the memory of `table`; null: it is the caller's table
  Standardization units;             // centred; the part beside the flat columns has the mean square 1. Unit 0: there is none
  std::unique_ptr<Design> design;    // of `table` in these units
  Matrix flat;                       // [n, f] with the intercept
  Vector target, weights;            // [n] a class is 0 or 1
  double num_columns = 0;            // of the caller's table that can have an effect
};
/// Of each row; empty: ones.
[[nodiscard]] Vector weights_of(VectorView weights, Index num_rows);
/// \param X  must exist as long as what is returned
/// \param offset  a column that is none of a model
[[nodiscard]] ChainColumns chain_columns(const FitTable& X, VectorView target, const EffectOptions& options,
                                         std::optional<Index> offset = {});
/// A copy of some of the columns. \param positions  in `which`, ascending
[[nodiscard]] ChainColumns some_of(const ChainColumns& columns, const std::vector<Index>& positions);

/// The rows of a chain for a target and weights of the rows.
struct WeightedRows {
  ChainRows rows;
  Vector root;        // [n] of the weights
  Matrix flat, both;  // [n, f] orthonormal columns that span those of the flat ones with the root of the weights; [m, f] X' of them
  Vector flat_part;   // [n] what the flat columns explain of the target, with the root of the weights
};
[[nodiscard]] WeightedRows weighted_rows(const ChainColumns& columns, const Vector& target, const Vector& weights);
/// The same of two classes: the noise is known.
[[nodiscard]] WeightedRows class_rows(const ChainColumns& columns, const Vector& target, const Vector& weights);
/// [n] The scores of the rows for these effects, with coefficients of the flat columns that are the best ones, or drawn.
/// \param draw  null: the best ones
/// \param noise_sd  of a row of weight 1
[[nodiscard]] Vector scores_of(const ChainColumns& columns, const WeightedRows& rows, const Vector& effects, Normals* draw,
                               double noise_sd = 1);
/// Of the second class among all rows, half a row added to both.
[[nodiscard]] double share_of_second(const ChainColumns& columns);

}  // namespace ardvark::internal
