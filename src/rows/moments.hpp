// Weight, means and cross-products of rows.                                                     docs/math/statistics.md
#pragma once

#include "ardvark/statistics.hpp"

namespace ardvark::internal {

/// Columns of X from other columns of X: the j-th is column from[j], or if that is -1 it has the value fill[j] in every row.
struct Rearrangement {
  std::vector<Index> from;
  std::vector<double> fill;
};

/// Of the columns of [X y]. A column whose values are all equal has cross-products that are exactly 0, and exactly this value as its mean;
/// the square of any other column is larger than 0, also where it underflows.
struct Moments {
  StatisticsForm form = StatisticsForm::gram;
  double weight = 0;
  Vector mean;    ///< [q]
  Vector packed;  ///< [q(q+1)/2] a lower triangle, column by column. gram: the cross-products about the mean; factor: L with LL' equal to
                  ///< them

  [[nodiscard]] Index size() const { return mean.size(); }
  /// Adds the rows of `right`.                                                                                            (ST.1), (ST.4)
  void merge(const Moments& right);
  void rearrange(const Rearrangement& columns);
  [[nodiscard]] Matrix triangle() const;  ///< [q,q] `packed`, zeros above
  [[nodiscard]] Matrix cross() const;     ///< [q,q] the cross-products, both triangles
};

constexpr Index rows_of_a_block = 8192;

/// Rows of a table and their targets. Each view has all rows of the block.
struct RowBlock {
  MatrixView X;
  VectorView y, weights;  ///< weights: empty: ones
  [[nodiscard]] RowBlock rows(Index first, Index count) const;
};

/// The result may be not finite, if a number is not, or cannot be squared.
[[nodiscard]] Moments moments_of(const RowBlock& block, StatisticsForm form);
[[nodiscard]] bool is_finite(const Moments& moments);

}  // namespace ardvark::internal
