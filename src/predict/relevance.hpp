// Predictions of relevance vector machines.                                                        docs/math/relevance.md (VR.4), (RVM.6)
#pragma once

#include "ardvark/relevance.hpp"

namespace ardvark::internal {

/// accuracy and log_loss of the training rows, labels as the fit had them, from predict().
void describe_rows(MatrixView X, VectorView labels, const Vector& k, RelevanceClassification& fit);

/// What predict() and predict_mixture() give, of machines whose task is known.
[[nodiscard]] StudentPrediction student_prediction(const RelevanceFit& fit, MatrixView X_new, PredictionOf what);
[[nodiscard]] NoiseMixturePrediction noise_mixture_prediction(const RelevanceFit& fit, MatrixView X_new);
[[nodiscard]] ClassProbabilities class_probabilities(const RelevanceFit& fit, MatrixView X_new, PredictiveRule rule);

/// The kernel at the relevance vectors. [rows, vectors]
[[nodiscard]] Matrix kernel_columns(const RelevanceFit& fit, MatrixView X);

}  // namespace ardvark::internal
