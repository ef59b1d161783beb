// A file descriptor that closes itself. Every failure is an EnvironmentError that names the path, the reason and what to do.
#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace ardvark::internal::io {

/// What changes if a regular file does.
struct FileStamp {
  std::uint64_t device = 0, number = 0, size = 0;
  std::int64_t modified_ns = 0, changed_ns = 0;
  [[nodiscard]] bool operator==(const FileStamp&) const = default;
};

class File {
 public:
  File() = default;
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}
  File& operator=(File&& other) noexcept;
  ~File() { close_quietly(); }

  /// Opens an existing file or pipe for reading.
  static File open(const std::string& path);

  /// Reads up to `size` bytes; 0 only at the end of the file.
  std::size_t read(char* to, std::size_t size);
  /// Reads exactly `size` bytes that begin at `offset`.
  void read_at(std::uint64_t offset, void* to, std::size_t size) const;
  /// Bytes of a regular file; anything else is an error.
  [[nodiscard]] std::uint64_t size() const;
  [[nodiscard]] std::optional<std::uint64_t> size_if_regular() const;
  [[nodiscard]] std::optional<FileStamp> stamp_if_regular() const;
  /// The bytes of a regular file as memory that is only read: what is not used is not read, and nothing is copied. They stay when the file
  /// is closed; they may not become fewer while they are used. None: the file is empty.
  [[nodiscard]] std::shared_ptr<const char> mapped() const;

 private:
  void close_quietly();

  int descriptor_ = -1;
  std::string path_;
};

/// While an object exists, a write beyond the limit on the size of files (ulimit -f) fails with EFBIG. Otherwise SIGXFSZ would end the
/// program before the incomplete file is removed. The signal goes to the thread that writes, so the mask of this thread is enough.
class SizeLimitAsError {
 public:
  SizeLimitAsError();
  ~SizeLimitAsError();
  SizeLimitAsError(const SizeLimitAsError&) = delete;
  SizeLimitAsError& operator=(const SizeLimitAsError&) = delete;

 private:
  sigset_t signal_, before_;
};

/// A file that appears under its path complete or not at all: it is written under another name in the same folder, and commit() renames it.
/// Without commit() the destructor removes it, and an existing file stays unchanged. Several writers of the same path use different names,
/// and the file of the last one remains. A symbolic link stays a link: its target is written. A file that replaces another gets its
/// permissions.
class FileInTheMaking {
 public:
  explicit FileInTheMaking(const std::string& path);
  FileInTheMaking(const FileInTheMaking&) = delete;
  FileInTheMaking& operator=(const FileInTheMaking&) = delete;
  ~FileInTheMaking();

  void write(const void* from, std::size_t size);
  void commit();
  [[nodiscard]] const std::string& partial_path() const { return partial_path_; }  ///< empty: a device or a pipe

 private:
  void open_partial(unsigned mode);
  [[noreturn]] void fail(int error) const;

  std::string path_;    // as the caller gives it
  std::string target_;  // the path at the end of its links
  std::string partial_path_;
  int descriptor_ = -1;
  bool committed_ = false, is_stream_ = false;  // a stream: a device such as /dev/null, or a pipe
};

}  // namespace ardvark::internal::io
