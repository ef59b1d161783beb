// The help of an option in the spelling of an interface.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace ardvark::internal {

/// Replaces [name] and [name=value] in a text of the option table. \param spell  gets name and value; the value is "" if there is none
[[nodiscard]] std::string with_options_spelled(const std::string& text,
                                               const std::function<std::string(const std::string&, const std::string&)>& spell);

/// What serves instead of an option of another program, such as alpha of glmnet; empty: the name is not known.
/// \param spell  as in with_options_spelled
[[nodiscard]] std::string instead_of(std::string_view foreign,
                                     const std::function<std::string(const std::string&, const std::string&)>& spell);

}  // namespace ardvark::internal
