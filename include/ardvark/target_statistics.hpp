// Sums over rows that are enough for linear fits of many targets.                       docs/math/statistics.md, docs/math/targets.md
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ardvark/targets.hpp"

namespace ardvark {

/// Number of rows, sum of weights, means, cross-products of the columns, products of the columns with each target, and the sum of squares
/// of each target. fit_targets() needs nothing else, so a table of any length is read once, in pieces, on one machine or on many.
///
///     ardvark::TargetStatistics statistics;
///     while (read(X, Y)) statistics.update(X, Y);
///     ardvark::TargetsFit fits = ardvark::fit_targets(statistics, {.fit = {.prior = ardvark::Prior::shared()}});
///
/// Rows are added in blocks, whose number of rows depends only on the numbers of columns and targets, and blocks one after the other. So
/// the result has the same bits for pieces of any size and for any number of threads.                                              (ST.7)
/// Memory, for p columns and K targets: 16 p (p + K) bytes, and a block of rows, which takes at most 64 MiB, or half of that sum if it is
/// more.
class TargetStatistics {
 public:
  TargetStatistics();
  TargetStatistics(const TargetStatistics& other);
  TargetStatistics(TargetStatistics&& other) noexcept;
  TargetStatistics& operator=(TargetStatistics other) noexcept;
  ~TargetStatistics();

  /// Adds rows.
  /// \param X        [n,p] double, float or int8, either memory order, with the same columns in each call; finite
  /// \param Y        [n,K] the same, with the same targets in each call; a value that is not finite, or too large to be squared, in a row
  ///                 of positive weight leaves its target without a fit: see status()
  /// \param weights  [n] a weight equals repetition; >= 0; empty: ones                                                          (LIN.6)
  /// \throws InvalidArgument  names row (counted from 1 over all calls), column and value; the statistics are then as before
  void update(MatrixView X, MatrixView Y, VectorView weights = {});
  /// Adds the rows of other statistics, as if they came next. The order of merges changes only the last digits.                 (ST.1)
  /// Columns, and targets, may come in another order, if they have names.
  /// \throws InvalidArgument  other columns or targets; the statistics are then as before
  void merge(const TargetStatistics& right);

  [[nodiscard]] Index num_columns() const;  ///< of X; 0 before the first row
  [[nodiscard]] Index num_targets() const;  ///< 0 before the first row
  [[nodiscard]] Index num_rows() const;     ///< those of weight 0 among them
  [[nodiscard]] double weight() const;      ///< sum of the weights
  /// [K] converged: the sums of the target are right; else not_finite or out_of_range, and its sums are NaN
  [[nodiscard]] std::vector<TargetStatus> status() const;

  [[nodiscard]] Vector mean() const;            ///< [p] weighted means of the columns
  [[nodiscard]] Vector target_mean() const;     ///< [K] weighted means of the targets
  [[nodiscard]] Matrix cross() const;           ///< [p,p] sums of weight times product of the differences from the means
  [[nodiscard]] Matrix target_cross() const;    ///< [p,K] the same of a column and a target
  [[nodiscard]] Vector target_squares() const;  ///< [K] the same of a target with itself

  /// Names, for messages, fits and merge(). Without them, columns are x1, x2, ... and targets y1, y2, ...
  /// \throws InvalidArgument  the statistics have other numbers of columns or targets
  void set_names(std::vector<std::string> columns, std::vector<std::string> targets = {});
  [[nodiscard]] std::vector<std::string> column_names() const;  ///< [p]
  [[nodiscard]] std::vector<std::string> target_names() const;  ///< [K] empty if they have no names

  /// The statistics in the layout of a file. from_bytes() of them gives equal statistics, to the last bit.
  [[nodiscard]] std::string to_bytes() const;
  /// \throws InvalidArgument  bytes that are cut, changed, or of a later version
  [[nodiscard]] static TargetStatistics from_bytes(std::string_view bytes);

  struct State;
  explicit TargetStatistics(State&& state);                     ///< for the library
  [[nodiscard]] const State& state() const { return *state_; }  ///< for the library

 private:
  std::unique_ptr<State> state_;
};

/// Writes the whole file or nothing. \throws EnvironmentError  the file cannot be written
void save_target_statistics(const std::string& path, const TargetStatistics& statistics);
/// \throws InvalidArgument  a file that is cut, changed, of a later version, or of another kind. \throws EnvironmentError  it cannot be
/// read
[[nodiscard]] TargetStatistics load_target_statistics(const std::string& path);

/// What the statistics hold, as lines of text: rows, weight, targets, columns.
[[nodiscard]] std::string summary(const TargetStatistics& statistics);
/// One JSON object: num_rows, weight, targets, columns, has_names, status, mean, target_mean, cross, target_cross, target_squares.
[[nodiscard]] std::string to_json(const TargetStatistics& statistics);

/// The fits that fit_targets(X, Y) makes of the same rows, up to rounding.                                                    (TGT.11)
/// \param options  weights must be empty: they belong to update(). Not leave_one_out and drop_missing, which read rows; a Laplace prior
///                 needs a lambda, because its cross-validation reads rows
/// \throws InvalidArgument  no rows; columns without a prior that are so nearly collinear that cross-products cannot tell them apart; else
///                          as fit_targets(X, Y)
[[nodiscard]] TargetsFit fit_targets(const TargetStatistics& statistics, const TargetsOptions& options = {});

}  // namespace ardvark
