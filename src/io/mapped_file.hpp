// A file whose bytes lie in memory as they are on the disk; the system reads them when they are used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ardvark::internal::io {

class MappedFile {
 public:
  /// \throws EnvironmentError  it is not a regular file, or cannot be read
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return {data_, size_}; }
  /// The bytes before this one will not be read again soon: the system may forget them.
  void forget_before(std::size_t at) const;

 private:
  const std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace ardvark::internal::io
