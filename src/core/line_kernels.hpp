// The inner loops over one line of a dense table, a column or a row as it lies in memory, with vector instructions if the processor has
// them. They compute in double precision unless their name says otherwise.
#pragma once

#include <span>

#include "ardvark/types.hpp"
#include "core/simd.hpp"

namespace ardvark::internal {

/// sum_i k_i (x_i - shift) and sum_i k_i (x_i - shift)^2
struct LineSums {
  double first = 0, second = 0;
};

template <TableScalar T>
struct LineKernels {
  simd::Level level;
  /// The most lines or vectors of one call.
  static constexpr Index most = 4;
  /// out_k <- sum_i x_i r_ki for `count` vectors r_k, 1 to `most`
  void (*dots)(const T* x, Index size, const double* const* r, Index count, double* out);
  /// out[k], out[most + k] <- sum_i x_i r_ki and sum_i y_i r_ki for two lines. Products of some thousand numbers are added in single
  /// precision, and these sums in double.
  void (*dots_in_single)(const T* x, const T* y, Index size, const float* const* r, Index count, double* out);
  /// out_i += sum_k factor_k x_ki for `count` lines x_k, 1 to `most`
  void (*combine)(const T* const* x, Index size, const double* factor, Index count, double* out);
  /// out_i <- (x_i - center) scale factor
  void (*to_double)(const T* x, Index size, double center, double scale, double factor, double* out);
  void (*to_float)(const T* x, Index size, double center, double scale, double factor, float* out);
  template <typename Out>
  [[nodiscard]] auto standardise() const {
    if constexpr (std::is_same_v<Out, double>)
      return to_double;
    else
      return to_float;
  }
  LineSums (*sums)(const T* x, const double* k, double shift, Index size);
};
/// Fastest first; the last runs on every processor.
template <TableScalar T>
[[nodiscard]] std::span<const LineKernels<T>> line_kernels();
/// The fastest that simd::level() allows.
template <TableScalar T>
[[nodiscard]] const LineKernels<T>& line_kernel();

}  // namespace ardvark::internal
