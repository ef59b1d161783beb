// A SoftmaxFit in a model file.
#pragma once

#include <nlohmann/json.hpp>

#include "ardvark/softmax.hpp"
#include "io/safetensors.hpp"

namespace ardvark::io {

[[nodiscard]] nlohmann::json describe(const SoftmaxFit& fit);
/// The fit must hold a posterior, and live until the file is written.
void add_arrays(SafetensorsWriter& file, const SoftmaxFit& fit);

/// \throws nlohmann::json::exception or InvalidArgument  the file holds something else
[[nodiscard]] SoftmaxFit read_softmax(const SafetensorsReader& file, const nlohmann::json& description,
                                      std::vector<std::string> column_names);

}  // namespace ardvark::io
