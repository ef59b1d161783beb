// Numbers in texts, and what looks like them.
#pragma once

#include <string_view>

#include "io/table_rows.hpp"

namespace ardvark::internal::io {

/// Without blanks and tabs at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// Reads the whole text as a number, independent of the locale. Overflow gives infinity, underflow 0.
[[nodiscard]] bool parse_number(std::string_view text, double& value);

/// Of a text that is no number.
[[nodiscard]] Comma comma_in(std::string_view text);

}  // namespace ardvark::internal::io
