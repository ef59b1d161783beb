#include "io/number_forms.hpp"

#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "io/notation.hpp"
#include "io/text.hpp"

namespace ardvark::internal::io {
namespace {

// A plain number at the beginning.
std::optional<double> take_plain_number(std::string_view& text) {
  const std::string_view number = text.substr(0, text.find(".."));
  const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  double value = 0;
  if (text.size() <= sign || !(is_digit(text[sign]) || text[sign] == '.')) return std::nullopt;
  const std::size_t from = text.starts_with('+') ? 1 : 0;
  const auto [end, error] = std::from_chars(text.data() + from, number.data() + number.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// For example "2024-02-09", "9.2.2024", "02/09/24 14:30".
bool is_date_in_digits(std::string_view text) {
  const std::size_t separator = std::min(text.find_first_not_of("0123456789"), text.size());
  if (separator == text.size() || separator == 0 || std::string_view("-./").find(text[separator]) == std::string_view::npos) return false;
  const std::size_t second = text.find(text[separator], separator + 1);
  if (second == std::string_view::npos) return false;
  const std::string_view month = text.substr(separator + 1, second - separator - 1), rest = text.substr(second + 1);
  const std::size_t end = std::min(rest.find_first_not_of("0123456789"), rest.size());
  const auto is_short = [](std::size_t digits) { return digits == 1 || digits == 2; };
  const bool is_right_size = is_short(month.size()) && (separator == 4 ? is_short(end) : is_short(separator) && (end == 2 || end == 4));
  return is_right_size && month.find_first_not_of("0123456789") == std::string_view::npos &&
         (end == rest.size() || rest[end] == ' ' || rest[end] == 'T');
}

bool is_month(std::string_view word) {
  constexpr std::string_view months =  // with a space before and after each; a word has none
      " jan feb mar apr may jun jul aug sep sept oct nov dec january february march april june july august "
      "september october november december mai okt dez m\xC3\xA4r m\xC3\xA4rz januar februar juni juli oktober "
      "dezember f\xC3\xA9v avr ao\xC3\xBBt d\xC3\xA9"
      "c janvier avril juin juillet septembre octobre novembre "
      "ene abr ago dic ";
  return months.find(' ' + lower_case(std::string(word)) + ' ') != std::string_view::npos;
}

// For example "3-Jan-2012", "January 3rd, 2012", "Mon 03 Feb 2020 14:30": a month by its name, beside a day or a year.
bool is_date_with_name(std::string_view text) {
  bool has_month = false;
  std::size_t num_numbers = 0, num_others = 0;
  for (std::size_t at = 0; (at = text.find_first_not_of(" -/.,_'", at)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(" -/.,_'", at), text.size());
    std::string_view word = text.substr(at, end - at);
    at = end;
    if (std::string_view rest = word; !take_digits(rest).empty()) {
      const std::string_view letters = rest.substr(0, rest.find_first_of("0123456789"));  // 03JAN2021
      const bool is_end = rest.empty() || rest.front() == ':' || rest == "st" || rest == "nd" || rest == "rd" || rest == "th";
      if (!is_end && !is_month(letters)) return false;
      has_month = has_month || !is_end;
      ++num_numbers;
    } else if (!has_month && is_month(word.substr(0, word.find_first_of("0123456789")))) {
      has_month = true;
      if (has_digit(word)) ++num_numbers;
    } else {
      ++num_others;
    }
  }
  return has_month && num_numbers >= 1 && num_numbers <= 5 && num_others <= 2;
}

// For example 2024-02, 2024Q1, 2024-W05, 2024-123, 02/2024.
bool is_part_of_a_year(std::string_view text) {
  std::string_view rest = text;
  const auto is_year = [](std::string_view digits) { return digits.size() == 4 && (digits.starts_with("19") || digits.starts_with("20")); };
  const std::string_view first = take_digits(rest);
  if (is_year(first)) {
    const bool has_mark = take_one_of(rest, "-/. "), has_letter = take_one_of(rest, "QqWwMmHTS");
    const std::string_view second = take_digits(rest);
    return (has_mark || has_letter) && rest.empty() && !second.empty() && second.size() <= (has_letter ? 2 : 3) && second.size() != 0 &&
           (has_letter || second.size() == 2 ? second <= "53" || second.size() == 1 : second.size() == 3);
  }
  return first.size() <= 2 && !first.empty() && take_one_of(rest, "-/.") && is_year(take_digits(rest)) && rest.empty();
}

}  // namespace

bool is_of_another_base(std::string_view text) {
  take_one_of(text, "+-");
  if (!take(text, "0") || text.size() < 2) return false;
  const char base = text.front();
  const std::string_view digits = base == 'x' || base == 'X'   ? "0123456789abcdefABCDEF"
                                  : base == 'o' || base == 'O' ? "01234567"
                                  : base == 'b' || base == 'B' ? "01"
                                                               : "";
  return text.find_first_not_of(digits, 1) == std::string_view::npos;
}

bool is_complex(std::string_view text) {
  if (!take_plain_number(text)) return false;
  while (take(text, " ")) {
  }
  if (!text.starts_with('+') && !text.starts_with('-')) return false;
  const std::string sign(1, text.front());
  text.remove_prefix(1);
  while (take(text, " ")) {
  }
  return take_plain_number(text) && (text == "i" || text == "j" || text == "*i");
}

bool is_range(std::string_view text) {
  const bool has_bracket = take_one_of(text, "[(]");
  const std::string_view from = text;
  const std::optional<double> low = take_plain_number(text);
  if (!low) return false;
  const std::size_t size = from.size() - text.size();
  const bool may_be_exponent = text.starts_with('-') && from.substr(0, size).find('.') != std::string_view::npos && std::abs(*low) < 10 &&
                               text.find('.') == std::string_view::npos && (text.size() == 3 || text.size() == 4);
  if (may_be_exponent) return false;  // 1.25-12, as Fortran writes it
  while (take(text, " ")) {
  }
  const bool has_mark = (has_bracket && take_one_of(text, ",;")) ||
                        (!has_bracket && (take(text, "to ") || take(text, "bis ") || take(text, "..") || take_one_of(text, "-~\3")));
  if (!has_mark) return false;
  while (take(text, " ")) {
  }
  const std::size_t size_to_end = text.size();
  const std::optional<double> high = take_plain_number(text);
  if (!has_bracket && size_to_end - text.size() > size + 1) return false;  // 12-34567 is rather a name
  return high && *low < *high && (has_bracket ? take_one_of(text, "])[") && text.empty() : text.empty());
}

bool are_several(std::string_view text) {
  const bool has_bracket = take_one_of(text, "[({");
  std::size_t count = 0;
  for (;; ++count) {
    while (take(text, " ")) {
    }
    if (!take_plain_number(text)) return false;
    while (take(text, " ")) {
    }
    if (text.empty() || (has_bracket && text.size() == 1 && take_one_of(text, "])}"))) return count > 0;
    if (!take_one_of(text, ";|") && !(take_one_of(text, ",") && (has_bracket || text.starts_with(' ')))) return false;
  }
}

bool is_date(std::string_view text) { return is_date_in_digits(text) || is_date_with_name(text) || is_part_of_a_year(text); }

std::string_view number_in_formula(std::string_view text) {
  if (text.size() < 5 || !text.starts_with("=\"") || !text.ends_with('"')) return {};
  const std::string_view inner = text.substr(2, text.size() - 3);
  std::string_view rest = inner;
  const bool is_name = inner.size() > 1 && inner[0] == '0' && is_digit(inner[1]);
  return !is_name && take_plain_number(rest) && rest.empty() ? inner : std::string_view();
}

bool names_a_sum(std::string_view text) {
  std::string word = lower_case(std::string(text.substr(0, text.find_first_of(" :("))));
  constexpr std::string_view words[] = {"total", "totals", "subtotal",   "sum",    "mean",    "average", "median",
                                        "summe", "gesamt", "mittelwert", "somme",  "moyenne", "suma",    "promedio",
                                        "stdev", "std",    "sd",         "totale", "media"};
  return lower_case(std::string(text)) == "all" || std::ranges::find(words, word) != std::end(words);  // pandas' margins: All
}

}  // namespace ardvark::internal::io
