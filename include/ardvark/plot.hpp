// A fit as a drawing of characters, for a terminal.
#pragma once

#include <string>

#include "ardvark/model.hpp"

namespace ardvark {

/// Coefficients with their intervals, the largest first, or the curves of a kernel machine: ASCII without colour, at most `width`
/// characters a line. Coefficients are per standard deviation of the column (and of a linear target), where the fit scales columns. \param
/// width  >= 20 \param level  of the intervals, in (0, 1) \throws InvalidArgument  one of them is out of range
[[nodiscard]] std::string drawing(const SavedModel& model, int width = 80, double level = 0.95);

}  // namespace ardvark
