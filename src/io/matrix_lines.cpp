#include "io/matrix_lines.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <utility>

#include "io/text.hpp"

namespace ardvark::internal::io {
namespace {

// The positions of the entries, ascending by key; those with the same key stay in their order.
std::vector<std::size_t> order_by(const std::vector<std::size_t>& before, Index num_keys, auto&& key) {
  std::vector<std::size_t> next(static_cast<std::size_t>(num_keys) + 1, 0), after(before.size());
  for (const std::size_t i : before) ++next[static_cast<std::size_t>(key(i)) + 1];
  for (std::size_t k = 1; k < next.size(); ++k) next[k] += next[k - 1];
  for (const std::size_t i : before) after[next[static_cast<std::size_t>(key(i))]++] = i;
  return after;
}

}  // namespace

bool MatrixLines::refill() {
  begin_ = 0;
  end_ = file_.read(buffer_.data(), buffer_.size());
  return end_ > 0;
}

bool MatrixLines::next(std::string_view& line) {
  long_line_.clear();
  bool is_there = false;
  for (;;) {
    if (begin_ == end_ && !refill()) {
      line = long_line_;
      break;
    }
    is_there = true;
    const std::string_view waiting(buffer_.data() + begin_, end_ - begin_);
    const std::size_t at = waiting.find('\n');
    begin_ += at == std::string_view::npos ? waiting.size() : at + 1;
    const std::string_view part = waiting.substr(0, at);
    if (at != std::string_view::npos && long_line_.empty()) {
      line = part;
      break;
    }
    long_line_ += part;
    if (at != std::string_view::npos) {
      line = long_line_;
      break;
    }
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  number_ += is_there ? 1 : 0;
  return is_there;
}

bool MatrixLines::next_but(char comment, std::string_view& line) {
  while (next(line)) {
    std::string_view rest = line;
    const std::string_view word = take_word(rest);
    if (!word.empty() && word.front() != comment) return true;
  }
  return false;
}

InvalidArgument MatrixLines::wrong(const std::string& value, const std::string& why, const std::string& remedy) const {
  const std::string place = fmt::format("line {} of '{}'", number_, path_);
  return {{.value = value, .row = static_cast<std::int64_t>(number_), .row_name = place, .why = why, .remedy = remedy},
          "",
          value.empty() ? fmt::format(" {}", why) : fmt::format(" has '{}'; {}", shown(value), why)};
}

InvalidArgument MatrixLines::wrong_file(const std::string& why, const std::string& remedy) const {
  return {{.why = why, .remedy = remedy}, fmt::format("'{}' {}", path_, why)};
}

std::string_view take_word(std::string_view& line) {
  constexpr std::string_view blanks = " \t\r\f\v";
  line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(blanks));
  line.remove_prefix(word.size());
  return word;
}

bool parse_index(std::string_view text, Index& value) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number > std::uint64_t{1} << 53) return false;
  value = static_cast<Index>(number);
  return true;
}

SparseColumns columns_of(const std::vector<MatrixEntry>& entries, Index rows, Index cols, Index& num_added) {
  std::vector<std::size_t> order(entries.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  order = order_by(order, rows, [&](std::size_t i) { return entries[i].row; });
  order = order_by(order, cols, [&](std::size_t i) { return entries[i].col; });
  SparseColumns out{rows, cols, std::vector<std::int64_t>(static_cast<std::size_t>(cols) + 1, 0), {}, {}};
  out.row.reserve(entries.size());
  out.value.reserve(entries.size());
  num_added = 0;
  Index column = -1;
  for (const std::size_t i : order) {
    const MatrixEntry& entry = entries[i];
    if (entry.col == column && out.row.back() == entry.row) {
      out.value.back() += entry.value;
      ++num_added;
      continue;
    }
    column = entry.col;
    out.row.push_back(entry.row);
    out.value.push_back(entry.value);
    ++out.start[static_cast<std::size_t>(column) + 1];
  }
  for (std::size_t j = 1; j < out.start.size(); ++j) out.start[j] += out.start[j - 1];
  return out;
}

std::string note_of_added(Index num_added, const std::string& path) {
  if (num_added == 0) return {};
  return fmt::format("{} of '{}' {} the place of another, to which {} added",
                     num_added == 1 ? "1 entry" : fmt::format("{} entries", num_added), path, num_added == 1 ? "has" : "have",
                     num_added == 1 ? "it was" : "they were");
}

}  // namespace ardvark::internal::io
