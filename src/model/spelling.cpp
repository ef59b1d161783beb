#include "model/spelling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "ardvark/model.hpp"

namespace ardvark::internal {
namespace {

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// The length of the first word of the text: letters, digits and the joints between them.
std::size_t word_length(std::string_view text, std::string_view joints) {
  std::size_t end = 0;
  while (end < text.size() && (is_word(text[end]) || (joints.find(text[end]) != std::string_view::npos && end > 0 &&
                                                      end + 1 < text.size() && is_word(text[end + 1]))))
    ++end;
  return end;
}

bool is_flag(std::string_view name) {
  return std::any_of(model_options().begin(), model_options().end(), [&](const ModelOption& option) {
    return option.name == name && std::holds_alternative<bool ModelOptions::*>(option.member);
  });
}

std::string argument(Language language, const std::string& name, std::string_view value) {
  const bool is_number = !value.empty() && std::isdigit(static_cast<unsigned char>(value.front())) != 0;
  const std::string shown = is_number ? std::string(value) : fmt::format("'{}'", value);
  if (language == Language::python) return value.empty() ? name : fmt::format("{}={}", name, shown);
  return value.empty() ? fmt::format("'{}'", name) : fmt::format("'{}', {}", name, shown);
}

}  // namespace

std::string spelled_in(Language language, std::string_view text, const std::map<std::string, std::string>& renamed) {
  std::string out;
  while (!text.empty()) {
    const std::size_t dashes = text.find("--");
    const std::size_t length = dashes == std::string_view::npos ? 0 : word_length(text.substr(dashes + 2), "-");
    if (length == 0) {  // the rest of the text, or dashes without a name
      const std::size_t plain = dashes == std::string_view::npos ? text.size() : dashes + 2;
      out += text.substr(0, plain);
      text.remove_prefix(plain);
      continue;
    }
    out += text.substr(0, dashes);
    std::string name(text.substr(dashes + 2, length));
    std::replace(name.begin(), name.end(), '-', '_');
    text.remove_prefix(dashes + 2 + length);
    std::string_view value;
    if (!is_flag(name) && text.starts_with(' ')) {
      value = text.substr(1, word_length(text.substr(1), "-."));
      if (!value.empty()) text.remove_prefix(1 + value.size());
    }
    const auto other = renamed.find(name);
    out += argument(language, other == renamed.end() ? name : other->second, value);
    if (text.starts_with(" --")) out += ',';
  }
  return out;
}

}  // namespace ardvark::internal
