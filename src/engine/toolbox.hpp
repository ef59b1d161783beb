// The presets of the SLR toolbox.                                                                              docs/math/slr.md
#pragma once

#include <string>

namespace ardvark {

[[nodiscard]] bool is_toolbox_preset(const std::string& preset);

}  // namespace ardvark
