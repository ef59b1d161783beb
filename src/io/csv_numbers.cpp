#include "io/csv_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

#include "io/advice.hpp"
#include "io/text.hpp"

namespace ardvark::internal::io {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

namespace {

// std::from_chars reports the same error for overflow and underflow. The power of ten of the first nonzero digit distinguishes them.
bool is_huge(std::string_view number) {
  const std::size_t exponent_at = std::min(number.find_first_of("eE"), number.size());
  const std::string_view digits = number.substr(0, exponent_at);
  const std::size_t first_digit = digits.find_first_of("123456789");
  if (first_digit == std::string_view::npos) return false;
  const auto point = static_cast<long long>(std::min(digits.find('.'), digits.size()));
  const bool exponent_negative = number.substr(exponent_at).starts_with("e-") || number.substr(exponent_at).starts_with("E-");

  long long exponent = 0;
  for (const char c : number.substr(exponent_at))
    if (c >= '0' && c <= '9') exponent = std::min(10 * exponent + (c - '0'), 1'000'000'000'000LL);
  return point - static_cast<long long>(first_digit) + (exponent_negative ? -exponent : exponent) > 0;
}

// For example "1,234,567", "-11,600", "1,234.5".
bool has_thousands(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  const std::string_view whole = text.substr(0, text.find('.'));
  std::size_t comma = whole.find(',');
  if (comma == std::string_view::npos || comma == 0 || comma > 3 || whole[0] == '0') return false;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    const bool is_comma = at >= comma && (at - comma) % 4 == 0;
    if (is_comma ? whole[at] != ',' : whole[at] < '0' || whole[at] > '9') return false;
  }
  return (whole.size() - comma) % 4 == 0 && text.substr(whole.size()).find_first_not_of("0123456789", 1) == std::string_view::npos;
}

// For example "1,5", "-12,25", "1.234,5", "2,5e-3".
bool has_decimal_comma(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos || text.find(',', comma + 1) != std::string_view::npos) return false;
  if (comma + 1 == text.size() || text[comma + 1] < '0' || text[comma + 1] > '9') return false;
  std::string with_point(text.substr(0, comma));
  std::erase(with_point, '.');
  if (with_point.empty() || with_point.back() < '0' || with_point.back() > '9') return false;
  with_point += '.';
  with_point += text.substr(comma + 1);
  double value;
  return parse_number(with_point, value);
}

// Digits, and a fraction after a point, without an exponent. Both numbers of the quotient are doubles, so it is rounded once, and the value
// is that of std::from_chars. False: the text has another form, or more digits.
bool parse_short(std::string_view text, double& value) {
  constexpr std::uint64_t most = std::uint64_t{1} << 53;  // up to which every whole number is a double
  constexpr std::ptrdiff_t most_digits = 18;              // fewer than overflow 64 bits
  static constexpr std::array<double, 19> power = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                                   1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
  const char *at = text.data(), *const end = at + text.size();
  const bool negative = at != end && *at == '-';
  if (negative) ++at;
  if (end - at > most_digits) return false;
  const auto is_digit = [&] { return at != end && *at >= '0' && *at <= '9'; };
  std::uint64_t digits = 0;
  const auto take = [&] {
    const char* const begin = at;
    for (; is_digit(); ++at) digits = 10 * digits + static_cast<std::uint64_t>(*at - '0');
    return at - begin;
  };
  std::ptrdiff_t decimals = 0;
  if (take() == 0) return false;
  if (at != end && *at == '.') ++at, decimals = take();
  if (at != end || end[-1] == '.' || digits > most) return false;
  const double number = static_cast<double>(digits) / power[static_cast<std::size_t>(decimals)];
  value = negative ? -number : number;
  return true;
}

}  // namespace

bool parse_number(std::string_view text, double& value) {
  if (parse_short(text, value)) return true;
  if (text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) return false;
  if (error == std::errc::result_out_of_range) value = is_huge(text) ? HUGE_VAL : 0.0;
  return true;
}

bool has_clear_comma(std::string_view text) { return has_decimal_comma(text) && !has_thousands(text); }

Comma comma_in(std::string_view text, Advice advice) {
  if (has_clear_comma(text))
    return {"has a decimal comma", "write a decimal point, or " + way_to_read_commas(advice, "read such numbers with --decimal ,")};
  if (!has_thousands(text)) return {};
  std::string without(text), with_point(text);
  std::erase(without, ',');
  std::ranges::replace(with_point, ',', '.');
  if (!has_decimal_comma(text)) return {"has commas between thousands", fmt::format("write {}", shown(without))};
  return {"has a comma, which may be a decimal comma or stand between thousands",
          fmt::format("write {} (or {}) or {}", shown(with_point), way_to_read_commas(advice), shown(without)), false};
}

}  // namespace ardvark::internal::io
