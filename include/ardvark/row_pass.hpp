// Fits of tables that are not in memory: what a fit asks of the rows, and the sums that answer it.         docs/math/passes.md
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "ardvark/counts.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/softmax.hpp"

namespace ardvark {

/// What a fit asks of all rows of a table: small, so that it can be sent to where the rows are.
class RowQuestion {
 public:
  /// The question in bytes, for another process. from_bytes() of them gives an equal question.
  [[nodiscard]] std::string to_bytes() const;
  /// \throws InvalidArgument  bytes that are cut, changed, or of a later version
  [[nodiscard]] static RowQuestion from_bytes(std::string_view bytes);

  struct State;
  explicit RowQuestion(std::shared_ptr<const State> state) : state_(std::move(state)) {}  ///< for the library
  [[nodiscard]] const State& state() const { return *state_; }                            ///< for the library

 private:
  std::shared_ptr<const State> state_;
};

/// The answer: sums over the rows. Rows are added in blocks of 8192, and blocks in a tree; both depend only on the position of a row. So
/// the answer has the same bits for pieces of any size and for any number of threads.                                               (ST.2)
class RowSums {
 public:
  /// \param stream  if the rows of a table are added to several sums that are merged: a number that differs between them, the same in
  ///                each pass. It decides which rows are in the sample that a fit starts from.
  explicit RowSums(const RowQuestion& question, std::uint64_t stream = 0);
  RowSums(const RowSums& other);
  RowSums(RowSums&& other) noexcept;
  RowSums& operator=(RowSums other) noexcept;
  ~RowSums();

  /// Adds rows.
  /// \param X        [n,p] with the same columns in each call; finite
  /// \param y        [n] labels: in all calls together two different ones, or up to 1000 if fit_softmax or fit_kernel_classification asks;
  ///                 counts if fit_counts asks; numbers if fit_linear or fit_kernel_regression asks
  /// \param weights  [n] a weight equals repetition; >= 0; empty: ones
  /// \throws InvalidArgument  names row (counted from 1 over all calls), column and value
  void update(MatrixView X, VectorView y, VectorView weights = {});
  /// Adds the rows of other sums that answer the same question, as if they came next.
  void merge(const RowSums& right);
  [[nodiscard]] Index num_rows() const;  ///< those of weight 0 among them

  [[nodiscard]] std::string to_bytes() const;
  /// \throws InvalidArgument  bytes that are cut, changed, or of a later version
  [[nodiscard]] static RowSums from_bytes(std::string_view bytes);

  struct State;
  [[nodiscard]] const State& state() const { return *state_; }  ///< for the library

 private:
  explicit RowSums(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Answers a question with the sums over all rows, the same rows each time.
using AskRows = std::function<RowSums(const RowQuestion& question)>;

/// A piece of a table.
using TakeRows = std::function<void(MatrixView X, VectorView y, VectorView weights)>;
/// Answers from rows that `read` gives piece by piece, from the first to the last, each time it is called.
///
///     ardvark::LogisticFit fit = ardvark::fit_logistic(ardvark::rows_from([&](const ardvark::TakeRows& take) {
///       for (Piece piece; next(piece);) take(piece.X, piece.y, {});
///     }));
[[nodiscard]] AskRows rows_from(std::function<void(const TakeRows& take)> read);

/// The fit that fit_logistic(X, labels) makes of the same rows, within the tolerance, in a few passes over them: one to look at the columns
/// and to take a sample, from whose fit the passes start, then one for each sweep. Memory: O(p^2), and the sample. (PASS.1)
/// A table that is not larger than the sample is fitted in memory.
/// Under a Laplace prior, the passes end when the conditions of the maximum hold. Without a lambda, cross-validation takes about ten more
/// of them; it divides the rows by their content, and takes one Newton step for each fold. (PASS.9) \param options  weights must be empty:
/// they belong to the rows; folds: at most 100. Presets, pruning, and rules other than vb need rows in
///                 memory
/// \throws InvalidArgument  the rows change between two passes; else as fit_logistic(X, labels)
[[nodiscard]] LogisticFit fit_logistic(const AskRows& ask, const FitOptions& options = {});

/// The same of counts, with option exposure or offset_column; the priors are shared, ard, groups and none.
[[nodiscard]] CountFit fit_counts(const AskRows& ask, const FitOptions& options = {});

/// A regression. With normal noise, the rows are read once, for their statistics (ST.3); with Student-t noise as above, with the priors
/// shared, ard, groups and none, and without FamilyResult::row_weight. (PASS.12)
[[nodiscard]] LinearFit fit_linear(const AskRows& ask, const FitOptions& options = {});

/// Several classes, with the coding that fit_softmax(X, labels) chooses. A softmax: each pass gives log likelihood, gradient and Hessian,
/// for which all precisions are found without another pass (PASS.8). One against the rest: a fit of two classes, as above, for each; each
/// read of the rows answers all fits that still ask, so that the slowest one decides how often they are read. The rule for the precisions
/// is vb (PASS.6). One more pass describes the rows. A table that is not larger than the sample is fitted in memory, with all options.
/// \param options  as above; coding: softmax or one_against_rest. A softmax may have the rules vb and mackay. If its system takes more than
///                 2 GB, about 48 ((p + 1) C)^2 bytes, it is refused, and the default is one_against_rest
/// \throws InvalidArgument  more than 1000 labels; another coding; else as above and as fit_softmax(X, labels)
[[nodiscard]] SoftmaxFit fit_softmax(const AskRows& ask, const SoftmaxOptions& options = {});

}  // namespace ardvark
