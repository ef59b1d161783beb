// CSV text as records of fields (RFC 4180), read in chunks: the structure of the file, without any meaning of its values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ardvark/types.hpp"
#include "io/file.hpp"

namespace ardvark::internal::io {

/// One field, in the reader's buffer: an unquoted field without surrounding blanks, a quoted one as it stands between its quotes.
struct CsvField {
  char* begin;
  char* end;
  bool quoted;
  bool has_doubled_quotes;

  [[nodiscard]] std::string_view raw() const { return {begin, static_cast<std::size_t>(end - begin)}; }
  /// The text, doubled quotes made single (in the buffer).
  [[nodiscard]] std::string_view text();
};

/// Where the one name of a header holds another usual separator: what to do about it, behind a message. Else nothing.
[[nodiscard]] std::string hint_of_delimiter(std::string_view header, char delimiter);

/// Reads the header when constructed, then one data row per next(). Every structural fault is an InvalidArgument that says where.
class CsvRecords {
 public:
  /// \param chunk_size  bytes of the buffer at first, > 0; it grows only for a record that does not fit
  CsvRecords(const std::string& path, char delimiter, std::size_t chunk_size = std::size_t{2} << 20);

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// Goes to the next data row; false at the end of the file. The fields of the row before become invalid.
  bool next();
  [[nodiscard]] std::vector<CsvField>& fields() { return fields_; }
  [[nodiscard]] Index row() const { return row_; }  ///< data rows from 1, 0 is the header
  /// Of the file, from 1: where the current row begins. Blank lines count, and so do line breaks in quotes.
  [[nodiscard]] Index line() const { return line_; }
  /// "row 17 (line 18), column 'bmi'" for a field of the current row.
  [[nodiscard]] std::string where(std::size_t field) const;

 private:
  enum class Split { whole, cut };

  [[nodiscard]] std::string row_name() const;  // of the current row, or of the header

  bool read_record();
  Split split_record();
  Split split_quoted(char* opening, char*& next);
  /// A line ends with LF, CRLF or CR. Those with CR alone are looked for once one has been seen.
  [[nodiscard]] bool is_line_end(char c) const { return c == '\n' || (c == '\r' && has_lone_cr_); }
  [[nodiscard]] bool is_cut_line_end(const char* c) const { return *c == '\r' && c + 1 == end_ && !at_end_of_file_; }
  [[nodiscard]] char* after_line_end(char* c) const;
  bool refill();
  void read_header();
  [[nodiscard]] bool is_blank(char c) const { return (c == ' ' || c == '\t') && c != delimiter_; }
  [[nodiscard]] bool is_blank_line() const { return fields_.size() == 1 && !fields_[0].quoted && fields_[0].begin == fields_[0].end; }

  std::string path_;
  File file_;
  char delimiter_;
  std::vector<std::string> names_;
  std::vector<CsvField> fields_;
  Index row_ = 0, line_ = 0, next_line_ = 1;
  Index breaks_ = 0;          // in quotes, of the record that is being split
  bool has_lone_cr_ = false;  // somewhere in what was read, or at its end

  // The unread text is [position_, end_); a line break stands at *end_ as a sentinel, so that the scan needs one test less per byte.
  std::size_t capacity_;
  std::unique_ptr<char[]> buffer_;
  char* position_;
  char* end_;
  bool at_end_of_file_ = false;
  std::uint64_t num_bytes_read_ = 0;
};

}  // namespace ardvark::internal::io
