// Numbers in texts, whose decimal mark may be a comma, and what looks like them.
#pragma once

#include <string_view>

#include "io/table_rows.hpp"

namespace ardvark::internal::io {

/// Without blanks and tabs at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// Reads the whole text as a number, independent of the locale. Overflow gives infinity, underflow 0.
[[nodiscard]] bool parse_number(std::string_view text, double& value);

/// Of a text that is no number.
[[nodiscard]] Comma comma_in(std::string_view text, Advice advice = Advice::command_line);
/// "1,5", and not "1,234", where the comma may stand between thousands.
[[nodiscard]] bool has_clear_comma(std::string_view text);

/// Reads the whole text as a number with this decimal mark, '.' or ','. The other mark is no part of a number.
[[nodiscard]] bool read_number(std::string_view text, char decimal, double& value);

/// What the other mark in a text means that is no number.
[[nodiscard]] Comma other_mark_in(std::string_view text, char decimal, Advice advice);

/// Whether the fraction of a number has this mark without doubt: not as in 1,234, where it may stand between thousands.
[[nodiscard]] bool has_clear_mark(std::string_view text, char decimal);

}  // namespace ardvark::internal::io
