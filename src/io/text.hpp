// Text for people: that of the user's files as it may stand in a message, numbers, the columns of a table.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ardvark/fit.hpp"

namespace ardvark::internal::io {

/// True when the bytes are well-formed UTF-8.
[[nodiscard]] bool is_utf8(std::string_view text);

/// The text made fit for a message: at most 60 characters, control characters and bytes that are not UTF-8 as \xNN.
[[nodiscard]] std::string shown(std::string_view text);

/// The text with control characters and bytes that are not UTF-8 as \xNN.
[[nodiscard]] std::string printable(std::string_view text);

/// "'a', 'b', 'c'"; beyond 20 names "... and 5 more".
[[nodiscard]] std::string listed(const std::vector<std::string>& names);

/// "; did you mean 'type'?" where one of the names is nearly this one, else nothing.
[[nodiscard]] std::string did_you_mean(const std::string& name, const std::vector<std::string>& names);

/// A number for people: the digits that a standard deviation deserves, two of its own, so at most 4 significant ones of anything near it.
[[nodiscard]] std::string number(double x);

/// Width on the screen of UTF-8 text, one column a character.
[[nodiscard]] std::size_t width(std::string_view text);

/// The text, with blanks behind it up to this width.
[[nodiscard]] std::string padded(const std::string& text, std::size_t to);

/// What a summary says behind the label of the bound: it and what it may be compared with, or that it may not.                   (CMP.3)
[[nodiscard]] std::string bound_in_words(double bound, PriorKind prior, BoundScope scope);

}  // namespace ardvark::internal::io
