// The meaning of the fields of a CSV file. csv_records.hpp reads the structure of the file.
#include "io/csv_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_set>

#include "ardvark/errors.hpp"
#include "io/csv_numbers.hpp"
#include "io/text.hpp"

namespace ardvark::internal::csv {  // not without a name: CsvRows::State, which has a name elsewhere, is made of these

using io::Comma;
using io::comma_in;
using io::CsvField;
using io::CsvRecords;
using io::is_mentioned;
using io::Kind;
using io::parse_number;
using io::shown;
using io::StoredColumn;
using io::trimmed;

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
  const auto [code, is_new] = column.levels.code(column.verbatim ? text : io::code_of(text));
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

}  // namespace ardvark::internal::csv

namespace ardvark::internal::io {

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

}  // namespace ardvark::internal::io
