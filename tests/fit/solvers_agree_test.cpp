// What a classification returns satisfies its equations, whatever the solver: tables of every shape, classes that can be separated
// included.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <string>
#include <vector>

#include "../io/temporary_file.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/model.hpp"
#include "ardvark/model_file.hpp"
#include "core/special.hpp"
#include "design/dense.hpp"
#include "likelihood/intercept_row.hpp"
#include "posterior/state.hpp"
#include "support/random_problem.hpp"

namespace ardvark::internal {
namespace {

using testing::Random;

struct Problem {
  std::uint64_t seed = 0;
  Matrix X;
  Vector labels, weights;
  FitOptions options;
};

// Often with more columns than rows, often separable; columns of any size, weights, groups.
Problem make_problem(std::uint64_t seed) {
  Random random(seed);
  Problem out;
  out.seed = seed;
  const Index p = random.integer(1, 40), n = random.integer(4, random.chance(0.5) ? 12 : 60);
  out.X = random.normals(n, p);
  if (random.chance(0.2)) out.X.col(0) *= 1e3;
  const Index used = random.integer(1, std::min<Index>(p, 3));
  const double strength = random.scale(0.3, 30), noise = random.chance(0.4) ? 0.0 : 1.0;
  out.labels.resize(n);
  for (Index i = 0; i < n; ++i) {
    const double u = random.uniform(0.001, 0.999);
    const double score = strength * out.X.row(i).head(used).sum() + noise * std::log(u / (1 - u));
    out.labels[i] = score > 0 ? 1 : 0;
  }
  out.labels[0] = 0;
  out.labels[1] = 1;
  FitOptions& o = out.options;
  o.intervals = Intervals::gaussian;  // the marginals of a posterior have tests of their own, and take longer than it
  const Index prior = random.integer(0, 2);
  if (prior == 0) o.prior = Prior::shared();
  if (prior == 1) o.prior = Prior::ard();
  if (prior == 2) {
    std::vector<Index> group;
    for (Index j = 0; j < p; ++j) group.push_back(j / 3);
    o.prior = Prior::groups(group);
  }
  if (random.chance(0.3)) {
    out.weights.resize(n);
    for (double& k : out.weights) k = static_cast<double>(random.integer(1, 3));
  }
  if (random.chance(0.2)) o.precision = {1, 1};
  if (random.chance(0.2)) o.intercept = false;
  return out;
}

LogisticFit fit_by(const Problem& problem, SolverKind solver) {
  FitOptions options = problem.options;
  options.solver = solver;
  if (problem.weights.size() > 0) options.weights = problem.weights;
  return fit_logistic(problem.X, problem.labels, options);
}

bool is_finite(const LogisticFit& fit) { return fit.mean.allFinite() && fit.variance.allFinite(); }

// The largest difference of two means, in posterior standard deviations.
double mean_distance(const LogisticFit& a, const LogisticFit& b) {
  double most = 0;
  for (Index j = 0; j < a.mean.size(); ++j)
    if (a.variance[j] > 0) most = std::max(most, std::abs(a.mean[j] - b.mean[j]) / std::sqrt(a.variance[j]));
  return most;
}

constexpr SolverKind solvers[] = {SolverKind::primal, SolverKind::dual, SolverKind::qr};

TEST(SolversAgree, OnTheMeansOfClassifications) {
  int num_compared = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Problem problem = make_problem(seed);
    const LogisticFit primal = fit_by(problem, SolverKind::primal);
    for (const SolverKind kind : {SolverKind::dual, SolverKind::qr}) {
      const LogisticFit other = fit_by(problem, kind);
      ASSERT_EQ(is_finite(primal), is_finite(other)) << "seed " << seed << " " << to_string(kind);
      // Precisions may end at another maximum, by a step that rounding decided.
      if (primal.report.status != Status::converged || std::abs(primal.bound - other.bound) > 1e-7 * (1 + std::abs(primal.bound))) continue;
      ++num_compared;
      // What is allowed to be left to gain, as a distance; along a precision that the data hardly determine the mean goes farther.
      const double allowed = (problem.X.cols() > problem.X.rows() ? 1e-4 : 1e-8) * problem.labels.size();
      EXPECT_LE(mean_distance(primal, other), 0.01 + 3 * std::sqrt(2 * allowed)) << "seed " << seed << " " << to_string(kind);
      EXPECT_NEAR(primal.log_loss, other.log_loss, 3 * std::sqrt(2 * allowed)) << "seed " << seed << " " << to_string(kind);
    }
  }
  EXPECT_GE(num_compared, 100) << "many fits can be compared";
}

// The design, and the row of means that stands for the prior of an intercept.                                                   (SP.20)
struct Rows {
  Matrix Z;
  Vector t, k;

  Rows(const Problem& problem, const internal::FitState& state) {
    DenseDesign design(problem.X, state.standardization);
    const Index n = design.rows(), more = state.standardization.intercept ? 1 : 0;
    Matrix own(n, design.cols());
    design.columns(0, design.cols(), own);
    Z.resize(n + more, own.cols());
    t.resize(n + more);
    k = Vector::Ones(n + more);
    if (problem.weights.size() > 0) k.head(n) = problem.weights;
    Z.topRows(n) = own;
    t.head(n) = problem.labels;
    if (more == 0) return;
    Z.row(n) = k.head(n).transpose() * own / k.head(n).sum();
    t[n] = 0.5;
  }
};

// V^-1 = A + X' diag(omega) X and V^-1 w = X'r have the solution that was returned: of w, by the gradient of the bound.  (RIDGE.1), (VG.1)
TEST(SolversAgree, ReturnedPosteriorsSatisfyTheirEquations) {
  int num_checked = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Problem problem = make_problem(seed);
    for (const SolverKind kind : solvers) {
      const LogisticFit fit = fit_by(problem, kind);
      if (fit.report.status != Status::converged) continue;
      ++num_checked;
      const internal::FitState& state = *fit.state;
      const auto [Z, t, k] = Rows(problem, state);
      const Matrix precision = Matrix(state.a.asDiagonal()) + Z.transpose() * state.omega.asDiagonal() * Z;
      const Matrix V = state.factor.covariance(Z.cols());
      EXPECT_LE((V * precision - Matrix::Identity(V.rows(), V.cols())).cwiseAbs().maxCoeff(), 1e-4)
          << "seed " << seed << " " << to_string(kind);
      const Vector m = Z * state.w;
      Vector gradient = -state.a.cwiseProduct(state.w), rows(m.size());
      const Vector s = (Z * V).cwiseProduct(Z).rowwise().sum();
      const Index last = m.size() - 1;
      double moved = 0;
      for (Index i = 0; i < m.size(); ++i) {
        const double c = state.proper_intercept && i == last ? intercept_row(m[i], s[i]).narrowing : 1;
        const LogisticExpectation e = expected_logistic(c * m[i], c * c * s[i]);
        rows[i] = k[i] * c * (t[i] - e.sigma);
        moved = std::max(moved, std::abs(k[i] * c * c * e.slope - state.omega[i]) * s[i]);
      }
      gradient += Z.transpose() * rows;
      const double allowed = (problem.X.cols() > problem.X.rows() ? 1e-4 : 1e-8) * problem.labels.size();
      EXPECT_LE(std::sqrt(gradient.dot(V * gradient)), 3 * std::sqrt(2 * allowed))
          << "a Newton step, seed " << seed << " " << to_string(kind);
      // q(alpha): half the slope of the bound times the step that is left.                                        (JJ.4), (OPT.1)
      const double a0 = problem.options.precision.shape, b0 = problem.options.precision.rate;
      Vector size = Vector::Zero(fit.precision.size()), square = size;
      for (Index j = 0; j < fit.mean.size(); ++j) {
        const Index g = fit.group[static_cast<std::size_t>(j)];
        if (g < 0) continue;
        size[g] += 1;
        square[g] += state.w[j] * state.w[j] + V(j, j);
      }
      double promised = 0;
      for (Index g = 0; g < size.size(); ++g) {
        const double alpha = fit.precision[g], next = (a0 + size[g] / 2) / (b0 + square[g] / 2);
        promised += 0.5 * std::log(next / alpha) * (size[g] / 2 - alpha * square[g] / 2 + a0 - b0 * alpha);
      }
      EXPECT_LE(promised, 3 * allowed) << "the precisions, seed " << seed << " " << to_string(kind);
      EXPECT_LE(moved, 10 * std::sqrt(2 * allowed)) << "the rows inside V, seed " << seed << " " << to_string(kind);
    }
  }
  EXPECT_GE(num_checked, 150);
}

// The log loss of the report is that of predict on the training rows, from memory and from a file.
TEST(SolversAgree, TheReportedLogLossIsThatOfPredictions) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Problem problem = make_problem(seed);
    for (const SolverKind kind : solvers) {
      const LogisticFit fit = fit_by(problem, kind);
      if (!is_finite(fit)) continue;
      SavedModel model;
      model.fit = fit;
      const testing::TemporaryFolder folder;
      save_model(folder / "m.ardvark", fit);
      const SavedModel read = load_model(folder / "m.ardvark");
      for (const SavedModel* from : std::initializer_list<const SavedModel*>{&model, &read}) {
        const Vector density = log_density(predict(*from, problem.X), problem.labels);
        const Vector k = problem.weights.size() > 0 ? problem.weights : Vector::Ones(density.size());
        EXPECT_NEAR(-k.dot(density) / k.sum(), fit.log_loss, (fit.report.status == Status::separated ? 1e-3 : 1e-6) * (1 + fit.log_loss))
            << "seed " << seed << " " << to_string(kind) << " " << to_string(fit.report.status) << (from == &read ? ", from a file" : "");
      }
    }
  }
}

// The same of the models that no sweep makes.
TEST(SolversAgree, TheReportedLogLossIsThatOfPredictionsOfOtherModels) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Problem problem = make_problem(seed);
    for (const std::string kind : {"sparse", "dense", "slab", "laplace", "rvm", "softmax", "softmax ard", "one against the rest"}) {
      ModelOptions options;
      options.model = kind == "rvm" ? "rvm" : "logistic";
      if (kind == "rvm") options.task = "classification", options.width = "1";
      if (kind == "laplace") options.lambda = 1;
      const bool rest = kind == "one against the rest", several = rest || kind.starts_with("softmax");
      if (rest) options.coding = "one-against-rest";
      options.prior = kind == "rvm" ? "auto" : kind == "softmax" ? "shared" : kind == "softmax ard" || rest ? "ard" : kind;
      if (several && problem.labels.size() < 12) continue;
      Vector labels = problem.labels;
      if (several)
        for (Index i = 2; i < labels.size(); i += 3) labels[i] = 2;
      const SavedModel model = fit_model(problem.X, labels, options);
      // Files of sparse posteriors: tests/io.
      const SavedModel read = kind == "sparse" || kind == "slab" ? model : model_from_bytes(model_to_bytes(model));
      const double said = model.relevance() ? model.relevance()->log_loss
                          : model.softmax() ? model.softmax()->log_loss
                                            : model.score()->log_loss;
      for (const SavedModel* from : std::initializer_list<const SavedModel*>{&model, &read})
        EXPECT_NEAR(-log_density(predict(*from, problem.X), labels).mean(), said, 1e-6 * (1 + said))
            << "seed " << seed << " " << kind << " " << to_string(report_of(model).status) << (from == &read ? ", from a file" : "");
    }
  }
}

// A column without a prior that separates the classes: the bound has no maximum. With a proper intercept alone it has one.  (VG.5), (SP.20)
TEST(SolversAgree, CoefficientsThatGrowWithoutEndAreSaidToBeSeparated) {
  Random random(5);
  const Matrix X = random.normals(12, 4);
  Vector labels(12);
  for (Index i = 0; i < 12; ++i) labels[i] = X(i, 0) > 0 ? 1 : 0;
  FitOptions options;
  options.prior = Prior::ard();
  for (const SolverKind kind : solvers) {
    options.solver = kind;
    options.prior = Prior::ard().flat({0});
    const LogisticFit fit = fit_logistic(X, labels, options);
    EXPECT_EQ(fit.report.status, Status::separated) << to_string(kind) << ": " << fit.report.message;
    ASSERT_FALSE(fit.report.warnings.empty());
    EXPECT_NE(fit.report.warnings[0].find("can be separated"), std::string::npos);
    for (const Prior& prior : {Prior::ard(), Prior::shared()}) {
      options.prior = prior;
      const LogisticFit held = fit_logistic(X, labels, options);
      EXPECT_EQ(held.report.status, Status::converged) << to_string(kind) << ": " << held.report.message;
      EXPECT_LT(held.bound, 0) << "a log probability";
    }
  }
}

}  // namespace
}  // namespace ardvark::internal
