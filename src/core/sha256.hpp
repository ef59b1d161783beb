// The checksum SHA-256 (FIPS 180-4).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace ardvark::internal {

/// The checksum of bytes that come in pieces.
class Sha256 {
 public:
  void add(const void* bytes, std::size_t size);
  /// 64 hexadecimal digits of all bytes so far. Call it once.
  [[nodiscard]] std::string digits();

 private:
  void absorb(const unsigned char* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> rest_ = {};  // of the last block
  std::uint64_t num_bytes_ = 0;
};

}  // namespace ardvark::internal
