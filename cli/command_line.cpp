// Errors of the command line in the form of all other errors: the argument, its value and the constraint.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

#include "ardvark/errors.hpp"
#include "ardvark/model.hpp"
#include "commands.hpp"
#include "io/text.hpp"
#include "model/option_help.hpp"

namespace ardvark::cli {

using namespace internal;
namespace {

// Whether the whole text is a number. A number that is too large for a double is a number too; its option refuses it later.
template <typename Number>
bool reads_as(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error != std::errc::invalid_argument && end == text.data() + text.size();
}

std::string not_a(const char* kind, const std::string& text) { return fmt::format("it is '{}'; it must be {}", io::shown(text), kind); }

// The message about an unknown option. It suggests the only option that begins with these letters, or a similar one.
std::string unknown_option(const std::string& word, const CLI::App& command) {
  const std::string given = word.substr(0, word.find('='));
  const std::size_t begin = given.find_first_not_of('-');
  std::string word_only = begin == std::string::npos ? "" : given.substr(begin);
  std::ranges::replace(word_only, '-', '_');
  const ModelOptions reader{.spelling = Spelling::command_line};
  const auto spell = [&](const std::string& name, const std::string& value) {
    return value.empty() ? reader.spelled(name) : reader.spelled(name, value);
  };
  if (const std::string ours = instead_of(word_only, spell); !ours.empty() && command.get_option_no_throw("--prior") != nullptr)
    return fmt::format("{} has no option '{}'; {}", command.get_name(), io::shown(given), ours);
  std::vector<std::string> alike, longer;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) {
      if (begin == std::string::npos || name.front() != given[begin]) continue;
      alike.push_back("--" + name);
      if (given.size() > begin + 1 && name.starts_with(given.substr(begin))) longer.push_back(alike.back());
    }
  const std::string nearest = longer.size() == 1 ? fmt::format("; did you mean '{}'?", longer.front()) : io::did_you_mean(given, alike);
  return fmt::format("{} has no option '{}'{}", command.get_name(), io::shown(given),
                     nearest.empty() ? fmt::format("; 'ardvark {} --help{}' lists them", command.get_name(),
                                                   command.get_help_all_ptr() == nullptr ? "" : "-all")
                                     : nearest);
}

// The option of a message of the parser, which begins with its name.
const CLI::Option* option_of(const std::string& said, const CLI::App& command) {
  for (const CLI::Option* option : command.get_options())
    if (const std::string name = option->get_name(); said.starts_with(name) && !said.substr(name.size()).starts_with('-')) return option;
  return nullptr;
}

std::string wrong_delimiter(const std::string& text) {
  return text.size() == 1 || text == "auto" || text == "tab" || text == "\\t"
             ? ""
             : fmt::format("it is '{}'; it must be one character, tab or auto", io::shown(text));
}

std::string wrong_decimal(const std::string& text) {
  return text == "," || text == "." || text == "auto" ? ""
                                                      : fmt::format("it is '{}'; it must be a comma, a point or auto", io::shown(text));
}

}  // namespace

std::string is_number(const std::string& text) {
  if (reads_as<double>(text)) return "";
  std::string with_point = text;
  std::replace(with_point.begin(), with_point.end(), ',', '.');
  return not_a("a number", text) + (reads_as<double>(with_point) ? ", with a point: " + with_point : "");
}
std::string is_whole_number(const std::string& text) { return reads_as<long long>(text) ? "" : not_a("a whole number", text); }

void add_format(CLI::App& c, TableFormat& format) {
  c.add_option(
       "--delimiter", format.delimiter,
       "Field separator: one character, or tab; auto (the default): a comma, a semicolon, a tab, | or a blank, as the header and the first "
       "rows show")
      ->check(wrong_delimiter);
  c.add_option("--decimal", format.decimal,
               "Decimal mark of numbers: . or , ; auto (the default): a comma if the delimiter is none and the first rows have numbers "
               "such as 12,5 "
               "and none such as 12.5")
      ->check(wrong_decimal);
}

void set_format(const TableFormat& format, CsvOptions& csv) {
  if (format.delimiter != "auto") csv.delimiter = format.delimiter.size() == 1 ? format.delimiter[0] : '\t';
  if (format.decimal != "auto") csv.decimal = format.decimal[0];
}

void add_missing_marker(CLI::App& c, std::vector<std::string>& markers) {
  c.add_option(
       "--missing-marker", markers,
       "Text that also means a missing value, such as . or -999 (repeatable). Always: an empty field, NA, N/A, NaN, nan, null, NULL "
       "and ?")
      ->allow_extra_args(false)
      ->check(not_empty);
}

Missing missing_of(const std::string& word) {
  if (word == "refuse") return Missing::refuse;
  if (word == "drop") return Missing::drop_rows;
  if (word == "impute") return Missing::keep;
  throw wrong("--missing", word, "it must be refuse, drop or impute");
}

void refuse_empty_values(const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (word.starts_with("--") && word.find('=') + 1 == word.size())
      throw InvalidArgument(fmt::format("{} is empty; give a value or leave it out", word.substr(0, word.size() - 1)));
}

std::string wrong_with(const CLI::ParseError& error, const CLI::App& command) {
  const std::vector<std::string> more = command.remaining();
  const auto is_option = [](const std::string& word) { return word.size() > 1 && word.front() == '-' && !reads_as<double>(word); };
  // A misspelt option comes first: because of it, other options are missing and its value is one argument too many.
  if (const auto found = std::find_if(more.begin(), more.end(), is_option); found != more.end()) return unknown_option(*found, command);
  std::string said = error.what();  // of CLI11
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !more.empty())
    return fmt::format("'{}' is one argument too many; 'ardvark {} --help' says what {} takes", io::shown(more.front()), command.get_name(),
                       command.get_name());
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) {
    if (const std::size_t at = said.find(": it is "); at != std::string::npos) said.erase(at, 4);
    return said;
  }
  constexpr std::string_view no_conversion = "Could not convert: ";
  if (said.starts_with(no_conversion)) said.erase(0, no_conversion.size());
  const CLI::Option* const option = option_of(said, command);
  if (option != nullptr && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr)
    return fmt::format("{} is missing: {}; 'ardvark {} --help' says what {} takes", option->get_name(), option->get_description(),
                       command.get_name(), command.get_name());
  if (option == nullptr) return said;
  const std::string name = option->get_name();
  if (option->get_items_expected_max() == 0) return fmt::format("{} takes no value", name);
  if (said.find(" missing") != std::string::npos) return fmt::format("{} has no value; give one or leave it out", name);
  if (option->count() > 1) return fmt::format("{} is given more than once; it has one value", name);
  return fmt::format("{} is '{}', which is out of range", name, io::shown(option->results().empty() ? "" : option->results().front()));
}

}  // namespace ardvark::cli
