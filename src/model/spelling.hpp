// Options in sentences of the library, as the users of other languages write them.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace ardvark::internal {

enum class Language { python, octave };

/// The text with each option that it names, as "--prior shared --a0 1", in the words of a language: prior='shared', a0=1 or
/// 'prior', 'shared', 'a0', 1.
/// \param renamed  options that the reader's interface calls something else
[[nodiscard]] std::string spelled_in(Language language, std::string_view text, const std::map<std::string, std::string>& renamed = {});

}  // namespace ardvark::internal
