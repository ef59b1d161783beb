// Which vector instructions our own kernels use: what the processor has, or less where ARDVARK_SIMD says so.
#include "core/simd.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "ardvark/errors.hpp"
#include "core/column_kernels.hpp"
#include "core/decay.hpp"
#include "core/row_kernels.hpp"
#include "method/spike_slab/subset_posterior.hpp"

namespace ardvark::internal::simd {
namespace {

constexpr std::array levels = {Level::baseline, Level::avx2, Level::avx512, Level::amx};

std::string refusal(const char* wish, Level has) {
  try {
    (void)resolve(wish, has);
  } catch (const InvalidArgument& e) {
    return e.what();
  }
  return "";
}

TEST(Simd, WithoutAWishUsesAllThatTheProcessorHas) {
  for (const Level has : levels) {
    EXPECT_EQ(resolve(nullptr, has), has);
    EXPECT_EQ(resolve("", has), has);
  }
}

TEST(Simd, ObeysAWishThatTheProcessorCanFulfil) {
  for (const Level has : levels)
    for (const Level wish : levels) {
      if (wish > has) continue;
      EXPECT_EQ(resolve(name(wish), has), wish);
    }
}

TEST(Simd, RefusesMoreThanTheProcessorHas) {
  EXPECT_EQ(refusal("avx512", Level::avx2), "the environment variable ARDVARK_SIMD is avx512, but this processor supports at most avx2");
  EXPECT_EQ(refusal("avx2", Level::baseline),
            "the environment variable ARDVARK_SIMD is avx2, but this processor supports at most baseline");
}

TEST(Simd, RefusesAWordThatIsNoLevel) {
  for (const char* word : {"sse3", "AVX2", "avx2 ", "0"})
    EXPECT_EQ(refusal(word, Level::avx512),
              std::string("the environment variable ARDVARK_SIMD is '") + word + "'; it must be baseline, avx2, avx512 or amx");
}

#if defined(__x86_64__) && defined(__linux__)
// The kernel lists what both it and the processor can do.
TEST(Simd, OfTheProcessorIsWhatTheSystemLists) {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line) && !line.starts_with("flags")) continue;
  std::istringstream words(line);
  const std::set<std::string> flags{std::istream_iterator<std::string>(words), {}};
  const auto has = [&](std::initializer_list<const char*> wanted) {
    return std::ranges::all_of(wanted, [&](const char* flag) { return flags.contains(flag); });
  };
  ASSERT_TRUE(has({"fpu"})) << line;
  Level most = Level::baseline;
  if (has({"avx2", "fma"})) most = Level::avx2;
  if (has({"avx2", "fma", "avx512f", "avx512dq"})) most = Level::avx512;
  EXPECT_EQ(std::min(of_processor(), Level::avx512), most);
}
#endif

TEST(Simd, OfThisProcessIsWhatTheEnvironmentSays) { EXPECT_EQ(level(), resolve(std::getenv("ARDVARK_SIMD"), of_processor())); }

template <typename Version>
void expect_the_best(std::span<const Version> versions) {
  EXPECT_EQ(versions.back().level, Level::baseline);
  for (std::size_t i = 1; i < versions.size(); ++i) EXPECT_LT(versions[i].level, versions[i - 1].level) << "fastest first";
  EXPECT_LE(best(versions).level, level());
  for (const Version& version : versions) {
    if (version.level > level()) continue;
    EXPECT_LE(version.level, best(versions).level);
  }
}

TEST(Simd, ChoosesTheBestAllowedVersionOfEveryKernel) {
  expect_the_best(decay_versions());
  expect_the_best(row_kernels());
  expect_the_best(column_kernels());
  expect_the_best(subset_kernels());
}

}  // namespace
}  // namespace ardvark::internal::simd
