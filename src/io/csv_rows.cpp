// The meaning of the fields of a CSV file. csv_records.hpp reads the structure of the file.
#include "io/csv_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <unordered_set>

#include "ardvark/errors.hpp"
#include "io/advice.hpp"
#include "io/csv_numbers.hpp"
#include "io/notation.hpp"
#include "io/text.hpp"

namespace ardvark::internal::csv {  // not without a name: CsvRows::State, which has a name elsewhere, is made of these

using io::Comma;
using io::CsvField;
using io::CsvFormat;
using io::CsvRecords;
using io::is_blank_text;
using io::is_mentioned;
using io::Kind;
using io::other_mark_in;
using io::parse_number;
using io::read_number;
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

// -999 means -999.0, too.
bool is_marker(double value, char decimal, const CsvOptions& options) {
  double number;
  return std::ranges::any_of(options.missing_markers,
                             [&](const std::string& marker) { return read_number(marker, decimal, number) && number == value; });
}

constexpr Index most_markers = 3;           // that a message spells out
constexpr std::size_t longest_marker = 60;  // a longer text is a remark

// What to do about texts that may mean missing values.
std::string ask_for_markers(std::span<const std::string_view> texts, const StoredColumn& column, const CsvOptions& options) {
  const char* drop = column.may_be_listed ? " and --missing drop or impute" : " and --missing drop";
  if (options.missing != Missing::refuse) drop = "";
  if (std::ssize(texts) > most_markers) return "if such texts mean missing values, " + io::way_to_mark(options.advice, {}, drop);
  const std::string what =
      texts.size() == 1 ? fmt::format("'{}' means a missing value", shown(texts[0])) : "these texts mean missing values";
  return fmt::format("if {}, {}", what, io::way_to_mark(options.advice, texts, drop));
}

// Checks that the first column, which has no name, holds row names: texts or whole numbers that all differ. What other numbers would mean,
// only the caller can say.
class RowNames {
 public:
  RowNames(std::size_t most_names, Advice advice) : most_names_(most_names), advice_(advice) {}
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
    if (sum_.empty() && io::names_a_sum(trimmed(text)))
      sum_ = fmt::format("{} has the name '{}'; if it sums up others, leave it out", records.row_name(), shown(text));
  }
  /// About a row whose name says that it sums up others; empty: there is none.
  [[nodiscard]] const std::string& note_of_sum() const { return sum_; }
  [[nodiscard]] std::string note() const {
    return fmt::format("column 1, which has no name in the header, holds row names ('{}', ...) and is left out", shown(example_));
  }

 private:
  void begin(std::string_view text, double number) {
    example_ = text;
    if (number == 0 || number == 1) first_ = number;
  }
  [[noreturn]] void refuse(const CsvRecords& records, std::string_view text, const char* why) const {
    const char* const nameless = records.is_header_short() ? "for which the header has no field" : "which has no name in the header";
    ErrorFields fields = records.cell(0, shown(text));
    fields.remedy = "name it in the header, or leave it out" + io::way_to_ignore(advice_, records.names().front());
    throw InvalidArgument(std::move(fields),
                          fmt::format(": '{}' {}, so column 1, {}, does not hold row names", shown(text), why, nameless));
  }

  std::size_t most_names_;
  Advice advice_;
  double first_ = 1;
  Index num_counted_ = 0;  // rows from the first whose names count from first_: these are not stored
  std::string example_, sum_;
  std::unordered_set<std::string> others_;
};

// The fields without a name, of which nobody speaks: the first one holds row names, and any other must be empty.
std::vector<std::size_t> nameless_fields(const CsvRecords& records, const CsvOptions& options) {
  std::vector<std::size_t> fields;
  for (std::size_t field = 0; field < records.names().size(); ++field)
    if (records.is_unnamed(field) && !is_mentioned(records.names()[field], options) &&
        (options.only.empty() || (field == 0 && records.is_header_short())))
      fields.push_back(field);
  return fields;
}

void require_blank(CsvRecords& records, std::size_t field, Advice advice) {
  CsvField& value = records.fields()[field];
  if (!is_blank_text(value.raw())) {
    ErrorFields fields = records.cell(field, shown(value.text()));
    fields.remedy = "give it one, or leave it out" + io::way_to_ignore(advice, records.names()[field]);
    const std::string sentence = fmt::format(": '{}' stands in column {}, which has no name in the header", fields.value, field + 1);
    throw InvalidArgument(std::move(fields), sentence);
  }
}

std::string note_of_blank(std::size_t field) {
  return fmt::format("column {}, which has no name in the header, is empty and is left out", field + 1);
}

std::string way_to_text(const StoredColumn& column, const CsvOptions& options) {
  return column.may_be_listed ? io::way_to_text(options.advice, column.name) : "";
}

constexpr const char* one_way = "write 1 and 0, or true and false, in every row";

// What to write for a number in another notation, before the advice on missing values.
std::string before_markers(std::string_view text) {
  const std::string remedy = io::remedy_of_notation(text);
  return remedy.empty() ? "" : remedy + "; ";
}

// A text in a column of numbers.
InvalidArgument no_number(const CsvRecords& records, const StoredColumn& column, const CsvOptions& options, CsvField& field) {
  const std::string_view text = trimmed(field.text());
  const auto error = [&](const std::string& why, const std::string& remedy) {
    return records.wrong_field(column.field, shown(text), fmt::format("'{}' {}", shown(text), why), remedy);
  };
  if (io::truth_of(text)) return error("is not a number", one_way);
  if (const Comma comma = other_mark_in(text, records.dialect().decimal, options.advice); comma.meaning != nullptr)
    return error(comma.meaning, comma.remedy);
  if (io::names_a_sum(text)) return error("is not a number", "if this row sums up others, leave it out" + way_to_text(column, options));
  if (text == column.name) return error("is not a number, but the name of the column", "if this row repeats the header, leave it out");
  if (text.size() > longest_marker)
    return error("is not a number", "write a number there, or leave out such rows" + way_to_text(column, options));
  return error("is not a number", before_markers(text) + ask_for_markers({&text, 1}, column, options) +
                                      (io::may_mean_missing(text) ? "" : way_to_text(column, options)));
}

// About a text of an earlier row.
InvalidArgument wrong_text(const ErrorFields& text, const std::string& why, const std::string& remedy) {
  return io::wrong_cell(text, text.value, fmt::format("'{}' {}", text.value, why), remedy);
}

// A number in a column that holds only texts so far. \param num_before  different texts before it
[[noreturn]] void refuse_number_after_text(const CsvRecords& records, const CsvOptions& options, const StoredColumn& column,
                                           std::string_view text, Index num_before) {
  if (2 * column.num_commas >= column.num_texts)  // a whole number in a column with decimal commas
    throw wrong_text(column.texts->first_comma, column.texts->comma.meaning, column.texts->comma.remedy);
  const std::string why = fmt::format("is a text, but {} holds the number '{}'", records.row_name(), shown(text));
  if (io::truth_of(column.levels.first())) throw wrong_text(column.texts->first, why, one_way);
  std::string way = before_markers(column.levels.first()) +
                    ask_for_markers(std::span(column.levels.texts()).first(static_cast<std::size_t>(num_before)), column, options);
  if (records.row() == 2 && records.dialect().has_words_first) way += "; if row 1 belongs to the header, as units do, leave it out";
  throw wrong_text(column.texts->first, why, way + way_to_text(column, options));
}

// Whether a new text is a number with a comma; remembers the first of them.
void note_comma(const CsvRecords& records, const CsvOptions& options, StoredColumn& column, std::string_view text) {
  const Comma comma = column.listed ? Comma{} : other_mark_in(trimmed(text), records.dialect().decimal, options.advice);
  column.has_comma.push_back(comma.meaning != nullptr);
  if (comma.meaning == nullptr || (column.num_commas > 0 && (column.texts->comma.is_clear || !comma.is_clear))) return;
  column.texts->first_comma = records.cell(column.field, shown(text));
  column.texts->comma = comma;
}

// The value of a field in the table; nothing if it is missing.
std::optional<double> read_value(const CsvRecords& records, const CsvOptions& options, StoredColumn& column, CsvField& field) {
  const char decimal = records.dialect().decimal;
  if (column.kind != Kind::text) {
    const std::string_view text = field.quoted ? trimmed(field.raw()) : field.raw();
    double value;
    if (read_number(text, decimal, value)) {
      if (std::isnan(value) || is_marker(value, decimal, options)) return std::nullopt;
      if (std::isinf(value)) throw records.wrong_field(column.field, shown(text), fmt::format("{} is not finite", shown(text)));
      column.kind = Kind::number;
      return value;
    }
    if (is_missing(text, options)) return std::nullopt;
    if (column.kind == Kind::number) throw no_number(records, column, options, field);
    column.kind = Kind::text;
  }
  const std::string_view text = field.text();
  if (!column.verbatim && is_missing(field.quoted ? trimmed(text) : text, options)) return std::nullopt;
  std::string room;
  const auto [code, is_new] = column.levels.code(column.verbatim ? text : io::code_of(text, room));
  if (column.num_texts++ == 0)
    column.texts = std::make_unique<StoredColumn::Texts>(StoredColumn::Texts{records.cell(column.field, shown(text)), {}, {}});
  if (is_new) note_comma(records, options, column, text);
  if (column.has_comma[static_cast<std::size_t>(code)]) ++column.num_commas;
  if (double number; is_new && !column.listed && read_number(trimmed(text), decimal, number) && !std::isnan(number))
    refuse_number_after_text(records, options, column, text, code);
  if (is_new && !io::is_utf8(text))
    throw records.wrong_field(column.field, shown(text), fmt::format("'{}' is not UTF-8:", shown(text)), "save the file as UTF-8");
  return static_cast<double>(code);
}

// Such numbers would be read as categories. Nothing: they are none.
std::optional<InvalidArgument> why_no_categories(const StoredColumn& column, const CsvOptions& options) {
  if (2 * column.num_commas <= column.num_texts) return {};
  return wrong_text(
      column.texts->first_comma,
      fmt::format("{}, like {} of the {} values of the column", column.texts->comma.meaning, column.num_commas, column.num_texts),
      column.texts->comma.remedy + way_to_text(column, options));
}

}  // namespace ardvark::internal::csv

namespace ardvark::internal::io {

using namespace csv;

// What reading a number needs of a column. StoredColumn takes many cache lines, and all of those of a wide table no cache holds.
struct PlainColumn {
  std::uint32_t field;
  bool is_number;
};

struct CsvRows::State {
  bool names_file;
  std::size_t most_row_names;
  std::optional<CsvRecords> records;
  std::optional<RowNames> row_names;
  std::vector<std::size_t> blank_fields;  // without a name
  std::vector<PlainColumn> plain;         // [stored columns]
  std::vector<std::string> notes;
  bool has_row_names_note = false;

  void note(const std::string& text) {
    if (std::ranges::find(notes, text) == notes.end()) notes.push_back(text);
  }
  void read_nameless(Advice advice);
};

// The fields without a name of a row.
void CsvRows::State::read_nameless(Advice advice) {
  if (row_names && records->row() == 1 && is_blank_text(records->fields().front().raw())) {
    row_names.reset();
    blank_fields.insert(blank_fields.begin(), 0);
    note(note_of_blank(0));
  }
  for (const std::size_t field : blank_fields) require_blank(*records, field, advice);
  if (!row_names) return;
  row_names->read(*records);
  if (!row_names->note_of_sum().empty()) note(row_names->note_of_sum());
  if (records->row() == 1 && !has_row_names_note) note(row_names->note()), has_row_names_note = true;
}

CsvRows::CsvRows(const CsvOptions& options, bool names_file, std::size_t most_row_names)
    : TableRows(options), state_(new State{names_file, most_row_names, {}, {}, {}, {}, {}, false}) {
  if (options.delimiter && std::string_view("\"\r\n\0", 4).find(*options.delimiter) != std::string_view::npos)
    throw InvalidArgument("the delimiter is a quote, a line break or NUL: give another character, such as ',', ';' or a tab");
  if (options.decimal && *options.decimal != '.' && *options.decimal != ',')
    throw InvalidArgument(fmt::format("the decimal mark is '{}'; it must be a point or a comma", shown(std::string(1, *options.decimal))));
  if (options.delimiter && *options.delimiter == '.')
    throw InvalidArgument("the delimiter is a point, which numbers have; give another character");
}
CsvRows::~CsvRows() = default;

void CsvRows::open(const std::string& path) {
  State& s = *state_;
  const char decimal_before = s.records ? s.records->dialect().decimal : '.';
  const CsvRecords& records =
      s.records.emplace(path, CsvFormat{options_.delimiter, options_.decimal, decimal_before, options_.advice}, s.names_file);
  for (const std::string& note : records.dialect().notes) s.note(note);
  s.blank_fields = nameless_fields(records, options_);
  const std::vector<std::size_t> left_out = s.blank_fields;
  s.row_names.reset();
  if (!left_out.empty() && left_out.front() == 0) {
    s.row_names.emplace(s.most_row_names, options_.advice);
    s.blank_fields.erase(s.blank_fields.begin());
  }
  for (const std::size_t field : s.blank_fields) s.note(note_of_blank(field));
  begin_file(path, records.names(), left_out);
  s.plain.clear();
  for (const StoredColumn& column : stored_) s.plain.push_back({static_cast<std::uint32_t>(column.field), false});
}

bool CsvRows::next(double* row) {
  State& s = *state_;
  while (s.records->next()) {
    CsvRecords& records = *s.records;
    s.read_nameless(options_.advice);
    bool complete = true;
    const char decimal = records.dialect().decimal;
    const std::vector<CsvField>& fields = records.fields();
    for (std::size_t c = 0; c < stored_.size(); ++c) {
      PlainColumn& plain = s.plain[c];
      const CsvField& field = fields[plain.field];
      if (plain.is_number && !field.quoted && read_number(field.raw(), decimal, row[c]) && std::isfinite(row[c])) continue;
      StoredColumn& column = stored_[c];
      const std::optional<double> value = read_value(records, options_, column, records.fields()[plain.field]);
      if (!value) complete = keeps_gap(column, options_.missing == Missing::refuse ? records.cell(plain.field) : ErrorFields()) && complete;
      row[c] = value.value_or(std::numeric_limits<double>::quiet_NaN());
      plain.is_number = column.kind == Kind::number && options_.missing_markers.empty();
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
std::vector<std::string> CsvRows::notes() const { return state_->notes; }
const CsvRecords& CsvRows::records() const { return *state_->records; }
const std::vector<std::size_t>& CsvRows::blank_fields() const { return state_->blank_fields; }
bool CsvRows::has_row_names() const { return state_->row_names.has_value(); }
char CsvRows::decimal() const { return state_->records->dialect().decimal; }

void CsvRows::check_end(Index num_rows) const {
  for (const StoredColumn& column : stored_)
    if (const auto why = why_no_categories(column, options_)) throw *why;
  TableRows::check_end(num_rows);
}

std::vector<std::pair<std::string, std::string>> CsvRows::refused_columns() const {
  std::vector<std::pair<std::string, std::string>> out;
  for (const StoredColumn& column : stored_)
    if (const auto why = why_no_categories(column, options_)) out.emplace_back(column.name, why->what());
  return out;
}

}  // namespace ardvark::internal::io
