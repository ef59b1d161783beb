// Errors of an argument or option that is wrong, with their fields.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "ardvark/errors.hpp"

namespace ardvark::internal {

/// "NAME is VALUE; WHY". A text is shown in quotes.
template <typename Value>
[[nodiscard]] InvalidArgument wrong(std::string name, const Value& value, const std::string& why) {
  const std::string text = fmt::format("{}", value);
  if constexpr (std::is_convertible_v<const Value&, std::string_view>)
    return {{.argument = std::move(name), .value = text, .why = why}, fmt::format(" is '{}'; {}", text, why)};
  else
    return InvalidArgument({.argument = std::move(name), .value = text, .why = why});
}

/// "NAME WHY".
[[nodiscard]] inline InvalidArgument refused(std::string name, std::string why) {
  return InvalidArgument({.argument = std::move(name), .why = std::move(why)});
}

/// "NAME 'VALUE' WHY".
[[nodiscard]] inline InvalidArgument refused(std::string name, std::string_view value, const std::string& why) {
  return {{.argument = std::move(name), .value = std::string(value), .why = why}, fmt::format(" '{}' {}", value, why)};
}

/// "NAME has SIZE entries; WHY".
[[nodiscard]] InvalidArgument wrong_size(std::string name, auto size, const std::string& why) {
  return {{.argument = std::move(name), .value = fmt::format("{}", size), .why = why}, fmt::format(" has {} entries; {}", size, why)};
}

/// "column 'NAME' WHY; REMEDY".
[[nodiscard]] inline InvalidArgument wrong_column(const std::string& name, const std::string& why, const std::string& remedy = {}) {
  return {{.column = name, .why = why, .remedy = remedy}, fmt::format("column '{}' {}", name, why)};
}

}  // namespace ardvark::internal
