// diag(w) X.
#pragma once

#include "ardvark/types.hpp"

namespace ardvark::internal {

/// out <- diag(w) X, column by column: twice as fast as Eigen's product with a diagonal matrix, which computes row and column of each
/// entry. (If w were an expression, its entries would be computed again for each column.) X [rows, cols] may be a block.
inline void scale_rows(const Vector& w, const Eigen::Ref<const Matrix>& X, Eigen::Ref<Matrix> out) {
  for (Index j = 0; j < X.cols(); ++j) out.col(j) = w.cwiseProduct(X.col(j));
}

}  // namespace ardvark::internal
