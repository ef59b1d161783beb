// Fits and predictions of a sparse X: those of the same numbers in a dense one.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/model.hpp"
#include "design/csc.hpp"
#include "preset/preset.hpp"
#include "table/fit_table.hpp"

namespace ardvark {
namespace {

using testing::expect_invalid;
using testing::Random;
using testing::relative_distance;

// The entries of a matrix that are not zero, with every tenth zero kept as an entry.
template <typename Number, typename Value = double>
struct Csc {
  std::vector<Number> start = {0}, row;
  std::vector<Value> value;
  Index rows, cols;
  explicit Csc(const Matrix& X) : rows(X.rows()), cols(X.cols()) {
    Index zeros = 0;
    for (Index j = 0; j < cols; ++j) {
      for (Index i = 0; i < rows; ++i) {
        if (X(i, j) == 0 && ++zeros % 10 != 0) continue;
        row.push_back(static_cast<Number>(i));
        value.push_back(static_cast<Value>(X(i, j)));
      }
      start.push_back(static_cast<Number>(row.size()));
    }
  }
  [[nodiscard]] CscView view(const char* dense = "") const { return {start.data(), row.data(), value.data(), rows, cols, dense}; }
};

Matrix mostly_zeros(Random& random, Index n, Index p, double density) {
  Matrix X = Matrix::Zero(n, p);
  for (Index j = 0; j < p; ++j)
    for (Index i = 0; i < n; ++i)
      if (random.chance(density)) X(i, j) = random.normal() + 0.5;
  return X;
}

struct SparseProblem {
  Matrix X, X_new;
  Vector y, labels, weights;
};

// Column 1 is full and as far from zero as said, column 2 constant, column 3 zero, column 4 a copy of column 0.
SparseProblem problem_of(std::uint64_t seed, Index n, Index p, double density, double far) {
  Random random(seed);
  SparseProblem out{mostly_zeros(random, n, p, density), mostly_zeros(random, 15, p, density), {}, {}, {}};
  out.X.col(1) = far + random.normals(n).array();
  out.X_new.col(1) = far + random.normals(15).array();
  out.X.col(2).setConstant(-3);
  out.X.col(3).setZero();
  out.X.col(4) = 2 * out.X.col(0).array();
  const Vector score = 2 * out.X.col(0) - out.X.col(5) + (out.X.col(1).array() - far).matrix();
  out.y = score + random.normals(n);
  out.labels = (score + 2 * random.normals(n)).unaryExpr([](double s) { return s > 0 ? 1.0 : 0.0; });
  out.weights.resize(n);
  for (Index i = 0; i < n; ++i) out.weights[i] = i % 7 == 0 ? 0 : random.uniform(0.5, 2);
  return out;
}

void expect_same(const Fit& sparse, const Fit& dense, double tolerance) {
  EXPECT_EQ(sparse.report.status, dense.report.status) << sparse.report.message;
  EXPECT_EQ(sparse.left_out, dense.left_out);
  EXPECT_EQ(sparse.report.notes, dense.report.notes);
  EXPECT_LT(relative_distance(sparse.mean, dense.mean), tolerance);
  EXPECT_LT(relative_distance(sparse.variance, dense.variance), tolerance);
  EXPECT_LT(relative_distance(sparse.precision.cwiseMin(1e8), dense.precision.cwiseMin(1e8)), 1e2 * tolerance);
  EXPECT_NEAR(sparse.bound, dense.bound, tolerance * (1 + std::abs(dense.bound)));
  ASSERT_EQ(sparse.intercept.has_value(), dense.intercept.has_value());
  if (dense.intercept) {
    EXPECT_LT(relative_distance(sparse.intercept->mean, dense.intercept->mean), tolerance);
  }
}

struct Shape {
  Index n, p;
  double density;
};

class SparseTable : public ::testing::TestWithParam<Shape> {
 protected:
  // Every prior of a sparse X, with and without intercept, scaling and weights.
  template <typename Use>
  void for_options(Use&& use) const {
    const auto [n, p, density] = GetParam();
    // Without an intercept, a column far from zero is nearly collinear with a constant one.
    const SparseProblem centred = problem_of(static_cast<std::uint64_t>(n + p), n, p, density, 30),
                        plain = problem_of(static_cast<std::uint64_t>(n + p), n, p, density, 0.5);
    std::vector<Index> groups(static_cast<std::size_t>(GetParam().p));
    for (std::size_t j = 0; j < groups.size(); ++j) groups[j] = static_cast<Index>(j / 3);
    std::vector<Prior> priors = {Prior::shared(), Prior::ard(), Prior::groups(groups)};
    if (GetParam().n > 2 * GetParam().p) priors.push_back(Prior::none());
    for (const Prior& prior : priors)
      for (const bool intercept : {true, false})
        for (const bool standardize : {true, false})
          for (const bool weighted : {false, true}) {
            SCOPED_TRACE(::testing::Message() << to_string(prior.kind) << " intercept " << intercept << " standardize " << standardize
                                              << " weights " << weighted);
            FitOptions options{.prior = prior, .intercept = intercept, .standardize = standardize};
            options.max_sweeps = 6;  // the same steps: rounding decides where a flat bound ends them, and extrapolation enlarges it
            options.accelerate = false;
            options.solver = SolverKind::automatic;
            const SparseProblem& problem = intercept ? centred : plain;
            if (weighted) options.weights = problem.weights;
            use(problem, options);
          }
  }
};

TEST_P(SparseTable, RegressionsAreThoseOfTheDenseTable) {
  for_options([&](const SparseProblem& problem, FitOptions options) {
    const Csc<std::int32_t> X(problem.X), X_new(problem.X_new);
    const LinearFit sparse = fit_linear(X.view(), problem.y, options);
    options.solver = sparse.report.solver;  // a dense table may take QR
    const LinearFit dense = fit_linear(problem.X, problem.y, options);
    expect_same(sparse, dense, 1e-9);
    EXPECT_NEAR(sparse.r_squared, dense.r_squared, 1e-9);
    for (const PredictionOf what : {PredictionOf::new_observation, PredictionOf::mean}) {
      const StudentPrediction found = predict(sparse, X_new.view(), what), expected = predict(dense, problem.X_new, what);
      EXPECT_LT(relative_distance(found.mean, expected.mean), 1e-9);
      EXPECT_LT(relative_distance(found.scale, expected.scale), 1e-9);
      // The same fit, whichever form the new rows have.
      EXPECT_LT(relative_distance(found.scale, predict(sparse, problem.X_new, what).scale), 1e-9);
    }
  });
}

TEST_P(SparseTable, ClassificationsAreThoseOfTheDenseTable) {
  for_options([&](const SparseProblem& problem, FitOptions options) {
    const Csc<std::int64_t> X(problem.X), X_new(problem.X_new);
    if (options.prior.kind == PriorKind::none) return;  // most tables are separated
    const LogisticFit sparse = fit_logistic(X.view(), problem.labels, options);
    options.solver = sparse.report.solver;
    const LogisticFit dense = fit_logistic(problem.X, problem.labels, options);
    expect_same(sparse, dense, 1e-7);  // with few rows, weights near 0 enlarge rounding
    EXPECT_NEAR(sparse.log_loss, dense.log_loss, 1e-7);
    EXPECT_LT(relative_distance(predict(sparse, X_new.view()).probability, predict(dense, problem.X_new).probability), 1e-7);
  });
}

INSTANTIATE_TEST_SUITE_P(Shapes, SparseTable,
                         ::testing::Values(Shape{200, 12, 0.1}, Shape{90, 40, 0.2}, Shape{40, 90, 0.05}, Shape{20, 8, 0.3}));

TEST(SparseX, AColumnFarFromZeroKeepsItsDigits) {
  const SparseProblem problem = problem_of(4, 200, 12, 0.1, 1e6);
  const FitOptions options{.prior = Prior::shared(), .tolerance = 1e-11};
  const LinearFit sparse = fit_linear(Csc<std::int32_t>(problem.X).view(), problem.y, options),
                  dense = fit_linear(problem.X, problem.y, options);
  EXPECT_EQ(sparse.report.status, Status::converged);
  expect_same(sparse, dense, 1e-7);
}

TEST(SparseX, MaximumLikelihoodIsThatOfTheDenseTable) {
  Random random(5);
  const Matrix X = mostly_zeros(random, 400, 6, 0.3);
  Vector labels(400);
  for (Index i = 0; i < 400; ++i) labels[i] = random.chance(1 / (1 + std::exp(-X(i, 0) + X(i, 1)))) ? 1 : 0;
  const FitOptions options{.prior = Prior::none(), .tolerance = 1e-11};
  const LogisticFit sparse = fit_logistic(Csc<std::int32_t>(X).view(), labels, options), dense = fit_logistic(X, labels, options);
  ASSERT_EQ(dense.report.status, Status::converged);
  EXPECT_LT(relative_distance(sparse.mean, dense.mean), 1e-9);
}

TEST(SparseX, TheDefaultPriorIsThatOfADenseTable) {
  Random random(6);
  const Matrix X = mostly_zeros(random, 100, 10, 0.2);
  const Vector y = X.col(0) + random.normals(100);
  const LinearFit fit = fit_linear(Csc<std::int32_t>(X).view(), y);
  EXPECT_EQ(fit.prior, PriorKind::sparse);
  EXPECT_TRUE(fit.report.notes.empty());
}

TEST(SparseX, RefusesWhatNeedsADenseOne) {
  Random random(7);
  const Matrix X = mostly_zeros(random, 50, 5, 0.3);
  const Vector y = random.normals(50);
  const Csc<std::int32_t> sparse(X);
  expect_invalid([&] { (void)fit_linear(sparse.view(), y, {.prior = Prior::ard(), .solver = SolverKind::qr}); }, {"X is sparse", "qr"});
  expect_invalid([&] { (void)fit_linear(sparse.view("full(X)"), y, {.prior = Prior::ard(), .solver = SolverKind::qr}); },
                 {"X is sparse, and solver 'qr' needs a dense X, full(X); a sparse X has models of every prior"});
}

// A preset is fitted to the columns where they lie, with the numbers of a dense X, or says what it reads.
TEST(SparseX, PresetsTakeItOrSayWhatTheyNeed) {
  Random random(12);
  const Matrix X = mostly_zeros(random, 120, 8, 0.3), X_new = mostly_zeros(random, 15, 8, 0.3);
  Vector y = 2 * X.col(0) - 2 * X.col(3) + random.normals(120), labels(120), classes(120);
  for (Index i = 0; i < 120; ++i) labels[i] = y[i] > 0 ? 1 : 0, classes[i] = y[i] > 1 ? 2 : y[i] > -0.5 ? 1 : 0;
  const Csc<std::int32_t> sparse(X), sparse_new(X_new);
  int num_taken = 0;
  for (const PresetInfo& preset : presets()) {
    SCOPED_TRACE(preset.name);
    const internal::PresetFacts& facts = internal::preset_facts(preset.name);
    ModelOptions options;
    options.preset = preset.name;
    const Vector signs = 2 * labels.array() - 1, &target = preset.task == Task::linear ? y
                                                           : facts.coding              ? classes
                                                           : facts.signs               ? signs
                                                                                       : labels;
    if (!internal::need_of_dense(preset.name, false).empty()) {
      const std::string who = std::string("X is sparse, and preset '") + preset.name + "', which reads ";
      expect_invalid([&] { (void)fit_model(sparse.view("full(X)"), target, options); },
                     {who.c_str(), "needs a dense X, full(X); a sparse X has models of every prior",
                      "and without compat the presets vb_linear_fit, "});
      continue;
    }
    ++num_taken;
    const SavedModel one = fit_model(sparse.view(), target, options), other = fit_model(MatrixView(X), target, options);
    const auto mean = [](const SavedModel& model) {
      return model.score() != nullptr ? Matrix(model.score()->mean) : model.softmax()->mean;
    };
    EXPECT_LT((mean(one) - mean(other)).cwiseAbs().maxCoeff(), 1e-6 * mean(other).cwiseAbs().maxCoeff());
    const Prediction of_one = predict(one, sparse_new.view()), of_other = predict(other, MatrixView(X_new));
    const auto means = [](const Prediction& prediction) -> Matrix {
      if (const auto* const regression = std::get_if<StudentPrediction>(&prediction)) return regression->mean;
      if (const auto* const two = std::get_if<ClassPrediction>(&prediction)) return two->probability;
      return std::get<ClassProbabilities>(prediction).probability;
    };
    EXPECT_LT((means(of_one) - means(of_other)).cwiseAbs().maxCoeff(), 1e-6);
    options.compat = true;
    expect_invalid([&] { (void)fit_model(sparse.view(), target, options); }, {"X is sparse", "compat", "needs a dense X"});
  }
  EXPECT_GE(num_taken, 15);
}

TEST(SparseX, RefusesWrongColumns) {
  const Vector y{{1, 2, 3}};
  const auto refused = [&](std::vector<std::int32_t> start, std::vector<std::int32_t> row, std::vector<double> value,
                           std::initializer_list<const char*> why) {
    expect_invalid([&] { (void)fit_linear(CscView(start.data(), row.data(), value.data(), 3, 2), y, {.prior = Prior::shared()}); }, why);
  };
  refused({0, 2, 3}, {1, 0, 2}, {1, 2, 3}, {"column 1", "ascend"});
  refused({0, 2, 3}, {1, 1, 2}, {1, 2, 3}, {"column 1", "ascend"});
  refused({0, 2, 3}, {0, 3, 2}, {1, 2, 3}, {"column 1", "3"});
  refused({1, 2, 3}, {0, 1, 2}, {1, 2, 3}, {"starts at entry 1"});
  refused({0, 2, 1}, {0, 1, 2}, {1, 2, 3}, {"column 2"});
  refused({0, 2, 3}, {0, 1, 2}, {1, std::numeric_limits<double>::quiet_NaN(), 3}, {"row 2, column 'x1'", "NaN"});
}

TEST(SparseX, ItsGapsAreNamedWithARemedy) {
  const std::vector<std::int32_t> start = {0, 2, 3}, row = {0, 1, 2};
  const std::vector<double> value = {1, std::nan(""), 3};
  const CscView X(start.data(), row.data(), value.data(), 3, 2);
  const Vector y{{1, 2, 3}};
  ModelOptions options;
  options.model = "linear", options.prior = "shared";
  expect_invalid([&] { (void)fit_model(X, y, options); },
                 {"X at row 2, column 'x1' is NaN; all values must be finite; if the value is missing: leave out such rows"});
  options.missing = "drop";
  expect_invalid([&] { (void)fit_model(X, y, options); },
                 {"X is sparse, and missing 'drop' needs a dense X; a sparse X takes no missing values"});
}

TEST(SparseX, MomentsKeepTheDigitsOfAColumnFarFromZero) {  // against long double
  Random random(8);
  const Matrix X = 1e9 + random.normals(300, 3).array();
  const Vector k = random.normals(300).cwiseAbs();
  Vector center, scale;
  internal::FitTable(Csc<std::int32_t>(X).view()).moments(k, true, center, scale);
  for (Index j = 0; j < 3; ++j) {
    long double mean = 0, square = 0;
    for (Index i = 0; i < 300; ++i) mean += static_cast<long double>(k[i]) * X(i, j);
    mean /= k.cast<long double>().sum();
    for (Index i = 0; i < 300; ++i) square += k[i] * (X(i, j) - mean) * (X(i, j) - mean);
    EXPECT_NEAR(scale[j], static_cast<double>(std::sqrt(square / k.cast<long double>().sum())), 1e-12);
    EXPECT_NEAR(center[j], static_cast<double>(mean), 1e-6);
  }
}

// Only rows without a weight have no entry there: a sum of weights has a rounding that is no spread.
TEST(SparseX, MomentsOfAColumnWhoseOtherRowsHaveNoWeight) {
  Random random(24);
  for (int trial = 0; trial < 20; ++trial) {
    Vector k(57), center, scale;
    for (double& weight : k) weight = random.uniform(0.3, 3);
    k[5] = k[31] = 0;
    Matrix X = Matrix::Constant(57, 1, 3.0);
    X(5, 0) = X(31, 0) = 0;
    internal::FitTable(Csc<std::int32_t>(X).view()).moments(k, true, center, scale);
    EXPECT_LT(scale[0], 1e-14);
    EXPECT_NEAR(center[0], 3, 1e-14);
  }
}

TEST(SparseX, DesignReadsTheSameColumnsRowsAndProducts) {
  const SparseProblem problem = problem_of(9, 60, 10, 0.15, 100);
  const Csc<std::int32_t> X(problem.X);
  Vector center, scale;
  const internal::FitTable table(X.view());
  table.moments(Vector::Ones(60), true, center, scale);
  scale = (scale.array() > 0).select(scale.cwiseInverse(), 0.0);
  const internal::Standardization s{center, scale, true};
  const auto sparse = table.design(s), dense = internal::table_design(problem.X, s);
  Random random(10);
  Matrix a(60, 11), b(60, 11);
  sparse->columns(0, 11, a), dense->columns(0, 11, b);
  EXPECT_LT(testing::distance(a, b), 1e-12);
  sparse->read_rows(10, 20, nullptr, a), dense->read_rows(10, 20, nullptr, b);
  EXPECT_LT(testing::distance(a.topRows(20), b.topRows(20)), 1e-9);
  const Vector omega = random.normals(60).cwiseAbs(), r = random.normals(60), w = random.normals(11);
  Matrix G = Matrix::Zero(11, 11), H = G;
  Vector g(11), h(11);
  sparse->gram_and_project(omega, r, G, g), dense->gram_and_project(omega, r, H, h);
  EXPECT_LT(testing::distance(G, H), 1e-9);
  EXPECT_LT(testing::distance(g, h), 1e-9);
  h.resize(60), g.resize(60);
  sparse->apply(w, g), dense->apply(w, h);
  EXPECT_LT(testing::distance(g, h), 1e-9);
  const Matrix L = Matrix(random.normals(11, 11).triangularView<Eigen::Lower>());
  sparse->row_variance(L, g), dense->row_variance(L, h);
  EXPECT_LT(relative_distance(g, h), 1e-9);
}

// Whether the rows with a weight have one value, from the entries alone.
TEST(SparseTable, KnowsConstantColumnsByTheirEntries) {
  Matrix X = Matrix::Zero(12, 6);
  X.col(1).setConstant(3);
  X.col(2).setConstant(3), X(4, 2) = 0;
  X.col(3).setConstant(3), X(7, 3) = 2;
  X(7, 4) = 2;
  X.col(5).head(6).setConstant(-1);
  const Csc<std::int32_t> sparse(X);
  Vector ones = Vector::Ones(12), without = ones;  // rows of no weight
  without[4] = without[7] = 0;
  for (const Vector& k : {ones, without})
    for (const bool centred : {true, false})
      for (Index j = 0; j < X.cols(); ++j)
        EXPECT_EQ(internal::FitTable(sparse.view()).all_equal(j, k, centred), internal::FitTable(MatrixView(X)).all_equal(j, k, centred))
            << j << " " << centred;
  EXPECT_TRUE(internal::FitTable(sparse.view()).all_equal(0, ones, true));
  EXPECT_TRUE(internal::FitTable(sparse.view()).all_equal(1, ones, true));
  EXPECT_FALSE(internal::FitTable(sparse.view()).all_equal(2, ones, true));
  EXPECT_TRUE(internal::FitTable(sparse.view()).all_equal(2, without, true));
  EXPECT_FALSE(internal::FitTable(sparse.view()).all_equal(1, ones, false));
}

}  // namespace
}  // namespace ardvark
