// The inner loops of coordinate-wise updates, over one column or some together, in vector instructions where the processor has them.
#pragma once

#include <span>

#include "ardvark/types.hpp"
#include "core/simd.hpp"

namespace ardvark::internal {

struct ColumnProducts {
  double with_residual = 0;  ///< sum z_i u_i
  double square = 0;         ///< sum D_i z_i^2
};

/// Of two columns at once, which hide each other's latencies, and read u and D once.
struct PairProducts {
  ColumnProducts first, second;
  double across = 0;  ///< sum D_i y_i z_i
};

struct ColumnKernels {
  simd::Level level;
  ColumnProducts (*products)(const double* z, const double* u, const double* D, Index size);
  /// u_i -= change D_i z_i,  g_i += variance z_i^2
  void (*move)(const double* z, const double* D, Index size, double change, double variance, double* u, double* g);
  PairProducts (*products_of_pair)(const double* y, const double* z, const double* u, const double* D, Index size);
  /// Both moves, with changes and variances of the two.
  void (*move_by_pair)(const double* y, const double* z, const double* D, Index size, const double* changes, const double* variances,
                       double* u, double* g);
  // The same of the columns Z = (z_1 .. z_count) together.
  /// A = Z'diag(D)Z [count, count], both triangles;  c = Z'u [count]
  void (*joint_products)(const double* const* z, Index count, const double* u, const double* D, Index size, double* A, double* c);
  /// u -= D Z change,  g += diag(Z C Z') with C [count, count] symmetric, of which the lower triangle is read
  void (*joint_move)(const double* const* z, Index count, const double* D, Index size, const double* change, const double* C, double* u,
                     double* g);
};
/// Fastest first; the last runs everywhere. Sums are taken in eight interleaved parts in all of them.
[[nodiscard]] std::span<const ColumnKernels> column_kernels();
/// The first that simd::level() allows.
[[nodiscard]] const ColumnKernels& column_kernel();

}  // namespace ardvark::internal
