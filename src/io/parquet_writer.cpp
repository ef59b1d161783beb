#include "io/parquet_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <utility>

#include "ardvark/errors.hpp"
#include "io/file.hpp"
#include "io/text.hpp"

namespace ardvark::internal::io {
namespace {

using Kind = OutputColumn::Type;

struct RowsInTheMaking {
  const DuckDbLibrary& duckdb;
  ParquetWriter::Columns here;
  const std::function<ParquetWriter::Columns()>& next;
  std::size_t at = 0;  // in the rows that are here
  std::exception_ptr error = {};

  [[nodiscard]] std::size_t num_rows() const {
    return here.empty() ? 0 : here[0].type == Kind::text ? here[0].texts.size() : here[0].numbers.size();
  }
};

// The functions below get nothing of ours from DuckDB, which calls them in the thread that asks it: it has no other.
thread_local RowsInTheMaking* in_the_making = nullptr;

void name_columns(void* info) {
  const DuckDbLibrary& duckdb = in_the_making->duckdb;
  constexpr int bigint = 5, real = 11, varchar = 17;  // duckdb_type
  for (const OutputColumn& column : in_the_making->here) {
    void* type = duckdb.create_logical_type(column.type == Kind::text ? varchar : column.type == Kind::whole_number ? bigint : real);
    duckdb.bind_add_result_column(info, column.name.c_str(), type);
    duckdb.destroy_logical_type(&type);
  }
}

void put_values(const DuckDbLibrary& duckdb, const OutputColumn& column, std::size_t first, std::size_t count, void* vector) {
  const auto leave_empty = [&](std::size_t i) {
    duckdb.vector_ensure_validity_writable(vector);
    duckdb.vector_get_validity(vector)[i / 64] &= ~(std::uint64_t{1} << (i % 64));
  };
  void* const data = duckdb.vector_get_data(vector);
  for (std::size_t i = 0; i < count; ++i) {
    if (column.type == Kind::text) {
      const std::string& text = column.texts[first + i];
      text.empty() ? leave_empty(i) : duckdb.vector_assign_string_element_len(vector, i, text.data(), text.size());
    } else if (const double value = column.numbers[first + i]; std::isnan(value)) {
      leave_empty(i);
    } else if (column.type == Kind::whole_number) {
      static_cast<std::int64_t*>(data)[i] = static_cast<std::int64_t>(value);
    } else {
      static_cast<double*>(data)[i] = value;
    }
  }
}

void give_rows(void* info, void* chunk) {
  RowsInTheMaking& rows = *in_the_making;
  const DuckDbLibrary& duckdb = rows.duckdb;
  try {
    if (!rows.here.empty() && rows.at == rows.num_rows()) rows.here = rows.next(), rows.at = 0;
    const std::size_t count = std::min<std::size_t>(rows.num_rows() - rows.at, duckdb.vector_size());
    for (std::size_t j = 0; j < rows.here.size(); ++j)
      put_values(duckdb, rows.here[j], rows.at, count, duckdb.data_chunk_get_vector(chunk, j));
    rows.at += count;
    duckdb.data_chunk_set_size(chunk, count);
  } catch (...) {  // must not pass through DuckDB
    rows.error = std::current_exception();
    duckdb.function_set_error(info, "there are no more rows");
  }
}

// The name of a table of rows in the making.
std::string table_of_rows(const DuckDb& duckdb) {
  const DuckDbLibrary& l = duckdb.library();
  void* function = l.create_table_function();
  l.table_function_set_name(function, "rows_of_ardvark");
  l.table_function_set_bind(function, name_columns);
  l.table_function_set_init(function, [](void*) {});
  l.table_function_set_function(function, give_rows);
  l.register_table_function(duckdb.connection(), function);
  l.destroy_table_function(&function);
  return "rows_of_ardvark()";
}

// The reason of the system is at the end of what DuckDB says: IO Error: Could not write file "x": No space left on device. A newer version
// puts this into a text in quotes, and more after it.
std::string reason_of(const std::string& message) {
  const std::size_t at = message.rfind("\": ");  // of DuckDB
  if (at == std::string::npos) return message;
  return message.substr(at + 3, message.find('"', at + 1) - at - 3);  // of DuckDB
}

// What is written: the columns, those of texts in their types.
std::string columns_to_write(const ParquetWriter::Columns& columns) {
  std::string out;
  for (const OutputColumn& column : columns) {
    const std::string name = in_quotes(column.name, '"');
    out += fmt::format("{}{}", out.empty() ? "" : ", ",
                       column.written_as.empty() ? name : fmt::format("CAST({0} AS {1}) AS {0}", name, column.written_as));
  }
  return out;
}

void refuse_equal_names(const ParquetWriter::Columns& columns, const std::string& path) {
  std::map<std::string, std::string> seen;
  for (const OutputColumn& column : columns)
    if (const auto [at, is_new] = seen.emplace(lower_case(column.name), column.name); !is_new)
      throw InvalidArgument(
          fmt::format("'{}' would have the columns '{}' and '{}', whose names are the same for DuckDB, which writes it; leave out "
                      "one of them, or write CSV",
                      path, at->second, column.name));
}

}  // namespace

void ParquetWriter::write(const std::string& to, Columns first, const std::function<Columns()>& next) {
  refuse_equal_names(first, path_);
  const std::string columns = columns_to_write(first);
  const SizeLimitAsError no_signal;
  RowsInTheMaking rows{duckdb_.library(), std::move(first), next};
  in_the_making = &rows;
  const std::string error = duckdb_.obey(fmt::format("COPY (SELECT {} FROM {}) TO {} (FORMAT parquet, USE_TMP_FILE false)", columns,
                                                     table_of_rows(duckdb_), in_quotes(to, '\'')));
  in_the_making = nullptr;
  if (rows.error) std::rethrow_exception(rows.error);
  if (!error.empty())
    throw EnvironmentError(fmt::format("cannot write '{}': {}; free space or give another path", path_, reason_of(error)));
}

}  // namespace ardvark::internal::io
