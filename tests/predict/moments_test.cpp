// A posterior given in numbers, against the fit that the numbers come from; V^-1 against V.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "ardvark/model.hpp"

namespace ardvark {
namespace {

using testing::expect_invalid;
using testing::make_problem;
using testing::Problem;
using testing::Random;
using testing::relative_distance;

FitOptions published(const char* preset, SolverKind solver = SolverKind::automatic) {
  FitOptions options = options_for_preset(preset);
  options.solver = solver;
  return options;
}

TEST(VInverse, IsTheInverseOfVForEverySolver) {  // (RIDGE.1)
  for (const auto& [n, p] : {std::pair<Index, Index>{30, 6}, {12, 20}}) {
    const Problem problem = make_problem(3, n, p);
    const Vector& t = problem.labels;
    for (const SolverKind solver : {SolverKind::primal, SolverKind::dual, SolverKind::spectral, SolverKind::sequential}) {
      std::vector<Fit> fits;
      if (solver == SolverKind::sequential) {
        fits = {fit_logistic(problem.X, t, published("vb_logit_fit_iter"))};
      } else if (solver == SolverKind::spectral) {
        fits = {fit_linear(problem.X, problem.y, published("vb_linear_fit", solver))};
      } else {
        fits = {fit_linear(problem.X, problem.y, published("vb_linear_fit_ard", solver)),
                fit_logistic(problem.X, t, published("vb_logit_fit_ard", solver))};
      }
      for (const Fit& fit : fits) {
        const Matrix V = fit.V();
        EXPECT_LE(relative_distance(V.diagonal(), fit.V_diagonal), 1e-10);
        EXPECT_LE((V_inverse(fit, problem.X) * V - Matrix::Identity(p, p)).norm(), 1e-8) << n << " " << to_string(solver);
        if (fit.is_joint())
          EXPECT_LE(relative_distance(fit.covariance(), V * (fit.noise.rate / (fit.noise.shape - 1))), 1e-14);
        else
          EXPECT_EQ(fit.covariance(), V);
      }
    }
  }
}

TEST(VInverse, IsThatOfColumnsAsTheyAre) {
  const Problem problem = make_problem(4, 20, 3);
  expect_invalid([&] { static_cast<void>(V_inverse(fit_linear(problem.X, problem.y), problem.X)); }, {"intercept"});
  const LinearFit fit = fit_linear(problem.X, problem.y, published("vb_linear_fit_ard"));
  expect_invalid([&] { static_cast<void>(V_inverse(fit, problem.X.topRows(19))); }, {"19 x 3", "20 x 3"});
}

// With an intercept and standardised columns V is that of the coefficients in the user's units: variances of sums of them.
TEST(FullV, IsInTheUnitsOfTheUser) {
  Problem problem = make_problem(5, 40, 3);
  problem.X.col(1) = 100 + 20 * problem.X.col(1).array();
  const LogisticFit fit = fit_logistic(problem.X, problem.labels);
  const Matrix V = fit.V();
  EXPECT_LE(relative_distance(V.diagonal().head(3), fit.variance), 1e-12);
  EXPECT_LE(relative_distance(V(3, 3), fit.intercept->variance), 1e-10);
  Matrix rows(problem.X.rows(), 4);
  rows << problem.X, Vector::Ones(problem.X.rows());
  EXPECT_LE(relative_distance((rows * V).cwiseProduct(rows).rowwise().sum(), predict(fit, problem.X).variance), 1e-9);
}

TEST(ModelFromMoments, PredictsAsTheRegressionDoes) {  // (LIN.4)
  const Problem problem = make_problem(6, 25, 4);
  const LinearFit fit = fit_linear(problem.X, problem.y, published("vb_linear_fit"));
  const Matrix V = fit.V();
  const SavedModel model = model_from_moments({.mean = fit.mean, .V = V, .noise = fit.noise});
  const auto expected = predict(fit, problem.X);
  for (const SavedModel& m : {model, model_from_bytes(model_to_bytes(model))}) {
    const auto got = std::get<StudentPrediction>(predict(m, problem.X));
    EXPECT_LE(relative_distance(got.mean, expected.mean), 1e-12);
    EXPECT_LE(relative_distance(got.scale, expected.scale), 1e-12);
    EXPECT_EQ(got.degrees_of_freedom, expected.degrees_of_freedom);
  }
  EXPECT_LE(relative_distance(model.score()->variance, fit.variance), 1e-12);
}

TEST(ModelFromMoments, PredictsAsTheClassificationDoesByEveryRule) {  // (PRED.1), (PRED.2)
  for (const auto& [n, p] : {std::pair<Index, Index>{40, 3}, {10, 15}}) {
    const Problem problem = make_problem(7, n, p);
    const LogisticFit fit = fit_logistic(problem.X, problem.labels, published("vb_logit_fit"));
    const Matrix V = fit.V(), inverse = V_inverse(fit, problem.X);
    for (const char* rule : {"exact", "plug-in", "mackay", "published", "published-batch", "published-incremental"}) {
      ModelOptions options;
      options.rule = rule;
      SavedModel original;
      original.fit = fit;
      const auto expected = std::get<ClassPrediction>(predict(original, problem.X, options));
      const SavedModel with_inverse = model_from_moments({.mean = fit.mean, .V = V, .V_inverse = inverse}),
                       without = model_from_moments({.mean = fit.mean, .V = V});
      for (const SavedModel* model : {&with_inverse, &without})
        EXPECT_LE(relative_distance(std::get<ClassPrediction>(predict(*model, problem.X, options)).probability, expected.probability), 1e-9)
            << rule;
    }
  }
}

// Weights that are known, or known up to one direction: V has no Cholesky factor.
TEST(ModelFromMoments, TakesASingularV) {
  const Vector w = Eigen::Vector3d(1, -2, 0.5), u = Eigen::Vector3d(1, 1, 0);
  Random random(8);
  const Matrix X = random.normals(6, 3);
  for (const double scale : {0.0, 2.0}) {
    const Matrix V = scale * u * u.transpose();
    const auto got = std::get<ClassPrediction>(predict(model_from_moments({.mean = w, .V = V}), X));
    EXPECT_LE(relative_distance(got.mean, X * w), 1e-14);
    EXPECT_LE((got.variance - scale * (X * u).cwiseAbs2()).cwiseAbs().maxCoeff(), 1e-13);
  }
}

TEST(ModelFromMoments, RefusesWhatIsNoPosterior) {
  const Vector w = Vector::Ones(2);
  const Matrix good = Matrix::Identity(2, 2);
  Matrix bad = good;
  bad(0, 1) = 0.5;
  expect_invalid([&] { static_cast<void>(model_from_moments({.mean = w, .V = bad})); }, {"V is not symmetric", "(1, 2) is 0.5"});
  bad(1, 0) = 0.5, bad(0, 0) = -1;
  expect_invalid([&] { static_cast<void>(model_from_moments({.mean = w, .V = bad})); }, {"not a covariance", "negative"});
  bad(0, 0) = std::numeric_limits<double>::quiet_NaN();
  expect_invalid([&] { static_cast<void>(model_from_moments({.mean = w, .V = bad})); }, {"V", "NaN"});
  const Matrix other = Matrix::Identity(3, 3);
  expect_invalid([&] { static_cast<void>(model_from_moments({.mean = w, .V = other})); }, {"V is 3 x 3", "2 x 2"});
  expect_invalid([&] { static_cast<void>(model_from_moments({.mean = w, .V = good, .V_inverse = other})); }, {"V_inverse is 3 x 3"});
  expect_invalid([&] { static_cast<void>(model_from_moments({.mean = w, .V = good, .noise = {-1, 2}})); }, {"noise.shape", "-1"});
  ModelOptions names;
  names.class_names = {"a", "b", "c"};
  expect_invalid([&] { static_cast<void>(model_from_moments({.mean = w, .V = good}, names)); }, {"class_names", "3"});
}

}  // namespace
}  // namespace ardvark
