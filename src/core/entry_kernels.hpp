// The inner loop over the entries of a sparse column, with vector instructions if the processor has them.
#pragma once

#include <span>

#include "ardvark/types.hpp"
#include "core/simd.hpp"

namespace ardvark::internal {

/// \tparam Row  std::int32_t or std::int64_t.  \tparam T  of the entries.  \tparam Real  double, or float: then sums of some thousand
/// products are in single precision, and these are added up in double
template <typename Row, TableScalar T, typename Real>
struct EntryKernel {
  simd::Level level;
  static constexpr Index width = 8;  ///< vectors of one call
  /// out_k <- sum_e value_e r_k(row_e). \param r  [width, rows] the numbers of a row side by side
  void (*sums)(const Row* row, const T* value, Index count, const Real* r, double* out);
};
/// Fastest first; the last runs on every processor.
template <typename Row, TableScalar T, typename Real>
[[nodiscard]] std::span<const EntryKernel<Row, T, Real>> entry_kernels();
/// The fastest that simd::level() allows.
template <typename Row, TableScalar T, typename Real>
[[nodiscard]] const EntryKernel<Row, T, Real>& entry_kernel();

}  // namespace ardvark::internal
