// The text of a file that may be compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "io/file.hpp"

namespace ardvark::internal::io {

/// Turns compressed bytes into a text, some at a time.
class Unpacker {
 public:
  virtual ~Unpacker() = default;
  struct Step {
    std::size_t taken = 0, given = 0;
    bool is_at_end = false;  ///< of what can be an end of the file; more compressed bytes may follow
  };
  /// \throws InvalidArgument  the bytes are damaged
  virtual Step unpack(const char* from, std::size_t size, char* to, std::size_t room) = 0;
};

/// A file that is compressed by gzip or zstd, as its first bytes say, is unpacked while it is read; zlib and libzstd of the system do that.
class InputFile {
 public:
  /// \throws EnvironmentError  the file cannot be opened
  explicit InputFile(const std::string& path);
  InputFile(InputFile&&) noexcept;
  InputFile& operator=(InputFile&&) noexcept;
  ~InputFile();

  /// Reads up to `size` bytes of the text; 0 only at its end.
  /// \throws InvalidArgument   the compressed bytes are cut or damaged; the file is compressed in another way
  /// \throws EnvironmentError  it cannot be read, or the library that unpacks it is not there
  std::size_t read(char* to, std::size_t size);
  [[nodiscard]] const File& file() const { return file_; }
  [[nodiscard]] bool is_packed() const { return unpacker_ != nullptr; }           ///< known after the first read
  [[nodiscard]] std::uint64_t num_bytes_read() const { return num_bytes_read_; }  ///< of the file, before it is unpacked

 private:
  void recognise();
  std::size_t unpack(char* to, std::size_t size);
  bool refill();
  [[nodiscard]] std::size_t num_waiting() const { return end_ - begin_; }

  std::string path_;
  File file_;
  std::uint64_t num_bytes_read_ = 0;
  std::unique_ptr<Unpacker> unpacker_;  // none: the text is the file
  bool is_recognised_ = false, is_complete_ = false, at_end_of_file_ = false;
  std::unique_ptr<char[]> bytes_;  // of the file
  std::size_t begin_ = 0, end_ = 0;
};

/// \throws EnvironmentError  a library of the system is not there
[[nodiscard]] std::unique_ptr<Unpacker> gzip_unpacker(const std::string& path);
[[nodiscard]] std::unique_ptr<Unpacker> zstd_unpacker(const std::string& path);
[[nodiscard]] std::unique_ptr<Unpacker> deflate_unpacker(const std::string& path);  ///< of a member of a zip archive

}  // namespace ardvark::internal::io
