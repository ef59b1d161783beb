// Scripts that make shells complete the words of the program.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "described.hpp"

namespace ardvark::cli {
namespace {

// What a menu shows beside an option.
std::string in_a_menu(const std::string& text) {
  constexpr std::size_t most = 90;
  std::string line = beginning(text);
  if (line.size() > most) line = line.substr(0, line.rfind(' ', most)) + " ...";
  if (line.ends_with('.') && !line.ends_with("...")) line.pop_back();
  return line;
}

std::string replaced(const std::string& text, const std::string& letters, const char* form) {
  std::string out;
  for (const char c : text) out += letters.find(c) == std::string::npos ? std::string(1, c) : fmt::format(fmt::runtime(form), c);
  return out;
}

// As one word of a shell.
std::string quoted(const std::string& text) { return "'" + replaced(text, "'", "'\\{}'") + "'"; }
std::string quoted_for_fish(const std::string& text) { return "'" + replaced(text, "\\'", "\\{}") + "'"; }

std::vector<std::string> names_of_commands(const std::vector<DescribedCommand>& all) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i < all.size(); ++i) names.push_back(all[i].name);
  return names;
}

bool takes_files(const DescribedCommand& command) {
  return std::ranges::any_of(command.options, [](const DescribedOption& option) { return option.is_positional && option.is_file; });
}

// A function's name cannot have a dash in every shell.
std::string function_of(const std::string& program) {
  std::string name = "_" + program;
  std::ranges::replace(name, '-', '_');
  return name;
}

// Bash splits --option=value into three words. An empty list with -o default is one of files, with their names quoted by the shell.
std::string of_bash(const std::vector<DescribedCommand>& all) {
  const std::string program = all.front().name, function = function_of(program);
  const auto command_of = [&](const DescribedCommand& command) { return &command == &all.front() ? "" : command.name; };
  std::string out = fmt::format(R"(# bash completion for {0}. {0} --completion bash wrote it.
{1}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} command= words= i
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${{COMP_WORDS[i]}} != -* ]]; then
      command=${{COMP_WORDS[i]}}
      break
    fi
  done
  COMPREPLY=()
  case "$command $before" in
)",
                                program, function);
  std::string unknown;  // values of which nothing is known
  for (const DescribedCommand& command : all)
    for (const DescribedOption& option : command.options) {
      if (option.is_positional || option.type.empty()) continue;
      std::string patterns;
      for (const std::string& name : option.names)
        patterns += fmt::format("{}\"{} {}\"", patterns.empty() ? "" : " | ", command_of(command), name);
      if (option.is_file)
        out += fmt::format("    {})\n      compopt -o default\n      return\n      ;;\n", patterns);
      else if (option.words.empty())
        unknown += (unknown.empty() ? "" : " | \\\n      ") + patterns;
      else
        out += fmt::format("    {})\n      COMPREPLY=($(compgen -W '{}' -- \"$word\"))\n      return\n      ;;\n", patterns,
                           fmt::join(option.words, " "));
    }
  if (!unknown.empty()) out += fmt::format("    {})\n      return\n      ;;\n", unknown);
  out += "  esac\n  case $command in\n";
  for (const DescribedCommand& command : all) {
    std::vector<std::string> names;
    for (const DescribedOption& option : command.options)
      if (!option.is_positional) names.push_back(option.names.back());
    if (&command == &all.front()) {
      out += fmt::format("    '') words='{} help {}' ;;\n    help) words='{}' ;;\n", fmt::join(names_of_commands(all), " "),
                         fmt::join(names, " "), fmt::join(names_of_commands(all), " "));
      continue;
    }
    out += fmt::format("    {})\n", command.name);
    if (takes_files(command)) out += "      if [[ $word != -* ]]; then\n        compopt -o default\n        return\n      fi\n";
    out += fmt::format("      words='{}'\n      ;;\n", fmt::join(names, " "));
  }
  return out + fmt::format("  esac\n  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}}\ncomplete -F {} {}\n", function, program);
}

// One argument of _arguments.
std::string argument_of_zsh(const DescribedOption& option) {
  const std::string action = option.is_file ? "_files" : option.words.empty() ? " " : fmt::format("({})", fmt::join(option.words, " "));
  const std::string about = replaced(in_a_menu(option.text), "\\[]:", "\\{}");
  if (option.is_positional) return quoted(fmt::format("{}:{}:{}", option.is_repeatable ? "*" : "", option.names.back(), action));
  const std::string star = option.is_repeatable ? "*" : "";
  const std::string value = option.type.empty() ? "" : fmt::format(":{}:{}", option.type, action);
  std::string out;
  for (const std::string& name : option.names) {
    // The others of its names do not come after it.
    const std::string others = star.empty() && option.names.size() > 1 ? fmt::format("({})", fmt::join(option.names, " ")) : "";
    const char* const ends = option.type.empty() ? "" : name.starts_with("--") ? "=" : "+";
    out += fmt::format("{}{}", out.empty() ? "" : " ", quoted(fmt::format("{}{}{}{}[{}]{}", others, star, name, ends, about, value)));
  }
  return out;
}

std::string of_zsh(const std::vector<DescribedCommand>& all) {
  const std::string program = all.front().name, function = function_of(program);
  std::string out = fmt::format(R"(#compdef {0}
# zsh completion for {0}. {0} --completion zsh wrote it.
{1}() {{
  local curcontext=$curcontext state line
  local -a commands
  commands=(
)",
                                program, function);
  for (const DescribedCommand& command : all)
    if (&command != &all.front()) out += fmt::format("    {}\n", quoted(command.name + ":" + replaced(command.text, "\\:", "\\{}")));
  out += "    'help:Print the help of a command'\n  )\n  _arguments -C \\\n";
  for (const DescribedOption& option : all.front().options) out += fmt::format("    {} \\\n", argument_of_zsh(option));
  out +=
      "    '1: :->command' '*:: :->argument' && return\n"
      "  case $state in\n"
      "    command) _describe -t commands command commands ;;\n"
      "    argument)\n"
      "      case $words[1] in\n";
  for (const DescribedCommand& command : all) {
    if (&command == &all.front()) continue;
    out += fmt::format("        {})\n          _arguments", command.name);
    for (const DescribedOption& option : command.options) out += fmt::format(" \\\n            {}", argument_of_zsh(option));
    out += "\n          ;;\n";
  }
  return out + fmt::format(R"(        help) _describe -t commands command commands ;;
      esac
      ;;
  esac
}}
if [[ $funcstack[1] == _{1} ]]; then  # zsh found the file by its name
  {0} "$@"
else
  compdef {0} {1}
fi
)",
                           function, program);
}

std::string of_fish(const std::vector<DescribedCommand>& all) {
  const std::string program = all.front().name;
  std::string out = fmt::format("# fish completion for {0}. {0} --completion fish wrote it.\ncomplete -c {0} -f\n", program);
  const std::string begins = fmt::format("complete -c {} -n __fish_use_subcommand", program);
  for (const DescribedCommand& command : all) {
    const bool is_program = &command == &all.front();
    const std::string here = is_program ? begins : fmt::format("complete -c {} -n '__fish_seen_subcommand_from {}'", program, command.name);
    if (!is_program) out += fmt::format("{} -a {} -d {}\n", begins, command.name, quoted_for_fish(command.text));
    if (takes_files(command)) out += here + " -F\n";
    for (const DescribedOption& option : command.options) {
      if (option.is_positional) continue;
      out += here;
      for (const std::string& name : option.names) out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (option.is_file)
        out += " -r -F";
      else if (!option.type.empty())
        out += " -x";
      if (!option.words.empty()) out += fmt::format(" -a '{}'", fmt::join(option.words, " "));
      out += fmt::format(" -d {}\n", quoted_for_fish(in_a_menu(option.text)));
    }
  }
  return out + fmt::format("{} -a help -d 'Print the help of a command'\ncomplete -c {} -n '__fish_seen_subcommand_from help' -a '{}'\n",
                           begins, program, fmt::join(names_of_commands(all), " "));
}

}  // namespace

std::string completion(const CLI::App& app, const std::string& shell) {
  const std::vector<DescribedCommand> all = described(app);
  if (shell == "bash") return of_bash(all);
  if (shell == "zsh") return of_zsh(all);
  if (shell == "fish") return of_fish(all);
  throw wrong("--completion", shell, "it must be bash, zsh or fish");
}

}  // namespace ardvark::cli
