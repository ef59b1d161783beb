// The prior of the weights: a partition of the columns into groups, one Gamma-distributed precision each.     docs/math/linear.md, bound.md
#pragma once

#include "engine/waist.hpp"

namespace ardvark {

/// q(alpha_g) = Gam(c_N, d_N) with E[alpha_g] = c_N / d_N; c_N = c0 + |g|/2 never changes.                     (LIN.2), (JJ.4)
class PrecisionPrior {
 public:
  /// shape, rate: c0, d0 of each group.
  PrecisionPrior(Partition partition, Vector shape, Vector rate);

  [[nodiscard]] const Partition& partition() const { return partition_; }
  [[nodiscard]] const Vector& expected() const { return expected_; }  ///< [groups] E[alpha]
  [[nodiscard]] const Vector& columns() const { return a_; }  ///< [p] a_j: E[alpha] of the column's group, its fixed precision, or 0
  [[nodiscard]] const Vector& size() const { return size_; }  ///< [groups] columns
  [[nodiscard]] const Vector& shape() const { return c_N_; }

  void start();  ///< E[alpha] = c0/d0
  /// The same prior and precisions for the columns of these groups, and the flat ones, alone. `columns`: which they are.
  [[nodiscard]] PrecisionPrior subset(const std::vector<Index>& groups, std::vector<Index>& columns) const;
  void set_expected(const Vector& expected);

  // Update rules: each gives the next E[alpha] from the posterior.
  void vb(const Posterior& q, double tau, Vector& next) const;      ///< (LIN.2), (JJ.4)
  void mackay(const Posterior& q, double tau, Vector& next) const;  ///< (OPT.6)
  /// The precision that is best for each group by itself, all else fixed; groups of more than one column take MacKay's step.   (OPT.2),
  /// (OPT.3)
  void coordinate(const Posterior& q, double tau, Vector& next) const;

  /// sum_g of the terms of q(alpha) and sum_j of E ln p(w_j | alpha); valid at any state.                       (BOUND.1)
  [[nodiscard]] double bound(const Posterior& q, double tau) const;
  /// dF/d ln E[alpha_g] of the profiled bound.                                                                  (OPT.1)
  void gradient(const Posterior& q, double tau, Vector& out) const;
  /// sum over the group of 1 - E[alpha] V_jj: how many of its columns the data determine.
  void well_determined(const Posterior& q, Vector& out) const;
  [[nodiscard]] double published_constant() const;

 private:
  void expand();
  Partition partition_;
  Vector c0_, d0_, c_N_, size_, expected_, a_;
  double constant_ = 0;  // what the bound does not change during a fit
};

}  // namespace ardvark
