// Results as JSON for programs: every double with the digits that bring it back exactly; infinities and NaN as null.
#pragma once

#include <nlohmann/json.hpp>

#include "ardvark/fit.hpp"
#include "ardvark/relevance.hpp"
#include "ardvark/softmax.hpp"

namespace ardvark::cli {

using Json = nlohmann::ordered_json;
[[nodiscard]] Json to_json(const Vector& v);
/// The objects that `fit --json` prints.
[[nodiscard]] Json fit_json(const Fit& fit, double level, bool covariance);
[[nodiscard]] Json fit_json(const RelevanceFit& fit, double level);
[[nodiscard]] Json fit_json(const SoftmaxFit& fit, double level);

}  // namespace ardvark::cli
