// Predictions of any form of X as results of the C interface.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capi/arguments.hpp"
#include "core/refusals.hpp"

namespace ardvark::internal::capi {

[[nodiscard]] inline double level_of(const ardvark_options* options) {
  const double level = options == nullptr ? ModelOptions().level : options->options.level;
  if (!(level > 0 && level < 1)) throw wrong("level", level, "it must lie between 0 and 1");
  return level;
}

// \param target  [rows] or null: then without densities
template <typename View>
[[nodiscard]] auto prediction_of(const ardvark_model* model, const View& X, const double* target, const ardvark_options* options) {
  const auto fit = required(model, "model").model;
  const CallOptions asked(options);
  const ModelOptions& all = asked.values;
  const double level = level_of(options);
  if (target != nullptr && all.interval != "new")
    throw wrong("interval", all.interval, "with a target it must be new, because the density is that of a new observation");
  const auto prediction = std::make_shared<const Prediction>(predict(*fit, X, all));
  std::optional<Vector> density;
  if (target != nullptr) density = log_density(*prediction, VectorView(target, X.rows()));
  std::vector<std::string> warnings;
  if constexpr (std::is_same_v<View, MatrixView>) warnings = warnings_of_prediction(*fit, X);  // of kernel machines
  return [fit, prediction, level, density, warnings](Fields& out) {
    visit(*prediction, classes_of(*fit), level, out);
    out.put("warnings", Json(warnings));
    if (density) out.put("log_density", *density);
  };
}

}  // namespace ardvark::internal::capi
