// Columns that a chain of models has to visit, under normal approximations of the rows.                      docs/math/effects.md
#pragma once

#include <functional>

#include "select/chain_columns.hpp"

namespace ardvark::internal {

/// Of the linear predictors of the rows, without offsets; the noise is that of a row of weight 1.
struct MomentsOfScores {
  Vector mean, variance;  // [n]
  double noise = 1;       // variance
};
/// The rows of a normal distribution that is near the likelihood where the scores have these moments.
using Approximation = std::function<WeightedRows(const ChainColumns& columns, const MomentsOfScores& scores)>;

struct ColumnsInPlay {
  ChainColumns columns;
  MomentsOfScores scores;  // of the last round
};
/// Leaves out columns that a chain under normal approximations hardly ever visits.                                         (FDR.5)
/// \param first        the moments of the first of four rounds
/// \param most_rounds  if more, rounds go on until the scores hardly change
[[nodiscard]] ColumnsInPlay columns_in_play(const ChainColumns& columns, const Approximation& approximate, MomentsOfScores first,
                                            std::uint64_t seed, int most_rounds = 4);

}  // namespace ardvark::internal
