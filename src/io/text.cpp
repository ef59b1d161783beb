#include "io/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/number_forms.hpp"

namespace ardvark::internal::io {
std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

namespace {

// Length of the UTF-8 sequence at the start of `text`, or 0 if there is none (Unicode 15, table 3-7).
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (text.size() < length) return 0;
  // The second byte's range excludes over-long forms, surrogates and codes above U+10FFFF.
  const unsigned lowest = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned highest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < lowest || byte(1) > highest) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  return length;
}

// The number of letters to insert, remove, replace or swap with the next one (optimal string alignment).
std::size_t edits_between(const std::string& a, const std::string& b) {
  constexpr std::size_t most = 200;  // only so many letters of longer names
  const std::size_t n = std::min(a.size(), most), m = std::min(b.size(), most);
  std::vector<std::vector<std::size_t>> d(n + 1, std::vector<std::size_t>(m + 1));
  for (std::size_t i = 0; i <= n; ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= m; ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= n; ++i)
    for (std::size_t j = 1; j <= m; ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[n][m];
}

std::string escaped(std::string_view text, int max_characters) {
  std::string result;
  for (int count = 0; !text.empty(); ++count) {
    if (count == max_characters) return result + "...";
    const std::size_t length = sequence_length(text);
    const auto first = static_cast<unsigned char>(text[0]);
    if (length == 0 || first < 0x20 || first == 0x7F)
      result += fmt::format("\\x{:02x}", first);
    else
      result += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

// A text that a program may write for a number: its digits without the point, and where the point is.
struct Decimal {
  bool is_negative = false;
  std::string digits;   // from the first that is not 0 to the last one; empty: 0
  long long point = 0;  // digits before the point; negative: zeros after it
};

// False: the text is none. In 1E5, without a sign or a point, E may be a letter of a name, such as that of a well.
bool take_exponent(std::string_view& text, bool has_point, long long& exponent) {
  if (text.empty()) return true;
  if (text.front() != 'e' && text.front() != 'E') return false;
  const bool is_large = text.front() == 'E';
  text.remove_prefix(1);
  const bool has_sign = text.starts_with('-') || text.starts_with('+'), is_negative = text.starts_with('-');
  if (is_large && !has_sign && !has_point) return false;
  if (has_sign) text.remove_prefix(1);
  const std::string_view digits = take_digits(text);
  if (digits.empty() || digits.size() > 9 || !text.empty()) return false;
  for (const char c : digits) exponent = 10 * exponent + (c - '0');
  if (is_negative) exponent = -exponent;
  return true;
}

std::optional<Decimal> decimal_in(std::string_view text) {
  Decimal out;
  out.is_negative = text.starts_with('-');
  if (out.is_negative || text.starts_with('+')) text.remove_prefix(1);
  const std::string_view whole = take_digits(text);
  if (whole.size() > 1 && whole.front() == '0') return std::nullopt;  // 007 is a name
  const bool has_point = text.starts_with('.');
  if (has_point) text.remove_prefix(1);
  const std::string_view fraction = has_point ? take_digits(text) : std::string_view();
  long long exponent = 0;
  if (whole.size() + fraction.size() == 0 || !take_exponent(text, has_point, exponent)) return std::nullopt;
  out.digits = std::string(whole) + std::string(fraction);
  const std::size_t zeros = std::min(out.digits.find_first_not_of('0'), out.digits.size());
  out.point = static_cast<long long>(whole.size()) - static_cast<long long>(zeros) + exponent;
  out.digits.erase(0, zeros);
  out.digits.erase(out.digits.find_last_not_of('0') + 1);
  return out;
}

std::string plain_text(const Decimal& number) {
  constexpr long long most = 40;  // zeros that are written
  if (number.digits.empty()) return "0";
  const auto size = static_cast<long long>(number.digits.size());
  const std::string sign = number.is_negative ? "-" : "";
  if (number.point > size + most || number.point < -most)
    return fmt::format("{}{}{}{}e{:+03}", sign, number.digits[0], size > 1 ? "." : "", number.digits.substr(1), number.point - 1);
  if (number.point <= 0) return sign + "0." + std::string(static_cast<std::size_t>(-number.point), '0') + number.digits;
  if (number.point >= size) return sign + number.digits + std::string(static_cast<std::size_t>(number.point - size), '0');
  const auto point = static_cast<std::size_t>(number.point);
  return sign + number.digits.substr(0, point) + "." + number.digits.substr(point);
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::optional<bool> truth_of(std::string_view text) {
  for (const std::string_view word : {"true", "True", "TRUE"})
    if (text == word) return true;
  for (const std::string_view word : {"false", "False", "FALSE"})
    if (text == word) return false;
  return std::nullopt;
}

std::string_view code_of(std::string_view text, std::string& room) {
  if (text.empty() || std::string_view("+-.0123456789").find(text.front()) == std::string_view::npos) return text;
  const bool is_whole = text.front() >= '1' && text.find_first_not_of("0123456789") == std::string_view::npos;
  const std::optional<Decimal> number = is_whole ? std::nullopt : decimal_in(text);
  if (!number) return text;
  room = plain_text(*number);
  return room;
}

std::string code_of(std::string_view text) {
  std::string room;
  return std::string(code_of(text, room));
}

std::string shown(std::string_view text) { return escaped(text, 60); }
std::string printable(std::string_view text) { return escaped(text, std::numeric_limits<int>::max()); }

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t max_names = 20;
  std::string result;
  for (std::size_t i = 0; i < std::min(names.size(), max_names); ++i) result += fmt::format("{}'{}'", i == 0 ? "" : ", ", shown(names[i]));
  if (names.size() > max_names) result += fmt::format(", ... and {} more", names.size() - max_names);
  return result;
}

bool hold_truths(const std::vector<std::string>& texts) {
  return !texts.empty() && std::ranges::all_of(texts, [](const std::string& text) { return truth_of(text).has_value(); });
}

std::vector<std::string> with_one_spelling(const std::vector<std::string>& levels) {
  if (!hold_truths(levels) || levels.size() < 2) return levels;
  const auto is_true = [](const std::string& text) { return truth_of(text) == true; };
  if (levels.size() == 2 && !is_true(levels[0]) && is_true(levels[1])) return levels;
  std::vector<std::string> out;
  if (!std::ranges::all_of(levels, is_true)) out.emplace_back("False");
  if (std::ranges::any_of(levels, is_true)) out.emplace_back("True");
  return out;
}

bool may_mean_missing(std::string_view text) {
  for (const std::string_view token : {".",       "-",    "--", "na",  "n/a",  "n.a.", "N.A.", "None", "none", "Null", "NIL",  "nil",
                                       "missing", "#N/A", "Na", "NAN", "<NA>", "NA",   "N/A",  "NaN",  "nan",  "null", "NULL", "?"})
    if (text == token) return true;
  return false;
}

namespace {

// The text as it looks, its skeleton (Unicode, UTS 39): a letter with accents is one mark, whether it is one character or several; every
// blank is ' '.
struct Skeleton {
  std::string text;
  bool has_parts = false;  // accents of their own, or blanks of other kinds
};
Skeleton skeleton_of(std::string_view text) {
  Skeleton out;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, std::max<std::size_t>(sequence_length(text), 1));
    text.remove_prefix(one.size());
    const bool is_accent = one >= "\u0300" && one <= "\u036F", is_blank = one == "\u00A0" || one == "\u202F" || one == "\u2009";
    out.has_parts = out.has_parts || is_accent || is_blank || one == "\u200B" || one == "\uFEFF";
    if (is_accent && !out.text.empty())
      out.text.back() = '\1';
    else if (is_blank)
      out.text += ' ';
    else if (one >= "\u00C0" && one <= "\u024F")
      out.text += '\1';
    else if (one != "\u200B" && one != "\uFEFF" && !is_accent)
      out.text += one;
  }
  return out;
}

}  // namespace

bool look_alike(std::string_view a, std::string_view b) {
  if (a == b) return false;
  const Skeleton here = skeleton_of(a), there = skeleton_of(b);
  return (here.has_parts || there.has_parts) && here.text == there.text;
}

std::string did_you_mean(const std::string& name, const std::vector<std::string>& names) {
  if (const auto same = std::ranges::find_if(names, [&](const std::string& other) { return look_alike(name, other); }); same != names.end())
    return fmt::format(
        "; did you mean '{}'? It may look the same, but some of its characters are others, such as an accent that is a character of "
        "its own.",
        shown(*same));
  std::size_t best = name.size() / 3 + 1;  // a short name may differ only in upper and lower case
  const std::string* nearest = nullptr;
  for (const std::string& other : names) {
    const std::size_t distance = edits_between(lower_case(name), lower_case(other));
    if (distance < best) best = distance, nearest = &other;
  }
  return nearest == nullptr ? "" : fmt::format("; did you mean '{}'?", shown(*nearest));
}

std::string number(double x) {
  if (!std::isfinite(x)) return x > 0 ? "inf" : x < 0 ? "-inf" : "-";
  if (x == 0) return "0";
  const double size = std::abs(x);
  if (size >= 1e5 || size < 1e-4) return fmt::format("{:.3e}", x);
  const int decimals = std::clamp(3 - static_cast<int>(std::floor(std::log10(size))), 0, 7);
  return fmt::format("{:.{}f}", x, decimals);
}

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t to) { return text + std::string(to > width(text) ? to - width(text) : 0, ' '); }

std::string evidence_in_words(const char* what, double bound, PriorKind prior, BoundScope scope) {
  if (scope == BoundScope::nothing && prior != PriorKind::laplace) return "not comparable: no column has a prior";
  return fmt::format("{}{:.4f} nats{}", what, bound,
                     scope == BoundScope::same_flat ? ", comparable only with models in which the same columns have no prior" : "");
}

InvalidArgument wrong_cell(ErrorFields cell, std::string value, const std::string& why, std::string remedy) {
  cell.value = std::move(value), cell.why = why, cell.remedy = std::move(remedy);
  std::string sentence = fmt::format(", column '{}': {}", shown(cell.column), why);
  return {std::move(cell), std::move(sentence)};
}

const char* verdict(const Fit& fit, Index j) {
  const auto at = static_cast<std::size_t>(j);
  if (fit.group[at] == -1) return "flat";
  if (fit.sparse && fit.sparse->undecided[at]) return "undecided";
  return fit.relevant[at] ? "kept" : "-";
}

Index num_effects(const Fit& fit) {
  return std::count(fit.relevant.begin(), fit.relevant.end(), true) - std::count(fit.group.begin(), fit.group.end(), -1);
}

}  // namespace ardvark::internal::io
