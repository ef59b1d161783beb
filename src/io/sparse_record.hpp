// What model files hold of a fit under a sparse prior.
#pragma once

#include <string>

#include "ardvark/fit.hpp"
#include "io/json.hpp"
#include "io/safetensors.hpp"
#include "posterior/mixture.hpp"

namespace ardvark::internal::io {

[[nodiscard]] Json describe(const SparseResult& sparse);
/// inclusion [p], which has its own array. \throws InvalidArgument  the description is not one
[[nodiscard]] SparseResult read_sparse(const Json& description, Vector inclusion, const std::string& path);

[[nodiscard]] Json describe(const Mixture& mixture);
void add_arrays(SafetensorsWriter& file, const std::string& prefix, const Mixture& mixture);
/// Of a design of so many columns. \throws InvalidArgument  sizes that do not fit, numbers that cannot be
[[nodiscard]] Mixture read_mixture(const SafetensorsReader& file, const std::string& prefix, const Json& description, Index num_columns);

}  // namespace ardvark::internal::io
