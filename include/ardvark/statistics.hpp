// Sums over rows that are enough for a linear fit.                                              docs/math/statistics.md
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ardvark/linear.hpp"
#include "ardvark/table.hpp"

namespace ardvark {

/// What statistics keep of the rows.
enum class StatisticsForm {
  gram,   ///< cross-products: half the work. They square the condition number, so they keep few digits of nearly collinear columns
  factor  ///< the triangular factor of the rows, which keeps all digits
};
[[nodiscard]] const char* to_string(StatisticsForm form);
/// \throws InvalidArgument  a name that is neither "gram" nor "factor"
[[nodiscard]] StatisticsForm statistics_form(const std::string& name);

/// Number of rows, sum of weights, means and cross-products of the columns and the target. A linear fit needs nothing else, so a table of
/// any length is read once, in pieces, on one machine or on many.
///
///     ardvark::LinearStatistics statistics;
///     while (read(X, y)) statistics.update(X, y);
///     ardvark::LinearFit fit = ardvark::fit_linear(statistics);
///
/// Rows are added in blocks of 8192, and blocks in a tree; both depend only on the position of a row. So the result has the same bits for
/// pieces of any size and for any number of threads.                                                                             (ST.2)
/// Memory: about 8 (p+1)^2 bytes times the number of levels, plus 8192 rows.
class LinearStatistics {
 public:
  explicit LinearStatistics(StatisticsForm form = StatisticsForm::gram);
  LinearStatistics(const LinearStatistics& other);
  LinearStatistics(LinearStatistics&& other) noexcept;
  LinearStatistics& operator=(LinearStatistics other) noexcept;
  ~LinearStatistics();

  /// Adds rows.
  /// \param X        [n,p] with the same columns in each call; finite
  /// \param y        [n] finite
  /// \param weights  [n] a weight equals repetition; >= 0; empty: ones                                                           (LIN.6)
  /// \throws InvalidArgument  names row (counted from 1 over all calls), column and value; the statistics are then as before
  void update(MatrixView X, VectorView y, VectorView weights = {});
  /// Adds the rows of a table. A text column has a column of 0 and 1 for each level so far; a later table may have other levels, and its
  /// columns in another order. true and false are 1 and 0.
  /// \param target, weights  names of columns; weights: empty: ones
  /// \throws InvalidArgument  as above, with the names of the table; another column, or a text where earlier rows have numbers
  void update(const Table& table, const std::string& target, const std::string& weights = "");
  /// The same rows for a fit: each text column without the level that the others are compared with.
  /// \param references  COLUMN=LEVEL; else the level with the most rows, as make_encoding() chooses it
  /// \throws InvalidArgument  there is no such column or level
  [[nodiscard]] LinearStatistics with_references(const std::vector<std::string>& references = {}) const;
  /// The same rows with exactly these columns, in this order; `names` as in the encoding. \throws InvalidArgument  one is unknown
  [[nodiscard]] LinearStatistics with_columns(const std::vector<std::string>& names) const;
  /// The same rows with the columns of other statistics: a level that no row here has is a column of zeros.
  [[nodiscard]] LinearStatistics with_columns_of(const LinearStatistics& other) const;
  /// Adds the rows of other statistics, as if they came next. The order of merges changes only the last digits.                   (ST.1)
  /// Of tables, text columns may have other levels, and columns another order.
  /// \throws InvalidArgument  another form, or other columns; the statistics are then as before
  void merge(const LinearStatistics& right);

  /// Without these columns of the table: numbers, or text columns with all their levels. Without an encoding, columns are x1, x2, ...
  /// \throws InvalidArgument  there is no such column, or no other one
  [[nodiscard]] LinearStatistics without(const std::vector<std::string>& columns) const;

  [[nodiscard]] StatisticsForm form() const;
  [[nodiscard]] Index num_columns() const;  ///< of X; 0 before the first row
  [[nodiscard]] Index num_rows() const;     ///< those of weight 0 among them
  [[nodiscard]] double weight() const;      ///< sum of the weights
  [[nodiscard]] Vector mean() const;        ///< [p+1] weighted means; the target is last
  [[nodiscard]] Matrix cross() const;       ///< [p+1,p+1] sums of weight times product of the differences from the means

  /// Names, for messages and fits: how the columns of a table became those of X, and the target. Without them, columns are x1, x2, ...
  /// \throws InvalidArgument  the encoding makes another number of columns
  void set_encoding(FeatureEncoding encoding, std::string target = "");
  [[nodiscard]] const FeatureEncoding& encoding() const;        ///< without features before set_encoding()
  [[nodiscard]] std::vector<std::string> column_names() const;  ///< [p] by the encoding, or x1, x2, ...
  [[nodiscard]] const std::string& target() const;

  /// The statistics in the layout of a file. from_bytes() of them gives equal statistics, to the last bit.
  [[nodiscard]] std::string to_bytes() const;
  /// \throws InvalidArgument  bytes that are cut, changed, or of a later version
  [[nodiscard]] static LinearStatistics from_bytes(std::string_view bytes);

  struct State;
  explicit LinearStatistics(State&& state);                     ///< for the library
  [[nodiscard]] const State& state() const { return *state_; }  ///< for the library

 private:
  std::unique_ptr<State> state_;
};

/// Writes the whole file or nothing. \throws EnvironmentError  the file cannot be written
void save_statistics(const std::string& path, const LinearStatistics& statistics);
/// \throws InvalidArgument  a file that is cut, changed, of a later version, or of another kind. \throws EnvironmentError  it cannot be
/// read
[[nodiscard]] LinearStatistics load_statistics(const std::string& path);

/// What the statistics hold, as lines of text: rows, weight, target, columns, form.
[[nodiscard]] std::string summary(const LinearStatistics& statistics);
/// One JSON object: form, num_rows, weight, target, columns, has_names, mean, cross.
[[nodiscard]] std::string to_json(const LinearStatistics& statistics);

/// The fit that fit_linear(X, y) makes of the same rows, up to rounding.                                                         (ST.3)
/// \param options  weights must be empty: they belong to update(). A Laplace prior needs a lambda, because its cross-validation reads rows
/// \throws InvalidArgument  no rows; columns without a prior that are so nearly collinear that form `gram` cannot tell them apart; else as
///                          fit_linear(X, y)
[[nodiscard]] LinearFit fit_linear(const LinearStatistics& statistics, const FitOptions& options = {});
/// The fit of all rows of several statistics. They are the folds of the cross-validation that chooses the lambda of a Laplace prior.
///                                                                                                                         (L1.12)
[[nodiscard]] LinearFit fit_linear(const std::vector<LinearStatistics>& folds, const FitOptions& options = {});

/// Mean squared error of the predictions of a regression for the rows of statistics, in units of the target squared.             (ST.6)
/// \throws InvalidArgument  other columns; no rows
[[nodiscard]] double squared_error(const Fit& fit, const LinearStatistics& rows);

}  // namespace ardvark
