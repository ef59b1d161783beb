#include "engine/sweep.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "../support/solve.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "design/dense.hpp"
#include "engine/anderson.hpp"

namespace ardvark {
namespace {

using testing::Random;
using testing::relative_distance;

// ---- the bound never falls
// ----------------------------------------------------------------------------------------------------------------

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
  const bool usual = report.status == Status::converged || report.status == Status::max_sweeps;
  const bool numerical = report.status == Status::not_positive_definite || report.status == Status::bound_fell;
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
  if (report.status == Status::not_positive_definite) {
    EXPECT_TRUE(fit.mean.array().isNaN().all()) << text;
    return false;
  }
  EXPECT_TRUE(fit.mean.allFinite()) << text;
  EXPECT_TRUE(fit.V_diagonal.allFinite()) << text;
  EXPECT_TRUE(fit.sparse ? std::isnan(fit.log_det_V) : std::isfinite(fit.log_det_V)) << text;
  EXPECT_TRUE(fit.precision.allFinite() && (fit.precision.array() > 0).all()) << text << ": " << fit.precision.transpose();
  EXPECT_TRUE(fit.relevance.allFinite()) << text;
  const bool infinite_variance = fit.is_joint() && fit.noise.shape <= 1;
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

// 3000 problems of each kind, half of them linear and half logistic.
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

INSTANTIATE_TEST_SUITE_P(Sweep, BoundNeverFalls, ::testing::Range(0, 10));

RC_GTEST_PROP(Sweep, BoundNeverFallsOnArbitraryProblems, ()) {
  const auto seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint32_t>());
  const auto n = *rc::gen::inRange<Index>(1, 41), p = *rc::gen::inRange<Index>(1, 31);
  const bool logistic = *rc::gen::arbitrary<bool>();
  fit_hostile(seed, n, p, logistic, Columns::alike);
}

// ---- the gradient of the profiled bound (OPT.1)
// -------------------------------------------------------------------------------------------

struct Profile {
  Matrix X;
  Partition partition;
  Vector c0, d0;
  std::unique_ptr<Likelihood> likelihood;

  // The bound maximised over everything but E[alpha].
  double bound(PrecisionPrior& prior, const Vector& expected, Posterior& q) {
    prior.set_expected(expected);
    DenseDesign design(X, {});
    const std::unique_ptr<Solver> solver = make_primal({design, prior.partition(), likelihood->traits()});
    q = testing::sized_posterior(partition, X.rows());
    Rows rows;
    likelihood->start(rows);
    const int rounds = likelihood->traits().constant_rows ? 1 : 600;
    for (int round = 0; round < rounds; ++round) {
      Rows inside = rows;
      EXPECT_TRUE(testing::solve(*solver, likelihood->traits(), inside, prior.columns(), q));
      likelihood->update(q, rows);
    }
    return evaluate_bound(*likelihood, prior, q);
  }
};

void expect_gradient(Profile& profile, double tolerance) {
  PrecisionPrior prior(profile.partition, profile.c0, profile.d0);
  const Vector at = (Vector(2) << 0.8, 3.0).finished();
  Posterior q;
  profile.bound(prior, at, q);
  Vector gradient;
  prior.gradient(q, profile.likelihood->noise_precision(), gradient);
  for (Index g : {0, 1}) {
    const auto F = [&](double step) {
      Vector moved = at;
      moved[g] *= std::exp(step);
      Posterior ignored;
      return profile.bound(prior, moved, ignored);
    };
    const double h = 0.01, difference = (8 * (F(h) - F(-h)) - (F(2 * h) - F(-2 * h))) / (12 * h);
    EXPECT_NEAR(gradient[g], difference, tolerance) << g;
  }
}

TEST(Sweep, GradientIsThatOfTheProfiledBound) {  // (OPT.1) for LIN, JJ and VG, with groups, a fixed and a flat column
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Random random(seed);
    Profile profile;
    const testing::Problem problem = testing::make_problem(seed, 30, 5);
    profile.X = problem.X;
    profile.X.col(4).setOnes();
    Vector fixed = Vector::Zero(5);
    fixed[3] = 1.3;
    profile.partition = testing::make_partition({0, 1, 0, Partition::fixed, Partition::flat}, fixed);
    profile.c0 = random.normals(2).array().exp();
    profile.d0 = random.normals(2).array().exp();
    const Vector t = 0.5 * (problem.labels.array() + 1);
    profile.likelihood = std::make_unique<Gaussian>(problem.y, Vector(), 0.4, 0.9, 1, 4);
    expect_gradient(profile, 1e-8);
    profile.likelihood = make_logistic_bound(t, {});
    expect_gradient(profile, 1e-7);
    profile.likelihood = make_logistic_gaussian(t, {});
    expect_gradient(profile, 1e-7);
  }
}

TEST(Sweep, EndsWhereTheGradientVanishes) {  // (OPT.1) after convergence, for each likelihood, plain and accelerated
  const testing::Problem problem = testing::make_problem(81, 60, 4);
  const Vector t = 0.5 * (problem.labels.array() + 1);
  for (int which = 0; which < 3; ++which)
    for (bool accelerate : {false, true}) {
      std::unique_ptr<Likelihood> likelihood;
      if (which == 0) likelihood = std::make_unique<Gaussian>(problem.y, Vector(), 0.4, 0.9, 0, 4);
      if (which == 1) likelihood = make_logistic_bound(t, {});
      if (which == 2) likelihood = make_logistic_gaussian(t, {});
      DenseDesign design(problem.X, {});
      PrecisionPrior prior(testing::ard_partition(4), Vector::Constant(4, 0.5), Vector::Constant(4, 0.5));
      const std::unique_ptr<Solver> solver = make_primal({design, prior.partition(), likelihood->traits()});
      Posterior q = testing::sized_posterior(prior.partition(), 60);
      SweepSettings settings;
      settings.tolerance = 1e-13;
      settings.max_sweeps = 3000;
      settings.accelerate = accelerate;
      settings.num_rows = 60;
      const SweepOutcome outcome = sweep(*likelihood, prior, *solver, q, settings);
      EXPECT_EQ(outcome.status, Status::converged) << which << ": " << outcome.message;
      Vector gradient;
      prior.gradient(q, likelihood->noise_precision(), gradient);
      EXPECT_LE(gradient.cwiseAbs().maxCoeff(), 1e-4) << which << (accelerate ? ", accelerated" : "");
      EXPECT_EQ(outcome.a.size(), 4);
      EXPECT_EQ(outcome.bound_history.back(), outcome.bound);
    }
}

TEST(Sweep, AcceleratedAndPlainFitsEndAtTheSameBound) {  // (OPT.6), (OPT.7): one maximum, two routes
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const testing::Problem problem = testing::make_problem(seed, 80, 4);
    for (const Prior& prior : {Prior::shared(), Prior::groups({0, 0, 1, 1})})
      for (LogisticLikelihood likelihood : {LogisticLikelihood::gaussian, LogisticLikelihood::bound}) {
        FitOptions options;
        options.prior = prior;
        options.likelihood = likelihood;
        options.precision = {1, 1};
        options.tolerance = 1e-12;
        options.max_sweeps = 5000;
        FitOptions plain = options;
        plain.accelerate = false;
        EXPECT_NEAR(fit_linear(problem.X, problem.y, options).bound, fit_linear(problem.X, problem.y, plain).bound, 1e-7) << seed;
        EXPECT_NEAR(fit_logistic(problem.X, problem.labels, options).bound, fit_logistic(problem.X, problem.labels, plain).bound, 1e-7)
            << seed;
      }
  }
}

// ---- one column at a time (OPT.2), (OPT.3)
// ------------------------------------------------------------------------------------------------

// What depends on E = E[alpha_j] with the noise held: 1/2 ln E + 1/2 ln|V| - tau/2 (y'y - y'Xw) + c0 ln E - d0 E, by the whole inverse.
double single_column_bound(const Matrix& X, const Vector& y, Vector a, Index j, double E, double tau, double c0, double d0) {
  a[j] = E;
  const testing::PlainRidge plain = testing::plain_ridge(X, Vector::Ones(y.size()), y, a);
  return 0.5 * std::log(E) + 0.5 * plain.log_det_V + 0.5 * tau * y.dot(plain.m) + c0 * std::log(E) - d0 * E;
}

struct LeaveOneOut {
  double s, q;
};
LeaveOneOut leave_one_out(const testing::PlainRidge& plain, const Vector& a, Index j) {  // (OPT.2)
  return {1 / plain.V(j, j) - a[j], plain.w[j] / plain.V(j, j)};
}

TEST(Sweep, LeavesAColumnOutWithoutFittingAgain) {  // (OPT.2) against a fit without the column
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const Matrix X = random.normals(15, 5);
    const Vector y = random.normals(15), a = random.normals(5).array().exp();
    const testing::PlainRidge with = testing::plain_ridge(X, Vector::Ones(15), y, a);
    for (Index j = 0; j < 5; ++j) {
      std::vector<Index> others;
      for (Index k = 0; k < 5; ++k)
        if (k != j) others.push_back(k);
      const Matrix rest = X(Eigen::all, others);
      const testing::PlainRidge without = testing::plain_ridge(rest, Vector::Ones(15), y, a(others));
      const Vector x = X.col(j), Xx = rest.transpose() * x;
      const auto [s, q] = leave_one_out(with, a, j);
      EXPECT_LE(relative_distance(s, x.dot(x) - Xx.dot(without.V * Xx)), 1e-11);
      EXPECT_LE(relative_distance(q, x.dot(y - without.m)), 1e-11);
    }
  }
}

TEST(Sweep, BestSinglePrecisionMaximisesTheBound) {  // (OPT.3): the closed form and the cubic against a grid over ln E
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    const Matrix X = random.normals(20, 3);
    const Vector y = X.col(0) * random.uniform(0, 1) + random.normals(20), a = random.normals(3).array().exp();
    const double tau = random.scale(0.3, 3);
    const auto [s, q] = leave_one_out(testing::plain_ridge(X, Vector::Ones(20), y, a), a, 0);
    const auto improper = [&](double E) { return single_column_bound(X, y, a, 0, E, tau, 0, 0); };
    if (tau * q * q > 1.02 * s) {
      const double best = s * s / (tau * q * q - s);
      for (double step = -12; step <= 12; step += 0.25)
        EXPECT_LE(improper(best * std::exp(step)), improper(best) + 1e-11) << seed << " " << step;
    } else if (tau * q * q < s) {  // the bound rises towards an infinite precision
      for (double E = 0.1; E < 1e5; E *= 3) EXPECT_LE(improper(E), improper(3 * E) + 1e-11) << seed;
    }

    const double c0 = random.scale(1e-2, 2), d0 = random.scale(1e-3, 2);
    const auto proper = [&](double E) { return single_column_bound(X, y, a, 0, E, tau, c0, d0); };
    // The positive roots of 2 d0 E^3 + (4 d0 s - 2 c0) E^2 + (2 d0 s^2 + tau q^2 - s (1 + 4 c0)) E - (1 + 2 c0) s^2, by its companion
    // matrix.
    Matrix companion = Matrix::Zero(3, 3);
    companion(1, 0) = companion(2, 1) = 1;
    companion(0, 2) = (1 + 2 * c0) * s * s / (2 * d0);
    companion(1, 2) = -(2 * d0 * s * s + tau * q * q - s * (1 + 4 * c0)) / (2 * d0);
    companion(2, 2) = -(4 * d0 * s - 2 * c0) / (2 * d0);
    double highest = -std::numeric_limits<double>::infinity();
    for (const auto& root : companion.eigenvalues())
      if (std::abs(root.imag()) < 1e-9 * std::abs(root) && root.real() > 0) highest = std::max(highest, proper(root.real()));
    for (double E = 1e-5; E < 1e6; E *= 1.2) EXPECT_LE(proper(E), highest + 1e-10) << seed << " " << E;
  }
}

TEST(Sweep, JudgesRelevanceByTheSingleColumnRule) {  // (OPT.3) with a margin of two: keep where tau q^2 > 2 s
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    testing::Problem problem = testing::make_problem(seed, 60, 6);
    FitOptions options;
    options.prior = Prior::ard();
    options.intercept = options.standardize = false;
    options.accelerate = false;  // E[alpha] of the last sweep is the one inside V
    options.max_sweeps = 4000;
    options.tolerance = 1e-14;
    const LinearFit fit = fit_linear(problem.X, problem.y, options);
    const testing::PlainRidge plain = testing::plain_ridge(problem.X, Vector::Ones(60), problem.y, fit.precision);
    const double tau = fit.noise.mean();
    for (Index j = 0; j < 6; ++j) {
      const auto [s, q] = leave_one_out(plain, fit.precision, j);
      const double ratio = tau * q * q / s;
      if (std::abs(ratio - 2) > 0.05) {
        EXPECT_EQ(fit.relevant[static_cast<std::size_t>(j)], ratio > 2) << seed << " " << j << ": " << ratio;
      }
      EXPECT_NEAR(fit.relevance[j], 1 - fit.precision[j] * plain.V(j, j), 1e-3);
    }
  }
}

// ---- stopping
// -----------------------------------------------------------------------------------------------------------------------------

TEST(Sweep, StopsWhenTheCallbackSaysSo) {
  const testing::Problem problem = testing::make_problem(82, 50, 4);
  for (const char* preset : {"", "vb_logit_fit", "vb_linear_fit_ard"}) {
    FitOptions options;
    if (*preset != '\0') options = options_for_preset(preset);
    if (*preset == '\0') options.prior = Prior::ard();
    options.tolerance = 0;
    std::vector<Progress> seen;
    options.on_sweep = [&](const Progress& progress) {
      seen.push_back(progress);
      return progress.sweep < 3;
    };
    Fit fit;
    if (std::string(preset) == "vb_linear_fit_ard")
      fit = fit_linear(problem.X, problem.y, options);
    else
      fit = fit_logistic(problem.X, problem.labels, options);
    EXPECT_EQ(fit.report.status, Status::stopped_by_user) << preset;
    EXPECT_EQ(fit.report.sweeps, 3);
    ASSERT_EQ(seen.size(), 3U);
    for (int i = 0; i < 3; ++i) {
      const Progress& progress = seen[static_cast<std::size_t>(i)];
      EXPECT_EQ(progress.sweep, i + 1);
      EXPECT_GE(progress.elapsed_seconds, 0);
      EXPECT_TRUE(std::isfinite(progress.bound));
    }
    EXPECT_TRUE(fit.mean.allFinite()) << "what was found so far is kept";
  }
}

TEST(Sweep, SaysWhenItRanOutOfSweeps) {
  const testing::Problem problem = testing::make_problem(83, 50, 4);
  FitOptions options;
  options.max_sweeps = 2;
  options.tolerance = 0;
  const LogisticFit fit = fit_logistic(problem.X, problem.labels, options);
  EXPECT_EQ(fit.report.status, Status::max_sweeps);
  EXPECT_EQ(fit.report.sweeps, 2);
  EXPECT_NE(fit.report.message.find("2 sweeps"), std::string::npos) << fit.report.message;
}

TEST(Sweep, RemainingGainIsWhatIsLeft) {  // the stopping rule of models: within tolerance x rows of the end
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const testing::Problem problem = testing::make_problem(seed, 100, 6);
    for (LogisticLikelihood likelihood : {LogisticLikelihood::gaussian, LogisticLikelihood::bound}) {
      FitOptions options;
      options.prior = Prior::shared();
      options.likelihood = likelihood;
      options.tolerance = 1e-5;
      FitOptions to_the_end = options;
      to_the_end.tolerance = 1e-13;
      to_the_end.max_sweeps = 5000;
      const double stopped = fit_logistic(problem.X, problem.labels, options).bound,
                   end = fit_logistic(problem.X, problem.labels, to_the_end).bound;
      EXPECT_LE(end - stopped, 10 * 1e-5 * 100) << seed;
      EXPECT_GE(end - stopped, -1e-9) << seed;
    }
  }
}

// ---- Anderson (OPT.7)
// ---------------------------------------------------------------------------------------------------------------------

void next_point(Anderson& anderson, const Vector& x, const Vector& Gx, Vector& next) {
  const Vector weight = Vector::Ones(x.size());
  const auto call = [&](auto& object) {
    if constexpr (requires { object.extrapolate(x, Gx, weight, next); })
      object.extrapolate(x, Gx, weight, next);
    else
      object.extrapolate(x, Gx, next);
  };
  call(anderson);
}

TEST(Anderson, SolvesALinearFixedPointInFewSteps) {  // (OPT.7)
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Random random(seed);
    const Index size = 4;
    const Matrix Q = random.normals(size, size).householderQr().householderQ();
    const Vector rates = (Vector(4) << 0.99, 0.9, 0.5, -0.3).finished();
    const Matrix B = Q * rates.asDiagonal() * Q.transpose();
    const Vector c = random.normals(size), solution = (Matrix::Identity(size, size) - B).partialPivLu().solve(c);
    Anderson anderson(size, 5);
    Vector x = Vector::Zero(size), next(size), plain = x;
    for (int step = 0; step < 9; ++step) {
      next_point(anderson, x, B * x + c, next);
      x = next;
      plain = B * plain + c;
    }
    EXPECT_LE((x - solution).norm(), 1e-3 * (plain - solution).norm()) << seed;
    EXPECT_LE((x - solution).norm(), 1e-3 * solution.norm()) << seed;
  }
}

TEST(Anderson, TakesThePlainStepFirstAndAfterForgetting) {
  Anderson anderson(2, 3);
  const Vector x = Vector::Ones(2), Gx = (Vector(2) << 3, -1).finished();
  Vector next;
  next_point(anderson, x, Gx, next);
  EXPECT_EQ(next, Gx);
  next_point(anderson, Gx, Vector::Zero(2), next);
  EXPECT_NE(next, Vector(Vector::Zero(2)));
  anderson.forget();
  next_point(anderson, x, Gx, next);
  EXPECT_EQ(next, Gx);
}

TEST(Anderson, StaysFiniteAtTheFixedPoint) {
  Anderson anderson(3, 2);
  const Vector x = Vector::Ones(3);
  Vector next;
  for (int step = 0; step < 6; ++step) {
    next_point(anderson, x, x, next);
    EXPECT_LE((next - x).norm(), 1e-12);
  }
}

TEST(Anderson, SolvesAScalarFixedPointWithMoreMemoryThanEntries) {
  Anderson anderson(1, 5);
  Vector x = Vector::Zero(1), next;
  for (int step = 0; step < 4; ++step) {
    next_point(anderson, x, Vector(0.9 * x.array() + 1), next);
    x = next;
  }
  EXPECT_NEAR(x[0], 10, 1e-6);
}

}  // namespace
}  // namespace ardvark
