// Changes the size of a matrix that is not empty.
//
// Eigen 3.4 frees the memory of a matrix and then allocates memory of the new size. If this fails, the matrix keeps the address of the
// freed memory, and its destructor frees it again. The same is true for every assignment that changes the size of a matrix. It does not
// happen if the matrix is empty before, or if a new matrix is made and moved. Use these functions for every matrix that exists and changes
// its size.
#pragma once

#include "ardvark/types.hpp"

namespace ardvark::internal {

/// Like m.resize(rows, cols): the old values are lost. If the allocation fails, m is empty.
void resize(auto& m, Index rows, Index cols) {
  if (m.size() != rows * cols) m.resize(0, 0);
  m.resize(rows, cols);
}
void resize(auto& v, Index size) {
  if (v.size() != size) v.resize(0);
  v.resize(size);
}

/// Like to = from. If the allocation fails, `to` is unchanged. `from` may be an expression of `to`.
template <typename Dense, typename Expression>
void assign(Dense& to, const Expression& from) {
  if (to.rows() == from.rows() && to.cols() == from.cols())
    to = from;
  else
    to = Dense(from);
}

}  // namespace ardvark::internal
