// What a fit says about its table: texts and names that may be not what they seem.
#pragma once

#include "ardvark/model.hpp"

namespace ardvark::internal {

/// Warnings: a text column that names the rows, or whose texts are numbers; row numbers among the columns. Notes: a text that may mean a
/// missing value. The texts are those of options.encoding and options.class_names.
[[nodiscard]] Report remarks_on_table(MatrixView X, const ModelOptions& options);

}  // namespace ardvark::internal
