#include "io/notation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "io/number_forms.hpp"
#include "io/text.hpp"

namespace ardvark::internal::io {
namespace {

// What keeps a text from being a number as we read it. The first one that a text has is told.
enum class Mark {
  comparison,
  uncertainty,
  parentheses,
  duration,
  exponent,
  fraction,
  currency,
  thousands,
  minus,
  digits,
  base,
  formula,
  complex,
  range,
  several,
  blank,
  unit,
  none
};

struct Saying {
  Mark mark;
  const char* what;
  const char* remedy;
};
constexpr Saying sayings[] = {
    {Mark::comparison, "numbers with a sign of comparison", "write numbers, or missing values, and make another column of the signs"},
    {Mark::uncertainty, "numbers with their uncertainty", "make a column of the numbers, and one of the uncertainties"},
    {Mark::parentheses, "numbers in parentheses", "if they are negative, write a minus sign"},
    {Mark::duration, "times or durations", "make numbers of them, such as seconds"},
    {Mark::exponent, "numbers whose exponent is written in another way", "write it with E, as in 1.5E-03"},
    {Mark::fraction, "two numbers with a slash", "make a number of each, or a column of each of the two"},
    {Mark::currency, "numbers with a currency", "write the numbers without it"},
    {Mark::thousands, "numbers with marks between thousands", "write the digits without marks"},
    {Mark::minus, "numbers with another character for the minus sign", "write the minus sign '-' before the digits"},
    {Mark::digits, "numbers in the digits of another script", "write the digits 0 to 9"},
    {Mark::base, "numbers to the base 16, 8 or 2", "write them to the base 10"},
    {Mark::formula, "formulas of a spreadsheet", "write the numbers alone"},
    {Mark::complex, "complex numbers", "make a column of the real parts, and one of the imaginary parts"},
    {Mark::range, "ranges of numbers", "make numbers of them, such as their middles, or a column of each end"},
    {Mark::several, "several numbers", "make a column of each of them"},
    {Mark::blank, "numbers with blanks of another kind around them", "write the numbers without blanks"},
};

constexpr char plus_minus = '\1', times = '\2', letter = '\3', degree = '\4';

// The text in characters of ASCII: what means the same becomes one character, and letters of other scripts become `letter`.
struct Plain {
  std::string text;
  bool has_other_minus = false, has_other_digits = false, has_other_blanks = false;
};

std::optional<char> plain_digit(std::uint32_t c) {
  for (const std::uint32_t zero : {0x0660U, 0x06F0U, 0x0966U, 0xFF10U})  // Arabic, Persian, Devanagari, full width
    if (c >= zero && c < zero + 10) return static_cast<char>('0' + (c - zero));
  return std::nullopt;
}

char plain_character(std::uint32_t c) {
  constexpr std::array<std::pair<std::uint32_t, char>, 33> known = {{
      {0xA0, ' '},   {0x2007, ' '},   {0x2008, ' '},  {0x2009, ' '},  {0x200A, ' '},  {0x202F, ' '},      {0x3000, ' '},
      {0x2010, '-'}, {0x2011, '-'},   {0x2012, '-'},  {0x2013, '-'},  {0x2014, '-'},  {0x2212, '-'},      {0xFE63, '-'},
      {0xFF0D, '-'}, {0x2018, '\''},  {0x2019, '\''}, {0x02BC, '\''}, {0xB4, '\''},   {0x2032, '\''},     {0x2264, '<'},
      {0x2265, '>'}, {0x2248, '~'},   {0x223C, '~'},  {0x2A7D, '<'},  {0x2A7E, '>'},  {0xB1, plus_minus}, {0xD7, times},
      {0xB7, times}, {0x22C5, times}, {0x066B, '.'},  {0x066C, ','},  {0xB0, degree},
  }};
  if (c < 0x80) return c == '`' ? '\'' : static_cast<char>(c);
  if ((c >= 0xA2 && c <= 0xA5) || (c >= 0x20A0 && c <= 0x20CF)) return '$';
  const auto* const found = std::ranges::find(known, c, &std::pair<std::uint32_t, char>::first);
  return found == known.end() ? letter : found->second;
}

Plain plain_of(std::string_view text) {
  Plain out;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    std::uint32_t c = length == 1 ? first : first & (0x7FU >> length);
    for (std::size_t k = 1; k < length && i + k < text.size(); ++k) c = c << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3FU);
    i += length;
    const std::optional<char> digit = plain_digit(c);
    const char plain = digit.value_or(plain_character(c));
    out.has_other_digits |= digit.has_value();
    out.has_other_minus |= plain == '-' && c >= 0x80;
    out.has_other_blanks |= plain == ' ' && c >= 0x80;
    out.text += plain;
  }
  for (const std::string_view words : {"+/-", "+-"})
    for (std::size_t at = out.text.find(words); at != std::string::npos; at = out.text.find(words, at))
      out.text.replace(at, words.size(), 1, plus_minus);
  return out;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == letter; }

bool has_fraction(std::string_view text) {
  const std::size_t mark = text.find_first_of(".,");
  return mark != std::string_view::npos && has_digit(text.substr(mark));
}

// Letters that mean a currency: US$12, CHF 12, kr 12.50. Shorter ones, and those without a blank, may as well begin an identifier.
bool take_currency(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && is_letter(text[end])) ++end;
  if (end == 0 || end > 3) return false;
  const std::string_view word = text.substr(0, end), rest = text.substr(end);
  if (rest.starts_with('$')) return take(text, text.substr(0, end + 1));
  for (const std::string_view code :
       {"USD", "EUR", "GBP", "CHF", "JPY", "CNY", "RMB", "SEK", "NOK", "DKK", "ISK", "PLN", "CZK", "HUF", "RON", "BGN", "RUB", "UAH",
        "TRY", "INR", "KRW", "TWD", "HKD", "SGD", "THB", "IDR", "MYR", "PHP", "VND", "BRL", "MXN", "ARS", "CLP", "COP", "PEN", "CAD",
        "AUD", "NZD", "ZAR", "EGP", "NGN", "KES", "ILS", "SAR", "AED", "Kr",  "kr",  "Fr",  "SFr", "Rs",  "Rp",  "RM",  "Ft",  "lei"}) {
    if (word != code || !(has_fraction(rest) || (end == 3 && rest.starts_with(' ')))) continue;
    text = rest;
    take(text, ".");
    return true;
  }
  return false;
}

// The signs before the digits.
struct Lead {
  bool has_comparison = false, has_currency = false, has_parenthesis = false;
};
Lead take_lead(std::string_view& text) {
  Lead lead;
  for (const std::string_view word : {"about ", "approximately ", "ca. ", "ca ", "circa ", "around ", "nearly ", "almost ", "up to ",
                                      "less than ", "more than ", "over ", "under ", "below ", "above ", "at least ", "at most "})
    if (lower_case(std::string(text.substr(0, word.size()))) == word) text.remove_prefix(word.size()), lead.has_comparison = true;
  for (;;) {
    if (take_one_of(text, "<>=~"))
      lead.has_comparison = true;
    else if (take(text, "$") || take_currency(text))
      lead.has_currency = true;
    else if (take(text, "("))
      lead.has_parenthesis = true;
    else if (!take_one_of(text, " +-"))
      return lead;
  }
}

// 1.234.567, 12,34,567: three digits after the last of several marks, and two or three between them.
bool has_several_marks(std::string_view number) {
  const std::size_t first = number.find_first_of(".,");
  if (first == std::string_view::npos) return false;
  const char mark = number[first];
  std::size_t count = 0, last = 0;
  for (std::string_view rest = number.substr(first); !rest.empty(); ++count) {
    if (!take(rest, std::string_view(&mark, 1))) return false;
    last = take_digits(rest).size();
    if (last != 3 && (last != 2 || rest.empty())) return false;
  }
  return count > 1;
}

// Digits with points, commas, and other marks between thousands. False: there are none.
bool take_number(std::string_view& text, bool& has_thousands) {
  if (text.starts_with('.') && text.size() > 1) text.remove_prefix(1);
  if (text.empty() || !is_digit(text.front())) return false;
  std::size_t group = take_digits(text).size();
  while (text.size() > 3 && group <= 3 && std::string_view(" '_").find(text.front()) != std::string_view::npos) {
    std::string_view rest = text.substr(1);
    if (take_digits(rest).size() != 3) break;
    text = rest, has_thousands = true;
  }
  const std::size_t end = std::min(text.find_first_not_of("0123456789.,"), text.size());
  const std::string_view number = text.substr(0, end);
  has_thousands = has_thousands || has_several_marks(number);
  text.remove_prefix(end);
  return true;
}

// After a number with a point: +003, as Fortran writes an exponent of three digits.
bool is_exponent_without_letter(std::string_view text) {
  if (!take_one_of(text, "+-")) return false;
  const std::size_t digits = take_digits(text).size();
  return text.empty() && (digits == 2 || digits == 3);
}

// For example D-03, x10^-3, *10**5.
bool take_other_exponent(std::string_view& text) {
  std::string_view rest = text;
  if (!take_one_of(rest, "dD")) {
    while (take(rest, " ")) {
    }
    const bool is_clear = rest.starts_with(times);
    if (!take_one_of(rest, "xX*\2")) return false;
    while (take(rest, " ")) {
    }
    if (!take(rest, "10")) return false;
    const bool has_power =
        take(rest, "^") || take(rest, "**") || rest.starts_with('-') || rest.starts_with('+') || rest.starts_with(letter);
    if (!has_power && !is_clear) return false;  // 5x100 are two numbers
  }
  take_one_of(rest, "+-");
  if (take_digits(rest).empty() && !rest.starts_with(letter)) return false;  // a letter: a superscript
  text = rest;
  return true;
}

// After a number: the rest of 12:30:15, 2 h 15 min, 3 days 04:05:06, 12 degrees 30'.
bool is_rest_of_duration(std::string_view text) {
  bool has_units = false;
  while (!text.empty() && has_digit(text)) {
    while (take(text, " ")) {
    }
    if (take_one_of(text, ":\4'\"")) {
      has_units = true;
    } else {
      std::size_t end = 0;
      while (end < text.size() && is_letter(text[end])) ++end;
      const std::string unit = lower_case(std::string(text.substr(0, end)));
      constexpr std::string_view units[] = {"d",   "day", "days", "t",    "h",      "hr",      "hrs", "hour", "hours",
                                            "std", "m",   "min",  "mins", "minute", "minutes", "s",   "sec",  "ms"};
      if (std::ranges::find(units, unit) == std::end(units)) return false;
      text.remove_prefix(end), has_units = true;
    }
    while (take_one_of(text, " ,")) {
    }
    if (take_digits(text).empty()) return false;
    if (take_one_of(text, ".,")) static_cast<void>(take_digits(text));
  }
  return has_units;
}

// What the whole text is, if it is more than a number and what stands around it.
std::optional<Mark> mark_of_whole(std::string_view text) {
  if (is_of_another_base(text)) return Mark::base;
  if (is_complex(text)) return Mark::complex;
  if (is_range(text)) return Mark::range;
  if (are_several(text)) return Mark::several;
  std::string_view rest = text;  // 3 1/2
  if (!take_digits(rest).empty() && take(rest, " ") && !take_digits(rest).empty() && take(rest, "/") && !take_digits(rest).empty() &&
      rest.empty())
    return Mark::fraction;
  return std::nullopt;
}

// What the text has that is no plain number; nothing: it is none, as a range, a word or an identifier.
std::optional<Mark> mark_of(std::string_view whole) {
  const Plain plain = plain_of(whole);
  std::string_view text = plain.text;
  while (text.ends_with(' ')) text.remove_suffix(1);
  if (const std::optional<Mark> mark = mark_of_whole(text)) return mark;
  if (!number_in_formula(text).empty()) return Mark::formula;
  const bool is_iso_duration = text.size() > 2 && text[0] == 'P' && (is_digit(text[1]) || text[1] == 'T') &&
                               std::string_view("YMWDHS").find(text.back()) != text.npos;
  if (is_iso_duration) take(text, "P"), take(text, "T");
  const Lead lead = take_lead(text);
  bool has_thousands = false;
  if (!take_number(text, has_thousands)) return std::nullopt;
  if (text.starts_with('e') || text.starts_with('E')) {
    std::string_view rest = text.substr(1);
    take_one_of(rest, "+-");
    if (!take_digits(rest).empty()) text = rest;
  }
  const bool has_exponent = take_other_exponent(text);
  std::string_view rest = text;
  while (take(rest, " ")) {
  }
  const bool has_bracket = rest.starts_with('(') && rest.size() > 2 && is_digit(rest[1]) && rest.find(')') != std::string_view::npos;
  if ((rest.starts_with(plus_minus) && has_digit(rest)) || has_bracket) return Mark::uncertainty;
  if (lead.has_comparison && !has_digit(text)) return Mark::comparison;
  if (lead.has_parenthesis && !has_digit(text) && text.find(')') != std::string_view::npos) return Mark::parentheses;
  if (has_fraction(whole) && is_exponent_without_letter(text)) return Mark::exponent;
  if (is_iso_duration || is_rest_of_duration(text)) return Mark::duration;
  if (take(rest, "/") && !take_digits(rest).empty() && rest.empty()) return Mark::fraction;
  if (has_digit(text)) return std::nullopt;
  if (has_exponent) return Mark::exponent;
  if (lead.has_currency) return Mark::currency;
  if (has_thousands) return Mark::thousands;
  if (plain.has_other_minus || text == "-") return Mark::minus;
  if (plain.has_other_digits) return Mark::digits;
  if (!text.empty()) return Mark::unit;
  return plain.has_other_blanks ? Mark::blank : Mark::none;
}

// Without what all begin with, up to the first digit; nothing if there is no such beginning.
std::vector<std::string> after_common_beginning(const std::vector<std::string>& levels) {
  std::string_view common = levels.front();
  for (const std::string& level : levels) {
    const auto differ = std::ranges::mismatch(common, level);
    common = common.substr(0, static_cast<std::size_t>(differ.in1 - common.begin()));
  }
  common = common.substr(0, std::min(common.find_first_of("0123456789"), common.size()));
  while (!common.empty() && std::string_view(".+-").find(common.back()) != std::string_view::npos) common.remove_suffix(1);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < levels.size() && !common.empty(); ++i) out.push_back(levels[i].substr(common.size()));
  return out;
}

constexpr std::size_t fewest = 5;  // fewer are rather categories, such as doses

// Of levels with marks: what most of them have, if that is the matter.
std::string remark_on_marks(const std::vector<std::string>& levels, const std::vector<std::optional<Mark>>& marks) {
  std::array<std::size_t, static_cast<std::size_t>(Mark::none) + 1> counts = {};
  for (const std::optional<Mark>& mark : marks)
    if (mark) ++counts[static_cast<std::size_t>(*mark)];
  const auto* const most = std::ranges::max_element(counts.begin(), counts.begin() + static_cast<int>(Mark::unit));
  const auto mark = static_cast<Mark>(most - counts.begin());
  const bool is_many = levels.size() >= 2 * fewest,
             needs_many = mark == Mark::duration || mark == Mark::fraction || mark == Mark::range || mark == Mark::several;
  if (*most == 0 || (needs_many && !is_many) || (is_many ? 10 : 2) * *most < levels.size()) return {};
  const std::string& example = levels[static_cast<std::size_t>(std::ranges::find(marks, std::optional(mark)) - marks.begin())];
  const Saying& saying = *std::ranges::find(sayings, mark, &Saying::mark);
  return fmt::format("nearly all of its texts are {} ('{}'); {}", saying.what, shown(example), saying.remedy);
}

}  // namespace

bool holds_comma(std::string_view text) {
  const std::size_t comma = text.find(',');
  const std::size_t start = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  return comma != std::string_view::npos && comma > start && comma + 1 < text.size() &&
         text.substr(start, comma - start).find_first_not_of("0123456789.") == std::string_view::npos &&
         text.find_first_not_of("0123456789", comma + 1) == std::string_view::npos;
}

std::string remedy_of_notation(std::string_view text) {
  if (!has_digit(text)) return {};
  std::string_view digits = text;
  take_one_of(digits, "+-");
  if (digits.find_first_not_of("0123456789.,") == std::string_view::npos && !has_several_marks(digits))
    return "write one decimal point at most";
  const std::optional<Mark> mark = mark_of(text);
  if (!mark || *mark == Mark::comparison || *mark == Mark::none) return {};
  if (*mark == Mark::unit) return "write the number alone";
  return std::ranges::find(sayings, *mark, &Saying::mark)->remedy;
}

std::string remark_on_numbers(const std::vector<std::string>& levels) {
  if (levels.size() < fewest) return {};
  const auto nearly_all = [&](std::size_t count) { return 10 * count >= 9 * levels.size(); };
  const auto count_of = [&](auto&& is) { return static_cast<std::size_t>(std::ranges::count_if(levels, is)); };
  const bool is_many = levels.size() >= 2 * fewest;
  if (is_many && nearly_all(count_of(is_date)))
    return fmt::format("nearly all of its texts are dates ('{}'); make numbers of them, such as the days since a start",
                       shown(*std::ranges::find_if(levels, is_date)));
  std::vector<std::optional<Mark>> marks(levels.size());
  std::ranges::transform(levels, marks.begin(), mark_of);
  const auto num_numbers = static_cast<std::size_t>(std::ranges::count_if(marks, [](const auto& mark) { return mark.has_value(); }));
  if (!nearly_all(num_numbers)) {
    const std::vector<std::string> rests = after_common_beginning(levels);
    const auto is_number = [](const std::string& rest) { return mark_of(rest).has_value(); };
    if (!is_many || rests.empty() || !std::ranges::all_of(rests, is_number) || !std::ranges::any_of(rests, has_fraction)) return {};
    return fmt::format("all of its texts are numbers after the same beginning ('{}'); if they are measurements, write the numbers alone",
                       shown(levels.front()));
  }
  if (2 * count_of(holds_comma) >= levels.size())
    return fmt::format("its texts are numbers with a decimal comma ('{}'); write a decimal point (in pandas: read_csv with decimal=',')",
                       shown(*std::ranges::find_if(levels, holds_comma)));
  if (std::string remark = remark_on_marks(levels, marks); !remark.empty()) return remark;
  const auto num_units = static_cast<std::size_t>(std::ranges::count(marks, std::optional(Mark::unit)));
  if (2 * num_units >= num_numbers)
    return fmt::format("nearly all of its texts begin with a number ('{}'); if they are measurements, write numbers without units",
                       shown(levels[static_cast<std::size_t>(std::ranges::find(marks, std::optional(Mark::unit)) - marks.begin())]));
  if (!is_many || !std::ranges::any_of(levels, has_fraction)) return {};
  return fmt::format("its texts are numbers ('{}'), and each of the {} is a level; if they are measurements, turn them into numbers",
                     shown(levels.front()), levels.size());
}

}  // namespace ardvark::internal::io
