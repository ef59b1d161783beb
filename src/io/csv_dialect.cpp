#include "io/csv_dialect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "ardvark/errors.hpp"
#include "io/advice.hpp"
#include "io/csv_numbers.hpp"
#include "io/text.hpp"

namespace ardvark::internal::io {
namespace {

constexpr Index most_rows = 1000;

struct SampleField {
  std::string_view text;  // as it is between the quotes
  bool quoted;
};

// The records of the sample, split as CsvRecords splits them. What CsvRecords refuses ends them.
class SampleRecords {
 public:
  SampleRecords(std::string_view text, bool is_whole, char delimiter)
      : text_(text), is_whole_(is_whole), delimiter_(delimiter), has_lone_cr_(holds_lone_cr()) {}

  // The next record that is not a blank line.
  bool next() {
    do {
      if (!split()) return false;
    } while (fields_.size() == 1 && !fields_[0].quoted && fields_[0].text.empty());
    return true;
  }
  [[nodiscard]] const std::vector<SampleField>& fields() const { return fields_; }
  [[nodiscard]] bool is_broken() const { return is_broken_; }
  [[nodiscard]] Index line() const { return line_; }
  [[nodiscard]] std::string_view raw() const { return trimmed(text_.substr(begin_, end_ - begin_)); }  // without its line end

 private:
  [[nodiscard]] bool holds_lone_cr() const {
    for (std::size_t at = text_.find('\r'); at != std::string_view::npos; at = text_.find('\r', at + 1))
      if (at + 1 < text_.size() ? text_[at + 1] != '\n' : is_whole_) return true;
    return false;
  }
  [[nodiscard]] bool is_end(std::size_t at) const {
    return at == text_.size() || text_[at] == '\n' ||
           (text_[at] == '\r' && (has_lone_cr_ || at + 1 == text_.size() || text_[at + 1] == '\n'));
  }
  [[nodiscard]] std::size_t after_blanks(std::size_t at) const {
    while (at < text_.size() && text_[at] != delimiter_ && (text_[at] == ' ' || text_[at] == '\t')) ++at;
    return at;
  }
  // The end of the quoted text that begins before `at`; npos: it has none.
  [[nodiscard]] std::size_t closing_quote(std::size_t at) const {
    for (at = text_.find('"', at); at != std::string_view::npos && at + 1 < text_.size() && text_[at + 1] == '"';)
      at = text_.find('"', at + 2);
    return at;
  }

  bool split() {
    fields_.clear();
    if (at_ == text_.size() || is_broken_) return false;
    line_ = next_line_++;
    begin_ = at_;
    for (;; ++at_) {
      const std::size_t begin = after_blanks(at_);
      if (begin < text_.size() && text_[begin] == '"') {
        const std::size_t closing = closing_quote(begin + 1);
        at_ = closing == std::string_view::npos ? text_.size() : after_blanks(closing + 1);
        is_broken_ = closing == std::string_view::npos ? is_whole_ : !is_end(at_) && text_[at_] != delimiter_;
        if (is_broken_ || closing == std::string_view::npos) return false;
        fields_.push_back({text_.substr(begin + 1, closing - begin - 1), true});
        next_line_ +=
            std::count(text_.begin() + static_cast<std::ptrdiff_t>(begin), text_.begin() + static_cast<std::ptrdiff_t>(closing), '\n');
      } else {
        for (at_ = begin; !is_end(at_) && text_[at_] != delimiter_;) ++at_;
        fields_.push_back({trimmed(text_.substr(begin, at_ - begin)), false});
      }
      if (is_end(at_)) break;
    }
    end_ = at_;
    if (at_ == text_.size()) return is_whole_;  // a record that is cut is none
    at_ += text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n' ? 2 : 1;
    return true;
  }

  std::string_view text_;
  bool is_whole_;
  char delimiter_;
  bool has_lone_cr_, is_broken_ = false;
  std::size_t at_ = 0, begin_ = 0, end_ = 0;
  Index line_ = 0, next_line_ = 1;
  std::vector<SampleField> fields_;
};

bool is_number(const SampleField& field) {
  double value = 0;
  const std::string_view text = trimmed(field.text);
  return read_number(text, '.', value) || read_number(text, ',', value);
}

bool is_blank(const SampleField& field) { return trimmed(field.text).empty(); }

// Lines with the same number of fields.
struct Run {
  std::size_t fields = 0;
  Index line = 0, length = 0;
  bool begins_with_words = false;
  std::string_view first;
};

// What the sample looks like with a delimiter.
struct Shape {
  char delimiter = ',';
  bool is_broken = false;
  Index header_line = 1;
  std::string_view header;
  std::vector<SampleField> names;
  Index num_rows = 0;
  std::size_t fewest = SIZE_MAX, most = 0;  // fields of a row
  bool all_end_blank = true;                // what the rows have beyond the names is blank
  std::size_t first_size = 0;               // fields of the first row
  bool first_ends_blank = false;
  bool may_be_row_names = false;  // the first field of the first row
  bool counts_in_quotes = true;   // the first fields are "1", "2", ...: row names of R
  bool has_plain_number = false, has_blank = false;
  bool has_words_first = true;
  bool first_may_be_names = false;  // the fields of the first row: words that differ
  Index first_line = 0, num_rows_with_numbers = 0;
  std::string_view first_row;
  Index names_line = 0;  // of the first row of several names, if no row above it has a number
  std::string_view names_row;
  Index num_numbers = 0, num_commas = 0, num_points = 0;
  std::string example;  // of a decimal comma
  Run run, longest;     // longest: of those with more fields than the header

  [[nodiscard]] bool is_one_size() const { return num_rows > 0 && fewest == most; }
  [[nodiscard]] bool is_of_r() const { return counts_in_quotes && has_plain_number; }
  [[nodiscard]] std::size_t num_trailing() const {
    const bool may_be_labels = most == names.size() + 1 && is_of_r();
    return is_one_size() && most > names.size() && all_end_blank && !may_be_labels ? most - names.size() : 0;
  }
  [[nodiscard]] std::size_t num_extra_names() const {
    if (!is_one_size() || most >= names.size()) return 0;
    const bool all_blank = std::all_of(names.begin() + static_cast<std::ptrdiff_t>(most), names.end(), is_blank);
    return all_blank ? names.size() - most : 0;
  }
  [[nodiscard]] bool is_header_short() const {
    const bool is_longer = first_size == names.size() + 1 && (is_one_size() || !first_ends_blank);
    return names.size() >= 2 && is_longer && !is_blank(names.front()) && may_be_row_names && num_trailing() == 0;
  }
  // How well the rows fit the header: 0, not at all.
  [[nodiscard]] int fit() const {
    if (is_broken || names.size() < 2) return 0;
    if (num_rows == 0) return 1;
    if (is_one_size() && most == names.size()) return 3;
    if (num_trailing() > 0 || num_extra_names() > 0 || (is_one_size() && most == names.size() + 1)) return 2;
    return fewest == names.size() && all_end_blank ? 1 : 0;
  }
};

void add_run(const SampleRecords& records, Shape& s) {
  Run& run = s.run;
  if (run.length == 0 || run.fields != records.fields().size()) {
    const bool has_numbers = std::ranges::any_of(records.fields(), [](const SampleField& f) { return is_blank(f) || is_number(f); });
    run = {records.fields().size(), records.line(), 0, !has_numbers, records.raw()};
  }
  ++run.length;
  if (run.fields > s.names.size() && run.length > s.longest.length) s.longest = run;
}

bool may_be_names(const std::vector<SampleField>& fields) {
  std::vector<std::string_view> texts;
  for (const SampleField& field : fields) {
    if (is_blank(field) || is_number(field) || may_mean_missing(trimmed(field.text))) return false;
    texts.push_back(field.text);
  }
  std::ranges::sort(texts);
  return std::ranges::adjacent_find(texts) == texts.end();
}

void add_row(const SampleRecords& records, Shape& s) {
  const std::vector<SampleField>& fields = records.fields();
  const SampleField& first = fields.front();
  ++s.num_rows;
  if (s.num_rows == 1) {
    s.first_may_be_names = may_be_names(fields);
    s.first_line = records.line(), s.first_row = records.raw();
    s.first_size = fields.size(), s.first_ends_blank = is_blank(fields.back());
    const bool is_numeric = !first.quoted && first.text.find_first_not_of("0123456789.+-eE") == std::string_view::npos;
    s.may_be_row_names = !is_numeric || first.text == "0" || first.text == "1";
    s.has_plain_number = std::any_of(fields.begin() + 1, fields.end(), [](const SampleField& f) { return !f.quoted && is_number(f); });
  }
  if (s.names_line == 0 && s.num_rows_with_numbers == 0 && fields.size() > 1 && may_be_names(fields))
    s.names_line = records.line(), s.names_row = records.raw();
  s.counts_in_quotes = s.counts_in_quotes && first.quoted && first.text == fmt::format("{}", s.num_rows);
  s.fewest = std::min(s.fewest, fields.size());
  s.most = std::max(s.most, fields.size());
  const Index numbers_before = s.num_numbers;
  for (std::size_t j = 0; j < fields.size(); ++j) {
    const SampleField& field = fields[j];
    const bool blank = is_blank(field);
    s.has_blank = s.has_blank || (blank && !field.quoted);
    if (j >= s.names.size()) s.all_end_blank = s.all_end_blank && blank;
    if (blank || !is_number(field)) continue;
    ++s.num_numbers;
    if (has_clear_mark(trimmed(field.text), '.')) ++s.num_points;
    if (!has_clear_mark(trimmed(field.text), ',')) continue;
    if (s.num_commas++ == 0) s.example = std::string(trimmed(field.text));
  }
  if (s.num_numbers > numbers_before) ++s.num_rows_with_numbers;
  s.has_words_first = s.has_words_first && (s.num_numbers > numbers_before) == (s.num_rows > 1);
}

Shape shape_of(std::string_view sample, bool is_whole, bool skips_line, char delimiter) {
  Shape s;
  s.delimiter = delimiter;
  SampleRecords records(sample, is_whole, delimiter);
  if ((skips_line && !records.next()) || !records.next()) {
    s.is_broken = records.is_broken();
    return s;
  }
  s.names = records.fields();
  s.header_line = records.line(), s.header = records.raw();
  add_run(records, s);
  while (s.num_rows < most_rows && records.next()) {
    add_run(records, s);
    add_row(records, s);
  }
  s.is_broken = records.is_broken();
  return s;
}

// The delimiter that a line "sep=;" names, also in quotes; nothing: the text does not begin with such a line.
std::optional<char> separator_in(std::string_view sample) {
  std::string_view line = sample.substr(0, sample.find_first_of("\r\n"));
  const bool is_quoted = line.starts_with('"');
  if (is_quoted) line.remove_prefix(1);
  if (lower_case(std::string(line.substr(0, 4))) != "sep=") return std::nullopt;
  line.remove_prefix(4);
  if (is_quoted && line.size() > 1) line = line.substr(0, line.find('"', 1));
  if (line.starts_with("\\t")) return '\t';
  constexpr std::string_view others = "\"'0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  if (line.empty() || static_cast<unsigned char>(line[0]) > 0x7E || others.find(line[0]) != std::string_view::npos) return std::nullopt;
  return trimmed(line.substr(std::min(line.size(), line.find_first_not_of(line[0])))).empty() ? std::optional(line[0]) : std::nullopt;
}

// The shape with the delimiter that explains the sample best.
Shape best_shape(std::string_view sample, bool is_whole) {
  Shape best = shape_of(sample, is_whole, false, ',');
  const auto rank = [](const Shape& s) { return std::tuple(s.fit(), s.num_numbers, s.names.size()); };
  for (const char delimiter : {';', '\t', '|'}) {
    Shape other = shape_of(sample, is_whole, false, delimiter);
    if (other.names.size() < 2 || (other.fit() == 0 && best.names.size() > 1)) continue;
    if (rank(other) > rank(best) || best.names.size() < 2) best = std::move(other);
  }
  if (best.names.size() > 1) return best;
  Shape blanks = shape_of(sample, is_whole, false, ' ');  // as R's write.table has it
  return blanks.fit() >= 2 && !blanks.has_blank && std::ranges::none_of(blanks.names, is_blank) ? blanks : best;
}

// Words with any number of blanks between them, if each row has as many as the header, or its label before them.
void refuse_runs_of_blanks(std::string_view sample, bool is_whole, const std::string& path) {
  SampleRecords lines(sample, is_whole, '\n');
  const auto words = [&]() -> std::size_t {
    if (!lines.next()) return 0;
    std::size_t count = 0;
    const std::string_view line = lines.raw();
    for (std::size_t at = 0; (at = line.find_first_not_of(" \t", at)) != std::string_view::npos; ++count)
      at = std::min(line.find_first_of(" \t", at), line.size());
    return count;
  };
  const std::size_t names = words(), first = words();
  if (names < 2 || (first != names && first != names + 1)) return;
  for (Index row = 1; row < most_rows; ++row) {
    const std::size_t here = words();
    if (here == 0) break;
    if (here != first) return;
  }
  throw InvalidArgument(
      fmt::format("the columns of '{}' are separated by any number of blanks; write one delimiter between them, such as a comma: "
                  "sed 's/^ *//; s/  */,/g'",
                  path));
}

// Lines about the measurement, before the header.
void refuse_preamble(const Shape& s, const std::string& path) {
  const Run& run = s.longest;
  if (s.fit() > 0 || run.length < 3 || 2 * run.length < s.num_rows || run.fields < 2 || !run.begins_with_words) return;
  throw InvalidArgument(fmt::format(
      "line {0} of '{1}' ('{2}') has {3} field{4}, but line {5} ('{6}') and those after it have {7}; if the header is in line {5}, leave "
      "out the lines before it (tail -n +{5})",
      s.header_line, path, shown(s.header), s.names.size(), s.names.size() == 1 ? "" : "s", run.line, shown(run.first), run.fields));
}

[[noreturn]] void refuse_lines_before(Index header_line, std::string_view header, const std::string& what) {
  throw InvalidArgument(fmt::format("{}; if the header is in line {} ('{}'), leave out the lines before it (tail -n +{})", what,
                                    header_line, shown(header), header_line));
}

// A title or a comment that has delimiters of its own, so that its parts look like names: names follow it, and rows with numbers.
// "Report,,", as a spreadsheet writes a title that stands alone in its row, is one, too.
void refuse_title(const Shape& s, const std::string& path) {
  const auto refuse = [&](Index line, std::string_view row) {
    refuse_lines_before(line, row,
                        fmt::format("line {} of '{}' ('{}') seems to be a title or a comment", s.header_line, path, shown(s.header)));
  };
  const bool is_alone = s.names.size() > 1 && !is_blank(s.names.front()) && std::all_of(s.names.begin() + 1, s.names.end(), is_blank);
  if (is_alone && s.names_line > 0 && s.num_rows_with_numbers >= 2) refuse(s.names_line, s.names_row);
  const bool has_names_next = s.first_may_be_names && s.num_rows >= 3 && 2 * s.num_rows_with_numbers >= s.num_rows;
  if (s.is_broken || !has_names_next || s.first_row.starts_with('#')) return;
  const bool is_apart = s.first_line > s.header_line + 1 + std::count(s.header.begin(), s.header.end(), '\n');
  if (!s.header.starts_with('#') && !is_apart && s.first_size <= s.names.size()) return;
  refuse(s.first_line, s.first_row);
}

// Several lines that begin with '#'. The last of them is the header if a row with a number follows it.
void refuse_comments(std::string_view sample, bool is_whole, const std::string& path) {
  SampleRecords lines(sample, is_whole, '\n');
  Index count = 0;
  std::string_view last;
  bool has_next = false;
  for (; (has_next = lines.next()) && lines.raw().starts_with('#'); ++count) last = lines.raw();
  if (count < 2 || !has_next) return;
  bool is_row = false;
  for (const char delimiter : {',', ';', '\t', '|', ' '}) {
    SampleRecords next(lines.raw(), true, delimiter);
    is_row = is_row || (next.next() && std::ranges::any_of(next.fields(), is_number));
  }
  const Index header_line = lines.line() - (is_row ? 1 : 0);
  refuse_lines_before(header_line, is_row ? last : lines.raw(), fmt::format("the first {} lines of '{}' begin with '#'", count, path));
}

// "# a b y" above rows of three numbers: as NumPy writes it, the mark is a word of its own.
void refuse_marked_header(std::string_view sample, bool is_whole, const std::string& path) {
  const Shape s = shape_of(sample, is_whole, false, ' ');
  if (s.names.empty() || s.names.front().text != "#" || !s.is_one_size() || s.most + 1 != s.names.size() || s.num_numbers == 0) return;
  throw InvalidArgument(
      fmt::format("the header of '{}' ('{}') begins with '#', and so do not the rows; remove it (sed '1s/^# *//')", path, shown(s.header)));
}

char decimal_of(const Shape& s, const CsvFormat& given) {
  if (given.decimal) return *given.decimal;
  if (s.delimiter == ',' || s.num_points > 0) return '.';
  return s.num_commas > 0 ? ',' : given.decimal_before;
}

void note_format(const Shape& s, std::optional<char> separator, const CsvFormat& given, CsvDialect& d) {
  if (separator)
    d.notes.push_back(fmt::format("line 1 ('sep={}') is not part of the table; it names the delimiter, {}",
                                  *separator == '\t' ? "\\t" : std::string(1, *separator), name_of_delimiter(*separator)));
  else if (!given.delimiter && d.delimiter != ',')
    d.notes.push_back(fmt::format("the fields are separated by {}, as the header shows{}", name_of_delimiter(d.delimiter),
                                  option_of_form(given.advice, "delimiter")));
  if (!given.decimal && d.decimal == ',' && s.num_commas > 0)
    d.notes.push_back(fmt::format("numbers have a decimal comma ('{}'), as the first rows show{}", shown(s.example),
                                  option_of_form(given.advice, "decimal")));
  if (d.num_trailing > 0)
    d.notes.push_back(fmt::format("each row ends with {} after the last column of the header; nothing follows, and it is left out",
                                  d.num_trailing == 1 ? "a delimiter" : fmt::format("{} delimiters", d.num_trailing)));
  if (s.header.starts_with('#') && s.names.size() > 1)
    d.notes.push_back(fmt::format("the header begins with '#', which is part of the name '{}'", shown(s.names.front().text)));
  if (d.num_extra_names > 0) d.notes.emplace_back("the header ends with a delimiter, which the rows do not have; it is left out");
}

}  // namespace

std::string name_of_delimiter(char delimiter) {
  if (delimiter == '\t') return "a tab";
  return delimiter == ' ' ? "a blank" : fmt::format("'{}'", delimiter);
}

bool is_blank_text(std::string_view text) { return trimmed(text).empty(); }

CsvDialect dialect_of(std::string_view sample, bool is_whole, const std::string& path, const CsvFormat& given) {
  const std::optional<char> separator = separator_in(sample);
  const bool is_known = given.delimiter || separator;
  const Shape s = is_known ? shape_of(sample, is_whole, separator.has_value(), given.delimiter.value_or(separator.value_or(',')))
                           : best_shape(sample, is_whole);
  if (!separator) refuse_comments(sample, is_whole, path);
  refuse_title(s, path);
  refuse_preamble(s, path);
  for (const char other : {',', ';', '\t', '|'})
    if (!is_known && s.fit() == 0) refuse_preamble(shape_of(sample, is_whole, false, other), path);
  if (!is_known && s.names.size() == 1) refuse_marked_header(sample, is_whole, path);
  if (!is_known && s.names.size() == 1) refuse_runs_of_blanks(sample, is_whole, path);
  CsvDialect d;
  d.delimiter = s.delimiter;
  d.decimal = decimal_of(s, given);
  d.header = s.header;
  d.has_separator_line = separator.has_value();
  d.num_trailing = s.num_trailing();
  d.num_extra_names = s.num_extra_names();
  d.is_header_short = s.is_header_short();
  d.has_words_first = s.has_words_first && s.num_rows > 1;
  note_format(s, separator, given, d);
  return d;
}

}  // namespace ardvark::internal::io
