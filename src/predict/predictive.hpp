// What predictions are made from, m = x'w and s = x'Vx, and the published logistic ones.                     docs/math/predictive.md
#pragma once

#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "posterior/mixture.hpp"

namespace ardvark::internal {

/// What `automatic` stands for in this fit: VBLinLogit publishes its own rule; every other program plugs the mean in, and the exact one
/// takes its place, but with compat.
[[nodiscard]] PredictiveRule resolved(PredictiveRule rule, const Fit& fit);

/// Of a score that is N(m, s): the probability of the second class. \param rule  exact, plug_in, plug_in_corrected or published_row
[[nodiscard]] double class_probability(PredictiveRule rule, double m, double s);

/// ln of the probability of the second class (sign = 1), or of the first (-1), with its digits where the other one rounds to 1. The
/// published bound leaves the first class the rest, of which no more is known than that 1 rounds to: at least 2^-53.
[[nodiscard]] double log_class_probability(PredictiveRule rule, double m, double s, double sign);

/// The same two of row i under a mixture of scores.                                                                              (SP.8)
[[nodiscard]] double class_probability(const Mixture& mixture, const ComponentMoments& moments, Index i);
[[nodiscard]] double log_class_probability(const Mixture& mixture, const ComponentMoments& moments, Index i, double sign);

/// m and s (if not null) of each new row, in the design's units.
/// \throws InvalidArgument if the table is not the fit's, or the fit kept nothing to predict from
void predictive_moments(const Fit& fit, MatrixView X_new, Vector& m, Vector* s);

/// [m,2] ln of the probability of each class of new rows, by the rule of predict(), `automatic`, with the digits of log_class_probability.
/// \throws InvalidArgument  as predictive_moments
[[nodiscard]] Matrix log_class_probabilities(const Fit& fit, MatrixView X_new);

/// What predict() and predict_mixture() give, of a fit whose task is known.
[[nodiscard]] StudentPrediction student_prediction(const Fit& fit, MatrixView X_new, PredictionOf what);
[[nodiscard]] NoiseMixturePrediction noise_mixture_prediction(const Fit& fit, MatrixView X_new);
[[nodiscard]] ClassPrediction class_prediction(const Fit& fit, MatrixView X_new, PredictiveRule rule);

/// From m, s and w'V^-1 w, each row by itself: the published bound on p(+1). With `published_stop` the stop rule of vb_logit_pred_incr
/// (1e-5 on a sum that holds w'V^-1 w), otherwise until the bound itself settles.                                        (PRED.1)
double published_probability(double m, double s, double quadratic, bool published_stop);

/// All rows together, with the stop rule of vb_logit_pred.
void published_probabilities(const Vector& m, const Vector& s, double quadratic, Vector& out);

}  // namespace ardvark::internal
