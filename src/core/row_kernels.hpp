// The inner loops over the rows of a row-major table, with vector instructions if the processor has them.
#pragma once

#include <span>

#include "ardvark/types.hpp"
#include "core/simd.hpp"

namespace ardvark::internal {

/// Adds a row to sums over the rows, one per column: square_j += x_j^2 and product_j += target x_j, where x is the row that is written.
struct RowSums {
  double* square;
  double* product;
};

template <typename Scalar, typename Out>
using ReadRow = void (*)(const Scalar* x, const double* center, const double* scale, double factor, double target, Index size, Out* out,
                         RowSums sums);
template <typename Scalar>
using AddDeviations = void (*)(const Scalar* x, const double* center, double weight, Index size, double* first, double* second);

struct RowKernels {
  simd::Level level;
  /// out_j <- (x_j - center_j) scale_j factor, and its sums
  ReadRow<double, double> read_to_double;
  ReadRow<double, float> read_to_float;
  ReadRow<float, double> read_single_to_double;
  ReadRow<float, float> read_single_to_float;
  ReadRow<std::int8_t, double> read_bytes_to_double;
  ReadRow<std::int8_t, float> read_bytes_to_float;
  /// first_j += weight (x_j - center_j),  second_j += weight (x_j - center_j)^2
  AddDeviations<double> add_deviations;
  AddDeviations<float> add_deviations_of_single;
  AddDeviations<std::int8_t> add_deviations_of_bytes;

  template <typename Scalar, typename Out>
  [[nodiscard]] ReadRow<Scalar, Out> read() const {
    constexpr bool to_double = std::is_same_v<Out, double>;
    if constexpr (std::is_same_v<Scalar, double>)
      return of<to_double>(read_to_double, read_to_float);
    else if constexpr (std::is_same_v<Scalar, float>)
      return of<to_double>(read_single_to_double, read_single_to_float);
    else
      return of<to_double>(read_bytes_to_double, read_bytes_to_float);
  }
  template <typename Scalar>
  [[nodiscard]] AddDeviations<Scalar> deviations() const {
    if constexpr (std::is_same_v<Scalar, double>)
      return add_deviations;
    else if constexpr (std::is_same_v<Scalar, float>)
      return add_deviations_of_single;
    else
      return add_deviations_of_bytes;
  }

 private:
  template <bool takes_first>
  static auto of(auto first, auto second) {
    if constexpr (takes_first)
      return first;
    else
      return second;
  }
};
/// Fastest first; the last runs on every processor.
[[nodiscard]] std::span<const RowKernels> row_kernels();
/// The fastest that simd::level() allows.
[[nodiscard]] const RowKernels& row_kernel();

}  // namespace ardvark::internal
