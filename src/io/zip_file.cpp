// The layout: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
#include "io/zip_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "io/file.hpp"
#include "io/input_file.hpp"
#include "io/matrix_file.hpp"

namespace ardvark::internal::io {
namespace {

constexpr std::size_t end_size = 22, locator_size = 20, entry_size = 46, local_size = 30;
constexpr std::uint64_t end64_size = 56;
constexpr std::string_view end_mark = "PK\5\6", locator_mark = "PK\6\7", end64_mark = "PK\6\6", entry_mark = "PK\1\2",
                           local_mark = "PK\3\4";
constexpr std::uint32_t elsewhere = 0xFFFFFFFF;  // the number is among those of zip64

// A little-endian number; 0 beyond the end.
template <typename Number>
Number little_endian(std::string_view bytes, std::size_t at) {
  std::uint64_t value = 0;
  if (bytes.size() < sizeof(Number) || at > bytes.size() - sizeof(Number)) return 0;
  for (std::size_t i = sizeof(Number); i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  return static_cast<Number>(value);
}

// Four bytes at a time; table k is that of a byte that k zeros follow.
std::uint32_t crc32(std::string_view bytes) {
  static constexpr auto tables = [] {
    std::array<std::array<std::uint32_t, 256>, 4> out{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = (value >> 1U) ^ ((value & 1U) != 0 ? 0xEDB88320U : 0);
      out[0][i] = value;
    }
    for (std::size_t k = 1; k < 4; ++k)
      for (std::size_t i = 0; i < 256; ++i) out[k][i] = (out[k - 1][i] >> 8U) ^ out[0][out[k - 1][i] & 255U];
    return out;
  }();
  std::uint32_t crc = 0xFFFFFFFF;
  while (bytes.size() >= 4) {
    crc ^= little_endian<std::uint32_t>(bytes, 0);
    crc = tables[3][crc & 255U] ^ tables[2][(crc >> 8U) & 255U] ^ tables[1][(crc >> 16U) & 255U] ^ tables[0][crc >> 24U];
    bytes.remove_prefix(4);
  }
  for (const char c : bytes) crc = (crc >> 8U) ^ tables[0][(crc ^ static_cast<unsigned char>(c)) & 255U];
  return ~crc;
}

// Sizes and offset that stand in the extra field of zip64, in this order, if the entry says so.
void take_zip64(std::string_view extra, ZipFile::Member& member) {
  while (extra.size() >= 4) {
    const auto id = little_endian<std::uint16_t>(extra, 0);
    const std::string_view field = extra.substr(4, little_endian<std::uint16_t>(extra, 2));
    extra.remove_prefix(std::min(extra.size(), 4 + field.size()));
    if (id != 1) continue;
    std::size_t at = 0;
    for (std::uint64_t* const number : {&member.size, &member.packed_size, &member.offset})
      if (*number == elsewhere) *number = little_endian<std::uint64_t>(field, std::exchange(at, at + 8));
  }
}

struct Directory {
  std::uint64_t offset = 0, entries = 0;
};

// Of the record at the end of the archive, before a comment.
std::optional<Directory> find_directory(std::string_view bytes) {
  if (bytes.size() < end_size) return std::nullopt;
  const std::size_t end = bytes.rfind(end_mark, bytes.size() - end_size);
  if (end == std::string_view::npos) return std::nullopt;
  Directory found{little_endian<std::uint32_t>(bytes, end + 16), little_endian<std::uint16_t>(bytes, end + 10)};
  if (end < locator_size || bytes.substr(end - locator_size, 4) != locator_mark) return found;
  const auto at = little_endian<std::uint64_t>(bytes, end - locator_size + 8);
  if (bytes.size() < end64_size || at > bytes.size() - end64_size || bytes.substr(at, 4) != end64_mark) return std::nullopt;
  return Directory{little_endian<std::uint64_t>(bytes, at + 48), little_endian<std::uint64_t>(bytes, at + 32)};
}

std::shared_ptr<const char> inflated(std::string_view packed, std::uint64_t size, const std::string& path) {
  std::shared_ptr<char[]> out(new char[size + 1]);  // one more, to see whether there are more bytes than the directory says
  const auto unpacker = deflate_unpacker(path);
  std::uint64_t given = 0;
  for (bool is_at_end = false; !is_at_end;) {
    const Unpacker::Step step = unpacker->unpack(packed.data(), packed.size(), out.get() + given, size + 1 - given);
    packed.remove_prefix(step.taken);
    given += step.given;
    is_at_end = step.is_at_end;
    if (given > size || (!is_at_end && step.taken == 0 && step.given == 0)) return nullptr;
  }
  return given == size ? std::shared_ptr<const char>(out, out.get()) : nullptr;
}

}  // namespace

InvalidArgument ZipFile::damaged(const std::string& why) const { return wrong_matrix_file(path_, why, remedy_of_cut); }

ZipFile::ZipFile(const std::string& path) : path_(path) {
  const File file = File::open(path);
  memory_ = file.mapped();
  if (memory_ != nullptr) bytes_ = {memory_.get(), file.size()};
  if (!bytes_.starts_with(local_mark) && !bytes_.starts_with(end_mark))
    throw wrong_matrix_file(path_, "is no archive of arrays", "write it by numpy.savez or scipy.sparse.save_npz");
  read_directory();
}

void ZipFile::read_directory() {
  const std::optional<Directory> directory = find_directory(bytes_);
  if (!directory) throw damaged("has no directory at its end");
  std::uint64_t at = directory->offset;
  for (std::uint64_t i = 0; i < directory->entries; ++i) {
    if (bytes_.size() < entry_size || at > bytes_.size() - entry_size || bytes_.substr(at, 4) != entry_mark)
      throw damaged("has a directory that cannot be read");
    const std::string_view entry = bytes_.substr(at);
    const std::size_t name = little_endian<std::uint16_t>(entry, 28), extra = little_endian<std::uint16_t>(entry, 30),
                      comment = little_endian<std::uint16_t>(entry, 32);
    if (entry.size() < entry_size + name + extra + comment) throw damaged("has a directory that cannot be read");
    Member member{.size = little_endian<std::uint32_t>(entry, 24),
                  .packed_size = little_endian<std::uint32_t>(entry, 20),
                  .offset = little_endian<std::uint32_t>(entry, 42),
                  .checksum = little_endian<std::uint32_t>(entry, 16),
                  .method = little_endian<std::uint16_t>(entry, 10),
                  .is_secret = (little_endian<std::uint16_t>(entry, 8) & 1U) != 0};
    take_zip64(entry.substr(entry_size + name, extra), member);
    if (!members_.emplace(std::string(entry.substr(entry_size, name)), member).second) throw damaged("has two members of one name");
    at += entry_size + name + extra + comment;
  }
}

std::string_view ZipFile::packed(const std::string& name, const Member& member) const {
  if (member.is_secret) throw wrong_matrix_file(path_, "is encrypted", "unpack it first, or write it without a password");
  const bool has_local =
      bytes_.size() >= local_size && member.offset <= bytes_.size() - local_size && bytes_.substr(member.offset, 4) == local_mark;
  if (!has_local) throw damaged(fmt::format("has no member '{}' where its directory says", name));
  const std::string_view local = bytes_.substr(member.offset);
  const std::size_t begin = local_size + little_endian<std::uint16_t>(local, 26) + little_endian<std::uint16_t>(local, 28);
  if (begin > local.size() || member.packed_size > local.size() - begin) throw damaged(fmt::format("ends within its member '{}'", name));
  return local.substr(begin, member.packed_size);
}

std::string_view ZipFile::read(const std::string& name, std::shared_ptr<const char>& memory) const {
  constexpr unsigned stored = 0, deflated = 8;
  constexpr std::uint64_t most_ratio = 1032;  // of deflate: 258 bytes by two bits
  const auto found = members_.find(name);
  if (found == members_.end()) throw damaged(fmt::format("has no member '{}'", name));
  const Member& member = found->second;
  std::string_view bytes = packed(name, member);
  const auto wrong = [&] { return damaged(fmt::format("has a damaged member '{}'", name)); };
  if (member.method == stored) {
    memory = memory_;
  } else if (member.method == deflated) {
    if (member.size / most_ratio > bytes.size()) throw wrong();
    memory = inflated(bytes, member.size, path_);
    if (memory == nullptr) throw wrong();
    bytes = {memory.get(), member.size};
  } else {
    throw wrong_matrix_file(path_, fmt::format("is compressed in a way that is not read here (method {})", member.method),
                            "write it by numpy.savez or scipy.sparse.save_npz");
  }
  if (bytes.size() != member.size || crc32(bytes) != member.checksum) throw wrong();
  return bytes;
}

}  // namespace ardvark::internal::io
