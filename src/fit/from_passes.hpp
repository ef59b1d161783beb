// Fits of two classes whose rows are not in memory.                                                          docs/math/passes.md
#pragma once

#include <string>
#include <vector>

#include "passes/first_look.hpp"

namespace ardvark::internal {

/// The fit of one class against all others.
struct ClassFit {
  LogisticFit fit;
  RowQuestion::State question;  ///< of its passes, without posteriors
  int passes = 0;
  std::string start;  ///< where the passes began, for a note; empty: without a sample
};
/// \param classes  the names of the others and of this class
[[nodiscard]] ClassFit fit_class(const FirstLook& look, double own_label, std::vector<std::string> classes, const FitOptions& options,
                                 AskSums ask);

}  // namespace ardvark::internal
