// Predictions of a table in pieces are those of the whole table.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../io/small_models.hpp"
#include "../support/thrown.hpp"

namespace ardvark {
namespace {

using testing::expect_invalid;
using testing::Random;

// What a prediction says of each row.
Matrix rows_of_prediction(const Prediction& prediction) {
  return std::visit(
      [](const auto& p) {
        using Kind = std::decay_t<decltype(p)>;
        if constexpr (std::is_same_v<Kind, ClassProbabilities>) {
          return p.probability;
        } else if constexpr (std::is_same_v<Kind, ClassPrediction>) {
          Matrix out(p.mean.size(), 3);
          out << p.probability, p.mean, p.variance;
          return out;
        } else if constexpr (std::is_same_v<Kind, TMixturePrediction>) {
          Matrix out(p.mean.size(), 1 + 2 * p.weight.size());
          out << p.mean, p.part_mean, p.part_scale;
          return out;
        } else {
          Matrix out(p.mean.size(), 2);
          out << p.mean, p.standard_deviation();
          return out;
        }
      },
      prediction);
}

void expect_same_bits(const Matrix& a, const Matrix& b) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  EXPECT_TRUE((a.array() == b.array() || (a.array().isNaN() && b.array().isNaN())).all());
}

TEST(Pieces, OfEveryModelHaveTheBitsOfTheWholeTable) {
  const testing::SmallProblem problem = testing::small_problem(11);
  const Index p = problem.X.cols(), piece = rows_of_a_piece(p), n = 2 * piece + 77;
  Random random(3);
  Matrix X(n, p);
  for (Index i = 0; i < n; ++i) X.row(i) = problem.X.row(i % problem.X.rows()) * random.uniform(0.9, 1.1);
  int num_models = 0;
  for (const testing::SmallModel& kind : testing::small_models()) {
    SCOPED_TRACE(kind.name);
    const std::optional<SavedModel> model = testing::fitted(kind, problem);
    if (!model) continue;
    Matrix given = X;
    if (model->imputation) {
      given.col(0) = (given.col(0).array() > given.col(0).mean()).cast<double>();
      for (Index i = 5; i < n; i += 501) given(i, i % p) = std::numeric_limits<double>::quiet_NaN();
    }
    ++num_models;
    const Prediction whole = predict(*model, given);
    Matrix parts = rows_of_prediction(whole);
    for (Index first = 0; first < n; first += piece) {
      const Index count = std::min(piece, n - first);
      const Matrix part = rows_of_prediction(predict(*model, given.middleRows(first, count)));
      parts.middleRows(first, count) = part;
    }
    expect_same_bits(rows_of_prediction(whole), parts);
    if (const auto* classes = std::get_if<ClassProbabilities>(&whole)) {
      ASSERT_EQ(classes->most_probable.size(), static_cast<std::size_t>(n));
      Index most = 0;
      classes->probability.row(n - 1).maxCoeff(&most);
      EXPECT_EQ(classes->most_probable.back(), most);
    }
    if (model->imputation) continue;
    // The fit itself predicts all rows at once.
    const std::optional<Matrix> at_once = testing::predictions_if_any(*model, given);
    ASSERT_TRUE(at_once.has_value());
    const Matrix ours = rows_of_prediction(whole);
    const double scale = at_once->col(0).cwiseAbs().maxCoeff();
    for (Index i = 0; i < n; i += 1009) EXPECT_NEAR(ours(i, 0), (*at_once)(i, 0), 1e-12 * scale) << i;
  }
  EXPECT_GT(num_models, 30);
}

TEST(Pieces, AreAlsoThoseOfTablesByRowAndOfSingleNumbers) {
  const testing::SmallProblem problem = testing::small_problem(12);
  const SavedModel model = testing::as_saved(fit_linear(problem.X, problem.y));
  const Index n = rows_of_a_piece(problem.X.cols()) + 10;
  Random random(4);
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_row = random.normals(n, problem.X.cols());
  const Eigen::MatrixXf single = by_row.cast<float>();
  const Matrix a = rows_of_prediction(predict(model, by_row)), b = rows_of_prediction(predict(model, Matrix(by_row))),
               c = rows_of_prediction(predict(model, single)), d = rows_of_prediction(predict(model, Matrix(single.cast<double>())));
  const double scale = a.cwiseAbs().maxCoeff();
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-12 * scale);
  EXPECT_LT((c - d).cwiseAbs().maxCoeff(), 1e-12 * scale);
}

TEST(Pieces, CountTheRowsOfTheWholeTableInMessages) {
  const testing::SmallProblem problem = testing::small_problem(12);
  const SavedModel model = testing::as_saved(fit_linear(problem.X, problem.y));
  Matrix X = Matrix::Ones(20000, problem.X.cols());
  X(17000, 0) = std::numeric_limits<double>::quiet_NaN();
  expect_invalid([&] { static_cast<void>(predict(model, X)); }, {"row 17001", "NaN"});
}

// The rule of vb_logit_pred stops when a sum over all rows stands still.
TEST(Pieces, AreNotTakenByARuleThatLooksAtAllRows) {
  const testing::SmallProblem problem = testing::small_problem(13);
  const LogisticFit fit = fit_logistic(problem.X, problem.two, options_for_preset("vb_logit_fit"));
  const SavedModel model = testing::as_saved(fit);
  const ModelOptions batch{.rule = "published-batch"};
  EXPECT_FALSE(predicts_each_row_alone(model, batch));
  EXPECT_TRUE(predicts_each_row_alone(model, {.rule = "published"}));
  const Index n = rows_of_a_piece(problem.X.cols()) + 100;
  Random random(5);
  const Matrix X = random.normals(n, problem.X.cols());
  const Vector whole = predict(fit, X, PredictiveRule::published_batch).probability;
  EXPECT_EQ(std::get<ClassPrediction>(predict(model, X, batch)).probability, whole);
}

TEST(Pieces, TakeAtMost64MegabytesUnlessRowsAreLonger) {
  for (const Index p : {1, 100, 1024, 1025, 5000, 32768, 100000}) {
    const Index rows = rows_of_a_piece(p);
    EXPECT_EQ(rows % 256, 0) << p;
    EXPECT_TRUE(rows == 256 || rows * p <= (Index{1} << 23)) << p;
    EXPECT_TRUE(rows == 8192 || (rows + 256) * p > (Index{1} << 23)) << p;
  }
}

// Against the formulas, over all rows at once.
TEST(PredictionScorer, AddsPiecesToTheScoreOfAllRows) {
  Random random(6);
  const Index n = 300;
  const StudentPrediction p{1e6 + random.normals(n).array(), random.normals(n).cwiseAbs().array() + 0.1, 7};
  Vector y = p.mean + random.normals(n);
  y[5] = y[250] = std::numeric_limits<double>::quiet_NaN();
  PredictionScorer scorer(0.9);
  for (Index first = 0; first < n; first += 70) {
    const Index count = std::min<Index>(70, n - first);
    scorer.add(StudentPrediction{p.mean.segment(first, count), p.scale.segment(first, count), 7}, Vector(y.segment(first, count)));
  }
  scorer.add(StudentPrediction{Vector::Zero(1), Vector::Ones(1), 7}, Vector(Vector::Constant(1, std::nan(""))));
  const Vector half = p.half_width(0.9), density = p.log_density(Vector(y.array().isNaN().select(0.0, y)));
  double sum = 0, error = 0, covered = 0, log_density = 0, spread = 0;
  for (Index i = 0; i < n; ++i) {
    if (std::isnan(y[i])) continue;
    sum += y[i] - 1e6, error += std::pow(y[i] - p.mean[i], 2), log_density += density[i];
    covered += std::abs(y[i] - p.mean[i]) <= half[i] ? 1 : 0;
  }
  for (Index i = 0; i < n; ++i)
    if (!std::isnan(y[i])) spread += std::pow(y[i] - 1e6 - sum / 298, 2);
  const PredictionScore score = scorer.score();
  EXPECT_EQ(score.num_rows, 298);
  EXPECT_NEAR(*score.rmse, std::sqrt(error / 298), 1e-12);
  EXPECT_NEAR(*score.r_squared, 1 - error / spread, 1e-8);  // y has 16 digits, of which 10 stand before its differences
  EXPECT_NEAR(*score.coverage, covered / 298, 1e-15);
  EXPECT_NEAR(score.log_density, log_density / 298, 1e-12);
  EXPECT_FALSE(score.accuracy.has_value());
  EXPECT_EQ(PredictionScorer().score().num_rows, 0);
}

}  // namespace
}  // namespace ardvark
