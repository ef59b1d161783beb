// Several models of one table, by their evidence.
#include "ardvark/compare.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>

#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "ardvark/kernel_machine.hpp"
#include "core/special.hpp"

namespace ardvark::internal {
namespace {

using testing::expect_invalid;
using testing::Random;

struct Data {
  Matrix X, X_new;
  Vector y, y_new;
};

// num_effects normal effects; they explain `snr` times the noise (sd 1). Each column follows the one before with this correlation.
Data make_data(Index n, Index p, Index num_effects, double snr, unsigned seed, double correlation = 0) {
  Random random(seed);
  Data d{random.normals(n, p), random.normals(1000, p), {}, {}};
  for (Matrix* X : {&d.X, &d.X_new})
    for (Index j = 1; j < p; ++j) X->col(j) = correlation * X->col(j - 1) + std::sqrt(1 - correlation * correlation) * X->col(j);
  Vector w = Vector::Zero(p);
  const std::vector<Index> order = random.permutation(p);
  for (Index j = 0; j < num_effects; ++j) w[order[static_cast<std::size_t>(j)]] = random.normal();
  const Vector signal = d.X_new * w;
  w *= std::sqrt(snr) / std::sqrt((signal.array() - signal.mean()).square().mean());
  d.y = d.X * w + random.normals(n);
  d.y_new = d.X_new * w + random.normals(1000);
  return d;
}

const ComparedModel& named(const Comparison& comparison, const std::string& name) {
  for (const ComparedModel& model : comparison.models)
    if (model.name == name) return model;
  throw std::logic_error("no model " + name);
}

Vector test_log_densities(const Data& d, ModelOptions options) {
  options.keep_covariance = "always";
  return log_density(predict(fit_model(d.X, d.y, options), d.X_new), d.y_new);
}

TEST(Compare, AppliesGroupsToThePriorsThatHaveThem) {
  const Data d = make_data(60, 6, 3, 2, 7);
  ComparisonOptions all;
  all.priors = {"shared", "sparse"};
  all.kernels = {"gaussian"};
  const std::vector<double> groups = {0, 0, 1, 1, 2, 2};
  all.model.set("group", groups);  // as a caller names it
  const Comparison comparison = compare_models(d.X, d.y, all);
  for (const char* prior : {"shared", "sparse"}) {
    ModelOptions options;
    options.model = "linear";
    options.prior = prior;
    options.given.insert("prior");
    if (std::string_view(prior) == "sparse") options.set("group", groups);
    EXPECT_EQ(named(comparison, prior).bound, fit_model(d.X, d.y, options).score()->bound) << prior;
  }
}

TEST(Compare, LeavesOutRowsWithGaps) {
  Data d = make_data(60, 6, 3, 2, 8);
  const Matrix X = d.X.bottomRows(57);
  const Vector y = d.y.tail(57);
  const Comparison whole = compare_models(X, y, {});
  d.X(0, 2) = d.X(1, 2) = d.y[2] = std::numeric_limits<double>::quiet_NaN();
  ComparisonOptions all;
  expect_invalid([&] { (void)compare_models(d.X, d.y, all); },
                 {"X at row 1, column 'x3' is NaN", "if the value is missing: missing 'drop' leaves such rows out"});
  all.model.missing = "drop";
  const Comparison dropped = compare_models(d.X, d.y, all);
  ASSERT_EQ(dropped.models.size(), whole.models.size());
  for (const ComparedModel& model : whole.models) EXPECT_EQ(named(dropped, model.name).bound, model.bound) << model.name;
  EXPECT_EQ(dropped.num_rows, 57);
  EXPECT_EQ(dropped.notes, (std::vector<std::string>{"3 rows were dropped because a value was missing; most gaps are in column 'x3' (2)"}));
}

TEST(Compare, RanksTheBoundsOfTheSingleFits) {
  const Data d = make_data(120, 60, 4, 2, 1);
  ComparisonOptions all;
  EXPECT_EQ(all.priors, (std::vector<std::string>{"shared", "ard", "dense", "sparse"}));
  all.priors.push_back("slab");
  const Comparison comparison = compare_models(d.X, d.y, all);
  ASSERT_EQ(comparison.models.size(), 5u);
  EXPECT_EQ(comparison.status, Status::converged);
  for (const ComparedModel& model : comparison.models) {
    ModelOptions options{.model = "linear"};
    options.prior = model.name;
    const SavedModel alone = fit_model(d.X, d.y, options);
    EXPECT_EQ(model.bound, alone.score()->bound) << model.name;
    EXPECT_EQ(model.effective_parameters, alone.score()->effective_parameters);
    EXPECT_EQ(model.noise_sd, noise_sd(*alone.score()));
    EXPECT_EQ(model.comparable, model.name != "ard");
    EXPECT_EQ(model.probable_effects.has_value(), model.name == "sparse" || model.name == "slab");
    if (model.probable_effects) {  // as the summary counts them
      Index kept = 0;
      for (Index j = 0; j < 60; ++j) kept += alone.score()->relevant[static_cast<std::size_t>(j)];
      EXPECT_EQ(*model.probable_effects, kept);
      EXPECT_NE(summary(alone).find(fmt::format("{} of 60 kept (", kept)), std::string::npos) << summary(alone);
    }
    const bool at_their_values = model.name != "shared" && model.name != "ard";
    EXPECT_EQ(model.evidence == model.bound, at_their_values) << model.name;
  }
  for (std::size_t i = 0; i + 1 < 4; ++i) EXPECT_GE(comparison.models[i].evidence, comparison.models[i + 1].evidence);
  EXPECT_EQ(comparison.models.back().name, "ard");
  EXPECT_TRUE(std::isnan(comparison.models.back().difference));
  EXPECT_EQ(comparison.best()->difference, 0);
  EXPECT_TRUE(comparison.best()->name == "slab" || comparison.best()->name == "sparse");  // four effects of sixty
  EXPECT_LT(named(comparison, "dense").difference, -5);
}

// (CMP.1) by the density of y: N(0, s2 (I + XX'/alpha)), and what the hyper-priors say of alpha and 1/s2 beside their peaks.
TEST(Compare, OfASharedPriorTheEvidenceAtItsHyperparameters) {
  const Data d = make_data(60, 25, 25, 2, 3);
  ComparisonOptions options;
  options.model.intercept = options.model.standardize = false;
  options.priors = {"shared", "dense"};
  const Comparison comparison = compare_models(d.X, d.y, options);
  ModelOptions shared = options.model;
  shared.prior = "shared";
  const Fit fit = *fit_model(d.X, d.y, shared).score();
  const double alpha = fit.precision[0], tau = fit.noise.mean();
  const Matrix C = (Matrix::Identity(60, 60) + d.X * d.X.transpose() / alpha) / tau;
  const Eigen::LLT<Matrix> llt(C);
  const double density = -0.5 * (60 * std::log(2 * M_PI) + 2 * llt.matrixLLT().diagonal().array().log().sum() + d.y.dot(llt.solve(d.y)));
  const auto beside_peak = [](GammaDistribution g, double x) { return g.shape * std::log(x / g.mean()) - g.rate * x + g.shape; };
  const GammaDistribution noise = {1e-2, 1e-10 * d.y.squaredNorm() / 60};  // (LIN.8)
  const double expected = density + beside_peak(FitOptions().precision, alpha) + beside_peak(noise, tau);
  EXPECT_NEAR(named(comparison, "shared").evidence, expected, 1e-6);
  EXPECT_NEAR(named(comparison, "shared").evidence, named(comparison, "dense").evidence, 1);  // one ridge, two penalties
}

TEST(Compare, OfASharedPriorAndADenseOneOfClassesToo) {
  Data d = make_data(150, 20, 20, 3, 5);
  for (double& y : d.y) y = y > 0 ? 1 : 0;
  ComparisonOptions options;
  options.model.model = "logistic";
  options.priors = {"shared", "dense"};
  const Comparison comparison = compare_models(d.X, d.y, options);
  EXPECT_NEAR(named(comparison, "shared").evidence, named(comparison, "dense").evidence, 0.8);  // (CMP.4)
  EXPECT_GT(named(comparison, "dense").evidence, named(comparison, "dense").bound + 0.5) << "at the best h, not averaged over h";
  EXPECT_GT(comparison.best()->log_loss, 0);
  EXPECT_TRUE(std::isnan(comparison.best()->noise_sd));
}

// Problems of many kinds; of those in which ridge and sparse differ clearly in the density of 1000 rows not seen, by 5 nats and two
// standard errors, the one ranked first predicts better in nine of ten. (shared is dense's ridge again.) (CMP.1)
TEST(Compare, TheHigherEvidencePredictsBetter) {
  int clear = 0, right = 0;
  for (unsigned seed = 0; seed < 120; ++seed) {
    Random random(1000 + seed);
    const auto one_of = [&](const std::vector<double>& list) {
      return list[std::min(static_cast<std::size_t>(random.uniform() * static_cast<double>(list.size())), list.size() - 1)];
    };
    const double n = one_of({60, 100, 150, 200, 300}), p = one_of({10, 20, 50, 100, 200, 400});
    const double effects = std::min(p, one_of({2, 5, 10, p / 4, p / 2, p})), snr = one_of({0.3, 1, 2, 5}),
                 correlation = one_of({0, 0, 0.5, 0.9});
    const Data d = make_data(static_cast<Index>(n), static_cast<Index>(p), static_cast<Index>(effects), snr, 100 + seed, correlation);
    ComparisonOptions options;
    options.priors = {"dense", "sparse"};
    const Comparison comparison = compare_models(d.X, d.y, options);
    const Vector ahead = test_log_densities(d, comparison.models[0].options) - test_log_densities(d, comparison.models[1].options);
    const double error = std::sqrt((ahead.array() - ahead.mean()).square().sum());
    if (std::abs(ahead.sum()) < std::max(5.0, 2 * error)) continue;
    ++clear;
    right += ahead.sum() > 0 ? 1 : 0;
  }
  EXPECT_GE(clear, 50);
  EXPECT_GE(right, 0.9 * clear) << right << " of " << clear;
  RecordProperty("clear", clear);
  RecordProperty("right", right);
}

// The two ends of sparse: one or the other is clearly the better, and the evidence says which.
TEST(Compare, SlabAndDenseAreToldApart) {
  int clear = 0, right = 0;
  for (unsigned seed = 1; clear < 10 && seed <= 60; ++seed) {
    const Index n = 100 + 50 * (seed % 3), p = 50 + 50 * (seed % 4), effects = seed % 2 == 0 ? 4 : p;
    const Data d = make_data(n, p, effects, 2, 100 + seed);
    ComparisonOptions options;
    options.priors = {"dense", "slab"};
    const Comparison comparison = compare_models(d.X, d.y, options);
    const double ahead =
        test_log_densities(d, comparison.models[0].options).sum() - test_log_densities(d, comparison.models[1].options).sum();
    if (std::abs(ahead) < 5) continue;
    ++clear;
    right += ahead > 0 ? 1 : 0;
  }
  EXPECT_EQ(clear, 10);
  EXPECT_GE(right, 9);
}

TEST(Compare, TakesMachinesOnKernels) {
  Random random(7);
  const Matrix X = 2 * random.normals(80, 1);
  const Vector y = (2 * X.array()).sin().matrix().col(0) + 0.1 * random.normals(80);
  ComparisonOptions options;
  options.priors = {"dense"};
  options.kernels = {"gaussian"};
  const Comparison comparison = compare_models(X, y, options);
  ModelOptions rvm{.model = "rvm", .task = "regression"};
  const SavedModel alone = fit_model(X, y, rvm);
  ASSERT_EQ(comparison.best()->name, "rvm gaussian");  // a sine is no line
  EXPECT_EQ(comparison.best()->evidence, alone.relevance()->log_evidence);
  EXPECT_GT(-comparison.models[1].difference, 50);
  options.model.algorithm = "type-two";
  EXPECT_NE(compare_models(X, y, options).best()->remark.find("optimised"), std::string::npos);
}

// Evidence of dense, of a gaussian kernel with this width, and of the kernel machine, all as they are compared.
std::array<double, 3> evidence_of_a_line(const Matrix& X, const Vector& y, double width) {
  ComparisonOptions options;
  options.priors = {"dense"};
  options.models = {"kernel"};
  const Comparison both = compare_models(X, y, options);
  KernelOptions wide;
  wide.kernel = "gaussian";
  wide.search = WidthSearch::given;
  wide.widths = {width};
  const double half = 0.5 * static_cast<double>(y.size() - 1);  // (CMP.6)
  return {named(both, "dense").evidence,
          fit_kernel_regression(X, y, wide).log_evidence - (std::lgamma(half) + half - half * std::log(half)),
          named(both, "kernel").evidence};
}

TEST(Compare, KernelMachinesStandBesideLinearModels) {
  testing::Random random(3);
  const Matrix X = 2 * random.normals(80, 1);
  const Vector curve = (2 * X.array()).sin().matrix().col(0) + 0.1 * random.normals(80);
  ComparisonOptions options;
  options.priors = {"dense"};
  options.models = {"kernel"};
  options.model.max_sweeps = 500;  // of the other models
  options.model.given.insert("max_sweeps");
  const Comparison comparison = compare_models(X, curve, options);
  ASSERT_EQ(comparison.best()->name, "kernel");
  EXPECT_GT(-comparison.models[1].difference, 50);
  const double half = 0.5 * 79;  // the noise at its best value                                                                   (CMP.6)
  EXPECT_NEAR(comparison.best()->evidence,
              fit_model(X, curve, ModelOptions{.model = "kernel", .task = "regression"}).process()->log_evidence -
                  (std::lgamma(half) + half - half * std::log(half)),
              1e-9);
  // A gaussian kernel of a huge width is a line: the same evidence as dense, except for the signal, which has a price of about a nat.
  for (int seed = 1; seed <= 5; ++seed) {
    const Matrix Z = random.normals(60, 3);
    const Vector line = Z * Vector(Eigen::Vector3d(1, -0.5, 0.3)) + 0.7 * random.normals(60);
    const auto [dense, wide, machine] = evidence_of_a_line(Z, line, 300);
    EXPECT_LT(wide, dense);
    EXPECT_GT(wide, dense - 2.5);
    EXPECT_NEAR(evidence_of_a_line(Z, line, 1000)[1], wide, 0.01);  // a line, too: given widths have no prior
    EXPECT_LT(machine, dense);                                      // the widths have a price
    EXPECT_GT(machine, dense - 7);
  }
}

TEST(Compare, SaysHowSure) {
  const Data d = make_data(120, 60, 60, 2, 2);
  ComparisonOptions options;
  options.priors = {"shared", "dense"};
  const Comparison even = compare_models(d.X, d.y, options);
  EXPECT_NE(even.verdict.find("decides nothing"), std::string::npos) << even.verdict;
  const Data few = make_data(150, 100, 2, 4, 2);
  options.priors = {"dense", "slab", "ard"};
  const Comparison sure = compare_models(few.X, few.y, options);
  EXPECT_EQ(sure.verdict.substr(0, 10), "Take slab:") << sure.verdict;
  EXPECT_NE(sure.verdict.find("150 to 1"), std::string::npos) << sure.verdict;
}

TEST(Compare, StopsWhenTold) {
  const Data d = make_data(120, 60, 4, 2, 1);
  ComparisonOptions options;
  int last = 0;
  options.model.on_sweep = [&](const Progress& p) {
    EXPECT_EQ(p.num_fits, 4);
    last = p.fit;
    return p.fit < 2;
  };
  const Comparison comparison = compare_models(d.X, d.y, options);
  EXPECT_EQ(last, 2);
  EXPECT_EQ(comparison.models.size(), 2u);
  EXPECT_EQ(comparison.status, Status::stopped_by_user);
}

TEST(Compare, RefusesWhatCannotBeCompared) {
  const Data d = make_data(40, 5, 5, 2, 1);
  const auto refused = [&](ComparisonOptions options, const char* piece) {
    expect_invalid([&] { static_cast<void>(compare_models(d.X, d.y, options)); }, {piece});
  };
  ComparisonOptions options;
  options.priors = {"sparse", "laplace"};
  refused(options, "priors is 'laplace'; it must be one of ard, dense, shared, slab, sparse");
  options.priors = {"sparse", "sparse"};
  refused(options, "'sparse' is named twice");
  options.priors = {"sparse"};
  refused(options, "only 'sparse'");
  options.kernels = {"gauss"};
  refused(options, "kernel is 'gauss'");
  options.kernels = {"gaussian"};
  options.model.intercept = false;
  refused(options, "intercept cannot be used with kernel");
  options.model.intercept = true;
  options.model.flat = {0};
  refused(options, "flat cannot be used with kernel");
  options.model.model = "rvm";
  refused(options, "model is 'rvm'");
  options = {};
  options.model.model = "logistic";
  refused(options, "measurements need model 'linear'");
}

// (CMP.5) The sums of the comparisons of each class against the rest.
TEST(Compare, SeveralClassesAreComparedAsTheirRegressions) {
  Random random(17);
  const Matrix X = random.normals(150, 5);
  Vector labels(150);
  for (Index i = 0; i < 150; ++i) labels[i] = X(i, 0) + 0.7 * random.normal() > 0.6 ? 2 : X(i, 1) + 0.7 * random.normal() > 0 ? 1 : 0;
  ComparisonOptions options;
  options.model.model = "logistic";
  options.priors = {"shared", "ard", "dense", "slab", "sparse"};
  options.kernels = {"gaussian"};
  const Comparison all = compare_models(X, labels, options);
  EXPECT_EQ(all.num_classes, 3);
  EXPECT_NE(summary(all).find("each of 3 classes has a regression against the rest"), std::string::npos);
  EXPECT_NE(summary(all).find("to fit one of these models, name its prior, and coding 'one-against-rest'"), std::string::npos);
  for (const ComparedModel& model : all.models) {  // the fit that the summary names
    if (model.name.starts_with("rvm")) continue;
    ModelOptions fit{.model = "logistic"};
    fit.set("prior", model.name);
    fit.set("coding", std::string("one-against-rest"));
    EXPECT_EQ(fit_model(X, labels, fit).softmax()->bound, model.bound) << model.name;
  }
  std::map<std::string, double> evidence, bound, effects;
  for (const double c : {0.0, 1.0, 2.0}) {
    const Vector one = labels.unaryExpr([c](double label) { return label == c ? 1.0 : 0.0; });
    options.kernels.clear();
    for (const ComparedModel& model : compare_models(X, one, options).models) {
      evidence[model.name] += model.evidence;
      bound[model.name] += model.bound;
      effects[model.name] += static_cast<double>(model.probable_effects.value_or(0));
    }
  }
  for (const ComparedModel& model : all.models) {
    if (model.name.starts_with("rvm")) continue;
    EXPECT_NEAR(model.evidence, evidence[model.name], 1e-9) << model.name;
    EXPECT_NEAR(model.bound, bound[model.name], 1e-9) << model.name;
    EXPECT_EQ(static_cast<double>(model.probable_effects.value_or(0)), effects[model.name]) << model.name;
    EXPECT_GT(model.log_loss, 0);
  }
  ModelOptions machine = options.model;
  machine.model = "rvm", machine.task = "classification";
  EXPECT_EQ(named(all, "rvm gaussian").evidence, fit_model(X, labels, machine).relevance()->log_evidence);
}

// The fit by the words of the comparison: the name of the model, and of several classes the coding that the summary names.
SavedModel fit_by_name(const Matrix& X, const Vector& target, ModelOptions options, const std::string& name, bool several) {
  const bool is_rvm = name.starts_with("rvm "), is_kernel = name == "kernel";
  if (is_rvm || is_kernel) {
    options.set("task", std::string(options.model == "linear" ? "regression" : "classification"));
    options.set("model", std::string(is_rvm ? "rvm" : "kernel"));
    if (is_rvm) options.set("kernel", name.substr(4));
    return fit_model(X, target, options);
  }
  options.set("prior", name);
  if (several) options.set("coding", std::string("one-against-rest"));
  return fit_model(X, target, options);
}

double bound_of(const SavedModel& model) {
  if (const RelevanceFit* machines = model.relevance()) {
    double sum = 0;
    for (const RelevanceMachine& machine : machines->machines) sum += machine.fit.bound;
    return sum;
  }
  if (const SoftmaxFit* classes = model.softmax()) return classes->bound;
  return model.process() != nullptr ? model.process()->log_evidence : model.score()->bound;
}

TEST(Compare, EveryModelIsTheFitOfItsName) {
  Random random(23);
  const Index n = 90;
  Matrix X = random.normals(n, 5);
  X.col(4) = X.col(3) + 0.2 * random.normals(n);
  const Vector score = X.col(0) - 0.7 * X.col(3) + 0.8 * random.normals(n);
  std::vector<double> weights;
  for (Index i = 0; i < n; ++i) weights.push_back(static_cast<double>(i % 3));
  const std::map<std::string, std::function<void(ModelOptions&)>> settings = {
      {"plain", [](ModelOptions&) {}},
      {"weights", [&](ModelOptions& o) { o.weights = weights; }},
      {"groups",
       [](ModelOptions& o) {
         o.set("group", std::vector<double>{0, 0, 1, 2, 2});
       }},
      {"flat", [](ModelOptions& o) { o.set("flat", std::vector<double>{1}); }},
      {"no intercept", [](ModelOptions& o) { o.set("intercept", 0.0); }},
      {"not standardised", [](ModelOptions& o) { o.set("standardize", 0.0); }},
  };
  for (const Index classes : {0, 2, 3})
    for (const auto& [what, set] : settings) {
      SCOPED_TRACE(fmt::format("{} classes, {}", classes, what));
      Vector target = score;
      if (classes > 0) target = score.unaryExpr([&](double s) { return static_cast<double>((s > 0.6 && classes > 2) + (s > -0.3)); });
      ComparisonOptions options;
      options.model.model = classes == 0 ? "linear" : "logistic";
      set(options.model);
      options.priors = {"shared", "ard", "dense", "slab", "sparse"};
      if (what == "plain" || what == "weights") options.kernels = {"gaussian"}, options.models = {"kernel"};
      const Comparison comparison = compare_models(X, target, options);
      EXPECT_EQ(comparison.models.size(), options.priors.size() + 2 * options.kernels.size());
      for (const ComparedModel& model : comparison.models) {
        ModelOptions words = options.model;
        if (model.name == "shared" || model.name == "dense") words.group.clear(), words.given.erase("group");
        EXPECT_EQ(bound_of(fit_by_name(X, target, words, model.name, classes > 2)), model.bound) << model.name;
        EXPECT_EQ(bound_of(fit_model(X, target, model.options)), model.bound) << model.name << ", by its options";
      }
    }
}

}  // namespace
}  // namespace ardvark::internal
