// Rearranges a matrix inside its own memory.
#pragma once

#include <vector>

#include "ardvark/types.hpp"

namespace ardvark::internal {

/// Changes a matrix [rows, cols] from row-major to column-major. Needs up to about twice 8 MB more, or twice 16 columns if they are larger.
void rows_to_columns(double* values, Index rows, Index cols);

/// Moves the named columns of a column-major matrix to the front, in this order. Each may be named only once. The columns behind them are
/// then in no defined order.
void bring_to_front(double* values, Index rows, std::vector<Index> columns);

/// Copies the lower triangle of a square matrix to its upper one, in blocks that stay in the caches.
void mirror(Matrix& lower);

}  // namespace ardvark::internal
