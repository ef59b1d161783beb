// From the caller's table to the rows of a chain: of numbers, or of two classes through working weights.   docs/math/effects.md
#pragma once

#include <functional>
#include <vector>

#include "ardvark/effects.hpp"
#include "select/inclusion_chain.hpp"

namespace ardvark::internal {

/// The rows with a weight above 0, and the columns that a chain visits.
struct ChainColumns {
  std::vector<Index> which;  // [m] positions in the table
  Matrix X;                  // [n, m] orthogonal to the flat columns, with the mean square 1
  Matrix flat;               // [n, f] with the intercept
  Vector target, weights;    // [n] a class is 0 or 1
  double num_columns = 0;    // of the table that can have an effect
};
[[nodiscard]] ChainColumns chain_columns(MatrixView X, VectorView target, const EffectOptions& options);

/// The rows of a chain for a target and weights of the rows.
struct WeightedRows {
  ChainRows rows;
  Matrix X;           // [n, m] with the root of the weights, without the flat columns
  Vector flat_part;   // [n] what the flat columns explain of the target, with the root of the weights
  Vector flat_share;  // [n] the variance of the flat part
  Vector root;        // [n] of the weights; two classes only
};
[[nodiscard]] WeightedRows weighted_rows(const ChainColumns& columns, const Vector& target, const Vector& weights);

/// Two classes: the working weights and targets at the moments of the scores of all rows.                                   (FDR.5)
struct DrawnScores {
  Vector mean, variance;  // [n]
};
[[nodiscard]] WeightedRows class_rows(const ChainColumns& columns, const DrawnScores& scores);
/// Score of the share of the second class in every row.
[[nodiscard]] DrawnScores first_scores(const ChainColumns& columns);
/// The moments of the scores over some draws of the effects.  \param next  makes the next draw
[[nodiscard]] DrawnScores scores_of(const WeightedRows& rows, int draws, const std::function<const Vector&()>& next);

}  // namespace ardvark::internal
