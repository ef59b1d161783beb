// The commands and options of a program as pages and shells are told of them. They come from the parser that --help prints.
#pragma once

#include <string>
#include <vector>

#include "commands.hpp"

namespace ardvark::cli {

struct DescribedOption {
  std::vector<std::string> names;  ///< with their dashes, the short one first; of a positional argument, its name
  std::string type;                ///< of the value, such as TEXT; empty: a flag
  std::string heading;             ///< under which --help lists it
  std::string text;
  std::vector<std::string> words;  ///< that the value may be, as far as they can be listed
  bool is_positional = false, is_file = false, is_required = false, is_repeatable = false;
};
struct DescribedCommand {
  std::string name;  ///< of the program itself: its own
  std::string text, footer;
  std::vector<DescribedOption> options;
};
/// The program first.
[[nodiscard]] std::vector<DescribedCommand> described(const CLI::App& app);

/// The first two sentences of a text's first line.
[[nodiscard]] std::string beginning(const std::string& text);

/// The script that makes a shell complete the words of the program. \throws InvalidArgument  it is not bash, zsh or fish
[[nodiscard]] std::string completion(const CLI::App& app, const std::string& shell);

/// A page of the manual in the macros of man(7): that of the program, or of a command, such as ardvark-fit. \throws InvalidArgument
[[nodiscard]] std::string manual(const CLI::App& app, const std::string& page);

}  // namespace ardvark::cli
