// Members of a zip archive, found by its directory, also of more than 4 GiB (zip64).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "ardvark/errors.hpp"

namespace ardvark::internal::io {

class ZipFile {
 public:
  /// \throws InvalidArgument   it is no zip archive, or was cut or damaged
  /// \throws EnvironmentError  it cannot be read
  explicit ZipFile(const std::string& path);

  struct Member {
    std::uint64_t size = 0, packed_size = 0, offset = 0;
    std::uint32_t checksum = 0;
    unsigned method = 0;
    bool is_secret = false;
  };
  [[nodiscard]] const std::map<std::string, Member>& members() const { return members_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  /// The bytes of a member, and what keeps them: where they lie in the file if they are stored as they are.
  /// \throws InvalidArgument   they are damaged, or are packed in another way than by deflate
  /// \throws EnvironmentError  zlib is not there
  [[nodiscard]] std::string_view read(const std::string& name, std::shared_ptr<const char>& memory) const;

 private:
  void read_directory();
  [[nodiscard]] std::string_view packed(const std::string& name, const Member& member) const;
  [[nodiscard]] InvalidArgument damaged(const std::string& why) const;

  std::string path_;
  std::shared_ptr<const char> memory_;
  std::string_view bytes_;
  std::map<std::string, Member> members_;
};

}  // namespace ardvark::internal::io
