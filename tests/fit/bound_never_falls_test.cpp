// The bound never falls: thousands of random problems, hostile ones among them, with random options.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "../support/random_problem.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"

namespace ardvark {
namespace {

using testing::Random;

// A small hostile problem: any scales, duplicated, constant and zero columns, labels that are nearly separable, weights with zeros.
struct Hostile {
  Matrix X;
  Vector y, labels, weights;
  std::string text;
};

Hostile make_hostile(Random& random, Index n, Index p) {
  Hostile h;
  h.X = random.normals(n, p);
  if (random.chance(0.3)) h.X = h.X.array().round();  // many ties
  for (Index j = 0; j < p; ++j) {
    if (random.chance(0.5)) h.X.col(j) *= random.scale(1e-3, 1e3);
    if (random.chance(0.2)) h.X.col(j).array() += random.normal() * random.scale(1e-3, 1e3);
    if (j > 0 && random.chance(0.08)) h.X.col(j) = h.X.col(random.integer(0, j - 1)) * random.uniform(-2, 2);
    if (random.chance(0.05)) h.X.col(j).setConstant(random.chance(0.5) ? 0 : random.normal());
  }
  Vector signal = Vector::Zero(n);
  for (Index j = 0; j < std::min<Index>(p, 3); ++j) {
    const double size = h.X.col(j).norm() / std::sqrt(static_cast<double>(n));
    if (size > 0) signal += h.X.col(j) * (random.normal() / size);
  }
  h.y = (signal + random.scale(1e-3, 10) * random.normals(n)) * random.scale(1e-3, 1e3);
  if (random.chance(0.2)) h.y.array() += 100 * random.normal();
  const double steepness = random.chance(0.3) ? 1e3 : random.scale(0.1, 10);  // 1e3: separable by a plane
  h.labels.resize(n);
  for (Index i = 0; i < n; ++i) h.labels[i] = random.uniform() < 1 / (1 + std::exp(-steepness * signal[i])) ? 1 : -1;
  if (n > 1 && (h.labels.array() == h.labels[0]).all()) h.labels[n - 1] = -h.labels[0];
  if (random.chance(0.4)) {
    h.weights.resize(n);
    for (double& k : h.weights)
      k = random.chance(0.2) ? 0 : random.chance(0.5) ? static_cast<double>(random.integer(1, 4)) : random.scale(0.3, 10);
    for (double sign : {-1.0, 1.0})  // a row of each class counts, and three rows in all
      for (Index i = 0; i < n; ++i)
        if (h.labels[i] == sign) {
          h.weights[i] = 1.5;
          break;
        }
    for (Index i = 0; i < std::min<Index>(n, 3); ++i) h.weights[i] = std::max(h.weights[i], 1.0);
  }
  return h;
}

// The classes overlap in column j, so that a flat coefficient has a finite best value. Beside other columns they must overlap twice.
bool overlaps(const Hostile& h, Index j) {
  std::vector<double> low, high;
  for (Index i = 0; i < h.X.rows(); ++i)
    if (h.weights.size() == 0 || h.weights[i] > 0) (h.labels[i] < 0 ? low : high).push_back(h.X(i, j));
  std::sort(low.begin(), low.end());
  std::sort(high.begin(), high.end());
  return low.size() > 2 && high.size() > 2 && low[low.size() - 2] > high[1] && high[high.size() - 2] > low[1];
}

Prior make_prior(Random& random, const Hostile& h, bool logistic, std::string& text) {
  const Index p = h.X.cols(), n = h.X.rows();
  Prior prior = Prior::shared();
  switch (random.integer(0, 3)) {
    case 0: text += ", shared"; break;
    case 1:
      prior = Prior::ard();
      text += ", ard";
      break;
    case 2: {
      std::vector<Index> group(static_cast<std::size_t>(p));
      for (Index& g : group) g = random.integer(0, std::min<Index>(p - 1, 3));
      prior = Prior::groups(group);
      text += ", groups";
      break;
    }
    default: prior = Prior::automatic(); text += ", automatic";
  }
  const Index j = random.integer(0, p - 1);
  const bool varies = (h.X.col(j).array() != h.X(0, j)).any();
  if (random.chance(0.25) && n >= 8 && varies && (!logistic || overlaps(h, j))) {
    prior = prior.flat({j});
    text += ", flat column " + std::to_string(j);
  } else if (random.chance(0.25)) {
    prior = prior.fixed({j}, random.scale(1e-2, 1e2));
    text += ", fixed column " + std::to_string(j);
  }
  return prior;
}

// True for a fit that went well. Numbers may end one on systems with condition numbers of 1e14 and more, as long as it says so and
// the history that it gives does not fall. That of a sparse fit of classes may, by little (SL.6).
bool expect_sound(const Fit& fit, const std::string& text) {
  const Report& report = fit.report;
  const bool usual = report.status == Status::converged || report.status == Status::max_sweeps || report.status == Status::separated;
  // Classes are separated with the coefficients of the last sweep, or with none where the system could not be factorised.
  const bool without_posterior =
      report.status == Status::not_positive_definite || (report.status == Status::separated && fit.mean.array().isNaN().all());
  const bool numerical = without_posterior || report.status == Status::bound_fell;
  EXPECT_TRUE(usual || numerical) << text << ": " << to_string(report.status) << ": " << report.message;
  EXPECT_EQ(static_cast<int>(report.bound_history.size()), report.sweeps) << text;
  const bool is_bound = !(fit.sparse && fit.task == Task::logistic);
  for (std::size_t i = 1; is_bound && i < report.bound_history.size(); ++i) {
    const double before = report.bound_history[i - 1], after = report.bound_history[i];
    if (!(after >= before - 1e-9 * (1 + std::abs(after)))) {
      ADD_FAILURE() << text << ": the bound fell by " << before - after << " in sweep " << i + 1 << " of " << report.sweeps << " (from "
                    << before << ")";
      break;
    }
  }
  EXPECT_TRUE(std::isfinite(fit.bound)) << text;
  if (without_posterior) {
    EXPECT_TRUE(fit.mean.array().isNaN().all()) << text;
    return false;
  }
  EXPECT_TRUE(fit.mean.allFinite()) << text;
  EXPECT_TRUE(fit.V_diagonal.allFinite()) << text;
  EXPECT_TRUE(fit.sparse ? std::isnan(fit.log_det_V) : std::isfinite(fit.log_det_V)) << text;
  EXPECT_TRUE(fit.precision.allFinite() && (fit.precision.array() > 0).all()) << text << ": " << fit.precision.transpose();
  EXPECT_TRUE(fit.relevance.allFinite()) << text;
  const bool infinite_variance = fit.degrees_of_freedom() <= 2;
  for (Index j = 0; j < fit.num_columns(); ++j) {
    const bool left_out = fit.left_out[static_cast<std::size_t>(j)];
    EXPECT_TRUE(left_out ? fit.variance[j] == 0 : fit.variance[j] > 0 && std::isfinite(fit.variance[j]) != infinite_variance)
        << text << ": variance " << fit.variance[j] << " of column " << j;
  }
  if (fit.intercept) {
    EXPECT_TRUE(std::isfinite(fit.intercept->mean)) << text;
    EXPECT_TRUE(fit.intercept->variance > 0 && std::isfinite(fit.intercept->variance) != infinite_variance)
        << text << ": " << fit.intercept->variance;
  }
  if (fit.task == Task::linear) {
    EXPECT_TRUE(fit.noise.shape > 0 && fit.noise.rate > 0 && std::isfinite(fit.noise.rate)) << text;
    EXPECT_LE(fit.r_squared, 1 + 1e-12) << text;
  } else {
    EXPECT_TRUE(std::isfinite(fit.log_loss) && fit.log_loss >= -1e-12) << text << ": log loss " << fit.log_loss;
    EXPECT_TRUE(fit.accuracy >= 0 && fit.accuracy <= 1 + 1e-12) << text << ": accuracy " << fit.accuracy;
  }
  return usual;
}

enum class Columns {
  alike,   // standardised, or of one size: any solver must manage
  unlike,  // left as they are, with scales from 1e-3 to 1e3 and offsets beside one another: condition numbers of 1e12 and more
};

// One random problem with random options. Two rows at least for two classes. True if the fit went well.
bool fit_hostile(std::uint64_t seed, Index n, Index p, bool logistic, Columns columns) {
  Random random(seed);
  if (logistic) n = std::max<Index>(n, 2);
  Hostile h = make_hostile(random, n, p);
  std::string text =
      "seed " + std::to_string(seed) + ", " + std::to_string(n) + " x " + std::to_string(p) + (logistic ? ", logistic" : ", linear");
  FitOptions options;
  options.max_sweeps = 60;
  if (random.chance(0.25)) {
    const char* presets[] = {"vb_linear_fit", "vb_linear_fit_ard", "vb_logit_fit", "vb_logit_fit_ard"};
    const std::string preset = presets[random.integer(0, 1) + (logistic ? 2 : 0)];
    options = options_for_preset(preset);
    options.max_sweeps = 60;
    text += ", preset " + preset;
  } else {
    if (h.weights.size() > 0) options.weights = h.weights;
    text += h.weights.size() > 0 ? ", weights" : "";
    options.prior = make_prior(random, h, logistic, text);
    options.accelerate = random.chance(0.6);
    options.intercept = random.chance(0.7);
    options.standardize = columns == Columns::alike && random.chance(0.7);
    options.likelihood = random.chance(0.5) ? LogisticLikelihood::gaussian : LogisticLikelihood::bound;
    if (random.chance(0.3)) options.precision = {random.scale(1e-6, 2), random.scale(1e-6, 2)};
    if (random.chance(0.3)) options.noise = {random.scale(1e-6, 2), random.scale(1e-6, 2)};
    text += options.accelerate ? ", accelerated" : "";
    text += options.intercept ? ", intercept" : "";
    text += options.standardize ? ", standardised" : "";
    text += logistic ? options.likelihood == LogisticLikelihood::bound ? ", JJ" : ", VG" : "";
  }
  if (columns == Columns::alike && !options.standardize) {
    const double scale = random.scale(1e-3, 1e3);
    for (Index j = 0; j < p; ++j) {
      const double spread = std::sqrt((h.X.col(j).array() - h.X.col(j).mean()).square().mean());
      if (spread > 1e-9 * h.X.col(j).cwiseAbs().maxCoeff()) h.X.col(j) = scale * ((h.X.col(j).array() - h.X.col(j).mean()) / spread + 0.3);
    }
  }
  const Index num_flat = static_cast<Index>(options.prior.flat_columns.size()) + (options.intercept ? 1 : 0);
  const SolverKind kinds[] = {SolverKind::automatic, SolverKind::primal, SolverKind::dual};
  options.solver = kinds[random.integer(0, num_flat < n ? 2 : 1)];
  text += std::string(", solver ") + to_string(options.solver);
  if (logistic) return expect_sound(fit_logistic(h.X, h.labels, options), text);
  return expect_sound(fit_linear(h.X, h.y, options), text);
}

// Parts of 300 problems of each kind, half of them linear and half logistic.
class BoundNeverFalls : public ::testing::TestWithParam<int> {};

void fit_many(int part, Columns columns) {
  Random sizes(static_cast<std::uint64_t>(part));
  int num_unusual = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const Index n = sizes.integer(1, 40), p = sizes.integer(1, 30);
    num_unusual += fit_hostile(1000 * static_cast<std::uint64_t>(part) + i, n, p, i % 2 == 0, columns) ? 0 : 1;
  }
  EXPECT_LE(num_unusual, columns == Columns::alike ? 3 : 9) << "of 300 problems";
}

TEST_P(BoundNeverFalls, OnColumnsOfOneSize) { fit_many(GetParam(), Columns::alike); }
TEST_P(BoundNeverFalls, OnColumnsOfUnlikeSizesLeftAsTheyAre) { fit_many(GetParam(), Columns::unlike); }

int num_parts() {
  const char* asked = std::getenv("ARDVARK_TEST_PARTS");  // 40 in scripts/check
  return asked ? std::atoi(asked) : 3;
}
INSTANTIATE_TEST_SUITE_P(Sweep, BoundNeverFalls, ::testing::Range(0, num_parts()));

RC_GTEST_PROP(Sweep, BoundNeverFallsOnArbitraryProblems, ()) {
  const auto seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint32_t>());
  const auto n = *rc::gen::inRange<Index>(1, 41), p = *rc::gen::inRange<Index>(1, 31);
  const bool logistic = *rc::gen::arbitrary<bool>();
  fit_hostile(seed, n, p, logistic, Columns::alike);
}

}  // namespace
}  // namespace ardvark
