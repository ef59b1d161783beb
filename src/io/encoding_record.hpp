// How the columns of a table become those of X, in the description of a file.
#pragma once

#include "ardvark/table.hpp"
#include "io/json.hpp"

namespace ardvark::internal::io {

void add_encoding(Json& description, const FeatureEncoding& encoding);
/// \throws JsonError  the description is not one that add_encoding() makes
[[nodiscard]] FeatureEncoding read_encoding(const Json& description);

}  // namespace ardvark::internal::io
