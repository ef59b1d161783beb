// The rows of CSV files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/csv_records.hpp"
#include "io/table_rows.hpp"

namespace ardvark::internal::io {

class CsvRows final : public TableRows {
 public:
  /// \param names_file      whether messages say which file a row is of
  /// \param most_row_names  row names are compared with so many others, which are kept in memory
  explicit CsvRows(const CsvOptions& options, bool names_file = false, std::size_t most_row_names = SIZE_MAX);
  ~CsvRows() override;
  void open(const std::string& path) override;
  bool next(double* row) override;
  [[nodiscard]] Index row() const override;
  [[nodiscard]] Index line() const override;
  [[nodiscard]] const File& file() const override;
  [[nodiscard]] std::uint64_t num_bytes_read() const override;
  [[nodiscard]] std::vector<std::string> notes() const override;
  [[nodiscard]] char decimal() const override;
  [[nodiscard]] const CsvRecords& records() const;                     ///< of the file that is open
  [[nodiscard]] const std::vector<std::size_t>& blank_fields() const;  ///< without a name, which must be empty, as far as it is read
  [[nodiscard]] bool has_row_names() const;                            ///< in the first field
  /// Of the rows read so far: columns of numbers that would be read as categories, and why they are not.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> refused_columns() const;
  /// \throws InvalidArgument  also: a column has mostly decimal commas
  void check_end(Index num_rows) const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ardvark::internal::io
