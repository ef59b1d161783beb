// A SoftmaxFit in a model file.
#pragma once

#include "ardvark/softmax.hpp"
#include "io/json.hpp"
#include "io/safetensors.hpp"

namespace ardvark::internal::io {

[[nodiscard]] Json describe(const SoftmaxFit& fit);
/// The fit must hold a posterior, and must exist until the file is written.
void add_arrays(SafetensorsWriter& file, const SoftmaxFit& fit);

/// \throws JsonError or InvalidArgument  the file holds something else
[[nodiscard]] SoftmaxFit read_softmax(const SafetensorsReader& file, const Json& description, std::vector<std::string> column_names);

}  // namespace ardvark::internal::io
