// The one loop of the methods that go from column to column.                                       docs/math/sparse.md (SP.4), (L1.3)
#pragma once

#include <span>
#include <vector>

#include "core/column_kernels.hpp"
#include "engine/coordinate/reduced_rows.hpp"

namespace ardvark {

/// What a prior makes of one column.
struct ColumnUpdate {
  double mean = 0;
  double variance = 0;
};

/// For column j: c = z_j'u + d m_j with d = z_j'diag(D)z_j is what it finds of the residual with its own part put back; update(j, c, d)
/// says its new mean; u = D (y - Z m) and g = sum_j v_j z_j^2 follow.                                                            (SP.4)
/// \param m  [p], changed.  \param u, g  [m], changed
template <typename Update>
void update_column(const ColumnKernels& kernel, const ReducedRows& rows, Index j, const Vector& D, Vector& m, Vector& u, Vector& g,
                   Update&& update) {
  const Index size = rows.rank();
  const double* z = rows.storage.data() + j * size;
  const ColumnProducts found = kernel.products(z, u.data(), D.data(), size);
  const ColumnUpdate next = update(j, found.with_residual + found.square * m[j], found.square);
  const double change = next.mean - m[j];
  if (change != 0 || next.variance != 0) kernel.move(z, D.data(), size, change, next.variance, u.data(), g.data());
  m[j] = next.mean;
}

/// Each column of the order.
template <typename Update>
void pass_over_columns(const ReducedRows& rows, std::span<const Index> order, const Vector& D, Vector& m, Vector& u, Vector& g,
                       Update&& update) {
  const ColumnKernels& kernel = column_kernel();
  for (const Index j : order) update_column(kernel, rows, j, D, m, u, g, update);
}

}  // namespace ardvark
