// Pages of the manual, in the macros of man(7).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <sstream>

#include "described.hpp"

namespace ardvark::cli {
namespace {

// Letters that roff would read as its own or print as others. A dash is one that can be copied.
std::string in_roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\': out += "\\(rs"; break;
      case '-': out += "\\-"; break;
      case '\'': out += "\\(aq"; break;
      case '`': out += "\\(ga"; break;
      case '^': out += "\\(ha"; break;
      case '~': out += "\\(ti"; break;
      case '"': out += "\\(dq"; break;
      default: out += c;
    }
  }
  return out;
}

// Lines of at most 80 characters, none of which begins as a request does.
std::string lines_of(const std::string& sentence) {
  constexpr std::size_t most = 80;
  std::string out, line;
  std::istringstream words(in_roff(sentence));
  for (std::string word; words >> word;) {
    if (!line.empty() && line.size() + 1 + word.size() > most) out += line + "\n", line.clear();
    if (line.empty())
      line = (word.starts_with('.') ? "\\&" : "") + word;
    else
      line += " " + word;
  }
  return out + line + "\n";
}

// Each sentence begins a line, as roff wants it.
std::string sentences_of(const std::string& text) {
  std::string out;
  std::size_t begin = 0;
  for (std::size_t i = 1; i + 1 < text.size(); ++i)
    if (text[i] == '.' && text[i + 1] == ' ' && text[i - 1] != ' ') {
      out += lines_of(text.substr(begin, i + 1 - begin));
      begin = i + 2;
    }
  return out + lines_of(text.substr(begin));
}

// Lines that begin with blanks are a list of words and their meaning, such as presets.
std::string paragraph_of(const std::string& text) {
  std::string out;
  bool is_list = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(' ')) {
      out += sentences_of(line);
      continue;
    }
    if (!is_list) out += ".RS\n";
    is_list = true;
    const std::size_t first = line.find_first_not_of(' '), end = line.find(' ', first);
    out += ".TP\n\\fB" + in_roff(line.substr(first, end - first)) + "\\fR\n" + lines_of(line.substr(end));
  }
  return out + (is_list ? ".RE\n" : "");
}

// Exit codes, examples, and the rest. The codes are those of the program.
std::string end_of(const std::string& footer, const std::string& footer_of_program) {
  constexpr const char* before_codes = "Exit codes: ";
  std::string notes, examples, codes;
  if (const std::size_t at = footer_of_program.find(before_codes); at != std::string::npos) {
    codes = footer_of_program.substr(at + std::string(before_codes).size());
    codes.erase(std::min(codes.find('\n'), codes.size()));
  }
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  "))
      examples += in_roff(line.substr(2)) + "\n";
    else if (!line.starts_with(before_codes) && line != "Example:" && line != "Examples:")
      notes += (notes.empty() ? "" : ".PP\n") + paragraph_of(line);
  }
  std::string out;
  if (!notes.empty()) out += ".SH NOTES\n" + notes;
  if (!codes.empty()) out += ".SH \"EXIT STATUS\"\n" + paragraph_of(codes);
  if (!examples.empty()) out += ".SH EXAMPLES\n.nf\n" + examples + ".fi\n";
  return out;
}

std::string entry_of(const DescribedOption& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names)
    names.push_back(option.is_positional ? "\\fI" + in_roff(name) + "\\fR" : "\\fB" + in_roff(name) + "\\fR");
  std::string out = ".TP\n" + fmt::format("{}", fmt::join(names, ", "));
  if (!option.is_positional && !option.type.empty()) out += " \\fI" + option.type + "\\fR";
  if (option.is_repeatable) out += " ...";
  if (option.is_required) out += " (required)";
  return out + "\n" + paragraph_of(option.text);
}

std::string options_of(const DescribedCommand& command) {
  std::string out;
  for (const bool positional : {true, false}) {
    std::vector<std::string> headings;
    for (const DescribedOption& option : command.options)
      if (option.is_positional == positional && std::ranges::find(headings, option.heading) == headings.end())
        headings.push_back(option.heading);
    if (!headings.empty()) out += positional ? ".SH ARGUMENTS\n" : ".SH OPTIONS\n";
    for (const std::string& heading : headings) {
      if (headings.size() > 1 && heading != "Options") out += ".SS \"" + in_roff(heading) + "\"\n";
      for (const DescribedOption& option : command.options)
        if (option.is_positional == positional && option.heading == heading) out += entry_of(option);
    }
  }
  return out;
}

std::string in_capitals(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

}  // namespace

std::string manual(const CLI::App& app, const std::string& page) {
  const std::vector<DescribedCommand> all = described(app);
  const std::string& program = all.front().name;
  std::vector<std::string> pages;
  for (const DescribedCommand& command : all) pages.push_back(&command == &all.front() ? program : program + "-" + command.name);
  const auto found = std::ranges::find(pages, page);
  if (found == pages.end()) throw wrong("--man", page, fmt::format("it must be one of {}", fmt::join(pages, ", ")));
  const DescribedCommand& command = all[static_cast<std::size_t>(found - pages.begin())];
  const bool is_program = found == pages.begin();

  std::string about = command.text;  // "ardvark: ..." for the program
  if (about.starts_with(program + ": ")) about.erase(0, program.size() + 2);
  about[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(about[0])));
  std::string out = fmt::format(".TH {} 1 {} \"{} {}\" \"User Commands\"\n.SH NAME\n{} \\- {}", in_roff(in_capitals(page)),
                                date_of_sources(), in_roff(program), version(), in_roff(page), in_roff(about) + "\n");
  out += ".SH SYNOPSIS\n\\fB" + in_roff(is_program ? program : program + " " + command.name) + "\\fR [\\fIoptions\\fR]";
  if (is_program) out += " \\fIcommand\\fR [\\fIarguments\\fR]";
  for (const DescribedOption& option : command.options)
    if (option.is_positional) {
      const std::string argument = "\\fI" + option.names.back() + "\\fR" + (option.is_repeatable ? " ..." : "");
      out += option.is_required ? " " + argument : " [" + argument + "]";
    }
  out += "\n";
  if (is_program) {
    out += ".SH COMMANDS\n";
    for (std::size_t i = 1; i < all.size(); ++i) out += ".TP\n\\fB" + in_roff(all[i].name) + "\\fR\n" + paragraph_of(all[i].text + ".");
  }
  out += options_of(command) + end_of(command.footer, all.front().footer);
  std::vector<std::string> others;
  for (const std::string& other : pages)
    if (other != page) others.push_back("\\fB" + in_roff(other) + "\\fR(1)");
  return out + fmt::format(".SH \"SEE ALSO\"\n{}\n", fmt::join(others, ",\n"));
}

}  // namespace ardvark::cli
