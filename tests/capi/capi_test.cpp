// The C interface: the same bits as the C++ functions, mistakes as codes with a text, and nothing shared between calls.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <memory>
#include <thread>

#include "ardvark/ardvark.h"
#include "ardvark/model.hpp"
#include "ardvark/posterior.hpp"
#include "capi/calls.hpp"
#include "io/temporary_file.hpp"
#include "support/random_problem.hpp"

namespace ardvark {
namespace {

Matrix array(const Result& result, const char* name) {
  ardvark_error error = empty_error();
  ardvark_array out = {};
  out.struct_size = sizeof out;
  EXPECT_EQ(ardvark_result_array(result.get(), name, &out, &error), ARDVARK_OK) << error.message;
  const testing::Owned<double> owner(out.data);
  return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(out.data, out.shape[0], out.shape[1]);
}

std::string text(const Result& result, const char* name) {
  ardvark_error error = empty_error();
  char* out = nullptr;
  EXPECT_EQ(ardvark_result_text(result.get(), name, &out, &error), ARDVARK_OK) << error.message;
  const testing::Owned<char> owner(out);
  return out == nullptr ? "" : out;
}

/// What a call that fails says; its code and that of the structure agree.
template <typename Call>
std::string message(ardvark_code code, Call&& call) {
  ardvark_error error = empty_error();
  EXPECT_EQ(call(&error), code);
  EXPECT_EQ(error.code, code);
  return error.message;
}

bool contains(const std::string& whole, const std::string& piece) { return whole.find(piece) != std::string::npos; }

struct Data {
  Matrix X;
  Vector y, labels, classes;
};

// Forty rows, four columns; a number, two classes and three classes that depend on them.
Data data() {
  Data d{Matrix(40, 4), Vector(40), Vector(40), Vector(40)};
  for (Index i = 0; i < 40; ++i) {
    for (Index j = 0; j < 4; ++j) d.X(i, j) = std::sin(1.3 * static_cast<double>((i + 1) * (j + 2))) + 0.2 * static_cast<double>(j);
    const double noise = std::cos(41.0 * static_cast<double>(i));
    d.y[i] = 1 + 2 * d.X(i, 0) - d.X(i, 3) + 0.2 * noise;
    d.labels[i] = d.X(i, 0) + 0.5 * noise > 0 ? 1 : 0;
    d.classes[i] = d.X(i, 0) + 0.5 * noise > 0.4 ? 2 : d.X(i, 1) > 0.3 ? 1 : 0;
  }
  return d;
}

TEST(CInterface, GivesTheBitsOfTheFunctionsOfCpp) {
  const Data d = data();
  const ardvark_matrix X = view(d.X);
  const Result linear = result_of(fitted(X, d.y, options_of({{"model", "linear"}, {"prior", "ard"}})));
  const LinearFit fit = fit_linear(d.X, d.y, {.prior = Prior::ard()});
  EXPECT_EQ(array(linear, "mean"), fit.mean);
  EXPECT_EQ(array(linear, "covariance"), fit.covariance());
  EXPECT_EQ(array(linear, "precision"), fit.precision);
  EXPECT_EQ(array(linear, "bound_history").size(), static_cast<Index>(fit.report.bound_history.size()));
  EXPECT_EQ(array(linear, "noise.shape")(0, 0), fit.noise.shape);
  EXPECT_EQ(array(linear, "intercept.mean")(0, 0), fit.intercept->mean);
  const Interval interval = credible_interval(fit, 2);
  EXPECT_EQ(array(linear, "interval").row(2), Eigen::RowVector2d(interval.lower, interval.upper));

  const Result laplace = result_of(fitted(X, d.labels, options_of({{"model", "logistic"}, {"prior", "laplace"}, {"lambda", "2"}})));
  const LogisticFit mode = fit_logistic(d.X, d.labels, {.prior = Prior::laplace(2)});
  EXPECT_EQ(array(laplace, "mean"), mode.mean);
  for (Index j = 0; j < 4; ++j) EXPECT_EQ(array(laplace, "relevant")(j, 0), mode.relevant[static_cast<std::size_t>(j)] ? 1 : 0);

  const Result classes = result_of(fitted(X, d.classes, options_of({{"model", "logistic"}, {"prior", "shared"}})));
  SoftmaxOptions shared;
  shared.prior = Prior::shared();
  EXPECT_EQ(array(classes, "mean"), Matrix(fit_softmax(d.X, d.classes, shared).mean.transpose()));

  const Result vectors = result_of(fitted(X, d.y, options_of({{"model", "rvm"}, {"task", "regression"}, {"width", "1.5"}})));
  RelevanceOptions given;
  given.kernel = Kernel::gaussian(1.5);
  given.search = KernelSearch::none;
  const RelevanceRegression machine = fit_relevance_regression(d.X, d.y, given);
  EXPECT_EQ(array(vectors, "relevance_vectors"), machine.relevance_vectors);
  EXPECT_EQ(array(vectors, "mean"), machine.machines.front().fit.mean);
  for (Index j = 0; j < machine.num_vectors(); ++j)
    EXPECT_EQ(array(vectors, "relevance_rows")(j, 0), machine.relevance_rows[static_cast<std::size_t>(j)]);
}

TEST(CInterface, KnowsEveryPreset) {
  const Data d = data();
  const ardvark_matrix X = view(d.X);
  for (const PresetInfo& preset : presets()) {
    SCOPED_TRACE(preset.name);
    const Vector& target = preset.task == Task::linear ? d.y : is_softmax_preset(preset.name) ? d.classes : d.labels;
    const Model model = fitted(X, target, options_of({{"preset", preset.name}}));
    ASSERT_NE(model, nullptr);
    EXPECT_FALSE(text(result_of(model), "message").empty());
  }
}

TEST(CInterface, ReadsEitherMemoryOrderAndAnyStrides) {
  const Data d = data();
  const Options options = options_of({{"model", "linear"}, {"prior", "shared"}});
  const Matrix expected = array(result_of(fitted(view(d.X), d.y, options)), "mean");
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_row = d.X;
  ardvark_matrix X = {sizeof X, by_row.data(), ARDVARK_FLOAT64, 40, 4, 4, 1};
  EXPECT_LT((array(result_of(fitted(X, d.y, options)), "mean") - expected).norm(), 1e-13);
  Matrix apart = Matrix::Constant(80, 12, 1e300);  // every second row and third column, and the rows from the last to the first
  for (Index i = 0; i < 40; ++i)
    for (Index j = 0; j < 4; ++j) apart(2 * (39 - i), 3 * j) = d.X(i, j);
  X = {sizeof X, &apart(78, 0), ARDVARK_FLOAT64, 40, 4, -2, 3 * 80};
  EXPECT_EQ(array(result_of(fitted(X, d.y, options)), "mean"), expected);
  const Eigen::MatrixXf single = d.X.cast<float>();
  const Matrix rounded = single.cast<double>();
  X = {sizeof X, single.data(), ARDVARK_FLOAT32, 40, 4, 1, 40};
  EXPECT_LT((array(result_of(fitted(X, d.y, options)), "mean") - array(result_of(fitted(view(rounded), d.y, options)), "mean")).norm(),
            1e-12);
}

TEST(CInterface, ReadsBytesWithAnyStrides) {
  const Data d = data();
  const Options options = options_of({{"model", "linear"}, {"prior", "shared"}});
  using Bytes = Eigen::Matrix<std::int8_t, Eigen::Dynamic, Eigen::Dynamic>;
  const Bytes bytes = (20 * d.X.array()).round().max(-128.0).min(127.0).matrix().cast<std::int8_t>();
  const Matrix numbers = bytes.cast<double>();
  Bytes apart = Bytes::Constant(80, 12, 99);
  for (Index i = 0; i < 40; ++i)
    for (Index j = 0; j < 4; ++j) apart(2 * i, 3 * j) = bytes(i, j);
  const Bytes by_row = bytes.transpose();
  const Matrix expected = array(result_of(fitted(view(numbers), d.y, options)), "mean");
  for (const ardvark_matrix& X : {ardvark_matrix{sizeof(ardvark_matrix), bytes.data(), ARDVARK_INT8, 40, 4, 1, 40},
                                  ardvark_matrix{sizeof(ardvark_matrix), by_row.data(), ARDVARK_INT8, 40, 4, 4, 1},
                                  ardvark_matrix{sizeof(ardvark_matrix), apart.data(), ARDVARK_INT8, 40, 4, 2, 3 * 80}}) {
    const Model model = fitted(X, d.y, options);
    EXPECT_LT((array(result_of(model), "mean") - expected).norm(), 1e-13);
    ardvark_error error = empty_error();
    ardvark_result *of_bytes = nullptr, *of_numbers = nullptr;
    const ardvark_matrix same = view(numbers);
    ASSERT_EQ(ardvark_predict(model.get(), &X, nullptr, nullptr, &of_bytes, &error), ARDVARK_OK) << error.message;
    ASSERT_EQ(ardvark_predict(model.get(), &same, nullptr, nullptr, &of_numbers, &error), ARDVARK_OK) << error.message;
    const Result one(of_bytes), other(of_numbers);
    for (const char* name : {"mean", "sd"}) EXPECT_LT((array(one, name) - array(other, name)).norm(), 1e-12) << name;
  }
}

TEST(CInterface, PredictsAsTheFunctionsOfCpp) {
  const Data d = data();
  const ardvark_matrix X = view(d.X);
  const auto predicted = [&](const Model& model, const Vector& target) {
    ardvark_error error = empty_error();
    ardvark_result* result = nullptr;
    const Options level = options_of({{"level", "0.8"}});
    EXPECT_EQ(ardvark_predict(model.get(), &X, target.data(), level.get(), &result, &error), ARDVARK_OK) << error.message;
    return Result(result);
  };
  const Result regression = predicted(fitted(X, d.y, options_of({{"model", "linear"}})), d.y);
  const StudentPrediction student = predict(fit_linear(d.X, d.y), d.X);
  EXPECT_EQ(array(regression, "mean"), student.mean);
  EXPECT_EQ(array(regression, "upper"), Vector(student.mean + student.half_width(0.8)));
  // The density integrates to one: by the trapezoidal rule over a row's predictive distribution.
  const Model model = fitted(X, d.y, options_of({{"model", "linear"}}));
  double integral = 0;
  for (double z = -30; z < 30; z += 0.25) {
    const Vector at = student.mean + z * student.scale;
    integral += 0.25 * student.scale[7] * std::exp(array(predicted(model, at), "log_density")(7, 0));
  }
  EXPECT_NEAR(integral, 1, 1e-9);
  const Result two = predicted(fitted(X, d.labels, options_of({{"model", "logistic"}})), d.labels);
  const Vector probability = predict(fit_logistic(d.X, d.labels), d.X).probability;
  EXPECT_EQ(array(two, "probability").col(1), probability);
  for (Index i = 0; i < 40; ++i)
    EXPECT_NEAR(array(two, "log_density")(i, 0), std::log(d.labels[i] == 1 ? probability[i] : 1 - probability[i]), 1e-14);
  const Result three = predicted(fitted(X, d.classes, options_of({{"model", "logistic"}})), d.classes);
  EXPECT_EQ(array(three, "probability"), predict(fit_softmax(d.X, d.classes), d.X).probability);
  EXPECT_EQ(text(three, "classes"), R"(["0","1","2"])");
}

TEST(CInterface, PredictsRowsOfAKernelMachineTogether) {
  const Data d = data();
  const ardvark_matrix X = view(d.X);
  const auto joint = [&](const Model& model, std::int64_t draws, const Options& options) {
    ardvark_error error = empty_error();
    ardvark_result* result = nullptr;
    EXPECT_EQ(ardvark_predict_joint(model.get(), &X, draws, options.get(), &result, &error), ARDVARK_OK) << error.message;
    return Result(result);
  };
  const Model regression = fitted(X, d.y, options_of({{"model", "kernel"}, {"task", "regression"}, {"averaging", "0"}}));
  KernelOptions options;
  options.average = false;
  const KernelRegression fit = fit_kernel_regression(d.X, d.y, options);
  const Options of_mean = options_of({{"interval", "mean"}, {"seed", "5"}});
  EXPECT_EQ(array(joint(regression, 0, Options(nullptr)), "covariance"), predict_joint(fit, d.X).covariance);
  EXPECT_EQ(array(joint(regression, 0, Options(nullptr)), "mean"), predict_joint(fit, d.X).mean);
  EXPECT_EQ(array(joint(regression, 3, of_mean), "draws"), draw(fit, d.X, 3, 5, PredictionOf::mean));
  const Model three = fitted(X, d.classes, options_of({{"model", "kernel"}, {"task", "classification"}, {"averaging", "0"}}));
  const std::vector<Matrix> draws = draw(fit_kernel_classification(d.X, d.classes, options), d.X, 2);
  EXPECT_EQ(array(joint(three, 2, Options(nullptr)), "machines.2.draws"), draws[2]);
  ardvark_result* result = nullptr;
  const auto refused = [&](const Model& model, std::int64_t count) {
    return message(ARDVARK_INVALID_ARGUMENT,
                   [&](ardvark_error* e) { return ardvark_predict_joint(model.get(), &X, count, nullptr, &result, e); });
  };
  EXPECT_TRUE(contains(refused(regression, -1), "draws is -1; it must be at least 0"));
  EXPECT_TRUE(contains(refused(fitted(X, d.y, options_of({{"model", "linear"}})), 0), "are those of a kernel machine (model kernel)"));
}

TEST(CInterface, GivesTheCovarianceOfSomeColumnsAndDraws) {
  const Data d = data();
  const ardvark_matrix X = view(d.X);
  ardvark_error error = empty_error();
  const Model model = fitted(X, d.y, options_of({{"model", "linear"}, {"prior", "shared"}}));
  const std::int64_t columns[] = {2, 0, d.X.cols()};
  ardvark_array some = {};
  some.struct_size = sizeof some;
  ASSERT_EQ(ardvark_model_covariance(model.get(), columns, 3, &some, &error), ARDVARK_OK) << error.message;
  const Matrix all = array(result_of(model), "covariance");
  ASSERT_EQ(some.dimensions, 2);
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j) EXPECT_NEAR(some.data[3 * i + j], all(columns[i], columns[j]), 1e-12 * all.diagonal().maxCoeff());
  ardvark_free(some.data);
  ardvark_result* result = nullptr;
  ASSERT_EQ(ardvark_model_draws(model.get(), 4, options_of({{"seed", "9"}}).get(), &result, &error), ARDVARK_OK) << error.message;
  const Result draws(result);
  const WeightDraws expected = draw_weights(fit_linear(d.X, d.y, {.prior = Prior::shared()}), 4, 9);
  EXPECT_EQ(array(draws, "coef"), expected.coef);
  EXPECT_EQ(array(draws, "intercept"), expected.intercept);
  EXPECT_EQ(array(draws, "noise_precision"), expected.noise_precision);
  const auto refused = [&](const Model& asked, std::int64_t count) {
    return message(ARDVARK_INVALID_ARGUMENT,
                   [&](ardvark_error* e) { return ardvark_model_draws(asked.get(), count, nullptr, &result, e); });
  };
  EXPECT_TRUE(contains(refused(model, 0), "count is 0; it must be at least 1"));
  EXPECT_TRUE(
      contains(refused(fitted(X, d.classes, options_of({{"model", "logistic"}})), 1), "only a regression or two classes have draws"));
}

// Nobody has the memory for it: it is refused before it is made.
TEST(CInterface, RefusesTheCovarianceOfVeryManyColumns) {
  const Matrix X = Matrix::Random(4, 10'001);
  const Model model = fitted(view(X), X.col(0), options_of({{"model", "linear"}, {"prior", "shared"}}));
  ardvark_array all = {};
  all.struct_size = sizeof all;
  const Result result = result_of(model);
  for (const char* const name : {"covariance", "V"}) {
    const std::string why =
        message(ARDVARK_INVALID_ARGUMENT, [&](ardvark_error* e) { return ardvark_result_array(result.get(), name, &all, e); });
    EXPECT_TRUE(contains(why, "of all 10002 weights has 1e+08 numbers")) << why;
    EXPECT_TRUE(contains(why, "ask for the covariance of some columns, and for draws")) << why;
  }
}

TEST(CInterface, KeepsModelsInFilesAndInMemory) {
  const Data d = data();
  const ardvark_matrix X = view(d.X);
  const testing::TemporaryFolder folder;
  for (const auto& [words, target] : {std::pair{options_of({{"model", "linear"}}), d.y},
                                      {options_of({{"model", "logistic"}}), d.classes},
                                      {options_of({{"model", "rvm"}, {"task", "classification"}, {"width", "1"}}), d.labels}}) {
    const Model model = fitted(X, target, words);
    const std::string path = folder.path() + "/model.ardvark";
    ardvark_error error = empty_error();
    ASSERT_EQ(ardvark_model_save(model.get(), path.c_str(), &error), ARDVARK_OK) << error.message;
    void* bytes = nullptr;
    size_t size = 0;
    ASSERT_EQ(ardvark_model_to_bytes(model.get(), &bytes, &size, &error), ARDVARK_OK) << error.message;
    const testing::Owned<void> owner(bytes);
    ardvark_model *from_file = nullptr, *from_memory = nullptr;
    ASSERT_EQ(ardvark_model_load(path.c_str(), &from_file, &error), ARDVARK_OK) << error.message;
    ASSERT_EQ(ardvark_model_from_bytes(bytes, size, &from_memory, &error), ARDVARK_OK) << error.message;
    const Model first(from_file), second(from_memory);
    EXPECT_EQ(text(result_of(first), "mean"), text(result_of(model), "mean"));
    EXPECT_EQ(text(result_of(first), nullptr), text(result_of(second), nullptr));
    EXPECT_TRUE(contains(
        message(ARDVARK_INVALID_ARGUMENT, [&](ardvark_error* e) { return ardvark_model_from_bytes(bytes, size - 9, &from_memory, e); }),
        "truncated"));
  }
  EXPECT_TRUE(contains(message(ARDVARK_ENVIRONMENT,
                               [&](ardvark_error* e) {
                                 ardvark_model* none = nullptr;
                                 return ardvark_model_load((folder.path() + "/absent").c_str(), &none, e);
                               }),
                       "absent"));
}

TEST(CInterface, TellsMistakesInTheWordsOfTheOptions) {
  const Data d = data();
  const ardvark_matrix X = view(d.X);
  const auto fails = [&](const Options& options, const ardvark_matrix* matrix, const Vector& target) {
    return message(ARDVARK_INVALID_ARGUMENT, [&](ardvark_error* e) {
      ardvark_model* model = nullptr;
      const ardvark_code code = ardvark_fit(matrix, target.data(), options.get(), &model, e);
      EXPECT_EQ(model, nullptr);
      return code;
    });
  };
  EXPECT_EQ(fails(options_of({{"model", "linear"}, {"max_sweeps", "0"}}), &X, d.y), "max_sweeps is 0; it must be at least 1");
  EXPECT_TRUE(contains(fails(options_of({{"model", "linear"}, {"prior", "ward"}}), &X, d.y), "prior is 'ward'"));
  EXPECT_TRUE(contains(fails(options_of({{"preset", "slr_var"}, {"prior", "ard"}}), &X, d.labels), "prior cannot be used with preset"));
  EXPECT_TRUE(contains(fails(options_of({}), nullptr, d.y), "X is NULL"));
  Vector broken = d.y;
  broken[3] = std::nan("");
  EXPECT_TRUE(contains(fails(options_of({{"model", "linear"}}), &X, broken), "row 4"));
  ardvark_matrix small = X;
  small.struct_size = 8;
  EXPECT_TRUE(contains(fails(options_of({{"model", "linear"}}), &small, d.y), "X.struct_size"));
  const Options options = options_of({});
  EXPECT_TRUE(contains(
      message(ARDVARK_INVALID_ARGUMENT, [&](ardvark_error* e) { return ardvark_options_set_number(options.get(), "compat", 2, e); }),
      "compat is 2"));
  EXPECT_TRUE(contains(
      message(ARDVARK_INVALID_ARGUMENT, [&](ardvark_error* e) { return ardvark_options_set_text(options.get(), "width ", "1", e); }),
      "there is no option 'width '"));
  EXPECT_TRUE(contains(message(ARDVARK_INVALID_ARGUMENT,
                               [&](ardvark_error* e) {
                                 double number = 0;
                                 const Model model = fitted(X, d.y, options_of({{"model", "linear"}}));
                                 return ardvark_result_number(result_of(model).get(), "status", &number, e);
                               }),
                       "does not consist of numbers"));
}

// The 4 x 2 matrix with rows (1, 0), (2, 0), (0, 3), (4, 5).
TEST(CInterface, ReadsASparseMatrixInPlace) {
  const std::int64_t start64[] = {0, 3, 5}, row64[] = {0, 1, 3, 2, 3};
  const std::int32_t start32[] = {0, 3, 5}, row32[] = {0, 1, 3, 2, 3};
  const double value[] = {1, 2, 4, 3, 5}, y[] = {1, 2.5, -1, 3};
  const Matrix dense{{1, 0}, {2, 0}, {0, 3}, {4, 5}};
  const ardvark_matrix X = {sizeof X, dense.data(), ARDVARK_FLOAT64, 4, 2, 1, 4};
  const float single[] = {1, 2, 4, 3, 5};
  const std::int8_t byte[] = {1, 2, 4, 3, 5};
  const ardvark_csc wide = {sizeof wide, 4, 2, 64, start64, row64, value, nullptr, 0};
  const ardvark_csc named = {sizeof wide, 4, 2, 32, start32, row32, value, nullptr, ARDVARK_FLOAT64};
  const ardvark_csc narrow = {offsetof(ardvark_csc, dense), 4, 2, 32, start32, row32, value, "what an earlier program did not give", -1};
  const ardvark_csc untyped = {offsetof(ardvark_csc, type), 4, 2, 32, start32, row32, value, "full(X)", -1};
  const ardvark_csc floats = {sizeof wide, 4, 2, 32, start32, row32, single, nullptr, ARDVARK_FLOAT32};
  const ardvark_csc bytes = {sizeof wide, 4, 2, 64, start64, row64, byte, nullptr, ARDVARK_INT8};
  const Options options = options_of({{"model", "linear"}, {"prior", "shared"}});
  const Model of_dense = fitted(X, Eigen::Map<const Vector>(y, 4), options);
  const Matrix mean = array(result_of(of_dense), "mean");
  for (const ardvark_csc* csc : {&wide, &named, &narrow, &untyped, &floats, &bytes}) {
    ardvark_error error = empty_error();
    ardvark_model* model = nullptr;
    ASSERT_EQ(ardvark_fit_csc(csc, y, options.get(), &model, &error), ARDVARK_OK) << error.message;
    const Model owner(model);
    EXPECT_LT((array(result_of(owner), "mean") - mean).cwiseAbs().maxCoeff(), 1e-12);
    ardvark_result *sparse = nullptr, *rows = nullptr;
    ASSERT_EQ(ardvark_predict_csc(model, csc, y, options.get(), &sparse, &error), ARDVARK_OK) << error.message;
    ASSERT_EQ(ardvark_predict(model, &X, y, options.get(), &rows, &error), ARDVARK_OK) << error.message;
    const Result of_sparse(sparse), of_rows(rows);
    for (const char* name : {"mean", "sd", "log_density"})
      EXPECT_LT((array(of_sparse, name) - array(of_rows, name)).cwiseAbs().maxCoeff(), 1e-12) << name;
  }
  const auto refused = [&](ardvark_csc wrong) {
    return message(ARDVARK_INVALID_ARGUMENT, [&](ardvark_error* e) {
      ardvark_model* model = nullptr;
      return ardvark_fit_csc(&wrong, y, options.get(), &model, e);
    });
  };
  EXPECT_TRUE(contains(refused({8, 4, 2, 64, start64, row64, value, nullptr, 0}), "X.struct_size is 8"));
  EXPECT_TRUE(contains(refused({sizeof wide, 4, 2, 16, start64, row64, value, nullptr, 0}), "X.index_bits is 16"));
  EXPECT_TRUE(contains(refused({sizeof wide, 4, 2, 64, start64, row64, value, nullptr, 9}),
                       "X.type is 9; it must be ARDVARK_FLOAT64, ARDVARK_FLOAT32 or ARDVARK_INT8"));
  EXPECT_TRUE(contains(refused({sizeof wide, -4, 2, 64, start64, row64, value, nullptr, 0}), "neither may be negative"));
  EXPECT_TRUE(contains(refused({sizeof wide, 4, 2, 64, start64, nullptr, value, nullptr, 0}), "X is a null pointer"));
  EXPECT_TRUE(contains(refused({sizeof wide, 3, 2, 64, start64, row64, value, nullptr, 0}), "row numbers of column 1"));
}

TEST(CInterface, SaysHowTheCallerMakesASparseMatrixDense) {
  const std::int64_t start[] = {0, 2}, row[] = {0, 1};
  const double value[] = {1, 2}, y[] = {1, 2.5, -1};
  const auto refused = [&](std::size_t size, const char* dense) {
    return message(ARDVARK_INVALID_ARGUMENT, [&](ardvark_error* e) {
      ardvark_model* model = nullptr;
      const ardvark_csc X = {size, 3, 1, 64, start, row, value, dense, 0};
      return ardvark_fit_csc(&X, y, options_of({{"model", "linear"}, {"prior", "shared"}, {"solver", "qr"}}).get(), &model, e);
    });
  };
  const std::string plain = "X is sparse, and solver 'qr' needs a dense X; a sparse X has";
  EXPECT_TRUE(contains(refused(sizeof(ardvark_csc), nullptr), plain));
  EXPECT_TRUE(contains(refused(offsetof(ardvark_csc, dense), "full(X)"), plain));  // of an earlier program, which had no such field
  EXPECT_TRUE(contains(refused(sizeof(ardvark_csc), "full(X)"), "solver 'qr' needs a dense X, full(X); a sparse X has"));
}

TEST(CInterface, CutsATextThatIsTooLongForTheCaller) {
  constexpr std::size_t room = 8;
  ardvark_error error;
  std::memset(error.message, 'x', sizeof error.message);
  error.struct_size = offsetof(ardvark_error, message) + room;
  const Options options(ardvark_options_create());
  EXPECT_EQ(ardvark_options_set_text(options.get(), "no_such", "1", &error), ARDVARK_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "there i");
  EXPECT_EQ(error.message[room], 'x') << "what is behind belongs to the caller";
  EXPECT_EQ(ardvark_options_set_text(options.get(), "no_such", "1", nullptr), ARDVARK_INVALID_ARGUMENT);
}

TEST(CInterface, StopsWhereTheCallerSaysSo) {
  const Data d = data();
  const Options options = options_of({{"model", "logistic"}, {"prior", "ard"}});
  const auto second = [](const ardvark_progress* p, void* calls) {
    ++*static_cast<int*>(calls);
    return p->sweep < 2 ? 1 : 0;
  };
  int calls = 0;
  ardvark_options_set_progress(options.get(), second, &calls, 0);
  EXPECT_EQ(text(result_of(fitted(view(d.X), d.labels, options)), "status"), "stopped_by_user");
  EXPECT_EQ(calls, 2);
  ardvark_options_set_progress(options.get(), second, &calls, 1e9);
  EXPECT_EQ(text(result_of(fitted(view(d.X), d.labels, options)), "status"), "converged");
  EXPECT_EQ(calls, 2);
}

TEST(CInterface, TellsTheStageAndEndsWhereTheCallerLeaves) {
  const Data d = data();
  const Options options = options_of({{"model", "linear"}, {"prior", "ard"}});
  const ardvark_matrix X = view(d.X);
  std::string heard;
  const auto leave = [](const ardvark_progress* p, void* to) {
    EXPECT_EQ(p->struct_size, sizeof(ardvark_progress));
    EXPECT_EQ(p->sweep, 1);
    EXPECT_EQ(p->total, 0);
    EXPECT_STREQ(p->stage, "fitting");
    EXPECT_TRUE(std::isnan(p->seconds_left));
    *static_cast<std::string*>(to) = p->text;
    return static_cast<int>(ARDVARK_LEAVE);
  };
  ardvark_options_set_progress(options.get(), leave, &heard, 0);
  ardvark_model* model = nullptr;
  EXPECT_EQ(message(ARDVARK_STOPPED, [&](ardvark_error* error) { return ardvark_fit(&X, d.y.data(), options.get(), &model, error); }),
            "the callback ended the call, so there is no result");
  EXPECT_EQ(model, nullptr);
  EXPECT_EQ(heard, "fitting: step 1");
  char* line = nullptr;
  EXPECT_EQ(ardvark_progress_line("fitting: fold 37 of 100", 12, 20, &line, nullptr), ARDVARK_OK);
  EXPECT_STREQ(line, "fitting: fold 37 of 100, 12 s, about 20 s left");
  ardvark_free(line);
  EXPECT_EQ(ardvark_progress_line(nullptr, 12, 20, &line, nullptr), ARDVARK_INVALID_ARGUMENT);
}

TEST(CInterface, ServesManyThreadsAtOnce) {
  const Data d = data();
  const Options options = options_of({{"model", "logistic"}, {"prior", "ard"}});
  const Matrix expected = array(result_of(fitted(view(d.X), d.labels, options)), "mean");
  std::atomic<int> num_equal = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 6; ++t)
      threads.emplace_back([&] {
        for (int k = 0; k < 5; ++k) num_equal += array(result_of(fitted(view(d.X), d.labels, options)), "mean") == expected ? 1 : 0;
      });
  }
  EXPECT_EQ(num_equal, 30);
}

TEST(CInterface, PredictsFromMoments) {
  const Data d = data();
  const ardvark_matrix X = view(d.X);
  const Model fit = fitted(X, d.labels, options_of({{"preset", "vb_logit_fit"}}));
  const Matrix w = array(result_of(fit), "mean"), V = array(result_of(fit), "V");
  ardvark_error error = empty_error();
  ardvark_array inverse = {};
  inverse.struct_size = sizeof inverse;
  ASSERT_EQ(ardvark_model_V_inverse(fit.get(), &X, &inverse, &error), ARDVARK_OK) << error.message;
  const testing::Owned<void> owner(inverse.data);
  const Eigen::Map<const Matrix> P(inverse.data, inverse.shape[0], inverse.shape[1]);
  EXPECT_LE((P * V - Matrix::Identity(4, 4)).norm(), 1e-11);

  const ardvark_matrix V_view = view(V);
  const ardvark_matrix P_view = {sizeof(ardvark_matrix), inverse.data, ARDVARK_FLOAT64, 4, 4, 1, 4};
  ardvark_moments moments = {sizeof(ardvark_moments), 4, w.data(), &V_view, &P_view, 0, 0};
  ardvark_model* raw = nullptr;
  ASSERT_EQ(ardvark_model_from_moments(&moments, nullptr, &raw, &error), ARDVARK_OK) << error.message;
  const Model model(raw);
  const Options rule = options_of({{"rule", "published-batch"}});
  const auto probability = [&](const Model& m) {
    ardvark_result* result = nullptr;
    EXPECT_EQ(ardvark_predict(m.get(), &X, nullptr, rule.get(), &result, &error), ARDVARK_OK) << error.message;
    return array(Result(result), "probability");
  };
  EXPECT_LE((probability(model) - probability(fit)).cwiseAbs().maxCoeff(), 1e-12);

  moments.struct_size = 8;
  EXPECT_EQ(ardvark_model_from_moments(&moments, nullptr, &raw, &error), ARDVARK_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "moments.struct_size is 8; it must be sizeof(ardvark_moments)");
}

TEST(CInterface, NormalizesByAnotherTable) {
  Matrix X(2, 2), like(3, 2);
  X << 5, 1, 7, 2;
  like << 0, 1, 2, 3, 4, -4;  // means 2 and 0, largest deviations 2 and 4
  const ardvark_matrix view_X = view(X), view_like = view(like);
  ardvark_error error = empty_error();
  Matrix Z(2, 2), expected(2, 2);
  ASSERT_EQ(ardvark_normalize(&view_X, &view_like, "each", "each", Z.data(), &error), ARDVARK_OK) << error.message;
  expected << 1.5, 0.25, 2.5, 0.5;
  EXPECT_EQ(Z, expected);
  EXPECT_EQ(ardvark_normalize(&view_X, nullptr, "each", "median", Z.data(), &error), ARDVARK_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "scale is 'median'; it must be one of none, each, all, stdeach, stdall");
}

struct CallersRows {
  Matrix X;
  Vector labels;
};

// Of two columns.
Model fitted_by_passes(CallersRows& rows, const std::vector<std::pair<const char*, const char*>>& settings) {
  const ardvark_ask ask = [](const void* question, size_t size, ardvark_sums** answer, void* data) {
    const CallersRows& given = *static_cast<const CallersRows*>(data);
    ardvark_error error = empty_error();
    const ardvark_matrix X = view(given.X);
    EXPECT_EQ(ardvark_sums_create(question, size, 0, answer, &error), ARDVARK_OK) << error.message;
    return static_cast<int>(ardvark_sums_update(*answer, &X, given.labels.data(), nullptr, &error));
  };
  const Options options = options_of(settings);
  const char* const names[] = {"a", "b"};
  ardvark_error error = empty_error();
  EXPECT_EQ(ardvark_options_set_texts(options.get(), "column_names", names, 2, &error), ARDVARK_OK) << error.message;
  ardvark_model* model = nullptr;
  EXPECT_EQ(ardvark_fit_rows(ask, &rows, options.get(), &model, &error), ARDVARK_OK) << error.message;
  return Model(model);
}

// The labels decide how many classes there are: 2 and 5, or 0, 1 and 2.
TEST(CInterface, FitsRowsThatOnlyTheCallerKnows) {
  testing::Random random(31);
  CallersRows rows{random.normals(11000, 2), Vector(11000)};
  using Case = std::pair<Index, const char*>;
  for (const auto& [classes, coding] : {Case{2, "automatic"}, {3, "automatic"}, {3, "one-against-rest"}}) {
    for (Index i = 0; i < 11000; ++i) {
      const double score = rows.X(i, 0) + random.normal();
      rows.labels[i] = classes == 2 ? (score > 0 ? 5 : 2) : score > 0.5 ? 2 : score > -0.5 ? 1 : 0;
    }
    std::vector<std::pair<const char*, const char*>> given = {{"model", "logistic"}, {"prior", "ard"}};
    if (classes == 3) given.emplace_back("coding", coding);
    const Matrix passes = array(result_of(fitted_by_passes(rows, given)), "mean"),
                 memory = array(result_of(fitted(view(rows.X), rows.labels, options_of(given))), "mean");
    ASSERT_EQ(passes.size(), classes == 2 ? 2 : 6);
    ASSERT_EQ(passes.size(), memory.size());
    EXPECT_LE((passes - memory).cwiseAbs().maxCoeff(), 1e-3);
  }
}

TEST(CInterface, FitsAKernelMachineOfThreeClassesByPasses) {
  testing::Random random(32);
  CallersRows rows{random.normals(41000, 2), Vector(41000)};  // more than twice the sample
  for (Index i = 0; i < 41000; ++i) {
    const double score = std::sin(2 * rows.X(i, 0)) + 0.5 * random.normal();
    rows.labels[i] = score > 0.4 ? 2 : score > -0.4 ? 1 : 0;
  }
  const std::vector<std::pair<const char*, const char*>> settings = {
      {"model", "kernel"}, {"task", "classification"}, {"kernel", "gaussian"}, {"width", "1"}, {"centres", "20"}};
  const Result passes = result_of(fitted_by_passes(rows, settings)),
               memory = result_of(fitted(view(rows.X), rows.labels, options_of(settings)));
  for (const char* name : {"log_loss", "accuracy"}) EXPECT_NEAR(array(passes, name)(0, 0), array(memory, name)(0, 0), 0.005) << name;
}

TEST(CInterface, FiltersAsTheClassOfCpp) {
  const Data d = data();
  const Vector signs = 2 * d.labels.array() - 1;
  const Matrix head = d.X.topRows(25), tail = d.X.bottomRows(15);
  const ardvark_matrix first = view(head), rest = view(tail);
  ardvark_error error = empty_error();
  ardvark_sequential* raw = nullptr;
  ASSERT_EQ(ardvark_sequential_create(4, nullptr, &raw, &error), ARDVARK_OK) << error.message;
  const Filter filter(raw);
  ASSERT_EQ(ardvark_sequential_update(filter.get(), &first, signs.data(), &error), ARDVARK_OK) << error.message;
  void* bytes = nullptr;
  size_t size = 0;
  ASSERT_EQ(ardvark_sequential_to_bytes(filter.get(), &bytes, &size, &error), ARDVARK_OK) << error.message;
  const testing::Owned<void> owner(bytes);
  ASSERT_EQ(ardvark_sequential_from_bytes(bytes, size, &raw, &error), ARDVARK_OK) << error.message;
  const Filter other(raw);
  ardvark_model* model = nullptr;
  ASSERT_EQ(ardvark_sequential_model(filter.get(), nullptr, &model, &error), ARDVARK_OK) << error.message;
  const Model so_far(model);
  ASSERT_EQ(ardvark_sequential_from_model(so_far.get(), nullptr, &raw, &error), ARDVARK_OK) << error.message;
  const Filter from_model(raw);
  for (const Filter* f : {&filter, &other, &from_model}) {
    ASSERT_EQ(ardvark_sequential_update(f->get(), &rest, signs.data() + 25, &error), ARDVARK_OK) << error.message;
    ASSERT_EQ(ardvark_sequential_model(f->get(), nullptr, &model, &error), ARDVARK_OK) << error.message;
    const Result result = result_of(Model(model));
    SequentialLogistic expected(4);
    expected.update(head, signs.head(25).eval());
    expected.update(tail, signs.tail(15).eval());
    const double rounding = f == &from_model ? 1e-13 : 0;
    EXPECT_LE((array(result, "mean") - expected.mean()).norm(), rounding);
    EXPECT_NEAR(array(result, "bound")(0, 0), expected.bound(), 100 * rounding);
    EXPECT_LT((array(result, "covariance") - expected.covariance()).norm(), 1e-13);
  }
  const Model together = fitted(view(d.X), d.labels, options_of({{"model", "logistic"}}));
  EXPECT_EQ(ardvark_sequential_from_model(together.get(), nullptr, &raw, &error), ARDVARK_INVALID_ARGUMENT);
  EXPECT_NE(std::string(error.message).find("fitted to all of its rows together"), std::string::npos) << error.message;
  EXPECT_EQ(ardvark_sequential_from_model(nullptr, nullptr, &raw, &error), ARDVARK_INVALID_ARGUMENT);
}

TEST(CInterface, FiltersWithWeights) {
  const Data d = data();
  const Vector signs = 2 * d.labels.array() - 1, weights = Vector::LinSpaced(d.labels.size(), 0, 3);
  const ardvark_matrix X = view(d.X);
  ardvark_error error = empty_error();
  ardvark_sequential* raw = nullptr;
  ASSERT_EQ(ardvark_sequential_create(4, nullptr, &raw, &error), ARDVARK_OK) << error.message;
  const Filter filter(raw);
  ASSERT_EQ(ardvark_sequential_update_weighted(filter.get(), &X, signs.data(), weights.data(), nullptr, &error), ARDVARK_OK)
      << error.message;
  const Options ordered = options_of({{"row_order", "by-content"}});
  ASSERT_EQ(ardvark_sequential_update_weighted(filter.get(), &X, signs.data(), nullptr, ordered.get(), &error), ARDVARK_OK)
      << error.message;
  ardvark_model* model = nullptr;
  ASSERT_EQ(ardvark_sequential_model(filter.get(), nullptr, &model, &error), ARDVARK_OK) << error.message;
  SequentialLogistic expected(4);
  expected.update(d.X, signs, weights);
  expected.update(d.X, signs, {}, RowOrder::by_content);
  EXPECT_EQ(array(result_of(Model(model)), "mean"), expected.mean());
  const Options unknown = options_of({{"row_order", "by-name"}});
  EXPECT_EQ(ardvark_sequential_update_weighted(filter.get(), &X, signs.data(), nullptr, unknown.get(), &error), ARDVARK_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "row_order is 'by-name'; it must be one of as-given, by-content");
}

TEST(CInterface, CountsAndFollowsPaths) {
  const Data d = data();
  const ardvark_matrix X = view(d.X);
  ardvark_error error = empty_error();
  ardvark_result* raw = nullptr;
  const Options options = options_of({{"preset", "slr_var"}, {"folds", "4"}, {"repeats", "2"}, {"seed", "7"}});
  ASSERT_EQ(ardvark_select(&X, d.labels.data(), options.get(), &raw, &error), ARDVARK_OK) << error.message;
  const Result counts(raw);
  SelectionOptions selection;
  selection.folds = 4;
  selection.repeats = 2;
  selection.seed = 7;
  const SelectionCounts expected = select_columns(d.X, d.labels, logistic_selection(options_for_preset("slr_var")), selection);
  EXPECT_EQ(array(counts, "sc_value"), expected.sc_value);
  EXPECT_EQ(array(counts, "accuracy.mean")(0, 0), expected.accuracy.mean);

  ASSERT_EQ(ardvark_path(&X, d.labels.data(), nullptr, 6, 0, nullptr, &raw, &error), ARDVARK_OK) << error.message;
  const Result path(raw);
  PathGrid grid;
  grid.count = 6;
  const LambdaPath modes = fit_logistic_path(d.X, d.labels, grid);
  EXPECT_EQ(array(path, "lambda"), modes.lambda);
  EXPECT_EQ(array(path, "mean"), Matrix(modes.mean.transpose()));
  EXPECT_EQ(array(path, "gap"), modes.gap);
}

}  // namespace
}  // namespace ardvark
