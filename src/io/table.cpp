// A table: its rows as a message names them, rows with gaps, columns by name.
#include "ardvark/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "ardvark/errors.hpp"
#include "core/refusals.hpp"
#include "io/table_rows.hpp"
#include "io/text.hpp"

namespace ardvark {

using namespace internal;

std::string file_row_name(const std::vector<Index>& file_rows, const std::vector<Index>& file_lines, Index row) {
  const auto at = static_cast<std::size_t>(row);
  const Index in_file = file_rows.empty() ? row + 1 : file_rows[at];
  return fmt::format("row {} (line {})", in_file, file_lines.empty() ? in_file + 1 : file_lines[at]);
}

namespace {

const Table::FileOfRows* file_of(const std::vector<Table::FileOfRows>& files, Index row) {
  const auto after = std::ranges::upper_bound(files, row, {}, &Table::FileOfRows::first_row);
  return after == files.begin() ? nullptr : &*std::prev(after);
}

}  // namespace

std::string Table::row_name(Index row) const {
  if (!is_from_file) return fmt::format("row {}", row + 1);
  const FileOfRows* const of = file_of(files, row);
  const std::string name = has_lines ? file_row_name(file_rows, file_lines, row)
                                     : fmt::format("row {}", file_rows.empty() ? row + 1 : file_rows[static_cast<std::size_t>(row)]);
  return name + (of == nullptr ? "" : fmt::format(" of '{}'", of->path));
}

ErrorFields Table::cell(Index row, const std::string& column) const {
  return {.row = file_rows.empty() ? row + 1 : file_rows[static_cast<std::size_t>(row)], .row_name = row_name(row), .column = column};
}

Index Table::row_number(Index row) const {
  const FileOfRows* const of = file_of(files, row);
  return (of == nullptr ? 0 : of->rows_before) + (file_rows.empty() ? row + 1 : file_rows[static_cast<std::size_t>(row)]);
}

Table Table::row_names() const {
  Table names;
  names.num_rows = num_rows, names.is_from_file = is_from_file, names.has_lines = has_lines;
  names.file_rows = file_rows, names.file_lines = file_lines, names.files = files;
  return names;
}

void Table::drop_gaps_of(const std::vector<Index>& which) {
  const auto width = static_cast<std::size_t>(num_columns());
  Index kept = 0;
  std::vector<Index> rows_kept, lines_kept;
  if (num_missing.empty()) num_missing.assign(width, 0);
  for (Index row = 0; row < num_rows; ++row) {
    const double* const from = values.get() + static_cast<std::size_t>(row) * width;
    bool complete = true;
    for (const Index j : which) complete = complete && !std::isnan(from[j]);
    if (!complete) continue;
    rows_kept.push_back(file_rows.empty() ? row + 1 : file_rows[static_cast<std::size_t>(row)]);
    if (!file_lines.empty()) lines_kept.push_back(file_lines[static_cast<std::size_t>(row)]);
    std::copy_n(from, width, values.get() + static_cast<std::size_t>(kept++) * width);
  }
  if (kept == num_rows) return;
  if (kept == 0) throw wrong_column(io::shown(columns[static_cast<std::size_t>(which.front())].name), "has no value, so no rows are left");
  if (file_lines.empty() && is_from_file && has_lines)
    for (const Index row : rows_kept) lines_kept.push_back(row + 1);
  num_dropped += num_rows - kept;
  num_rows = kept;
  file_rows = std::move(rows_kept);
  file_lines = std::move(lines_kept);
  std::vector<std::vector<std::string>> texts;
  for (const TableColumn& column : columns) texts.push_back(column.levels);
  io::sort_levels(*this, std::move(texts));
}

void Table::Free::operator()(double* p) const { std::free(p); }

Index Table::find(const std::string& name) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const TableColumn& column) { return column.name == name && !column.is_copy; });
  return found == columns.end() ? -1 : static_cast<Index>(found - columns.begin());
}

Index Table::at(const std::string& name) const {
  const Index column = find(name);
  if (column >= 0) return column;
  std::vector<std::string> names;
  for (const TableColumn& c : columns) names.push_back(c.name);
  const std::string nearest = io::did_you_mean(name, names);
  throw InvalidArgument(fmt::format("there is no column '{}'{} columns are {}", io::shown(name),
                                    nearest.empty() ? "; the" : nearest + " The", io::listed(names)));
}

}  // namespace ardvark
