// The commands. Each parses nothing and decides nothing: it marshals between files and the library.
#pragma once

#include <functional>
#include <string>

#include "ardvark/report.hpp"
#include "ardvark/table.hpp"

namespace CLI {
class App;
class Option;
class ParseError;
}  // namespace CLI

namespace ardvark::cli {

/// Registers a command with its options; `run` receives what to do once the command line is complete, returning the exit code.
using Run = std::function<int()>;
void add_fit(CLI::App& app, Run& run);
void add_select(CLI::App& app, Run& run);
void add_compare(CLI::App& app, Run& run);
void add_predict(CLI::App& app, Run& run);
void add_show(CLI::App& app, Run& run);

enum ExitCode { ok = 0, internal_error = 1, invalid_argument = 2, environment_error = 3, not_converged = 4, interrupted = 130 };

/// While it lives, Ctrl-C waits: a file is being written.
class UninterruptedWrite {
 public:
  UninterruptedWrite();
  ~UninterruptedWrite();
  UninterruptedWrite(const UninterruptedWrite&) = delete;
  UninterruptedWrite& operator=(const UninterruptedWrite&) = delete;
};

/// "a,b,c" given once or several times. A name that holds a comma stands in double quotes, a quote in it twice, as in CSV: "\"a,b\",c".
[[nodiscard]] std::vector<std::string> split_names(const std::vector<std::string>& lists);

/// A field as CSV wants it.
[[nodiscard]] std::string csv_field(const std::string& text);

/// A check for options whose empty value, say of a shell variable that is not set, would read as absent.
[[nodiscard]] inline std::string not_empty(const std::string& text) {
  return text.empty() ? "it is empty; give a value or leave it out" : "";
}

/// Checks of options that hold numbers.
[[nodiscard]] std::string is_number(const std::string& text);
[[nodiscard]] std::string is_whole_number(const std::string& text);
/// Of --delimiter.
[[nodiscard]] std::string is_one_character(const std::string& text);

/// \throws InvalidArgument  an option without what it needs: --level=
void refuse_empty_values(const std::vector<std::string>& words);
/// What is wrong with the command line, by name and value. \param command  the one that was asked for
[[nodiscard]] std::string wrong_with(const CLI::ParseError& error, const CLI::App& command);

/// The library counts the rows that it was given: where the message of an InvalidArgument of `work` says "at row 3", it gets the row and
/// the line of the file. \param file_rows, file_lines, num_rows  as in Table
void in_rows_of_file(const std::vector<Index>& file_rows, const std::vector<Index>& file_lines, Index num_rows,
                     const std::function<void()>& work);

/// A summary, which says where the rest of a shortened list is.
[[nodiscard]] std::string naming_json(const std::string& summary);

/// One progress line on a terminal, for work over a second; erased when done.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted);
  ~ProgressLine();
  void show(const Progress& progress);
  void show(const std::string& done, double elapsed_seconds);  ///< "done, 3 s"

 private:
  bool on_ = false;
  bool shown_ = false;
  double last_ = 0;
};

}  // namespace ardvark::cli
