// Model files that an earlier program wrote, and what it predicted from them: the same is predicted today. The intervals of
// kernel_regression, which that program found to 1e-8, were computed again by bisection in long double from the parts of its predictions.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "ardvark/model_file.hpp"
#include "program.hpp"
#include "support/paths.hpp"

namespace ardvark {
namespace {

using testing::data_path;
using testing::Json;

// Numbers to the rounding of another processor, all else to the letter.
void expect_same(const Json& found, const Json& expected, const std::string& where) {
  ASSERT_EQ(found.type_name(), std::string(expected.type_name())) << where;
  if (expected.is_number()) {
    const double value = expected.get<double>();
    EXPECT_NEAR(found.get<double>(), value, 1e-11 * (1 + std::abs(value))) << where;
    return;
  }
  ASSERT_EQ(found.size(), expected.size()) << where;
  if (expected.is_structured())
    for (const auto& [key, value] : expected.items()) {
      ASSERT_TRUE(!found.is_object() || found.contains(key)) << where << ": " << key;
      expect_same(found.is_object() ? found.at(key) : found.at(std::stoul(key)), value, where + "." + key);
    }
  else
    EXPECT_EQ(found, expected) << where;
}

void expect_kept(const std::string& model, const std::string& table, const std::string& predictions) {
  SCOPED_TRACE(model);
  Json found = testing::json_of({"predict", model, table});
  found.erase("seconds");
  found.erase("score");
  expect_same(found, Json::parse(testing::read_bytes(predictions)), "prediction");
  EXPECT_EQ(testing::run({"show", model}).exit_code, 0);

  // Saved again it is a file of today's format, with the same predictions.
  const testing::TemporaryFolder folder;
  save_model(folder / "again", load_model(model));
  Json again = testing::json_of({"predict", "again", table}, folder.path());
  again.erase("seconds");
  again.erase("score");
  EXPECT_EQ(again, found);
}

TEST(EarlierModels, KeepTheirPredictions) {
  const std::string folder = data_path("models/earlier/");
  std::ifstream origin(folder + "origin.csv");
  std::string line;
  std::getline(origin, line);
  int num_models = 0;
  while (std::getline(origin, line)) {
    const std::size_t first = line.find(','), second = line.find(',', first + 1);
    const std::string name = line.substr(0, first), table = line.substr(first + 1, second - first - 1);
    expect_kept(folder + name + ".ardvark", folder + table, folder + name + ".json");
    ++num_models;
  }
  EXPECT_EQ(num_models, 74);
}

TEST(EarlierModels, OfTheFirstFormatsKeepTheirPredictions) {
  for (const std::string name : {"wide_linear", "wide_sparse"})
    expect_kept(data_path("models/" + name + ".ardvark"), data_path("models/wide.csv"), data_path("models/" + name + ".json"));
  expect_kept(data_path("models/pima_logistic.ardvark"), testing::example_path("Pima.te.csv"), data_path("models/pima_logistic.json"));
}

}  // namespace
}  // namespace ardvark
