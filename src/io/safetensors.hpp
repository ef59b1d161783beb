// The safetensors layout: 8 bytes with the length of a JSON header, the header, then the arrays' raw bytes, all little-endian.
// Here: 64-bit floating-point arrays and a map of texts. What they mean is the caller's business.
//
// A matrix lies in the file column by column, as in memory; safetensors counts shapes row by row, so its shape there is
// [cols, rows], and a reader in Python sees the transpose.
//
// Checksums, 16 hexadecimal digits: begin with the number of bytes; for each eight of them, as an integer, exclusive-or it in, multiply by
// 0x9E3779B97F4A7C15 modulo 2^64, and exclusive-or the upper half into the lower. The metadata "checksums" has those of the arrays, by
// name; "header_checksum" is that of the header, padding included, with 16 zeros in its own place.
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

  /// The arrays are not copied: they must live until write() returns. Names are unique.
  void add_vector(const std::string& name, VectorView vector);
  void add_matrix(const std::string& name, const Matrix& matrix);
  void add_vector(const std::string& name, Vector&& temporary);  ///< kept until then
  void add_matrix(const std::string& name, Matrix&& temporary);  ///< likewise
  /// An array of any rank, the last index running fastest.
  void add_array(const std::string& name, const double* data, std::vector<std::uint64_t> shape);

  /// Puts "checksums" of the arrays so far into the metadata, and "header_checksum" of the header that holds them: together they cover
  /// the whole file, and the reader refuses one in which anything has changed.
  void add_checksums();

  /// Writes the file whole or not at all: on failure nothing is left behind, and a file that was there before stays as it was.
  /// \throws InvalidArgument  a name or a text is not UTF-8
  /// \throws EnvironmentError  the file cannot be written
  void write(const std::string& path) const;
  /// The bytes of that file. \throws InvalidArgument  as write()
  [[nodiscard]] std::string bytes() const;

 private:
  template <typename Put>
  void put_all(const std::string& header, Put&& put) const;
  struct Array {
    const double* data;
    std::vector<std::uint64_t> shape;
    std::uint64_t num_bytes;
  };
  /// \param what  for messages
  [[nodiscard]] std::string header(const std::string& what) const;

  std::vector<std::pair<std::string, Array>> arrays_;  // in the order of the file
  std::deque<Matrix> kept_;
};

/// An open file, its header read and checked against the file's size; arrays are read when they are asked for, and checked against the
/// checksums that the metadata "checksums" holds, if it does. The header's own checksum is looked at by check_format(), which knows from
/// which version on there must be one.
class SafetensorsReader {
 public:
  /// \throws InvalidArgument  the file is truncated, or no file of this layout with 64-bit floating-point arrays
  /// \throws EnvironmentError  the file does not exist or cannot be read
  explicit SafetensorsReader(const std::string& path);
  /// The bytes of such a file, which must live as long as the reader. \param name  for messages
  SafetensorsReader(std::string_view bytes, const std::string& name);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// For a tree that is read from one of its texts: beside the tree there is the text, and then what is made of both: ten times the file in
  /// all.
  [[nodiscard]] std::size_t most_bytes_of_tree() const { return 6 * static_cast<std::size_t>(num_bytes_) + (std::size_t{1} << 15); }
  [[nodiscard]] const Metadata& metadata() const { return metadata_; }
  [[nodiscard]] std::vector<std::string> names() const;  ///< of the arrays, sorted
  [[nodiscard]] bool has(const std::string& name) const { return arrays_.contains(name); }

  /// \throws InvalidArgument  the file has no such array, one of another rank, or one whose checksum is another
  [[nodiscard]] Vector vector(const std::string& name) const;
  [[nodiscard]] Matrix matrix(const std::string& name) const;

  /// \throws InvalidArgument  the header is not what its checksum is of, or `must_have_one` and there is none
  void check_header(bool must_have_one) const;
  /// \throws InvalidArgument  an array that nobody has asked for has changed
  void check_unread_arrays() const;

  /// The text stored under this key. \throws InvalidArgument  there is none
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
  std::string_view bytes_;  // instead of the file
  Metadata metadata_;
  std::map<std::string, Array> arrays_;
  HeaderChecksum header_checksum_ = HeaderChecksum::absent;
};

/// Checks that the metadata says "format": `format`, and returns its "format_version", a number from 1 to `newest_version`.
/// \param first_with_checksum  the first version whose header has a checksum
/// \throws InvalidArgument  another format, a version that this program is too old for, or a header that has changed
int check_format(const SafetensorsReader& file, const std::string& format, int newest_version, int first_with_checksum);

}  // namespace ardvark::internal::io
