#include "io/advice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "io/text.hpp"

namespace ardvark::internal::io {
namespace {

// As Python's repr() writes it.
std::string in_python(std::string_view text) {
  const bool has_single = text.find('\'') != std::string_view::npos, has_double = text.find('"') != std::string_view::npos;
  const char quote = has_single && !has_double ? '"' : '\'';
  std::string inside;
  for (const char c : text) {
    if (c == quote || c == '\\') inside += '\\';
    inside += c;
  }
  return quote + shown(inside) + quote;
}

}  // namespace

std::string way_to_ignore(Advice advice, const std::string& column) {
  return advice == Advice::python ? "" : fmt::format(": --ignore '{}'", column);
}

std::string way_to_text(Advice advice, const std::string& column) {
  return advice == Advice::python ? "" : fmt::format(" (to read the column as text: --categorical '{}')", shown(column));
}

std::string option_of_form(Advice advice, const char* name) { return advice == Advice::python ? "" : fmt::format(" (--{})", name); }

std::string way_to_split(Advice advice, char delimiter) {
  const std::string text = delimiter == '\t' ? "'\\t'" : fmt::format("'{}'", delimiter);
  if (advice == Advice::python) return fmt::format("give delimiter={} to ardvark.CsvFiles(path, ...)", text);
  return fmt::format("set it (--delimiter {}{})", delimiter == '\t' ? "$" : "", text);
}

std::string way_to_read_commas(Advice advice, const char* in_the_shell) {
  return advice == Advice::python ? "give decimal=',' to ardvark.CsvFiles(path, ...)" : in_the_shell;
}

std::string way_to_mark(Advice advice, std::span<const std::string_view> texts, const char* drop) {
  const bool is_python = advice == Advice::python;
  std::vector<std::string> markers;
  for (const std::string_view text : texts)
    markers.push_back(is_python ? in_python(text) : fmt::format("--missing-marker='{}'", shown(text)));
  if (!is_python)
    return fmt::format("use {}{}", texts.empty() ? "--missing-marker for each of them" : fmt::format("{}", fmt::join(markers, " ")), drop);
  return fmt::format(
      "give ardvark.CsvFiles(path, missing_marker=[{0}]) as X (a fit with missing='drop' leaves such rows out), or read the "
      "table with pandas.read_csv(path, na_values=[{0}])",
      texts.empty() ? "..." : fmt::format("{}", fmt::join(markers, ", ")));
}

}  // namespace ardvark::internal::io
