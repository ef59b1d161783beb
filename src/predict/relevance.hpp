// Predictions of relevance vector machines.                                                        docs/math/relevance.md (VR.4), (RVM.6)
#pragma once

#include "ardvark/relevance.hpp"

namespace ardvark::internal {

/// Sets accuracy and log_loss of the training rows by predict(). \param labels  those of the fit
void describe_rows(MatrixView X, VectorView labels, const Vector& k, RelevanceClassification& fit);

/// The results of predict() and predict_mixture(), for machines whose task is known.
[[nodiscard]] StudentPrediction student_prediction(const RelevanceFit& fit, MatrixView X_new, PredictionOf what);
[[nodiscard]] NoiseMixturePrediction noise_mixture_prediction(const RelevanceFit& fit, MatrixView X_new);
[[nodiscard]] ClassProbabilities class_probabilities(const RelevanceFit& fit, MatrixView X_new, PredictiveRule rule);

/// Whether the kernel falls to 0 with the distance in every direction.
[[nodiscard]] bool falls_with_distance(const Kernel& kernel);

/// [rows, vectors] the kernel between the rows of X and the relevance vectors.
[[nodiscard]] Matrix kernel_columns(const RelevanceFit& fit, MatrixView X);

}  // namespace ardvark::internal
