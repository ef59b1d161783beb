// What the messages about a file of CSV advise, in the words of those who read them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ardvark/table.hpp"

namespace ardvark::internal::io {

/// After "leave it out": ": --ignore 'Unnamed: 0'".
[[nodiscard]] std::string way_to_ignore(Advice advice, const std::string& column);
/// " (to read the column as text: --categorical 'bmi')".
[[nodiscard]] std::string way_to_text(Advice advice, const std::string& column);
/// After what was found in the file: " (--delimiter)".
[[nodiscard]] std::string option_of_form(Advice advice, const char* name);
/// After "; if ';' separates the fields, ": "set it (--delimiter ';')".
[[nodiscard]] std::string way_to_split(Advice advice, char delimiter);
/// "use --decimal ,".
[[nodiscard]] std::string way_to_read_commas(Advice advice, const char* in_the_shell = "use --decimal ,");
/// "use --missing-marker='OVER' and --missing drop". \param texts  empty: too many for a message
/// \param drop  of the command line
[[nodiscard]] std::string way_to_mark(Advice advice, std::span<const std::string_view> texts, const char* drop);

}  // namespace ardvark::internal::io
