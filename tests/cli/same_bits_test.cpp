// The program's results have the same bits for any number of threads, however that is said.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "program.hpp"
#include "tables.hpp"

namespace ardvark::testing {
namespace {

void erase_times(Json& json) {
  if (json.is_object())
    for (auto it = json.begin(); it != json.end();) it = it.key().ends_with("seconds") ? json.erase(it) : std::next(it);
  if (json.is_structured())
    for (Json& part : json) erase_times(part);
}

class SameBits : public ::testing::Test {
 protected:
  void SetUp() override { write_bytes(folder_.path() + "/train.csv", sample(900, 260).csv()); }

  Json fit(const Arguments& arguments, const std::vector<std::string>& environment) {
    const Outcome fitted =
        Program(Arguments{"fit"} + arguments + Arguments{"--max-sweeps", "12", "-o", "model", "--json"}, folder_.path(), environment)
            .outcome();
    EXPECT_EQ(fitted.exit_code, 0) << fitted.err;
    const Outcome predicted = Program({"predict", "model", "train.csv", "--json"}, folder_.path(), environment).outcome();
    Json both = {Json::parse(fitted.out, nullptr, false), Json::parse(predicted.out, nullptr, false)};
    erase_times(both);
    return both;
  }

  TemporaryFolder folder_;
};

TEST_F(SameBits, ForThreadsByTheOptionAndByTheEnvironment) {
  const Arguments linear = {"train.csv", "--target", "y", "--ignore", "label", "--model", "linear", "--prior"},
                  classes = {"train.csv", "--target", "label", "--ignore", "y", "--model", "logistic", "--prior"};
  const std::vector<Arguments> fits = {linear + Arguments{"shared"},
                                       linear + Arguments{"ard"},
                                       linear + Arguments{"none"},
                                       linear + Arguments{"sparse"},
                                       classes + Arguments{"ard"},
                                       classes + Arguments{"sparse"},
                                       classes + Arguments{"shared", "--likelihood", "jj"}};
  for (const Arguments& arguments : fits) {
    const Json one = fit(arguments + Arguments{"--threads", "1"}, {});
    for (const char* threads : {"2", "3", "4"})
      EXPECT_EQ(fit(arguments + Arguments{"--threads", threads}, {}), one) << command_line(arguments) << " --threads " << threads;
    for (const char* threads : {"OPENBLAS_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=2", "OPENBLAS_NUM_THREADS=4"})
      EXPECT_EQ(fit(arguments, {threads}), one) << threads << " " << command_line(arguments);
  }
}

}  // namespace
}  // namespace ardvark::testing
