// The preset l1_slr_c with compat against biclsfy_l1slrc of the SLR toolbox, pass for pass (tests/data/README.md).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ardvark/logistic.hpp"
#include "posterior/state.hpp"
#include "support/reference.hpp"

namespace ardvark::internal {
namespace {

using testing::load_design;
using testing::load_matrix;
using testing::load_vector;

struct Case {
  const char* set;
  int sweeps;
};
std::string case_name(const ::testing::TestParamInfo<Case>& info) {
  return std::string(info.param.set) + "_" + std::to_string(info.param.sweeps);
}

// Without the ones and the columns of zeros, as the toolbox was given it.
Matrix features(const Matrix& X, const Matrix& training) {
  Matrix out(X.rows(), 0);
  for (Index j = 1; j < X.cols(); ++j) {
    if (training.col(j).isZero()) continue;
    out.conservativeResize(Eigen::NoChange, out.cols() + 1);
    out.col(out.cols() - 1) = X.col(j);
  }
  return out;
}

FitOptions exactly(int sweeps) {
  FitOptions options = options_for_preset("l1_slr_c", true);
  options.max_sweeps = sweeps;
  return options;
}

class L1Slr : public ::testing::TestWithParam<Case> {};

TEST_P(L1Slr, IsReproducedPassForPass) {  // (L1.9)
  const auto& [set, sweeps] = GetParam();
  const std::string folder = "refs/" + std::string(set) + "/", at = folder + "slr_biclsfy_l1slrc__nlearn" + std::to_string(sweeps) + "/";
  const Matrix whole = load_design(set), X = features(whole, whole), X_test = features(load_design(set, true), whole);
  const LogisticFit fit = fit_logistic(X, load_vector(folder + "y_log.csv"), exactly(sweeps));
  EXPECT_EQ(fit.report.sweeps, sweeps);
  const Vector ww = load_vector(at + "ww.csv");
  ASSERT_EQ(fit.state->w.size(), ww.size());
  EXPECT_LE((fit.state->w - ww).cwiseAbs().maxCoeff(), 1e-11 * ww.cwiseAbs().maxCoeff());
  std::vector<Index> survivors;
  for (Index j = 0; j < X.cols(); ++j)
    if (fit.relevant[static_cast<std::size_t>(j)]) survivors.push_back(j + 1);
  const Vector expected = load_vector(at + "ix_eff.csv");
  ASSERT_EQ(static_cast<Index>(survivors.size()), expected.size());
  for (Index i = 0; i < expected.size(); ++i) EXPECT_EQ(static_cast<double>(survivors[static_cast<std::size_t>(i)]), expected[i]);
  // Probabilities of both classes; the preset's own rule plugs the mode in.
  const Vector training = predict(fit, X).probability, test = predict(fit, X_test).probability;
  EXPECT_LE((training - load_matrix(at + "Ptr.csv").col(1)).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_LE((test - load_matrix(at + "Pte.csv").col(1)).cwiseAbs().maxCoeff(), 1e-11);
  // In the units of the caller they are the same function.
  const Vector m = (X_test * fit.mean).array() + fit.intercept->mean;
  EXPECT_LE((m - predict(fit, X_test).mean).cwiseAbs().maxCoeff(), 1e-10 * (1 + m.cwiseAbs().maxCoeff()));
}

TEST(L1SlrPreset, IsReproducedWithoutABias) {  // (L1.9)
  const Matrix whole = load_design("syn_over");
  FitOptions options = exactly(20);
  options.intercept = options.penalize_intercept = false;
  const LogisticFit fit = fit_logistic(features(whole, whole), load_vector("refs/syn_over/y_log.csv"), options);
  const Vector ww = load_vector("refs/syn_over/slr_biclsfy_l1slrc_usebias_0__nlearn20/ww.csv");
  EXPECT_FALSE(fit.intercept);
  ASSERT_EQ(fit.standardized_mean.size(), ww.size());
  EXPECT_LE((fit.standardized_mean - ww).cwiseAbs().maxCoeff(), 1e-11 * ww.cwiseAbs().maxCoeff());
}

INSTANTIATE_TEST_SUITE_P(Toolbox, L1Slr,
                         ::testing::Values(Case{"syn_over", 20}, Case{"syn_over", 300}, Case{"syn_rankdef", 20}, Case{"syn_rankdef", 300},
                                           Case{"syn_under", 20}, Case{"syn_under", 300}, Case{"synth", 20}, Case{"synth", 300}),
                         case_name);

}  // namespace
}  // namespace ardvark::internal
