// A relevance vector machine in a model file: its relevance vectors and kernel, and the Fit of each machine.
#pragma once

#include <string>
#include <vector>

#include "ardvark/relevance.hpp"
#include "io/json.hpp"
#include "io/safetensors.hpp"

namespace ardvark::internal::io {

/// \throws InvalidArgument  a kernel that cannot be stored
[[nodiscard]] Json describe(const RelevanceFit& fit);
/// Each machine must hold a posterior; the fit must exist until the file is written.
void add_arrays(SafetensorsWriter& file, const RelevanceFit& fit);

/// \throws JsonError or InvalidArgument  the file holds something else
[[nodiscard]] RelevanceFit read_relevance(const SafetensorsReader& file, const Json& description, std::vector<std::string> input_names);

}  // namespace ardvark::internal::io
