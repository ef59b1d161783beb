// What completions and manual pages are made of: the options of the parser, and the words that their values may be.
#include "described.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <string_view>

#include "ardvark/model.hpp"

namespace ardvark::cli {
namespace {

// Words of options that are not in the option table.
struct Words {
  std::string_view option;
  std::vector<std::string_view> words;
};
const Words other_words[] = {
    {"--priors", {"shared", "ard", "dense", "slab", "sparse"}},
    {"--families", {"normal", "student", "poisson", "negative-binomial"}},
    {"--models", {"kernel"}},
    {"--stream", {"auto", "always", "never"}},
    {"--form", {"gram", "factor"}},
    {"--interval", {"new", "mean"}},
    {"--rule", {"automatic", "exact", "plug-in", "mackay", "published", "published-batch", "published-incremental", "average", "mixture"}},
    {"--delimiter", {"auto", "tab"}},
    {"--decimal", {"auto"}},
    {"--index-base", {"auto", "0", "1"}},
    {"--count-allele", {"1", "2"}},
    {"--absent-variants", {"refuse", "mean"}},
    {"--completion", {"bash", "zsh", "fish"}},
};
constexpr std::string_view of_files[] = {"data",   "model",     "statistics",   "--output",    "--statistics",
                                         "--path", "--targets", "--covariates", "--folds-out", "--report"};

bool says(const std::string& text, std::string_view word) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_'; };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    if ((at == 0 || !is_part(text[at - 1])) && (at + word.size() == text.size() || !is_part(text[at + word.size()]))) return true;
  return false;
}

// A command may have fewer words than the table: those that its help says.
std::vector<std::string> words_of(const std::string& name, const std::string& text) {
  std::vector<std::string> words;
  const auto add = [&](std::string_view word) {
    if (says(text, word)) words.emplace_back(word);
  };
  if (name == "--preset")
    for (const PresetInfo& preset : presets()) add(preset.name);
  const ModelOptions reader{.spelling = Spelling::command_line};
  for (const ModelOption& row : model_options())
    if (name == reader.spelled(row.name))
      for (const OptionWord& word : row.facts.words) add(word.word);
  for (const Words& row : other_words)
    if (name == row.option)
      for (const std::string_view word : row.words) add(word);
  return words;
}

DescribedOption described(const CLI::Option& option) {
  DescribedOption out;
  out.is_positional = option.get_positional();
  for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
  if (out.is_positional) out.names = {option.get_name(true)};
  if (option.get_items_expected_max() > 0) out.type = option.get_type_name();
  out.heading = option.get_group();
  out.text = option.get_description();
  out.is_required = option.get_required();
  out.is_repeatable = option.get_items_expected_max() > 1;
  out.is_file = std::ranges::find(of_files, out.names.back()) != std::end(of_files);
  if (!out.type.empty()) out.words = words_of(out.names.back(), out.text);
  return out;
}

DescribedCommand described_command(const CLI::App& app) {
  DescribedCommand out{app.get_name(), app.get_description(), app.get_footer(), {}};
  for (const CLI::Option* option : app.get_options()) out.options.push_back(described(*option));
  return out;
}

}  // namespace

std::vector<DescribedCommand> described(const CLI::App& app) {
  std::vector<DescribedCommand> out = {described_command(app)};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) out.push_back(described_command(*command));
  for (DescribedOption& option : out.front().options)
    if (option.names.back() == "--man")
      for (const DescribedCommand& command : out)
        option.words.push_back(command.name == app.get_name() ? command.name : app.get_name() + "-" + command.name);
  return out;
}

// A period within a sentence, as in "such as . or", has a blank before it.
std::string beginning(const std::string& text) {
  const std::string line = text.substr(0, text.find('\n'));
  int sentences = 0;
  for (std::size_t i = 1; i + 1 < line.size(); ++i)
    if (line[i] == '.' && line[i + 1] == ' ' && line[i - 1] != ' ' && ++sentences == 2) return line.substr(0, i + 1);
  return line;
}

}  // namespace ardvark::cli
