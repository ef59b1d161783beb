// Whether a note or warning of a fit contains a text.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace ardvark::testing {

/// Whether one of the texts contains the piece.
inline bool mentions(const std::vector<std::string>& texts, const std::string& piece) {
  return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) { return text.find(piece) != std::string::npos; });
}

}  // namespace ardvark::testing
