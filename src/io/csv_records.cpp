#include "io/csv_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_set>
#include <utility>

#include "core/pulse.hpp"
#include "io/advice.hpp"
#include "io/csv_numbers.hpp"
#include "io/text.hpp"

namespace ardvark::internal::io {
namespace {

constexpr std::size_t max_record = std::size_t{256} << 20;  // ten million columns; a longer record surely has a quote that is not closed

// Whether there is a CR without LF after it; a CR at the end counts, because the next character is not known.
bool holds_lone_cr(const char* begin, const char* end) {
  while (begin != end) {
    const auto* cr = static_cast<const char*>(std::memchr(begin, '\r', static_cast<std::size_t>(end - begin)));
    if (cr == nullptr) return false;
    if (cr + 1 == end || cr[1] != '\n') return true;
    begin = cr + 2;
  }
  return false;
}

// LF, CRLF and CR.
Index num_line_breaks(const char* begin, const char* end) {
  Index count = std::count(begin, end, '\n');
  for (const char* c = begin; (c = std::find(c, end, '\r')) != end; ++c)
    if (c + 1 == end || c[1] != '\n') ++count;
  return count;
}

}  // namespace

std::string hint_of_delimiter(std::string_view header, char delimiter, Advice advice) {
  for (const char other : {';', '\t', ',', '|'})
    if (other != delimiter && header.find(other) != std::string_view::npos)
      return fmt::format("; if {} separates the fields, {}", name_of_delimiter(other), way_to_split(advice, other));
  return {};
}

std::string_view CsvField::text() {
  if (has_doubled_quotes) {
    char* to = begin;
    for (const char* from = begin; from != end; ++from) {
      *to++ = *from;
      if (*from == '"') ++from;  // the second of the pair
    }
    end = to;
    has_doubled_quotes = false;
  }
  return raw();
}

CsvRecords::CsvRecords(const std::string& path, const CsvFormat& format, bool names_file, std::size_t chunk_size)
    : path_(path),
      file_(path),
      num_bytes_(static_cast<Index>(file_.file().size_if_regular().value_or(0))),
      advice_(format.advice),
      names_file_(names_file),
      capacity_(chunk_size),
      buffer_(new char[chunk_size + 1]),
      position_(buffer_.get()),
      end_(buffer_.get()) {
  *end_ = '\n';
  take_sample(format);
  read_header();
}

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// The beginning of the text says how it is written. At least a header and two rows are needed for that.
void CsvRecords::take_sample(const CsvFormat& format) {
  constexpr std::size_t size = std::size_t{64} << 10, largest = std::size_t{32} << 20;
  bool is_whole = false;
  while (!is_whole && sample_.size() < largest &&
         (sample_.size() < size || num_line_breaks(sample_.data(), sample_.data() + sample_.size()) < 4)) {
    const std::size_t before = sample_.size();
    sample_.resize(std::max(size, 2 * before));
    const std::size_t got = file_.read(sample_.data() + before, sample_.size() - before);
    sample_.resize(before + got);
    is_whole = got == 0;
  }
  std::string_view text = sample_;
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  if (text.find('\0') == std::string_view::npos)  // otherwise it is refused
    dialect_ = dialect_of(text, is_whole, path_, format);
}

std::size_t CsvRecords::read_text(char* to, std::size_t size) {
  if (sample_at_ == sample_.size()) return file_.read(to, size);
  const std::size_t given = std::min(size, sample_.size() - sample_at_);
  std::memcpy(to, sample_.data() + sample_at_, given);
  sample_at_ += given;
  if (sample_at_ == sample_.size()) sample_ = {}, sample_at_ = 0;
  return given;
}

void CsvRecords::read_header() {
  while (static_cast<std::size_t>(end_ - position_) < byte_order_mark.size() && refill()) {
  }
  if (std::string_view(position_, end_).starts_with(byte_order_mark)) position_ += byte_order_mark.size();

  const auto read_line = [&] {
    do {
      if (!read_record()) throw InvalidArgument(fmt::format("'{}' is empty: a table has a header row and at least one data row", path_));
    } while (is_blank_line());
  };
  if (dialect_.has_separator_line) read_line();
  read_line();
  fields_.erase(fields_.end() - static_cast<std::ptrdiff_t>(dialect_.num_extra_names), fields_.end());

  std::unordered_set<std::string_view> seen;
  names_.reserve(fields_.size());  // keeps the views in `seen` valid
  for (CsvField& field : fields_) {
    unnamed_.push_back(field.text().empty());
    const std::string& name = names_.emplace_back(unnamed_.back() ? fmt::format("Unnamed: {}", names_.size()) : field.raw());
    if (!is_utf8(name))
      throw InvalidArgument(fmt::format("the name '{}' in the header of '{}' is not UTF-8: save the file as UTF-8", shown(name), path_));
    if (!seen.insert(name).second)
      throw InvalidArgument(
          fmt::format("the header of '{}' names the column '{}' twice; give each column a name of its own", path_, shown(name)));
  }
  if (!dialect_.is_header_short) return;
  names_.insert(names_.begin(), "Unnamed: 0");
  unnamed_.insert(unnamed_.begin(), true);
}

bool CsvRecords::ends_blank(std::size_t count) const {
  return std::all_of(fields_.end() - static_cast<std::ptrdiff_t>(count), fields_.end(),
                     [](const CsvField& f) { return is_blank_text(f.raw()); });
}

// Of a row with more or fewer fields than it should have.
InvalidArgument CsvRecords::not_a_row() {
  const std::size_t count = fields_.size(), names = names_.size(), trailing = dialect_.num_trailing;
  const std::string fields = fmt::format(" has {} field{}", count, count == 1 ? "" : "s");
  const auto error = [&](const std::string& sentence, const std::string& remedy) {
    return InvalidArgument({.row = row_, .row_name = row_name(), .why = sentence, .remedy = remedy}, sentence);
  };
  if (trailing > 0 && count == names + trailing)
    return error(fmt::format(": '{}' stands after the last column of the header, where the rows before it have nothing",
                             shown(fields_[count - 1].text())),
                 "give this column a name in the header, or the first one, if it holds row names");
  if (trailing > 0 && count == names)
    return error(fmt::format("{}, and the rows before it end with {} after so many", fields, trailing == 1 ? "a delimiter" : "delimiters"),
                 "let every row end so, or none");
  const std::string header = fmt::format("{}, the header has {}", fields, names);
  if (count > names && ends_blank(count - names))
    return error(header + ": the row ends with a delimiter, as others do not",
                 fmt::format("remove the {} at its end", name_of_delimiter(dialect_.delimiter)));
  if (row_ == 1 && count < names && fields_[0].text().find_first_not_of("-+=:| ") == std::string_view::npos)
    return error(header, "a line that underlines the header is no row: leave it out, or export the table as CSV");
  if (double number = 0; count < names && row_ > 1 && !parse_number(trimmed(fields_[0].text()), number))
    return error(fmt::format("{} ('{}'), the header has {}", fields, shown(fields_[0].text()), names),
                 fmt::format("if the table ends before it, leave out this line and those after it (head -n {})", line_ - 1));
  return error(header + (names == 1 ? hint_of_delimiter(names_.front(), dialect_.delimiter, advice_) : ""), "");
}

bool CsvRecords::next() {
  for (;;) {
    ++row_;
    if (!read_record()) return false;
    if (is_blank_line()) {
      // In a table with one column a blank line is a missing value, unless it is the end of the file.
      const bool is_last = position_ == end_ && !refill();
      if (is_last) return false;
      if (names_.size() > 1) {
        --row_;
        continue;
      }
      fields_.front().begin = fields_.front().end = position_;  // refill() may have moved the buffer
    }
    const std::size_t trailing = dialect_.num_trailing;
    if (fields_.size() != names_.size() + trailing || !ends_blank(trailing)) throw not_a_row();
    fields_.erase(fields_.end() - static_cast<std::ptrdiff_t>(trailing), fields_.end());
    return true;
  }
}

std::string CsvRecords::row_name() const {
  if (row_ == 0) return fmt::format("header of '{}'", path_);
  return fmt::format("row {} (line {}){}", row_, line_, names_file_ ? fmt::format(" of '{}'", path_) : "");
}

std::string CsvRecords::where(std::size_t field) const {
  if (row_ == 0 || field >= names_.size()) return fmt::format("{}, field {}", row_name(), field + 1);
  return fmt::format("{}, column '{}'", row_name(), shown(names_[field]));
}

ErrorFields CsvRecords::cell(std::size_t field, const std::string& value) const {
  return {.value = value, .row = row_, .row_name = row_name(), .column = field < names_.size() ? names_[field] : ""};
}

InvalidArgument CsvRecords::wrong_field(std::size_t field, const std::string& value, const std::string& why,
                                        const std::string& remedy) const {
  ErrorFields fields = cell(field, value);
  fields.why = why, fields.remedy = remedy;
  const std::string place = where(field);
  return {std::move(fields), fmt::format("{}: {}", row_ > 0 ? place.substr(row_name().size()) : place, why)};
}

bool CsvRecords::read_record() {
  line_ = next_line_;
  for (;;) {
    if (position_ != end_ && split_record() == Split::whole) {
      next_line_ = line_ + 1 + breaks_;
      return true;
    }
    // If the buffer ends inside a record, more is read and the record is split again. The buffer doubles each time, so the total time stays
    // linear.
    if (!refill() && position_ == end_) return false;
  }
}

char* CsvRecords::after_line_end(char* c) const {
  if (c == end_) return end_;
  return *c == '\r' && c + 1 != end_ && c[1] == '\n' ? c + 2 : c + 1;
}

// Splits the record that begins at position_ into fields_. The sentinel ends the last record of the file.
CsvRecords::Split CsvRecords::split_record() {
  fields_.clear();
  breaks_ = 0;
  for (char* next = position_;;) {
    char* begin = next;
    while (is_blank(*begin)) ++begin;
    if (*begin == '"') {
      if (split_quoted(begin, next) == Split::cut) return Split::cut;
    } else {
      next = begin;
      if (has_lone_cr_)
        while (*next != dialect_.delimiter && !is_line_end(*next)) ++next;
      else
        while (*next != dialect_.delimiter && *next != '\n') ++next;
      if ((next == end_ && !at_end_of_file_) || is_cut_line_end(next)) return Split::cut;
      char* end = next;
      if (*next == '\n' && end != begin && end[-1] == '\r') --end;
      while (end != begin && is_blank(end[-1])) --end;
      fields_.push_back({begin, end, false, false});
    }
    if (is_line_end(*next)) {
      position_ = after_line_end(next);
      return Split::whole;
    }
    ++next;
  }
}

CsvRecords::Split CsvRecords::split_quoted(char* opening, char*& next) {
  bool has_doubled_quotes = false;
  char* closing = opening + 1;
  for (;;) {
    closing = static_cast<char*>(std::memchr(closing, '"', static_cast<std::size_t>(end_ - closing)));
    if (closing == nullptr) {
      if (!at_end_of_file_) return Split::cut;
      throw wrong_field(fields_.size(), "", "the quote that opens here is never closed");
    }
    if (closing + 1 == end_ && !at_end_of_file_) return Split::cut;
    if (closing + 1 == end_ || closing[1] != '"') break;
    has_doubled_quotes = true;
    closing += 2;
  }
  breaks_ += num_line_breaks(opening + 1, closing);
  next = closing + 1;
  while (next != end_ && is_blank(*next)) ++next;
  if ((next == end_ && !at_end_of_file_) || is_cut_line_end(next)) return Split::cut;
  if (*next == '\r' && next[1] == '\n') ++next;  // next[1] may be the sentinel if the file ends with CR
  if (*next != dialect_.delimiter && !is_line_end(*next))
    throw wrong_field(fields_.size(), "", "text follows the closing quote (a quote inside quotes is written twice)");
  fields_.push_back({opening + 1, closing, true, has_doubled_quotes});
  return Split::whole;
}

// Moves the unread text to the front of the buffer and reads more after it. False at the end of the file.
bool CsvRecords::refill() {
  if (at_end_of_file_) return false;
  const auto num_unread = static_cast<std::size_t>(end_ - position_);
  if (num_unread == capacity_) {
    if (capacity_ >= max_record)
      throw InvalidArgument(fmt::format("{}{}{} is longer than {} MiB: is a quote opened and never closed?", row_ == 0 ? "the " : "",
                                        row_name(), row_ == 0 || names_file_ ? "" : fmt::format(" of '{}'", path_), max_record >> 20));
    std::unique_ptr<char[]> larger(new char[2 * capacity_ + 1]);
    std::memcpy(larger.get(), position_, num_unread);
    buffer_ = std::move(larger);
    capacity_ *= 2;
  } else {
    std::memmove(buffer_.get(), position_, num_unread);
  }
  position_ = buffer_.get();
  end_ = position_ + num_unread;

  pulse("reading", {.done = static_cast<Index>(num_bytes_read()), .total = num_bytes_});
  const std::size_t num_read = read_text(end_, capacity_ - num_unread);
  if (const void* nul = std::memchr(end_, '\0', num_read))
    throw InvalidArgument(fmt::format("'{}' is not a text file: byte {} is NUL (a table is CSV text in UTF-8)", path_,
                                      num_bytes_of_text_ + static_cast<std::uint64_t>(static_cast<const char*>(nul) - end_) + 1));
  has_lone_cr_ = has_lone_cr_ || holds_lone_cr(end_, end_ + num_read);
  num_bytes_of_text_ += num_read;
  end_ += num_read;
  *end_ = '\n';
  at_end_of_file_ = num_read == 0;
  return num_read > 0;
}

}  // namespace ardvark::internal::io
