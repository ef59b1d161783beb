// The progress line: on terminals that know how to clear a line, and nowhere else.
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/stat.h>

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

class ProgressLine : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!terminal_.is_open()) GTEST_SKIP() << "there are no pseudo-terminals";
  }
  /// What the terminal shows until it shows the piece, or until the time is over; the program then ends.
  std::string shown(const Arguments& arguments, const char* piece, std::chrono::milliseconds within, const char* type = "TERM=xterm") {
    const Program program(arguments, folder_.path(), {type}, {.err = terminal_.of_program()});
    return terminal_.read_until(piece, within);
  }
  /// A pipe that nobody writes to: a program that reads it waits.
  std::string endless_table() {
    if (::mkfifo((folder_ / "pipe").c_str(), 0600) != 0) ADD_FAILURE() << "no pipe";
    return "pipe";
  }
  /// A fit that goes on until it is told to end: with tolerance 0 the gain that remains is never small enough.
  Arguments endless_fit() {
    testing::write_bytes(folder_ / "data.csv", testing::sample(1500, 800).csv());
    return {"fit",     "data.csv", "--target",    "label", "--ignore",     "y",      "--model", "logistic",
            "--prior", "ard",      "--tolerance", "0",     "--max-sweeps", "1000000"};
  }
  TemporaryFolder folder_;
  Terminal terminal_;
};

TEST_F(ProgressLine, SaysWithinTwoSecondsThatATableIsRead) {
  const std::string table = endless_table();
  const std::string text = shown({"fit", table, "--target", "y", "--model", "linear"}, "\r\033[Kreading, 1 s", 2s);
  EXPECT_TRUE(contains(text, "\r\033[Kreading, 1 s")) << text;
}

// Rows that do not end.
std::jthread writer_to(const std::string& table) {
  return std::jthread([table](const std::stop_token& stop) {
    const int pipe = ::open(table.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    std::string rows, next = "x,y\n";
    for (int i = 0; i < 500; ++i) rows += "1,2\n3,5\n";  // less than a page: all is written, or nothing
    for (; !stop.stop_requested(); std::this_thread::sleep_for(1ms))
      if (::write(pipe, next.data(), next.size()) > 0) next = rows;
    ::close(pipe);
  });
}

TEST_F(ProgressLine, CountsTheRowsOfATableInPieces) {
  const std::string table = folder_ / endless_table();
  const std::jthread writer = writer_to(table);
  const std::string text = shown({"stats", table, "--target", "y", "-o", "all.stats"}, " rows, ", 20s);
  EXPECT_TRUE(contains(text, "\r\033[Kreading: ")) << text;
  EXPECT_TRUE(contains(text, " rows, ")) << text;
  EXPECT_FALSE(contains(text, "%")) << "nobody knows how much comes: " << text;
}

TEST_F(ProgressLine, CountsTheRowsThatArePredicted) {
  testing::write_bytes(folder_ / "train.csv", "x,y\n1,2\n2,3\n4,9\n");
  testing::output_of({"fit", "train.csv", "--target", "y", "--model", "linear", "-q", "-o", "m.ardvark"}, folder_.path());
  const std::string table = folder_ / endless_table();
  const std::jthread writer = writer_to(table);
  const std::string text = shown({"predict", "m.ardvark", table, "-o", "p.csv"}, " rows/s", 20s);
  EXPECT_TRUE(contains(text, "\r\033[Kpredicting: ")) << text;
  EXPECT_TRUE(contains(text, " rows, ")) << text;
}

TEST_F(ProgressLine, CountsTheStepsOfAFit) {
  const std::string text = shown(endless_fit(), "\r\033[Kfitting: step ", 60s);
  EXPECT_TRUE(contains(text, "\r\033[Kfitting: step ")) << text;
  EXPECT_FALSE(contains(text, "left")) << "nobody knows how many steps there will be: " << text;
}

TEST_F(ProgressLine, CountsTheFoldsOfASelectionAndSaysWhatIsLeft) {
  testing::write_bytes(folder_ / "data.csv", testing::sample(400, 60).csv());
  const std::string text = shown({"select", "data.csv", "--target", "label", "--ignore", "y", "--model", "logistic", "--prior", "ard",
                                  "--folds", "20", "--repeats", "1000"},
                                 "left", 60s);
  EXPECT_TRUE(contains(text, "\r\033[Kfitting: fold ")) << text;
  EXPECT_TRUE(contains(text, " of 20000, ")) << text;
  EXPECT_TRUE(contains(text, " s, about ")) << text;
}

TEST_F(ProgressLine, NamesTheModelsOfAComparisonAndCountsKernels) {
  testing::write_bytes(folder_ / "data.csv", testing::sample(2000, 100).csv());
  const std::string text = shown(
      {"compare", "data.csv", "--target", "label", "--ignore", "y", "--model", "logistic", "--priors", "shared", "--kernel", "gaussian"},
      "kernel ", 60s);
  EXPECT_TRUE(contains(text, "\r\033[Kfitting: model 2 of 2, ")) << text;
  EXPECT_TRUE(contains(text, " of at least ")) << text;
}

TEST_F(ProgressLine, SaysHowFarACheckIs) {
  testing::write_bytes(folder_ / "data.csv", testing::sample(60000, 2).csv());
  const std::string text = shown(
      {"fit", "data.csv", "--target", "label", "--ignore", "y", "--model", "logistic", "--prior", "shared", "--diagnose"}, "left", 60s);
  EXPECT_TRUE(contains(text, "\r\033[Kchecking: ")) << text;
  EXPECT_TRUE(contains(text, "%, ")) << text;
  EXPECT_TRUE(contains(text, " s, about ")) << text;
}

// All programs at once: a second into the fit the one that is wanted has a line, and the others, which began before it, have none.
TEST_F(ProgressLine, IsAbsentWhereItIsNotWanted) {
  struct Unwanted {
    const char *option, *type;
    Terminal terminal;
    std::optional<Program> program;
  };
  std::array<Unwanted, 3> all{{{"--verbose", "TERM=dumb", {}, {}}, {"--quiet", "TERM=xterm", {}, {}}, {"--json", "TERM=xterm", {}, {}}}};
  const Arguments fit = endless_fit();
  for (Unwanted& one : all)
    one.program.emplace(fit + Arguments{one.option}, folder_.path(), std::vector<std::string>{one.type},
                        testing::Streams{.err = one.terminal.of_program()});
  Program without_a_terminal(fit, folder_.path(), {"TERM=xterm"});
  const Program wanted(fit, folder_.path(), {"TERM=xterm"}, {.err = terminal_.of_program()});
  EXPECT_TRUE(contains(terminal_.read_until("fitting: step", 60s), "fitting: step"));
  for (Unwanted& one : all) EXPECT_EQ(one.terminal.read_until("\033", 300ms), "") << one.option << " " << one.type;
  without_a_terminal.signal(SIGINT);
  EXPECT_EQ(without_a_terminal.outcome().err, "\nardvark: interrupted; nothing was written\n");
}

}  // namespace
}  // namespace ardvark
