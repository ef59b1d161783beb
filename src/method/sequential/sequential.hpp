// The sequential preset: as used by fit_logistic, and the state of a SequentialLogistic between two rows, with its workspace.
#pragma once

#include "ardvark/sequential.hpp"
#include "frame/row_order.hpp"
#include "frame/solution.hpp"

namespace ardvark {

struct SequentialLogistic::State {
  Index p = 0, block = 0;
  int threads = 0;
  double precision = 0;  // of the prior
  Index num_rows = 0;
  Vector w;
  Matrix V;  // lower triangle
  double log_det_V = 0;
  double quadratic = 0;  // w'V^-1 w
  double prior_log_det = 0;
  double sum_xi = 0;  // sum of ln sigma(xi) - xi/2 + lambda xi^2
  Index not_converged = 0;

  // workspace for `room` rows at a time: as many as in a call of update(), up to `block`
  Index room = 0;
  Matrix rows, P, U, G, R;
  Vector m, c, coefficient;

  void size_workspace(Index count);
  void absorb(MatrixView X, const Vector& y, const Vector& k);
  void absorb(MatrixView X, const Vector& y, const internal::OrderedRows& ordered);
  void absorb_block(Index count, const Vector& y, const Vector& k, Index first);  // k [n]: weights
};

}  // namespace ardvark

namespace ardvark::internal {

/// The preset vb_logit_fit_iter.
[[nodiscard]] Solution solve_sequentially(const Frame& frame);

}  // namespace ardvark::internal
