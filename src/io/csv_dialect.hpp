// How a CSV file is written: its delimiter, its decimal mark, and what programs add to a table when they export it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ardvark/table.hpp"

namespace ardvark::internal::io {

/// What the caller knows of a file. What is not given is found.
struct CsvFormat {
  std::optional<char> delimiter = {};
  std::optional<char> decimal = {};
  char decimal_before = '.';  ///< of the files of the table that were read before: of a file that has no number with a fraction
  Advice advice = Advice::command_line;
};

struct CsvDialect {
  char delimiter = ',';
  char decimal = '.';
  std::string header;               ///< the line, as it is written
  bool has_separator_line = false;  ///< the first line is "sep=;", as Excel writes and obeys it
  std::size_t num_trailing = 0;     ///< empty fields at the end of each row, for which the header has none
  std::size_t num_extra_names = 0;  ///< empty names at the end of the header, for which the rows have no field
  bool is_header_short = false;     ///< the header has no name for the first column, which holds row names, as R writes them
  bool has_words_first = false;     ///< the first row has no number, and the others have: it may belong to the header, as units do
  std::vector<std::string> notes;   ///< what was found that is not what a reader of CSV expects
};

/// \param sample    the beginning of the text
/// \param is_whole  whether the text ends there
/// \throws InvalidArgument  nothing was given, and the table does not begin in the first line, or is separated by any number of blanks
[[nodiscard]] CsvDialect dialect_of(std::string_view sample, bool is_whole, const std::string& path, const CsvFormat& given);

/// Such as "';'" or "a tab".
[[nodiscard]] std::string name_of_delimiter(char delimiter);

/// Whether the text is empty but for blanks and quotes around them.
[[nodiscard]] bool is_blank_text(std::string_view text);

}  // namespace ardvark::internal::io
