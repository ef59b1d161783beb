// The rows of a table in an order that depends only on their content.                                           docs/math/sequential.md
#pragma once

#include <vector>

#include "table/fit_table.hpp"

namespace ardvark::internal {

struct OrderedRows {
  std::vector<Index> rows;  ///< positions in the table, one of each set of equal rows
  Vector weights;           ///< [rows.size()] sum of the weights of all equal rows
  std::vector<Index> at;    ///< [n] position in `rows` of each row of the table; -1: its weight is zero
};

/// The different rows in an order that looks random and depends only on their content.                                          (SEQ.6)
/// \param X [n,p] finite, \param y [n] labels, \param k [n] weights, >= 0; rows of weight zero are left out.   O(n p + n log n)
[[nodiscard]] OrderedRows order_by_content(const FitTable& X, const Vector& y, const Vector& k);

}  // namespace ardvark::internal
