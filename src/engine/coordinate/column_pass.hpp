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

/// For each column j of the order: c = z_j'u + d m_j with d = z_j'diag(D)z_j is what it finds of the residual with its own part put back;
/// update(j, c, d) says its new mean; u = D (y - Z m) and g = sum_j v_j z_j^2 follow.                                            (SP.4)
/// \param m  [p], changed.  \param u, g  [m], changed
template <typename Update>
void pass_over_columns(const ReducedRows& rows, std::span<const Index> order, const Vector& D, Vector& m, Vector& u, Vector& g,
                       Update&& update) {
  const ColumnKernels& kernel = column_kernel();
  const Index size = rows.rank();
  const auto Z = rows.Z();
  const auto column = [&](Index j) { return Z.data() + j * size; };
  double change[2], variance[2];
  // Of one that stands for itself, or as the first or second of a pair.
  const auto take = [&](Index j, const ColumnProducts& found, int at) {
    const ColumnUpdate next = update(j, found.with_residual + found.square * m[j], found.square);
    change[at] = next.mean - m[j];
    variance[at] = next.variance;
    m[j] = next.mean;
  };
  std::size_t at = 0;
  for (; at + 2 <= order.size(); at += 2) {
    const Index i = order[at], j = order[at + 1];
    PairProducts found = kernel.products_of_pair(column(i), column(j), u.data(), D.data(), size);
    take(i, found.first, 0);
    found.second.with_residual -= change[0] * found.across;  // what u will have lost by then
    take(j, found.second, 1);
    if (change[0] != 0 || change[1] != 0 || variance[0] != 0 || variance[1] != 0)
      kernel.move_by_pair(column(i), column(j), D.data(), size, change, variance, u.data(), g.data());
  }
  if (at < order.size()) {
    const double* z = column(order[at]);
    take(order[at], kernel.products(z, u.data(), D.data(), size), 0);
    if (change[0] != 0 || variance[0] != 0) kernel.move(z, D.data(), size, change[0], variance[0], u.data(), g.data());
  }
}

}  // namespace ardvark
