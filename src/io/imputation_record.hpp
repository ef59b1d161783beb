// The part of a model file for a fit to a table with gaps.
#pragma once

#include "ardvark/impute.hpp"
#include "io/json.hpp"
#include "io/safetensors.hpp"

namespace ardvark::internal::io {

[[nodiscard]] Json describe(const Imputation& imputation);
void add_arrays(SafetensorsWriter& file, const Imputation& imputation);
/// For the columns that this encoding makes. \throws InvalidArgument  sizes do not fit together, or numbers are invalid
[[nodiscard]] Imputation read_imputation(const SafetensorsReader& file, const Json& description, const FeatureEncoding& encoding);

}  // namespace ardvark::internal::io
