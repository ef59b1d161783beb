#include "ardvark/model_file.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "../support/random_problem.hpp"
#include "ardvark/counts.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "mutations.hpp"
#include "support/paths.hpp"
#include "temporary_file.hpp"

namespace ardvark {
namespace {

using testing::make_problem;
using testing::message_of;
using testing::Problem;
using testing::TemporaryFolder;
using Names = std::vector<std::string>;

const Names names = {"height", "age, in years", "weight=kg"};

FitOptions with_names(const Names& column_names) {
  FitOptions options;
  options.column_names = column_names;
  return options;
}

// The file has no table's columns to describe: each column of X is a numeric column of its name.
void expect_numeric_columns(const FeatureEncoding& encoding, const Names& expected) {
  EXPECT_EQ(encoding.names(), expected);
  for (const FeatureColumn& feature : encoding.features) EXPECT_TRUE(!feature.categorical && feature.levels.empty()) << feature.name;
}

template <typename AnyFit>
AnyFit as(const Fit& fit) {
  AnyFit typed;
  static_cast<Fit&>(typed) = fit;
  return typed;
}

// What the summary shows, and the numbers behind it to the last bit.
void expect_same(const Fit& loaded, const Fit& fit) {
  EXPECT_EQ(summary(loaded), summary(fit));
  EXPECT_EQ(loaded.column_names, fit.column_names);
  EXPECT_EQ(loaded.mean, fit.mean);
  EXPECT_EQ(loaded.variance, fit.variance);
  EXPECT_EQ(loaded.intercept->mean, fit.intercept->mean);
  EXPECT_EQ(loaded.intercept->variance, fit.intercept->variance);
  EXPECT_EQ(loaded.precision, fit.precision);
  EXPECT_EQ(loaded.group, fit.group);
  EXPECT_EQ(loaded.relevant, fit.relevant);
  EXPECT_EQ(loaded.bound, fit.bound);
  EXPECT_EQ(loaded.report.bound_history, fit.report.bound_history);
  EXPECT_EQ(loaded.report.notes, fit.report.notes);
  EXPECT_EQ(loaded.covariance(), fit.covariance());
}

TEST(SaveModel, WithoutAnEncodingGivesBackALinearFit) {
  const TemporaryFolder folder;
  const Problem problem = make_problem(141, 40, 3), fresh = make_problem(142, 9, 3);
  const LinearFit fit = fit_linear(problem.X, problem.y, with_names(names));
  save_model(folder / "m.ardvark", fit);
  const SavedModel saved = load_model(folder / "m.ardvark");
  expect_numeric_columns(saved.encoding, names);
  ASSERT_EQ(saved.score()->task, Task::linear);
  expect_same(*saved.score(), fit);
  const StudentPrediction expected = predict(fit, fresh.X), predicted = predict(as<LinearFit>(*saved.score()), fresh.X);
  EXPECT_EQ(predicted.mean, expected.mean);
  EXPECT_EQ(predicted.scale, expected.scale);
  EXPECT_EQ(predicted.degrees_of_freedom, expected.degrees_of_freedom);
}

TEST(SaveModel, RemembersWhichColumnsAreTrueAndFalse) {
  const TemporaryFolder folder;
  const Problem problem = make_problem(141, 40, 3);
  FeatureEncoding encoding = FeatureEncoding::of_numbers(names);
  encoding.features[1].is_truth = true;
  save_model(folder / "m.ardvark", fit_linear(problem.X, problem.y, with_names(names)), encoding);
  const SavedModel saved = load_model(folder / "m.ardvark");
  expect_numeric_columns(saved.encoding, names);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(saved.encoding.features[j].is_truth, j == 1);
}

TEST(SaveModel, WithoutAnEncodingGivesBackALogisticFit) {
  const TemporaryFolder folder;
  const Problem problem = make_problem(143, 60, 3), fresh = make_problem(144, 9, 3);
  const LogisticFit fit = fit_logistic(problem.X, problem.labels);
  save_model(folder / "m.ardvark", fit);
  const SavedModel saved = load_model(folder / "m.ardvark");
  expect_numeric_columns(saved.encoding, {"x1", "x2", "x3"});
  ASSERT_EQ(saved.score()->task, Task::logistic);
  EXPECT_EQ(saved.score()->classes, (Names{"-1", "1"}));
  expect_same(*saved.score(), fit);
  EXPECT_EQ(predict(as<LogisticFit>(*saved.score()), fresh.X).probability, predict(fit, fresh.X).probability);
}

TEST(SaveModel, KeepsMarginalsThatAreSkewedAndAveraged) {  // (SKEW.5), (SKEW.8)
  const TemporaryFolder folder;
  const Problem problem = make_problem(145, 40, 3);
  const Vector y = problem.X.col(0).array().abs().floor();  // of which no column tells much, and the intercept is skewed
  for (const Prior& prior : {Prior::shared(), Prior::none()}) {
    const CountFit fit = fit_counts(problem.X, y, {.prior = prior, .family = Family::poisson});
    save_model(folder / "m.ardvark", fit);
    const SavedModel saved = load_model(folder / "m.ardvark");
    for (Index j = -1; j < 3; ++j) {
      const Interval loaded = credible_interval(*saved.score(), j), own = credible_interval(fit, j);
      EXPECT_EQ(loaded.lower, own.lower) << j;
      EXPECT_EQ(loaded.upper, own.upper) << j;
      EXPECT_GT(std::abs(own.lower + own.upper - 2 * (j < 0 ? fit.intercept->mean : fit.mean[j])), 1e-6) << "not symmetric";
    }
  }
}

// Written before there were relevance vector machines. The same tables fitted again agree as far as the tolerance goes, and the prior that
// the intercept of classes has had since (SP.20): of 200 rows it is one more.
TEST(LoadModel, ReadsFilesOfEarlierPrograms) {
  const SavedModel logistic = load_model(testing::data_path("models/pima_logistic.ardvark"));
  EXPECT_EQ(logistic.score()->classes, (Names{"No", "Yes"}));
  EXPECT_EQ(logistic.score()->prior, PriorKind::ard);
  const Table pima = read_csv(testing::example_path("Pima.tr.csv"));
  const Vector type = column_values(pima, pima.at("type"));
  const EncodedTable patients = encode(read_csv(testing::example_path("Pima.tr.csv")), logistic.encoding);
  const LogisticFit again = fit_logistic(patients.X(), type, {.prior = Prior::ard()});
  EXPECT_LT((predict(as<LogisticFit>(*logistic.score()), patients.X()).probability - predict(again, patients.X()).probability)
                .cwiseAbs()
                .maxCoeff(),
            5e-3);

  const std::string wide = testing::data_path("models/wide.csv");  // more columns than rows: the other form of the covariance
  const SavedModel linear = load_model(testing::data_path("models/wide_linear.ardvark"));
  ASSERT_EQ(linear.encoding.features.size(), 13u);
  EXPECT_EQ(linear.encoding.features[0].levels, (Names{"a", "b", "c"}));
  const Table table = read_csv(wide);
  const Vector y = column_values(table, table.at("y"));
  const EncodedTable rows = encode(read_csv(wide), linear.encoding);
  const StudentPrediction loaded = predict(as<LinearFit>(*linear.score()), rows.X()),
                          fitted = predict(fit_linear(rows.X(), y, {.prior = Prior::shared(), .integrate_few_rows = false}), rows.X());
  EXPECT_LT((loaded.mean - fitted.mean).cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_LT((loaded.scale - fitted.scale).cwiseAbs().maxCoeff(), 1e-3);
}

// Any bit of any array: else a prediction would change and nobody be told. Older files have no checksums, and load.
TEST(LoadModel, RefusesArraysThatHaveChanged) {
  const TemporaryFolder folder;
  const std::string path = folder / "m.ardvark";
  const Problem problem = make_problem(145, 60, 3);
  save_model(path, fit_logistic(problem.X, problem.labels));
  const std::string whole = testing::read_bytes(path);
  std::uint64_t header = 0;
  std::memcpy(&header, whole.data(), 8);
  for (std::size_t at = 8 + header; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ (1 << (at % 8)));
    testing::write_bytes(path, changed);
    const std::string message = message_of<InvalidArgument>([&] { (void)load_model(path); });
    EXPECT_NE(message.find("is damaged: its array"), std::string::npos) << at << ": " << message;
  }
  testing::write_bytes(path, testing::without_checksums(whole));
  EXPECT_EQ(load_model(path).score()->num_columns(), 3);
}

TEST(SaveModel, RefusesAFitWithoutAPosterior) {
  const TemporaryFolder folder;
  EXPECT_EQ(message_of<InvalidArgument>([&] { save_model(folder / "m.ardvark", Fit()); }),
            "the fit holds no posterior to save (status: failed): the fit has not run");
  EXPECT_EQ(folder.num_files(), 0u);
}

}  // namespace
}  // namespace ardvark
