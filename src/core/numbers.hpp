// The numbers of a table under their own type, for loops that are compiled once for each type.
#pragma once

#include "ardvark/types.hpp"

namespace ardvark::internal {

/// Calls f(T{}) with the type of the numbers: double, float or std::int8_t.
decltype(auto) with_scalar(ScalarType scalar, auto&& f) {
  switch (scalar) {
    case ScalarType::float64: return f(double{});
    case ScalarType::float32: return f(float{});
    case ScalarType::int8: break;
  }
  return f(std::int8_t{});
}

/// Calls f(rows, values) with the arrays of the entries under their own types.
decltype(auto) with_entries(const CscView& X, auto&& f) {
  return with_scalar(X.scalar(), [&](auto of_type) {
    const auto* values = static_cast<const decltype(of_type)*>(X.value_data());
    return X.is_wide() ? f(static_cast<const std::int64_t*>(X.row_data()), values)
                       : f(static_cast<const std::int32_t*>(X.row_data()), values);
  });
}

}  // namespace ardvark::internal
