#include "core/tile_products.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "core/simd.hpp"

#if defined(__x86_64__) && defined(__linux__)
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace ardvark::internal::tiles {
namespace {

constexpr Index wide = 16, deep = 32;  // a tile: vectors, entries

}  // namespace

void Operand::resize(Index vectors, Index steps) {
  vectors_ = vectors;
  steps_ = steps;
  const auto strips = static_cast<std::size_t>(blocks() * (block / wide)), used = static_cast<std::size_t>((vectors + wide - 1) / wide);
  const auto of_strip = static_cast<std::size_t>(parts * steps);
  tiles_.resize(strips * of_strip);
  std::fill(tiles_.begin() + static_cast<std::ptrdiff_t>(used * of_strip), tiles_.end(), Tile{});
}

void Operand::turn(const Operand& other) {
  resize(other.vectors_, other.steps_);
  for (std::size_t t = 0; t < tiles_.size(); ++t)
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 16; ++j) tiles_[t].pair[i][j] = other.tiles_[t].pair[j][i];
}

#if defined(__x86_64__) && defined(__linux__)

namespace {

#define ARDVARK_TILES [[gnu::target("avx512f,avx512dq,fma,amx-tile,amx-bf16")]]

using Floats = float __attribute__((vector_size(64)));
using Words = std::uint32_t __attribute__((vector_size(64)));
using Halves = std::uint16_t __attribute__((vector_size(32)));

// The nearest numbers of bfloat16: the upper half of a float.
ARDVARK_TILES inline Words rounded(Floats x) {
  const auto bits = reinterpret_cast<Words>(x);
  return (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000;
}

// A line of a tile: a, then b; or pairs of both.
ARDVARK_TILES inline void store(Words a, Words b, bool are_pairs, std::uint32_t* line) {
  if (are_pairs) {
    const Words both = (a >> 16) | b;
    std::memcpy(line, &both, sizeof both);
    return;
  }
  const Halves first = __builtin_convertvector(a >> 16, Halves), second = __builtin_convertvector(b >> 16, Halves);
  std::memcpy(line, &first, sizeof first);
  std::memcpy(line + 8, &second, sizeof second);
}

// A line of each part, of 16 entries of a and b.
template <typename Tile>
ARDVARK_TILES inline void split(const float* a, const float* b, bool are_pairs, Tile* parts, Index count, Index line) {
  Floats x, y;
  std::memcpy(&x, a, sizeof x);
  std::memcpy(&y, b, sizeof y);
  for (Index part = 0; part < count; ++part) {
    const Words of_x = rounded(x), of_y = rounded(y);
    store(of_x, of_y, are_pairs, parts[part].pair[line]);
    x -= reinterpret_cast<Floats>(of_x);
    y -= reinterpret_cast<Floats>(of_y);
  }
}

struct [[gnu::packed]] Shape {
  std::uint8_t palette = 1, start = 0, reserved[14] = {};
  std::uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

}  // namespace

bool are_used() {
  // The registers are large, so that Linux gives them only to a process that asks.
  static const bool are = [] {
    constexpr long request = 0x1023, tile_data = 18;  // ARCH_REQ_XCOMP_PERM
    return simd::level() >= simd::Level::amx && syscall(SYS_arch_prctl, request, tile_data) == 0;
  }();
  return are;
}

ARDVARK_TILES void Operand::take(const Eigen::Ref<const Eigen::MatrixXf>& A, bool are_columns) {
  resize(are_columns ? A.cols() : A.rows(), ((are_columns ? A.rows() : A.cols()) + deep - 1) / deep);
  const Index height = are_columns ? deep : wide, width = are_columns ? wide : deep;
  float edge[wide * deep];
  for (Index strip = 0; strip * wide < vectors_; ++strip)
    for (Index step = 0; step < steps_; ++step) {
      const Index row = are_columns ? step * deep : strip * wide, column = are_columns ? strip * wide : step * deep;
      const float* from = A.data() + row + column * A.outerStride();
      Index stride = A.outerStride();
      if (row + height > A.rows() || column + width > A.cols()) {  // zeros beyond the edge
        std::fill(std::begin(edge), std::end(edge), 0.0F);
        for (Index j = 0; j < std::min(width, A.cols() - column); ++j)
          std::copy_n(from + j * stride, std::min(height, A.rows() - row), edge + j * height);
        from = edge;
        stride = height;
      }
      Tile* const out = tiles_.data() + parts * (strip * steps_ + step);
      for (Index line = 0; line < 16; ++line) {
        const float* const one = from + (are_columns ? line : 2 * line) * stride;
        split(one, one + (are_columns ? 16 : stride), !are_columns, out, parts, line);
      }
    }
}

#define ARDVARK_LOAD_TWO(to, next, first, second) \
  _tile_loadd(to, first, 64);                     \
  _tile_loadd(next, second, 64)
// A product of two registers takes 16 cycles and is in its sum after 52, so that four sums are needed.
#define ARDVARK_ADD_FOUR   \
  _tile_dpbf16ps(0, 4, 6); \
  _tile_dpbf16ps(1, 4, 7); \
  _tile_dpbf16ps(2, 5, 6); \
  _tile_dpbf16ps(3, 5, 7)

ARDVARK_TILES void multiply(const Operand& left, Index i, const Operand& right, Index j, float* C, Index stride) {
  static constexpr Shape shape;
  asm volatile("" ::: "memory");  // the intrinsics do not say what they read
  _tile_loadconfig(&shape);
  const Operand::Tile *a = left.at(2 * i), *b = left.at(2 * i + 1), *x = right.at(2 * j), *y = right.at(2 * j + 1);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  constexpr Index parts = Operand::parts;
  for (Index step = 0; step < left.steps_; ++step, a += parts, b += parts, x += parts, y += parts) {  // (MP.6)
    ARDVARK_LOAD_TWO(6, 7, x, y);
    ARDVARK_LOAD_TWO(4, 5, a, b);
    ARDVARK_ADD_FOUR;
    ARDVARK_LOAD_TWO(4, 5, a + 2, b + 2);
    ARDVARK_ADD_FOUR;
    ARDVARK_LOAD_TWO(4, 5, a + 1, b + 1);
    ARDVARK_ADD_FOUR;
    ARDVARK_LOAD_TWO(6, 7, x + 1, y + 1);
    ARDVARK_ADD_FOUR;
    ARDVARK_LOAD_TWO(4, 5, a, b);
    ARDVARK_ADD_FOUR;
    ARDVARK_LOAD_TWO(6, 7, x + 2, y + 2);
    ARDVARK_ADD_FOUR;
  }
  const Index bytes = stride * static_cast<Index>(sizeof(float));
  _tile_stored(0, C, bytes);
  _tile_stored(1, C + wide, bytes);
  _tile_stored(2, C + wide * stride, bytes);
  _tile_stored(3, C + wide * stride + wide, bytes);
  _tile_release();
}

#else

bool are_used() { return false; }
void Operand::take(const Eigen::Ref<const Eigen::MatrixXf>&, bool) {}
void multiply(const Operand&, Index, const Operand&, Index, float*, Index) {}

#endif

}  // namespace ardvark::internal::tiles
