// A matrix laid out otherwise in the memory that it has.
#pragma once

#include <vector>

#include "ardvark/types.hpp"

namespace ardvark::internal {

/// [rows, cols], row after row  ->  column after column. Beside the matrix: about 8 MB, or 16 columns where those are more, twice.
void rows_to_columns(double* values, Index rows, Index cols);

/// Column after column: those named, each once, come to the front in this order; what is behind them is of no use.
void bring_to_front(double* values, Index rows, std::vector<Index> columns);

/// The strict upper triangle of a square matrix <- its lower one, in squares that stay in the caches.
void mirror(Matrix& lower);

}  // namespace ardvark::internal
