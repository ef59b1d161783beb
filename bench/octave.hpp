// Reads the files that a script in Octave wrote for a benchmark.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "ardvark/errors.hpp"
#include "ardvark/types.hpp"

namespace ardvark::bench {

/// A matrix that save_matrix of bench/*.m wrote.
inline Matrix read_matrix(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::int64_t size[2] = {0, 0};
  file.read(reinterpret_cast<char*>(size), sizeof size);
  Matrix A(size[0], size[1]);
  file.read(reinterpret_cast<char*>(A.data()), A.size() * static_cast<Index>(sizeof(double)));
  if (!file) throw EnvironmentError(fmt::format("'{}' cannot be read; run the script in Octave first", path));
  return A;
}

}  // namespace ardvark::bench
