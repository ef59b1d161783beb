// Lists and vectors of many columns in a model file: by runs and by entries, so that they take room for what differs, not for each column.
#pragma once

#include <string>
#include <vector>

#include "ardvark/types.hpp"
#include "io/json.hpp"
#include "io/safetensors.hpp"

namespace ardvark::internal::io {

/// Files with more columns have these forms; to programs of before, a file with fewer columns is what it was.
inline constexpr std::size_t many_columns = 1000;

/// {"runs": [first, step, length, ...]}: each run is first, first + step, ..., with a step of 0 or 1. A list that is short, or that runs do
/// not make shorter, stays a list. Flags are the numbers 0 and 1.
[[nodiscard]] Json by_runs(const std::vector<Index>& numbers);
[[nodiscard]] Json by_runs(const std::vector<bool>& flags);
/// Of a list in either form. \throws JsonError  it is no such list, or longer than `most`
[[nodiscard]] std::vector<Index> whole_numbers_of(const Json& list, Index most);
[[nodiscard]] std::vector<bool> flags_of(const Json& list, Index most);

/// A vector as two arrays if that is shorter: NAME.column holds the size and the positions of the entries that differ from the most
/// frequent number, NAME.value this number and the entries. Otherwise the array NAME.
void add_by_entries(SafetensorsWriter& file, const std::string& name, const Vector& v);
/// In either form. \throws InvalidArgument  it has more than `most` entries; there is no such array; its entries are none
[[nodiscard]] Vector vector_of_entries(const SafetensorsReader& file, const std::string& name, Index most);

}  // namespace ardvark::internal::io
