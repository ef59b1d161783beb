// The state of a sequential filter as an earlier program wrote it: it goes on from there.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "ardvark/model.hpp"
#include "ardvark/sequential.hpp"
#include "ardvark/table.hpp"
#include "support/paths.hpp"
#include "support/plain.hpp"
#include "support/random_problem.hpp"
#include "support/thrown.hpp"
#include "temporary_file.hpp"

namespace ardvark {
namespace {

using testing::data_path;
using testing::relative_distance;

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

void expect_same(const SequentialLogistic& found, const SequentialLogistic& expected) {
  EXPECT_EQ(found.num_rows(), expected.num_rows());
  EXPECT_LE(relative_distance(found.precision(), expected.precision()), 1e-12);
  EXPECT_LE(relative_distance(found.mean(), expected.mean()), 1e-12);
  EXPECT_LE(relative_distance(found.covariance(), expected.covariance()), 1e-12);
  EXPECT_NEAR(found.bound(), expected.bound(), 1e-12 * (1 + std::abs(expected.bound())));
}

// Through the model as it is written, and as a program without the option `precision` wrote it.
RC_GTEST_PROP(SequentialFile, OfAModelGoesOnAsIfItHadNeverBeenSaved, ()) {  // (SEQ.7)
  const auto seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint32_t>());
  const auto n = *rc::gen::inRange<Index>(2, 60), p = *rc::gen::inRange<Index>(1, 8), first = *rc::gen::inRange<Index>(0, n);
  const auto order = *rc::gen::element(RowOrder::as_given, RowOrder::by_content);
  const bool has_weights = *rc::gen::arbitrary<bool>(), is_old = *rc::gen::arbitrary<bool>(), has_precision = *rc::gen::arbitrary<bool>();
  testing::Random random(seed);
  const testing::Problem problem = testing::make_problem(seed, n, p);
  Vector weights(n);
  for (double& k : weights) k = random.uniform() < 0.2 ? 0 : 4 * random.uniform();
  SequentialOptions options;
  if (has_precision) options.precision = random.scale(0.01, 100);
  SequentialLogistic never(p, options);
  const auto absorb = [&](SequentialLogistic& filter, Index begin, Index count) {
    filter.update(problem.X.middleRows(begin, count), Vector(problem.labels.segment(begin, count)),
                  has_weights ? Vector(weights.segment(begin, count)) : Vector(), order);
  };
  if (first > 0) absorb(never, 0, first);
  SavedModel model = model_from_bytes(model_to_bytes(sequential_model(never, {})));
  if (is_old) model.options.clear();
  SequentialLogistic again = sequential_from_model(model);
  expect_same(again, never);
  absorb(never, first, n - first);
  absorb(again, first, n - first);
  expect_same(again, never);
}

TEST(SequentialFile, OfThePublishedProgramGoesOn) {
  const testing::Problem problem = testing::make_problem(5, 80, 3);
  ModelOptions options;
  options.preset = "vb_logit_fit_iter";
  const Vector labels = (problem.labels.array() + 1) / 2;
  const Matrix head = problem.X.topRows(50);
  SequentialLogistic again = sequential_from_model(model_from_bytes(model_to_bytes(fit_model(head, Vector(labels.head(50)), options))));
  again.update(problem.X.bottomRows(30), Vector(problem.labels.tail(30)));
  SequentialLogistic never(3);
  never.update(problem.X, problem.labels);
  expect_same(again, never);
}

TEST(SequentialFile, OfRowsThatWereFittedTogetherIsRefused) {
  const testing::Problem problem = testing::make_problem(6, 80, 3);
  const SavedModel together = fit_model(problem.X, problem.labels, {.model = "logistic"});
  testing::expect_invalid([&] { (void)sequential_from_model(together); }, {"fitted to all of its rows together"});
  ModelOptions other;
  other.precision = 2;
  testing::expect_invalid([&] { (void)sequential_from_model(sequential_model(SequentialLogistic(3), {}), other); },
                          {"precision is 2; that of the model is 3"});
}

}  // namespace
}  // namespace ardvark
