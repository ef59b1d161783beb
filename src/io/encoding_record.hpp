// How the columns of a table become those of X, in the description of a file.
#pragma once

#include "ardvark/table.hpp"
#include "io/json.hpp"

namespace ardvark::internal::io {

/// \param counts_names  many names such as x1, x2, ... are written as a prefix, the first number and their count
void add_encoding(Json& description, const FeatureEncoding& encoding, bool counts_names = false);
/// \param most  counted names: a short text could ask for any number of columns
/// \throws JsonError  the description is not one that add_encoding() makes
[[nodiscard]] FeatureEncoding read_encoding(const Json& description, Index most = 0);

}  // namespace ardvark::internal::io
