// zlib and libzstd of the system. They are opened when a file needs them, so that nothing has to be installed to build or to use the rest.
// What is declared here of them is part of their binary interface, which does not change.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>

#include "ardvark/errors.hpp"
#include "core/dynamic_library.hpp"
#include "io/input_file.hpp"

namespace ardvark::internal::io {
namespace {

[[noreturn]] void lacks_library(const std::string& path, const char* packer, const char* library, const char* package) {
  throw EnvironmentError(
      fmt::format("'{}' is compressed by {}, and the library {} that unpacks it is not there; install it (Debian: apt install {}), or "
                  "unpack the file first",
                  path, packer, library, package));
}

[[noreturn]] void is_damaged(const std::string& path, const char* why) {
  throw InvalidArgument(fmt::format("'{}' is damaged: its compressed text cannot be unpacked ({}); copy or make it again", path, why));
}

struct ZlibStream {  // z_stream
  const unsigned char* next_in = nullptr;
  unsigned avail_in = 0;
  unsigned long total_in = 0;
  unsigned char* next_out = nullptr;
  unsigned avail_out = 0;
  unsigned long total_out = 0;
  const char* msg = nullptr;
  void* state = nullptr;
  void* zalloc = nullptr;
  void* zfree = nullptr;
  void* opaque = nullptr;
  int data_type = 0;
  unsigned long adler = 0, reserved = 0;
};

class ZlibUnpacker final : public Unpacker {
 public:
  /// \param window  as inflateInit2 has it: what the bytes are, and windows of any size
  ZlibUnpacker(const std::string& path, int window) : path_(path), library_({"libz.so.1", "libz.so"}) {
    if (!library_.is_open()) lacks_library(path, window < 0 ? "zip" : "gzip", "zlib", "zlib1g");
    const char* (*version)() = nullptr;
    int (*init)(ZlibStream*, int, const char*, int) = nullptr;
    library_.find("zlibVersion", version);
    library_.find("inflateInit2_", init);
    library_.find("inflate", inflate_);
    library_.find("inflateReset", reset_);
    library_.find("inflateEnd", end_);
    if (init(&stream_, window, version(), sizeof stream_) != 0)
      throw EnvironmentError(fmt::format("the library '{}' cannot unpack '{}': it is of another version", library_.name(), path));
  }
  ZlibUnpacker(const ZlibUnpacker&) = delete;
  ZlibUnpacker& operator=(const ZlibUnpacker&) = delete;
  ~ZlibUnpacker() override { end_(&stream_); }

  Step unpack(const char* from, std::size_t size, char* to, std::size_t room) override {
    constexpr int no_flush = 0, ok = 0, stream_end = 1, buffer_error = -5;
    if (ended_) {  // another member follows, or the zeros of a tape
      if (is_padding_ || *from == '\0') return padding(from, size);
      if (size > 0) reset_(&stream_), ended_ = false;
    }
    constexpr std::size_t most = std::numeric_limits<unsigned>::max();
    stream_.next_in = reinterpret_cast<const unsigned char*>(from);
    stream_.avail_in = static_cast<unsigned>(std::min(size, most));
    stream_.next_out = reinterpret_cast<unsigned char*>(to);
    stream_.avail_out = static_cast<unsigned>(std::min(room, most));
    const unsigned before_in = stream_.avail_in, before_out = stream_.avail_out;
    const int result = inflate_(&stream_, no_flush);
    if (result != ok && result != stream_end && result != buffer_error)
      is_damaged(path_, stream_.msg != nullptr ? stream_.msg : "it needs a dictionary");
    ended_ = result == stream_end;
    return {before_in - stream_.avail_in, before_out - stream_.avail_out, ended_};
  }

 private:
  Step padding(const char* from, std::size_t size) {
    is_padding_ = true;
    for (std::size_t i = 0; i < size; ++i)
      if (from[i] != '\0') is_damaged(path_, "there are other bytes after its end");
    return {size, 0, true};
  }

  std::string path_;
  DynamicLibrary library_;
  ZlibStream stream_;
  bool ended_ = false, is_padding_ = false;
  int (*inflate_)(ZlibStream*, int) = nullptr;
  int (*reset_)(ZlibStream*) = nullptr;
  int (*end_)(ZlibStream*) = nullptr;
};

struct ZstdOutput {  // ZSTD_outBuffer
  void* begin;
  std::size_t size, position;
};
struct ZstdInput {  // ZSTD_inBuffer
  const void* begin;
  std::size_t size, position;
};

class ZstdUnpacker final : public Unpacker {
 public:
  explicit ZstdUnpacker(const std::string& path) : path_(path), library_({"libzstd.so.1", "libzstd.so"}) {
    if (!library_.is_open()) lacks_library(path, "zstd", "libzstd", "libzstd1");
    void* (*create)() = nullptr;
    library_.find("ZSTD_createDStream", create);
    library_.find("ZSTD_decompressStream", decompress_);
    library_.find("ZSTD_isError", is_error_);
    library_.find("ZSTD_getErrorName", name_of_);
    library_.find("ZSTD_freeDStream", free_);
    stream_ = create();
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  ZstdUnpacker(const ZstdUnpacker&) = delete;
  ZstdUnpacker& operator=(const ZstdUnpacker&) = delete;
  ~ZstdUnpacker() override { free_(stream_); }

  Step unpack(const char* from, std::size_t size, char* to, std::size_t room) override {
    ZstdInput in{from, size, 0};
    ZstdOutput out{to, room, 0};
    const std::size_t left = decompress_(stream_, &out, &in);
    if (is_error_(left) != 0) is_damaged(path_, name_of_(left));
    if (in.position > 0 || out.position > 0) ended_ = left == 0;
    return {in.position, out.position, ended_};
  }

 private:
  std::string path_;
  DynamicLibrary library_;
  void* stream_ = nullptr;
  bool ended_ = false;
  std::size_t (*decompress_)(void*, ZstdOutput*, ZstdInput*) = nullptr;
  unsigned (*is_error_)(std::size_t) = nullptr;
  const char* (*name_of_)(std::size_t) = nullptr;
  std::size_t (*free_)(void*) = nullptr;
};

}  // namespace

std::unique_ptr<Unpacker> gzip_unpacker(const std::string& path) {
  constexpr int only_gzip = 15 + 16;
  return std::make_unique<ZlibUnpacker>(path, only_gzip);
}
std::unique_ptr<Unpacker> deflate_unpacker(const std::string& path) {
  constexpr int without_header = -15;
  return std::make_unique<ZlibUnpacker>(path, without_header);
}
std::unique_ptr<Unpacker> zstd_unpacker(const std::string& path) { return std::make_unique<ZstdUnpacker>(path); }

}  // namespace ardvark::internal::io
