// The prior of the weights: a partition of the columns into groups, one Gamma-distributed precision each.     docs/math/linear.md, bound.md
#pragma once

#include "ardvark/prior.hpp"
#include "waist/waist.hpp"

namespace ardvark::internal {

/// q(alpha_g) = Gam(c_N, d_N) with E[alpha_g] = c_N / d_N; c_N = c0 + |g|/2 never changes.                     (LIN.2), (JJ.4)
class PrecisionPrior {
 public:
  /// shape, rate: c0, d0 of each group; both 0: Jeffreys' p(alpha) = 1/alpha, whose bound is that at the precisions as they are. `rule`:
  /// what update() does; `lambda` of UpdateRule::laplace, where c0 and d0 are not read.
  PrecisionPrior(Partition partition, Vector shape, Vector rate, UpdateRule rule = UpdateRule::vb, double lambda = 0);

  [[nodiscard]] const Partition& partition() const { return partition_; }
  [[nodiscard]] const Vector& expected() const { return expected_; }  ///< [groups] E[alpha]
  [[nodiscard]] const Vector& columns() const { return a_; }  ///< [p] a_j: E[alpha] of the column's group, its fixed precision, or 0
  [[nodiscard]] const Vector& size() const { return size_; }  ///< [groups] columns
  [[nodiscard]] const Vector& shape() const { return c_N_; }

  /// The weights have a prior whose mode is sought, not an average over it: the bound is the penalised log likelihood.             (L1.2)
  [[nodiscard]] bool is_penalty() const { return rule_ == UpdateRule::laplace; }

  void start();  ///< E[alpha] = c0/d0; 1 where both are 0
  /// The same prior and precisions for the columns of these groups, and the flat ones, alone. `columns`: which they are.
  [[nodiscard]] PrecisionPrior subset(const std::vector<Index>& groups, std::vector<Index>& columns) const;
  /// The same prior and precisions for these columns alone, ascending, the groups among them whole. `groups`: which they are.
  [[nodiscard]] PrecisionPrior restricted_to(const std::vector<Index>& columns, std::vector<Index>& groups) const;
  void set_expected(const Vector& expected);

  // Update rules: each gives the next E[alpha] from the posterior.
  void update(const Posterior& q, double tau, Vector& next) const;  ///< by the rule of the prior
  void vb(const Posterior& q, double tau, Vector& next) const;      ///< (LIN.2), (JJ.4)
  void mackay(const Posterior& q, double tau, Vector& next) const;  ///< (OPT.6)
  /// The precision that is best for each group by itself, all else fixed; groups of more than one column take MacKay's step.   (OPT.2),
  /// (OPT.3)
  void coordinate(const Posterior& q, double tau, Vector& next) const;

  /// The best precision of a group of one column with a proper hyper-prior, all else fixed; s and Q = tau q^2: what it would find of itself
  /// outside. `now` if rounding hides it.                                                                             (OPT.2), (OPT.3)
  [[nodiscard]] double best(Index g, double s, double Q, double now) const;
  /// What its change from one precision to another adds to the bound, all else (the noise precision in Q too) fixed.          (OPT.3)
  [[nodiscard]] double gain_of_changing(Index g, double s, double Q, double from, double to) const;
  [[nodiscard]] double gain_of_hyperprior(Index g, double from, double to) const;  ///< c0 ln a - d0 a
  [[nodiscard]] bool has_improper() const;                                         ///< some group has no hyper-prior

  /// sum_g of the terms of q(alpha) and sum_j of E ln p(w_j | alpha); valid at any state.                       (BOUND.1)
  [[nodiscard]] double bound(const Posterior& q, double tau) const;
  /// dF/d ln E[alpha_g] of the profiled bound.                                                                  (OPT.1)
  void gradient(const Posterior& q, double tau, Vector& out) const;
  /// What the next step of the precisions promises, in nats: half its length times the slope; MacKay's step, or that of the rule of a
  /// penalty. The vectors are workspace.                                                                                          (SLR.3)
  [[nodiscard]] double promised_gain(const Posterior& q, double tau, Vector& slope, Vector& step) const;
  /// Next to nothing (1 %) is left of the group, and its best precision, all else fixed, is infinite. a: its precision inside q. Single
  /// columns without a hyper-prior.                                                                             (OPT.2), (OPT.3), (L1.3)
  [[nodiscard]] bool runs_to_infinity(const Posterior& q, double tau, double a, Index g) const;
  /// What a column outside would raise the bound by at its best precision, all else fixed; 0 if that is infinite. Likewise. (OPT.5), (L1.3)
  [[nodiscard]] double gain_of_adding(double S, double Q, double tau, double& precision) const;
  /// sum over the group of 1 - E[alpha] V_jj: how many of its columns the data determine.
  void well_determined(const Posterior& q, Vector& out) const;
  [[nodiscard]] double published_constant() const;

 private:
  void expand();
  [[nodiscard]] bool is_improper(Index g) const { return c0_[g] == 0 && d0_[g] == 0; }
  Partition partition_;
  Vector c0_, d0_, c_N_, size_, expected_, a_;
  UpdateRule rule_;
  double lambda_;
  bool is_improper_ = true;  // every group is
  double constant_ = 0;      // what the bound does not change during a fit
};

}  // namespace ardvark::internal
