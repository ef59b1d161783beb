// Texts compressed by zlib and libzstd of the system, for tests of what reads them.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "core/dynamic_library.hpp"
#include "io/temporary_file.hpp"

namespace ardvark::testing {

/// None: zlib is not there.
inline std::optional<std::string> gzipped(const std::string& text) {
  const internal::DynamicLibrary zlib({"libz.so.1"});
  if (!zlib.is_open()) return std::nullopt;
  void* (*open)(const char*, const char*) = nullptr;
  int (*write)(void*, const void*, unsigned) = nullptr;
  int (*close)(void*) = nullptr;
  zlib.find("gzopen", open), zlib.find("gzwrite", write), zlib.find("gzclose", close);
  const TemporaryFolder folder;
  void* const file = open((folder / "packed").c_str(), "wb");
  EXPECT_EQ(text.empty() ? 0 : write(file, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
  EXPECT_EQ(close(file), 0);
  return read_bytes(folder / "packed");
}

/// None: libzstd is not there.
inline std::optional<std::string> zstd_packed(const std::string& text) {
  const internal::DynamicLibrary zstd({"libzstd.so.1"});
  if (!zstd.is_open()) return std::nullopt;
  std::size_t (*bound)(std::size_t) = nullptr;
  std::size_t (*compress)(void*, std::size_t, const void*, std::size_t, int) = nullptr;
  zstd.find("ZSTD_compressBound", bound), zstd.find("ZSTD_compress", compress);
  std::string packed(bound(text.size()), '\0');
  packed.resize(compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  return packed;
}

}  // namespace ardvark::testing
