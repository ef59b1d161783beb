// One class against the others under a Laplace prior, with rows that are not in memory.                      docs/math/passes.md (PASS.9)
#pragma once

#include <functional>
#include <vector>

#include "method/l1/lambda_choice.hpp"
#include "passes/passes.hpp"

namespace ardvark::internal {

/// Where passes start: weights in the units of the design for each lambda, falling, [q, lambdas]. Empty: there is no such fit.
using StartOfPath = std::function<Matrix(const std::vector<double>& lambdas)>;

struct LassoByPasses {
  Solution solution;
  ChosenLambda lambda;  ///< as given, or chosen by cross-validation                                                             (L1.12)
};
/// \param scores  of the result
[[nodiscard]] LassoByPasses solve_lasso_by_passes(Frame frame, Passes& passes, const KnownRows& known, const StartOfPath& start,
                                                  ClassTally& scores);

}  // namespace ardvark::internal
