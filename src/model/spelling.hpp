// Options in messages of the library, in the spelling of other languages.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace ardvark::internal {

enum class Language { python, octave };

/// Writes each option in a text, such as "--prior shared --a0 1", as in a language: prior='shared', a0=1 (Python) or
/// 'prior', 'shared', 'a0', 1 (Octave).
/// \param renamed  options with another name in that interface
[[nodiscard]] std::string spelled_in(Language language, std::string_view text, const std::map<std::string, std::string>& renamed = {});

}  // namespace ardvark::internal
