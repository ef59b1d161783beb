// A zip archive of members that are not compressed, for tests of what reads one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ardvark::testing {

inline std::uint32_t zip_checksum(std::string_view bytes) {  // a bit at a time
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1U ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  return ~crc;
}

inline std::string little_endian(std::uint64_t value, int num_bytes) {
  std::string out;
  for (int i = 0; i < num_bytes; ++i) out += static_cast<char>(value >> 8 * i & 255U);
  return out;
}

/// Each member with its header, then the directory, and its end.
inline std::string zip_bytes(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string out, directory;
  const auto u16 = [](std::size_t v) { return little_endian(v, 2); };
  const auto u32 = [](std::size_t v) { return little_endian(v, 4); };
  for (const auto& [name, bytes] : members) {
    const std::string facts = u32(zip_checksum(bytes)) + u32(bytes.size()) + u32(bytes.size()) + u16(name.size()) + u16(0);
    const std::string before = u16(20) + u16(0) + u16(0) + u16(0) + u16(0);  // version, flags, stored, time, date
    directory += "PK\1\2" + u16(20) + before + facts + u16(0) + u16(0) + u16(0) + u32(0) + u32(out.size()) + name;
    out += "PK\3\4" + before + facts + name + bytes;
  }
  const std::size_t begin = out.size();
  return out + directory + "PK\5\6" + u16(0) + u16(0) + u16(members.size()) + u16(members.size()) + u32(directory.size()) + u32(begin) +
         u16(0);
}

}  // namespace ardvark::testing
