// What fits of rows in memory and fits of sums over rows share.
#pragma once

#include <vector>

#include "ardvark/model.hpp"

namespace ardvark::internal {

/// What a fit keeps of its options.
[[nodiscard]] SavedModel described(SavedModel model, const ModelOptions& options);
/// The encoding of a model whose columns are numbers.
[[nodiscard]] SavedModel with_encoding(SavedModel model);
void add_remarks(const Report& remarks, Report& report);

}  // namespace ardvark::internal
