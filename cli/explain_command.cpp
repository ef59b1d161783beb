// ardvark explain and ardvark presets: what the words of reports and options mean, and which presets there are.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <memory>
#include <set>
#include <string_view>

#include "ardvark/model.hpp"
#include "cli_glossary.hpp"
#include "fit.hpp"
#include "io/text.hpp"
#include "model/option_help.hpp"

namespace ardvark::cli {

using namespace internal;

namespace {

struct Entry {
  std::vector<std::string> terms;
  std::string text;
};

std::string trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return std::string(text);
}

// docs/glossary.md: "## term / other term", a blank line, the paragraph.
std::vector<Entry> entries() {
  constexpr std::string_view mark = "\n## ", separator = " / ";
  std::vector<Entry> out;
  std::string_view rest = glossary;
  for (std::size_t at = rest.find(mark); at != std::string_view::npos; at = rest.find(mark)) {
    rest.remove_prefix(at + mark.size());
    const std::size_t line = rest.find('\n');
    Entry& entry = out.emplace_back();
    for (std::string_view terms = rest.substr(0, line); !terms.empty();) {
      const std::size_t end = std::min(terms.find(separator), terms.size());
      entry.terms.push_back(trimmed(terms.substr(0, end)));
      terms.remove_prefix(std::min(end + separator.size(), terms.size()));
    }
    entry.text = trimmed(rest.substr(line, rest.find(mark, line) - line));
  }
  return out;
}

std::string simplified(std::string_view word) {
  std::string out;
  for (const char c : trimmed(word)) out += c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  while (out.starts_with("-")) out.erase(0, 1);
  if (out.starts_with("no-")) out.erase(0, 3);
  return out;
}

// Lines of at most 100 characters.
std::string wrapped(const std::string& text) {
  constexpr std::size_t most = 100;
  std::string out;
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (width > 0 && width + 1 + (end - at) > most) out += '\n', width = 0;
    if (width > 0) out += ' ', ++width;
    out += text.substr(at, end - at);
    width += end - at;
    at = end + 1;
  }
  return out + '\n';
}

// The options that a command of this program has.
std::vector<const ModelOption*> options_of(const CLI::App& app) {
  std::set<std::string> names;
  for (const CLI::App* command : app.get_subcommands({}))
    for (const CLI::Option* option : command->get_options())
      for (const std::string& name : option->get_lnames()) names.insert(simplified(name));
  std::vector<const ModelOption*> out;
  for (const ModelOption& row : model_options())
    if (names.contains(simplified(row.name))) out.push_back(&row);
  return out;
}

// What serves instead of an option of glmnet or scikit-learn; empty: it is none, or an option of a command of this program.
std::string of_another_program(const CLI::App& app, const std::string& asked) {
  std::string word = trimmed(asked);
  while (word.starts_with("-")) word.erase(0, 1);
  for (const CLI::App* command : app.get_subcommands({}))
    if (command->get_option_no_throw("--" + word) != nullptr) return {};
  std::ranges::replace(word, '-', '_');
  const ModelOptions reader{.spelling = Spelling::command_line};
  const std::string ours = instead_of(word, [&](const std::string& name, const std::string& value) {
    return value.empty() ? reader.spelled(name) : reader.spelled(name, value);
  });
  return ours.empty() ? "" : wrapped(fmt::format("{} is a word of glmnet or scikit-learn: {}", word, ours));
}

// The help of the options that may be this word.
std::string of_a_word(const CLI::App& app, const std::string& wanted) {
  const ModelOptions reader{.spelling = Spelling::command_line};
  std::string found;
  for (const ModelOption* row : options_of(app))
    if (std::ranges::any_of(row->facts.words, [&](const OptionWord& word) { return simplified(word.word) == wanted; }))
      found += wrapped(fmt::format("{}: {}", reader.spelled(row->name, wanted), help_of(reader, *row)));
  return found;
}

int explain(const CLI::App& app, const std::string& asked) {
  const std::vector<Entry> all = entries();
  std::vector<std::string> known;
  const std::string wanted = simplified(asked);
  std::string found;
  for (const Entry& entry : all)
    for (const std::string& term : entry.terms) {
      known.push_back(term);
      if (simplified(term) == wanted && !found.ends_with(wrapped(entry.text))) found += wrapped(entry.text);
    }
  ModelOptions options;
  options.spelling = Spelling::command_line;
  for (const ModelOption* row : options_of(app)) {
    known.push_back(options.spelled(row->name));
    if (simplified(row->name) == wanted) found += wrapped(fmt::format("{}: {}", options.spelled(row->name), help_of(options, *row)));
  }
  for (const PresetInfo& p : presets()) {
    known.emplace_back(p.name);
    if (simplified(p.name) == wanted) found += wrapped(fmt::format("--preset {}: {}", p.name, p.description));
  }
  if (found.empty()) found = of_a_word(app, wanted);
  if (found.empty()) found = of_another_program(app, asked);
  if (found.empty()) {
    const std::string nearest = io::did_you_mean(asked, known);
    throw InvalidArgument(fmt::format("'{}' is not in the glossary{}", io::shown(asked),
                                      nearest.empty() ? "; 'ardvark explain' lists its terms, and the options" : nearest));
  }
  fmt::print("{}", found);
  return ok;
}

int list_terms(const CLI::App& app) {
  std::string terms, options;
  for (const Entry& entry : entries()) terms += (terms.empty() ? "" : "; ") + entry.terms.front();
  ModelOptions spelling;
  spelling.spelling = Spelling::command_line;
  for (const ModelOption* row : options_of(app)) options += (options.empty() ? "" : ", ") + spelling.spelled(row->name);
  fmt::print("Words of reports:\n{}\nOptions:\n{}\nand the presets, which 'ardvark presets' lists.\n", wrapped(terms), wrapped(options));
  return ok;
}

}  // namespace

void add_explain(CLI::App& app, Run& run) {
  CLI::App& c = *app.add_subcommand("explain", "Say what a word of a report, an option or a preset means");
  auto words = std::make_shared<std::vector<std::string>>();
  c.add_option("term", *words, "The word, such as inclusion, prior or log evidence; without it, a list of all");
  c.footer("Example:\n  ardvark explain inclusion");
  c.allow_extras();  // --prior
  c.callback([words, &app, &c, &run] {
    for (const std::string& word : c.remaining()) words->push_back(word);
    run = [words, &app] { return words->empty() ? list_terms(app) : explain(app, fmt::format("{}", fmt::join(*words, " "))); };
  });
}

void add_presets(CLI::App& app, Run& run) {
  CLI::App& c = *app.add_subcommand("presets", "List the published programs that fit --preset reproduces");
  c.callback([&run] {
    run = [] {
      fmt::print("{}\n", list_of_presets().substr(1));
      return static_cast<int>(ok);
    };
  });
}

}  // namespace ardvark::cli
