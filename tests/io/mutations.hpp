// Deterministic damage to the bytes of a file, for tests that feed hostile input.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
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

// ---- safetensors
// --------------------------------------------------------------------------------------------------------------------------

inline std::size_t header_length(const std::string& bytes) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  return static_cast<std::size_t>(length);
}

/// Another header, and its length with it.
inline std::string with_header(const std::string& bytes, const std::string& header) {
  const std::uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + header + bytes.substr(8 + header_length(bytes));
}

/// Written a second time, from what src/io/safetensors.hpp says of it.
inline std::string checksum_of(std::string_view bytes) {
  std::uint64_t sum = bytes.size();
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min<std::size_t>(8, bytes.size() - at));
    sum = (sum ^ word) * 0x9E3779B97F4A7C15U;
    sum ^= sum >> 32;
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(sum));
  return text;
}

/// The same file with the header's checksum made right, where it has one.
inline std::string with_right_header_checksum(const std::string& bytes) {
  std::string header = bytes.substr(8, header_length(bytes));
  const std::string key = "\"header_checksum\":\"";
  const std::size_t place = header.find(key);
  if (place == std::string::npos || header.size() < place + key.size() + 16) return bytes;
  header.replace(place + key.size(), 16, 16, '0');
  return with_header(bytes, header.replace(place + key.size(), 16, checksum_of(header)));
}

inline std::string with_sealed_header(const std::string& bytes, const nlohmann::json& header) {
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return with_right_header_checksum(with_header(bytes, text));
}

/// The same file with all its checksums made right, as one who changes it by will would do; the header must be one.
inline std::string with_right_checksums(const std::string& bytes) {
  nlohmann::json header = nlohmann::json::parse(bytes.substr(8, header_length(bytes))), checksums = nlohmann::json::object();
  const std::string_view data = std::string_view(bytes).substr(8 + header_length(bytes));
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    const auto offset = [&entry = entry](std::size_t i) {
      return entry["data_offsets"][i].get_ref<const std::uint64_t&>();
    };  // -1e300 is refused
    const std::uint64_t begin = offset(0), end = offset(1);
    checksums[name] = checksum_of(data.substr(begin, end - begin));
  }
  header["__metadata__"]["checksums"] = checksums.dump();
  return with_sealed_header(bytes, header);
}

/// The same file as one of another version.
inline std::string with_version(const std::string& bytes, const std::string& version) {
  nlohmann::json header = nlohmann::json::parse(bytes.substr(8, header_length(bytes)));
  header["__metadata__"]["format_version"] = version;
  return with_sealed_header(bytes, header);
}

/// As a file of before there were checksums: the numbers themselves are then looked at.
inline std::string without_checksums(std::string bytes) {
  const auto rename = [&](const std::string& from, const std::string& to) {
    const std::size_t place = bytes.find(from);
    if (place != std::string::npos) bytes.replace(place, from.size(), to);
  };
  rename("\"checksums\"", "\"unchecked\"");
  rename("\"header_checksum\"", "\"header_unsealed\"");
  rename("\"format_version\":\"5\"", "\"format_version\":\"4\"");
  rename("\"format_version\":\"10\"", "\"format_version\": \"4\"");  // of the same length
  return bytes;
}

}  // namespace ardvark::testing
