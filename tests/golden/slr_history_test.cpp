// The precisions on the way, of fits whose columns were brought to one size beforehand.
#include <gtest/gtest.h>

#include <cmath>

#include "../support/thrown.hpp"
#include "ardvark/model.hpp"
#include "ardvark/normalize.hpp"
#include "support/reference.hpp"

namespace ardvark {
namespace {

using testing::difference_to_largest;
using testing::expect_invalid;
using testing::load_design;
using testing::load_matrix;
using testing::load_vector;

ModelOptions published(const char* preset, int sweeps, bool compat = true) {
  ModelOptions options;
  options.set("preset", std::string(preset));
  options.set("compat", compat ? 1.0 : 0.0);
  options.set("standardize", 0.0);
  options.set("max_sweeps", static_cast<double>(sweeps));
  return options;
}

Matrix normalized(const Matrix& X) { return in_units(X, column_units(X, ColumnCenter::each, ColumnScale::each)); }

// The published program divides the columns itself; divided beforehand they give what it wrote down, and each column of the history is
// what a shorter fit ends with.
TEST(PrecisionHistory, HoldsWhatShorterFitsEndWith) {  // (SLR.1), (SLR.4)
  const Matrix X = normalized(load_design("syn_over").rightCols(9));
  const Vector y = load_vector("refs/syn_over/y_log.csv");
  for (const auto& [preset, program] : {std::pair{"slr_var", "slrvar"}, {"slr_lap", "slrlap"}, {"rlr_var", "rlrvar"}}) {
    ModelOptions options = published(preset, 300);
    options.set("record_every", 20.0);
    const Fit fit = *fit_model(X, y, options).score();
    const std::string at = std::string("refs/syn_over/slr_biclsfy_") + program;
    EXPECT_LE(difference_to_largest(fit.standardized_mean, load_vector(at + "__nlearn300/ww.csv")), 1e-8);
    const Matrix& history = fit.precision_history;
    ASSERT_EQ(history.cols(), 16);
    EXPECT_TRUE((history.col(0).array() == 1).all());
    EXPECT_EQ(history.col(15), fit.precision);
    const Vector after_20 = load_vector(at + "__nlearn20/alpha_last.csv");
    for (Index g = 0; g < after_20.size(); ++g) {
      if (after_20[g] < 1e6) {
        EXPECT_LE(std::abs(history(g, 1) / after_20[g] - 1), 1e-8) << preset << " " << g;
      }
    }
  }
}

TEST(PrecisionHistory, OfSeveralClassesIsClassAfterClass) {
  const Matrix X = normalized(load_matrix("refs/iris_multiclass/X.csv"));
  const Vector t = load_vector("refs/iris_multiclass/t.csv");
  for (const auto& [preset, program, rows] : {std::tuple{"smlr", "smlr", 15},
                                              {"rmlr", "rmlr", 1},
                                              {"slr_var_ovr", "slrvarovrm", 15},
                                              {"rlr_var_ovr", "rlrvarovrm", 3},
                                              {"slr_var_ovo", "slrvarovo", 15}}) {
    ModelOptions options = published(preset, 20);
    options.set("record_every", 5.0);
    const SoftmaxFit fit = *fit_model(X, t, options).softmax();
    const Matrix ww = load_matrix(std::string("refs/iris_multiclass/slr_muclsfy_") + program + "__nlearn20/ww.csv");
    EXPECT_LE((fit.standardized_mean - ww).cwiseAbs().maxCoeff() / ww.cwiseAbs().maxCoeff(), 1e-8) << preset;
    ASSERT_EQ(fit.precision_history.rows(), rows) << preset;
    ASSERT_EQ(fit.precision_history.cols(), 5) << preset;
    options.set("max_sweeps", 10.0);
    const SoftmaxFit half = *fit_model(X, t, options).softmax();
    EXPECT_EQ(fit.precision_history.leftCols(3), half.precision_history) << preset;
  }
}

// A fit that has converged stands still; with compat a program that has no column left goes on writing its start.
TEST(PrecisionHistory, GoesOnAsTheFitEnded) {
  const Matrix X = normalized(load_design("syn_over").rightCols(9));
  ModelOptions options = published("slr_var", 1000, false);
  options.set("record_every", 10.0);
  const Fit fit = *fit_model(X, load_vector("refs/syn_over/y_log.csv"), options).score();
  ASSERT_EQ(fit.report.status, Status::converged);
  ASSERT_LT(fit.report.sweeps, 900);
  for (Index k = 1 + fit.report.sweeps / 10; k <= 100; ++k) EXPECT_EQ(fit.precision_history.col(k), fit.precision_history.col(100));
}

TEST(ToolboxPreset, TakesWhatTheToolboxLetsItsUserChoose) {
  const Matrix X = normalized(load_design("syn_over").rightCols(9));
  const Vector y = load_vector("refs/syn_over/y_log.csv");
  ModelOptions options = published("slr_var", 50);
  options.set("intercept", 0.0);
  options.set("prune_at", 10.0);
  const Fit fit = *fit_model(X, y, options).score();
  EXPECT_FALSE(fit.intercept);
  EXPECT_EQ(fit.standardized_mean.size(), 9);
  for (Index j = 0; j < 9; ++j) EXPECT_EQ(fit.relevant[static_cast<std::size_t>(j)], fit.precision[j] < 10);
  ModelOptions no_pruning = published("rlr_var", 50, false);
  no_pruning.set("prune_at", 10.0);
  expect_invalid([&] { static_cast<void>(fit_model(X, y, no_pruning)); }, {"prune_at", "a preset fixes it"});
}

}  // namespace
}  // namespace ardvark
