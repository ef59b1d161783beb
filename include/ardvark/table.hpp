// A table, from a CSV file or from columns in memory, and the numeric matrix that a fit reads from it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ardvark/errors.hpp"
#include "ardvark/types.hpp"

namespace ardvark {

/// What to do with missing values. These are an empty field, NA, N/A, NaN, nan, null, NULL and ?, quoted or not, also with blanks around
/// them.
enum class Missing {
  refuse,     ///< throw InvalidArgument, which names row and column
  drop_rows,  ///< leave the row out; Table::num_dropped is the number of such rows
  keep        ///< the table has NaN, also in a column of texts
};

/// In whose words a message about a file of CSV says what to do: options of the command line, or arguments in Python.
enum class Advice { command_line, python };

struct CsvOptions {
  /// None: it is found from the header and the first rows: a comma, a semicolon, a tab, '|', or a blank.
  std::optional<char> delimiter = {};
  /// The mark before the fraction of a number, '.' or ','. None: a comma if the delimiter is none and the first rows have numbers such as
  /// 12,5 and none such as 12.5; else a point. With a comma, a number with a point (1.234,5) is refused.
  std::optional<char> decimal = {};
  Missing missing = Missing::refuse;
  std::vector<std::string> missing_markers = {};  ///< further texts that mean a missing value, such as "." or "-999"
  std::vector<std::string> ignore = {};           ///< columns that are not read into the table (they may have any content)
  std::vector<std::string> categorical = {};      ///< columns that are read as text, even if they look like numbers
  /// If not empty: the columns to read; others are skipped. Columns that the file does not have are an error, which names all of them; so
  /// is a column that is also in `ignore`. If empty, names in `ignore` and `categorical` that the file does not have are an error
  /// (otherwise a typing error would not be noticed).
  std::vector<std::string> only = {};
  /// With `only`: columns that are also read, as texts as they are. In them, no text means a missing value. They must be there unless they
  /// are `optional`. One that is in `only`, too, is read twice: the table has a copy behind it.
  std::vector<std::string> verbatim = {};
  std::vector<std::string> optional = {};  ///< with `only`: read if the file has them; no error otherwise
  /// Names that the file must have, checked before any value is read. The second text says for the message what needs the column, such as
  /// an option.
  std::vector<std::pair<std::string, std::string>> required = {};
  /// What the message about a missing value in this column advises; empty: to leave out the row.
  std::function<std::string(const std::string& column)> remedy = {};
  Advice advice = Advice::command_line;
};

/// One column: each row has a number, or a category (its position in `levels`, which are sorted).
struct TableColumn {
  std::string name;
  bool categorical = false;
  std::vector<std::string> levels;  ///< sorted distinct texts (byte order); empty for numeric columns
  bool is_listed = false;           ///< text because the caller said so: levels, even if they are true and false
  bool is_copy = false;             ///< the texts of the column before it, as they are in the file
  std::string stored_type = {};     ///< of texts as they are: the type that the file has for them, such as BIGINT; empty: none, or several
};

/// "row 3 (line 4)". \param file_rows, file_lines  as in Table of a file
[[nodiscard]] std::string file_row_name(const std::vector<Index>& file_rows, const std::vector<Index>& file_lines, Index row);

/// A table, stored row by row in one buffer: value(i, j) is a number, or for a categorical column the position of the level.
class Table {
 public:
  std::vector<TableColumn> columns;
  Index num_rows = 0;
  Index num_dropped = 0;         ///< rows left out because a value was missing
  std::vector<Index> file_rows;  ///< if rows were dropped: the data row (from 1) in the file of each row that was kept; else empty

  struct FileOfRows {
    Index first_row;  ///< from which on the rows are of this file
    std::string path;
    Index rows_before;  ///< in the files before it, dropped ones among them
  };
  std::vector<FileOfRows> files;  ///< of a part of several files, which begins with a row of the first of these; else empty

  std::vector<std::string> notes;  ///< what was found in the file, or left out of it, although nobody said so

  std::vector<Index> num_missing;  ///< [columns] missing values, those of dropped rows among them; empty: not known

  std::vector<Index> file_lines;  ///< the line (from 1) at which each kept row begins; empty if this is the data row plus one

  [[nodiscard]] Index num_columns() const { return static_cast<Index>(columns.size()); }
  [[nodiscard]] double value(Index row, Index column) const { return values.get()[row * num_columns() + column]; }
  bool is_from_file = true;
  bool has_lines = true;  ///< false: of Parquet, whose rows have only numbers

  /// A row as messages name it: "row 3 (line 4)", or "row 3" of a table that is not from a file; with `files`, the name of its file
  /// follows.
  [[nodiscard]] std::string row_name(Index row) const;
  /// For an error: where this value is.
  [[nodiscard]] ErrorFields cell(Index row, const std::string& column) const;
  /// The row among those of all files, from 1; dropped rows count.
  [[nodiscard]] Index row_number(Index row) const;
  /// The names of the rows without the values, for a table that is given away.
  [[nodiscard]] Table row_names() const;
  /// Position of the column with this name, or -1; of a column and its copy, that of the column.
  [[nodiscard]] Index find(const std::string& name) const;
  /// Like find, but throws InvalidArgument, which names the column, a column with a similar name and the columns of the table.
  [[nodiscard]] Index at(const std::string& name) const;

  /// Leaves out the rows in which one of these columns has no value, and levels that no row has any more. num_dropped and num_missing
  /// count on. \throws InvalidArgument  no row is left
  void drop_gaps_of(const std::vector<Index>& columns);

  struct Free {
    void operator()(double* p) const;  ///< std::free
  };
  /// [num_rows, num_columns], row-major; realloc enlarges it, so that a large table is never twice in memory.
  std::unique_ptr<double[], Free> values;
};

/// Reads a CSV file with a header row (RFC 4180: quoted fields, doubled quotes, line breaks in quotes; lines end with LF, CRLF or CR; with
/// or without a byte-order mark). It may be compressed by gzip or zstd. A file of Parquet is read by DuckDB, if it
/// is on this machine: numbers, truths, texts and enumerations; NULL and NaN are missing values.
/// A column is numeric if its first non-missing value is a number (or all values are missing), otherwise categorical. Blanks around an
/// unquoted field are ignored. Numbers have a decimal point in every locale; a number too small for a double is 0. Blank lines are skipped,
/// but in a file with one column, a blank line before the last row is a missing value.
/// A first line "sep=;", as Excel writes it, is obeyed. Empty fields at the end of every row, for which the header has no name, are left
/// out. A column without a name is called "Unnamed: 0" (the first), "Unnamed: 1", ... If the first one has no name, or if the header has
/// one field less than the rows, the first column holds row names, as R and pandas write them: texts or whole numbers that all differ. It
/// is left out, with a note, unless the options name it; so is any other column without a name that is empty. \throws InvalidArgument empty
/// file, no header, no rows, no columns, a duplicated column name, a column other than row names without a name, a row with too few or too
/// many
///         fields, text in a numeric column, infinity, a column that is not listed as categorical and has mostly numbers with a decimal
///         comma, a missing value (unless rows are dropped), a quote without end, a NUL byte, text that is not UTF-8; the message names
///         data row (from 1, without header and blank lines), line of the file, column and value
/// \throws EnvironmentError  the file does not exist or cannot be read, or there is not enough memory
[[nodiscard]] Table read_csv(const std::string& path, const CsvOptions& options = {});
/// Several files as one table, as TableStream reads them. file_rows has an entry for each row, which counts in its file.
[[nodiscard]] Table read_csv(const std::vector<std::string>& paths, const CsvOptions& options = {});

/// A column of a table in memory: its name, and for each row a number (NaN: missing) or a text (nullptr: missing). Exactly one of the two
/// lists has an entry for each row; the other is empty.
struct ColumnView {
  std::string name;
  std::span<const double> numbers = {};
  std::span<const char* const> texts = {};
};

/// The table of these columns. Texts are UTF-8; they are taken as they are, blanks included.
/// \param missing  refuse or keep
/// \param remedy   what the message about a missing value advises
/// \throws InvalidArgument   a value is missing (unless gaps are kept) or infinite; a text is not UTF-8; two columns have one name; a name
/// is empty; no column has
///         all rows; there is no row; the message names column, row (from 1) and value
/// \throws EnvironmentError  there is not enough memory
[[nodiscard]] Table make_table(Index num_rows, const std::vector<ColumnView>& columns, Missing missing = Missing::refuse,
                               const std::string& remedy = "leave out the row, or fill the gap");

/// How one column of a table becomes columns of X: a numeric column is used unchanged, a categorical column becomes dummies (0 or 1), one
/// per level. The dummies of a column are one group. A categorical column with a single level has no dummies. A column whose texts are all
/// true or false (true, True, TRUE, ...) counts as a numeric column of 1 and 0, unless it is listed as categorical.
struct FeatureColumn {
  std::string name;
  bool categorical = false;
  std::vector<std::string> levels = {};  ///< numbers by value, then texts; digits in texts count by value: "week 2", "week 10"
  Index reference = 0;                   ///< position of the level that all others are compared with: it has no dummy
  double reference_rows = 0;             ///< rows of the training table that have this level, or their weights; 0: not known
  bool is_truth = false;                 ///< numeric: true and false, as 1 and 0
};

enum class Dummies {
  all_but_reference,  ///< for linear and logistic models: the intercept covers the reference
  every_level         ///< for kernels: the distance between any two levels is the same
};

struct FeatureEncoding {
  std::vector<FeatureColumn> features;
  Dummies dummies = Dummies::all_but_reference;
  bool keeps_gaps = false;  ///< tables may have gaps: they are NaN in X, in all columns of a text column
  /// Numeric columns, used unchanged.
  [[nodiscard]] static FeatureEncoding of_numbers(const std::vector<std::string>& names);
  [[nodiscard]] Index num_columns() const;               ///< columns of X
  [[nodiscard]] std::vector<std::string> names() const;  ///< a name per column of X; dummies are "column=level"
  /// The group of each column of X: features that have columns are numbered from 0 without gaps (a single level: no columns).
  [[nodiscard]] std::vector<Index> groups() const;
  [[nodiscard]] std::vector<Index> feature_of_columns() const;  ///< for each column of X, the position of its feature
  [[nodiscard]] bool has_text() const;                          ///< whether a feature is categorical
};

/// An encoded table: X, row-major, in its own memory.
struct EncodedTable {
  Index rows = 0;
  Index cols = 0;
  std::unique_ptr<double[], Table::Free> values;
  [[nodiscard]] MatrixView X() const { return {values.get(), rows, cols, Layout::row_major}; }
  /// X with its memory, for a fit that may overwrite it. The table is empty afterwards.
  [[nodiscard]] OwnedMatrix give() { return {std::move(values), rows, cols, Layout::row_major}; }
};

/// The encoding that follows from the table, without the excluded columns.
/// \param references  "COLUMN=LEVEL": the level of this column that the others are compared with; otherwise the one with the most rows, and
///                    of several such levels the first
/// \param weights     [rows] a row counts as so many; empty: each counts as one
/// \throws InvalidArgument  the table does not have an excluded column; a reference names no text column or no level of it, or has no "="
[[nodiscard]] FeatureEncoding make_encoding(const Table& table, const std::vector<std::string>& exclude,
                                            Dummies dummies = Dummies::all_but_reference, const std::vector<std::string>& references = {},
                                            VectorView weights = {});

/// What an encoding needs to know of a column: its kind, and its levels.
struct ColumnFacts {
  TableColumn column;
  std::vector<double> rows;  ///< [levels] that have the level, or their weights
};
/// \param weights  [rows] empty: ones
[[nodiscard]] ColumnFacts facts_of(const Table& table, Index column, VectorView weights = {});
/// The same encoding, from the facts of the columns.
[[nodiscard]] FeatureEncoding make_encoding(const std::vector<ColumnFacts>& columns, const std::vector<std::string>& exclude,
                                            Dummies dummies = Dummies::all_but_reference, const std::vector<std::string>& references = {});

/// Takes over the memory of the table and changes it to X in place, as the encoding says (dummies enlarge it). Columns are matched by name.
/// If the table does not match the encoding, the table does not change.
/// \throws InvalidArgument  the table does not have all columns of the encoding (the message names all of them); a level is not in the
///         encoding (row, column, value, known levels); a column is text in the table and numeric in the encoding, or the reverse. True and
///         false, in any spelling, are 1 and 0 where the encoding has numbers, and 1 and 0 are they where it has only them as levels
/// \throws EnvironmentError  there is not enough memory
[[nodiscard]] EncodedTable encode(Table&& table, const FeatureEncoding& encoding);

/// Writes a text file by a temporary file and a rename, so that the path never has a part of it. \throws EnvironmentError
void write_text_file(const std::string& path, const std::string& text);

/// One column as numbers (a categorical column: positions of the levels).
[[nodiscard]] Vector column_values(const Table& table, Index column);

}  // namespace ardvark
