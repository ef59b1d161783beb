// Against SparseBayes V2: the evidence reached is at least that of the published program.
#include <gtest/gtest.h>

#include <algorithm>

#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "core/special.hpp"
#include "design/dense.hpp"
#include "method/greedy/greedy.hpp"
#include "support/plain.hpp"
#include "support/random_problem.hpp"
#include "support/reference.hpp"

namespace ardvark::internal {
namespace {

using testing::load_design;
using testing::load_number;
using testing::load_vector;

struct Set {
  const char* name;
  bool bernoulli;
};

// What SparseBayes was given and what it found.
struct Reference {
  std::string folder;
  Matrix X;
  Vector target;
  double published;  // log evidence, every constant included

  Reference(const Set& set, bool free_bias)
      : folder(std::string("refs/") + set.name + (set.bernoulli ? "/sb2_bernoulli__" : "/sb2_gaussian__") +
               (free_bias ? "freebias/" : "plain/")),
        X(load_design(set.name)) {
    const std::string labels = set.name == std::string("synth_rbf") ? "synth" : set.name;
    target = load_vector(std::string("refs/") + labels + (set.bernoulli ? "/y_log.csv" : "/y_reg.csv"));
    if (set.bernoulli) target = 0.5 * (target.array() + 1);
    const Vector trace = load_vector(folder + "logml_trace.csv");
    published = trace[trace.size() - 1] - (set.bernoulli ? 0.0 : 0.5 * static_cast<double>(X.rows()) * ln_2pi);
  }
};

double fit_noise(const Fit& fit) { return fit.noise.rate / fit.noise.shape; }

class SparseBayes : public ::testing::TestWithParam<std::tuple<Set, bool>> {};

TEST_P(SparseBayes, EvidenceIsAtLeastThePublishedOne) {
  const auto [set, free_bias] = GetParam();
  const Reference reference(set, free_bias);
  const Matrix& X = reference.X;
  const double published = reference.published;
  GreedySettings settings;
  settings.likelihood = set.bernoulli ? GreedyLikelihood::bernoulli : GreedyLikelihood::gaussian;
  if (free_bias) settings.free_columns = {0};
  DenseDesign design(X, {});
  const GreedyOutcome fit = greedy(design, reference.target, settings);
  EXPECT_EQ(fit.status, Status::converged) << fit.message;
  EXPECT_GE(fit.log_evidence, published - 1e-6 * std::abs(published));
  // Another, higher maximum; or columns that are combinations of each other, of which either will do.
  if (fit.log_evidence > published + 1e-2 || set.name == std::string("syn_rankdef")) return;
  std::vector<Index> relevant;
  for (double column : load_vector(reference.folder + "relevant.csv")) relevant.push_back(static_cast<Index>(column) - 1);
  std::sort(relevant.begin(), relevant.end());
  EXPECT_EQ(fit.columns, relevant);
  if (!set.bernoulli) {
    EXPECT_NEAR(fit.noise_precision / load_number(reference.folder + "beta_noise.csv"), 1, 1e-4);
  }
}

TEST_P(SparseBayes, IsAPreset) {  // rvm_regression, rvm_classification
  const auto [set, free_bias] = GetParam();
  const Reference reference(set, free_bias);
  FitOptions options = options_for_preset(set.bernoulli ? "rvm_classification" : "rvm_regression");
  if (free_bias) options.prior.flat_columns = {0};
  const Matrix& X = reference.X;
  Fit fit;
  Vector scale;
  if (set.bernoulli) {
    const LogisticFit f = fit_logistic(X, reference.target, options);
    const ClassPrediction p = predict(f, X.topRows(5));
    EXPECT_EQ(p.probability, predict(f, X.topRows(5), PredictiveRule::exact).probability);
    scale = p.variance;
    fit = f;
  } else {
    const LinearFit f = fit_linear(X, reference.target, options);
    scale = predict(f, X.topRows(5)).scale.array().square() - fit_noise(f);  // (VR.4)
    fit = f;
  }
  EXPECT_GE(fit.bound, reference.published - 1e-6 * std::abs(reference.published));
  EXPECT_NEAR(fit.report.bound_history.back(), fit.bound, 1e-8 * std::abs(fit.bound));
  // Posterior and variances by brute force from the precisions alone.                                               (RIDGE.1), (RIDGE.2)
  std::vector<Index> columns;
  for (Index j = 0; j < X.cols(); ++j)
    if (fit.relevant[static_cast<std::size_t>(j)])
      columns.push_back(j);
    else
      EXPECT_TRUE(fit.mean[j] == 0 && fit.variance[j] == 0 && std::isinf(fit.precision[j]));
  const Matrix Phi = X(Eigen::all, columns);
  const Vector m = Phi * fit.mean(columns);
  Vector omega(X.rows()), r(X.rows());
  for (Index i = 0; i < X.rows(); ++i) {
    const double p = sigmoid(m[i]), tau = fit.noise.shape / fit.noise.rate;
    omega[i] = set.bernoulli ? p * (1 - p) : tau;
    r[i] = set.bernoulli ? omega[i] * m[i] + reference.target[i] - p : tau * reference.target[i];
  }
  const testing::PlainRidge plain = testing::plain_ridge(Phi, omega, r, fit.precision(columns));
  const double tolerance = set.name == std::string("synth_rbf") ? 1e-5 : 1e-7;  // neighbouring kernels: a condition number of 1e9
  EXPECT_LE(testing::relative_distance(fit.mean(columns), plain.w), tolerance);
  EXPECT_LE(testing::relative_distance(fit.covariance()(columns, columns), plain.V), tolerance);
  EXPECT_LE(testing::relative_distance(scale, (Phi.topRows(5) * plain.V * Phi.topRows(5).transpose()).diagonal()), tolerance);
  EXPECT_NEAR(fit.log_det_V, plain.log_det_V, tolerance * 100);
}

INSTANTIATE_TEST_SUITE_P(Sets, SparseBayes,
                         ::testing::Combine(::testing::Values(Set{"boston_std", false}, Set{"sinc_rbf", false}, Set{"syn_over", false},
                                                              Set{"syn_rankdef", false}, Set{"syn_tall", false}, Set{"syn_under", false},
                                                              Set{"pima_std", true}, Set{"syn_over", true}, Set{"syn_rankdef", true},
                                                              Set{"syn_tall", true}, Set{"synth_rbf", true}),
                                            ::testing::Bool()));

}  // namespace
}  // namespace ardvark::internal
