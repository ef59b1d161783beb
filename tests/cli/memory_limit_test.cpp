// Memory that is limited from outside (ulimit -v): the program does its work, or says in a sentence that memory is short. It never waits.
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include "program.hpp"

namespace ardvark {
namespace {

using testing::Arguments;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool has_own_addresses = true;  // the sanitizer takes terabytes of them
#else
constexpr bool has_own_addresses = false;
#endif

TEST(MemoryLimit, EndsInASentenceWhereMemoryIsShort) {
  if (has_own_addresses) GTEST_SKIP() << "under a sanitizer that needs more addresses";
  const testing::TemporaryFolder folder;
  const std::string table = testing::example_path("Pima.tr.csv"), model = folder / "m.ardvark";
  testing::output_of({"fit", table, "--target", "type", "--model", "logistic", "-o", model});
  int num_short = 0, num_done = 0;
  for (const char* threads : {"OPENBLAS_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=2"})
    for (const int megabytes : {70, 80, 100, 150, 200, 250, 300, 350, 400, 600})
      for (const Arguments& arguments :
           {Arguments{"fit", table, "--target", "type", "--model", "logistic", "--threads", "2"}, Arguments{"predict", model, table}}) {
        std::string line = fmt::format("cd '{}' && (ulimit -v {}; export {}; exec timeout 60 {}", folder.path(), 1024 * megabytes, threads,
                                       testing::program_path());
        for (const std::string& argument : arguments) line += " '" + argument + "'";
        SCOPED_TRACE(line);
        const int status = std::system((line + " >out 2>err)").c_str());
        const int exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        const std::string err = testing::read_bytes(folder / "err");
        if (exit_code == 0) {
          ++num_done;
        } else {
          ++num_short;
          EXPECT_EQ(exit_code, 3) << err;
          EXPECT_TRUE(testing::is_one_message(err)) << err;
          EXPECT_TRUE(testing::contains(err, "memory")) << err;
        }
      }
  EXPECT_GT(num_short, 4);
  EXPECT_GT(num_done, 4);
}

// 42 million numbers: y, and x1 to x29.
void write_large_table(const std::string& path) {
  std::string text = "y";
  for (int j = 1; j < 30; ++j) text += fmt::format(",x{}", j);
  text += "\n";
  std::ofstream file(path);
  unsigned state = 1;
  for (int i = 0; i < 1'400'000; ++i, text.clear()) {
    for (int j = 0; j < 30; ++j) {
      state = 1664525 * state + 1013904223;
      text += {static_cast<char>('0' + (state >> 24) % 10), '.', j < 29 ? ',' : '\n'};
    }
    file << text;
  }
}

// The numbers take 336 MB; the file has 126 MB, more than half of what the program may take, of which OpenBLAS needs 128 MB.
TEST(MemoryLimit, LinearFitsAndPredictionsReadALargeTableInPieces) {
  if (has_own_addresses) GTEST_SKIP() << "under a sanitizer that needs more addresses";
  const testing::TemporaryFolder folder;
  write_large_table(folder / "large.csv");
  const auto within = [&](const std::string& arguments) {
    return WEXITSTATUS(std::system(
        fmt::format("cd '{}' && (ulimit -v {}; exec '{}' {} >out 2>err)", folder.path(), 240 * 1024, testing::program_path(), arguments)
            .c_str()));
  };
  const std::string fit = "fit large.csv --target y --model linear --prior shared -o m.ardvark --stream ";
  EXPECT_EQ(within(fit + "never"), 3);
  EXPECT_EQ(within(fit + "auto"), 0) << testing::read_bytes(folder / "err");
  EXPECT_TRUE(testing::contains(testing::read_bytes(folder / "out"), "read in pieces"));
  EXPECT_EQ(within("predict m.ardvark large.csv -o p.csv"), 0) << testing::read_bytes(folder / "err");
  EXPECT_TRUE(testing::contains(testing::read_bytes(folder / "err"), "1400000 rows with 'y'"));
}

// 900 levels in 20,000 rows: 144 MB as a dense X, which --missing drop makes; as sparse columns less than one.
TEST(MemoryLimit, ATextColumnOfManyLevelsStaysSparse) {
  if (has_own_addresses) GTEST_SKIP() << "under a sanitizer that needs more addresses";
  const testing::TemporaryFolder folder;
  std::string text = "place,x,y\n";
  unsigned state = 1;
  for (int i = 0; i < 20'000; ++i) {
    state = 1664525 * state + 1013904223;
    const unsigned place = (state >> 16) % 900, x = (state >> 8) % 100;
    text += fmt::format("p{},{},{}\n", place, x, (place < 30 ? 3.0 : 0.0) + 0.01 * static_cast<double>(x + state % 89));
  }
  testing::write_bytes(folder / "t.csv", text);
  const auto within = [&](const std::string& arguments) {
    return WEXITSTATUS(
        std::system(fmt::format("cd '{}' && (ulimit -v {}; export OPENBLAS_NUM_THREADS=1; exec '{}' fit t.csv --target y {} >out 2>err)",
                                folder.path(), 300 * 1024, testing::program_path(), arguments)
                        .c_str()));
  };
  EXPECT_EQ(within("--model linear"), 0) << testing::read_bytes(folder / "err");
  EXPECT_EQ(within("--model linear --missing drop"), 3);
}

}  // namespace
}  // namespace ardvark
