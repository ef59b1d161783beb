// Which rows lie beyond the data of a kernel machine.
#include <gtest/gtest.h>

#include <cmath>

#include "ardvark/model.hpp"
#include "support/random_problem.hpp"

namespace ardvark {
namespace {

using Rows = std::vector<Index>;

RelevanceOptions with(Kernel kernel) {
  RelevanceOptions options;
  options.kernel = std::move(kernel);
  options.search = KernelSearch::none;
  options.standardize = false;
  options.algorithm = RelevanceAlgorithm::type_two;
  return options;
}

// Inputs in [0, 4] x [0, 4] without the middle: both ends of each occur.
struct Ring {
  Ring() {
    testing::Random random(6);
    for (Index i = 0; i < 80; ++i) {
      const double angle = 2 * M_PI * static_cast<double>(i) / 80;
      X.row(i) << 2 + 2 * std::cos(angle), 2 + 2 * std::sin(angle);
      y[i] = 3 + std::sin(3 * angle) + 0.1 * random.normal();
      labels[i] = i % 20 < 10 ? 1 : 0;
    }
  }
  Matrix X = Matrix(80, 2);
  Vector y = Vector(80), labels = Vector(80);
};

Matrix points(std::initializer_list<std::pair<double, double>> list) {
  Matrix out(static_cast<Index>(list.size()), 2);
  Index i = 0;
  for (const auto& [a, b] : list) out.row(i++) << a, b;
  return out;
}

TEST(BeyondData, IsFurtherThanAWidthFromTheRangeOfTheTrainingRows) {
  const Ring ring;
  const Matrix X = points({{2, 2}, {0, 4}, {4.6, 2}, {4.8, 2}, {4.45, 4.45}, {4.6, -0.6}, {-40, 2}});
  EXPECT_EQ(rows_beyond_data(fit_relevance_regression(ring.X, ring.y, with(Kernel::gaussian(0.7))), X), (Rows{3, 5, 6}));
  EXPECT_EQ(rows_beyond_data(fit_relevance_regression(ring.X, ring.y, with(Kernel::laplacian(0.7))), X), (Rows{3, 5, 6}));
  // Each input in its own width.
  EXPECT_EQ(rows_beyond_data(fit_relevance_regression(ring.X, ring.y, with(Kernel::gaussian({0.55, 3}))), X), (Rows{2, 3, 5, 6}));
  EXPECT_EQ(rows_beyond_data(fit_relevance_classification(ring.X, ring.labels, with(2.0 * Kernel::gaussian(0.7))), X), (Rows{3, 5, 6}));
  const auto none = rows_beyond_data(fit_relevance_regression(ring.X, ring.y, with(Kernel::gaussian(0.7))), ring.X);
  EXPECT_TRUE(none.empty());
}

// With a wide kernel, too, rows may leave the data: by half the range of 4.
TEST(BeyondData, IsFurtherThanHalfTheRangeOfAnInput) {
  Ring ring;
  const Matrix X = points({{2, 2}, {5.9, 2}, {6.1, 2}, {5.9, 5.9}, {2, -2.1}});
  EXPECT_EQ(rows_beyond_data(fit_relevance_regression(ring.X, ring.y, with(Kernel::gaussian(50))), X), (Rows{2, 4}));
  RelevanceOptions standardized = with(Kernel::gaussian(50));
  standardized.standardize = true;
  EXPECT_EQ(rows_beyond_data(fit_relevance_regression(ring.X, ring.y, standardized), X), (Rows{2, 4}));
  ring.X.col(1).setConstant(2);  // left out, or seen by the kernel alone
  EXPECT_EQ(rows_beyond_data(fit_relevance_regression(ring.X, ring.y, standardized), X), (Rows{2}));
  EXPECT_EQ(rows_beyond_data(fit_relevance_regression(ring.X, ring.y, with(Kernel::gaussian(50))), X), (Rows{2}));
}

TEST(BeyondData, IsWhereThePredictionIsTheBias) {
  const Ring ring;
  const RelevanceRegression fit = fit_relevance_regression(ring.X, ring.y, with(Kernel::gaussian(0.7)));
  const Matrix far = points({{30, 2}, {-50, -50}});
  EXPECT_EQ(rows_beyond_data(fit, far), (Rows{0, 1}));
  const StudentPrediction p = predict(fit, far);
  for (Index i = 0; i < 2; ++i) EXPECT_NEAR(p.mean[i], fit.machines.front().fit.intercept->mean, 1e-12);
  EXPECT_NEAR(p.scale[0], p.scale[1], 1e-12);
}

TEST(BeyondData, IsNowhereForKernelsThatDoNotFall) {
  const Ring ring;
  const Matrix far = points({{1000, 2}});
  for (const Kernel& kernel : {Kernel::linear(), Kernel::polynomial(2), Kernel::gaussian(0.7) + Kernel::linear(),
                               Kernel::callable([](const double*x, const double*c, Index) { return x[0] * c[0]; }, "first")})
    EXPECT_TRUE(rows_beyond_data(fit_relevance_regression(ring.X, ring.y, with(kernel)), far).empty()) << kernel.name();
}

TEST(BeyondData, DoesNotCountRowsOfWeightZero) {
  Ring ring;
  RelevanceOptions options = with(Kernel::gaussian(0.7));
  std::vector<double> k(80, 1.0);
  for (std::size_t i = 0; i < 80; ++i)
    if (ring.X(static_cast<Index>(i), 0) > 2) k[i] = 0;
  options.weights = k;
  const RelevanceRegression fit = fit_relevance_regression(ring.X, ring.y, options);
  EXPECT_EQ(rows_beyond_data(fit, points({{2, 2}, {3.5, 2}})), (Rows{1}));
  EXPECT_LE(fit.input_range(0, 1), 2);
  EXPECT_EQ(fit.input_range(0, 0), 0);
}

TEST(BeyondData, NamesRowInputAndRange) {
  const Ring ring;
  RelevanceOptions options = with(Kernel::gaussian(0.7));
  options.input_names = {"a", "b"};
  const SavedModel model{RelevanceFit(fit_relevance_regression(ring.X, ring.y, options)), {}};
  EXPECT_TRUE(warnings_of_prediction(model, ring.X).empty());
  EXPECT_EQ(
      warnings_of_prediction(model, points({{1, 1}, {4.5, 9}, {-9, 4.5}})),
      (std::vector<std::string>{
          "2 of 3 rows lie far outside the training rows, by more than a kernel width or half the range of an input; predictions there "
          "follow the kernel, not the data, and are too certain; the first is row 2, in which 'b' is 9 (training rows: 0 to 4)"}));
  const Rows names = {7, 9, 12};
  EXPECT_NE(warnings_of_prediction(model, points({{1, 1}, {2, 2}, {1, 9}}), names).at(0).find("1 of 3 rows lies"), std::string::npos);
  EXPECT_NE(warnings_of_prediction(model, points({{1, 1}, {2, 2}, {1, 9}}), names).at(0).find("the first is row 12,"), std::string::npos);
  EXPECT_THROW(static_cast<void>(rows_beyond_data(*model.relevance(), Matrix(Matrix::Zero(2, 3)))), InvalidArgument);
}

}  // namespace
}  // namespace ardvark
