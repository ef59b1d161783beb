// Expected class probabilities under a normal distribution of the scores.                                docs/math/softmax.md (SMX.8)
#pragma once

#include <vector>

#include "ardvark/softmax.hpp"
#include "table/fit_table.hpp"
#include "target/class_scores.hpp"

namespace ardvark::internal {

/// E softmax(f) for f ~ N(m, S). A number added to all entries of m, or of S, changes nothing. The object keeps workspace between calls.
class ExpectedSoftmax {
 public:
  explicit ExpectedSoftmax(Index num_classes);
  void operator()(const Vector& m, const Matrix& S, Vector& probability);

 private:
  /// Three classes: an integral over the difference of two scores; the third score is integrated in closed form.
  void by_longest_side(const Vector& m, const Matrix& S, Vector& probability);
  /// More classes: a lattice rule with 4096 points and their mirror images.
  void by_lattice(const Vector& m, const Matrix& S, Vector& probability);
  void make_lattice();

  Index C_;
  Matrix lattice_;  // [points, C - 1] standard normal
  Matrix change_, scores_;
  Vector top_;  // [block] the largest score, then the sum, of each point
};

/// The same where the scores vary little, for the probability of one class: an error of ln p of about 1e-4 at most. Up to 16 classes:
/// Stroud's rule of degree 5, with 2 (C-1)^2 + 1 points; more: the second derivatives.                                          (PASS.8)
class NarrowSoftmax {
 public:
  explicit NarrowSoftmax(Index num_classes) : C_(num_classes), root_(num_classes, num_classes - 1), at_(num_classes) {}
  /// False: the scores vary too much.
  [[nodiscard]] bool operator()(const Vector& m, const Matrix& S, Index own, Vector& probability);

 private:
  void by_points(const Vector& m, const Matrix& S, Vector& probability);
  static constexpr Index most_by_points_ = 16;
  Index C_;
  Matrix root_;  // [C, C-1] root_ root_' is the covariance of the scores after that of the last class is subtracted
  Vector at_;
};

/// softmax(f)
void plain_softmax(const Eigen::Ref<const Vector>& f, Eigen::Ref<Vector> probability);

/// \param own  [rows] their classes; negative: the row is not counted
[[nodiscard]] ClassScores class_scores(const ClassProbabilities& p, const std::vector<Index>& own, const Vector& k);

/// predict() of rows in any form.
[[nodiscard]] ClassProbabilities probabilities(const SoftmaxFit& fit, const FitTable& X, ClassRule rule);

/// As predict() of training rows, for their accuracy and log loss. Of more than 5000 rows, those whose scores vary little are summed as a
/// pass over rows does.                                                                                                     (PASS.8)
/// \param own  [rows] their classes; negative: the probabilities are those of predict()
[[nodiscard]] ClassProbabilities training_probabilities(const SoftmaxFit& fit, const FitTable& X, ClassRule rule,
                                                        const std::vector<Index>& own);

}  // namespace ardvark::internal
