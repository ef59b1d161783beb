// Files of Parquet, which DuckDB writes from rows that are made while it asks for them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "io/duckdb.hpp"

namespace ardvark::internal::io {

/// A column of some rows.
struct OutputColumn {
  enum class Type { number, whole_number, text };
  std::string name;
  Type type = Type::number;
  std::vector<double> numbers;     ///< if it is no text; NaN: no value
  std::vector<std::string> texts;  ///< if it is text; empty: no value
  std::string written_as = {};     ///< the type of DuckDB that the texts become in the file, such as BIGINT; empty: texts
};

class ParquetWriter {
 public:
  using Columns = std::vector<OutputColumn>;

  /// \param path  of the file, for messages
  /// \throws EnvironmentError  DuckDB is not there
  explicit ParquetWriter(std::string path) : path_(std::move(path)), duckdb_(path_, true) {}

  /// Writes all rows. Memory does not grow with their number: DuckDB keeps those of one row group.
  /// \param to     an existing file, whose contents are replaced; the caller gives it its name when it is complete
  /// \param first  the first rows, with at least one column
  /// \param next   makes the next rows, with the same columns; without columns: there are no more. What it throws, this throws
  /// \throws EnvironmentError  the file cannot be written
  void write(const std::string& to, Columns first, const std::function<Columns()>& next);

 private:
  std::string path_;
  DuckDb duckdb_;
};

}  // namespace ardvark::internal::io
