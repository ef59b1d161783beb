// The help of an option in the spelling of an interface.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "ardvark/model.hpp"

namespace ardvark::internal {

/// In the order in which help lists them.
constexpr OptionGroup option_groups[] = {OptionGroup::what,   OptionGroup::prior,   OptionGroup::posterior, OptionGroup::table,
                                         OptionGroup::sweeps, OptionGroup::machine, OptionGroup::others};

/// The help of the option table, with the models to which an option applies, unless it begins with them or all have it.
[[nodiscard]] std::string help_of(const ModelOption& option);

/// Replaces [name] and [name=value] in a text of the option table. \param spell  gets name and value; the value is "" if there is none
[[nodiscard]] std::string with_options_spelled(const std::string& text,
                                               const std::function<std::string(const std::string&, const std::string&)>& spell);

/// What serves instead of an option of another program, such as alpha of glmnet; empty: the name is not known.
/// \param spell  as in with_options_spelled
[[nodiscard]] std::string instead_of(std::string_view foreign,
                                     const std::function<std::string(const std::string&, const std::string&)>& spell);

}  // namespace ardvark::internal
