// Predictions of kernel machines that are Gaussian processes.                                                 docs/math/process.md (KM.6)
#pragma once

#include "ardvark/kernel_machine.hpp"
#include "predict/one_class.hpp"

namespace ardvark::internal {

/// The results of predict(), for a fit whose task is known.
[[nodiscard]] TMixturePrediction mixture_prediction(const KernelFit& fit, MatrixView X_new, PredictionOf what);
[[nodiscard]] ClassProbabilities class_probabilities(const KernelFit& fit, MatrixView X_new);

/// The results of predict_joint() and draw() for each process; `what` is only read by regressions.
[[nodiscard]] std::vector<JointPrediction> joint_predictions(const KernelFit& fit, MatrixView X_new, PredictionOf what);
[[nodiscard]] std::vector<Matrix> joint_draws(const KernelFit& fit, MatrixView X_new, Index num_draws, std::uint64_t seed,
                                              PredictionOf what);

/// Mean of the function, or of the score, of one process.
[[nodiscard]] Vector function_mean(const KernelFit& fit, std::size_t process, MatrixView X);

/// Sets odds_power, accuracy and log_loss of three classes or more.                                                                (KM.12)
/// \param total_weight  of the rows of the sums
void take_power(const PowerSums& sums, double total_weight, KernelFit& fit);
/// Sets r_squared, or odds_power, accuracy and log_loss, and the standard deviations of noise and signal. \param k  [n] observation weights
void describe_rows(MatrixView X, VectorView target, const Vector& k, KernelFit& fit);

}  // namespace ardvark::internal
