// CSV text as records of fields (RFC 4180), read in chunks: the structure of the file, without any meaning of its values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ardvark/errors.hpp"
#include "ardvark/types.hpp"
#include "io/csv_dialect.hpp"
#include "io/input_file.hpp"

namespace ardvark::internal::io {

/// One field in the reader's buffer: an unquoted field without surrounding blanks, or the raw text between the quotes.
struct CsvField {
  char* begin;
  char* end;
  bool quoted;
  bool has_doubled_quotes;

  [[nodiscard]] std::string_view raw() const { return {begin, static_cast<std::size_t>(end - begin)}; }
  /// The text; changes doubled quotes to single ones in the buffer.
  [[nodiscard]] std::string_view text();
};

/// For a header that is one name with another common separator in it: advice to append to a message. Otherwise empty.
[[nodiscard]] std::string hint_of_delimiter(std::string_view header, char delimiter, Advice advice);

/// The constructor reads the header, each next() reads one data row. Every structural error is an InvalidArgument that names the place.
/// A column without a name is called as pandas calls it: "Unnamed: 0", "Unnamed: 1", ...
class CsvRecords {
 public:
  /// \param format      what is not given is found from the beginning of the file
  /// \param names_file  whether row_name() has the path
  /// \param chunk_size  first size of the buffer in bytes, > 0; the buffer grows only if a record does not fit
  explicit CsvRecords(const std::string& path, const CsvFormat& format = {}, bool names_file = false,
                      std::size_t chunk_size = std::size_t{2} << 20);

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// Whether the header has no name for this column.
  [[nodiscard]] bool is_unnamed(std::size_t field) const { return unnamed_[field]; }
  /// Whether the header has one field less than the first row, as R's write.table leaves it: the first column is then unnamed.
  [[nodiscard]] bool is_header_short() const { return dialect_.is_header_short; }
  [[nodiscard]] const CsvDialect& dialect() const { return dialect_; }
  /// Goes to the next data row; false at the end of the file. Fields of the previous row become invalid.
  bool next();
  [[nodiscard]] std::vector<CsvField>& fields() { return fields_; }
  [[nodiscard]] Index row() const { return row_; }  ///< data rows count from 1; 0 is the header
  /// The line of the file, from 1, where the current row begins. Blank lines and line breaks in quotes count.
  [[nodiscard]] Index line() const { return line_; }
  [[nodiscard]] std::string row_name() const;  ///< "row 17 (line 18)", of the current row, or of the header; with " of 'PATH'" if asked for
  /// "row 17 (line 18), column 'bmi'" for a field of the current row.
  [[nodiscard]] std::string where(std::size_t field) const;
  /// The field of the current row, for an error.
  [[nodiscard]] ErrorFields cell(std::size_t field, const std::string& value = {}) const;
  /// An error about a field of the current row: "row 17 (line 18), column 'bmi': WHY; REMEDY".
  [[nodiscard]] InvalidArgument wrong_field(std::size_t field, const std::string& value, const std::string& why,
                                            const std::string& remedy = {}) const;
  [[nodiscard]] const File& file() const { return file_.file(); }
  [[nodiscard]] std::uint64_t num_bytes_read() const { return file_.num_bytes_read(); }  ///< of the file, which may be compressed

 private:
  enum class Split { whole, cut };

  bool read_record();
  void take_sample(const CsvFormat& format);
  std::size_t read_text(char* to, std::size_t size);
  [[nodiscard]] bool ends_blank(std::size_t count) const;
  [[nodiscard]] InvalidArgument not_a_row();
  Split split_record();
  Split split_quoted(char* opening, char*& next);
  /// A line ends with LF, CRLF or CR. A CR alone counts only after one was found in the text.
  [[nodiscard]] bool is_line_end(char c) const { return c == '\n' || (c == '\r' && has_lone_cr_); }
  [[nodiscard]] bool is_cut_line_end(const char* c) const { return *c == '\r' && c + 1 == end_ && !at_end_of_file_; }
  [[nodiscard]] char* after_line_end(char* c) const;
  bool refill();
  void read_header();
  [[nodiscard]] bool is_blank(char c) const { return (c == ' ' || c == '\t') && c != dialect_.delimiter; }
  [[nodiscard]] bool is_blank_line() const { return fields_.size() == 1 && !fields_[0].quoted && fields_[0].begin == fields_[0].end; }

  std::string path_;
  InputFile file_;
  Index num_bytes_;     // of the file; 0: not known
  std::string sample_;  // what was read to find the dialect, and is not in the buffer yet
  std::size_t sample_at_ = 0;
  CsvDialect dialect_;
  Advice advice_;
  bool names_file_;
  std::vector<std::string> names_;
  std::vector<bool> unnamed_;
  std::vector<CsvField> fields_;
  Index row_ = 0, line_ = 0, next_line_ = 1;
  Index breaks_ = 0;          // line breaks in quotes, in the record that is being split
  bool has_lone_cr_ = false;  // anywhere in the text read so far, or at its end

  // The unread text is [position_, end_); *end_ is a line break as a sentinel, so the scan needs one test less per byte.
  std::size_t capacity_;
  std::unique_ptr<char[]> buffer_;
  char* position_;
  char* end_;
  bool at_end_of_file_ = false;
  std::uint64_t num_bytes_of_text_ = 0;
};

}  // namespace ardvark::internal::io
