// What the toolbox calls R and gamma1, and what it tells of the way.
#include <gtest/gtest.h>

#include <cmath>

#include "../support/thrown.hpp"
#include "ardvark/model.hpp"
#include "ardvark/normalize.hpp"
#include "support/reference.hpp"

namespace ardvark {
namespace {

using testing::expect_invalid;
using testing::load_design;
using testing::load_vector;

ModelOptions published(const char* preset, bool compat) {
  ModelOptions options;
  options.set("preset", std::string(preset));
  options.set("compat", compat ? 1.0 : 0.0);
  options.set("standardize", 0.0);
  return options;
}

struct Data {
  Matrix X;
  Vector t;
};
Data data() {
  const Matrix X = load_design("syn_over").rightCols(9);
  return {in_units(X, column_units(X, ColumnCenter::each, ColumnScale::each)), load_vector("refs/syn_over/y_log.csv")};
}

// Of the mode: |x_j'(t - sigma)| = lambda where w_j is not 0, with its sign, and no larger elsewhere.
void expect_mode(const Data& d, const Vector& w, double lambda, double tolerance) {
  const Vector m = d.X * w;
  Vector residual(m.size());
  for (Index i = 0; i < m.size(); ++i) residual[i] = (d.t[i] > 0 ? 1 : 0) - 1 / (1 + std::exp(-m[i]));
  const Vector gradient = d.X.transpose() * residual;
  int kept = 0;
  for (Index j = 0; j < w.size(); ++j) {
    if (w[j] == 0) {
      EXPECT_LE(std::abs(gradient[j]), lambda * (1 + tolerance)) << j;
    } else {
      EXPECT_NEAR(gradient[j], std::copysign(lambda, w[j]), tolerance * lambda) << j;
      ++kept;
    }
  }
  EXPECT_GT(kept, 0);
}

TEST(ToolboxNames, Gamma1IsLambdaOrItsSquare) {  // (SLR.7)
  const Data d = data();
  for (const auto& [preset, compat, lambda] : {std::tuple{"l1_slr_lap", false, 2.0}, {"l1_slr_lap", true, 2.0}, {"l1_slr_c", false, 4.0}}) {
    ModelOptions options = published(preset, compat);
    options.set("intercept", 0.0);
    options.set("max_sweeps", 5000.0);
    options.set("toolbox_gamma1", 4.0);
    SCOPED_TRACE(std::string(preset) + (compat ? ", compat" : ""));
    expect_mode(d, fit_model(d.X, d.t, options).score()->standardized_mean, lambda, compat ? 1e-6 : 1e-8);
  }
}

TEST(ToolboxNames, PrecisionsOfTheModeAreWhereReweightingEnds) {  // (L1EM.1), (SLR.7)
  const Data d = data();
  ModelOptions options = published("l1_slr_lap", false);
  options.set("toolbox_gamma1", 9.0);
  options.set("max_sweeps", 100.0);
  options.set("record_every", 20.0);
  const Fit fit = *fit_model(d.X, d.t, options).score();
  ASSERT_EQ(fit.precision_history.rows(), 9);
  ASSERT_EQ(fit.precision_history.cols(), 6);
  EXPECT_TRUE((fit.precision_history.col(0).array() == 1).all());
  for (Index j = 0; j < 9; ++j) {
    const double w = fit.standardized_mean[j];
    if (w == 0)
      EXPECT_TRUE(std::isinf(fit.precision_history(j, 5))) << j;
    else
      EXPECT_NEAR(fit.precision_history(j, 5) * std::abs(w), 3, 1e-12) << j;
  }
}

TEST(ToolboxNames, RIsThatOfThePublishedKernel) {  // (SLR.6), (SLR.7)
  const Data d = data();
  for (const bool compat : {false, true}) {
    ModelOptions options = published("slr_rvm", compat);
    options.set("kernel", std::string("gaussian"));
    options.set("toolbox_R", 0.7);
    options.set("max_sweeps", 20.0);
    const RelevanceFit fit = *fit_model(d.X, d.t, options).relevance();
    Matrix value(1, 1);
    fit.kernel.evaluate(d.X.row(3), d.X.row(8), value);
    EXPECT_NEAR(value(0, 0), std::exp(-0.7 * (d.X.row(3) - d.X.row(8)).squaredNorm() / 9), 1e-14);
  }
}

TEST(ToolboxNames, AreRefusedWhereTheyMeanNothing) {
  const Data d = data();
  const auto refused = [&](const char* preset, std::vector<std::pair<const char*, ModelOptions::Value>> words,
                           std::initializer_list<const char*> pieces) {
    ModelOptions options = published(preset, false);
    for (const auto& [name, value] : words) options.set(name, value);
    expect_invalid([&] { static_cast<void>(fit_model(d.X, d.t, options)); }, pieces);
  };
  refused("slr_var", {{"toolbox_gamma1", 1.0}}, {"toolbox_gamma1", "l1_slr_c"});
  refused("l1_slr_c", {{"toolbox_gamma1", -1.0}}, {"toolbox_gamma1 is -1", "> 0"});
  refused("l1_slr_c", {{"toolbox_gamma1", 1.0}, {"lambda", 1.0}}, {"toolbox_gamma1", "lambda", "together"});
  refused("slr_var", {{"toolbox_R", 1.0}}, {"toolbox_R", "slr_rvm"});
  refused("slr_rvm", {{"toolbox_R", 1.0}}, {"toolbox_R", "kernel 'gaussian'"});
  refused("slr_rvm", {{"kernel", std::string("gaussian")}, {"toolbox_R", 0.0}}, {"toolbox_R is 0", "> 0"});
  refused("slr_rvm", {{"kernel", std::string("gaussian")}, {"toolbox_R", 1.0}, {"width", 1.0}}, {"toolbox_R", "width", "together"});
  refused("slr_rvm", {{"kernel", std::string("gaussian")}, {"toolbox_gamma1", 1.0}}, {"toolbox_gamma1", "cannot be used"});
}

}  // namespace
}  // namespace ardvark
