#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "core/memory.hpp"

namespace ardvark::internal {
namespace {

TEST(MemoryLimit, IsTheSmallestOfTheGroupsAboveAProgram) {
  const std::filesystem::path root = std::filesystem::path(::testing::TempDir()) / "ardvark_groups";
  const auto put = [&](const std::string& folder, const std::string& name, const std::string& text) {
    std::filesystem::create_directories(root / folder);
    std::ofstream(root / folder / name) << text << '\n';
  };
  put("a/b", "memory.max", "max");
  put("a", "memory.max", "4000000");
  put("memory/c/d", "memory.limit_in_bytes", "9223372036854771712");
  put("memory/c", "memory.limit_in_bytes", "3000000");
  const auto limit = [&](const std::string& text) {
    std::istringstream groups(text);
    return limit_of_groups(groups, root.string());
  };
  EXPECT_EQ(limit("0::/a/b\n"), 4e6);
  EXPECT_EQ(limit("12:cpu,cpuacct:/a\n9:memory:/c/d\n0::/a/b\n"), 3e6);
  EXPECT_EQ(limit("9:hugetlb,memory:/c\n"), 3e6);
  EXPECT_EQ(limit("4:memory:/elsewhere\n0::/\n"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(limit(""), std::numeric_limits<double>::infinity());
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace ardvark::internal
