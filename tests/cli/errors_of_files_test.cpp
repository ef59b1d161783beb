// Files that the program refuses to read or to write.
#include <filesystem>
#include <random>

#include "ardvark/fit.hpp"
#include "io/mutations.hpp"
#include "refuses.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::expect_refused;
using testing::good;
using testing::output_of;
using testing::read_bytes;
using testing::Refuses;
using testing::sample;
using testing::write_bytes;

// ---- predict --------------------------------------------------------------------------------------------------------------------------

TEST_F(Refuses, NewDataThatTheModelDoesNotFit) {
  make_model();  // of x, z and k
  put("x,z,k\n1,2,a\n3,4,c\n");
  predict({"m.ardvark", "bad.csv"}, {"row 2", "'k'", "'c'", "'a'", "'b'"});
  put("x,z,k\nNA,1,a\n1,2,a\n3,4,c\n");
  predict({"m.ardvark", "bad.csv", "--missing", "drop"}, {"row 3", "'k'", "'c'"});
  put("x,z,k\n1,2,\n");
  predict({"m.ardvark", "bad.csv"}, {"row 1", "'k'", "missing"});
  put("x,z,k\n1,two,a\n");
  predict({"m.ardvark", "bad.csv"}, {"'z'", "text"});
  put("x,z,k\n1,2,a\n1,two,a\n");
  predict({"m.ardvark", "bad.csv"}, {"row 2", "'z'", "'two'"});
  put("x,z,k\n1,inf,a\n");
  predict({"m.ardvark", "bad.csv"}, {"row 1", "'z'", "inf"});
  put("x,z,k\n");
  predict({"m.ardvark", "bad.csv"}, {"no rows"});
  predict({"m.ardvark", "good.csv", "-o", ""}, {"--output"});
}

// ---- model files ----------------------------------------------------------------------------------------------------------------------

TEST_F(Refuses, FilesThatAreNoModel) {
  make_model();
  const std::string bytes = read_bytes(folder_ / "m.ardvark");
  model(good, {"bad.ardvark", "not an ardvark model or statistics file"});
  model("", {"bad.ardvark", "not an ardvark model or statistics file"});
  std::string random(4096, '\0');
  std::mt19937 generator(3);
  for (char& c : random) c = static_cast<char>(generator());
  model(random, {"bad.ardvark", "not an ardvark model or statistics file"});
  model(bytes.substr(0, bytes.size() - 1), {"bad.ardvark", "truncated"});
  model(bytes.substr(0, bytes.size() / 2), {"bad.ardvark", "truncated"});
  model(bytes.substr(0, 100), {"bad.ardvark", "truncated"});
  model(bytes.substr(0, 5), {"bad.ardvark"});
  model(bytes + "x", {"bad.ardvark"});

  model(testing::with_version(bytes, "99"), {"bad.ardvark", "newer ardvark", "99"});
}

// Replaces a text of the header by another, its length and its checksum with it.
std::string edited(const std::string& bytes, const std::string& from, const std::string& to) {
  std::string header = bytes.substr(8, testing::header_length(bytes));
  const std::size_t place = header.find(from);
  if (place == std::string::npos) return {};
  return testing::with_right_header_checksum(testing::with_header(bytes, header.replace(place, from.size(), to)));
}

TEST_F(Refuses, ModelsWhoseListsDoNotFit) {
  testing::output_of({"fit", "good.csv", "--target", "k", "--model", "logistic", "--ignore", "w", "-q", "-o", "m.ardvark"}, folder_.path());
  const std::string bytes = read_bytes(folder_ / "m.ardvark");
  for (const char* classes : {"[]", "[\\\"a\\\"]", "[\\\"a\\\",\\\"b\\\",\\\"c\\\"]", "7"}) {
    const std::string bad = edited(bytes, "\\\"classes\\\":[\\\"a\\\",\\\"b\\\"]", std::string("\\\"classes\\\":") + classes);
    ASSERT_FALSE(bad.empty());
    model(bad, {"bad.ardvark"});
  }
  const std::string bad = edited(bytes, "\\\"left_out\\\":[false,", "\\\"left_out\\\":[");
  ASSERT_FALSE(bad.empty());
  model(bad, {"bad.ardvark"});
}

TEST_F(Refuses, ModelsWithAnyOfTheirNumbersBroken) {
  make_model();
  const std::string bytes = read_bytes(folder_ / "m.ardvark");
  std::mt19937 random(11);
  const std::vector<double> values = {std::nan(""), HUGE_VAL, -HUGE_VAL, 0.0, -1.0, 1e308, -1e308, 1e-308};
  std::uint64_t length = 0;
  std::copy_n(bytes.data(), sizeof length, reinterpret_cast<char*>(&length));
  const std::size_t begin = 8 + static_cast<std::size_t>(length), num = (bytes.size() - begin) / sizeof(double);
  constexpr std::size_t num_scalars = 16;  // they come first
  for (std::size_t i = 0; i < num; ++i) {
    for (const double value : i < num_scalars ? values : std::vector{values[random() % values.size()]}) {
      std::string broken = bytes;
      std::copy_n(reinterpret_cast<const char*>(&value), sizeof value, broken.data() + begin + i * sizeof value);
      put(testing::with_right_checksums(broken), "bad.ardvark");
      for (const Arguments& command : {Arguments{"show", "bad.ardvark"}, {"predict", "bad.ardvark", "good.csv"}}) {
        const testing::Outcome outcome = testing::run(command, folder_.path());
        EXPECT_TRUE(outcome.exit_code == 0 || outcome.exit_code == 2)
            << command[0] << ", number " << i << " = " << value << ": " << outcome.exit_code << " " << outcome.err;
      }
    }
  }
}

// ---- the environment --------------------------------------------------------------------------------------------------------------------

TEST_F(Refuses, FilesThatAreAbsentOrFolders) {
  make_model();
  std::filesystem::create_directory(folder_ / "folder");
  fit({"absent.csv", "--target", "y", "--model", "linear"}, {"'absent.csv'", "No such file"}, 3);
  fit({"folder", "--target", "y", "--model", "linear"}, {"'folder' is a folder without files"}, 3);
  fit({"", "--target", "y", "--model", "linear"}, {"path is empty"}, 3);
  predict({"absent.ardvark", "good.csv"}, {"'absent.ardvark'", "No such file"}, 3);
  predict({"folder", "good.csv"}, {"'folder'", "directory"}, 3);
  predict({"m.ardvark", "absent.csv"}, {"'absent.csv'", "No such file"}, 3);
  predict({"m.ardvark", "folder"}, {"'folder' is a folder without files"}, 3);
  expect_refused({"show", "absent.ardvark"}, folder_, 3, {"'absent.ardvark'", "No such file"});
  expect_refused({"show", "folder"}, folder_, 3, {"'folder'", "directory"});
}

TEST_F(Refuses, PlacesWhereNothingCanBeWritten) {
  make_model();
  std::filesystem::create_directory(folder_ / "folder");
  const Arguments fit = {"fit", "good.csv", "--target", "y", "--model", "linear", "-o"},
                  predict = {"predict", "m.ardvark", "good.csv", "-o"};
  for (const Arguments& command : {fit, predict}) {
    expect_refused(command + Arguments{"nowhere/out"}, folder_, 3, {"'nowhere/out'", "does not exist"});
    expect_refused(command + Arguments{"folder"}, folder_, 3, {"'folder'"});
    expect_refused(command + Arguments{"good.csv/out"}, folder_, 3, {"'good.csv/out'"});
    expect_refused(command + Arguments{""}, folder_, 2, {"--output", "empty"});
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "folder"));
}

TEST_F(Refuses, ToOverwriteWhatItReads) {
  make_model();
  std::filesystem::create_symlink("good.csv", folder_ / "link.csv");
  const std::string model = read_bytes(folder_ / "m.ardvark");
  const Arguments fit = {"fit", "good.csv", "--target", "y", "--model", "linear", "-o"},
                  predict = {"predict", "m.ardvark", "good.csv", "-o"};
  for (const std::string output : {"good.csv", "./good.csv", "link.csv"}) {
    exactly(fit + Arguments{output}, "--output is '" + output + "', the table itself; give another path");
    exactly(predict + Arguments{output}, "--output is '" + output + "', which is read; give another path");
  }
  for (const std::string output : {"m.ardvark", "./m.ardvark"})
    exactly(predict + Arguments{output}, "--output is '" + output + "', which is read; give another path");
  EXPECT_EQ(read_bytes(folder_ / "good.csv"), good);
  EXPECT_EQ(read_bytes(folder_ / "m.ardvark"), model);
}

TEST_F(Refuses, ADirectoryAsOutputBeforeItReadsTheTable) {
  std::filesystem::create_directory(folder_ / "folder");
  put("x,y\n1,2\n3\n");  // would be refused if it were read
  for (const std::string data : {"good.csv", "bad.csv"})
    exactly({"fit", data, "--target", "y", "--model", "linear", "-o", "folder"},
            "cannot write 'folder': it exists and is not a regular file; give another path", 3);
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "folder"));
}

TEST_F(Refuses, AFullDisk) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  make_model();
  put(sample(60, 2).csv(), "more.csv");
  for (const std::string command :
       {"fit good.csv --target y --model linear", "fit good.csv --target y --model linear --json", "predict m.ardvark good.csv",
        "show m.ardvark", "--help", "help", "help predict", "--version", "fit --help", "select --help", "compare --help", "predict --help",
        "show -h", "compare good.csv --target y --ignore k,w --model linear",
        "select more.csv --target label --ignore y --preset slr_var"}) {
    const int status =
        std::system(fmt::format("cd '{}' && {} {} >/dev/full 2>err", folder_.path(), testing::program_path(), command).c_str());
    EXPECT_EQ(WEXITSTATUS(status), 3) << command;
    EXPECT_TRUE(testing::is_one_message(read_bytes(folder_ / "err"))) << read_bytes(folder_ / "err");
  }
}

// ulimit -f ends a program by the signal SIGXFSZ, unless it sees to it.
TEST_F(Refuses, OutputBeyondTheLimitOnTheSizeOfFiles) {
  const testing::Sample large = sample(4000, 3);
  put(large.csv(), "large.csv");
  std::string wide = "y";
  for (int j = 0; j < 120; ++j) wide += fmt::format(",c{}", j);
  for (int i = 0; i < 200; ++i) {
    wide += fmt::format("\n{}", i % 7);
    for (int j = 0; j < 120; ++j) wide += fmt::format(",{}", (i * 37 + j * 101 + i * j) % 211);
  }
  put(wide + "\n", "wide.csv");
  output_of({"fit", "large.csv", "--target", "y", "--ignore", "label", "--model", "linear", "-q", "-o", "m.ardvark"}, folder_.path());
  write_bytes(folder_ / "out", "old");
  std::filesystem::create_directory(folder_ / "before");
  const std::size_t num_files = folder_.num_files() + 1;  // and err
  for (const std::string command : {"fit wide.csv --target y --model linear --prior shared -q -o out", "predict m.ardvark large.csv -o out",
                                    "predict m.ardvark large.csv > before/printed"}) {
    const int status =
        std::system(fmt::format("cd '{}' && (ulimit -f 20; exec {} {} 2>err)", folder_.path(), testing::program_path(), command).c_str());
    ASSERT_TRUE(WIFEXITED(status)) << command;
    EXPECT_EQ(WEXITSTATUS(status), 3) << command;
    const std::string message = read_bytes(folder_ / "err");
    EXPECT_TRUE(testing::is_one_message(message) && testing::contains(message, "File too large")) << message;
    EXPECT_EQ(read_bytes(folder_ / "out"), "old");
    EXPECT_EQ(folder_.num_files(), num_files) << command;
  }
}

TEST_F(Refuses, NoLinkAsOutputButWritesWhatItLeadsTo) {
  std::filesystem::create_directory(folder_ / "store");
  for (const std::string target : {"store/m.ardvark", "store/p.csv"}) {
    const std::string link = target.substr(6);
    std::filesystem::create_symlink(target, folder_ / link);  // dangling, then not
  }
  for (int repetition = 0; repetition < 2; ++repetition) {
    make_model();
    output_of({"predict", "m.ardvark", "good.csv", "-o", "p.csv"}, folder_.path());
    for (const std::string link : {"m.ardvark", "p.csv"}) {
      EXPECT_TRUE(std::filesystem::is_symlink(folder_ / link));
      EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(folder_ / ("store/" + link))));
    }
  }
  std::filesystem::create_symlink("good.csv", folder_ / "alias.csv");
  exactly({"predict", "m.ardvark", "good.csv", "-o", "alias.csv"}, "--output is 'alias.csv', which is read; give another path");
  EXPECT_EQ(read_bytes(folder_ / "good.csv"), good);
}

}  // namespace
}  // namespace ardvark
