// Lines and words of a file that holds a matrix, and its entries in any order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ardvark/errors.hpp"
#include "io/input_file.hpp"
#include "io/matrix_file.hpp"
#include "io/sparse_columns.hpp"

namespace ardvark::internal::io {

/// The lines of a file that may be compressed, without their ends.
class MatrixLines {
 public:
  explicit MatrixLines(const std::string& path) : path_(path), file_(path), buffer_(std::size_t{1} << 16, '\0') {}

  /// The next line; it is valid until the next call. \returns false at the end of the file
  [[nodiscard]] bool next(std::string_view& line);
  /// The next line that is not blank and does not begin with this mark.
  [[nodiscard]] bool next_but(char comment, std::string_view& line);
  [[nodiscard]] Index number() const { return number_; }  ///< of the line, from 1
  [[nodiscard]] const std::string& path() const { return path_; }

  /// "line 3 of 'a.mtx'SENTENCE; REMEDY"
  [[nodiscard]] InvalidArgument wrong(const std::string& value, const std::string& why, const std::string& remedy = {}) const;
  /// "'a.mtx' WHY; REMEDY"
  [[nodiscard]] InvalidArgument wrong_file(const std::string& why, const std::string& remedy = {}) const {
    return wrong_matrix_file(path_, why, remedy);
  }
  /// How many items to make room for, if the file says that it has so many, of at least so many bytes each.
  [[nodiscard]] std::size_t most_items(Index announced, Index bytes_of_item) const;

 private:
  [[nodiscard]] bool refill();

  std::string path_;
  InputFile file_;
  std::string buffer_, long_line_;
  std::size_t begin_ = 0, end_ = 0;
  Index number_ = 0;
};

/// Takes the next word of a line; empty: there is none.
[[nodiscard]] std::string_view take_word(std::string_view& line);

/// The whole text as a number from 0 on. \returns false: it is none, or beyond 2^53
[[nodiscard]] bool parse_index(std::string_view text, Index& value);

struct MatrixEntry {
  std::int32_t row, col;
  double value;
};
/// As columns_of() of sparse_columns.hpp. \param are_small  all values are whole numbers that fit int8
[[nodiscard]] ColumnsFound columns_of(const std::vector<MatrixEntry>& entries, Index rows, Index cols, bool are_small = false);

}  // namespace ardvark::internal::io
