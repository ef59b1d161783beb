// Expected class probabilities under a normal distribution of the scores.                                docs/math/softmax.md (SMX.8)
#pragma once

#include "ardvark/types.hpp"

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

/// softmax(f)
void plain_softmax(const Eigen::Ref<const Vector>& f, Eigen::Ref<Vector> probability);

}  // namespace ardvark::internal
