// Numbers of a table whose decimal mark may be a comma.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "io/csv_numbers.hpp"
#include "io/notation.hpp"
#include "io/text.hpp"

namespace ardvark::internal::io {
namespace {

// "1.234,5" for "1,234.5", and the reverse.
std::string with_marks_exchanged(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c == '.' || c == ',') c = c == '.' ? ',' : '.';
  return out;
}

}  // namespace

bool read_number(std::string_view text, char decimal, double& value) {
  if (decimal == '.') return parse_number(text, value);
  if (text.find('.') != std::string_view::npos) return false;
  if (text.find(',') == std::string_view::npos) return parse_number(text, value);
  return parse_number(with_marks_exchanged(text), value);
}

Comma other_mark_in(std::string_view text, char decimal, Advice advice) {
  if (const std::string_view number = number_in_formula(text); !number.empty())
    return {"is a formula of a spreadsheet", fmt::format("write {} (in all rows: sed 's/\"*=\"*\\([^\",;]*\\)\"*/\\1/g')", shown(number))};
  if (decimal == '.') return comma_in(text, advice);
  const std::string as_point = with_marks_exchanged(text);
  Comma comma = comma_in(as_point);
  if (comma.meaning == nullptr) return comma;
  std::string without(text), with_comma(text);
  std::erase(without, '.');
  std::ranges::replace(with_comma, '.', ',');
  if (!comma.is_clear)
    return {"has a point, which may be a decimal point or stand between thousands, and numbers of this table have a decimal comma",
            fmt::format("write {} or {}", shown(with_comma), shown(without)), false};
  if (double value = 0; parse_number(text, value))
    return {"has a decimal point, and numbers of this table have a decimal comma", fmt::format("write {}", shown(with_comma))};
  return {"has points between thousands", fmt::format("write {}", shown(without))};
}

bool has_clear_mark(std::string_view text, char decimal) { return has_clear_comma(decimal == ',' ? text : with_marks_exchanged(text)); }

}  // namespace ardvark::internal::io
