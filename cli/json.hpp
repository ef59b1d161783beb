// Results as JSON for programs: every double with the digits that bring it back exactly; infinities and NaN as null.
#pragma once

#include <nlohmann/json.hpp>

#include "ardvark/fit.hpp"

namespace ardvark::cli {

using Json = nlohmann::ordered_json;
[[nodiscard]] Json to_json(const Vector& v);
/// The object that `fit --json` prints.
[[nodiscard]] Json fit_json(const Fit& fit, double level, bool covariance);

}  // namespace ardvark::cli
