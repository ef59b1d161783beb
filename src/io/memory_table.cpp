// A table from columns in memory.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>
#include <string_view>
#include <unordered_map>

#include "ardvark/errors.hpp"
#include "ardvark/table.hpp"
#include "core/refusals.hpp"
#include "io/text.hpp"

namespace ardvark {

using namespace internal;

namespace {

using io::shown;

[[noreturn]] void fail_at(Index row, const std::string& column, const std::string& value, const std::string& why,
                          const std::string& remedy = {}) {
  throw io::wrong_cell({.row = row + 1, .column = column}, value, why, remedy);
}

// What is done about a missing value, and what the message advises.
struct OnMissing {
  Missing missing;
  const std::string& remedy;
  void meet(Index row, const std::string& column) const {
    if (missing == Missing::refuse) fail_at(row, column, "NaN", "the value is missing", remedy);
  }
};

void check(Index num_rows, const std::vector<ColumnView>& columns) {
  if (num_rows < 1) throw InvalidArgument("the table has no rows");
  if (columns.empty()) throw InvalidArgument("the table has no columns");
  std::set<std::string_view> names;
  for (const ColumnView& column : columns) {
    if (column.name.empty())
      throw InvalidArgument(fmt::format("column {} of the table has an empty name; give it one, or leave it out if it holds row names",
                                        &column - columns.data() + 1));
    if (!io::is_utf8(column.name)) throw InvalidArgument(fmt::format("the name of column '{}' is not UTF-8", shown(column.name)));
    if (!names.insert(column.name).second)
      throw InvalidArgument(fmt::format("two columns of the table are named '{}'", shown(column.name)));
    const auto size = static_cast<Index>(column.numbers.size() + column.texts.size());
    if (size != num_rows || (!column.numbers.empty() && !column.texts.empty()))
      throw wrong_column(shown(column.name), fmt::format("has {} values; the table has {} rows", size, num_rows));
  }
}

void put_numbers(const ColumnView& column, const OnMissing& missing, Index stride, double* to) {
  for (std::size_t i = 0; i < column.numbers.size(); ++i, to += stride) {
    const double x = column.numbers[i];
    if (std::isnan(x)) missing.meet(static_cast<Index>(i), column.name);
    if (std::isinf(x))
      fail_at(static_cast<Index>(i), column.name, fmt::format("{}", x), fmt::format("the value is {}; it must be finite", x));
    *to = x;
  }
}

// Without the blanks at its ends, as in a CSV file: "Oslo " and "Oslo" are one level, and so are "1.0" and "1".
std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? text : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Writes the position of each text among the sorted levels.
std::vector<std::string> put_texts(const ColumnView& column, const OnMissing& missing, Index stride, double* to) {
  struct Level {
    std::string name;
    double position = 0;
  };
  std::unordered_map<std::string_view, Level> level_of;
  for (std::size_t i = 0; i < column.texts.size(); ++i) {
    if (column.texts[i] == nullptr) missing.meet(static_cast<Index>(i), column.name);
    if (column.texts[i] == nullptr) continue;
    const std::string_view text = without_blanks(column.texts[i]);
    const auto [found, is_new] = level_of.try_emplace(text);
    if (is_new && !io::is_utf8(text))
      fail_at(static_cast<Index>(i), column.name, shown(text), fmt::format("the text '{}' is not UTF-8", shown(text)));
    if (is_new) found->second.name = io::code_of(text);
  }
  std::vector<std::string> levels;
  for (const auto& entry : level_of) levels.push_back(entry.second.name);
  std::ranges::sort(levels);
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  for (auto& entry : level_of)
    entry.second.position = static_cast<double>(std::ranges::lower_bound(levels, entry.second.name) - levels.begin());
  for (const char* const text : column.texts) {
    *to = text == nullptr ? std::numeric_limits<double>::quiet_NaN() : level_of.at(without_blanks(text)).position;
    to += stride;
  }
  return levels;
}

}  // namespace

Table make_table(Index num_rows, const std::vector<ColumnView>& columns, Missing missing, const std::string& remedy) {
  check(num_rows, columns);
  Table table;
  table.is_from_file = false;
  table.num_rows = num_rows;
  const std::size_t stride = columns.size(), rows = static_cast<std::size_t>(num_rows);
  const bool fits = rows <= SIZE_MAX / sizeof(double) / stride;
  table.values.reset(fits ? static_cast<double*>(std::malloc(rows * stride * sizeof(double))) : nullptr);
  if (table.values == nullptr) throw OutOfMemory(fmt::format("not enough memory for a table of {} x {}", num_rows, stride));
  for (std::size_t j = 0; j < stride; ++j) {
    const ColumnView& column = columns[j];
    TableColumn& out = table.columns.emplace_back(TableColumn{column.name, !column.texts.empty(), {}});
    double* const to = table.values.get() + j;
    if (out.categorical)
      out.levels = put_texts(column, {missing, remedy}, static_cast<Index>(stride), to);
    else
      put_numbers(column, {missing, remedy}, static_cast<Index>(stride), to);
  }
  return table;
}

}  // namespace ardvark
