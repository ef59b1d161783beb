// Reads tables from files.
#include <fmt/format.h>

#include <memory>
#include <new>
#include <numeric>

#include "ardvark/errors.hpp"
#include "ardvark/table.hpp"
#include "io/row_buffer.hpp"
#include "io/table_rows.hpp"

namespace ardvark {

using namespace internal;

namespace {

// Stores the lines of the rows as soon as a line number differs from row number + 1.
void note_line(Table& table, Index row_kept, Index file_row, Index line) {
  std::vector<Index>& lines = table.file_lines;
  if (lines.empty() && line == file_row + 1) return;
  for (auto row = static_cast<Index>(lines.size()); row < row_kept; ++row)
    lines.push_back(1 + (table.file_rows.empty() ? row + 1 : table.file_rows[static_cast<std::size_t>(row)]));
  lines.push_back(line);
}

Table read_table(const std::string& path, const CsvOptions& options) {
  const std::unique_ptr<io::TableRows> rows_of_path = io::rows_of_file(path, options);
  io::TableRows& reader = *rows_of_path;
  reader.open(path);
  Table table;
  io::RowBuffer rows(reader.num_columns());
  const auto number_rows = [&] {  // of the file, if not all are kept
    table.num_dropped = reader.num_dropped();
    table.file_rows.resize(static_cast<std::size_t>(rows.num_rows()));
    std::iota(table.file_rows.begin(), table.file_rows.end(), Index{1});
  };
  while (reader.next(rows.next_row())) {
    if (table.num_dropped == 0 && reader.num_dropped() > 0) number_rows();
    if (reader.line() > 0) note_line(table, rows.num_rows(), reader.row(), reader.line());
    rows.keep_row();
    if (table.num_dropped > 0) table.file_rows.push_back(reader.row());
  }
  if (table.num_dropped == 0 && reader.num_dropped() > 0) number_rows();
  table.num_dropped = reader.num_dropped();
  reader.check_end(rows.num_rows());

  table.notes = reader.notes();
  table.has_lines = reader.line() > 0;
  table.num_rows = rows.num_rows();
  table.values = rows.take();
  reader.finish(table, true);
  io::unify_truths(table);
  return table;
}

}  // namespace

Table read_csv(const std::string& path, const CsvOptions& options) {
  try {
    return read_table(path, options);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(fmt::format("not enough memory to hold the table of '{}': ignore columns that are not needed", path));
  }
}

}  // namespace ardvark
