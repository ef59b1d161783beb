#include "io/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "ardvark/errors.hpp"
#include "ardvark/table.hpp"
#include "core/pulse.hpp"

namespace ardvark::internal::io {
namespace {

constexpr std::size_t max_transfer = std::size_t{1} << 30;  // Linux transfers at most 2 GiB per call

std::string reason(int error) { return std::generic_category().message(error); }

[[noreturn]] void cannot_read(const std::string& path, int error) {
  throw EnvironmentError(fmt::format("cannot read '{}': {}", path, reason(error)));
}

// A call fails with EINTR when a signal arrives; then it is repeated.
ssize_t again_if_interrupted(auto call) {
  ssize_t result;
  do result = call();
  while (result < 0 && errno == EINTR);
  return result;
}

struct stat status_of(int descriptor, const std::string& path) {
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) cannot_read(path, errno);
  return status;
}

// The path at the end of a chain of symbolic links, whether it exists or not; empty if the links form a loop.
std::string behind_links(const std::string& path) {
  constexpr int most_links = 40;  // as many as Linux follows
  std::filesystem::path at = path;
  for (int i = 0; i <= most_links; ++i) {
    std::error_code no_link;
    const std::filesystem::path next = std::filesystem::read_symlink(at, no_link);
    if (no_link) return at.string();
    at = at.parent_path() / next;  // or only `next`, if it is an absolute path
  }
  return {};
}

// Keeps owner, group and mode if this user may set them. Otherwise the file belongs to this user, with the mode of the old file.
void keep_permissions(int descriptor, const struct stat& old) {
  constexpr auto same_owner = static_cast<uid_t>(-1);
  if (::fchown(descriptor, old.st_uid, old.st_gid) == 0 || ::fchown(descriptor, same_owner, old.st_gid) == 0 || errno == EPERM)
    static_cast<void>(::fchmod(descriptor, old.st_mode & 07777));
}

}  // namespace

SizeLimitAsError::SizeLimitAsError() {
  sigemptyset(&signal_);
  sigaddset(&signal_, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &signal_, &before_);
}

SizeLimitAsError::~SizeLimitAsError() {
  const int error = errno;
  sigset_t pending;
  int taken = 0;
  const bool was_blocked = sigismember(&before_, SIGXFSZ) == 1;
  if (!was_blocked && sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1) sigwait(&signal_, &taken);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = error;
}

File& File::operator=(File&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  return *this;
}

File File::open(const std::string& path) {
  File file;
  file.path_ = path;
  if (path.empty()) throw EnvironmentError("cannot open a file: its path is empty");
  file.descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file.descriptor_ < 0) {
    const int error = errno;
    const char* advice = error == ENOENT ? "; check the path and the current folder" : error == EACCES ? "; check who may read it" : "";
    throw EnvironmentError(fmt::format("cannot open '{}': {}{}", path, reason(error), advice));
  }
  if (S_ISDIR(status_of(file.descriptor_, path).st_mode))
    throw EnvironmentError(fmt::format("cannot read '{}': it is a directory; give the path of a file", path));
  return file;
}

std::size_t File::read(char* to, std::size_t size) {
  const ssize_t got = again_if_interrupted([&] { return ::read(descriptor_, to, std::min(size, max_transfer)); });
  if (got < 0) cannot_read(path_, errno);
  return static_cast<std::size_t>(got);
}

void File::read_at(std::uint64_t offset, void* to, std::size_t size) const {
  char* next = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t got =
        again_if_interrupted([&] { return ::pread(descriptor_, next, std::min(size, max_transfer), static_cast<off_t>(offset)); });
    if (got < 0) cannot_read(path_, errno);
    if (got == 0) throw EnvironmentError(fmt::format("cannot read '{}': it became shorter while it was read", path_));
    next += got;
    offset += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
}

std::optional<std::uint64_t> File::size_if_regular() const {
  const struct stat status = status_of(descriptor_, path_);
  return S_ISREG(status.st_mode) ? std::optional(static_cast<std::uint64_t>(status.st_size)) : std::nullopt;
}

std::optional<FileStamp> File::stamp_if_regular() const {
  const struct stat s = status_of(descriptor_, path_);
  if (!S_ISREG(s.st_mode)) return std::nullopt;
  const auto nanoseconds = [](const timespec& t) { return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec; };
  return FileStamp{s.st_dev, s.st_ino, static_cast<std::uint64_t>(s.st_size), nanoseconds(s.st_mtim), nanoseconds(s.st_ctim)};
}

std::uint64_t File::size() const {
  const std::optional<std::uint64_t> size = size_if_regular();
  if (!size) throw EnvironmentError(fmt::format("cannot read '{}': it is not a regular file", path_));
  return *size;
}

std::shared_ptr<const char> File::mapped() const {
  const std::uint64_t bytes = size();
  if (bytes == 0) return nullptr;
  void* const at = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor_, 0);
  if (at == MAP_FAILED) cannot_read(path_, errno);
  return {static_cast<const char*>(at), [bytes](const char* begin) { ::munmap(const_cast<char*>(begin), bytes); }};
}

void File::close_quietly() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

FileInTheMaking::FileInTheMaking(const std::string& path) : path_(path) {
  if (path.empty()) throw EnvironmentError("cannot write a file: its path is empty");
  struct stat old = {};
  const bool replaces = ::stat(path.c_str(), &old) == 0;
  // Renaming would replace a device such as /dev/null. What is written to it cannot be taken back.
  is_stream_ = replaces && (S_ISCHR(old.st_mode) || S_ISFIFO(old.st_mode));
  if (is_stream_) {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
    return;
  }
  if (replaces && !S_ISREG(old.st_mode))
    throw EnvironmentError(fmt::format("cannot write '{}': it exists and is not a regular file; give another path", path));
  if (replaces && ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) fail(errno);
  target_ = behind_links(path);
  if (target_.empty()) fail(ELOOP);
  open_partial(replaces ? old.st_mode & 0777U : 0666U);
  if (replaces) keep_permissions(descriptor_, old);
}

// Uses a name that does not exist: neither a file of another thread, nor one left by a killed program with the same process number.
void FileInTheMaking::open_partial(unsigned mode) {
  const std::filesystem::path target = target_;
  constexpr std::size_t longest = 200;  // a name may have 255 bytes
  const std::string name = target.filename().string().substr(0, longest);
  constexpr int most_names = 10000;
  int error = 0;
  for (int count = 1; count <= most_names; ++count) {
    const std::string number = count > 1 ? fmt::format("-{}", count) : "";
    partial_path_ = (target.parent_path() / fmt::format("{}.partial-{}{}", name, ::getpid(), number)).string();
    descriptor_ = ::open(partial_path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor_ >= 0) return;
    if ((error = errno) != EEXIST) break;
  }
  const std::string folder = target.parent_path().string();
  if (error == ENOENT && !folder.empty())
    throw EnvironmentError(fmt::format("cannot write '{}': the folder '{}' does not exist; create it first", path_, folder));
  fail(error);
}

FileInTheMaking::~FileInTheMaking() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!committed_ && !is_stream_)
    ::unlink(partial_path_.c_str());  // the file belongs to this writer: a constructor that fails has made none
}

void FileInTheMaking::write(const void* from, std::size_t size) {
  const SizeLimitAsError no_signal;
  const char* next = static_cast<const char*>(from);
  constexpr std::size_t between_pulses = std::size_t{16} << 20;
  while (size > 0) {
    pulse();
    const ssize_t put = again_if_interrupted([&] { return ::write(descriptor_, next, std::min(size, between_pulses)); });
    if (put < 0) fail(errno);
    next += put;
    size -= static_cast<std::size_t>(put);
  }
}

void FileInTheMaking::commit() {
  if (!is_stream_ && ::fsync(descriptor_) != 0) fail(errno);  // a full disk may be noticed only here
  const int closed = ::close(std::exchange(descriptor_, -1));
  if (closed != 0) fail(errno);
  if (!is_stream_ && std::rename(partial_path_.c_str(), target_.c_str()) != 0) fail(errno);
  committed_ = true;
}

void FileInTheMaking::fail(int error) const {
  const char* advice = error == ENOSPC || error == EDQUOT || error == EFBIG ? "; free space or give another path"
                       : error == EACCES || error == EROFS                  ? "; check who may write there, or give another path"
                                                                            : "";
  throw EnvironmentError(fmt::format("cannot write '{}': {}{}", path_, reason(error), advice));
}

}  // namespace ardvark::internal::io

namespace ardvark {

using namespace internal;

void write_text_file(const std::string& path, const std::string& text) {
  io::FileInTheMaking file(path);
  file.write(text.data(), text.size());
  file.commit();
}

}  // namespace ardvark
