// Options in sentences of the library, as the users of other languages write them.
#pragma once

#include <string>
#include <string_view>

namespace ardvark {

enum class Language { python, octave };

/// The text with each option that it names, as "--prior shared --a0 1", in the words of a language: prior='shared', a0=1 or
/// 'prior', 'shared', 'a0', 1.
[[nodiscard]] std::string spelled_in(Language language, std::string_view text);

}  // namespace ardvark
