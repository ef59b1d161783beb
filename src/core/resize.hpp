// Another size for a matrix that holds something.
//
// Eigen 3.4 frees what a matrix holds, then asks for memory of the new size. Where it gets none the matrix keeps the address of what it has
// freed, and its destructor frees that again. The same goes for every assignment that changes a size, also that of one matrix to another.
// Of a matrix that is empty, or made anew and moved, nothing is freed twice; so these are for whatever keeps its place and changes its
// size.
#pragma once

#include "ardvark/types.hpp"

namespace ardvark::internal {

/// As m.resize(rows, cols): what stood there is lost. Without memory m is empty.
template <typename Dense>
void resize(Dense& m, Index rows, Index cols) {
  if (m.size() != rows * cols) m.resize(0, 0);
  m.resize(rows, cols);
}
template <typename Dense>
void resize(Dense& v, Index size) {
  if (v.size() != size) v.resize(0);
  v.resize(size);
}

/// As to = from. Without memory `to` stays as it was. `from` may be made of `to`.
template <typename Dense, typename Expression>
void assign(Dense& to, const Expression& from) {
  if (to.rows() == from.rows() && to.cols() == from.cols())
    to = from;
  else
    to = Dense(from);
}

}  // namespace ardvark::internal
