// Options by name as JSON: {"prior": "ard", "max_sweeps": 100, "flat": [0, 3]}.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ardvark/model_file.hpp"
#include "io/json.hpp"

namespace ardvark::internal::io {

using OptionValues = std::vector<std::pair<std::string, OptionValue>>;

[[nodiscard]] Json json_of(const OptionValues& options);
/// \throws JsonError  a value is no text, number, or list of these
[[nodiscard]] OptionValues option_values_of(const Json& object);

}  // namespace ardvark::internal::io
