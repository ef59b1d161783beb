// Tables that are compressed by gzip or zstd: every command reads them as it reads the text.
#include "../support/packed.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "refuses.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::expect_refused;
using testing::output_of;
using testing::read_bytes;
using testing::write_bytes;

class PackedTables : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string text = testing::sample(20000, 3).csv();
    packed_ = GetParam() == std::string("gz") ? testing::gzipped(text) : testing::zstd_packed(text);
    if (!packed_) GTEST_SKIP() << "the library that packs is not there";
    write_bytes(folder_ / "t.csv", text);
    write_bytes(folder_ / table_, *packed_);
  }
  std::optional<std::string> packed_;
  testing::TemporaryFolder folder_;
  const std::string table_ = fmt::format("t.csv.{}", GetParam());
};

TEST_P(PackedTables, AreReadByEveryCommandAsTheText) {
  const auto both = [&](const std::string& command, const Arguments& options, const char* written) {
    std::string results[2];
    for (const bool packed : {false, true}) {
      const std::string data = packed ? table_ : "t.csv";
      Arguments all = {command};
      if (command == "predict") all.emplace_back("m.ardvark");
      results[packed ? 1 : 0] = output_of(all + Arguments{data} + options, folder_.path());
      if (*written != '\0') results[packed ? 1 : 0] = read_bytes(folder_ / written);
    }
    EXPECT_GT(results[0].size(), 100U) << command;
    EXPECT_TRUE(results[0] == results[1]) << command;
  };
  for (const Arguments& model : {Arguments{"--target", "label", "--ignore", "y", "--model", "logistic", "--prior", "shared"},
                                 {"--target", "y", "--ignore", "label", "--model", "linear", "-o", "m.ardvark"}}) {
    const auto fit = [&](const std::string& data) { return testing::json_of(Arguments{"fit", data} + model, folder_.path()); };
    const testing::Json text = fit("t.csv"), packed = fit(table_);
    for (const char* name : {"mean", "sd", "bound"}) EXPECT_EQ(packed[name], text[name]) << name;
  }
  both("stats", {"--target", "y", "-q", "-o", "s.stats"}, "s.stats");
  both("predict", {"-o", "p.csv"}, "p.csv");
}

TEST_P(PackedTables, MayComeFromAPipe) {
  const std::string program = testing::program_path();
  output_of({"stats", "t.csv", "--target", "y", "-q", "-o", "whole.stats"}, folder_.path());
  EXPECT_EQ(
      std::system(
          fmt::format("cd '{}' && cat {} | {} stats /dev/stdin --target y -q -o piped.stats", folder_.path(), table_, program).c_str()),
      0);
  EXPECT_TRUE(read_bytes(folder_ / "piped.stats") == read_bytes(folder_ / "whole.stats"));
}

TEST_P(PackedTables, AreRefusedIfTheyAreCutOrDamaged) {
  const std::string middle = packed_->substr(0, packed_->size() / 2);
  write_bytes(folder_ / table_, middle);
  const std::string name = fmt::format("'{}' ends before its compressed text does: it was cut", table_);
  expect_refused({"stats", table_, "--target", "y", "-o", "s.stats"}, folder_, 2, {name.c_str()});
  expect_refused({"fit", table_, "--target", "y", "--model", "linear", "-o", "m.ardvark"}, folder_, 2, {name.c_str()});
  write_bytes(folder_ / table_, *packed_ + "and more");
  expect_refused({"fit", "t.csv", table_, "--target", "y", "--model", "linear", "-o", "m.ardvark"}, folder_, 2,
                 {fmt::format("'{}' is damaged", table_).c_str()});
}

INSTANTIATE_TEST_SUITE_P(Both, PackedTables, ::testing::Values("gz", "zst"));

}  // namespace
}  // namespace ardvark
