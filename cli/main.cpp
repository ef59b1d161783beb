// What the programs share: a command is read and run, signals and errors become messages and exit codes.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "ardvark/errors.hpp"
#include "commands.hpp"
#include "described.hpp"
#include "io/file.hpp"

namespace ardvark::cli {
namespace {

// Masking the signals is not enough: the threads of the BLAS would receive them.
enum class Interruptible { yes, writing, after_writing, leaving };
std::atomic<Interruptible> interruptible{Interruptible::yes};
std::atomic<bool> wrote{false};  // a file is complete already
static_assert(std::atomic<Interruptible>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

bool change(Interruptible from, Interruptible to) { return interruptible.compare_exchange_strong(from, to); }

char unfinished_path[PATH_MAX + 1];  // of the file of a LongOutput
std::atomic<bool> has_unfinished_file{false};

[[noreturn]] void leave(std::string_view text) {
  if (has_unfinished_file) ::unlink(unfinished_path);
  const auto written = ::write(2, text.data(), text.size());
  static_cast<void>(written);
  ::_exit(interrupted);
}

std::string_view why_it_ends() {
  return wrote ? "\nardvark: interrupted; the file was written and is complete\n" : "\nardvark: interrupted; nothing was written\n";
}

extern "C" void on_interrupt(int) {
  if (change(Interruptible::yes, Interruptible::leaving)) leave(why_it_ends());
  change(Interruptible::writing, Interruptible::after_writing);
}

// A message has one line, whatever the texts of the user contain.
int fail(std::string_view message, ExitCode code) {
  std::string line;
  for (const char c : message) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      line += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    else
      line += c;
  }
  std::fputs(("ardvark: " + line + "\n").c_str(), stderr);  // fmt::print would throw if stderr cannot be written
  return code;
}

[[noreturn]] void cannot_print(int error) {
  throw EnvironmentError(fmt::format("cannot write the output: {}", std::generic_category().message(error)));
}

int flushed(int code) {
  flush_output();
  return code;
}

// Parses the words and runs the command; --help and --version print their text.
int obey(CLI::App& app, std::vector<std::string> words, const Run& run) {
  refuse_empty_values(words);
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0) throw;
    std::ostringstream text;
    app.exit(e, text, text);
    if (std::fputs(text.str().c_str(), stdout) == EOF) cannot_print(errno);
    return flushed(ok);
  }
  return flushed(run());
}

}  // namespace

UninterruptedWrite::UninterruptedWrite(bool completes) : completes_(completes) {
  while (!change(Interruptible::yes, Interruptible::writing)) ::pause();  // another thread is leaving
}

UninterruptedWrite::~UninterruptedWrite() {
  if (completes_ && std::uncaught_exceptions() == 0) wrote = true;
  if (change(Interruptible::writing, Interruptible::yes)) return;
  if (std::uncaught_exceptions() == 0) leave(why_it_ends());
}

LongOutput::LongOutput(const std::string& path) {
  if (path.empty()) return;
  const UninterruptedWrite guard(false);
  file_ = std::make_unique<internal::io::FileInTheMaking>(path);
  const std::string& partial = file_->partial_path();
  if (partial.empty() || partial.size() > PATH_MAX) return;
  std::memcpy(unfinished_path, partial.c_str(), partial.size() + 1);
  has_unfinished_file = true;
}

LongOutput::~LongOutput() {
  file_.reset();
  has_unfinished_file = false;
}

void LongOutput::write(const std::string& text) {
  if (file_ != nullptr)
    file_->write(text.data(), text.size());
  else
    fmt::print("{}", text);
}

std::string LongOutput::partial_path() const { return file_ == nullptr ? "" : file_->partial_path(); }

void LongOutput::finish() {
  if (file_ == nullptr) return flush_output();
  const UninterruptedWrite guard;
  file_->commit();
  has_unfinished_file = false;
}

bool is_interrupted() { return interruptible == Interruptible::after_writing; }

namespace {

// Reads a quoted name and moves `at` behind its closing quote. A quote in the name is doubled.
std::string quoted_name(const std::string& list, std::size_t& at) {
  std::string name;
  for (++at; at < list.size(); ++at) {
    if (list[at] != '"') {
      name += list[at];
    } else if (at + 1 < list.size() && list[at + 1] == '"') {
      name += list[at++];
    } else {
      ++at;
      if (at < list.size() && list[at] != ',')
        throw InvalidArgument(fmt::format("in the list {} text follows the closing quote; names are separated by commas", list));
      return name;
    }
  }
  throw InvalidArgument(fmt::format("in the list {} a quote is opened and never closed", list));
}

}  // namespace

// Printed text may still be in a buffer, so the error of a full disk appears here.
void flush_output() {
  if (std::fflush(stdout) != 0) cannot_print(errno);
}

std::vector<std::string> split_names(const std::vector<std::string>& lists) {
  std::vector<std::string> names;
  for (const std::string& list : lists)
    for (std::size_t at = 0; at <= list.size(); ++at) {
      if (at < list.size() && list[at] == '"') {
        names.push_back(quoted_name(list, at));
        continue;
      }
      const std::size_t end = std::min(list.find(',', at), list.size());
      if (end > at) names.push_back(list.substr(at, end - at));
      at = end;
    }
  return names;
}

std::string naming_json(const std::string& summary) {
  std::string out;
  for (std::size_t at = 0; at < summary.size();) {
    const std::size_t end = std::min(summary.find('\n', at), summary.size());
    const std::string_view line = std::string_view(summary).substr(at, end - at);
    out += line;
    if (line.starts_with("  ... the ") || line.starts_with("  ... and ")) out += "; --json has all";
    if (end < summary.size()) out += '\n';
    at = end + 1;
  }
  return out;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos && !text.empty()) return text;
  std::string out = "\"";
  for (char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

namespace {

std::vector<std::string> words_of_program;

std::string wrong_command(const CLI::App& app, const std::vector<std::string>& given) {
  const std::vector<const CLI::App*> all = app.get_subcommands([](const CLI::App*) { return true; });
  std::string names;
  for (const CLI::App* command : all) names += (command == all.front() ? "" : command == all.back() ? " and " : ", ") + command->get_name();
  return fmt::format("{}: the command{} {}; --help tells more",
                     given.empty() ? "say what to do" : fmt::format("'{}' is not a command", given.front()),
                     all.size() > 1 ? "s are" : " is", names);
}

}  // namespace

const std::vector<std::string>& given_words() { return words_of_program; }

int run_program(const ProgramText& text, const std::vector<AddCommand>& commands, std::vector<std::string> words) {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  if (std::signal(SIGHUP, SIG_IGN) != SIG_IGN) std::signal(SIGHUP, on_interrupt);  // nohup ignores it
  std::signal(SIGXFSZ, SIG_IGN);                                                   // output beyond ulimit -f is an ordinary error
  CLI::App app{text.description, text.name};
  print_help_readably(app);
  app.set_version_flag(
      "--version", [&text] { return version_of(text.name); }, "Print version, commit and BLAS, and exit");
  const auto print = [&app](std::string (*text_of)(const CLI::App&, const std::string&)) {
    return [&app, text_of](const std::string& which) {
      std::string out = text_of(app, which);
      out.pop_back();                     // its line ends when it is printed
      throw CLI::CallForVersion(out, 0);  // as for --version: a text, and nothing else is done
    };
  };
  app.add_option_function<std::string>("--completion", print(completion),
                                       "Print the script by which a shell completes words, and exit: bash, zsh or fish");
  app.add_option_function<std::string>("--man", print(manual),
                                       fmt::format("Print a page of the manual, and exit: {0}, or {0}- and a command", text.name));
  app.require_subcommand(1);
  app.footer(text.footer);
  Run run;
  for (const AddCommand add : commands) add(app, run);
  words_of_program = words;
  if (!words.empty() && words.front() == "help") {  // help [COMMAND]
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  std::reverse(words.begin(), words.end());  // CLI11 expects them reversed
  try {
    return obey(app, std::move(words), run);
  } catch (const CLI::ParseError& e) {
    if (!app.get_subcommands().empty()) return fail(wrong_with(e, *app.get_subcommands().front()), invalid_argument);
    if (!words_of_program.empty() && words_of_program.front().starts_with("--") &&
        app.get_option_no_throw(words_of_program.front()) != nullptr)
      return fail(wrong_with(e, app), invalid_argument);
    return fail(wrong_command(app, words_of_program), invalid_argument);
  } catch (const Stopped&) {  // while it wrote a file, which is gone
    leave(why_it_ends());
  } catch (const InvalidArgument& e) {
    return fail(e.what(), invalid_argument);
  } catch (const EnvironmentError& e) {
    return fail(e.what(), environment_error);
  } catch (const std::bad_alloc&) {
    return fail("there is not enough memory for this problem", environment_error);
  } catch (const std::system_error& e) {
    return fail(fmt::format("cannot write the output: {}", e.code().message()), environment_error);  // of fmt::print
  } catch (const std::exception& e) {
    return fail(fmt::format("internal error, please report it: {}", e.what()), internal_error);
  }
}

}  // namespace ardvark::cli
