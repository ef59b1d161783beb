// Bayesian logistic regression, one observation at a time.                                       docs/math/sequential.md
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ardvark/logistic.hpp"

namespace ardvark {

struct SequentialOptions {
  std::optional<double> precision = {};  ///< prior precision of every weight, > 0; default: the number of columns, as published
  Index block_rows = 64;                 ///< rows per matrix product, >= 1; the result does not depend on it
  int threads = 0;                       ///< 0: the number of threads of OpenBLAS
};

/// Absorbs each row once: the posterior after n rows is the prior for row n + 1. No intercept, no standardisation.  (SEQ)
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

  /// \param X [n,p], \param labels [n] in {-1, +1}.  \throws InvalidArgument; the state then does not change.   O(n p^2)
  /// \param weights [n] finite, >= 0: number of copies of the row, which need not be whole, absorbed at once; empty: ones   (SEQ.5)
  /// \param order   of the rows of this call
  void update(MatrixView X, VectorView labels, VectorView weights = {}, RowOrder order = RowOrder::as_given);

  [[nodiscard]] const Vector& mean() const;
  [[nodiscard]] Matrix covariance() const;  ///< V [p,p]
  [[nodiscard]] double log_det_V() const;
  [[nodiscard]] double precision() const;  ///< of the prior of every weight
  [[nodiscard]] Index num_rows() const;    ///< number of rows absorbed so far, without rows of weight zero
  /// Lower bound on the log evidence of the rows absorbed so far, nats.
  [[nodiscard]] double bound() const;

  /// The current posterior as a fit that can predict, be printed and be saved. It has no training rows: accuracy, log loss and class
  /// weights are 0. \param column_names  [p]; empty: x1, x2, ...   \throws InvalidArgument  another number of names
  [[nodiscard]] LogisticFit fit(const std::vector<std::string>& column_names = {}) const;

  /// A filter that goes on from fit(), also after a model file, as the filter would have gone on, up to rounding.            (SEQ.7)
  /// \param fit      of a filter, or of the preset vb_logit_fit_iter
  /// \param options  precision: that of the filter; default: found from the fit
  /// \throws InvalidArgument  the fit is of another kind, which used its rows together, or has another precision
  [[nodiscard]] static SequentialLogistic from_fit(const Fit& fit, const SequentialOptions& options = {});

  /// The whole state, in the layout of a model file. A filter from from_bytes() continues with the same results to the last bit.
  [[nodiscard]] std::string to_bytes() const;
  /// \throws InvalidArgument  bytes that to_bytes() did not write
  [[nodiscard]] static SequentialLogistic from_bytes(std::string_view bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ardvark
