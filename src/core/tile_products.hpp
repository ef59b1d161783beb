// Products of single precision by the tile instructions of some processors (AMX): they multiply numbers of bfloat16, which have 8 bits, so
// that each number is taken as the sum of three.                                                  docs/math/optimum.md (MP.6)
#pragma once

#include <cstdint>
#include <vector>

#include "ardvark/types.hpp"

namespace ardvark::internal::tiles {

/// Whether products should use them: the level is amx, and the system gives them to this process.
[[nodiscard]] bool are_used();

/// Of a block: so many vectors of each side.
inline constexpr Index block = 32;

/// Vectors of equal length in the order in which a product reads them on one of its sides. take_ and turn replace them, in the same memory
/// if it is enough.
class Operand {
 public:
  /// The columns of A, for the left side.
  void take_columns(const Eigen::Ref<const Eigen::MatrixXf>& A) { take(A, true); }
  /// The rows of A, for the right side.
  void take_rows(const Eigen::Ref<const Eigen::MatrixXf>& A) { take(A, false); }
  /// The vectors of `other`, for the other side.
  void turn(const Operand& other);

  [[nodiscard]] Index vectors() const { return vectors_; }
  [[nodiscard]] Index blocks() const { return (vectors_ + block - 1) / block; }

 private:
  friend void multiply(const Operand& left, Index i, const Operand& right, Index j, float* C, Index stride);
  /// 16 vectors, 32 entries of each: a line of 64 bytes has a vector on the left side, two entries of each vector on the right.
  struct alignas(64) Tile {
    std::uint32_t pair[16][16];
  };
  void resize(Index vectors, Index steps);
  void take(const Eigen::Ref<const Eigen::MatrixXf>& A, bool are_columns);
  [[nodiscard]] const Tile* at(Index strip) const { return tiles_.data() + parts * strip * steps_; }

  static constexpr Index parts = 3;
  Index vectors_ = 0, steps_ = 0;
  std::vector<Tile> tiles_;  // of each strip of 16 vectors and each step of 32 entries: the first part of all, then the second
};

/// C [32, 32], by row with this stride <- the products of the vectors in block i of the left and block j of the right side.
void multiply(const Operand& left, Index i, const Operand& right, Index j, float* C, Index stride);

}  // namespace ardvark::internal::tiles
