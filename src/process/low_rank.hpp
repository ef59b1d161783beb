// The evidence of a Gaussian process in the features of some centres, for many rows.                            docs/math/process.md (KM.7)
#pragma once

#include <memory>
#include <vector>

#include "process/evidence.hpp"
#include "process/vectors.hpp"

namespace ardvark::internal {

/// The rows that stand for the others with these hyper-parameters: pivoted Cholesky on the kernel over a pool of rows, which is chosen by a
/// hash of their content.                                                                                                           (KM.7)
/// \returns at most `count` positions; fewer if these explain all others
[[nodiscard]] std::vector<Index> choose_centres(const Covariance& covariance, const Hyperparameters& theta, Index count);
/// So many rows, chosen by a hash of their content: another order of the rows or the columns gives the same rows.
[[nodiscard]] std::vector<Index> rows_by_hash(const Matrix& X, Index count);

/// A bound below the exact evidence, which it reaches if every row is a centre. Its time is O(n m^2) a call (classes: for each step of the
/// posterior), its memory O(m^2) and a block of rows.
class LowRankEvidence : public ProcessEvidence {
 public:
  using ProcessEvidence::ProcessEvidence;
  /// \param rows  positions of the centres among the rows
  void set_centres(const std::vector<Index>& rows);
  /// The posterior with the centres as vectors.
  [[nodiscard]] virtual FeaturePosterior posterior(const Hyperparameters& theta) = 0;
  /// Without the rows themselves: s2 and nu of predictions.
  [[nodiscard]] virtual ProcessRows rows(const Hyperparameters& theta) = 0;

 protected:
  Matrix centres_;  // [m, d]
};

/// As regression_evidence() and class_evidence().
[[nodiscard]] std::unique_ptr<LowRankEvidence> low_rank_regression(Covariance covariance, Vector k, Vector y);
[[nodiscard]] std::unique_ptr<LowRankEvidence> low_rank_classes(Covariance covariance, Vector k, Vector t);

}  // namespace ardvark::internal
