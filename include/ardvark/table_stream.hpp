// A table in one or several CSV files that is read some rows at a time, so that it may be larger than the memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ardvark/table.hpp"

namespace ardvark {

/// The files are one table: its rows are those of the first file, then those of the second, and so on. All files have the same columns, in
/// any order. A file may have a header only, if another has rows.
///
///     ardvark::TableStream stream({"part-1.csv", "part-2.csv"}, options);
///     for (ardvark::Table piece; stream.next(piece);) use(piece);
///
/// The meaning of the fields is that of read_csv(), with three differences. Levels are those of the piece; a column of true and false is
/// one of texts, until encode() makes it 1 and 0; row names are compared only with the first 100,000. With Missing::keep, a column without
/// a value so far is one of numbers.
class TableStream {
 public:
  /// \throws InvalidArgument  there is no path, or a path is given twice
  /// \throws EnvironmentError  a file does not exist or cannot be read
  TableStream(std::vector<std::string> paths, const CsvOptions& options);
  TableStream(const TableStream&) = delete;
  TableStream& operator=(const TableStream&) = delete;
  ~TableStream();

  /// Reads the next rows into `piece`. file_rows and file_lines have an entry for each row, and `files` is set if there are several files.
  /// False: there are no more.
  /// \param most_rows  of a piece, >= 1; only the last piece has fewer
  /// \throws InvalidArgument  as read_csv(), with the name of the file if there are several; a file has other columns than the first one; a
  ///         file has changed since it was opened, or since it was read the first time
  /// \throws EnvironmentError  as read_csv()
  [[nodiscard]] bool next(Table& piece, Index most_rows = 8192);

  /// Goes back to the first row. \throws InvalidArgument  a file is a pipe, which can be read only once
  void rewind();
  [[nodiscard]] bool can_rewind() const;
  /// For what is told of the progress: what is done with the rows (a literal; at first "reading"), and how often they will be read.
  void expect(const char* stage, int passes);

  [[nodiscard]] Index num_rows() const;                         ///< of all pieces since the beginning
  [[nodiscard]] Index num_dropped() const;                      ///< rows left out because a value was missing
  [[nodiscard]] const std::vector<Index>& num_missing() const;  ///< [columns] missing values so far
  [[nodiscard]] const std::vector<std::string>& paths() const;
  [[nodiscard]] std::vector<std::string> notes() const;  ///< as Table::notes
  [[nodiscard]] char decimal() const;                    ///< the decimal mark of the file that is read

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The facts of the columns of a table, from its pieces.
class FactsOfColumns {
 public:
  /// \param weights  [rows of the piece] empty: ones
  void add(const Table& piece, VectorView weights = {});
  /// Adds the facts of another part of the table, whose columns may be in another order.
  /// \throws InvalidArgument  it has other columns, or a column is text in one part only
  void merge(const std::vector<ColumnFacts>& part);
  [[nodiscard]] std::vector<ColumnFacts> facts() const;  ///< levels are sorted, as in Table

 private:
  std::vector<ColumnFacts> columns_;
};

/// The paths that the patterns match, in the order of the patterns; those of one pattern in the order of their bytes. A pattern is a path
/// with *, ? or [...], in the usual meaning; a path that exists is itself, a folder all files in it and in its folders whose names do not
/// begin with a point or an underscore, and "-" is the standard input.
/// \throws EnvironmentError  a pattern matches no file, or a folder has none or cannot be read
/// \throws InvalidArgument  the files of a folder have different endings
[[nodiscard]] std::vector<std::string> matching_paths(const std::vector<std::string>& patterns);

}  // namespace ardvark
