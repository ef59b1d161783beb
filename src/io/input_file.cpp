#include "io/input_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "ardvark/errors.hpp"

namespace ardvark::internal::io {
namespace {

constexpr std::size_t bytes_at_once = std::size_t{1} << 18;  // of the file, at a time
constexpr std::string_view gzip_mark = "\x1F\x8B", zstd_mark = "\x28\xB5\x2F\xFD";

struct OtherFormat {
  std::string_view mark;
  const char* name;
  const char* remedy;
};
using namespace std::string_view_literals;
constexpr const char *of_arrow = "is a table of Arrow, which is not read here",
                     *remedy_of_arrow = "write it as Parquet or CSV, or fit the model in Python, which reads it";
constexpr const char *of_utf16 = "is text in UTF-16, such as 'Unicode Text' of Excel, which is not read",
                     *remedy_of_utf16 = "save it as 'CSV UTF-8', or turn it into UTF-8: iconv -f UTF-16 -t UTF-8";
constexpr OtherFormat other_formats[] = {
    {"BZh"sv, "is compressed by bzip2, which is not read (gzip and zstd are)", "unpack it: bunzip2"},
    {"\xFD"
     "7zXZ\0"sv,
     "is compressed by xz, which is not read (gzip and zstd are)", "unpack it: unxz"},
    {"PAR1"sv, "is Parquet, which cannot be read from a pipe or after a file of CSV", "give files of one format, by their paths"},
    {"ARROW1"sv, of_arrow, remedy_of_arrow},
    {"FEA1"sv, of_arrow, remedy_of_arrow},
    {"\xFF\xFF\xFF\xFF"sv, of_arrow, remedy_of_arrow},  // a stream
    {"\xFF\xFE"sv, of_utf16, remedy_of_utf16},
    {"\xFE\xFF"sv, of_utf16, remedy_of_utf16},
    {"PK\x03\x04"sv, "is a zip archive or a spreadsheet", "write the table as CSV"},
};

}  // namespace

InputFile::InputFile(const std::string& path) : path_(path), file_(File::open(path)) {}
InputFile::InputFile(InputFile&&) noexcept = default;
InputFile& InputFile::operator=(InputFile&&) noexcept = default;
InputFile::~InputFile() = default;

bool InputFile::refill() {
  if (at_end_of_file_) return false;
  if (bytes_ == nullptr) bytes_.reset(new char[bytes_at_once]);
  std::memmove(bytes_.get(), bytes_.get() + begin_, num_waiting());
  end_ -= std::exchange(begin_, 0);
  const std::size_t got = file_.read(bytes_.get() + end_, bytes_at_once - end_);
  num_bytes_read_ += got;
  end_ += got;
  at_end_of_file_ = got == 0;
  return got > 0;
}

void InputFile::recognise() {
  is_recognised_ = true;
  while (num_waiting() < 6 && refill()) {
  }
  const std::string_view head(bytes_.get(), num_waiting());
  if (head.starts_with(gzip_mark)) unpacker_ = gzip_unpacker(path_);
  if (head.starts_with(zstd_mark)) unpacker_ = zstd_unpacker(path_);
  for (const OtherFormat& other : other_formats)
    if (head.starts_with(other.mark)) throw InvalidArgument(fmt::format("'{}' {}; {}", path_, other.name, other.remedy));
}

std::size_t InputFile::read(char* to, std::size_t size) {
  if (!is_recognised_) recognise();
  if (unpacker_ != nullptr) return unpack(to, size);
  if (num_waiting() > 0) {
    const std::size_t given = std::min(size, num_waiting());
    std::memcpy(to, bytes_.get() + begin_, given);
    begin_ += given;
    if (num_waiting() == 0) bytes_.reset();
    return given;
  }
  const std::size_t got = at_end_of_file_ ? 0 : file_.read(to, size);
  num_bytes_read_ += got;
  return got;
}

std::size_t InputFile::unpack(char* to, std::size_t size) {
  for (;;) {
    if (num_waiting() == 0) static_cast<void>(refill());
    if (num_waiting() == 0 && is_complete_) return 0;
    const Unpacker::Step step = unpacker_->unpack(bytes_.get() + begin_, num_waiting(), to, size);
    begin_ += step.taken;
    is_complete_ = step.is_at_end;
    if (step.given > 0) return step.given;
    if (step.taken == 0 && at_end_of_file_ && !is_complete_)
      throw InvalidArgument(fmt::format("'{}' ends before its compressed text does: it was cut; copy or make it again", path_));
  }
}

}  // namespace ardvark::internal::io
