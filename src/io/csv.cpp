// Reads tables: the meaning of the fields of a CSV file. csv_records.hpp reads the structure of the file.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "ardvark/errors.hpp"
#include "ardvark/table.hpp"
#include "core/pulse.hpp"
#include "io/csv_records.hpp"
#include "io/csv_rows.hpp"
#include "io/row_buffer.hpp"
#include "io/text.hpp"

namespace ardvark {

using namespace internal;

namespace internal::csv {  // not without a name: CsvRows::State, which has a name elsewhere, is made of these

using io::Comma;
using io::CsvField;
using io::CsvRecords;
using io::Kind;
using io::listed;
using io::shown;
using io::StoredColumn;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_marker(std::string_view text, const CsvOptions& options) {
  return std::find(options.missing_markers.begin(), options.missing_markers.end(), text) != options.missing_markers.end();
}

bool is_missing(std::string_view text, const CsvOptions& options) {
  for (const std::string_view token : {"", "NA", "N/A", "NaN", "nan", "null", "NULL", "?"})
    if (text == token) return true;
  return is_marker(text, options);
}

std::string ask_for_marker(std::string_view text) {
  return fmt::format("if '{0}' means a missing value, use --missing-marker='{0}' and --missing drop or impute", shown(text));
}

// std::from_chars reports the same error for overflow and underflow. The power of ten of the first nonzero digit distinguishes them.
bool is_huge(std::string_view number) {
  const std::size_t exponent_at = std::min(number.find_first_of("eE"), number.size());
  const std::string_view digits = number.substr(0, exponent_at);
  const std::size_t first_digit = digits.find_first_of("123456789");
  if (first_digit == std::string_view::npos) return false;
  const auto point = static_cast<long long>(std::min(digits.find('.'), digits.size()));
  const bool exponent_negative = number.substr(exponent_at).starts_with("e-") || number.substr(exponent_at).starts_with("E-");

  long long exponent = 0;
  for (const char c : number.substr(exponent_at))
    if (c >= '0' && c <= '9') exponent = std::min(10 * exponent + (c - '0'), 1'000'000'000'000LL);
  return point - static_cast<long long>(first_digit) + (exponent_negative ? -exponent : exponent) > 0;
}

// Reads the whole text as a number, independent of the locale. Overflow gives infinity, underflow 0.
bool parse_number(std::string_view text, double& value) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) return false;
  if (error == std::errc::result_out_of_range) value = is_huge(text) ? HUGE_VAL : 0.0;
  return true;
}

// For example "1,234,567", "-11,600", "1,234.5".
bool has_thousands(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  const std::string_view whole = text.substr(0, text.find('.'));
  std::size_t comma = whole.find(',');
  if (comma == std::string_view::npos || comma == 0 || comma > 3) return false;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    const bool is_comma = at >= comma && (at - comma) % 4 == 0;
    if (is_comma ? whole[at] != ',' : whole[at] < '0' || whole[at] > '9') return false;
  }
  return (whole.size() - comma) % 4 == 0 && text.substr(whole.size()).find_first_not_of("0123456789", 1) == std::string_view::npos;
}

// For example "1,5", "-12,25", "1.234,5", "2,5e-3".
bool has_decimal_comma(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos || text.find(',', comma + 1) != std::string_view::npos) return false;
  if (comma + 1 == text.size() || text[comma + 1] < '0' || text[comma + 1] > '9') return false;
  std::string with_point(text.substr(0, comma));
  std::erase(with_point, '.');
  if (with_point.empty() || with_point.back() < '0' || with_point.back() > '9') return false;
  with_point += '.';
  with_point += text.substr(comma + 1);
  double value;
  return parse_number(with_point, value);
}

Comma comma_in(std::string_view text) {
  const bool thousands = has_thousands(text), decimal = has_decimal_comma(text);
  if (decimal && !thousands) return {"has a decimal comma", "write a decimal point"};
  if (!thousands) return {};
  std::string without(text), with_point(text);
  std::erase(without, ',');
  std::ranges::replace(with_point, ',', '.');
  if (!decimal) return {"has commas between thousands", fmt::format("write {}", shown(without))};
  return {"has a comma, which may be a decimal comma or stand between thousands",
          fmt::format("write {} or {}", shown(with_point), shown(without)), false};
}

// Checks that the first column, which has no name, holds row names: texts or whole numbers that all differ. What other numbers would mean,
// only the caller can say.
class RowNames {
 public:
  explicit RowNames(std::size_t most_names) : most_names_(most_names) {}
  void read(CsvRecords& records) {
    CsvField& field = records.fields().front();
    const std::string_view text = field.text();
    double number = std::nan("");
    const bool is_number = parse_number(trimmed(text), number) && std::isfinite(number);
    if (is_number && number != std::floor(number)) refuse(records, text, "is not a whole number");
    if (records.row() == 1) begin(text, number);
    if (is_number && number == first_ + static_cast<double>(num_counted_) && num_counted_ == records.row() - 1) {
      ++num_counted_;
      return;
    }
    if (records.is_header_short() && is_number && !field.quoted) refuse(records, text, "does not count the rows");
    const bool is_counted = is_number && number >= first_ && number < first_ + static_cast<double>(num_counted_);
    const bool is_repeated = others_.size() < most_names_ ? !others_.emplace(text).second : others_.contains(std::string(text));
    if (is_counted || is_repeated) refuse(records, text, "is in another row, too");
  }
  [[nodiscard]] std::string note() const {
    return fmt::format("column 1, which has no name in the header, holds row names ('{}', ...) and is left out", shown(example_));
  }

 private:
  void begin(std::string_view text, double number) {
    example_ = text;
    if (number == 0 || number == 1) first_ = number;
  }
  [[noreturn]] static void refuse(const CsvRecords& records, std::string_view text, const char* why) {
    throw InvalidArgument(fmt::format(
        "{}: '{}' {}, so column 1, {}, does not hold row names; name it in the header, or leave it out: "
        "--ignore '{}'",
        records.row_name(), shown(text), why,
        records.is_header_short() ? "for which the header has no field" : "which has no name in the header", records.names().front()));
  }

  std::size_t most_names_;
  double first_ = 1;
  Index num_counted_ = 0;  // rows from the first whose names count from first_: these are not stored
  std::string example_;
  std::unordered_set<std::string> others_;
};

// Whether the caller speaks of a column that has no name in the file.
bool is_mentioned(const std::string& name, const CsvOptions& options) {
  const auto is_in = [&](const std::vector<std::string>& names) { return std::ranges::find(names, name) != names.end(); };
  return is_in(options.ignore) || is_in(options.categorical) || is_in(options.only) || is_in(options.verbatim) || is_in(options.optional) ||
         std::ranges::any_of(options.required, [&](const auto& needed) { return needed.first == name; });
}

// Without a name, the first column holds row names, and any other is refused.
bool holds_row_names(const std::string& path, const CsvRecords& records, const CsvOptions& options) {
  for (std::size_t field = 1; field < records.names().size() && options.only.empty(); ++field)
    if (const std::string& name = records.names()[field]; records.is_unnamed(field) && !is_mentioned(name, options))
      throw InvalidArgument(
          fmt::format("column {} of '{}' has no name in the header; give it one, or leave it out: --ignore '{}'", field + 1, path, name));
  return records.is_unnamed(0) && !is_mentioned(records.names().front(), options) && (options.only.empty() || records.is_header_short());
}

[[noreturn]] void fail_at(const CsvRecords& records, const StoredColumn& column, const std::string& what) {
  throw InvalidArgument(fmt::format("{}: {}", records.where(column.field), what));
}

std::string way_to_text(const StoredColumn& column) {
  return column.may_be_listed ? fmt::format(" (to read the column as text: --categorical '{}')", shown(column.name)) : "";
}

constexpr const char* one_way = "write 1 and 0, or true and false, in every row";

// A text in a column of numbers.
std::string why_no_number(const StoredColumn& column, CsvField& field) {
  const std::string_view text = trimmed(field.text());
  if (io::may_mean_missing(text)) return fmt::format("'{}' is not a number; {}", shown(text), ask_for_marker(text));
  if (io::truth_of(text)) return fmt::format("'{}' is not a number; {}", shown(text), one_way);
  if (const Comma comma = comma_in(text); comma.meaning != nullptr)
    return fmt::format("'{}' {}; {}", shown(text), comma.meaning, comma.remedy);
  const std::string way = column.may_be_listed ? way_to_text(column) : "; write a number there, or leave out such rows";
  return fmt::format("'{}' is not a number{}", shown(field.text()), way);
}

// A number in a column that holds only texts so far. \param num_before  different texts before it
[[noreturn]] void refuse_number_after_text(const CsvRecords& records, const StoredColumn& column, std::string_view text, Index num_before) {
  if (2 * column.num_commas >= column.num_texts)  // a whole number in a column with decimal commas
    throw InvalidArgument(fmt::format("{} {}; {}", column.texts->first_comma, column.texts->comma.meaning, column.texts->comma.remedy));
  if (io::truth_of(column.levels.first()))
    throw InvalidArgument(
        fmt::format("{} is a text, but {} holds the number '{}'; {}", column.texts->first, records.row_name(), shown(text), one_way));
  throw InvalidArgument(fmt::format("{} is a text, but {} holds the number '{}'{}{}", column.texts->first, records.row_name(), shown(text),
                                    num_before == 1 ? "; " + ask_for_marker(column.levels.first()) : "", way_to_text(column)));
}

// Whether a new text is a number with a comma; remembers the first of them.
void note_comma(const CsvRecords& records, StoredColumn& column, std::string_view text) {
  const Comma comma = column.listed ? Comma{} : comma_in(trimmed(text));
  column.has_comma.push_back(comma.meaning != nullptr);
  if (comma.meaning == nullptr || (column.num_commas > 0 && (column.texts->comma.is_clear || !comma.is_clear))) return;
  column.texts->first_comma = fmt::format("{}: '{}'", records.where(column.field), shown(text));
  column.texts->comma = comma;
}

// The value of a field in the table; nothing if it is missing.
std::optional<double> read_value(const CsvRecords& records, const CsvOptions& options, StoredColumn& column, CsvField& field) {
  if (column.kind != Kind::text) {
    const std::string_view text = field.quoted ? trimmed(field.raw()) : field.raw();
    double value;
    if (parse_number(text, value)) {
      if (std::isnan(value) || is_marker(text, options)) return std::nullopt;
      if (std::isinf(value)) fail_at(records, column, fmt::format("{} is not finite", shown(text)));
      column.kind = Kind::number;
      return value;
    }
    if (is_missing(text, options)) return std::nullopt;
    if (column.kind == Kind::number) fail_at(records, column, why_no_number(column, field));
    column.kind = Kind::text;
  }
  const std::string_view text = field.text();
  if (!column.verbatim && is_missing(field.quoted ? trimmed(text) : text, options)) return std::nullopt;
  const auto [code, is_new] = column.levels.code(text);
  if (column.num_texts++ == 0)
    column.texts = std::make_unique<StoredColumn::Texts>(
        StoredColumn::Texts{fmt::format("{}: '{}'", records.where(column.field), shown(text)), {}, {}});
  if (is_new) note_comma(records, column, text);
  if (column.has_comma[static_cast<std::size_t>(code)]) ++column.num_commas;
  if (double number; is_new && !column.listed && parse_number(trimmed(text), number) && !std::isnan(number))
    refuse_number_after_text(records, column, text, code);
  if (is_new && !io::is_utf8(text)) fail_at(records, column, fmt::format("'{}' is not UTF-8: save the file as UTF-8", shown(text)));
  return static_cast<double>(code);
}

// Such numbers would be read as categories.
void refuse_decimal_commas(const std::vector<StoredColumn>& stored) {
  for (const StoredColumn& column : stored)
    if (2 * column.num_commas > column.num_texts)
      throw InvalidArgument(fmt::format("{} {}, like {} of the {} values of the column; {}{}", column.texts->first_comma,
                                        column.texts->comma.meaning, column.num_commas, column.num_texts, column.texts->comma.remedy,
                                        way_to_text(column)));
}

// Stores the lines of the rows as soon as a line number differs from row number + 1.
void note_line(Table& table, Index row_kept, Index file_row, Index line) {
  std::vector<Index>& lines = table.file_lines;
  if (lines.empty() && line == file_row + 1) return;
  for (auto row = static_cast<Index>(lines.size()); row < row_kept; ++row)
    lines.push_back(1 + (table.file_rows.empty() ? row + 1 : table.file_rows[static_cast<std::size_t>(row)]));
  lines.push_back(line);
}

}  // namespace internal::csv

namespace internal::io {

using namespace csv;

struct CsvRows::State {
  bool names_file;
  std::size_t most_row_names;
  std::optional<CsvRecords> records;
  std::optional<RowNames> row_names;
  std::optional<std::string> note_of_row_names;
};

CsvRows::CsvRows(const CsvOptions& options, bool names_file, std::size_t most_row_names)
    : TableRows(options), state_(new State{names_file, most_row_names, {}, {}, {}}) {
  if (std::string_view("\"\r\n\0", 4).find(options.delimiter) != std::string_view::npos)
    throw InvalidArgument("the delimiter is a quote, a line break or NUL: give another character, such as ',', ';' or a tab");
}
CsvRows::~CsvRows() = default;

void CsvRows::open(const std::string& path) {
  State& s = *state_;
  const CsvRecords& records = s.records.emplace(path, options_.delimiter, s.names_file);
  const bool has_row_names = holds_row_names(path, records, options_);
  begin_file(path, records.names(), has_row_names);
  s.row_names.reset();
  if (has_row_names) s.row_names.emplace(s.most_row_names);
}

bool CsvRows::next(double* row) {
  State& s = *state_;
  while (s.records->next()) {
    CsvRecords& records = *s.records;
    if (s.row_names) {
      s.row_names->read(records);
      if (!s.note_of_row_names) s.note_of_row_names = s.row_names->note();
    }
    double* to = row;
    bool complete = true;
    for (StoredColumn& column : stored_) {
      const std::optional<double> value = read_value(records, options_, column, records.fields()[column.field]);
      if (!value) complete = keeps_gap(column, options_.missing == Missing::refuse ? records.where(column.field) : "") && complete;
      *to++ = value.value_or(std::numeric_limits<double>::quiet_NaN());
    }
    if (complete) return true;
    ++num_dropped_;
  }
  return false;
}

Index CsvRows::row() const { return state_->records->row(); }
Index CsvRows::line() const { return state_->records->line(); }
const File& CsvRows::file() const { return state_->records->file(); }
std::uint64_t CsvRows::num_bytes_read() const { return state_->records->num_bytes_read(); }
std::optional<std::string> CsvRows::note_of_row_names() const { return state_->note_of_row_names; }

void CsvRows::check_end(Index num_rows) const {
  refuse_decimal_commas(stored_);
  TableRows::check_end(num_rows);
}

}  // namespace internal::io

using namespace internal::csv;

namespace {

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

  if (const std::optional<std::string> note = reader.note_of_row_names()) table.notes.push_back(*note);
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
    throw EnvironmentError(fmt::format("not enough memory to hold the table of '{}': ignore columns that are not needed", path));
  }
}

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
  if (kept == 0)
    throw InvalidArgument(
        fmt::format("column '{}' has no value, so no rows are left", shown(columns[static_cast<std::size_t>(which.front())].name)));
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
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const TableColumn& column) { return column.name == name; });
  return found == columns.end() ? -1 : static_cast<Index>(found - columns.begin());
}

Index Table::at(const std::string& name) const {
  const Index column = find(name);
  if (column >= 0) return column;
  std::vector<std::string> names;
  for (const TableColumn& c : columns) names.push_back(c.name);
  const std::string nearest = io::did_you_mean(name, names);
  throw InvalidArgument(
      fmt::format("there is no column '{}'{} columns are {}", shown(name), nearest.empty() ? "; the" : nearest + " The", listed(names)));
}

}  // namespace ardvark
