// Files as a descriptor that closes itself; every failure is an EnvironmentError that names the path, the reason and what to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace ardvark::internal::io {

class File {
 public:
  File() = default;
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}
  File& operator=(File&& other) noexcept;
  ~File() { close_quietly(); }

  /// Opens an existing file, which may also be a pipe, to read it.
  static File open(const std::string& path);

  /// Reads up to `size` bytes; 0 only at the end of the file.
  std::size_t read(char* to, std::size_t size);
  /// Reads exactly `size` bytes that begin at `offset`.
  void read_at(std::uint64_t offset, void* to, std::size_t size) const;
  /// Bytes of a regular file; anything else is an error.
  [[nodiscard]] std::uint64_t size() const;

 private:
  void close_quietly();

  int descriptor_ = -1;
  std::string path_;
};

/// A file that appears under its path whole or not at all: it is written beside it under another name, and renamed by commit().
/// Without commit() the destructor removes it, and a file that was there before stays as it was. Of several writers of one path each has
/// a name of its own, and the last one's file stays. A symbolic link stays too: what it leads to is written. A file that takes the place
/// of another has its permissions.
class FileInTheMaking {
 public:
  explicit FileInTheMaking(const std::string& path);
  FileInTheMaking(const FileInTheMaking&) = delete;
  FileInTheMaking& operator=(const FileInTheMaking&) = delete;
  ~FileInTheMaking();

  void write(const void* from, std::size_t size);
  void commit();

 private:
  void open_partial(unsigned mode);
  [[noreturn]] void fail(int error) const;

  std::string path_;    // as the caller says it
  std::string target_;  // what it leads to
  std::string partial_path_;
  int descriptor_ = -1;
  bool committed_ = false;
};

}  // namespace ardvark::internal::io
