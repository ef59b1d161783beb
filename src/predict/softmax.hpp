// Expected class probabilities under a normal distribution of the scores.                                docs/math/softmax.md (SMX.8)
#pragma once

#include "ardvark/types.hpp"

namespace ardvark {

/// E softmax(f), f ~ N(m, S); a number added to all of m, or of S, changes nothing. Workspace is kept between calls.
class ExpectedSoftmax {
 public:
  explicit ExpectedSoftmax(Index num_classes);
  void operator()(const Vector& m, const Matrix& S, Vector& probability);

 private:
  /// Two directions or fewer: the trapezoidal rule, as fine as the nearest pole asks for.
  void by_trapezoids(const Vector& m, Vector& probability);
  /// More: a lattice rule of 4096 points and their mirror images.
  void by_lattice(const Vector& m, Vector& probability);
  void make_lattice();

  Index C_;
  Matrix directions_;  // [C, directions] columns: sd times direction, largest first
  Matrix lattice_;     // [C - 1, points] standard normal
  Vector f_, inner_;
};

/// softmax(f)
void plain_softmax(const Eigen::Ref<const Vector>& f, Eigen::Ref<Vector> probability);

}  // namespace ardvark
