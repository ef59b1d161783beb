#include "core/row_kernels.hpp"

#include <array>

#include "core/eight.hpp"

namespace ardvark::internal {
namespace {

template <typename Scalar, typename Out>
[[gnu::always_inline]] inline void read_row(const Scalar* x, const double* center, const double* scale, double factor, double target,
                                            Index size, Out* out, RowSums sums) {
  Eight xj, cj, sj, square, product;
  Index j = 0;
  for (; j + lanes <= size; j += lanes) {
    load(x + j, xj);
    load(center + j, cj);
    load(scale + j, sj);
    xj = (xj - cj) * sj * factor;
    store(xj, out + j);
    load(sums.square + j, square);
    load(sums.product + j, product);
    store(square + xj * xj, sums.square + j);
    store(product + target * xj, sums.product + j);
  }
  for (; j < size; ++j) {
    const double value = (static_cast<double>(x[j]) - center[j]) * scale[j] * factor;
    out[j] = static_cast<Out>(value);
    sums.square[j] += value * value;
    sums.product[j] += target * value;
  }
}

[[gnu::always_inline]] inline void add_deviations(const auto* x, const double* center, double weight, Index size, double* first,
                                                  double* second) {
  Eight xj, cj, one, two;
  Index j = 0;
  for (; j + lanes <= size; j += lanes) {
    load(x + j, xj);
    load(center + j, cj);
    load(first + j, one);
    load(second + j, two);
    xj -= cj;
    store(one + weight * xj, first + j);
    store(two + weight * xj * xj, second + j);
  }
  for (; j < size; ++j) {
    const double deviation = static_cast<double>(x[j]) - center[j];
    first[j] += weight * deviation;
    second[j] += weight * deviation * deviation;
  }
}

// All for one instruction set.
#define ARDVARK_READ_ROW(name, Scalar, Out, ...)                                                                                        \
  __VA_ARGS__ void name(const Scalar* x, const double* center, const double* scale, double factor, double target, Index size, Out* out, \
                        RowSums sums) {                                                                                                 \
    read_row(x, center, scale, factor, target, size, out, sums);                                                                        \
  }
#define ARDVARK_ADD_DEVIATIONS(name, Scalar, ...)                                                                          \
  __VA_ARGS__ void name(const Scalar* x, const double* center, double weight, Index size, double* first, double* second) { \
    add_deviations(x, center, weight, size, first, second);                                                                \
  }
#define ARDVARK_ROW_KERNELS(suffix, ...)                                        \
  ARDVARK_READ_ROW(double_to_double_##suffix, double, double, __VA_ARGS__)      \
  ARDVARK_READ_ROW(double_to_float_##suffix, double, float, __VA_ARGS__)        \
  ARDVARK_READ_ROW(float_to_double_##suffix, float, double, __VA_ARGS__)        \
  ARDVARK_READ_ROW(float_to_float_##suffix, float, float, __VA_ARGS__)          \
  ARDVARK_READ_ROW(bytes_to_double_##suffix, std::int8_t, double, __VA_ARGS__)  \
  ARDVARK_READ_ROW(bytes_to_float_##suffix, std::int8_t, float, __VA_ARGS__)    \
  ARDVARK_ADD_DEVIATIONS(add_deviations_##suffix, double, __VA_ARGS__)          \
  ARDVARK_ADD_DEVIATIONS(add_deviations_of_single_##suffix, float, __VA_ARGS__) \
  ARDVARK_ADD_DEVIATIONS(add_deviations_of_bytes_##suffix, std::int8_t, __VA_ARGS__)

ARDVARK_FOR_SIMD(ARDVARK_ROW_KERNELS)

}  // namespace

std::span<const RowKernels> row_kernels() {
#define ARDVARK_ROW_KERNELS_OF(name, ...)     \
  RowKernels{simd::Level::name,               \
             double_to_double_##name,         \
             double_to_float_##name,          \
             float_to_double_##name,          \
             float_to_float_##name,           \
             bytes_to_double_##name,          \
             bytes_to_float_##name,           \
             add_deviations_##name,           \
             add_deviations_of_single_##name, \
             add_deviations_of_bytes_##name},
  static const std::array kernels = {ARDVARK_FOR_SIMD(ARDVARK_ROW_KERNELS_OF)};
  return kernels;
}

const RowKernels& row_kernel() {
  static const RowKernels& best = simd::best(row_kernels());
  return best;
}

}  // namespace ardvark::internal
