// The state of a sequential filter as an earlier program wrote it: it goes on from there.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "ardvark/sequential.hpp"
#include "ardvark/table.hpp"
#include "support/paths.hpp"
#include "temporary_file.hpp"

namespace ardvark {
namespace {

using testing::data_path;

void expect_near(const Vector& found, const nlohmann::json& expected) {
  ASSERT_EQ(static_cast<std::size_t>(found.size()), expected.size());
  for (Index j = 0; j < found.size(); ++j) {
    const double value = expected[static_cast<std::size_t>(j)].get<double>();
    EXPECT_NEAR(found[j], value, 1e-11 * (1 + std::abs(value)));
  }
}

TEST(SequentialFile, OfAnEarlierProgramGoesOnAsItDid) {
  SequentialLogistic filter = SequentialLogistic::from_bytes(testing::read_bytes(data_path("models/earlier/sequential.state")));
  const auto expected = nlohmann::json::parse(testing::read_bytes(data_path("models/earlier/sequential_state.json")));
  ASSERT_EQ(filter.num_rows(), 20);
  expect_near(filter.mean(), expected["mean"]);
  expect_near(filter.covariance().diagonal(), expected["variance"]);
  EXPECT_NEAR(filter.bound(), expected["bound"].get<double>(), 1e-9);

  const Table table = read_csv(data_path("models/earlier/narrow.csv"));
  Matrix X(10, 4);
  Vector labels(10);
  for (Index j = 0; j < 4; ++j) X.col(j) = column_values(table, j).tail(10);
  const Vector two = column_values(table, table.at("two"));
  for (Index i = 0; i < 10; ++i) labels[i] = 2 * two[20 + i] - 1;
  filter.update(X, labels);
  expect_near(filter.mean(), expected["mean_after_all_rows"]);
  EXPECT_NEAR(filter.bound(), expected["bound_after_all_rows"].get<double>(), 1e-9);
}

}  // namespace
}  // namespace ardvark
