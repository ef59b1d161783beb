// The log evidence of a Gaussian process with these hyper-parameters, and its gradient.               docs/math/process.md (KM.1), (KM.2),
// (KM.5)
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "process/covariance.hpp"

namespace ardvark::internal {

struct Slope {
  double value = -std::numeric_limits<double>::infinity();
  Vector gradient;  ///< empty if it was not asked for
};

/// The rows as the posterior sees them for fixed hyper-parameters: response z with precision omega, in units of 1/s2. A further row sees
/// only the intercept.
struct ProcessRows {
  Vector omega, z;                                      ///< [n]
  double intercept_omega = 0, intercept_z = 0;          ///< of the further row; regressions have none
  double s2 = 1;                                        ///< variance of the noise, and unit of h; classes: 1
  double nu = std::numeric_limits<double>::infinity();  ///< degrees of freedom of predictions
};

/// Moments of f at the rows in the full posterior, the variances in units of s2.
struct FunctionMoments {
  Vector mean, variance;
};

struct FullPosterior {
  ProcessRows rows;
  FunctionMoments moments;
};

/// ln h, then ln rho of each width, and last, with a linear part, ln g.
using Hyperparameters = Vector;

/// An objective: log evidence, or a bound on it, and the log density of the hyper-parameters but for its constants.                (KM.2)
class ProcessEvidence {
 public:
  /// \param k     [n] observation weights, > 0
  /// \param unit  of the mean signal variance in the prior of its share: 1, for classes 4
  ProcessEvidence(Covariance covariance, Vector k, double unit);
  virtual ~ProcessEvidence() = default;
  ProcessEvidence(const ProcessEvidence&) = delete;
  ProcessEvidence& operator=(const ProcessEvidence&) = delete;

  /// -infinity where the covariance cannot be factorised.
  [[nodiscard]] virtual Slope at(const Hyperparameters& theta, bool with_gradient) = 0;
  /// How exactly at() finds what has no closed form. The gradient is off by about the root of it.
  /// \param nats  of the value
  /// \returns whether it makes a difference
  virtual bool set_tolerance(double nats) { return nats < 0; }
  static constexpr double exact = 1e-9;

  [[nodiscard]] const Covariance& covariance() const { return covariance_; }
  [[nodiscard]] Index size() const { return 1 + covariance_.num_parameters(); }
  [[nodiscard]] const Vector& weights() const { return k_; }
  [[nodiscard]] double total_weight() const { return N_; }
  /// Of the middle of the prior, with one width: -1/2 ln(2 d).
  [[nodiscard]] double usual_log_rho() const { return usual_log_rho_; }
  /// Of ln h. With large weights, a larger function than this leaves the equations without digits. \param mean_weight  of a regression;
  /// classes, whose rows say at most 1/4 of their weight, have a hundredth of it                                                  (KM.3)
  [[nodiscard]] static double most_log_h(double mean_weight) { return std::min(18.0, std::log(1e10 / mean_weight)); }
  [[nodiscard]] double most_log_h() const { return most_log_h(unit_ == 1 ? k_.mean() : 0.01 * k_.mean()); }
  /// What rounding leaves of a difference of two values, in nats; 0: the weights are not large.
  [[nodiscard]] double rounding() const { return most_log_h() < 18 ? 1e-6 * N_ : 0; }
  static constexpr double sd_of_log_rho = 1.5;
  static constexpr double share_exponent = 0.25;  ///< the share of the signal has the prior Beta(1, 1 + this)
  /// What at() leaves out of the log density of the hyper-parameters, for D of them without fixed ones.
  [[nodiscard]] double log_constant() const;
  /// What the linear part has of the variance of the function over the rows, a priori: in [0, 1]; 0 without one.               (KM.11)
  [[nodiscard]] double linear_share(const Hyperparameters& theta);
  /// (KM.2), without its constants: 0 where the widths are usual.
  [[nodiscard]] double log_prior_of_widths(const Vector& log_rho) const;

 protected:
  /// Adds the log density of the hyper-parameters. If out has a gradient, adds its slope to it but for the part through the kernel, and
  /// returns d / d l.                                                                                                  (KM.2), (KM.11)
  /// \param l  mean variance of the signal over the rows, without the linear part
  double add_prior(const Hyperparameters& theta, double l, Slope& out);
  /// The rows of the covariance stand for others. \param spread  mean variance of x'x over those
  void stand_for(double weight, double spread) { N_ = weight, spread_ = spread; }

  Covariance covariance_;
  Vector k_;
  double N_ = 0;

 private:
  struct SquaredWidths {
    double log_size;
    Vector log_share;  // [widths]
  };
  [[nodiscard]] SquaredWidths squared_widths(const Vector& log_rho) const;

  double unit_, usual_log_rho_;
  Vector inputs_of_width_;   // [widths] how many inputs have it
  double spread_ = 0;        // mean variance of x'x over the rows                                                                (KM.11)
  double linear_share_ = 0;  // at the last theta
};

/// With the kernel matrix of all rows.
class FullEvidence : public ProcessEvidence {
 public:
  using ProcessEvidence::ProcessEvidence;
  /// It takes less time right after at() without a gradient for the same hyper-parameters.
  /// \param tolerance  as set_tolerance() has it, and sets it
  /// \throws InvalidArgument if the covariance cannot be factorised
  [[nodiscard]] virtual FullPosterior posterior(const Hyperparameters& theta, double tolerance = exact) = 0;
  /// [n,n] h kappa, lower stored, without the linear part.
  [[nodiscard]] Matrix signal_covariance(const Hyperparameters& theta) const;
  /// What the next call of at() begins with: the moments that were found for the nearest hyper-parameters. Empty: it needs none.
  [[nodiscard]] virtual Vector posterior_near(const Hyperparameters&) const { return {}; }
  /// Begins with these, those of a similar evidence, where nothing was found.
  virtual void begin_with(const Vector&) {}
};

/// Regression with a flat intercept and Jeffreys' prior for the noise.                                                              (KM.1)
/// \param y  [n] the target, standardised
[[nodiscard]] std::unique_ptr<FullEvidence> regression_evidence(Covariance covariance, Vector k, Vector y);
/// Two classes: the best Gaussian posterior. It starts from the posterior of the nearest call.                                       (KM.5)
/// \param t  [n] 0 or 1
[[nodiscard]] std::unique_ptr<FullEvidence> class_evidence(Covariance covariance, Vector k, Vector t);

}  // namespace ardvark::internal
