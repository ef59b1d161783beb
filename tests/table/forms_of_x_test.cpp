// One table in every form: sparse, of float, of int8. Fits and predictions are those of the same numbers in a dense table of doubles.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "ardvark/counts.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/model.hpp"
#include "ardvark/softmax.hpp"

namespace ardvark {
namespace {

using testing::expect_invalid;
using testing::Random;
using testing::relative_distance;
template <typename T>
using Of = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

// Whole numbers from 0 to 3, mostly zeros: exact in every form. Column 1 is all zeros, column 2 constant, rows 0 and 3 are empty but for
// it.
Of<std::int8_t> small_counts(Random& random, Index n, Index p) {
  Of<std::int8_t> X = Of<std::int8_t>::Zero(n, p);
  for (Index j = 0; j < p; ++j)
    for (Index i = 0; i < n; ++i)
      if (random.chance(0.2)) X(i, j) = static_cast<std::int8_t>(random.integer(1, 3));
  X.row(0).setZero(), X.row(3).setZero();
  X.col(1).setZero(), X.col(2).setConstant(2);
  return X;
}

// Compressed columns with every fifth zero stored.
template <typename T>
struct Columns {
  std::vector<std::int32_t> start = {0}, row;
  std::vector<T> value;
  Index rows;
  explicit Columns(const Of<std::int8_t>& X) : rows(X.rows()) {
    Index zeros = 0;
    for (Index j = 0; j < X.cols(); ++j) {
      for (Index i = 0; i < rows; ++i) {
        if (X(i, j) == 0 && ++zeros % 5 != 0) continue;
        row.push_back(static_cast<std::int32_t>(i));
        value.push_back(static_cast<T>(X(i, j)));
      }
      start.push_back(static_cast<std::int32_t>(row.size()));
    }
  }
  [[nodiscard]] CscView view() const {
    return {start.data(), row.data(), value.data(), rows, static_cast<Index>(start.size()) - 1, "X.toarray()"};
  }
};

struct Forms {
  Of<std::int8_t> bytes;
  Matrix doubles = bytes.cast<double>();
  Of<float> floats = bytes.cast<float>();
  Eigen::Matrix<std::int8_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> bytes_by_row = bytes;
  Columns<double> sparse{bytes};
  Columns<std::int8_t> sparse_bytes{bytes};
  explicit Forms(Of<std::int8_t> X) : bytes(std::move(X)) {}

  // use(name, X, tolerance) for every form but a dense one of doubles.
  void each(auto&& use) const {
    use("sparse", sparse.view(), 1e-8);
    use("sparse bytes", sparse_bytes.view(), 1e-8);
    use("bytes", MatrixView(bytes), 1e-6);
    use("bytes by row", MatrixView(bytes_by_row), 1e-6);
    use("floats", MatrixView(floats), 1e-6);
  }
};

struct Problem {
  Forms X, X_new;
  Vector y, labels, three, counts, weights;
};

Problem problem_of(std::uint64_t seed, Index n, Index p) {
  Random random(seed);
  Problem out{Forms(small_counts(random, n, p)), Forms(small_counts(random, 11, p)), {}, {}, {}, {}, Vector(n)};
  const Matrix& X = out.X.doubles;
  const Vector score = 1.5 * X.col(0) - 1.2 * X.col(4);
  out.y = score + random.normals(n);
  out.labels = (score + random.normals(n)).unaryExpr([](double s) { return s > 0.2 ? 1.0 : 0.0; });
  out.three = (score + random.normals(n)).unaryExpr([](double s) { return s > 0.7 ? 2.0 : s > -0.5 ? 1.0 : 0.0; });
  out.counts = (0.3 * score).unaryExpr([&](double s) { return std::floor(std::exp(s) + random.uniform(0, 2)); });
  for (Index i = 0; i < n; ++i) out.weights[i] = i % 7 == 0 ? 0 : random.uniform(0.5, 2);
  return out;
}

void expect_near(const Fit& found, const Fit& expected, double tolerance) {
  EXPECT_EQ(found.report.status, expected.report.status) << found.report.message;
  EXPECT_EQ(found.left_out, expected.left_out);
  EXPECT_EQ(found.prior, expected.prior);
  const Vector sd = expected.variance.cwiseSqrt().cwiseMax(1e-12);
  EXPECT_LT(((found.mean - expected.mean).array() / (sd.array() + expected.mean.array().abs())).abs().maxCoeff(), tolerance);
  EXPECT_LT(relative_distance(Vector(found.variance.cwiseSqrt()), Vector(expected.variance.cwiseSqrt())), tolerance);
  ASSERT_EQ(found.sparse.has_value(), expected.sparse.has_value());
  if (expected.sparse) {
    EXPECT_LT((found.sparse->inclusion - expected.sparse->inclusion).cwiseAbs().maxCoeff(), tolerance);
  }
  if (expected.intercept) {
    EXPECT_LT(relative_distance(found.intercept->mean, expected.intercept->mean), tolerance);
  }
}

struct FormShape {
  Index n, p;
};

class FormsOfX : public ::testing::TestWithParam<FormShape> {
 protected:
  template <typename Use>
  void for_options(Use&& use) const {
    const auto [n, p] = GetParam();
    const Problem problem = problem_of(static_cast<std::uint64_t>(n + p), n, p);
    const bool is_tall = n > p;
    for (const Prior& prior : {Prior::sparse(), Prior::slab(), Prior::dense(), Prior::laplace(3.0), Prior::shared()})
      for (const auto& [intercept, standardize, weighted, flat] :
           {std::tuple{true, true, false, false}, {true, !is_tall, true, false}, {false, true, false, false}, {true, true, true, true}}) {
        if (flat && (prior.kind == PriorKind::laplace || !is_tall)) continue;
        // Here the bound is so flat that the fit of the doubles moves by .003 if y changes by its last digit.
        if (weighted && !is_tall && prior.kind == PriorKind::sparse) continue;
        SCOPED_TRACE(::testing::Message() << to_string(prior.kind) << " intercept " << intercept << " standardize " << standardize
                                          << " weights " << weighted << " flat " << flat);
        FitOptions options{.prior = prior, .intercept = intercept, .standardize = standardize, .tolerance = 1e-9};
        if (flat) options.prior.flat_columns = {5};
        if (weighted) options.weights = problem.weights;
        use(problem, options);
      }
  }
};

TEST_P(FormsOfX, RegressionsAreThoseOfDoubles) {
  for_options([&](const Problem& problem, const FitOptions& options) {
    const LinearFit expected = fit_linear(problem.X.doubles, problem.y, options);
    const StudentPrediction of_new = predict(expected, problem.X_new.doubles);
    problem.X.each([&](const char* form, const auto& X, double tolerance) {
      SCOPED_TRACE(form);
      const LinearFit found = fit_linear(X, problem.y, options);
      expect_near(found, expected, tolerance);
      problem.X_new.each([&](const char* form_of_new, const auto& X_new, double) {
        SCOPED_TRACE(form_of_new);
        const StudentPrediction prediction = predict(found, X_new);
        EXPECT_LT(relative_distance(prediction.mean, of_new.mean), 10 * tolerance);
        EXPECT_LT(relative_distance(prediction.scale, of_new.scale), 10 * tolerance);
      });
    });
  });
}

TEST_P(FormsOfX, TwoClassesAreThoseOfDoubles) {
  for_options([&](const Problem& problem, const FitOptions& options) {
    if (!options.intercept) return;
    // With few columns a fit is an average of many, and the parts of the prior read X in the same way: one of them has all options.
    const bool is_part = options.prior.kind == PriorKind::slab || options.prior.kind == PriorKind::dense;
    if (is_part && !options.weights.empty() && problem.X.doubles.cols() <= 20) return;
    // With more columns than rows the bound is flat: one that changes by 1e-9 nats at the end leaves sqrt(2e-9) sd open.
    const double open = problem.X.doubles.cols() > problem.X.doubles.rows() ? std::sqrt(2e-9) : 0.0;
    const LogisticFit expected = fit_logistic(problem.X.doubles, problem.labels, options);
    const ClassPrediction of_new = predict(expected, problem.X_new.doubles);
    problem.X.each([&](const char* form, const auto& X, double tolerance) {
      SCOPED_TRACE(form);
      const LogisticFit found = fit_logistic(X, problem.labels, options);
      expect_near(found, expected, std::max(10 * tolerance, open));
      problem.X_new.each([&](const char* form_of_new, const auto& X_new, double) {
        SCOPED_TRACE(form_of_new);
        EXPECT_LT(relative_distance(predict(found, X_new).probability, of_new.probability), std::max(10 * tolerance, open));
      });
    });
  });
}

TEST_P(FormsOfX, ALambdaIsChosenAsForDoubles) {
  const auto [n, p] = GetParam();
  const Problem problem = problem_of(3, n, p);
  const FitOptions options{.prior = Prior::laplace()};
  const LinearFit linear = fit_linear(problem.X.doubles, problem.y, options);
  const LogisticFit logistic = fit_logistic(problem.X.doubles, problem.labels, options);
  problem.X.each([&](const char* form, const auto& X, double) {
    SCOPED_TRACE(form);
    const auto expect_choice = [](const Fit& found, const Fit& expected) {
      ASSERT_TRUE(found.lambda_choice.has_value());
      EXPECT_LT(relative_distance(found.lambda_choice->lambda, expected.lambda_choice->lambda), 1e-9);
      EXPECT_LT(relative_distance(found.lambda_choice->loss, expected.lambda_choice->loss), 1e-6);
      EXPECT_NEAR(found.lambda_choice->smallest_loss, expected.lambda_choice->smallest_loss, 1e-9 * expected.lambda_choice->smallest_loss);
    };
    expect_choice(fit_linear(X, problem.y, options), linear);
    expect_choice(fit_logistic(X, problem.labels, options), logistic);
  });
}

TEST_P(FormsOfX, CountsAreThoseOfDoubles) {
  const auto [n, p] = GetParam();
  const Problem problem = problem_of(4, n, p);
  const FitOptions options{.prior = Prior::shared(), .tolerance = 1e-9};
  const CountFit expected = fit_counts(problem.X.doubles, problem.counts, options);
  problem.X.each([&](const char* form, const auto& X, double tolerance) {
    SCOPED_TRACE(form);
    const CountFit found = fit_counts(X, problem.counts, options);
    expect_near(found, expected, 10 * tolerance);
    problem.X_new.each([&](const char*, const auto& X_new, double) {
      EXPECT_LT(relative_distance(predict(found, X_new).mean, predict(expected, problem.X_new.doubles).mean), 10 * tolerance);
    });
  });
}

TEST_P(FormsOfX, SeveralClassesAreThoseOfDoubles) {
  const auto [n, p] = GetParam();
  const Problem problem = problem_of(5, n, p);
  for (const auto& [coding, prior] : {std::pair{ClassCoding::softmax, Prior::shared()},
                                      {ClassCoding::one_against_rest, Prior::sparse()},
                                      {ClassCoding::one_against_one, Prior::shared()},
                                      {ClassCoding::one_against_rest, Prior::laplace(3.0)}}) {
    if (n < p && prior.kind == PriorKind::sparse) continue;  // two classes have it; one against the rest takes minutes
    SCOPED_TRACE(::testing::Message() << to_string(coding) << " " << to_string(prior.kind));
    SoftmaxOptions options;
    options.coding = coding, options.prior = prior, options.tolerance = 1e-9;
    const SoftmaxFit expected = fit_softmax(problem.X.doubles, problem.three, options);
    problem.X.each([&](const char* form, const auto& X, double tolerance) {
      SCOPED_TRACE(form);
      const SoftmaxFit found = fit_softmax(X, problem.three, options);
      EXPECT_LT(relative_distance(found.mean, expected.mean), 100 * tolerance);
      EXPECT_NEAR(found.log_loss, expected.log_loss, 100 * tolerance);
      problem.X_new.each([&](const char*, const auto& X_new, double) {
        EXPECT_LT(relative_distance(predict(found, X_new).probability, predict(expected, problem.X_new.doubles).probability),
                  100 * tolerance);
      });
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, FormsOfX, ::testing::Values(FormShape{90, 12}, FormShape{30, 50}),
                         [](const auto& tested) { return std::to_string(tested.param.n) + "x" + std::to_string(tested.param.p); });

TEST(FormsOfX, PathsOfLambdasAreThoseOfDoubles) {
  const Problem problem = problem_of(6, 60, 20);
  const LambdaPath linear = fit_linear_path(problem.X.doubles, problem.y), logistic = fit_logistic_path(problem.X.doubles, problem.labels);
  problem.X.each([&](const char* form, const auto& X, double) {
    SCOPED_TRACE(form);
    EXPECT_LT(relative_distance(fit_linear_path(X, problem.y).mean, linear.mean), 1e-6);
    EXPECT_LT(relative_distance(fit_logistic_path(X, problem.labels).mean, logistic.mean), 1e-6);
  });
}

TEST(FormsOfX, OneRowOneColumnAndNoEntries) {
  const Of<std::int8_t> none = Of<std::int8_t>::Zero(5, 1);
  Of<std::int8_t> one(5, 1), row(1, 3);
  one << 0, 0, 1, 0, 2;
  row << 1, 0, 2;
  const Vector y{{0.5, -1, 2, 0.1, 3}};
  for (const Prior& prior : {Prior::sparse(), Prior::laplace(1.0), Prior::shared()})
    for (const auto& X : {none, one}) {
      SCOPED_TRACE(::testing::Message() << to_string(prior.kind) << " " << X.cast<int>().sum());
      const LinearFit sparse = fit_linear(Columns<float>(X).view(), y, {.prior = prior}),
                      dense = fit_linear(Matrix(X.cast<double>()), y, {.prior = prior});
      EXPECT_EQ(sparse.report.status, dense.report.status);
      EXPECT_EQ(sparse.left_out, dense.left_out);
      EXPECT_LT(relative_distance(sparse.mean, dense.mean), 1e-9);
    }
  const LinearFit of_row = fit_linear(Columns<double>(row).view(), Vector{{2.0}}, {.prior = Prior::sparse()});
  EXPECT_NEAR(of_row.intercept->mean, 2, 1e-12);
}

TEST(FormsOfX, AGapAmongFloatsIsNamed) {
  const std::vector<std::int32_t> start = {0, 2, 3}, row = {0, 1, 2};
  const std::vector<float> value = {1, std::nanf(""), 3};
  const Vector y{{1, 2, 3}};
  for (const Prior& prior : {Prior::sparse(), Prior::laplace(1.0)})
    expect_invalid([&] { (void)fit_linear(CscView(start.data(), row.data(), value.data(), 3, 2), y, {.prior = prior}); },
                   {"row 2, column 'x1'", "NaN"});
}

TEST(FormsOfX, ASparseTableThatIsTooLargeForTheSparsePriorsIsRefusedWithItsSize) {
  const Index n = 6000, p = 4200;
  std::vector<std::int32_t> start, row;
  std::vector<double> value;
  for (Index j = 0; j <= p; ++j) start.push_back(static_cast<std::int32_t>(j));
  for (Index j = 0; j < p; ++j) row.push_back(static_cast<std::int32_t>(j % n)), value.push_back(1);
  Random random(8);
  const CscView X(start.data(), row.data(), value.data(), n, p);
  const Vector labels = (random.normals(n).array() > 0).cast<double>();
  expect_invalid([&] { (void)fit_logistic(X, labels, {.prior = Prior::sparse()}); },
                 {"prior", "sparse", "a matrix of 4200 x 4200 numbers", "--prior shared"});
}

}  // namespace
}  // namespace ardvark
