// Kernels and kernel machines in a model file.
#pragma once

#include <string>
#include <vector>

#include "ardvark/kernel_machine.hpp"
#include "io/json.hpp"
#include "io/safetensors.hpp"

namespace ardvark::internal::io {

[[nodiscard]] Json to_json(const KernelSpec& spec);
/// \throws InvalidArgument  it is no kernel of points with d inputs
[[nodiscard]] Kernel read_kernel(const Json& description, Index d, const std::string& path);

[[nodiscard]] Json describe(const KernelFit& fit);
/// The fit must exist until the file is written.
void add_arrays(SafetensorsWriter& file, const KernelFit& fit);
[[nodiscard]] KernelFit read_kernel_fit(const SafetensorsReader& file, const Json& description, std::vector<std::string> input_names);

}  // namespace ardvark::internal::io
