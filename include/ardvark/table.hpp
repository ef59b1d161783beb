// A table of a CSV file, and the numeric matrix that a fit reads from it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ardvark/types.hpp"

namespace ardvark {

/// What to do with missing values (an empty field, NA, N/A, NaN, nan, null, NULL, ?; quoted or not, blanks around them allowed).
enum class Missing {
  refuse,    ///< InvalidArgument naming row and column
  drop_rows  ///< leave the row out; Table::num_dropped says how many
};

struct CsvOptions {
  char delimiter = ',';
  Missing missing = Missing::refuse;
  std::vector<std::string> ignore = {};       ///< columns that are not read into the table (they may hold anything)
  std::vector<std::string> categorical = {};  ///< columns read as text even if they look like numbers
  /// If not empty: the columns wanted; others are skipped, absent ones are an error naming all that are missing, and so is one of `ignore`.
  /// If empty, names in `ignore` and `categorical` that the file lacks are an error (a typing error would otherwise pass unseen).
  std::vector<std::string> only = {};
  std::vector<std::string> optional = {};  ///< beside `only`: read when present, no error when absent
  /// Names that must be there, looked for before any value is read, each with what asks for it, such as an option, for the message.
  std::vector<std::pair<std::string, std::string>> required = {};
};

/// One column: a number per row, or a category per row (its position in `levels`, which are sorted).
struct TableColumn {
  std::string name;
  bool categorical = false;
  std::vector<std::string> levels;  ///< sorted distinct texts (byte order); empty for numeric columns
};

/// "row 3 (line 4)". \param file_rows, file_lines  as in Table
[[nodiscard]] std::string file_row_name(const std::vector<Index>& file_rows, const std::vector<Index>& file_lines, Index row);

/// A table held row by row in one buffer: value(i, j) is a number, or the level's position of a categorical column.
class Table {
 public:
  std::vector<TableColumn> columns;
  Index num_rows = 0;
  Index num_dropped = 0;         ///< rows left out because a value was missing
  std::vector<Index> file_rows;  ///< only when rows were dropped: the data row (from 1) in the file of each row kept; else empty

  std::vector<Index> file_lines;  ///< the line (from 1) at which each row kept begins; empty where that is the data row and one

  [[nodiscard]] Index num_columns() const { return static_cast<Index>(columns.size()); }
  [[nodiscard]] double value(Index row, Index column) const { return values.get()[row * num_columns() + column]; }
  /// A row as a user finds it: "row 3 (line 4)".
  [[nodiscard]] std::string row_name(Index row) const { return file_row_name(file_rows, file_lines, row); }
  /// Position of the column with this name, or -1.
  [[nodiscard]] Index find(const std::string& name) const;
  /// Like find, but throws InvalidArgument that names the column, one of nearly the same name and the table's columns.
  [[nodiscard]] Index at(const std::string& name) const;

  struct Free {
    void operator()(double* p) const;  ///< std::free
  };
  /// [num_rows, num_columns], row-major; grown by realloc, so a large table never lies twice in memory.
  std::unique_ptr<double[], Free> values;
};

/// Reads a CSV file with a header row (RFC 4180: quoted fields, doubled quotes, line breaks in quotes; lines end with LF, CRLF or CR; with
/// or without a byte-order mark).
/// A column is numeric when its first non-missing value is a number (or it has none), otherwise categorical. Blanks around an unquoted
/// field do not count. Numbers have a decimal point, whatever the locale; one too small for a double is 0. Blank lines are skipped,
/// but in a file of one column a blank line before the last row is a missing value.
/// \throws InvalidArgument  empty file, no header, no rows, no columns, a duplicated or empty column name, a ragged row, text in a numeric
///         column, infinity, a column that is not listed as categorical and most of whose texts are numbers with a decimal comma, a missing
///         value (unless dropped), an unterminated quote, a NUL byte, text that is not UTF-8; the message names data row (from 1, header
///         and blank lines not counted), line of the file, column and value
/// \throws EnvironmentError  the file does not exist or cannot be read, or memory is short
[[nodiscard]] Table read_csv(const std::string& path, const CsvOptions& options = {});

/// How one column of a table becomes columns of X: a numeric column as it is, a categorical one as dummies (0 or 1), one per level. The
/// dummies of a column form one group; one of a single level has none.
struct FeatureColumn {
  std::string name;
  bool categorical = false;
  std::vector<std::string> levels;
};

enum class Dummies {
  all_but_first,  ///< the first level is the reference: beside an intercept its dummy would say nothing new. Linear and logistic models
  every_level     ///< any two levels are equally far apart, however they are spelled. Kernels
};

struct FeatureEncoding {
  std::vector<FeatureColumn> features;
  Dummies dummies = Dummies::all_but_first;
  /// Columns of numbers, as they are.
  [[nodiscard]] static FeatureEncoding of_numbers(const std::vector<std::string>& names);
  [[nodiscard]] Index num_columns() const;               ///< columns of X
  [[nodiscard]] std::vector<std::string> names() const;  ///< a name per column of X; dummies are "column=level"
  /// The group of each column of X: the features that have columns, numbered from 0 without gaps (one level only: no columns).
  [[nodiscard]] std::vector<Index> groups() const;
};

/// An encoded table: X row-major, its own memory.
struct EncodedTable {
  Index rows = 0;
  Index cols = 0;
  std::unique_ptr<double[], Table::Free> values;
  [[nodiscard]] MatrixView X() const { return {values.get(), rows, cols, Layout::row_major}; }
  /// X with its memory, for a fit that may overwrite it: nothing is left here.
  [[nodiscard]] OwnedMatrix give() { return {std::move(values), rows, cols, Layout::row_major}; }
};

/// The encoding that the table suggests, without the excluded columns.
/// \throws InvalidArgument  a column to exclude that the table lacks
[[nodiscard]] FeatureEncoding make_encoding(const Table& table, const std::vector<std::string>& exclude,
                                            Dummies dummies = Dummies::all_but_first);

/// Takes the table's memory and lays it out as X by the encoding, columns matched by name, in place (dummies enlarge it where it lies).
/// When the table does not fit the encoding, the table stays as it was.
/// \throws InvalidArgument  columns that the encoding needs and the table lacks (all named); a level that the encoding does not know (row,
///         column, value, known levels); a column that is text here and a number in the encoding, or the reverse
/// \throws EnvironmentError  memory is short
[[nodiscard]] EncodedTable encode(Table&& table, const FeatureEncoding& encoding);

/// Writes a text file whole or not at all (a temporary file and a rename). \throws EnvironmentError
void write_text_file(const std::string& path, const std::string& text);

/// One column as numbers (position of the level for categorical ones).
[[nodiscard]] Vector column_values(const Table& table, Index column);

}  // namespace ardvark
