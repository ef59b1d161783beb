// Matrix Market: https://math.nist.gov/MatrixMarket/formats.html
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/refusals.hpp"
#include "io/csv_numbers.hpp"
#include "io/matrix_file.hpp"
#include "io/matrix_lines.hpp"
#include "io/text.hpp"

namespace ardvark::internal::io {
namespace {

enum class Symmetry { general, symmetric, skew };

struct MarketHeader {
  bool is_array = false, is_pattern = false, is_whole = false;
  Symmetry symmetry = Symmetry::general;
  Index rows = 0, cols = 0, entries = 0;  // array: those that are written
};

std::string counted_entries(Index n) { return n == 1 ? "1 entry" : fmt::format("{} entries", n); }

std::string lower_word(std::string_view& line) { return lower_case(std::string(take_word(line))); }

void read_banner(MatrixLines& lines, MarketHeader& header) {
  constexpr const char* form = "the first line must be '%%MatrixMarket matrix coordinate real general', or the like";
  std::string_view line;
  if (!lines.next(line)) throw lines.wrong_file("is empty");
  const std::string mark = lower_word(line), object = lower_word(line), layout = lower_word(line), field = lower_word(line),
                    symmetry = lower_word(line);
  if (mark != "%%matrixmarket") throw lines.wrong_file("is not of Matrix Market: " + std::string(form));
  if (object != "matrix" || (layout != "coordinate" && layout != "array")) throw lines.wrong(object + " " + layout, form);
  if (field == "complex") throw lines.wrong(field, "a fit takes real numbers", "write the real or the absolute part");
  if (field != "real" && field != "double" && field != "integer" && field != "unsigned-integer" && field != "pattern")
    throw lines.wrong(field, "the numbers must be real, integer or pattern");
  header.is_array = layout == "array";
  header.is_pattern = field == "pattern";
  header.is_whole = header.is_pattern || field == "integer" || field == "unsigned-integer";
  if (header.is_array && header.is_pattern) throw lines.wrong("array pattern", "a pattern must be coordinate");
  if (symmetry == "symmetric" || symmetry == "hermitian")
    header.symmetry = Symmetry::symmetric;
  else if (symmetry == "skew-symmetric")
    header.symmetry = Symmetry::skew;
  else if (symmetry != "general")
    throw lines.wrong(symmetry, "the symmetry must be general, symmetric or skew-symmetric");
}

Index written_of_array(const MarketHeader& header) {
  if (header.symmetry == Symmetry::general) return header.rows * header.cols;
  const Index n = header.rows;
  return header.symmetry == Symmetry::symmetric ? n * (n + 1) / 2 : n * (n - 1) / 2;
}

void read_shape(MatrixLines& lines, MarketHeader& header) {
  const char* const form = header.is_array ? "this line must have two numbers: rows and columns"
                                           : "this line must have three numbers: "
                                             "rows, columns and entries";
  std::string_view line;
  if (!lines.next_but('%', line)) throw lines.wrong_file("ends before its shape", "copy or make it again");
  const std::string text(line);
  bool is_right = parse_index(take_word(line), header.rows) && parse_index(take_word(line), header.cols);
  if (!header.is_array) is_right = is_right && parse_index(take_word(line), header.entries);
  if (!is_right || !take_word(line).empty()) throw lines.wrong(text, form);
  if (header.rows > most_lines || header.cols > most_lines)
    throw lines.wrong(text, fmt::format("there may be at most {} rows and columns", most_lines));
  if (header.symmetry != Symmetry::general && header.rows != header.cols)
    throw lines.wrong(text, "a symmetric matrix has as many rows as columns");
  if (header.is_array) header.entries = written_of_array(header);
}

double value_in(const MatrixLines& lines, const MarketHeader& header, std::string_view word, Index row, Index col) {
  double value = 0;
  if (word.empty()) throw lines.wrong("", "the entry has no value");
  if (!parse_number(word, value)) throw lines.wrong(std::string(word), "it is not a number");
  if (header.is_whole && std::isfinite(value) && value != std::floor(value))
    throw lines.wrong(std::string(word), "the first line says that the numbers are integer", "write 'real' there, or whole numbers");
  if (std::isfinite(value)) return value;
  const std::string column = fmt::format("x{}", col + 1);
  throw InvalidArgument({.value = std::string(word),
                         .row = row + 1,
                         .row_name = fmt::format("row {} (line {} of '{}')", row + 1, lines.number(), lines.path()),
                         .column = column,
                         .why = "all values must be finite"},
                        "", fmt::format(", column '{}' is {}; all values must be finite", column, word));
}

InvalidArgument cut(const MatrixLines& lines, const MarketHeader& header, Index found) {
  return lines.wrong_file(fmt::format("has {} of the {} entries that it says it has", found, header.entries),
                          "it was cut, or its line of the shape is wrong; copy or make it again");
}

void require_end(MatrixLines& lines, const MarketHeader& header) {
  std::string_view line;
  if (lines.next_but('%', line))
    throw lines.wrong(std::string(line), fmt::format("the file says that it has {}", counted_entries(header.entries)));
}

Index place_in(const MatrixLines& lines, std::string_view& line, Index size, const char* what) {
  const std::string_view word = take_word(line);
  Index place = 0;
  if (!parse_index(word, place) || place < 1 || place > size)
    throw lines.wrong(std::string(word), fmt::format("the {} must be a whole number between 1 and {}", what, size));
  return place - 1;
}

void add_entry(const MatrixLines& lines, const MarketHeader& header, std::string_view line, std::vector<MatrixEntry>& entries) {
  const std::string_view whole = line;
  const Index row = place_in(lines, line, header.rows, "row"), col = place_in(lines, line, header.cols, "column");
  const double value = header.is_pattern ? 1 : value_in(lines, header, take_word(line), row, col);
  if (!take_word(line).empty())
    throw lines.wrong(std::string(whole), header.is_pattern ? "an entry of a pattern is: row column" : "an entry is: row column value");
  if (header.symmetry == Symmetry::skew && row == col && value != 0)
    throw lines.wrong(std::string(whole), "the diagonal of a skew-symmetric matrix is zero");
  const auto i = static_cast<std::int32_t>(row), j = static_cast<std::int32_t>(col);
  entries.push_back({i, j, value});
  if (header.symmetry != Symmetry::general && row != col) entries.push_back({j, i, header.symmetry == Symmetry::skew ? -value : value});
}

void read_coordinates(MatrixLines& lines, const MarketHeader& header, MatrixFile& out) {
  std::vector<MatrixEntry> entries;
  const Index copies = header.symmetry == Symmetry::general ? 1 : 2;
  entries.reserve(lines.most_items(copies * header.entries, 4));  // the file may be cut: its word is not trusted
  std::string_view line;
  for (Index found = 0; found < header.entries; ++found) {
    if (!lines.next_but('%', line)) throw cut(lines, header, found);
    add_entry(lines, header, line, entries);
  }
  require_end(lines, header);
  require_backed(lines.path(), header.rows, header.cols, static_cast<Index>(entries.size()));
  const bool are_small =
      header.is_whole && std::ranges::all_of(entries, [](const MatrixEntry& entry) { return entry.value >= -128 && entry.value <= 127; });
  ColumnsFound found = columns_of(entries, header.rows, header.cols, are_small);
  out.sparse = std::move(found.columns);
  if (header.symmetry != Symmetry::general) found.num_added = (found.num_added + 1) / 2;
  if (const std::string note = note_of_added(found.num_added, lines.path()); !note.empty()) out.notes.push_back(note);
}

// The next place of an array, column after column; below the diagonal if the matrix is symmetric.
void step(const MarketHeader& header, Index& row, Index& col) {
  if (++row < header.rows) return;
  ++col;
  row = header.symmetry == Symmetry::general ? 0 : header.symmetry == Symmetry::symmetric ? col : col + 1;
}

std::vector<double> numbers_of_array(MatrixLines& lines, const MarketHeader& header) {
  std::vector<double> numbers;
  numbers.reserve(lines.most_items(header.entries, 2));
  Index row = header.symmetry == Symmetry::skew ? 1 : 0, col = 0;
  std::string_view line;
  while (static_cast<Index>(numbers.size()) < header.entries) {
    if (!lines.next_but('%', line)) throw cut(lines, header, static_cast<Index>(numbers.size()));
    for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
      if (static_cast<Index>(numbers.size()) == header.entries)
        throw lines.wrong(std::string(word), fmt::format("the file says that it has {}", counted_entries(header.entries)));
      numbers.push_back(value_in(lines, header, word, row, col));
      step(header, row, col);
    }
  }
  require_end(lines, header);
  return numbers;
}

void read_array(MatrixLines& lines, const MarketHeader& header, MatrixFile& out) {
  std::vector<double> numbers = numbers_of_array(lines, header);
  if (header.symmetry == Symmetry::general) {
    const auto kept = std::make_shared<const std::vector<double>>(std::move(numbers));
    out.is_dense = true, out.dense = {kept->data(), header.rows, header.cols}, out.memory = kept;
    return;
  }
  Matrix X = Matrix::Zero(header.rows, header.cols);
  Index row = header.symmetry == Symmetry::skew ? 1 : 0, col = 0;
  for (const double number : numbers) {
    X(row, col) = number;
    X(col, row) = header.symmetry == Symmetry::skew && row != col ? -number : number;
    step(header, row, col);
  }
  out.hold(std::move(X));
}

}  // namespace

MatrixFile read_matrix_market(const std::string& path) {
  MatrixLines lines(path);
  MarketHeader header;
  read_banner(lines, header);
  read_shape(lines, header);
  MatrixFile out;
  if (header.is_array)
    read_array(lines, header, out);
  else
    read_coordinates(lines, header, out);
  if (header.symmetry != Symmetry::general)
    out.notes.push_back(fmt::format("'{}' holds half of a {} matrix; both halves were read", path,
                                    header.symmetry == Symmetry::skew ? "skew-symmetric" : "symmetric"));
  return out;
}

}  // namespace ardvark::internal::io
