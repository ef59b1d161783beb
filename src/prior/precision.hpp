// The prior of the weights: groups of columns with one Gamma-distributed precision per group.                docs/math/linear.md, bound.md
#pragma once

#include "ardvark/prior.hpp"
#include "waist/waist.hpp"

namespace ardvark::internal {

/// The best precision of one column with everything else fixed (OPT.3): the a > 0 that maximises 1/2 ln a - 1/2 ln(a + s) + 1/2 Q/(a + s) +
/// c0 ln a - d0 a, Q = tau q^2; c0, d0 > 0. Returns `otherwise` if no root is found because of rounding.
[[nodiscard]] double best_precision(double s, double Q, double c0, double d0, double otherwise);

/// q(alpha_g) = Gam(c_N, d_N) with E[alpha_g] = c_N / d_N; c_N = c0 + |g|/2 never changes.                     (LIN.2), (JJ.4)
class PrecisionPrior {
 public:
  /// shape, rate: c0, d0 of each group. Both 0: Jeffreys' p(alpha) = 1/alpha; the bound is then the one at fixed precisions. `rule`: what
  /// update() does. `lambda`: for UpdateRule::laplace, which does not read c0 and d0.
  PrecisionPrior(Partition partition, Vector shape, Vector rate, UpdateRule rule = UpdateRule::vb, double lambda = 0);

  [[nodiscard]] const Partition& partition() const { return partition_; }
  [[nodiscard]] const Vector& expected() const { return expected_; }  ///< [groups] E[alpha]
  [[nodiscard]] const Vector& columns() const { return a_; }      ///< [p] a_j: E[alpha] of the column's group, its fixed precision, or 0
  [[nodiscard]] const Vector& size() const { return size_; }      ///< [groups] number of columns
  [[nodiscard]] const Vector& shape() const { return c_N_; }      ///< [groups] of q(alpha)
  [[nodiscard]] const Vector& prior_rate() const { return d0_; }  ///< [groups]

  /// Whether the fit finds the mode under the prior and does not average: then the bound is the penalised log likelihood.            (L1.2)
  [[nodiscard]] bool is_penalty() const { return rule_ == UpdateRule::laplace; }

  void start();  ///< E[alpha] = c0/d0; 1 if both are 0
  /// The same prior and precisions for only the columns of these groups and the flat columns. `columns` returns these columns.
  [[nodiscard]] PrecisionPrior subset(const std::vector<Index>& groups, std::vector<Index>& columns) const;
  /// The same prior and precisions for only these columns, ascending, with complete groups. `groups` returns their groups.
  [[nodiscard]] PrecisionPrior restricted_to(const std::vector<Index>& columns, std::vector<Index>& groups) const;
  void set_expected(const Vector& expected);

  // Update rules: each computes the next E[alpha] from the posterior.
  void update(const Posterior& q, double tau, Vector& next) const;  ///< with the rule of the prior
  void vb(const Posterior& q, double tau, Vector& next) const;      ///< (LIN.2), (JJ.4)
  void mackay(const Posterior& q, double tau, Vector& next) const;  ///< (OPT.6)
  /// The best precision of each group with everything else fixed; groups with more than one column take MacKay's step.        (OPT.2),
  /// (OPT.3)
  void coordinate(const Posterior& q, double tau, Vector& next) const;

  /// The best precision of a group of one column with a proper hyper-prior, everything else fixed; s and Q = tau q^2 are those of the
  /// column when it is outside the model. Returns `now` if no root is found because of rounding. (OPT.2), (OPT.3)
  [[nodiscard]] double best(Index g, double s, double Q, double now) const;
  /// The change of the bound if its precision changes, with everything else fixed (also the noise precision in Q).            (OPT.3)
  [[nodiscard]] double gain_of_changing(Index g, double s, double Q, double from, double to) const;
  [[nodiscard]] double gain_of_hyperprior(Index g, double from, double to) const;  ///< c0 ln a - d0 a
  [[nodiscard]] bool has_improper() const;                                         ///< whether a group has no hyper-prior

  /// The sum over groups of the terms of q(alpha) plus the sum over j of E ln p(w_j | alpha); valid at any state. (BOUND.1)
  [[nodiscard]] double bound(const Posterior& q, double tau) const;
  /// dF/d ln E[alpha_g] of the profiled bound.                                                                  (OPT.1)
  void gradient(const Posterior& q, double tau, Vector& out) const;
  /// The expected gain of the next step of the precisions, in nats: half the step times the slope. The step is MacKay's, or for a penalty
  /// that of its rule. The vectors are workspace. (SLR.3)
  [[nodiscard]] double promised_gain(const Posterior& q, double tau, Vector& slope, Vector& step) const;
  /// Whether the data determine less than 1% of the group, and its best precision with everything else fixed is infinite. a: its precision
  /// inside q. Only for single columns without a hyper-prior. (OPT.2), (OPT.3), (L1.3)
  [[nodiscard]] bool runs_to_infinity(const Posterior& q, double tau, double a, Index g) const;
  /// The gain in the bound if a column outside enters with its best precision, everything else fixed; 0 if this precision is infinite. Only
  /// without hyper-priors. (OPT.5), (L1.3)
  [[nodiscard]] double gain_of_adding(double S, double Q, double tau, double& precision) const;
  /// Sum over the group of 1 - E[alpha] V_jj: how many of its columns the data determine.
  void well_determined(const Posterior& q, Vector& out) const;
  [[nodiscard]] double published_constant() const;

 private:
  void expand();
  [[nodiscard]] bool is_improper(Index g) const { return c0_[g] == 0 && d0_[g] == 0; }
  Partition partition_;
  Vector c0_, d0_, c_N_, size_, expected_, a_;
  UpdateRule rule_;
  double lambda_;
  bool is_improper_ = true;  // whether every group is improper
  double constant_ = 0;      // the part of the bound that does not change during a fit
};

}  // namespace ardvark::internal
