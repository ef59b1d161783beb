#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "program.hpp"
#include "tables.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::Program;
using testing::TemporaryFolder;
using namespace std::chrono_literals;

// Numbers of two digits: a large table that is quickly written and read.
void write_table(const std::string& path, int rows, int columns) {
  std::mt19937 random(7);
  std::string text;
  for (int j = 0; j < columns; ++j) text += fmt::format("x{},", j);
  text += "y\n";
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      const unsigned value = random() % 100;
      text += {static_cast<char>('0' + value / 10), static_cast<char>('0' + value % 10), ','};
    }
    text += i % 3 == 0 ? "1\n" : "0\n";
  }
  testing::write_bytes(path, text);
}

bool has_partial_file(const TemporaryFolder& folder) {
  return std::any_of(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator(),
                     [](const auto& entry) { return testing::contains(entry.path().string(), ".partial-"); });
}

TEST(Interrupt, EndsALongFitAtOnceAndLeavesNothing) {
  const TemporaryFolder folder;
  write_table(folder / "data.csv", 2500, 1200);
  const auto before = std::signal(SIGHUP, SIG_DFL);  // under nohup the program would inherit that it is ignored
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Program program({"fit", "data.csv", "--target", "y", "--model", "logistic", "--prior", "ard", "--tolerance", "0", "--max-sweeps",
                     "1000000", "-o", "m.ardvark"},
                    folder.path());
    ASSERT_FALSE(program.has_ended(1s)) << "the fit is not long enough: " << program.outcome().out << program.outcome().err;
    program.signal(signal);
    EXPECT_TRUE(program.has_ended(1s));
    const testing::Outcome outcome = program.outcome();
    EXPECT_EQ(outcome.exit_code, 130);
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(testing::contains(outcome.err, "interrupted; nothing was written")) << outcome.err;
    EXPECT_EQ(folder.num_files(), 1u);
  }
  std::signal(SIGHUP, before);
}

// With threads of the BLAS, which get the signal as well as the one that writes.
TEST(Interrupt, WaitsForAFileThatIsBeingWritten) {
  const TemporaryFolder folder;
  write_table(folder / "data.csv", 620, 600);
  for (int repetition = 0; repetition < 5; ++repetition) {
    testing::write_bytes(folder / "m.ardvark", "older");
    Program program({"fit", "data.csv", "--target", "y", "--model", "linear", "--prior", "shared", "-o", "m.ardvark"}, folder.path(),
                    {"OPENBLAS_NUM_THREADS=2"});
    while (!program.has_ended() && !has_partial_file(folder)) std::this_thread::yield();
    program.signal(SIGINT);
    const testing::Outcome outcome = program.outcome();
    EXPECT_TRUE(outcome.exit_code == 130 || outcome.exit_code == 0) << outcome.exit_code;
    EXPECT_FALSE(has_partial_file(folder));
    EXPECT_EQ(testing::contains(outcome.err, "nothing was written"), testing::read_bytes(folder / "m.ardvark") == "older") << outcome.err;
    if (testing::read_bytes(folder / "m.ardvark") != "older") {
      EXPECT_EQ(testing::run({"show", "m.ardvark"}, folder.path()).exit_code, 0);
    }
  }
}

// The program waits for a reader of its standard output, with the model written: the pipe holds less than the covariance.
TEST(Interrupt, AfterTheFileWasWrittenSaysSo) {
  const TemporaryFolder folder;
  write_table(folder / "data.csv", 160, 150);
  for (const int signal : {SIGINT, SIGTERM}) {
    std::filesystem::remove(folder / "m.ardvark");
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    {
      Program program(
          {"fit", "data.csv", "--target", "y", "--model", "linear", "--prior", "shared", "--json", "--covariance", "-o", "m.ardvark"},
          folder.path(), {}, {.out = ends[1]});
      ::close(ends[1]);
      pollfd readable{ends[0], POLLIN, 0};
      ASSERT_EQ(::poll(&readable, 1, 60'000), 1) << "it prints nothing";
      EXPECT_FALSE(program.has_ended(100ms)) << "all of it went into the pipe";
      program.signal(signal);
      EXPECT_TRUE(program.has_ended(10s));
      const testing::Outcome outcome = program.outcome();
      EXPECT_EQ(outcome.exit_code, 130);
      EXPECT_EQ(outcome.err, "\nardvark: interrupted; the file was written and is complete\n");
    }
    ::close(ends[0]);
    EXPECT_EQ(testing::run({"show", "m.ardvark"}, folder.path()).exit_code, 0);
    EXPECT_EQ(folder.num_files(), 2u);
  }
}

TEST(Interrupt, EndsACheckWithinASecond) {
  const TemporaryFolder folder;
  testing::write_bytes(folder / "data.csv", testing::sample(100000, 2).csv());
  Program program({"fit", "data.csv", "--target", "label", "--ignore", "y", "--model", "logistic", "--prior", "shared", "--diagnose", "-o",
                   "m.ardvark"},
                  folder.path());
  ASSERT_FALSE(program.has_ended(1500ms));
  program.signal(SIGINT);
  EXPECT_TRUE(program.has_ended(1s));
  const testing::Outcome outcome = program.outcome();
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_EQ(outcome.err, "\nardvark: interrupted; nothing was written\n");
  EXPECT_EQ(folder.num_files(), 1u);
}

// A signal while a large file is written either removes what there is of it or comes too late.
TEST(Interrupt, EndsTheWritingOfALargeFile) {
  const TemporaryFolder folder;
  write_table(folder / "data.csv", 40, 3000);
  Program program({"fit", "data.csv", "--target", "y", "--model", "linear", "--prior", "ard", "-o", "m.ardvark"}, folder.path());
  while (!program.has_ended() && !has_partial_file(folder)) std::this_thread::yield();
  program.signal(SIGINT);
  EXPECT_TRUE(program.has_ended(10s));
  const testing::Outcome outcome = program.outcome();
  const bool is_whole = folder.num_files() == 2;
  EXPECT_FALSE(has_partial_file(folder));
  EXPECT_TRUE(outcome.exit_code == 130 || (is_whole && outcome.exit_code == 0)) << outcome.exit_code;
  if (outcome.exit_code == 130) {
    EXPECT_EQ(outcome.err, is_whole ? "\nardvark: interrupted; the file was written and is complete\n"
                                    : "\nardvark: interrupted; nothing was written\n");
  }
}

TEST(Interrupt, EndsAPredictionThatReads) {  // from a pipe that nobody writes to
  const TemporaryFolder folder;
  testing::write_bytes(folder / "train.csv", "x,y\n1,2\n2,3\n4,9\n");
  testing::output_of({"fit", "train.csv", "--target", "y", "--model", "linear", "-q", "-o", "m.ardvark"}, folder.path());
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  Program program({"predict", "m.ardvark", "pipe", "-o", "p.csv"}, folder.path());
  ASSERT_FALSE(program.has_ended(300ms));
  program.signal(SIGINT);
  EXPECT_TRUE(program.has_ended(1s));
  EXPECT_EQ(program.outcome().exit_code, 130);
  EXPECT_EQ(folder.num_files(), 3u);
}

}  // namespace
}  // namespace ardvark
