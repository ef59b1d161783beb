#include "io/table_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "ardvark/errors.hpp"
#include "core/pulse.hpp"
#include "io/csv_numbers.hpp"
#include "io/csv_rows.hpp"
#include "io/parquet_rows.hpp"
#include "io/text.hpp"

namespace ardvark::internal::io {

template <typename Text>
void sort_levels(Table& table, std::vector<std::vector<Text>> texts) {
  const auto num_columns = texts.size();
  const auto each_code = [&](auto&& action) {
    for (Index row = 0; row < table.num_rows; ++row)
      for (std::size_t j = 0; j < num_columns; ++j)
        if (double& code = table.values[static_cast<std::size_t>(row) * num_columns + j]; table.columns[j].categorical && !std::isnan(code))
          action(j, code);
  };

  std::vector<std::vector<double>> position(num_columns);  // per code; -1: occurs in no row
  for (std::size_t j = 0; j < num_columns; ++j) position[j].assign(texts[j].size(), -1);
  pulse();
  each_code([&](std::size_t j, double code) { position[j][static_cast<std::size_t>(code)] = 0; });

  for (std::size_t j = 0; j < num_columns; ++j) {
    std::vector<std::size_t> codes;
    for (std::size_t code = 0; code < texts[j].size(); ++code)
      if (position[j][code] == 0) codes.push_back(code);
    std::sort(codes.begin(), codes.end(), [&](std::size_t a, std::size_t b) { return texts[j][a] < texts[j][b]; });
    table.columns[j].levels.clear();
    for (const std::size_t code : codes) {
      position[j][code] = static_cast<double>(table.columns[j].levels.size());
      table.columns[j].levels.emplace_back(std::move(texts[j][code]));
    }
  }
  each_code([&](std::size_t j, double& code) { code = position[j][static_cast<std::size_t>(code)]; });
}

template void sort_levels(Table& table, std::vector<std::vector<std::string>> texts);

void unify_truths(Table& table) {
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    TableColumn& column = table.columns[j];
    std::vector<std::string> unified = with_one_spelling(column.levels);
    if (column.is_listed || unified == column.levels) continue;
    const std::vector<std::string> old = std::exchange(column.levels, std::move(unified));
    const bool has_false = truth_of(column.levels.front()) == false;
    for (Index row = 0; row < table.num_rows; ++row)
      if (double& level = table.values[static_cast<std::size_t>(row) * table.columns.size() + j]; !std::isnan(level))
        level = has_false && truth_of(old[static_cast<std::size_t>(level)]) == true ? 1 : 0;
  }
}

bool is_mentioned(const std::string& name, const CsvOptions& options) {
  const auto is_in = [&](const std::vector<std::string>& names) { return std::ranges::find(names, name) != names.end(); };
  return is_in(options.ignore) || is_in(options.categorical) || is_in(options.only) || is_in(options.verbatim) || is_in(options.optional) ||
         std::ranges::any_of(options.required, [&](const auto& needed) { return needed.first == name; });
}

namespace {

using NameSet = std::unordered_set<std::string_view>;

NameSet set_of(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

// If a list was split at a comma that belongs to a name, how to write this name.
std::string hint_of_comma(const std::vector<std::string>& absent, const std::vector<std::string>& names) {
  const std::string all = fmt::format("{}", fmt::join(absent, ","));
  const auto split = std::ranges::find_if(
      names, [&](const std::string& name) { return name.find(',') != std::string::npos && all.find(name) != std::string::npos; });
  return split == names.end() ? ""
                              : fmt::format("; a name that contains a comma must be in double quotes in a list: '\"{}\"'", shown(*split));
}

// If the header consists of numbers.
std::string hint_of_values(const std::vector<std::string>& names) {
  double number = 0;
  const auto is_value = [&](const std::string& name) { return parse_number(name, number); };
  return std::ranges::all_of(names, is_value) ? "; if these are values, the file has no header: write a line of names above them" : "";
}

void check_names(const std::string& path, const std::vector<std::string>& names, const CsvOptions& options) {
  const NameSet present = set_of(names);
  const auto require = [&](const std::vector<std::string>& wanted, const std::string& purpose) {
    std::vector<std::string> absent;
    for (const std::string& name : wanted)
      if (!present.contains(name)) absent.push_back(name);
    if (absent.empty()) return;
    const std::string nearest = absent.size() == 1 ? io::did_you_mean(absent.front(), names) : "";
    throw InvalidArgument(
        fmt::format("'{}' has no column{} {}{}{} columns are {}{}{}{}", path, absent.size() == 1 ? "" : "s", listed(absent), purpose,
                    nearest.empty() ? "; its" : nearest + " Its", listed(names),
                    names.size() == 1 ? io::hint_of_delimiter(names.front(), options.delimiter.value_or(','), options.advice) : "",
                    hint_of_comma(absent, names), hint_of_values(names)));
  };
  for (const auto& [name, asked_by] : options.required) require({name}, fmt::format(", which {} names", asked_by));
  require(options.only, "");
  const NameSet optional = set_of(options.optional);
  for (const std::string& name : options.verbatim)
    if (!optional.contains(name)) require({name}, "");
  if (!options.only.empty()) return;  // the other lists may then name columns that this file does not need to have
  require(options.ignore, " to ignore");
  require(options.categorical, " to read as text");
}

StoredColumn column_of(const std::string& name, std::size_t field, bool as_text, bool verbatim, bool may_be_listed) {
  StoredColumn column;
  column.name = name, column.field = field;
  column.verbatim = verbatim, column.may_be_listed = may_be_listed;
  if (as_text || verbatim) column.kind = Kind::text, column.listed = true;
  return column;
}

std::vector<StoredColumn> choose_columns(const std::string& path, const std::vector<std::string>& names, const CsvOptions& options,
                                         const std::vector<std::size_t>& left_out, const std::vector<std::string>& row_labels) {
  const NameSet ignored = set_of(options.ignore), categorical = set_of(options.categorical);
  const NameSet values = set_of(options.only), labels = set_of(row_labels);
  NameSet wanted = values;
  for (const std::string& name : options.only)
    if (ignored.contains(name)) throw InvalidArgument(fmt::format("column '{}' is both wanted and ignored", shown(name)));
  const NameSet verbatim = set_of(options.verbatim);
  if (!wanted.empty()) wanted.insert(options.optional.begin(), options.optional.end()), wanted.insert(verbatim.begin(), verbatim.end());

  std::vector<StoredColumn> stored;
  stored.reserve(wanted.empty() ? names.size() : std::min(names.size(), 2 * wanted.size()));  // a wide table has no room to spare
  for (std::size_t field = 0; field < names.size(); ++field) {
    const std::string& name = names[field];
    if (std::ranges::find(left_out, field) != left_out.end() || ignored.contains(name) || labels.contains(name)) continue;
    if (!wanted.empty() && !wanted.contains(name)) continue;
    const bool as_it_is = verbatim.contains(name), is_both = as_it_is && values.contains(name);
    stored.push_back(column_of(name, field, categorical.contains(name), as_it_is && !is_both, wanted.empty()));
    if (is_both) stored.push_back(column_of(name, field, true, true, false)), stored.back().is_copy = true;
  }
  if (stored.empty()) throw InvalidArgument(fmt::format("no column of '{}' is left to read: all are ignored", path));
  return stored;
}

[[noreturn]] void fail_without_rows(const std::string& path, const std::vector<StoredColumn>& stored, Index num_dropped) {
  if (num_dropped == 0) throw InvalidArgument(fmt::format("'{}' has a header but no rows", path));
  const auto worst =
      std::max_element(stored.begin(), stored.end(), [](const auto& a, const auto& b) { return a.num_missing < b.num_missing; });
  throw InvalidArgument(fmt::format("every row of '{}' has a missing value, so no rows are left (column '{}' lacks {} of {} values)", path,
                                    shown(worst->name), worst->num_missing, num_dropped));
}

// The names that all files must have: not those of empty columns.
std::vector<std::string> names_to_match(const std::vector<std::string>& names, const std::vector<std::size_t>& left_out) {
  std::vector<std::string> out;
  out.reserve(names.size());
  for (std::size_t field = 0; field < names.size(); ++field)
    if (field == 0 || std::ranges::find(left_out, field) == left_out.end()) out.push_back(names[field]);
  return out;
}

// The fields of another file of the table. \param to_match  of its names
void match_columns(const std::string& path, const std::vector<std::string>& names, const std::vector<std::string>& to_match,
                   const std::string& first_path, const std::vector<std::string>& first_names, const std::vector<std::string>& labels,
                   const CsvOptions& options, std::vector<StoredColumn>& stored) {
  const NameSet here = set_of(to_match), there = set_of(first_names), ignored = set_of(options.ignore), left_out = set_of(labels);
  constexpr const char* rule = "files of one table have the same columns, in any order";
  const auto is_needed = [&](const std::string& name) {
    return !ignored.contains(name) && !left_out.contains(name) && options.only.empty();
  };
  const auto is_read = [&](const std::string& name) { return std::ranges::find(stored, name, &StoredColumn::name) != stored.end(); };
  for (const std::string& name : first_names)
    if (!here.contains(name) && (is_needed(name) || is_read(name)))
      throw InvalidArgument(
          fmt::format("'{}' has no column '{}', which '{}' has{}; {}", path, shown(name), first_path, io::did_you_mean(name, names), rule));
  for (const std::string& name : to_match)
    if (!there.contains(name) && is_needed(name))
      throw InvalidArgument(fmt::format("'{}' has the column '{}', which '{}' does not have; {}", path, shown(name), first_path, rule));
  for (StoredColumn& column : stored)
    for (std::size_t field = 0; field < names.size(); ++field)
      if (names[field] == column.name) column.field = field;
}

}  // namespace

void TableRows::begin_file(const std::string& path, const std::vector<std::string>& names, const std::vector<std::size_t>& left_out,
                           std::vector<std::string> row_labels) {
  path_ = path;
  if (first_path_.empty()) {
    check_names(path, names, options_);
    stored_ = choose_columns(path, names, options_, left_out, row_labels);
    first_path_ = path;
    first_names_ = names_to_match(names, left_out);
    first_labels_ = std::move(row_labels);
  } else {
    row_labels.insert(row_labels.end(), first_labels_.begin(), first_labels_.end());
    match_columns(path, names, names_to_match(names, left_out), first_path_, first_names_, row_labels, options_, stored_);
  }
}

bool TableRows::keeps_gap(StoredColumn& column, const ErrorFields& cell) const {
  if (options_.missing == Missing::refuse)
    throw wrong_cell(cell, "NaN", "the value is missing", options_.remedy ? options_.remedy(column.name) : "leave out the row");
  ++column.num_missing;
  return options_.missing == Missing::keep;
}

void TableRows::check_end(Index num_rows) const {
  if (num_rows == 0) fail_without_rows(path_, stored_, num_dropped_);
}

Index TableRows::num_levels(Index column) const {
  return static_cast<Index>(stored_[static_cast<std::size_t>(column)].levels.texts().size());
}

void TableRows::finish(Table& table, bool is_last) {
  table.columns.clear(), table.num_missing.clear();
  table.columns.reserve(stored_.size()), table.num_missing.reserve(stored_.size());
  bool any_text = false;
  for (const StoredColumn& column : stored_) {
    table.columns.push_back({column.name, column.kind == Kind::text, {}, column.listed, column.is_copy, column.stored_type});
    table.num_missing.push_back(column.num_missing);
    any_text |= column.kind == Kind::text;
  }
  if (!any_text) return;
  if (is_last) {
    std::vector<std::vector<std::string>> texts;
    for (StoredColumn& column : stored_) texts.push_back(column.levels.take());
    sort_levels(table, std::move(texts));
  } else {
    std::vector<std::vector<std::string_view>> texts;
    for (const StoredColumn& column : stored_) texts.push_back(column.levels.texts());
    sort_levels(table, std::move(texts));
    for (StoredColumn& column : stored_)
      if (column.verbatim) static_cast<void>(column.levels.take()), column.has_comma.clear();  // there may be one for each row
  }
}

std::unique_ptr<TableRows> rows_of_file(const std::string& path, const CsvOptions& options, bool names_file, std::size_t most_row_names) {
  if (is_parquet(path)) return std::make_unique<ParquetRows>(options, names_file);
  return std::make_unique<CsvRows>(options, names_file, most_row_names);
}

}  // namespace ardvark::internal::io
