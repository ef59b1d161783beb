// Whether a fit says something.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace ardvark::testing {

/// One of the texts holds the piece.
inline bool mentions(const std::vector<std::string>& texts, const std::string& piece) {
  return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) { return text.find(piece) != std::string::npos; });
}

}  // namespace ardvark::testing
