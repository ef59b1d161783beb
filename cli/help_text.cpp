// What --help prints: lines of at most 100 characters; for commands with many options only those that are used most.
#include <CLI/CLI.hpp>
#include <cctype>
#include <memory>
#include <sstream>
#include <string>

#include "commands.hpp"
#include "described.hpp"

namespace ardvark::cli {
namespace {

constexpr std::size_t line_width = 100, option_width = 30;

// In the order of --help. The first four say what is fitted to what.
constexpr const char* used_most[] = {"data",       "--target",      "--model",     "--output",  "--prior",   "--priors",         "--kernel",
                                     "--ignore",   "--categorical", "--reference", "--weights", "--missing", "--missing-marker", "--level",
                                     "--diagnose", "--folds",       "--repeats",   "--top",     "--task",    "--width",          "--preset",
                                     "--json",     "--strict",      "--quiet"};

// Breaks each line where it would be wider.
std::string wrapped(const std::string& text, std::size_t width) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line); out += '\n') {
    const bool is_command = line.starts_with("  ardvark ");  // to be copied
    while (line.size() > width && !is_command) {
      const std::size_t blank = line.rfind(' ', width);
      if (blank == std::string::npos || line.find_first_not_of(' ') > blank) break;
      out += line.substr(0, blank) + "\n";
      line.erase(0, blank + 1);
    }
    out += line;
  }
  if (!out.empty()) out.pop_back();
  return out;
}

class HelpText : public CLI::Formatter {
 public:
  HelpText() { column_width(option_width); }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    const bool all = mode == CLI::AppFormatMode::All || app->get_help_all_ptr() == nullptr;
    if (all) {
      const std::string text = Formatter::make_help(app, std::move(name), CLI::AppFormatMode::Normal);
      return text.ends_with('\n') ? text : text + "\n";
    }
    std::string out = make_description(app) + make_usage(app, name) + "\n" + make_footer(app) + "\n\nThe options that are used most:\n";
    for (const char* const option : used_most)
      if (const CLI::Option* const found = app->get_option_no_throw(option)) out += line_of(*found);
    return out + "\n" +
           wrapped(
               "'ardvark " + app->get_name() +
                   " --help-all' prints all options, 'ardvark presets' the published programs, and 'ardvark explain TERM' what a word of a "
                   "report means. docs/which_prior.md says which prior to take; docs/from_other_programs.md has the names that glmnet, "
                   "scikit-learn and others use.",
               line_width) +
           "\n";
  }

 protected:
  std::string make_option_desc(const CLI::Option* option) const override {
    return wrapped(CLI::Formatter::make_option_desc(option), line_width - option_width);
  }
  std::string make_footer(const CLI::App* app) const override { return wrapped(CLI::Formatter::make_footer(app), line_width); }

 private:
  [[nodiscard]] std::string line_of(const CLI::Option& option) const {
    std::ostringstream out;
    CLI::detail::format_help(out, make_option_name(&option, option.get_positional()) + make_option_opts(&option),
                             wrapped(beginning(option.get_description()), line_width - option_width), option_width);
    return out.str();
  }
};

}  // namespace

void print_help_readably(CLI::App& app) { app.formatter(std::make_shared<HelpText>()); }

void shorten_help(CLI::App& command) { command.set_help_all_flag("--help-all", "Print all options and exit"); }

}  // namespace ardvark::cli
