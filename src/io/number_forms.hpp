// Forms of texts that mean numbers or dates: what a text as a whole is.
#pragma once

#include <algorithm>
#include <string_view>

namespace ardvark::internal::io {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool has_digit(std::string_view text) { return std::ranges::any_of(text, is_digit); }
inline bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}
inline bool take_one_of(std::string_view& text, std::string_view characters) {
  if (text.empty() || characters.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}
inline std::string_view take_digits(std::string_view& text) {
  const std::string_view digits = text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
  text.remove_prefix(digits.size());
  return digits;
}

/// 0x1F, 0b101, 0o17.
[[nodiscard]] bool is_of_another_base(std::string_view text);
/// 1.5+2i.
[[nodiscard]] bool is_complex(std::string_view text);
/// 1000-1009, 5 to 9, 1.5..2.5, [1, 2), (1;2].
[[nodiscard]] bool is_range(std::string_view text);
/// 1.5;2.5, (1, 2, 3), 1 | 2. A comma needs a blank or brackets: 1,5 is a number.
[[nodiscard]] bool are_several(std::string_view text);
/// 2024-02-09, 9.2.2024, 02/09/24 14:30, 3-Jan-2012, January 3rd, 2012, 2024Q1, 02/2024.
[[nodiscard]] bool is_date(std::string_view text);

}  // namespace ardvark::internal::io
