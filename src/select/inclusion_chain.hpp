// A chain of models: which columns have an effect, drawn from the posterior under a spike and a slab.        docs/math/effects.md
#pragma once

#include <cstdint>
#include <vector>

#include "ardvark/types.hpp"
#include "core/normals.hpp"

namespace ardvark::internal {

/// What the chain reads of the rows. Flat columns are projected out, and the rows have their weights.
struct ChainRows {
  Matrix gram;             // [m, m] X'X
  Vector projected;        // [m] X'y
  double squared = 0;      // y'y
  double degrees = 0;      // rows, as a sum of weights, without one for each flat column
  double num_columns = 0;  // of the table, with those that the chain does not visit
  bool has_noise = true;   // otherwise its variance is 1
};

/// Columns whose correlation with this one is above one half, so that its effect may be theirs.
[[nodiscard]] std::vector<std::vector<Index>> neighbours_in(const Matrix& gram);

class InclusionChain {
 public:
  /// \param rows  must live as long as the chain.  \param near  neighbours_in(rows.gram)
  InclusionChain(const ChainRows& rows, const std::vector<std::vector<Index>>& near, std::uint64_t seed);
  /// Each column once, then the effects that may move to a neighbour, then the hyper-parameters.
  void sweep();
  /// The same, in one order or the other, which is drawn: then it is as likely as its reverse.                               (FDR.10)
  void sweep_either_way();
  /// The state of an earlier copy; what is drawn next is not.
  void take_back(const InclusionChain& earlier);
  /// `rows` are others now, of the same columns; the effects stay.
  void rows_changed();
  [[nodiscard]] const std::vector<Index>& included() const { return included_; }  ///< ascending
  [[nodiscard]] const Vector& effects() const { return b_; }
  [[nodiscard]] double noise_variance() const { return s2_; }

 private:
  void visit(Index j);
  void move(Index j);
  void draw_hyper(bool backwards = false);
  void set_evidence();
  void list_included();
  void set_effect(Index j, double value);
  [[nodiscard]] double evidence(Index j, double c) const;
  [[nodiscard]] double at_most(Index j, double c) const;
  [[nodiscard]] double hyper_log_density(double s2, double kappa, double alike) const;
  [[nodiscard]] double drawn_effect(Index j, double c);

  const ChainRows& rows_;
  const std::vector<std::vector<Index>>& near_;
  Normals draw_;
  Vector b_, c_;                    // [m] effects; X'(y - Xb)
  std::vector<Index> visited_;      // a column without a part of its own has no effect
  Vector offset_, factor_, slope_;  // [m] of the evidence
  std::vector<bool> is_in_;
  std::vector<Index> included_;
  double s2_, pi_, kappa_, alike_ = 0.5, prior_odds_ = 0;
  double rest_ = 0, squares_ = 0, sizes_ = 0;  // |y - Xb|^2; sums of b^2, and of b times its sign
};

}  // namespace ardvark::internal
