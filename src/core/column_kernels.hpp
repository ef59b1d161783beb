// The inner loops of coordinate-wise updates, for one column or several columns, with vector instructions if the processor has them.
#pragma once

#include <span>

#include "ardvark/types.hpp"
#include "core/simd.hpp"

namespace ardvark::internal {

struct ColumnProducts {
  double with_residual = 0;  ///< sum z_i u_i
  double square = 0;         ///< sum D_i z_i^2
};

/// For two columns at once: their computations overlap, and u and D are read only once.
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
  /// move() for both columns; changes and variances have two entries.
  void (*move_by_pair)(const double* y, const double* z, const double* D, Index size, const double* changes, const double* variances,
                       double* u, double* g);
  // The same for the columns Z = (z_1 .. z_count) together.
  /// A = Z'diag(D)Z [count, count], both triangles;  c = Z'u [count]
  void (*joint_products)(const double* const* z, Index count, const double* u, const double* D, Index size, double* A, double* c);
  /// u -= D Z change,  g += diag(Z C Z') with C [count, count] symmetric; only its lower triangle is read
  void (*joint_move)(const double* const* z, Index count, const double* D, Index size, const double* change, const double* C, double* u,
                     double* g);
};
/// Fastest first; the last runs on every processor. All of them add in eight interleaved parts.
[[nodiscard]] std::span<const ColumnKernels> column_kernels();
/// The fastest that simd::level() allows.
[[nodiscard]] const ColumnKernels& column_kernel();

}  // namespace ardvark::internal
