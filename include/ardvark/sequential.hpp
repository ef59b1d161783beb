// Bayesian logistic regression, one observation at a time.                                       docs/math/sequential.md
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ardvark/logistic.hpp"

namespace ardvark {

struct SequentialOptions {
  std::optional<double> precision = {};  ///< of every weight, > 0; default: the number of columns, as published
  Index block_rows = 64;                 ///< rows per matrix product, >= 1; the result does not depend on it
  int threads = 0;                       ///< 0: as many as OpenBLAS has been given
};

/// Each row is absorbed once: the posterior after n rows is the prior of row n + 1. No intercept, no standardisation.  (SEQ)
///
///     ardvark::SequentialLogistic filter(X.cols());
///     filter.update(X, labels);        // labels in {-1, +1}
///     filter.update(X_more, labels_more);
///     double p = filter.mean()[0];
class SequentialLogistic {
 public:
  explicit SequentialLogistic(Index num_columns, const SequentialOptions& options = {});
  ~SequentialLogistic();
  SequentialLogistic(SequentialLogistic&&) noexcept;
  SequentialLogistic& operator=(SequentialLogistic&&) noexcept;

  /// \param X [n,p], \param labels [n] in {-1, +1}.  \throws InvalidArgument, leaving the state as it was.   O(n p^2)
  /// \param weights [n] finite, >= 0: so many copies of the row, not whole ones also, absorbed at once; empty: ones   (SEQ.5)
  /// \param order   of the rows of this call
  void update(MatrixView X, VectorView labels, VectorView weights = {}, RowOrder order = RowOrder::as_given);

  [[nodiscard]] const Vector& mean() const;
  [[nodiscard]] Matrix covariance() const;  ///< V [p,p]
  [[nodiscard]] double log_det_V() const;
  [[nodiscard]] Index num_rows() const;  ///< rows absorbed so far, those of weight zero left out
  /// Lower bound on the log evidence of the rows absorbed so far, nats.
  [[nodiscard]] double bound() const;

  /// What it knows now, to predict from, to print and to save. It describes no rows: accuracy, log loss and class weights are 0.
  /// \param column_names  [p]; empty: x1, x2, ...   \throws InvalidArgument  another number of names
  [[nodiscard]] LogisticFit fit(const std::vector<std::string>& column_names = {}) const;

  /// The whole state, in the layout of a model file: from_bytes() goes on with the same bits.
  [[nodiscard]] std::string to_bytes() const;
  /// \throws InvalidArgument  other bytes
  [[nodiscard]] static SequentialLogistic from_bytes(std::string_view bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ardvark
