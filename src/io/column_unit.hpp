// By what the columns of a fit were scaled, which is the unit of its standardised coefficients.
#pragma once

#include <string>

#include "ardvark/linear.hpp"
#include "ardvark/softmax.hpp"

namespace ardvark::internal::io {

enum class ColumnUnit {
  own,          ///< they were not scaled
  deviation,    ///< their standard deviation
  mean_square,  ///< without an intercept: their root mean square
  largest,      ///< presets with compat: their largest distance from the mean
};
[[nodiscard]] ColumnUnit column_unit(const Fit& fit);
[[nodiscard]] ColumnUnit column_unit(const SoftmaxFit& fit);

/// "standard deviation of the column"; brief: "sd of the column".
[[nodiscard]] std::string in_words(ColumnUnit unit, bool brief);
/// Whether the target of a regression was scaled, too: by its standard deviation, or without an intercept by its root mean square.
[[nodiscard]] bool has_scaled_target(const Fit& fit);

}  // namespace ardvark::internal::io
