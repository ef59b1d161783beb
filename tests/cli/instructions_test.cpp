// What the program says of ARDVARK_SIMD.
#include <gtest/gtest.h>

#include <string>

#include "core/simd.hpp"
#include "program.hpp"
#include "tables.hpp"

namespace ardvark::testing {

using namespace internal;
namespace {

class Instructions : public ::testing::Test {
 protected:
  void SetUp() override { write_bytes(folder_ / "train.csv", sample(40, 5).csv()); }
  Outcome fit_with(const std::string& level) {
    return Program({"fit", "train.csv", "--target", "y", "--ignore", "label", "--model", "linear", "--prior", "shared", "-o", "out"},
                   folder_.path(), {"ARDVARK_SIMD=" + level})
        .outcome();
  }
  TemporaryFolder folder_;
};

TEST_F(Instructions, OfNoSuchNameAreRefused) {
  const std::size_t num_files = folder_.num_files();
  const Outcome outcome = fit_with("sse9");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err, "ardvark: the environment variable ARDVARK_SIMD is 'sse9'; it must be baseline, avx2, avx512 or amx\n");
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(folder_.num_files(), num_files);
}

TEST_F(Instructions, ThatTheProcessorHasAreUsedAndOthersRefused) {
  for (const simd::Level level : {simd::Level::baseline, simd::Level::avx2, simd::Level::avx512, simd::Level::amx}) {
    const Outcome outcome = fit_with(simd::name(level));
    EXPECT_EQ(outcome.exit_code, level <= simd::of_processor() ? 0 : 2) << outcome.err;
  }
}

}  // namespace
}  // namespace ardvark::testing
