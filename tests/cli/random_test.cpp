// Command lines by chance: whatever they are, the program ends in one of its ways.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "program.hpp"
#include "tables.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::contains;

class Chance {
 public:
  explicit Chance(unsigned seed) : random_(seed) {}
  bool one_in(unsigned n) { return random_() % n == 0; }
  std::string of(const std::vector<std::string>& choices) { return choices[random_() % choices.size()]; }

 private:
  std::mt19937 random_;
};

struct Option {
  std::string name;
  std::vector<std::string> values;  // none: a flag
};

const std::vector<std::string> some_columns = {"x1", "x2", "x3", "y", "label", "k", "w", "nope", "", "x1,x2", "k,w", "y,label", ",", "x 1"};
const std::vector<std::string> some_numbers = {"1",   "0.01", "0",   "-1",    "1e-300", "1e300", "nan",
                                               "inf", "",     "one", "1e999", "0x10",   "2",     "0.5"};

const std::vector<Option> fit_options = {
    {"--target", some_columns},
    {"--target", {"y", "label", "k"}},
    {"--model", {"linear", "logistic"}},
    {"--model", {"linear", "logistic", "rvm", "", "Linear", "poisson"}},
    {"--preset", {"vb_linear_fit", "vb_linear_fit_ard", "vb_logit_fit", "vb_logit_fit_ard", "vb_logit_fit_iter", "vb", ""}},
    {"--compat", {}},
    {"--row-order", {"by-content", "as-given", "random"}},
    {"--prior", {"auto", "shared", "ard", "groups", "none", "flat"}},
    {"--group", {"g=x1,x2", "=x1", "g=", "g", "g=nope", "g=k,x1", "g=x1=x2"}},
    {"--flat", some_columns},
    {"--likelihood", {"vg", "jj", "laplace"}},
    {"--weights", {"w", "y", "k", "nope", ""}},
    {"--ignore", some_columns},
    {"--ignore", {"k", "w", "y", "label"}},
    {"--categorical", some_columns},
    {"--missing", {"refuse", "drop", "keep"}},
    {"--delimiter", {",", ";", "\t", "", "ab", "\"", "x", "\xC3\xBC", "59"}},
    {"--a0", some_numbers},
    {"--b0", some_numbers},
    {"--c0", some_numbers},
    {"--d0", some_numbers},
    {"--no-intercept", {}},
    {"--no-standardize", {}},
    {"--no-acceleration", {}},
    {"--solver", {"automatic", "primal", "dual", "spectral", "sequential"}},
    {"--max-sweeps", {"1", "2", "50", "0", "-1", "1.5", "99999999999"}},
    {"--tolerance", {"1e-3", "0.1", "0", "-1", "nan", "inf"}},
    {"--threads", {"1", "2", "0", "-1"}},
    {"--level", some_numbers},
    {"--level", {"0.5", "0.999999999999", "0.99999999999999999", "1e-17"}},
    {"--covariance", {}},
    {"--all-columns", {}},
    {"--task", {"regression", "classification", "linear"}},
    {"--kernel", {"gaussian", "spline", "rbf"}},
    {"--width", {"auto", "each", "0.5", "1,2,3", "0", ""}},
    {"--centres", {"all", "5", "0"}},
    {"--strict", {}},
    {"-q", {}},
    {"--nonsense", {"1"}},
};
const std::vector<Option> good_options = {
    {"--prior", {"auto", "shared", "ard", "none"}},
    {"--ignore", {"k", "w", "k,w"}},
    {"--no-intercept", {}},
    {"--no-standardize", {}},
    {"--no-acceleration", {}},
    {"--a0", {"1", "0.01", "1e-300", "1e300"}},
    {"--b0", {"1", "0.01", "1e-300", "1e300"}},
    {"--max-sweeps", {"1", "2", "50"}},
    {"--level", {"0.5", "0.999999999999", "1e-17"}},
    {"--missing", {"drop"}},
    {"--covariance", {}},
    {"--strict", {}},
    {"-q", {}},
};
const std::vector<Option> rvm_options = {
    {"--task", {"regression", "classification"}},
    {"--kernel", {"gaussian", "laplacian", "cauchy", "linear", "polynomial", "spline"}},
    {"--width", {"auto", "each", "0.5", "1,2,3", "1e-300", "1e300"}},
    {"--degree", {"1", "3", "0", "20"}},
    {"--offset", {"0", "0.5", "-1", "1e300"}},
    {"--algorithm", {"variational", "plain", "type-two"}},
    {"--centres", {"all", "5", "1", "1000000"}},
    {"--likelihood", {"vg", "jj"}},
    {"--weights", {"w"}},
};
const std::vector<Option> other_options = {
    {"--level", some_numbers},
    {"--rule", {"automatic", "mixture", "exact", "mackay", "published", "published-batch", "published-incremental", "none"}},
    {"--missing", {"drop"}},
    {"--covariance", {}},
    {"--delimiter", {",", ";"}},
    {"--strict", {}},
};

Arguments some(Chance& chance, const std::vector<Option>& options, unsigned one_in) {
  Arguments arguments;
  for (const Option& option : options) {
    if (!chance.one_in(one_in)) continue;
    const bool joined = option.name.starts_with("--") && chance.one_in(4);
    const std::string value = option.values.empty() ? "" : chance.of(option.values);
    if (option.values.empty())
      arguments.push_back(option.name);
    else if (joined)
      arguments.push_back(option.name + "=" + value);
    else
      arguments.insert(arguments.end(), {option.name, value});
  }
  return arguments;
}

Arguments random_command(Chance& chance) {
  if (chance.one_in(6))
    return Arguments{chance.of({"predict", "show", "predict"}), chance.of({"m.ardvark", "l.ardvark", "r.ardvark", "data.csv", "absent"}),
                     chance.of({"data.csv", "holes.csv", "m.ardvark", "absent", "--json"})} +
           some(chance, other_options, 5) + (chance.one_in(3) ? Arguments{"-o", "out"} : Arguments{});
  Arguments arguments = {"fit", chance.of({"data.csv", "data.csv", "data.csv", "holes.csv", "one.csv", "wide.csv", "absent", "empty.csv"})};
  if (chance.one_in(4)) {
    arguments = arguments + Arguments{"--target", chance.of({"y", "label", "k", "k"}), "--model", "rvm"};
    arguments = arguments + some(chance, rvm_options, 3) + some(chance, good_options, 12);
  } else if (!chance.one_in(3)) {  // most are nearly right, so that they come far
    const bool linear = chance.one_in(2);
    arguments = arguments + Arguments{"--target", linear ? "y" : chance.of({"label", "k"}), "--model", linear ? "linear" : "logistic"};
    arguments = arguments + some(chance, good_options, 5) + some(chance, {fit_options.begin() + 4, fit_options.end()}, 40);
  } else {
    arguments = arguments + some(chance, fit_options, 6);
  }
  if (chance.one_in(2)) arguments.emplace_back("--json");
  if (chance.one_in(3)) arguments = arguments + Arguments{"-o", chance.of({"out", "out", "nowhere/out"})};
  return arguments;
}

TEST(RandomCommandLines, EndInOneOfTheWaysThatAreDocumented) {
  const testing::TemporaryFolder folder;
  const auto put = [&](const char* name, const std::string& text) { testing::write_bytes(folder / name, text); };
  const testing::Sample s = testing::sample(30, 3);
  std::vector<std::string> lines = testing::lines_of(s.csv());
  std::string data = lines[0] + ",k,w\n", holes = data;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    data += lines[i] + (i % 3 == 0 ? ",a" : ",b") + (i % 5 == 0 ? ",0\n" : ",2\n");
    holes += lines[i] + (i % 7 == 0 ? "," : ",b") + (i % 5 == 0 ? ",NA\n" : i % 2 == 0 ? ",-1\n" : ",2\n");
  }
  put("data.csv", data);
  put("holes.csv", holes);
  put("one.csv", "x1,y,label,k,w\n1,2,0,a,1\n");
  put("wide.csv", testing::sample(6, 20).csv());
  put("empty.csv", "");
  testing::output_of({"fit", "data.csv", "--target", "y", "--model", "linear", "-q", "-o", "m.ardvark"}, folder.path());
  testing::output_of({"fit", "data.csv", "--target", "label", "--model", "logistic", "-q", "-o", "l.ardvark"}, folder.path());
  testing::output_of({"fit", "data.csv", "--target", "k", "--model", "rvm", "-q", "-o", "r.ardvark"}, folder.path());
  const std::size_t num_files = folder.num_files();

  Chance chance(20);
  int num_done = 0;
  constexpr int num_commands = 400;
  for (int i = 0; i < num_commands; ++i) {
    const Arguments arguments = random_command(chance);
    SCOPED_TRACE(testing::command_line(arguments));
    const testing::Outcome outcome = testing::run(arguments, folder.path());
    const int code = outcome.exit_code;
    EXPECT_TRUE(code == 0 || code == 2 || code == 3 || code == 4) << code << "\n" << outcome.err;
    const bool done = code == 0 || code == 4;
    num_done += done ? 1 : 0;
    EXPECT_TRUE(done || testing::is_one_message(outcome.err)) << outcome.err;
    EXPECT_TRUE(done || outcome.out.empty()) << outcome.out;
    const bool written = std::filesystem::remove(folder / "out");
    EXPECT_TRUE(done || !written);
    EXPECT_EQ(folder.num_files(), num_files);
    const bool is_json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
    EXPECT_TRUE(!done || !is_json || outcome.out.empty() || testing::Json::accept(outcome.out)) << outcome.out;
  }
  EXPECT_GT(num_done, num_commands / 10) << "too few command lines come far";
}

}  // namespace
}  // namespace ardvark
