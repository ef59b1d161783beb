// A file whose bytes lie in memory as they are on the disk; the system reads them when they are used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace ardvark::internal::io {

class MappedFile {
 public:
  /// \throws EnvironmentError  it is not a regular file, or cannot be read
  explicit MappedFile(const std::string& path);

  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return {reinterpret_cast<const std::uint8_t*>(memory_.get()), size_}; }
  /// The bytes before this one will not be read again soon: the system may forget them.
  void forget_before(std::size_t at) const;

 private:
  std::shared_ptr<const char> memory_;  // File::mapped()
  std::size_t size_ = 0;
};

}  // namespace ardvark::internal::io
