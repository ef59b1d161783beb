// Text of the user's files, as it may stand in a message.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ardvark::io {

/// True when the bytes are well-formed UTF-8.
[[nodiscard]] bool is_utf8(std::string_view text);

/// The text made fit for a message: at most 60 characters, control characters and bytes that are not UTF-8 as \xNN.
[[nodiscard]] std::string shown(std::string_view text);

/// "'a', 'b', 'c'"; beyond 20 names "... and 5 more".
[[nodiscard]] std::string listed(const std::vector<std::string>& names);

}  // namespace ardvark::io
