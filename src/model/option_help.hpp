// The help of an option in the spelling of an interface.
#pragma once

#include <functional>
#include <string>

namespace ardvark::internal {

/// Replaces [name] and [name=value] in a text of the option table. \param spell  gets name and value; the value is "" if there is none
[[nodiscard]] std::string with_options_spelled(const std::string& text,
                                               const std::function<std::string(const std::string&, const std::string&)>& spell);

}  // namespace ardvark::internal
