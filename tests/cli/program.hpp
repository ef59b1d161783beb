// The program as a user meets it: arguments in; exit code, standard output, standard error and files out.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "io/temporary_file.hpp"
#include "support/paths.hpp"

namespace ardvark::testing {

using Json = nlohmann::ordered_json;

struct Arguments : std::vector<std::string> {  // a type of its own, so that + is found
  using std::vector<std::string>::vector;
};

inline Arguments operator+(Arguments a, const Arguments& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

struct Outcome {
  int exit_code = -1;  ///< minus the signal's number when one ended the program
  std::string out, err;
};

/// Descriptors for what the program prints, instead of the files that outcome() reads; -1: the file.
struct Streams {
  int out = -1, err = -1;
};

/// The program, running. It reads nothing; what it prints goes to files without a name, so that it never waits for a reader.
class Program {
 public:
  /// \param folder       where it runs
  /// \param environment  NAME=VALUE, before those of the test
  /// \param streams      a pipe or a terminal of the test's own
  explicit Program(const Arguments& arguments, const std::string& folder = ".", const std::vector<std::string>& environment = {},
                   Streams streams = {}) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, streams.out >= 0 ? streams.out : ::fileno(out_.get()), 1);
    posix_spawn_file_actions_adddup2(&actions, streams.err >= 0 ? streams.err : ::fileno(err_.get()), 2);
    std::vector<char*> words = {const_cast<char*>(program_path())}, variables;
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    for (const std::string& variable : environment) variables.push_back(const_cast<char*>(variable.c_str()));
    for (char** variable = environ; *variable != nullptr; ++variable) variables.push_back(*variable);
    variables.push_back(nullptr);
    const int error = ::posix_spawn(&process_, program_path(), &actions, nullptr, words.data(), variables.data());
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::runtime_error(std::string("cannot start ") + program_path());
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (status_) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }

  /// Nothing when it has ended: the number of its process may then be another's.
  void signal(int number) const {
    if (!status_) ::kill(process_, number);
  }

  /// True when it has ended, waiting for that at most so long.
  bool has_ended(std::chrono::milliseconds within = std::chrono::milliseconds(0)) {
    const auto until = std::chrono::steady_clock::now() + within;
    while (!status_) {
      int status = 0;
      if (::waitpid(process_, &status, WNOHANG) == process_)
        status_ = status;
      else if (std::chrono::steady_clock::now() >= until)
        return false;
      else
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return true;
  }

  Outcome outcome() {
    if (!has_ended(std::chrono::minutes(10))) ADD_FAILURE() << "the program does not end";
    const int status = status_.value_or(SIGKILL);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), text_of(out_), text_of(err_)};
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, Close>;

  static std::string text_of(const File& file) {
    std::string text;
    std::array<char, 65536> block;
    std::rewind(file.get());
    while (const std::size_t size = std::fread(block.data(), 1, block.size(), file.get())) text.append(block.data(), size);
    return text;
  }

  File out_{std::tmpfile()}, err_{std::tmpfile()};
  pid_t process_ = -1;
  std::optional<int> status_;
};

inline std::string command_line(const Arguments& arguments) {
  std::string line = "ardvark";
  for (const std::string& argument : arguments) line += " '" + argument + "'";
  return line;
}

inline Outcome run(const Arguments& arguments, const std::string& folder = ".") { return Program(arguments, folder).outcome(); }

/// Runs what must succeed, and returns what it printed.
inline std::string output_of(const Arguments& arguments, const std::string& folder = ".") {
  Outcome outcome = run(arguments, folder);
  EXPECT_EQ(outcome.exit_code, 0) << command_line(arguments) << "\n" << outcome.err;
  return std::move(outcome.out);
}

inline Json json_of(const Arguments& arguments, const std::string& folder = ".") {
  const std::string text = output_of(arguments + Arguments{"--json"}, folder);
  Json json = Json::parse(text, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << command_line(arguments) << " printed no JSON: " << text;
  return json;
}

inline bool contains(const std::string& text, const std::string& piece) { return text.find(piece) != std::string::npos; }

/// One line on standard error, "ardvark: ...".
inline bool is_one_message(const std::string& err) {
  return err.starts_with("ardvark: ") && err.size() > 10 && std::count(err.begin(), err.end(), '\n') == 1 && err.back() == '\n';
}

/// The program refuses: this exit code, one line that holds each of the pieces, nothing printed, no file more or less in the folder.
inline void expect_refused(const Arguments& arguments, const TemporaryFolder& folder, int exit_code,
                           std::initializer_list<const char*> pieces) {
  SCOPED_TRACE(command_line(arguments));
  const std::size_t num_files = folder.num_files();
  const Outcome outcome = run(arguments, folder.path());
  EXPECT_EQ(outcome.exit_code, exit_code);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(is_one_message(outcome.err)) << outcome.err;
  EXPECT_FALSE(contains(outcome.err, "internal error")) << outcome.err;
  for (const char* piece : pieces) EXPECT_TRUE(contains(outcome.err, piece)) << "'" << piece << "' is not in: " << outcome.err;
  EXPECT_EQ(folder.num_files(), num_files) << "a file was left";
}

}  // namespace ardvark::testing
