// The rows of a table in an order of their own.                                                    docs/math/sequential.md
#pragma once

#include <vector>

#include "ardvark/types.hpp"

namespace ardvark::internal {

struct OrderedRows {
  std::vector<Index> rows;  ///< positions in the table, one of each set of equal rows
  Vector weights;           ///< [rows.size()] of all its copies together
  std::vector<Index> at;    ///< [n] which of these each row of the table is; -1: of weight zero
};

/// The different rows in an order that looks random and depends on nothing but what is in them.                         (SEQ.6)
/// \param X [n,p] finite, \param y [n] labels, \param k [n] weights, >= 0; rows of weight zero are left out.   O(n p + n log n)
[[nodiscard]] OrderedRows order_by_content(MatrixView X, const Vector& y, const Vector& k);

}  // namespace ardvark::internal
