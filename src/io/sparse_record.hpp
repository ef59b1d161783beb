// The part of a model file for a fit with a sparse prior.
#pragma once

#include <string>

#include "ardvark/fit.hpp"
#include "io/json.hpp"
#include "io/safetensors.hpp"
#include "posterior/mixture.hpp"

namespace ardvark::internal::io {

[[nodiscard]] Json describe(const SparseResult& sparse);
/// \param inclusion  [p], stored as an array of its own. \throws InvalidArgument  the description is invalid
[[nodiscard]] SparseResult read_sparse(const Json& description, Vector inclusion, const std::string& path);

[[nodiscard]] Json describe(const Mixture& mixture);
void add_arrays(SafetensorsWriter& file, const std::string& prefix, const Mixture& mixture);
/// For a design with so many columns. \throws InvalidArgument  sizes do not fit together, or numbers are invalid
[[nodiscard]] Mixture read_mixture(const SafetensorsReader& file, const std::string& prefix, const Json& description, Index num_columns);

}  // namespace ardvark::internal::io
