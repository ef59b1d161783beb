// How a CSV file is written, for readers of other libraries.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ardvark/table.hpp"

namespace ardvark::internal::io {

struct CsvForm {
  char delimiter = ',', decimal = '.';
  Index lines_before = 0;          ///< lines before the first row; 0: there is no row
  std::vector<std::string> names;  ///< of all fields of a row; of those without a name "Unnamed: 0", "Unnamed: 1", ...
  std::vector<std::size_t> blank;  ///< positions of the fields that are empty in every row, and no columns
  bool has_row_names = false;      ///< the first field is a row name, and no column
  bool has_plain_header = false;   ///< the names stand in it without blanks around them, and with commas between them
  std::vector<std::pair<std::string, std::string>> refused;  ///< columns of numbers in another notation, and why read_csv() refuses them
  std::vector<std::string> notes;
};

/// From the header and the first rows, which are read as read_csv() reads them.
/// \throws InvalidArgument  as read_csv(); the message names the file
[[nodiscard]] CsvForm form_of_csv(const std::string& path, const CsvOptions& options);

}  // namespace ardvark::internal::io
