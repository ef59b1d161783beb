// The schema of Arrow in the metadata of a file of Parquet: its bytes, which stand there in base64.
#include <cstdint>
#include <string>

#include "io/arrow_schema.hpp"
#include "memory.hpp"

using namespace ardvark;

namespace {

std::string in_base64(const std::uint8_t* data, std::size_t size) {
  constexpr const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < size; i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) bits = bits << 8 | (i + k < size ? data[i + k] : 0);
    for (int k = 3; k >= 0; --k) out.push_back(digits[bits >> 6 * k & 63]);
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = in_base64(data, size);
  const fuzz::MemoryLimit limit(size, std::size_t{1} << 17);
  fuzz::require(internal::io::arrow_fields(text).size() <= size);
  return 0;
}
