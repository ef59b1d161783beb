// JSON that came from outside, read into a tree that takes no more memory than it should.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "ardvark/types.hpp"

namespace ardvark::io {

/// The tree of this text. A tree may take 60 times its text ("[[],[],..."), so it is counted while it grows.
/// \throws nlohmann::json::exception  the text is no JSON
/// \throws InvalidArgument            the tree would take more than `most_bytes`; \param name  of what it is, for the message
[[nodiscard]] nlohmann::json bounded_json(const std::string& text, std::size_t most_bytes, const std::string& name);

/// Whether it is this text. The library's own comparison makes a copy of the text where no exception may leave: without memory it ends the
/// program.
[[nodiscard]] bool is_text(const nlohmann::json& value, std::string_view text);

/// A whole number, or a list of them. \throws nlohmann::json::exception  it is anything else, or beyond 2^53
[[nodiscard]] Index whole_number(const nlohmann::json& value);
[[nodiscard]] std::vector<Index> whole_numbers(const nlohmann::json& list);

}  // namespace ardvark::io
