// The columns of a table while its rows are read: which there are, and the texts that they have had.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ardvark/table.hpp"
#include "io/file.hpp"

namespace ardvark::internal::io {

// What a comma in a number may mean, and what to do about it.
struct Comma {
  const char* meaning = nullptr;  // null: the text is no number with a comma
  std::string remedy = {};
  bool is_clear = true;
};
// Gives every distinct text a code, in order of appearance.
class Levels {
 public:
  /// The code of a text, and whether it is new.
  std::pair<Index, bool> code(std::string_view text) {
    if (const auto found = codes_.find(text); found != codes_.end()) return {found->second, false};
    const auto next = static_cast<Index>(codes_.size());
    texts_.push_back(codes_.emplace(text, next).first->first);
    if (next == 0) first_ = text;
    return {next, true};
  }
  [[nodiscard]] const std::string& first() const { return first_; }
  [[nodiscard]] const std::vector<std::string_view>& texts() const { return texts_; }  ///< by their codes

  [[nodiscard]] std::vector<std::string> take() {
    std::vector<std::string> texts(codes_.size());
    while (!codes_.empty()) {
      auto node = codes_.extract(codes_.begin());
      texts[static_cast<std::size_t>(node.mapped())] = std::move(node.key());
    }
    texts_.clear();
    return texts;
  }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, Index, Hash, std::equal_to<>> codes_;
  std::vector<std::string_view> texts_;
  std::string first_;
};

enum class Kind { undecided, number, text };

struct StoredColumn {
  std::string name;
  std::size_t field = 0;  // position in the file
  Kind kind = Kind::undecided;
  bool listed = false;        // listed as categorical: its numbers are text
  bool verbatim = false;      // any text is a level, and none is missing
  bool is_copy = false;       // the texts of the column before it
  std::string stored_type;    // of a verbatim column: in the files, if they agree
  bool may_be_listed = true;  // true if the caller chooses the columns, false if a model does
  Levels levels;
  std::vector<bool> has_comma;  // per level: whether it is a number with a comma
  Index num_missing = 0, num_texts = 0, num_commas = 0;
  struct Texts {
    ErrorFields first, first_comma;  // their places
    Comma comma;                     // of the first comma, or of the first whose meaning is clear
  };
  std::unique_ptr<Texts> texts;  // of the texts that are there: most columns of a wide table are numbers
};

/// The rows of a table in files, in their order: numbers, and codes of texts. Files of each format have a class of their own.
class TableRows {
 public:
  explicit TableRows(const CsvOptions& options) : options_(options) {}
  TableRows(const TableRows&) = delete;
  TableRows& operator=(const TableRows&) = delete;
  virtual ~TableRows() = default;

  /// Goes to the beginning of a file. The first one says which columns there are; others must have the same, in any order.
  virtual void open(const std::string& path) = 0;
  /// The next row that has no gap, or is kept with its gaps. False at the end of the file.
  /// \param row  [num_columns] is overwritten, even if there is none. A text has its code, in order of appearance in all files
  virtual bool next(double* row) = 0;
  [[nodiscard]] virtual Index row() const = 0;                     ///< in the file that is open, from 1; after the last row one more
  [[nodiscard]] virtual Index line() const = 0;                    ///< where the row begins, from 1; 0: the file has no lines
  [[nodiscard]] virtual const File& file() const = 0;              ///< that is open
  [[nodiscard]] virtual std::uint64_t num_bytes_read() const = 0;  ///< of this file
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }  ///< what was found in the files that nobody said
  [[nodiscard]] virtual char decimal() const { return '.'; }                   ///< the decimal mark in the texts of the file that is open
  /// What can be said only after the last row. \param num_rows  that were read
  /// \throws InvalidArgument  there is no row; the format has more to refuse
  virtual void check_end(Index num_rows) const;

  [[nodiscard]] Index num_columns() const { return static_cast<Index>(stored_.size()); }
  [[nodiscard]] Index num_dropped() const { return num_dropped_; }
  [[nodiscard]] Index num_levels(Index column) const;  ///< different texts so far
  /// Gives the table its columns, and turns the codes of its texts into positions in the sorted list of those that occur in its rows.
  /// \param is_last  the texts are not needed any more: they are moved
  void finish(Table& table, bool is_last);

 protected:
  /// Matches the columns of a file that is opened. \param left_out  positions of columns without a name
  /// \param row_labels     names of further columns that are left out
  /// \throws InvalidArgument  the file lacks columns
  void begin_file(const std::string& path, const std::vector<std::string>& names, const std::vector<std::size_t>& left_out = {},
                  std::vector<std::string> row_labels = {});
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool is_first() const { return first_path_ == path_; }
  /// A value of the row is missing. True: the row is kept. \throws InvalidArgument  missing values are refused
  bool keeps_gap(StoredColumn& column, const ErrorFields& cell) const;

  CsvOptions options_;
  std::vector<StoredColumn> stored_;
  Index num_dropped_ = 0;

 private:
  std::string path_, first_path_;
  std::vector<std::string> first_names_, first_labels_;
};

/// Whether the options name this column.
[[nodiscard]] bool is_mentioned(const std::string& name, const CsvOptions& options);

/// The rows of a file and of those after it, which have the same format. \param names_file, most_row_names  as of CsvRows
[[nodiscard]] std::unique_ptr<TableRows> rows_of_file(const std::string& path, const CsvOptions& options, bool names_file = false,
                                                      std::size_t most_row_names = SIZE_MAX);

/// Replaces codes by positions in the sorted list of levels that occur. Levels that only dropped rows had are removed.
/// \param texts  [columns] the levels by their codes: strings, which are moved, or views
template <typename Text>
void sort_levels(Table& table, std::vector<std::vector<Text>> texts);
extern template void sort_levels(Table& table, std::vector<std::vector<std::string>> texts);

/// True and false in several spellings become two levels, in this order.
void unify_truths(Table& table);

}  // namespace ardvark::internal::io
