// What a program that writes Parquet by Arrow says about its columns besides their types in Parquet.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ardvark::internal::io {

struct ArrowField {
  std::string name;
  bool is_duration = false;    ///< Parquet has no such type: the numbers are whole, in a unit that only this schema knows
  std::string extension = {};  ///< the name of its type if it is none of Arrow's own, such as "pandas.period"
};

/// The fields of a schema, in their order. \param base64  the value of "ARROW:schema" in the metadata of a file
/// \returns nothing if it is no schema; it may come from any program, so no byte of it is trusted
[[nodiscard]] std::vector<ArrowField> arrow_fields(std::string_view base64);

}  // namespace ardvark::internal::io
