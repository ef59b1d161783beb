// The lambda of a Laplace prior by cross-validation.                                                              docs/math/l1.md (L1.12)
#pragma once

#include <functional>

#include "ardvark/fit.hpp"
#include "frame/frame.hpp"

namespace ardvark::internal {

/// Options whose prior has a lambda, and how it was chosen.
struct ChosenLambda {
  FitOptions options;
  std::optional<LambdaChoice> choice = {};
  std::string note = {}, warning = {};
};
/// [lambdas] mean loss of the rows of a fold, and their weight.
struct FoldLoss {
  Vector loss;
  double weight = 0;
  Index num_unfinished = 0;  ///< fits that have not converged
};

/// The rows that a cross-validation divides.
struct DividedRows {
  int count = 0;                                             ///< of folds
  std::function<LambdaPath(const FitOptions&)> path_of_all;  ///< of all rows, for all lambdas
  /// The loss of a fold after fits to the other rows. May be called from several threads at once.
  std::function<FoldLoss(int fold, const Vector& lambda, FitOptions options)> test;
};
/// The choice from the path of all rows and the losses of the folds.
[[nodiscard]] ChosenLambda chosen_lambda(FitOptions options, LambdaPath path, const std::vector<FoldLoss>& losses);
/// The choice that the caller has stopped: the options of a fit that stops after its first step.
[[nodiscard]] ChosenLambda stopped_choice(FitOptions options, double lambda_max);

/// The same for rows that are divided already: `divided` is called only if lambda must be chosen.
[[nodiscard]] ChosenLambda with_chosen_lambda(FitOptions options, const std::function<DividedRows()>& divided);
/// How many fits of the path have not converged.
[[nodiscard]] Index count_unfinished(const LambdaPath& path);

/// As given, if the prior is not a Laplace prior or has a lambda. Otherwise lambda is chosen. If the caller stops the choice, the options
/// are those of a fit that stops after its first step.
/// \param y  the target of the frame, as the caller gives it
/// \throws InvalidArgument  too few rows for a cross-validation; no column has information about the target
[[nodiscard]] ChosenLambda with_chosen_lambda(const Frame& frame, VectorView y);
/// Writes down in the fit with this lambda how it was chosen.
void take_choice(ChosenLambda lambda, Fit& fit);

}  // namespace ardvark::internal
