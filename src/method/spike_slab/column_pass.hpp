// The loop over columns that all methods with single-column updates share.                         docs/math/sparse.md (SP.4), (L1.3)
#pragma once

#include <span>

#include "core/column_kernels.hpp"
#include "method/spike_slab/reduced_rows.hpp"

namespace ardvark::internal {

/// The new posterior of one column.
struct ColumnUpdate {
  double mean = 0;
  double variance = 0;
};

/// Updates column j: c = z_j'u + d m_j with d = z_j'diag(D)z_j is its product with the residual without its own part. update(j, c, d)
/// returns the new mean and variance. Then u = D (y - Z m) changes, and g = sum_j v_j z_j^2 gets its term.                       (SP.4)
/// \param m  [p], changed.  \param u, g  [m], changed
void update_column(const ColumnKernels& kernel, const ReducedRows& rows, Index j, const Vector& D, Vector& m, Vector& u, Vector& g,
                   auto&& update) {
  const Index size = rows.rank();
  const double* z = rows.Z().data() + j * size;
  const ColumnProducts found = kernel.products(z, u.data(), D.data(), size);
  const ColumnUpdate next = update(j, found.with_residual + found.square * m[j], found.square);
  const double change = next.mean - m[j];
  if (change != 0 || next.variance != 0) kernel.move(z, D.data(), size, change, next.variance, u.data(), g.data());
  m[j] = next.mean;
}

/// Column i, then column j, in one pass over both.
void update_pair(const ColumnKernels& kernel, const ReducedRows& rows, Index i, Index j, const Vector& D, Vector& m, Vector& u, Vector& g,
                 auto&& update) {
  const Index size = rows.rank();
  const double *first = rows.Z().data() + i * size, *second = rows.Z().data() + j * size;
  const PairProducts found = kernel.products_of_pair(first, second, u.data(), D.data(), size);
  double change[2], variance[2];
  const auto take = [&](Index at, int which, double with_residual, double square) {
    const ColumnUpdate next = update(at, with_residual + square * m[at], square);
    change[which] = next.mean - m[at];
    variance[which] = next.variance;
    m[at] = next.mean;
  };
  take(i, 0, found.first.with_residual, found.first.square);
  take(j, 1, found.second.with_residual - change[0] * found.across, found.second.square);  // with u after the update of column i
  if (change[0] != 0 || change[1] != 0 || variance[0] != 0 || variance[1] != 0)
    kernel.move_by_pair(first, second, D.data(), size, change, variance, u.data(), g.data());
}

/// Updates each column of the order.
void pass_over_columns(const ReducedRows& rows, std::span<const Index> order, const Vector& D, Vector& m, Vector& u, Vector& g,
                       auto&& update) {
  const ColumnKernels& kernel = column_kernel();
  std::size_t at = 0;
  for (; at + 2 <= order.size(); at += 2) update_pair(kernel, rows, order[at], order[at + 1], D, m, u, g, update);
  if (at < order.size()) update_column(kernel, rows, order[at], D, m, u, g, update);
}

}  // namespace ardvark::internal
