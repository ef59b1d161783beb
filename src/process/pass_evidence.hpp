// The evidence of rows that are not in memory, at fixed widths.                                                  docs/math/passes.md
// (PASS.7)
#pragma once

#include <optional>

#include "passes/passes.hpp"
#include "process/kernel_rows.hpp"

namespace ardvark::internal {

/// Reads the rows once.
[[nodiscard]] KernelSums ask_rows(Passes& passes, const KernelQuestion& question);

/// (KM.7). With the widths of the rows it is a function of ln h and ln g; for others, the rows are read. Of classes, with the rows of one
/// posterior, whose likelihood is quadratic, and for one set of widths.
class PassEvidence final : public ProcessEvidence {
 public:
  /// \param covariance, k   of a sample
  /// \param weight, spread  of all rows: sum of the weights, mean variance of x'x
  /// \param passes, question  must exist as long as this
  PassEvidence(Covariance covariance, Vector k, double weight, double spread, Passes& passes, const KernelQuestion& question);

  /// \param intercept  of classes
  void set_rows(KernelSums rows, const WorkingRow& intercept = {});
  /// Of classes: what was asked of the rows, whose posterior the slope of the widths needs.
  void set_question(KernelQuestion question) { question_ = std::move(question); }
  /// Of classes, but for a constant.
  [[nodiscard]] Slope at(const Hyperparameters& theta, bool with_gradient) override;
  /// Whether the gradient is wanted in ln rho, too: that is a second reading of the rows. Else it is 0.
  void want_slope_of_widths(bool wanted) { wants_slope_ = wanted; }
  [[nodiscard]] FeaturePosterior posterior(const Hyperparameters& theta) const;  ///< empty: it cannot be factorised
  /// (KM.2), without its constants.
  [[nodiscard]] double log_prior(const Hyperparameters& theta);
  /// [features] the roots of h, and of hg.
  [[nodiscard]] Vector root_scale(const Hyperparameters& theta) const;

  struct Fitted {
    double s2 = 1;         ///< variance of the noise
    double r_squared = 0;  ///< over the rows
    double signal_sd = 0;  ///< of the mean over the rows
  };
  [[nodiscard]] Fitted fitted(const Hyperparameters& theta) const;

 private:
  [[nodiscard]] Index num_centres() const;
  [[nodiscard]] FeatureSums sums(const Hyperparameters& theta) const;
  [[nodiscard]] SolvedFeatures solution(const FeatureSums& sums) const { return solved(sums, intercept_.omega, intercept_.z); }
  [[nodiscard]] double variance_of_signal(const Hyperparameters& theta) const;
  [[nodiscard]] Vector widths_of(const Hyperparameters& theta) const { return theta.segment(1, covariance_.num_widths()); }
  [[nodiscard]] Vector slope_of_widths(const Hyperparameters& theta, const FeatureSums& sums, const SolvedFeatures& s, double ratio,
                                       double d_l);

  bool classes_, wants_slope_ = false;
  Passes& passes_;
  KernelQuestion question_;  // theta: that of rows_
  KernelSums rows_{0};
  WorkingRow intercept_{0, 0, 0, 0};
};

/// Two classes, or one against the rest: steps to the best Gaussian posterior, a pass over the rows each. As an evidence, it is the bound
/// (KM.5) at the best posterior for any widths.
class ClassPasses final : public ProcessEvidence {
 public:
  ClassPasses(Passes& passes, KernelQuestion question, PassEvidence& evidence)
      : ProcessEvidence(evidence.covariance(), evidence.weights(), 4),
        passes_(passes),
        question_(std::move(question)),
        evidence_(evidence) {}
  /// At fixed widths, with the best h and g. \param start  a posterior nearby
  void run(const Hyperparameters& theta, FeaturePosterior start);
  /// Begins with the rows of the last run, or of a better one since.
  [[nodiscard]] Slope at(const Hyperparameters& theta, bool with_gradient) override;

  [[nodiscard]] bool converged() const { return converged_; }
  [[nodiscard]] double bound() const { return at_.bound; }  ///< (KM.5), with the log density of h and g
  [[nodiscard]] const Hyperparameters& theta() const { return at_.theta; }
  [[nodiscard]] const FeaturePosterior& posterior() const { return at_.posterior; }
  /// As a start of a run: the posterior that at() begins with.
  [[nodiscard]] FeaturePosterior posterior_near(const Hyperparameters& theta);
  [[nodiscard]] ClassScores scores() const { return at_.rows->scores; }
  [[nodiscard]] KernelQuestion question() const;  ///< of the posterior

 private:
  struct State {
    Hyperparameters theta;
    FeaturePosterior posterior;
    std::optional<KernelSums> rows;  // under this posterior
    WorkingRow intercept{0, 0, 0, 0};
    double bound = 0;
  };
  [[nodiscard]] KernelQuestion asked(const State& state, const Matrix& root) const;
  void read(State& state);
  [[nodiscard]] State step(const State& from, const KernelSums& rows, const WorkingRow& intercept);

  Passes& passes_;
  KernelQuestion question_;
  PassEvidence& evidence_;
  State at_;
  bool converged_ = false;
  State best_;  // with the highest bound since the last run; at() has added what its step promises
};

}  // namespace ardvark::internal
