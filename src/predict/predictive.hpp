// The moments of predictions, m = x'w and s = x'Vx, and the published logistic predictions.                     docs/math/predictive.md
#pragma once

#include <utility>

#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "posterior/mixture.hpp"
#include "table/fit_table.hpp"

namespace ardvark::internal {

/// The two ends of the central interval of each row, of any prediction of a regression.
std::pair<Vector, Vector> interval_of(const auto& p, double level) {
  if constexpr (requires { p.interval(level); }) {
    return p.interval(level);
  } else {
    const Vector half = p.half_width(level);
    return {p.mean - half, p.mean + half};
  }
}

/// The rule behind `automatic` for this fit: VBLinLogit has its own published rule. All other programs plug in the mean; here the exact
/// rule replaces it, except with compat.
[[nodiscard]] PredictiveRule resolved(PredictiveRule rule, const Fit& fit);

/// The probability of the second class if the score is N(m, s). \param rule  exact, plug_in, plug_in_corrected or published_row
[[nodiscard]] double class_probability(PredictiveRule rule, double m, double s);

/// ln of the probability of the second class (sign = 1) or of the first (-1). It keeps its digits if the other probability rounds to 1.
/// With the published bound, the first class gets the rest, which rounding limits to at least 2^-53.
[[nodiscard]] double log_class_probability(PredictiveRule rule, double m, double s, double sign);

/// The same two functions for row i if the score is a mixture.                                                                   (SP.8)
[[nodiscard]] double class_probability(const Mixture& mixture, const ComponentMoments& moments, Index i);
[[nodiscard]] double log_class_probability(const Mixture& mixture, const ComponentMoments& moments, Index i, double sign);

/// Mean and variance of the score of each new row under each part of a mixture.                                           (SP.7), (SP.8)
[[nodiscard]] ComponentMoments component_moments(const Fit& fit, const FitTable& X_new);

/// m and s (if not null) of each new row, in the design's units.
/// \throws InvalidArgument  the table does not match the fit, or the fit has nothing to predict from
void predictive_moments(const Fit& fit, const FitTable& X_new, Vector& m, Vector* s);

/// [m,2] ln of the probability of each class for new rows, by the `automatic` rule of predict(), with the digits of log_class_probability.
/// \throws InvalidArgument  as predictive_moments
[[nodiscard]] Matrix log_class_probabilities(const Fit& fit, const FitTable& X_new);

/// The results of predict() and predict_mixture(), for a fit whose task is known.
[[nodiscard]] StudentPrediction student_prediction(const Fit& fit, const FitTable& X_new, PredictionOf what);
[[nodiscard]] NoiseMixturePrediction noise_mixture_prediction(const Fit& fit, MatrixView X_new);
[[nodiscard]] ClassPrediction class_prediction(const Fit& fit, const FitTable& X_new, PredictiveRule rule);

/// The published bound on p(+1) for a single row, from m, s and w'V^-1 w. With `published_stop`, the stop rule of vb_logit_pred_incr (1e-5
/// on a sum that contains w'V^-1 w); otherwise, it stops when the bound itself is constant.                                    (PRED.1)
double published_probability(double m, double s, double quadratic, bool published_stop);

/// The same for all rows together, with the stop rule of vb_logit_pred.
void published_probabilities(const Vector& m, const Vector& s, double quadratic, Vector& out);

}  // namespace ardvark::internal
