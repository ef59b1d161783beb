#include "core/line_kernels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace ardvark::internal {
namespace {

// Four numbers in one vector: eight doubles do not fit into one register of most processors.
constexpr Index width = 4;
typedef double Four __attribute__((vector_size(width * sizeof(double))));
typedef float FourSingle __attribute__((vector_size(width * sizeof(float))));
typedef std::int32_t FourInts __attribute__((vector_size(width * sizeof(std::int32_t))));

[[gnu::always_inline]] inline void load_four(const double* from, Four& to) { std::memcpy(&to, from, sizeof to); }
[[gnu::always_inline]] inline void load_four(const float* from, Four& to) {
  FourSingle single;
  std::memcpy(&single, from, sizeof single);
  to = __builtin_convertvector(single, Four);
}
// Each byte is moved to the top of its own integer, and back with its sign: g++ 12 converts bytes one by one.
[[gnu::always_inline]] inline void load_four(const std::int8_t* from, Four& to) {
  std::int32_t bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  constexpr bool lowest_first = std::endian::native == std::endian::little;
  constexpr FourInts up = lowest_first ? FourInts{24, 16, 8, 0} : FourInts{0, 8, 16, 24};
  const FourInts all = FourInts{bytes, bytes, bytes, bytes};
  to = __builtin_convertvector((all << up) >> 24, Four);
}
typedef float EightOfLine __attribute__((vector_size(2 * width * sizeof(float))));
typedef double EightOfSum __attribute__((vector_size(2 * width * sizeof(double))));
typedef std::int32_t EightIntsOfLine __attribute__((vector_size(2 * width * sizeof(std::int32_t))));
[[gnu::always_inline]] inline void load_eight(const double* from, EightOfLine& to) {
  EightOfSum x;
  std::memcpy(&x, from, sizeof x);
  to = __builtin_convertvector(x, EightOfLine);
}
[[gnu::always_inline]] inline void load_eight(const float* from, EightOfLine& to) { std::memcpy(&to, from, sizeof to); }
[[gnu::always_inline]] inline void load_eight(const std::int8_t* from, EightOfLine& to) {
  std::int32_t first, second;
  std::memcpy(&first, from, sizeof first);
  std::memcpy(&second, from + sizeof first, sizeof second);
  constexpr bool lowest_first = std::endian::native == std::endian::little;
  constexpr EightIntsOfLine up = lowest_first ? EightIntsOfLine{24, 16, 8, 0, 24, 16, 8, 0} : EightIntsOfLine{0, 8, 16, 24, 0, 8, 16, 24};
  const EightIntsOfLine all = EightIntsOfLine{first, first, first, first, second, second, second, second};
  to = __builtin_convertvector((all << up) >> 24, EightOfLine);
}

[[gnu::always_inline]] inline void store_four(const Four& from, double* to) { std::memcpy(to, &from, sizeof from); }
[[gnu::always_inline]] inline void store_four(const Four& from, float* to) {
  const FourSingle single = __builtin_convertvector(from, FourSingle);
  std::memcpy(to, &single, sizeof single);
}
[[gnu::always_inline]] inline double sum_of(const Four& x) { return (x[0] + x[1]) + (x[2] + x[3]); }

// Several groups of four at once, so that a sum does not wait for the one before.
template <int Count, int Groups>
[[gnu::always_inline]] inline void dots_of(const auto* x, Index size, const double* const* r, double* out) {
  Four sum[Groups][Count] = {}, xi, ri;
  Index i = 0;
  for (; i + Groups * width <= size; i += Groups * width)
#pragma GCC unroll 4
    for (int g = 0; g < Groups; ++g) {
      load_four(x + i + g * width, xi);
#pragma GCC unroll 4
      for (int k = 0; k < Count; ++k) {
        load_four(r[k] + i + g * width, ri);
        sum[g][k] += xi * ri;
      }
    }
#pragma GCC unroll 4
  for (int k = 0; k < Count; ++k) {
    Four all = sum[0][k];
#pragma GCC unroll 4
    for (int g = 1; g < Groups; ++g) all += sum[g][k];
    out[k] = sum_of(all);
  }
  for (; i < size; ++i)
    for (int k = 0; k < Count; ++k) out[k] += static_cast<double>(x[i]) * r[k][i];
}

[[gnu::always_inline]] inline void dots(const auto* x, Index size, const double* const* r, Index count, double* out) {
  switch (count) {
    case 1: return dots_of<1, 4>(x, size, r, out);
    case 2: return dots_of<2, 4>(x, size, r, out);
    case 3: return dots_of<3, 2>(x, size, r, out);
    default: return dots_of<4, 2>(x, size, r, out);
  }
}

constexpr Index products_in_single = 8192;  // in eight sums: the error of a sum is at most 1024 roundings of single precision

template <int Count>
[[gnu::always_inline]] inline void dots_in_single_of(const auto* x, const auto* y, Index size, const float* const* r, double* out) {
  constexpr Index step = 2 * width, most = LineKernels<float>::most;
  double of_x[Count] = {}, of_y[Count] = {};
  Index i = 0;
  while (i + step <= size) {
    EightOfLine sum_x[Count] = {}, sum_y[Count] = {}, xi, yi, ri;
    for (const Index end = std::min(size, i + products_in_single); i + step <= end; i += step) {
      load_eight(x + i, xi);
      load_eight(y + i, yi);
#pragma GCC unroll 4
      for (int k = 0; k < Count; ++k) {
        load_eight(r[k] + i, ri);
        sum_x[k] += xi * ri;
        sum_y[k] += yi * ri;
      }
    }
    for (int k = 0; k < Count; ++k)
      for (int lane = 0; lane < step; ++lane)
        of_x[k] += static_cast<double>(sum_x[k][lane]), of_y[k] += static_cast<double>(sum_y[k][lane]);
  }
  for (; i < size; ++i)
    for (int k = 0; k < Count; ++k) {
      of_x[k] += static_cast<double>(x[i]) * static_cast<double>(r[k][i]);
      of_y[k] += static_cast<double>(y[i]) * static_cast<double>(r[k][i]);
    }
  for (int k = 0; k < Count; ++k) out[k] = of_x[k], out[most + k] = of_y[k];
}

[[gnu::always_inline]] inline void dots_in_single(const auto* x, const auto* y, Index size, const float* const* r, Index count,
                                                  double* out) {
  switch (count) {
    case 1: return dots_in_single_of<1>(x, y, size, r, out);
    case 2: return dots_in_single_of<2>(x, y, size, r, out);
    case 3: return dots_in_single_of<3>(x, y, size, r, out);
    default: return dots_in_single_of<4>(x, y, size, r, out);
  }
}

template <int Count>
[[gnu::always_inline]] inline void combine_of(const auto* const* x, Index size, const double* factor, double* out) {
  Four xi, sum;
  Index i = 0;
  for (; i + width <= size; i += width) {
    load_four(out + i, sum);
#pragma GCC unroll 4
    for (int k = 0; k < Count; ++k) {
      load_four(x[k] + i, xi);
      sum += factor[k] * xi;
    }
    store_four(sum, out + i);
  }
  for (; i < size; ++i)
    for (int k = 0; k < Count; ++k) out[i] += factor[k] * static_cast<double>(x[k][i]);
}

[[gnu::always_inline]] inline void combine(const auto* const* x, Index size, const double* factor, Index count, double* out) {
  switch (count) {
    case 1: return combine_of<1>(x, size, factor, out);
    case 2: return combine_of<2>(x, size, factor, out);
    case 3: return combine_of<3>(x, size, factor, out);
    default: return combine_of<4>(x, size, factor, out);
  }
}

template <typename Out>
[[gnu::always_inline]] inline void standardise(const auto* x, Index size, double center, double scale, double factor, Out* out) {
  Four xi;
  Index i = 0;
  for (; i + width <= size; i += width) {
    load_four(x + i, xi);
    store_four((xi - center) * scale * factor, out + i);
  }
  for (; i < size; ++i) out[i] = static_cast<Out>((static_cast<double>(x[i]) - center) * scale * factor);
}

[[gnu::always_inline]] inline LineSums weighted_sums(const auto* x, const double* k, double shift, Index size) {
  Four first[2] = {}, second[2] = {}, xi, ki;
  Index i = 0;
  for (; i + 2 * width <= size; i += 2 * width)
#pragma GCC unroll 2
    for (int g = 0; g < 2; ++g) {
      load_four(x + i + g * width, xi);
      load_four(k + i + g * width, ki);
      xi -= shift;
      first[g] += ki * xi;
      second[g] += ki * xi * xi;
    }
  LineSums out{sum_of(first[0] + first[1]), sum_of(second[0] + second[1])};
  for (; i < size; ++i) {
    const double deviation = static_cast<double>(x[i]) - shift;
    out.first += k[i] * deviation;
    out.second += k[i] * deviation * deviation;
  }
  return out;
}

// All for one instruction set.
#define ARDVARK_LINE_KERNELS(suffix, ...)                                                                                         \
  template <typename T>                                                                                                           \
  __VA_ARGS__ void dots_##suffix(const T* x, Index size, const double* const* r, Index count, double* out) {                      \
    dots(x, size, r, count, out);                                                                                                 \
  }                                                                                                                               \
  template <typename T>                                                                                                           \
  __VA_ARGS__ void dots_in_single_##suffix(const T* x, const T* y, Index size, const float* const* r, Index count, double* out) { \
    dots_in_single(x, y, size, r, count, out);                                                                                    \
  }                                                                                                                               \
  template <typename T>                                                                                                           \
  __VA_ARGS__ void combine_##suffix(const T* const* x, Index size, const double* factor, Index count, double* out) {              \
    combine(x, size, factor, count, out);                                                                                         \
  }                                                                                                                               \
  template <typename T>                                                                                                           \
  __VA_ARGS__ void to_double_##suffix(const T* x, Index size, double center, double scale, double factor, double* out) {          \
    standardise(x, size, center, scale, factor, out);                                                                             \
  }                                                                                                                               \
  template <typename T>                                                                                                           \
  __VA_ARGS__ void to_float_##suffix(const T* x, Index size, double center, double scale, double factor, float* out) {            \
    standardise(x, size, center, scale, factor, out);                                                                             \
  }                                                                                                                               \
  template <typename T>                                                                                                           \
  __VA_ARGS__ LineSums sums_##suffix(const T* x, const double* k, double shift, Index size) {                                     \
    return weighted_sums(x, k, shift, size);                                                                                      \
  }

ARDVARK_FOR_SIMD(ARDVARK_LINE_KERNELS)

}  // namespace

template <TableScalar T>
std::span<const LineKernels<T>> line_kernels() {
#define ARDVARK_LINE_KERNELS_OF(name, ...)                                                                             \
  LineKernels<T>{simd::Level::name,  dots_##name<T>, dots_in_single_##name<T>, combine_##name<T>, to_double_##name<T>, \
                 to_float_##name<T>, sums_##name<T>},
  static const std::array kernels = {ARDVARK_FOR_SIMD(ARDVARK_LINE_KERNELS_OF)};
  return kernels;
}

template <TableScalar T>
const LineKernels<T>& line_kernel() {
  static const LineKernels<T>& best = simd::best(line_kernels<T>());
  return best;
}

template std::span<const LineKernels<double>> line_kernels();
template std::span<const LineKernels<float>> line_kernels();
template std::span<const LineKernels<std::int8_t>> line_kernels();
template const LineKernels<double>& line_kernel();
template const LineKernels<float>& line_kernel();
template const LineKernels<std::int8_t>& line_kernel();

}  // namespace ardvark::internal
