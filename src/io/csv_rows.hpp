// The rows of a table in CSV files, in their order: numbers, and codes of texts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ardvark/table.hpp"
#include "io/csv_records.hpp"

namespace ardvark::internal::io {

class CsvRows {
 public:
  /// \param names_file      whether messages say which file a row is of
  /// \param most_row_names  row names are compared with so many others, which are kept in memory
  explicit CsvRows(const CsvOptions& options, bool names_file = false, std::size_t most_row_names = SIZE_MAX);
  CsvRows(const CsvRows&) = delete;
  CsvRows& operator=(const CsvRows&) = delete;
  ~CsvRows();

  /// Goes to the beginning of a file. The first one says which columns there are; others must have the same, in any order.
  void open(const std::string& path);
  /// The next row that has no gap, or is kept with its gaps. False at the end of the file.
  /// \param row  [num_columns] is overwritten, even if there is none. A text has its code, in order of appearance in all files
  bool next(double* row);
  [[nodiscard]] Index num_columns() const;
  [[nodiscard]] const CsvRecords& records() const;  ///< of the file that is open
  [[nodiscard]] Index num_dropped() const;
  /// What can be said only after the last row. \param num_rows  that were read
  /// \throws InvalidArgument  there is no row; a column has mostly decimal commas
  void check_end(Index num_rows) const;

  /// Gives the table its columns, and turns the codes of its texts into positions in the sorted list of those that occur in its rows.
  /// \param is_last  the texts are not needed any more: they are moved
  void finish(Table& table, bool is_last);
  [[nodiscard]] Index num_levels(Index column) const;                  ///< different texts so far
  [[nodiscard]] std::optional<std::string> note_of_row_names() const;  ///< of the first file with row names

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ardvark::internal::io
