// Deterministic damage to the bytes of a file, for tests that feed hostile input.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <string_view>

namespace ardvark::testing {

/// The bytes after one to four random changes: a byte replaced, inserted or erased, a part repeated, the end cut off.
/// Half of the new bytes come from `alphabet`, the bytes that mean something in the format.
inline std::string mutated(std::string bytes, std::string_view alphabet, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % std::max<std::size_t>(n, 1)); };
  const auto new_byte = [&] { return random() % 2 == 0 ? alphabet[below(alphabet.size())] : static_cast<char>(random() % 256); };
  for (std::size_t change = 0, num_changes = 1 + below(4); change < num_changes; ++change) {
    const std::size_t at = below(bytes.size());
    switch (random() % 5) {
      case 0:
        if (!bytes.empty()) bytes[at] = new_byte();
        break;
      case 1: bytes.insert(at, 1, new_byte()); break;
      case 2:
        if (!bytes.empty()) bytes.erase(at, 1 + below(3));
        break;
      case 3: bytes.insert(below(bytes.size()), bytes.substr(at, 1 + below(40))); break;
      default:
        if (random() % 4 == 0) bytes.resize(at);
    }
  }
  return bytes;
}

}  // namespace ardvark::testing
