// Many targets of the C interface, against the library.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "capi/calls.hpp"

namespace ardvark {
namespace {

using Targets = testing::Owned<ardvark_targets>;

struct TargetTables {
  Matrix X{70, 3}, Y{70, 4};
  TargetTables() {
    for (Index i = 0; i < 70; ++i) {
      for (Index j = 0; j < 3; ++j) X(i, j) = std::sin(1.7 * static_cast<double>((i + 1) * (j + 2)));
      for (Index k = 0; k < 4; ++k)
        Y(i, k) = X(i, k % 3) * static_cast<double>(k) + 0.3 * std::cos(31.0 * static_cast<double>(i + 5 * k)) + 2;
    }
  }
};

Targets fitted_targets(const TargetTables& problem, const Options& options, std::int32_t what = 0, const ardvark_columns* mean = nullptr) {
  const ardvark_matrix X = view(problem.X), Y = view(problem.Y);
  const char* const names[] = {"a", "b", "c", "d"};
  ardvark_error error = empty_error();
  ardvark_targets* targets = nullptr;
  EXPECT_EQ(ardvark_fit_targets(&X, &Y, names, options.get(), what, mean, nullptr, nullptr, &targets, &error), ARDVARK_OK) << error.message;
  return Targets(targets);
}

Result result_of(const Targets& targets) {
  ardvark_error error = empty_error();
  ardvark_result* result = nullptr;
  EXPECT_EQ(ardvark_targets_result(targets.get(), &result, &error), ARDVARK_OK) << error.message;
  return Result(result);
}

Matrix numbers_of(const Result& result, const char* name) {
  ardvark_error error = empty_error();
  ardvark_array array = {};
  array.struct_size = sizeof array;
  EXPECT_EQ(ardvark_result_array(result.get(), name, &array, &error), ARDVARK_OK) << error.message;
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Matrix out = Eigen::Map<const RowMajor>(array.data, array.shape[0], array.dimensions == 2 ? array.shape[1] : 1);
  ardvark_free(array.data);
  return out;
}

TEST(CTargets, HaveDirections) {
  const TargetTables problem;
  Matrix mean(3, 4);
  const ardvark_columns to{sizeof to, mean.data(), ARDVARK_FLOAT64, 0};
  const Targets targets = fitted_targets(problem, options_of({{"model", "linear"}, {"prior", "none"}}), ARDVARK_TARGETS_SD, &to);
  const TargetDirections expected =
      target_directions(fit_targets(problem.X, problem.Y, {.fit = {.prior = Prior::none()}, .standard_deviations = true}));
  const ardvark_matrix given = view(mean);
  ardvark_error error = empty_error();
  ardvark_result* made = nullptr;
  ASSERT_EQ(ardvark_targets_directions(targets.get(), 1, &given, &made, &error), ARDVARK_OK) << error.message;
  const Result result(made);
  EXPECT_EQ(numbers_of(result, "q_value"), Matrix(expected.q_value.transpose()));
  EXPECT_EQ(numbers_of(result, "p_value"), Matrix(expected.p_value.transpose()));
  EXPECT_EQ(numbers_of(result, "sd"), Matrix(expected.sd.transpose()));
  EXPECT_EQ(numbers_of(result, "noise_sd"), Matrix(expected.noise_sd));
  EXPECT_EQ(numbers_of(result, "degrees_of_freedom"), Matrix(expected.degrees_of_freedom));
  EXPECT_EQ(numbers_of(result, "no_effect"), Matrix(expected.no_effect));
  EXPECT_EQ(ardvark_targets_directions(targets.get(), 1, nullptr, &made, &error), ARDVARK_INVALID_ARGUMENT);
  EXPECT_STREQ(error.argument, "coefficients");
}

TEST(CTargets, AreThoseOfTheLibrary) {
  const TargetTables problem;
  const Targets targets =
      fitted_targets(problem, options_of({{"model", "linear"}, {"prior", "shared"}}), ARDVARK_TARGETS_SD | ARDVARK_TARGETS_LEAVE_ONE_OUT);
  const Result result = result_of(targets);
  const TargetsFit expected =
      fit_targets(problem.X, problem.Y, {.fit = {.prior = Prior::shared()}, .standard_deviations = true, .leave_one_out = true});
  EXPECT_EQ(numbers_of(result, "mean"), expected.mean.transpose());
  EXPECT_EQ(numbers_of(result, "sd"), expected.sd.transpose());
  EXPECT_EQ(Vector(numbers_of(result, "evidence")), expected.evidence);
  EXPECT_EQ(Vector(numbers_of(result, "r_squared_loo")), expected.r_squared_loo);
  EXPECT_EQ(json_of(result, "targets"), R"(["a","b","c","d"])");
  EXPECT_EQ(json_of(result, "status"), R"(["converged","converged","converged","converged"])");

  ardvark_error error = empty_error();
  ardvark_result* explained = nullptr;
  ASSERT_EQ(ardvark_targets_explained(targets.get(), 0.1, &explained, &error), ARDVARK_OK) << error.message;
  const Result by_rate(explained);
  EXPECT_EQ(Vector(numbers_of(by_rate, "probability")),
            explained_targets(expected.log_bayes, expected.log_bayes_of_noise, 0.1).probability);
  EXPECT_EQ(ardvark_targets_explained(targets.get(), 2, &explained, &error), ARDVARK_INVALID_ARGUMENT);
  EXPECT_STREQ(error.argument, "rate");
}

TEST(CTargets, PredictIntoTheMemoryOfTheCaller) {
  const TargetTables problem;
  const ardvark_matrix X = view(problem.X);
  Matrix coefficients(3, 4);
  const ardvark_columns to = {sizeof(ardvark_columns), coefficients.data(), ARDVARK_FLOAT64, 0};
  const Targets targets = fitted_targets(problem, options_of({{"model", "linear"}, {"prior", "shared"}}), 0, &to);
  const TargetsFit fit = fit_targets(problem.X, problem.Y, {.fit = {.prior = Prior::shared()}});
  EXPECT_EQ(coefficients, fit.mean);
  const ardvark_matrix W = view(coefficients);
  const auto predicted = [&](const Targets& from, const ardvark_matrix* given, const char* interval) {
    Matrix sd(70, 4);
    Eigen::MatrixXf mean(72, 4);
    const ardvark_columns to_mean = {sizeof(ardvark_columns), mean.data(), ARDVARK_FLOAT32, 72},
                          to_sd = {sizeof(ardvark_columns), sd.data(), ARDVARK_FLOAT64, 0};
    ardvark_error error = empty_error();
    EXPECT_EQ(ardvark_targets_predict(from.get(), &X, given, options_of({{"interval", interval}}).get(), &to_mean, &to_sd, &error),
              ARDVARK_OK)
        << error.message;
    return std::pair(Eigen::MatrixXf(mean.topRows(70)), sd);
  };
  const TargetsPrediction expected = predict(fit, problem.X);
  const Matrix mean = predicted(targets, &W, "new").first.cast<double>();  // from products of single precision
  EXPECT_LE((mean - expected.mean).cwiseAbs().maxCoeff(), 1e-6 * expected.mean.cwiseAbs().maxCoeff());
  EXPECT_EQ(predicted(targets, &W, "new").second, expected.sd);
  EXPECT_EQ(predicted(targets, &W, "mean").second, predict(fit, problem.X, {.what = PredictionOf::mean}).sd);

  void* data = nullptr;
  std::size_t size = 0;
  ardvark_error error = empty_error();
  ASSERT_EQ(ardvark_targets_to_bytes(targets.get(), &W, &data, &size, &error), ARDVARK_OK) << error.message;
  ardvark_targets* again = nullptr;
  ASSERT_EQ(ardvark_targets_from_bytes(data, size, &again, &error), ARDVARK_OK) << error.message;
  ardvark_free(data);
  const Targets read(again);
  EXPECT_EQ(predicted(read, nullptr, "new").second, expected.sd);
  ardvark_encoding* encoding = nullptr;
  ASSERT_EQ(ardvark_targets_encoding(read.get(), &encoding, &error), ARDVARK_OK) << error.message;
  const testing::Owned<ardvark_encoding> columns(encoding);
  ardvark_result* facts = nullptr;
  ASSERT_EQ(ardvark_encoding_result(columns.get(), &facts, &error), ARDVARK_OK) << error.message;
  EXPECT_EQ(json_of(Result(facts), "columns"), R"(["x1","x2","x3"])");
}

TEST(CTargets, OfAGapAreFittedToTheOtherRows) {
  TargetTables problem;
  problem.Y(5, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(json_of(result_of(fitted_targets(problem, options_of({{"model", "linear"}, {"prior", "shared"}}))), "status"),
            R"(["converged","not_finite","converged","converged"])");
  problem.X(9, 0) = std::numeric_limits<double>::quiet_NaN();
  const Result result = result_of(fitted_targets(problem, options_of({{"model", "linear"}, {"prior", "shared"}, {"missing", "drop"}})));
  EXPECT_EQ(Vector(numbers_of(result, "num_rows")), (Vector(4) << 69, 68, 69, 69).finished());
  EXPECT_NE(json_of(result, "notes").find("1 row was dropped"), std::string::npos) << json_of(result, "notes");
}

TEST(CTargets, NameTheArgument) {
  const TargetTables problem;
  const ardvark_matrix X = view(problem.X), Y = view(problem.Y);
  const Matrix few = problem.Y.topRows(9);
  const ardvark_matrix short_Y = view(few);
  std::int8_t bytes[12];
  const ardvark_columns of_bytes = {sizeof(ardvark_columns), bytes, ARDVARK_INT8, 0},
                        narrow = {sizeof(ardvark_columns), bytes, ARDVARK_FLOAT64, 2};
  ardvark_targets* targets = nullptr;
  const auto argument = [&](const ardvark_matrix* columns, const ardvark_matrix* all,
                            const std::vector<std::pair<const char*, const char*>>& texts, const ardvark_columns* mean = nullptr) {
    ardvark_error error = empty_error();
    EXPECT_EQ(ardvark_fit_targets(columns, all, nullptr, options_of(texts).get(), 0, mean, nullptr, nullptr, &targets, &error),
              ARDVARK_INVALID_ARGUMENT);
    EXPECT_EQ(targets, nullptr);
    return std::string(error.argument);
  };
  EXPECT_EQ(argument(nullptr, &Y, {{"model", "linear"}}), "X");
  EXPECT_EQ(argument(&X, nullptr, {{"model", "linear"}}), "Y");
  EXPECT_EQ(argument(&X, &short_Y, {{"model", "linear"}}), "Y");
  EXPECT_EQ(argument(&X, &short_Y, {{"model", "linear"}, {"missing", "drop"}}), "Y");
  EXPECT_EQ(argument(&X, &Y, {{"model", "linear"}}, &of_bytes), "mean");
  EXPECT_EQ(argument(&X, &Y, {{"model", "linear"}}, &narrow), "mean");
  EXPECT_EQ(argument(&X, &Y, {{"model", "linear"}, {"fdr", "0.1"}}), "fdr");
  EXPECT_EQ(argument(&X, &Y, {{"model", "linear"}, {"missing", "impute"}}), "missing");
  EXPECT_EQ(argument(&X, &Y, {{"model", "logistic"}}), "");
  EXPECT_EQ(argument(&X, &Y, {{"model", "linear"}, {"tolerance", "-1"}}), "tolerance");
}

// Adds rows in two pieces, to statistics and to a copy of them: both have the bits of rows in one piece, which those of their bytes need
// not.
template <typename Statistics>
void expect_exact_copies(const auto& create, const auto& update, const auto& copy, const auto& to_bytes) {
  using Held = testing::Owned<Statistics>;
  ardvark_error error = empty_error();
  const auto bytes = [&](const Held& statistics) {
    void* data = nullptr;
    size_t size = 0;
    EXPECT_EQ(to_bytes(statistics.get(), &data, &size, &error), ARDVARK_OK) << error.message;
    std::string out(static_cast<const char*>(data), size);
    ardvark_free(data);
    return out;
  };
  Statistics *first = nullptr, *second = nullptr, *whole = nullptr;
  ASSERT_EQ(create(&first, &error), ARDVARK_OK);
  ASSERT_EQ(create(&whole, &error), ARDVARK_OK);
  const Held statistics(first), expected(whole);
  update(statistics.get(), Index{0}, Index{25});
  update(expected.get(), Index{0}, Index{70});
  ASSERT_EQ(copy(statistics.get(), &second, &error), ARDVARK_OK) << error.message;
  const Held again(second);
  const std::string before = bytes(statistics);
  EXPECT_EQ(bytes(again), before);
  update(again.get(), Index{25}, Index{45});
  EXPECT_EQ(bytes(again), bytes(expected));
  EXPECT_EQ(bytes(statistics), before);
  EXPECT_EQ(copy(nullptr, &second, &error), ARDVARK_INVALID_ARGUMENT);
  EXPECT_EQ(copy(statistics.get(), nullptr, &error), ARDVARK_INVALID_ARGUMENT);
}

TEST(CTargetStatistics, AreCopied) {
  const TargetTables problem;
  expect_exact_copies<ardvark_target_statistics>(
      ardvark_target_statistics_create,
      [&](ardvark_target_statistics* to, Index first, Index count) {
        const Matrix X = problem.X.middleRows(first, count), Y = problem.Y.middleRows(first, count);
        const ardvark_matrix x = view(X), y = view(Y);
        ardvark_error error = empty_error();
        EXPECT_EQ(ardvark_target_statistics_update(to, &x, &y, nullptr, &error), ARDVARK_OK) << error.message;
      },
      ardvark_target_statistics_copy, ardvark_target_statistics_to_bytes);
}

TEST(CStatistics, AreCopied) {
  const TargetTables problem;
  for (const char* form : {"gram", "factor"}) {
    expect_exact_copies<ardvark_statistics>(
        [&](ardvark_statistics** out, ardvark_error* error) { return ardvark_statistics_create(form, out, error); },
        [&](ardvark_statistics* to, Index first, Index count) {
          const Matrix X = problem.X.middleRows(first, count);
          const Vector y = problem.Y.col(0).segment(first, count);
          const ardvark_matrix x = view(X);
          ardvark_error error = empty_error();
          EXPECT_EQ(ardvark_statistics_update(to, &x, y.data(), nullptr, &error), ARDVARK_OK) << error.message;
        },
        ardvark_statistics_copy, ardvark_statistics_to_bytes);
  }
}

TEST(CTargetStatistics, HaveTheFitsOfTheLibrary) {  // (TGT.11)
  using Statistics = testing::Owned<ardvark_target_statistics>;
  const TargetTables problem;
  const ardvark_matrix X = view(problem.X), Y = view(problem.Y);
  ardvark_error error = empty_error();
  const auto made = [&] {
    ardvark_target_statistics* statistics = nullptr;
    EXPECT_EQ(ardvark_target_statistics_create(&statistics, &error), ARDVARK_OK) << error.message;
    EXPECT_EQ(ardvark_target_statistics_update(statistics, &X, &Y, nullptr, &error), ARDVARK_OK) << error.message;
    return Statistics(statistics);
  };
  const Statistics sum = made(), other = made();
  ASSERT_EQ(ardvark_target_statistics_merge(sum.get(), other.get(), &error), ARDVARK_OK) << error.message;
  const char* const names[] = {"a", "b", "c", "d"};
  const char* const columns[] = {"u", "v", "w"};
  const Options of_names = options_of({});
  ASSERT_EQ(ardvark_options_set_texts(of_names.get(), "column_names", columns, 3, &error), ARDVARK_OK) << error.message;
  ASSERT_EQ(ardvark_target_statistics_set_names(sum.get(), of_names.get(), names, 4, &error), ARDVARK_OK) << error.message;
  void* data = nullptr;
  size_t size = 0;
  ASSERT_EQ(ardvark_target_statistics_to_bytes(sum.get(), &data, &size, &error), ARDVARK_OK) << error.message;
  ardvark_target_statistics* read = nullptr;
  ASSERT_EQ(ardvark_target_statistics_from_bytes(data, size, &read, &error), ARDVARK_OK) << error.message;
  const Statistics again(read);
  ardvark_free(data);

  TargetStatistics expected;
  expected.update(problem.X, problem.Y);
  expected.merge(TargetStatistics(expected));
  ardvark_result* facts = nullptr;
  ASSERT_EQ(ardvark_target_statistics_result(again.get(), &facts, &error), ARDVARK_OK) << error.message;
  const Result result(facts);
  EXPECT_EQ(json_of(result, "targets"), R"(["a","b","c","d"])");
  EXPECT_EQ(json_of(result, "columns"), R"(["u","v","w"])");
  EXPECT_EQ(json_of(result, "has_names"), "true");
  EXPECT_EQ(json_of(result, "num_rows"), "140");
  EXPECT_EQ(numbers_of(result, "cross"), expected.cross());
  EXPECT_EQ(numbers_of(result, "target_cross"), expected.target_cross().transpose());
  EXPECT_EQ(Vector(numbers_of(result, "target_squares")), expected.target_squares());
  EXPECT_EQ(Vector(numbers_of(result, "mean")), expected.mean());
  EXPECT_EQ(Vector(numbers_of(result, "target_mean")), expected.target_mean());

  const Options options = options_of({{"model", "linear"}, {"prior", "shared"}});
  ardvark_targets* fitted = nullptr;
  ASSERT_EQ(ardvark_fit_target_statistics(again.get(), options.get(), ARDVARK_TARGETS_SD, nullptr, nullptr, nullptr, &fitted, &error),
            ARDVARK_OK)
      << error.message;
  const Targets targets(fitted);
  const TargetsFit fit = fit_targets(expected, {.fit = {.prior = Prior::shared()}, .standard_deviations = true});
  EXPECT_EQ(numbers_of(result_of(targets), "mean"), fit.mean.transpose());
  EXPECT_EQ(numbers_of(result_of(targets), "sd"), fit.sd.transpose());
  EXPECT_EQ(json_of(result_of(targets), "targets"), R"(["a","b","c","d"])");
  const auto refuse = [&](const ardvark_options* asked, std::int32_t what) {
    return ardvark_fit_target_statistics(again.get(), asked, what, nullptr, nullptr, nullptr, &fitted, &error);
  };
  EXPECT_EQ(refuse(options.get(), ARDVARK_TARGETS_LEAVE_ONE_OUT), ARDVARK_INVALID_ARGUMENT);
  EXPECT_STREQ(error.argument, "leave_one_out");
  EXPECT_EQ(refuse(options_of({{"missing", "drop"}}).get(), 0), ARDVARK_INVALID_ARGUMENT);
  EXPECT_STREQ(error.argument, "missing");
}

}  // namespace
}  // namespace ardvark
