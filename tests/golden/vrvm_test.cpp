// The presets vrvm_regression and vrvm_classification against an independent implementation of the corrected equations of Bishop and
// Tipping (2000), sweep for sweep (tests/data/README.md).
#include <gtest/gtest.h>

#include <string>

#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "support/reference.hpp"

namespace ardvark {
namespace {

using testing::difference_to_largest;
using testing::load_design;
using testing::load_matrix;
using testing::load_number;
using testing::load_vector;
using testing::relative_difference;

struct Case {
  const char* set;
  int sweeps;
};
std::string case_name(const ::testing::TestParamInfo<Case>& info) {
  return std::string(info.param.set) + "_" + std::to_string(info.param.sweeps);
}

FitOptions exactly(const char* preset, int sweeps) {
  FitOptions options = options_for_preset(preset);
  options.tolerance = 0;
  options.max_sweeps = sweeps;
  return options;
}

void expect_rising(const Fit& fit) {
  for (std::size_t i = 1; i < fit.report.bound_history.size(); ++i)
    EXPECT_GE(fit.report.bound_history[i], fit.report.bound_history[i - 1] - 1e-11 * std::abs(fit.bound)) << "sweep " << i + 1;
}

class VrvmRegression : public ::testing::TestWithParam<Case> {};

TEST_P(VrvmRegression, IsReproducedSweepForSweep) {  // (VR.1) to (VR.3)
  const auto& [set, sweeps] = GetParam();
  const std::string at = "refs/" + std::string(set) + "/own_vrvm_regression__its" + std::to_string(sweeps) + "/";
  const Matrix X = load_design(set);
  const LinearFit fit = fit_linear(X, load_vector("refs/" + std::string(set) + "/y_reg.csv"), exactly("vrvm_regression", sweeps));
  EXPECT_EQ(fit.report.sweeps, sweeps);
  EXPECT_EQ(fit.posterior, LinearPosterior::factorised);
  // The first sweeps on sinc have a condition number of 1e8, and the reference lost digits there: its mu after one sweep is 5.9e-9 from
  // that of 40-digit arithmetic (mpmath), which the file mu_40_digits has.
  const bool rounded = std::string(set) == "sinc_rbf" && sweeps <= 5;
  const double tolerance = rounded ? 1e-8 : 1e-9;
  if (testing::has_data(at + "mu_40_digits.csv")) {
    EXPECT_LE(difference_to_largest(fit.mean, load_vector(at + "mu_40_digits.csv")), 1e-9);
  }
  EXPECT_LE(difference_to_largest(fit.mean, load_vector(at + "mu.csv")), tolerance);
  EXPECT_LE(relative_difference(fit.variance, load_vector(at + "Sdiag.csv")), tolerance);
  EXPECT_LE(relative_difference(fit.V_diagonal, load_vector(at + "Sdiag.csv")), tolerance);
  const Vector precision = (1e-6 + 0.5) * load_vector(at + "b_tilde.csv").cwiseInverse();
  EXPECT_LE(relative_difference(fit.precision, precision), tolerance);
  const Matrix noise = load_matrix(at + "c_d_tilde.csv");
  EXPECT_LE(relative_difference(fit.noise.shape, noise(0, 0)), 1e-9);
  EXPECT_LE(relative_difference(fit.noise.rate, noise(0, 1)), 1e-9);
  EXPECT_LE(relative_difference(fit.bound, load_number(at + "L.csv")), 1e-9);
  expect_rising(fit);

  // N(phi'mu, 1/E[tau] + phi'S phi)                                                                                           (VR.4)
  const StudentPrediction p = predict(fit, X.topRows(3));
  EXPECT_TRUE(std::isinf(p.degrees_of_freedom));
  EXPECT_LE(relative_difference(p.mean, X.topRows(3) * fit.mean), 1e-9);
  const Matrix V = fit.covariance();
  for (Index i = 0; i < 3; ++i)
    EXPECT_NEAR(p.scale[i] * p.scale[i], noise(0, 1) / noise(0, 0) + X.row(i) * V * X.row(i).transpose(), 1e-9 * p.scale[i]);
}
INSTANTIATE_TEST_SUITE_P(References, VrvmRegression,
                         ::testing::Values(Case{"boston_std", 1}, Case{"boston_std", 5}, Case{"boston_std", 50}, Case{"boston_std", 500},
                                           Case{"syn_over", 1}, Case{"syn_over", 5}, Case{"syn_over", 50}, Case{"syn_over", 500},
                                           Case{"sinc_rbf", 1}, Case{"sinc_rbf", 5}, Case{"sinc_rbf", 50}, Case{"sinc_rbf", 500}),
                         case_name);

class VrvmClassification : public ::testing::TestWithParam<Case> {};

TEST_P(VrvmClassification, IsReproducedSweepForSweep) {  // (JJ.3) to (JJ.5), hyper-priors 1e-6
  const auto& [set, sweeps] = GetParam();
  const std::string at = "refs/" + std::string(set) + "/own_vrvm_classification__its" + std::to_string(sweeps) + "/";
  const LogisticFit fit =
      fit_logistic(load_design(set), load_vector("refs/" + std::string(set) + "/y_log.csv"), exactly("vrvm_classification", sweeps));
  EXPECT_EQ(fit.report.sweeps, sweeps);
  EXPECT_LE(difference_to_largest(fit.mean, load_vector(at + "w.csv")), 1e-9);
  EXPECT_LE(relative_difference(fit.V_diagonal, load_vector(at + "Vdiag.csv")), 1e-9);
  EXPECT_LE(relative_difference(fit.precision, load_vector(at + "E_a.csv")), 1e-9);
  EXPECT_LE(relative_difference(fit.bound, load_number(at + "L.csv")), 1e-9);
  expect_rising(fit);
}
INSTANTIATE_TEST_SUITE_P(References, VrvmClassification,
                         ::testing::Values(Case{"pima_std", 5}, Case{"pima_std", 50}, Case{"synth", 5}, Case{"synth", 50}), case_name);

}  // namespace
}  // namespace ardvark
