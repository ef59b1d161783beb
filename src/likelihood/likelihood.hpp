// The likelihoods: each writes one weight and one working response per row, and its term of the bound.
#pragma once

#include <memory>
#include <optional>

#include "ardvark/prior.hpp"
#include "waist/waist.hpp"

namespace ardvark::internal {

/// Of rows whose linear predictors have given means and variances.
struct ExpectedRows {
  double value;       ///< the expected log likelihood, parameters of its own at their best
  double of_own = 0;  ///< what integrating these parameters adds                                                                 (NB.8)
};

class Likelihood {
 public:
  virtual ~Likelihood() = default;
  [[nodiscard]] virtual LikelihoodTraits traits() const = 0;
  /// Writes the rows that a fit starts from.
  virtual void start(Rows& rows) = 0;
  /// Updates the likelihood's own factors for q(w), then writes the rows.
  virtual void update(const Posterior& q, Rows& rows) = 0;
  /// The state: what update() took from q to write the rows, as a vector that may be extrapolated (JJ: xi; VG: m and ln s; Gaussian:
  /// nothing). set_state() writes the rows of such a vector. `weight` is about the curvature of the bound in each entry.
  [[nodiscard]] virtual Index state_size() const { return 0; }
  virtual void get_state(Eigen::Ref<Vector>, Eigen::Ref<Vector> /*weight*/) const {}
  virtual void set_state(const Eigen::Ref<const Vector>&, Rows&) {}
  /// Expected log likelihood plus the terms of the likelihood's own factors. Valid for any state of these factors and the last q that
  /// update() or the solver used.                                                                                        (BOUND.1)
  [[nodiscard]] virtual double bound(const Posterior& q) const = 0;
  /// For likelihoods that use the mode: ln p(y | w) at the m of the last update().                                    (LAP.2)
  [[nodiscard]] virtual double log_likelihood() const { return 0; }
  /// The expected log likelihood if the linear predictors have these means and variances, [n] each, and in `rows` omega = -2 dE/ds and
  /// r = omega m + dE/dm, [n] each from the caller, with parameters of its own at their best. It changes no state. Nothing if
  /// that is not known.
  [[nodiscard]] virtual std::optional<ExpectedRows> expected_at(const Vector& /*m*/, const Vector& /*s*/, Rows& /*rows*/) const {
    return {};
  }
  /// E[tau] if the prior of w is scaled by the noise, otherwise 1.
  [[nodiscard]] virtual double noise_precision() const { return 1; }
  /// q(tau) = Gam(shape, rate) for a Gaussian likelihood.
  [[nodiscard]] virtual GammaDistribution noise() const { return {0, 0}; }
  /// At the last update.
  [[nodiscard]] virtual OwnParameters own_parameters() const { return {}; }
  /// What part of omega the rows say about w, in (0, 1]: less than 1 where omega takes as known what depends on w.                (TN.6)
  [[nodiscard]] virtual double information_share() const { return 1; }
  /// For constant rows: the same likelihood in its current state, for rows of weight 1 with this response.          (CONDENSE.1)
  [[nodiscard]] virtual std::unique_ptr<Likelihood> with_response(Vector) const { return nullptr; }
  /// The constants of the bound that the published stopping rule leaves out.
  [[nodiscard]] virtual double published_constant() const { return 0; }
};

/// y | w, tau ~ N(Xw, 1/tau), q(w, tau) = N(w, V/tau) Gam(a_N, b_N).                                              docs/math/linear.md
class Gaussian final : public Likelihood {
 public:
  /// k: observation weights (empty = ones); num_flat: columns with a flat prior, num_penalised: the others.
  Gaussian(Vector y, Vector k, double a0, double b0, Index num_flat, Index num_penalised);
  [[nodiscard]] LikelihoodTraits traits() const override { return {.residual = true, .constant_rows = true}; }
  void start(Rows& rows) override;
  void update(const Posterior& q, Rows& rows) override;
  [[nodiscard]] double bound(const Posterior& q) const override;
  [[nodiscard]] double noise_precision() const override { return a_N_ / b_N_; }
  [[nodiscard]] std::unique_ptr<Likelihood> with_response(Vector y) const override;
  [[nodiscard]] double published_constant() const override;
  [[nodiscard]] GammaDistribution noise() const override { return {a_N_, b_N_}; }

 private:
  Vector y_, k_;
  double b0_, a_N_, b_N_, n_;
  double of_prior_, log_gamma_a_N_;  // what the bound has of a0 and b0 alone; ln Gamma(a_N)
  Index num_penalised_;
};

/// y | w, tau ~ N(Xw, 1/tau), w ~ N(0, A^-1) not scaled by tau, q(w) q(tau). prior: of tau. start: first E[tau] (0: 100/var(y)).
/// docs/math/relevance.md
std::unique_ptr<Likelihood> make_gaussian_factorised(Vector y, Vector k, GammaDistribution prior, double start = 0);
/// Logistic with the Jaakkola-Jordan bound; t in {0, 1}. start_xi: first xi of every row. docs/math/logistic_bound.md
std::unique_ptr<Likelihood> make_logistic_bound(const Vector& t, Vector k, double start_xi = 0);
/// Logistic with the exact Gaussian variational posterior; t in {0, 1}. docs/math/logistic_gaussian.md
std::unique_ptr<Likelihood> make_logistic_gaussian(Vector t, Vector k);
/// Logistic with Laplace's approximation; t in {0, 1}. docs/math/logistic_laplace.md
std::unique_ptr<Likelihood> make_logistic_laplace(Vector t, Vector k);
/// For classes: `intercept` if the design has one more row than t, for the prior of the intercept. (SP.20)
enum class LastRow { observation, intercept };
/// What the prior of the intercept reads: its mean and variance; its value at the mode; E b^2, with a bound as that of the rows.
enum class InterceptForm { moments, mode, bound };
/// These rows, and a last one for the prior of the intercept. start_xi: first xi of that row, for a bound
std::unique_ptr<Likelihood> with_intercept_row(std::unique_ptr<Likelihood> rows, InterceptForm form, double start_xi = 0);
/// Counts with the mean exp(Xw + offset), the exact Gaussian variational posterior; num_flat: columns without a prior; an empty offset is
/// 0. docs/math/poisson.md
/// \throws InvalidArgument  y has values that are not whole numbers >= 0, or all are 0 and there is a column without a prior
std::unique_ptr<Likelihood> make_poisson(Vector y, Vector k, Index num_flat, Vector offset = {});
/// Counts with the mean mu = exp(Xw + offset) and the variance mu + k mu^2, k found by the bound. docs/math/negative_binomial.md
/// \throws InvalidArgument  as make_poisson
std::unique_ptr<Likelihood> make_negative_binomial(Vector y, Vector k, Index num_flat, Vector offset = {});
/// y | w ~ Xw + tau^-1/2 t, with the degrees of freedom found by the bound, w ~ N(0, A^-1). prior: of tau. docs/math/student_noise.md
std::unique_ptr<Likelihood> make_student(Vector y, Vector k, GammaDistribution prior);
/// -(z - x'w)^2 / 2 for each row: a normal distribution of variance 1 without its constant. share: information_share().
/// docs/math/passes.md
std::unique_ptr<Likelihood> make_quadratic(Vector z, double share = 1);

}  // namespace ardvark::internal
