// A fit of one class against the others whose rows are not in memory: passes.                                    docs/math/passes.md
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frame/frame.hpp"
#include "frame/solution.hpp"
#include "passes/row_sums.hpp"

namespace ardvark::internal {

/// Mean and covariance of the weights, in the units of the design.
struct WeightMoments {
  Vector w;
  Matrix V;
};

/// Answers a question with the sums over all rows.
using AskSums = std::function<PassSums(RowQuestion::State question)>;
/// Asks the rows themselves. \throws InvalidArgument  they are not those of the first look
[[nodiscard]] PassSums ask_rows(const AskRows& ask, RowQuestion::State question);

/// What the first look says of columns and target. \throws InvalidArgument  there is no row, or none with a positive weight
[[nodiscard]] Moments moments_of(const RowSums& first_look);

/// Asks the rows for one class against the others, and counts how often.
class Passes {
 public:
  /// \param pass  the question, without the posteriors
  Passes(AskSums ask, RowQuestion::State pass) : ask_(std::move(ask)), pass_(std::move(pass)) {}
  /// \param wants_scores  accuracy and log loss of the first one
  [[nodiscard]] PassSums sums(const std::vector<const WeightMoments*>& at, bool wants_step, bool wants_scores = false);
  /// Accuracy and log loss under a mixture of posteriors with these weights.
  [[nodiscard]] ClassTally scores(const std::vector<std::pair<double, WeightMoments>>& mixture);
  /// The sums that another kind of model asks for. (PASS.7)
  [[nodiscard]] Vector numbers(std::shared_ptr<const RowWork> work);
  [[nodiscard]] int count() const { return count_; }
  void add_to_count(int more) { count_ += more; }
  /// Passes over the same rows, with the columns in other units.
  [[nodiscard]] Passes with_units(Standardization units) const {
    Passes other(ask_, pass_);
    other.pass_.units = std::move(units);
    return other;
  }
  [[nodiscard]] const RowQuestion::State& question() const { return pass_; }
  /// The next questions. \param profile  of ln k
  void set_dispersion(double log_dispersion, std::vector<double> profile = {}) {
    pass_.log_dispersion = log_dispersion, pass_.dispersion_profile = std::move(profile);
  }
  /// The next questions, of a regression.
  void set_noise(std::vector<NoiseParameters> at) { pass_.noise->at = std::move(at); }
  void set_constant_rate(double rate) { pass_.constant_rate = rate; }

 private:
  [[nodiscard]] PassSums ask(RowQuestion::State question);
  AskSums ask_;
  RowQuestion::State pass_;
  int count_ = 0;
};

/// The posterior in the form that a RowQuestion stores.
[[nodiscard]] RowQuestion::State::Posterior sent(const WeightMoments& at, double weight = 1);

/// What is known of the rows before the first pass.
struct KnownRows {
  Matrix cross;     ///< [q,q] X'diag(k)X in the units of the design
  Vector to_class;  ///< [q] X'diag(k)(t - share of the class)
  double weight = 0, share = 0;
  Index num_rows = 0;
};

/// What a pass of a logistic likelihood would say if all rows had these log odds, without a variance. The last column is the intercept.
[[nodiscard]] PassSums sums_of_equal_odds(const KnownRows& known, double log_odds);

/// The gain that is left if the steps shrink in length at least by the ratio of the last two:
/// the way to go is the sum of a geometric series. (PASS.4)
/// \param gain, before  nats that the next step and the last one promise
[[nodiscard]] inline double rest_of_steps(double gain, double before) {
  const double ratio = std::min(std::sqrt(gain / before), 0.997);
  return std::isfinite(ratio) ? gain / ((1 - ratio) * (1 - ratio)) : gain;
}

/// " ('x' most)": the column without a prior that changes the scores most in this step. Empty: there is none besides the intercept.
/// \param step  [q] of the weights
[[nodiscard]] std::string column_that_grows(const Frame& frame, const std::vector<Index>& flat, const Vector& step);

/// Where passes start.
using StartOfPasses = std::function<WeightMoments()>;

/// What passes over counts need besides, and the deviance of their result.
struct CountPasses {
  WeightMoments at_constant_rate;  ///< where they start if there is no better start
  CountTally scores = {};
  std::optional<double> log_dispersion = {};  ///< where ln k starts; none: Poisson
};

/// What passes of a regression with Student-t noise need besides. The question has the units of the target.                       (PASS.12)
struct NoisePasses {
  NoiseParameters at_zero;  ///< where they start if there is no better start
  NoiseParameters start;    ///< known after the start of the weights
  GammaDistribution prior;  ///< of tau
};

/// Under the priors shared, ard, groups and none.                                                          (PASS.4), (PASS.10), (PASS.12)
/// \param scores  of the result \param counts, noise  both null: the target has classes
[[nodiscard]] Solution solve_sweeps_by_passes(const Frame& frame, Passes& passes, const StartOfPasses& start, ClassTally& scores,
                                              CountPasses* counts = nullptr, NoisePasses* noise = nullptr);
/// Fits the columns without a prior alone. With Status::separated or Status::not_positive_definite,
/// there is no posterior, whatever the prior of the other columns is.
/// \param others  all other columns
[[nodiscard]] Solution solve_flat_by_passes(const Frame& frame, const std::vector<Index>& others, Passes& passes);
/// Under the priors sparse, slab and dense.                                                                                      (PASS.5)
[[nodiscard]] Solution solve_sparse_by_passes(Frame& frame, Passes& passes, const KnownRows& known, const StartOfPasses& start,
                                              ClassTally& scores);

}  // namespace ardvark::internal
