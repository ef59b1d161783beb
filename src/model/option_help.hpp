// The help of an option as an interface spells it.
#pragma once

#include <functional>
#include <string>

namespace ardvark::internal {

/// A text of the table of options, in which [name] and [name=value] stand for options. `spell` gets name and value; "" if there is none.
[[nodiscard]] std::string with_options_spelled(const std::string& text,
                                               const std::function<std::string(const std::string&, const std::string&)>& spell);

}  // namespace ardvark::internal
