// Files of svmlight and libsvm.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/refusals.hpp"
#include "io/csv_numbers.hpp"
#include "io/matrix_file.hpp"
#include "io/matrix_lines.hpp"
#include "io/text.hpp"

namespace ardvark::internal::io {
namespace {

struct SvmRows {
  std::vector<MatrixEntry> entries;  // columns as in the file
  std::vector<double> target;
  Index least = std::numeric_limits<Index>::max(), most = -1;  // of the indices
};

double finite_number(const MatrixLines& lines, std::string_view text, Index row, const std::string& column) {
  double value = 0;
  if (!parse_number(text, value)) throw lines.wrong(std::string(text), fmt::format("the value of {} is not a number", column));
  if (std::isfinite(value)) return value;
  throw InvalidArgument({.value = std::string(text),
                         .row = row + 1,
                         .row_name = fmt::format("row {} (line {} of '{}')", row + 1, lines.number(), lines.path()),
                         .column = column,
                         .why = "all values must be finite"},
                        "", fmt::format(", {} is {}; all values must be finite", column, text));
}

double target_in(const MatrixLines& lines, std::string_view word, Index row) {
  if (word.find(':') != std::string_view::npos) throw lines.wrong(std::string(word), "a line must begin with the target");
  if (word.find(',') != std::string_view::npos) throw lines.wrong(std::string(word), "a row must have one target, a number");
  return finite_number(lines, word, row, "the target");
}

void add_pair(const MatrixLines& lines, std::string_view word, SvmRows& rows) {
  const std::size_t colon = word.find(':');
  const std::string_view name = word.substr(0, colon);
  if (colon == std::string_view::npos) throw lines.wrong(std::string(word), "after the target, a line has pairs INDEX:VALUE");
  if (name == "qid") return;
  Index index = 0;
  if (!parse_index(name, index) || index > most_lines)
    throw lines.wrong(std::string(word), fmt::format("an index must be a whole number between 0 and {}", most_lines));
  const auto row = static_cast<Index>(rows.target.size()) - 1;
  const double value = finite_number(lines, word.substr(colon + 1), row, fmt::format("index {}", index));
  rows.least = std::min(rows.least, index);
  rows.most = std::max(rows.most, index);
  rows.entries.push_back({static_cast<std::int32_t>(row), static_cast<std::int32_t>(index), value});
}

SvmRows rows_of(MatrixLines& lines) {
  SvmRows rows;
  for (std::string_view line; lines.next_but('#', line);) {
    line = line.substr(0, line.find('#'));
    rows.target.push_back(target_in(lines, take_word(line), static_cast<Index>(rows.target.size())));
    if (static_cast<Index>(rows.target.size()) > most_lines) throw lines.wrong_file(fmt::format("has more than {} rows", most_lines));
    for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) add_pair(lines, word, rows);
  }
  if (rows.target.empty()) throw lines.wrong_file("has no rows");
  return rows;
}

const char* base_of_0(Advice advice) { return advice == Advice::python ? "index_base=0" : "--index-base 0"; }

std::string note_of_base(const SvmRows& rows, const std::string& path, Advice advice) {
  if (rows.least == 0) return fmt::format("'{}' has an index 0, so its columns count from 0, x0", path);
  const std::string smallest = rows.most < 0 ? "" : fmt::format("; the smallest is {}", rows.least);
  return fmt::format("'{}' has no index 0, so its columns count from 1, x1{}; if they count from 0: {}", path, smallest, base_of_0(advice));
}

}  // namespace

IndexBase index_base_of(const std::string& word, Advice advice) {
  if (word == "auto") return IndexBase::automatic;
  if (word == "0") return IndexBase::zero;
  if (word == "1") return IndexBase::one;
  throw wrong(advice == Advice::python ? "index_base" : "--index-base", word, "it must be auto, 0 or 1");
}

MatrixFile read_svmlight(const std::string& path, IndexBase base, Index cols, Advice advice) {
  MatrixLines lines(path);
  SvmRows rows = rows_of(lines);
  if (base == IndexBase::one && rows.least == 0)
    throw lines.wrong_file("has an index 0, but its columns count from 1", fmt::format("give {}", base_of_0(advice)));
  MatrixFile out;
  out.index_base = base == IndexBase::zero || (base == IndexBase::automatic && rows.least == 0) ? 0 : 1;
  for (MatrixEntry& entry : rows.entries) entry.col -= out.index_base;
  const auto num_rows = static_cast<Index>(rows.target.size()), num_cols = rows.most + 1 - out.index_base;
  require_backed(path, num_rows, num_cols, static_cast<Index>(rows.entries.size()));
  ColumnsFound found = columns_of(rows.entries, num_rows, std::max(cols, num_cols));
  out.sparse = std::move(found.columns);
  out.target = std::move(rows.target);
  if (base == IndexBase::automatic) out.notes.push_back(note_of_base(rows, path, advice));
  if (const std::string note = note_of_added(found.num_added, path); !note.empty()) out.notes.push_back(note);
  return out;
}

}  // namespace ardvark::internal::io
