// The safetensors layout: 8 bytes with the length of a JSON header, the header, then the arrays' raw bytes, all little-endian.
// Here: 64-bit floating-point arrays and a map of texts. Their meaning is up to the caller.
//
// The file holds a matrix column by column, like the memory. Shapes in safetensors are row-major, so the shape in the file is
// [cols, rows], and a reader in Python sees the transpose.
//
// A checksum has 16 hexadecimal digits. Start with the number of bytes. For each eight bytes, read as an integer: exclusive-or with it,
// multiply by 0x9E3779B97F4A7C15 modulo 2^64, and exclusive-or the upper half into the lower half. The metadata "checksums" holds those of
// the arrays, by name. "header_checksum" is that of the header with its padding, computed with 16 zeros in its own place.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ardvark/types.hpp"
#include "io/file.hpp"

namespace ardvark::internal::io {

using Metadata = std::map<std::string, std::string>;

class SafetensorsWriter {
 public:
  Metadata metadata;

  SafetensorsWriter() = default;
  SafetensorsWriter(const SafetensorsWriter&) = delete;
  SafetensorsWriter& operator=(const SafetensorsWriter&) = delete;

  /// Arrays are not copied: they must exist until write() returns. Names must be unique.
  void add_vector(const std::string& name, VectorView vector);
  void add_matrix(const std::string& name, const Matrix& matrix);
  void add_vector(const std::string& name, Vector&& temporary);  ///< moved into the writer
  void add_matrix(const std::string& name, Matrix&& temporary);  ///< moved into the writer
  /// An array of any rank; the last index runs fastest.
  void add_array(const std::string& name, const double* data, std::vector<std::uint64_t> shape);

  [[nodiscard]] std::uint64_t num_bytes() const;  ///< of the arrays so far

  /// Adds "checksums" of the arrays so far and the "header_checksum" of the header to the metadata. Together they cover the whole file: the
  /// reader refuses a file in which anything changed.
  void add_checksums();

  /// Writes the file completely or not at all: after an error no new file is left, and an existing file is unchanged.
  /// \throws InvalidArgument  a name or a text is not UTF-8
  /// \throws EnvironmentError  the file cannot be written
  void write(const std::string& path) const;
  /// The same bytes that write() writes. \throws InvalidArgument  like write()
  [[nodiscard]] std::string bytes() const;

 private:
  void put_all(const std::string& header, auto&& put) const;
  struct Array {
    const double* data;
    std::vector<std::uint64_t> shape;
    std::uint64_t num_bytes;
  };
  /// \param what  name of what is written, for messages
  [[nodiscard]] std::string header(const std::string& what) const;

  std::vector<std::pair<std::string, Array>> arrays_;  // in the order of the file
  std::deque<Matrix> kept_;
};

/// An open file. The constructor reads the header and compares it with the size of the file. Arrays are read on request and compared with
/// the metadata "checksums", if there are any. check_format() checks the checksum of the header: it knows from which version on there must
/// be one.
class SafetensorsReader {
 public:
  /// \throws InvalidArgument  the file is truncated, or is not a file of this layout with 64-bit floating-point arrays
  /// \throws EnvironmentError  the file does not exist or cannot be read
  explicit SafetensorsReader(const std::string& path);
  /// Reads the bytes of such a file, which must exist as long as the reader. \param name  for messages
  SafetensorsReader(std::string_view bytes, const std::string& name);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// The limit for a tree that is read from one of the texts. With the text and the objects made from them, memory is at most about ten
  /// times the file.
  [[nodiscard]] std::size_t most_bytes_of_tree() const { return 6 * static_cast<std::size_t>(num_bytes_) + (std::size_t{1} << 15); }
  [[nodiscard]] std::uint64_t num_bytes() const { return num_bytes_; }  ///< of the file
  [[nodiscard]] const Metadata& metadata() const { return metadata_; }
  [[nodiscard]] std::vector<std::string> names() const;  ///< of the arrays, sorted
  [[nodiscard]] bool has(const std::string& name) const { return arrays_.contains(name); }

  /// \throws InvalidArgument  there is no such array, it has another rank, or its checksum is wrong
  [[nodiscard]] Vector vector(const std::string& name) const;
  [[nodiscard]] Matrix matrix(const std::string& name) const;

  /// \throws InvalidArgument  the checksum of the header is wrong, or it is missing and `must_have_one` is true
  void check_header(bool must_have_one) const;
  /// \throws InvalidArgument  an array that was not read has a wrong checksum
  void check_unread_arrays() const;

  /// The text under this key. \throws InvalidArgument  there is no such text
  [[nodiscard]] const std::string& text(const std::string& key) const;

 private:
  struct Array {
    std::vector<std::uint64_t> shape;
    std::uint64_t begin;  // in the file
    std::uint64_t num_bytes;
    std::string checksum;  // empty in older files
    mutable bool is_read = false;
  };
  enum class HeaderChecksum { absent, right, wrong };
  void read_all(std::uint64_t file_size);
  void read_at(std::uint64_t offset, void* to, std::size_t size) const;
  [[nodiscard]] std::string read_header(std::uint64_t file_size) const;
  class HeaderEvents;
  void parse_header(const std::string& header, std::uint64_t data_begin, std::uint64_t file_size);
  void take_checksums();
  void check_extent(std::uint64_t data_begin, std::uint64_t file_size) const;
  [[nodiscard]] const Array& array(const std::string& name, std::size_t rank) const;
  void read(const std::string& name, const Array& array, double* to) const;
  [[noreturn]] void fail_foreign(const std::string& why) const;
  [[noreturn]] void fail_changed(const std::string& name) const;

  std::string path_;
  std::uint64_t num_bytes_ = 0;
  File file_;
  std::string_view bytes_;  // used instead of a file
  Metadata metadata_;
  std::map<std::string, Array> arrays_;
  HeaderChecksum header_checksum_ = HeaderChecksum::absent;
};

/// Checks that the metadata says "format": `format`, and returns its "format_version", a number from 1 to `newest_version`.
/// \param first_with_checksum  the first version whose header has a checksum
/// \throws InvalidArgument  another format, a version that is newer than this program, or a header with a wrong checksum
int check_format(const SafetensorsReader& file, const std::string& format, int newest_version, int first_with_checksum);

}  // namespace ardvark::internal::io
