// The rows of files for fits by passes: one reading for columns and classes, then one for each question.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ardvark/row_pass.hpp"
#include "ardvark/table_stream.hpp"
#include "fit.hpp"

namespace ardvark::cli {

/// What the first reading says of the columns and the target, of all files or of some.
struct TableLook {
  FactsOfColumns facts;
  std::vector<std::string> classes;  ///< of a classification: texts in the order of their letters, numbers by their values
  bool is_text = false;              ///< the target
  bool is_regression = false;
  Index num_rows = 0, num_dropped = 0;
  std::map<std::string, Index> num_missing;  ///< values, by column
  std::vector<std::string> notes;

  /// Adds what was seen of files that come later. \throws InvalidArgument  they have other columns
  void merge(const TableLook& right, const FitArguments& args, bool is_kernel);
};

/// Whether the command says that the target holds numbers, and not classes.
[[nodiscard]] bool says_regression(const FitArguments& args, bool is_kernel);

/// What answers need to know of the whole table.
struct KnownTable {
  FeatureEncoding encoding;
  std::vector<std::string> classes;
  bool is_text = false, is_regression = false;
};
/// \throws InvalidArgument  the target has one class, or too many
[[nodiscard]] KnownTable known_table(const TableLook& look, const FitArguments& args);

class PassRows {
 public:
  /// \throws InvalidArgument  a file is a pipe; an option is not one of kernel machines
  PassRows(const FitArguments& args, const std::vector<std::string>& files, bool is_kernel);
  /// \param first_piece  only at the first rows: what is wrong with the command shows there
  [[nodiscard]] TableLook look(bool first_piece = false);
  /// \param stream  as in RowSums
  [[nodiscard]] RowSums answer(const RowQuestion& question, const KnownTable& known, std::uint64_t stream = 0);

 private:
  [[nodiscard]] Vector weights(const Table& piece) const;
  void add_classes(const Table& piece, TableLook& look);

  const FitArguments& args_;
  TableStream stream_;
  bool is_kernel_;
};

/// Fits, and does what follows a fit. \param ask  answers for the rows of the whole table
[[nodiscard]] int fit_known_table(const FitArguments& args, const TableLook& look, const KnownTable& known, bool is_kernel,
                                  const AskRows& ask);

}  // namespace ardvark::cli
