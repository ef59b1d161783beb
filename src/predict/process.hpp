// Predictions of kernel machines that are Gaussian processes.                                                 docs/math/process.md (KM.6)
#pragma once

#include "ardvark/kernel_machine.hpp"

namespace ardvark::internal {

/// The results of predict(), for a fit whose task is known.
[[nodiscard]] TMixturePrediction mixture_prediction(const KernelFit& fit, MatrixView X_new, PredictionOf what);
[[nodiscard]] ClassProbabilities class_probabilities(const KernelFit& fit, MatrixView X_new);

/// From the probabilities of independent answers, one for each class, to those given that exactly one of them is yes.             (KM.5)
/// \param probability  [rows, classes]
void given_one_class(Matrix& probability);

/// The results of predict_joint() and draw() for each process; `what` is only read by regressions.
[[nodiscard]] std::vector<JointPrediction> joint_predictions(const KernelFit& fit, MatrixView X_new, PredictionOf what);
[[nodiscard]] std::vector<Matrix> joint_draws(const KernelFit& fit, MatrixView X_new, Index num_draws, std::uint64_t seed,
                                              PredictionOf what);

/// Mean of the function, or of the score, of one process at the rows of each table.
[[nodiscard]] std::vector<Vector> function_means(const KernelFit& fit, std::size_t process, const std::vector<Matrix>& tables);

/// Sets r_squared or accuracy and log_loss, and the standard deviations of noise and signal. \param k  [n] observation weights
void describe_rows(MatrixView X, VectorView target, const Vector& k, KernelFit& fit);

}  // namespace ardvark::internal
