// The commands. A command only passes data between files and the library.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ardvark/table.hpp"
#include "core/refusals.hpp"

namespace ardvark::internal::io {
class FileInTheMaking;
}

namespace CLI {
class App;
class Option;
class ParseError;
}  // namespace CLI

namespace ardvark::cli {

using internal::refused, internal::wrong;

/// Registers a command with its options. After parsing, `run` is the function that does the work and returns the exit code.
using Run = std::function<int()>;
void add_fit(CLI::App& app, Run& run);
void add_select(CLI::App& app, Run& run);
void add_compare(CLI::App& app, Run& run);
void add_predict(CLI::App& app, Run& run);
void add_stats(CLI::App& app, Run& run);
void add_merge(CLI::App& app, Run& run);
void add_show(CLI::App& app, Run& run);
void add_report(CLI::App& app, Run& run);
void add_explain(CLI::App& app, Run& run);
void add_presets(CLI::App& app, Run& run);

/// A program with these commands: it runs the one that the words name, and turns errors into a message and an exit code.
struct ProgramText {
  const char *name, *description, *footer;
};
using AddCommand = void (*)(CLI::App& app, Run& run);
[[nodiscard]] int run_program(const ProgramText& text, const std::vector<AddCommand>& commands, std::vector<std::string> words);
/// The words that it got.
[[nodiscard]] const std::vector<std::string>& given_words();

/// The version, the commit of the sources, and the BLAS, in a line each.
[[nodiscard]] std::string version_of(const std::string& program);
[[nodiscard]] std::string version();
/// YYYY-MM-DD, of the commit or else of the build.
[[nodiscard]] std::string date_of_sources();

enum ExitCode { ok = 0, internal_error = 1, invalid_argument = 2, environment_error = 3, not_converged = 4, interrupted = 130 };

/// While this object exists, a file is being written, and Ctrl-C waits.
class UninterruptedWrite {
 public:
  /// \param completes  whether the file is complete afterwards
  explicit UninterruptedWrite(bool completes = true);
  ~UninterruptedWrite();
  UninterruptedWrite(const UninterruptedWrite&) = delete;
  UninterruptedWrite& operator=(const UninterruptedWrite&) = delete;

 private:
  bool completes_;
};

/// What a command writes while it reads on: a file that is there complete or not at all, also after Ctrl-C; or standard output.
class LongOutput {
 public:
  /// \param path  empty: standard output
  explicit LongOutput(const std::string& path);
  ~LongOutput();
  LongOutput(const LongOutput&) = delete;
  LongOutput& operator=(const LongOutput&) = delete;
  void write(const std::string& text);
  /// Where the file is while it is incomplete; empty: standard output, a device or a pipe.
  [[nodiscard]] std::string partial_path() const;
  void finish();  ///< the file is complete

 private:
  std::unique_ptr<internal::io::FileInTheMaking> file_;
};

/// Whether Ctrl-C waits for the end of what is being written.
[[nodiscard]] bool is_interrupted();

/// Splits "a,b,c", given once or several times. As in CSV, a name with a comma is in double quotes, and a quote in it is doubled:
/// "\"a,b\",c".
[[nodiscard]] std::vector<std::string> split_names(const std::vector<std::string>& lists);

/// Writes what was printed so far. \throws EnvironmentError  it cannot be written
void flush_output();

/// A field of CSV, in quotes if needed.
[[nodiscard]] std::string csv_field(const std::string& text);

/// A check for options whose empty value, for example from an unset shell variable, would count as not given.
[[nodiscard]] inline std::string not_empty(const std::string& text) {
  return text.empty() ? "it is empty; give a value or leave it out" : "";
}

/// Checks of options that hold numbers.
[[nodiscard]] std::string is_number(const std::string& text);
[[nodiscard]] std::string is_whole_number(const std::string& text);

/// How a file of CSV is written.
struct TableFormat {
  std::string delimiter = "auto", decimal = "auto";
};
/// The options --delimiter and --decimal.
void add_format(CLI::App& c, TableFormat& format);
void set_format(const TableFormat& format, CsvOptions& csv);

/// Makes the help of all commands, which are added later, break its lines.
void print_help_readably(CLI::App& app);
/// Makes --help print only the options that are used most; --help-all then prints all.
void shorten_help(CLI::App& command);

/// The option --missing-marker.
void add_missing_marker(CLI::App& c, std::vector<std::string>& markers);
/// The value of --missing; keep: impute. \throws InvalidArgument
[[nodiscard]] Missing missing_of(const std::string& word);

/// \throws InvalidArgument  an option has an empty value, such as --level=
void refuse_empty_values(const std::vector<std::string>& words);
/// The error of a command line, with name and value. \param command  the command that was called
[[nodiscard]] std::string wrong_with(const CLI::ParseError& error, const CLI::App& command);

/// The library counts only the rows that it gets. If `work` throws an InvalidArgument about one of them, its message gets the row and the
/// line of the file instead. \param rows  may be what Table::row_names() has left \param rows_before  that the library had counted
void in_rows_of_file(const Table& rows, const std::function<void()>& work, Index rows_before = 0);

/// The summary; after a shortened list, it says that --json has the whole list.
[[nodiscard]] std::string naming_json(const std::string& summary);

}  // namespace ardvark::cli
