// The progress line: on terminals that know how to clear a line, and nowhere else.
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>

#include <array>

#include "program.hpp"
#include "tables.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::contains;
using testing::Program;
using testing::TemporaryFolder;
using namespace std::chrono_literals;

/// A pseudo-terminal: the program has one end, the test reads the other.
class Terminal {
 public:
  Terminal() {
    if (::openpty(&here_, &there_, nullptr, nullptr, nullptr) != 0) return;
    for (const int end : {here_, there_}) ::fcntl(end, F_SETFD, FD_CLOEXEC);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    for (const int end : {here_, there_})
      if (end >= 0) ::close(end);
  }

  [[nodiscard]] bool is_open() const { return here_ >= 0; }
  [[nodiscard]] int of_program() const { return there_; }

  /// All that was written, as soon as it holds the piece, or when the time is over.
  std::string read_until(const char* piece, std::chrono::milliseconds within) {
    const auto until = std::chrono::steady_clock::now() + within;
    std::array<char, 4096> block;
    while (!contains(text_, piece) && std::chrono::steady_clock::now() < until) {
      pollfd readable{here_, POLLIN, 0};
      if (::poll(&readable, 1, 50) != 1) continue;
      const ssize_t size = ::read(here_, block.data(), block.size());
      if (size <= 0) break;
      text_.append(block.data(), static_cast<std::size_t>(size));
    }
    return text_;
  }

 private:
  int here_ = -1, there_ = -1;
  std::string text_;
};

// A fit that goes on until it is told to end: with tolerance 0 the gain that remains is never small enough.
class ProgressLine : public ::testing::Test {
 protected:
  ProgressLine() { testing::write_bytes(folder_ / "data.csv", testing::sample(1500, 800).csv()); }
  const Arguments endless_ = {"fit",     "data.csv", "--target",    "label", "--ignore",     "y",      "--model", "logistic",
                              "--prior", "ard",      "--tolerance", "0",     "--max-sweeps", "1000000"};
  TemporaryFolder folder_;
};

TEST_F(ProgressLine, IsRewrittenOnATerminal) {
  Terminal terminal;
  if (!terminal.is_open()) GTEST_SKIP() << "there are no pseudo-terminals";
  Program program(endless_, folder_.path(), {"TERM=xterm"}, {.err = terminal.of_program()});
  const std::string text = terminal.read_until("\r\033[Ksweep ", 60s);
  EXPECT_TRUE(contains(text, "\r\033[Ksweep ")) << text;
}

TEST_F(ProgressLine, IsAbsentOnATerminalThatIsDumb) {  // a second into the fit the other one is there
  Terminal terminal;
  if (!terminal.is_open()) GTEST_SKIP() << "there are no pseudo-terminals";
  Program program(endless_, folder_.path(), {"TERM=dumb"}, {.err = terminal.of_program()});
  EXPECT_EQ(terminal.read_until("\033", 2s), "");
}

TEST_F(ProgressLine, IsAbsentWithoutATerminal) {
  Program program(endless_, folder_.path(), {"TERM=xterm"});
  program.has_ended(2s);
  program.signal(SIGINT);
  EXPECT_EQ(program.outcome().err, "\nardvark: interrupted; nothing was written\n");
}

}  // namespace
}  // namespace ardvark
