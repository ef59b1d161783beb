// The rows of Parquet files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/table_rows.hpp"

namespace ardvark::internal::io {

/// Whether a regular file begins as Parquet does.
[[nodiscard]] bool is_parquet(const std::string& path);

struct ParquetColumn;

/// Numbers of any type, truths, texts and enumerations; NULL and NaN are missing values. Truths are the texts true and false, as in CSV.
/// DuckDB reads the files. Columns in which pandas keeps the labels of the rows are left out, with a note, unless the options name them.
class ParquetRows final : public TableRows {
 public:
  /// \param names_file  whether messages say which file a row is of
  explicit ParquetRows(const CsvOptions& options, bool names_file = false);
  ~ParquetRows() override;
  /// \throws InvalidArgument   also: the file is damaged; a column that is read has dates, lists or another type that is no number and no
  /// text \throws EnvironmentError  also: DuckDB is not there
  void open(const std::string& path) override;
  bool next(double* row) override;
  [[nodiscard]] Index row() const override;
  [[nodiscard]] Index line() const override { return 0; }
  [[nodiscard]] const File& file() const override;
  [[nodiscard]] std::uint64_t num_bytes_read() const override;
  [[nodiscard]] std::vector<std::string> notes() const override;

 private:
  void begin_columns(const std::string& path, const std::vector<ParquetColumn>& columns, std::vector<std::string> row_labels);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ardvark::internal::io
