#include "io/matrix_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "io/text.hpp"

namespace ardvark::internal::io {
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
          !value.empty()            ? fmt::format(" has '{}'; {}", shown(value), why)
          : why.starts_with("has ") ? fmt::format(" {}", why)
                                    : fmt::format(": {}", why)};
}

std::size_t MatrixLines::most_items(Index announced, Index bytes_of_item) const {
  constexpr std::uint64_t of_packed = std::uint64_t{1} << 20;  // nobody knows how many
  const std::uint64_t room = file_.file().size_if_regular().value_or(0) / static_cast<std::uint64_t>(bytes_of_item);
  return static_cast<std::size_t>(std::min(static_cast<std::uint64_t>(announced), file_.is_packed() ? of_packed : room + 1));
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

ColumnsFound columns_of(const std::vector<MatrixEntry>& entries, Index rows, Index cols, bool are_small) {
  const auto each = [&](auto&& f) {
    for (const MatrixEntry& entry : entries) f(entry.row, entry.col, entry.value);
  };
  const auto size = static_cast<Index>(entries.size());
  return are_small ? columns_of<std::int8_t>(rows, cols, size, each) : columns_of<double>(rows, cols, size, each);
}

std::string note_of_added(Index num_added, const std::string& path) {
  if (num_added == 0) return {};
  return fmt::format("{} of '{}' {} the place of another, to which {} added",
                     num_added == 1 ? "1 entry" : fmt::format("{} entries", num_added), path, num_added == 1 ? "has" : "have",
                     num_added == 1 ? "it was" : "they were");
}

}  // namespace ardvark::internal::io
