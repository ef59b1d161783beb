#include "ardvark/select.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <numbers>
#include <numeric>
#include <thread>

#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "frame/folds.hpp"
#include "support/random_problem.hpp"
#include "support/thrown.hpp"

namespace ardvark::internal {
namespace {

using testing::expect_invalid;
using testing::Random;

struct Problem {
  Matrix X;
  Vector labels;
};

// The first columns carry the class, the others nothing.
Problem simulated(Index n, Index p, Index informative, double strength, std::uint64_t seed) {
  Random random(seed);
  Problem problem{random.normals(n, p), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    problem.labels[i] = i % 2 == 0 ? 7 : -3;
    problem.X.row(i).head(informative).array() += problem.labels[i] > 0 ? strength : -strength;
  }
  return problem;
}

// What does not look at the columns: the given probability for the second class.
SelectionMethod constant_method(Vector probability) {
  return [probability](const SelectionRows& rows) {
    return SelectionFit{std::vector<bool>(static_cast<std::size_t>(rows.X.cols()), true),
                        probability.array().log().matrix().transpose().replicate(rows.X_new.rows(), 1), Status::converged};
  };
}

// Three classes or any number of them: the nearest mean in the first column that differs from row to row.
SelectionFit nearest_mean(const SelectionRows& rows) {
  Vector mean = Vector::Zero(rows.num_classes), total = mean;
  for (Index i = 0; i < rows.X.rows(); ++i) {
    mean[static_cast<Index>(rows.labels[i])] += rows.X(i, 0);
    ++total[static_cast<Index>(rows.labels[i])];
  }
  mean = mean.cwiseQuotient(total);
  SelectionFit fit{std::vector<bool>(static_cast<std::size_t>(rows.X.cols())), Matrix(rows.X_new.rows(), rows.num_classes),
                   Status::converged};
  fit.survived[0] = true;
  for (Index i = 0; i < rows.X_new.rows(); ++i) {
    const Eigen::ArrayXd score = -(mean.array() - rows.X_new(i, 0)).square();
    fit.log_probability.row(i) = (score - std::log(score.exp().sum())).matrix().transpose();
  }
  return fit;
}

void expect_same(const SelectionCounts& a, const SelectionCounts& b) {
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(a.sc_value, b.sc_value);
  ASSERT_EQ(a.num_fits(), b.num_fits());
  for (std::size_t i = 0; i < a.fits.size(); ++i) {
    EXPECT_EQ(a.fits[i].accuracy, b.fits[i].accuracy);
    EXPECT_EQ(a.fits[i].log_loss, b.fits[i].log_loss);
    EXPECT_EQ(a.fits[i].num_survivors, b.fits[i].num_survivors);
    EXPECT_EQ(a.fits[i].repeat, b.fits[i].repeat);
    EXPECT_EQ(a.fits[i].fold, b.fits[i].fold);
  }
  EXPECT_EQ(a.accuracy.mean, b.accuracy.mean);
  EXPECT_EQ(a.log_loss.mean, b.log_loss.mean);
  EXPECT_EQ(a.log_loss.sd, b.log_loss.sd);
  EXPECT_EQ(a.log_loss_error, b.log_loss_error);
}

FitOptions model(Prior prior) {
  FitOptions options;
  options.prior = std::move(prior);
  return options;
}

TEST(SelectColumns, GivesTheSameBitsAtAnyNumberOfThreads) {
  const Problem problem = simulated(60, 80, 3, 0.8, 2);
  for (const FitOptions& fit : {options_for_preset("slr_var"), options_for_preset("slr_lap", true), model(Prior::ard())}) {
    const auto select = [&](int threads) {
      return select_columns(problem.X, problem.labels, logistic_selection(fit), {.folds = 5, .repeats = 2, .seed = 11, .threads = threads});
    };
    const SelectionCounts one = select(1);
    for (const int threads : {2, 3, 0}) expect_same(one, select(threads));
  }
}

TEST(SelectColumns, StartsWithTheRepeatsOfAShorterSelection) {
  const Problem problem = simulated(30, 3, 1, 0.5, 4);
  const SelectionCounts two = select_columns(problem.X, problem.labels, nearest_mean, {.folds = 4, .repeats = 2}),
                        three = select_columns(problem.X, problem.labels, nearest_mean, {.folds = 4, .repeats = 3});
  for (std::size_t i = 0; i < two.fits.size(); ++i) EXPECT_EQ(two.fits[i].log_loss, three.fits[i].log_loss);
}

// -ln E sigma(u), u normal: Simpson's rule over twelve standard deviations. Of a known u its limit.
double loss_of(double mean, double variance) {
  if (variance == 0) return mean > 0 ? std::log1p(std::exp(-mean)) : -mean + std::log1p(std::exp(mean));
  constexpr int steps = 4000;
  const double sd = std::sqrt(variance), h = 24.0 / steps;
  double sum = 0;
  for (int i = 0; i <= steps; ++i) {
    const double z = -12 + h * i, weight = i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2;
    sum += weight * std::exp(-0.5 * z * z) / (1 + std::exp(-(mean + sd * z)));
  }
  return -std::log(sum * h / 3 / std::sqrt(2 * std::numbers::pi));
}

// (SEL.1), (SEL.2), (SEL.3) as loops, from the deal on.
void expect_plain_loop(const Problem& problem, const FitOptions& fit_options, const Vector& weights) {
  constexpr int folds = 4, repeats = 3;
  const Index n = problem.X.rows(), p = problem.X.cols();
  const SelectionCounts counts = select_columns(problem.X, problem.labels, logistic_selection(fit_options),
                                                {.folds = folds, .repeats = repeats, .seed = 5, .weights = weights});
  std::vector<Index> classes, count(static_cast<std::size_t>(p), 0);
  for (const double label : problem.labels) classes.push_back(label > 0 ? 1 : 0);
  const Vector k = weights.size() > 0 ? weights : Vector::Ones(n);
  Vector sc = Vector::Zero(p), correct = Vector::Zero(n), loss = Vector::Zero(n), accuracy = Vector::Zero(repeats),
         log_loss = Vector::Zero(repeats), survivors = Vector::Zero(repeats);
  StratifiedDealer dealer(5);
  std::size_t number = 0;
  for (int r = 0; r < repeats; ++r) {
    const std::vector<int> deal = dealer.deal(classes, 2, folds);
    for (int f = 0; f < folds; ++f, ++number) {
      std::vector<Index> in, out;
      for (Index i = 0; i < n; ++i) (deal[static_cast<std::size_t>(i)] == f ? out : in).push_back(i);
      FitOptions options = fit_options;
      options.keep_covariance = Keep::always;
      const Vector k_in = k(in);
      if (weights.size() > 0) options.weights = k_in;
      const LogisticFit fit = fit_logistic(Matrix(problem.X(in, Eigen::all)), Vector(problem.labels(in)), options);
      const ClassPrediction prediction = predict(fit, Matrix(problem.X(out, Eigen::all)), PredictiveRule::exact);
      double hits = 0, losses = 0, total = 0;
      for (std::size_t i = 0; i < out.size(); ++i) {
        const double m = (problem.labels[out[i]] > 0 ? 1 : -1) * prediction.mean[static_cast<Index>(i)];
        const double hit = m > 0 ? 1 : 0, row_loss = loss_of(m, fit_options.compat ? 0 : prediction.variance[static_cast<Index>(i)]);
        hits += k[out[i]] * hit, losses += k[out[i]] * row_loss, total += k[out[i]];
        correct[out[i]] += hit / repeats, loss[out[i]] += row_loss / repeats;
      }
      accuracy[r] += hits / k.sum(), log_loss[r] += losses / k.sum();
      for (Index j = 0; j < p; ++j)
        if (fit.relevant[static_cast<std::size_t>(j)]) {
          ++count[static_cast<std::size_t>(j)];
          sc[j] += hits / total;
          survivors[r] += 1.0 / folds;
        }
      EXPECT_NEAR(counts.fits[number].accuracy, hits / total, 1e-12);
      EXPECT_NEAR(counts.fits[number].log_loss, losses / total, 1e-6);
      EXPECT_NEAR(counts.fits[number].num_test, total, 1e-12);
    }
  }
  EXPECT_EQ(counts.count, count);
  EXPECT_LE((counts.sc_value - sc).cwiseAbs().maxCoeff(), 1e-12);
  for (Index j = 0; j < p; ++j)
    EXPECT_NEAR(counts.share[j], static_cast<double>(count[static_cast<std::size_t>(j)]) / (folds * repeats), 1e-15);
  const auto sd = [](const Vector& v) { return std::sqrt((v.array() - v.mean()).square().sum() / static_cast<double>(v.size() - 1)); };
  EXPECT_NEAR(counts.accuracy.mean, accuracy.mean(), 1e-12);
  EXPECT_NEAR(counts.accuracy.sd, sd(accuracy), 1e-12);
  EXPECT_NEAR(counts.log_loss.mean, log_loss.mean(), 1e-6);
  EXPECT_NEAR(counts.log_loss.sd, sd(log_loss), 1e-6);
  EXPECT_NEAR(counts.num_survivors.mean, survivors.mean(), 1e-12);
  EXPECT_NEAR(counts.num_survivors.sd, sd(survivors), 1e-12);
  double variance = 0, loss_variance = 0;
  for (Index i = 0; i < n; ++i) {
    variance += k[i] * std::pow(correct[i] - accuracy.mean(), 2);
    loss_variance += k[i] * std::pow(loss[i] - log_loss.mean(), 2);
  }
  EXPECT_NEAR(counts.accuracy_error, std::sqrt(variance) / k.sum(), 1e-12);
  EXPECT_NEAR(counts.log_loss_error, std::sqrt(loss_variance) / k.sum(), 1e-6);
}

TEST(SelectColumns, CountsWhatAPlainLoopCounts) {
  const Problem problem = simulated(60, 10, 2, 0.4, 3);
  expect_plain_loop(problem, options_for_preset("slr_var"), {});
  expect_plain_loop(problem, options_for_preset("slr_var", true), {});
  expect_plain_loop(problem, model(Prior::ard()), {});
}

TEST(SelectColumns, WeighsRowsInFitsAndTests) {
  const Problem problem = simulated(60, 6, 2, 0.4, 3);
  Random random(9);
  Vector weights(60);
  for (double& w : weights) w = static_cast<double>(random.integer(1, 3));
  expect_plain_loop(problem, model(Prior::ard()), weights);
}

TEST(SelectColumns, LeavesOutRowsOfWeightZero) {
  const Problem problem = simulated(36, 5, 2, 0.6, 8);
  std::vector<Index> kept;
  Vector weights = Vector::Ones(36);
  for (Index i = 0; i < 36; ++i) (i % 7 == 3 ? void(weights[i] = 0) : kept.push_back(i));
  const SelectionMethod method = logistic_selection(model(Prior::ard()));
  const SelectionCounts all = select_columns(problem.X, problem.labels, method, {.folds = 3, .repeats = 2, .weights = weights});
  const Vector ones = Vector::Ones(static_cast<Index>(kept.size()));
  const SelectionCounts fewer = select_columns(Matrix(problem.X(kept, Eigen::all)), Vector(problem.labels(kept)), method,
                                               {.folds = 3, .repeats = 2, .weights = ones});
  EXPECT_EQ(all.count, fewer.count);
  EXPECT_EQ(all.sc_value, fewer.sc_value);
  EXPECT_EQ(all.log_loss.mean, fewer.log_loss.mean);
  EXPECT_NE(all.notes.back().find("5 rows of weight 0"), std::string::npos) << all.notes.back();
}

TEST(SelectColumns, FindsTheColumnsThatCarryTheClass) {
  const Problem problem = simulated(150, 400, 4, 0.8, 6);
  for (const char* preset : {"slr_var", "slr_lap"}) {
    const SelectionCounts counts =
        select_columns(problem.X, problem.labels, logistic_selection(options_for_preset(preset)), {.folds = 10, .repeats = 2});
    std::vector<Index> first = ranking(counts);
    first.resize(4);
    std::sort(first.begin(), first.end());
    EXPECT_EQ(first, (std::vector<Index>{0, 1, 2, 3})) << preset;
    for (const Index j : first) EXPECT_GE(counts.share[j], 0.9) << preset;
    EXPECT_LE(counts.share.tail(396).mean(), 0.05) << preset;
    // With the four columns alone and n large, Phi(2 * 0.8) = 0.945 of the rows are on their side.
    EXPECT_GT(counts.accuracy.mean, 0.8) << preset;
    EXPECT_LT(counts.log_loss.mean, counts.chance_log_loss) << preset;
    EXPECT_EQ(counts.classes, (std::vector<std::string>{"-3", "7"}));
  }
}

TEST(SelectColumns, OfNoiseWarnsThatItIsChance) {
  const Problem problem = simulated(60, 50, 0, 0, 12);
  const SelectionCounts counts =
      select_columns(problem.X, problem.labels, logistic_selection(options_for_preset("slr_var")), {.folds = 5, .repeats = 2});
  EXPECT_LT(std::abs(counts.accuracy.mean - 0.5), 0.2);  // three standard errors
  bool warned = false;
  for (const std::string& w : counts.warnings) warned = warned || w.find("above chance") != std::string::npos;
  EXPECT_TRUE(warned);
}

TEST(SelectColumns, WithASharedPriorWarnsThatNothingIsSelected) {
  const Problem problem = simulated(40, 5, 2, 1, 12);
  const SelectionCounts counts =
      select_columns(problem.X, problem.labels, logistic_selection(options_for_preset("rlr_var")), {.folds = 4, .repeats = 1});
  for (const Index c : counts.count) EXPECT_EQ(c, 4);
  bool warned = false;
  for (const std::string& w : counts.warnings)
    warned =
        warned || w.find("every column survived every fit: this prior removes none, or every column has an effect") != std::string::npos;
  EXPECT_TRUE(warned);
  EXPECT_TRUE(std::isnan(counts.accuracy.sd));  // of one repeat
}

// (SEL.4), and what a method that knows no columns can reach, by hand.
TEST(SelectColumns, MeasuresAGuessByItsClosedForm) {
  Problem problem = simulated(50, 2, 0, 0, 1);
  for (Index i = 0; i < 50; ++i) problem.labels[i] = i < 30 ? 1 : i < 45 ? 2 : 5;
  const Vector share{{0.6, 0.3, 0.1}};
  const SelectionCounts counts = select_columns(problem.X, problem.labels, constant_method(share), {.folds = 7, .repeats = 2});
  const double entropy = -(0.6 * std::log(0.6) + 0.3 * std::log(0.3) + 0.1 * std::log(0.1));
  EXPECT_NEAR(counts.accuracy.mean, 0.6, 1e-14);
  EXPECT_NEAR(counts.accuracy.sd, 0, 1e-14);
  EXPECT_NEAR(counts.accuracy_error, std::sqrt(0.6 * 0.4 / 50), 1e-14);
  EXPECT_NEAR(counts.log_loss.mean, entropy, 1e-14);
  EXPECT_NEAR(counts.chance_accuracy, 0.6, 1e-15);
  EXPECT_NEAR(counts.chance_log_loss, entropy, 1e-14);
  EXPECT_EQ(counts.class_weight, (Vector{{30, 15, 5}}));
}

TEST(SelectColumns, TakesAnyNumberOfClasses) {
  Random random(4);
  Problem problem{random.normals(60, 3), Vector(60)};
  for (Index i = 0; i < 60; ++i) {
    problem.labels[i] = static_cast<double>(i % 3) * 1.5;
    problem.X(i, 0) += 10 * static_cast<double>(i % 3);
  }
  const SelectionCounts counts = select_columns(problem.X, problem.labels, nearest_mean, {.folds = 6, .repeats = 2});
  EXPECT_EQ(counts.classes, (std::vector<std::string>{"0", "1.5", "3"}));
  EXPECT_EQ(counts.accuracy.mean, 1);
  EXPECT_EQ(counts.count, (std::vector<Index>{12, 0, 0}));
  EXPECT_EQ(counts.sc_value[0], 12);
  expect_invalid([&] { static_cast<void>(select_columns(problem.X, problem.labels, logistic_selection({}), {.folds = 3, .repeats = 1})); },
                 {"3 classes"});
}

// A row that is tested is not read by the fit that it tests: neither weights nor scaling nor survivors depend on it.
TEST(SelectColumns, LetsOnlyTrainingRowsDecide) {
  Problem problem = simulated(40, 25, 3, 0.8, 21);
  for (const FitOptions& options : {options_for_preset("slr_var"), options_for_preset("slr_var", true), model(Prior::ard())}) {
    const auto survivors = [&](const Matrix& X) {
      std::vector<std::vector<bool>> all;
      const SelectionMethod method = [&, inner = logistic_selection(options)](const SelectionRows& rows) {
        SelectionFit fit = inner(rows);
        all.push_back(fit.survived);
        return fit;
      };
      static_cast<void>(select_columns(X, problem.labels, method, {.folds = 5, .repeats = 1, .seed = 2, .threads = 1}));
      return all;
    };
    Matrix changed = problem.X;
    changed.row(17) *= -1000;
    const auto before = survivors(problem.X), after = survivors(changed);
    std::vector<Index> classes;
    for (const double label : problem.labels) classes.push_back(label > 0 ? 1 : 0);
    const auto tested_in = static_cast<std::size_t>(StratifiedDealer(2).deal(classes, 2, 5)[17]);
    EXPECT_EQ(before[tested_in], after[tested_in]);
    EXPECT_NE(before, after);  // the others have learnt from it
  }
}

TEST(SelectColumns, NeverTakesAClassFromTheTraining) {
  Random random(2);
  const Matrix X = random.normals(23, 2);
  Vector labels = Vector::Zero(23);
  labels[4] = labels[19] = 1;  // two rows and ten folds
  const SelectionMethod method = [](const SelectionRows& rows) {
    Vector seen = Vector::Zero(rows.num_classes);
    for (const double label : rows.labels) ++seen[static_cast<Index>(label)];
    EXPECT_GE(seen.minCoeff(), 1);
    return constant_method(Vector{{0.5, 0.5}})(rows);
  };
  const SelectionCounts counts = select_columns(X, labels, method, {.folds = 10, .repeats = 3, .threads = 1});
  ASSERT_EQ(counts.notes.size(), 1u);
  EXPECT_NE(counts.notes[0].find("class 1 has 2 rows, fewer than 10 folds: 8 folds of each repeat test none of it"), std::string::npos)
      << counts.notes[0];
  EXPECT_EQ(select_columns(X, labels, method, {.folds = 23, .repeats = 1, .threads = 1}).num_fits(), 23);  // one row each
}

// The column is constant in the fold that tests its only row that differs.
TEST(SelectColumns, TakesColumnsThatAreConstantInAFold) {
  Problem problem = simulated(30, 3, 1, 0.8, 5);
  problem.X.col(2).setZero();
  problem.X(11, 2) = 1;
  const SelectionCounts counts =
      select_columns(problem.X, problem.labels, logistic_selection(model(Prior::ard())), {.folds = 5, .repeats = 2});
  EXPECT_EQ(counts.num_fits(), 10);
  EXPECT_TRUE(std::isfinite(counts.log_loss.mean));
  EXPECT_LE(counts.count[2], 8);  // not where it is constant
}

TEST(SelectColumns, StopsWhereItIsTold) {
  const Problem problem = simulated(40, 3, 1, 0.5, 5);
  std::vector<Index> done;
  SelectionOptions options{.folds = 4, .repeats = 3, .threads = 1};
  options.on_fit = [&](const SelectionProgress& p) {
    EXPECT_EQ(p.num_fits, 12);
    EXPECT_GE(p.elapsed_seconds, 0);
    done.push_back(p.num_done);
    return p.num_done < 6;
  };
  const SelectionCounts counts = select_columns(problem.X, problem.labels, nearest_mean, options);
  EXPECT_EQ(done, (std::vector<Index>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(counts.status, Status::stopped_by_user);
  EXPECT_EQ(counts.num_fits(), 6);
  EXPECT_EQ(counts.count[0], 6);
  EXPECT_TRUE(std::isfinite(counts.accuracy.mean));  // of the first repeat
  EXPECT_TRUE(std::isnan(counts.accuracy.sd));
}

TEST(SelectColumns, StopsFitsThatAreUnderWay) {
  const Problem problem = simulated(40, 3, 1, 0.5, 5);
  std::atomic<int> calls = 0;
  const SelectionMethod method = [&](const SelectionRows& rows) {
    if (calls++ == 0) return nearest_mean(rows);
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (rows.go_on() && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_FALSE(rows.go_on());
    return SelectionFit{};
  };
  SelectionOptions options{.folds = 4, .repeats = 3, .threads = 2};
  options.on_fit = [](const SelectionProgress&) { return false; };
  const SelectionCounts counts = select_columns(problem.X, problem.labels, method, options);
  EXPECT_EQ(counts.num_fits(), 1);
  EXPECT_EQ(counts.status, Status::stopped_by_user);
}

TEST(SelectColumns, SaysWhichFitsDidNotConverge) {
  const Problem problem = simulated(40, 10, 2, 0.6, 5);
  FitOptions options = model(Prior::ard());
  options.max_sweeps = 2;
  const SelectionCounts counts = select_columns(problem.X, problem.labels, logistic_selection(options), {.folds = 4, .repeats = 1});
  EXPECT_EQ(counts.status, Status::max_sweeps);
  EXPECT_NE(counts.warnings.front().find("4 of 4 fits did not converge (the first: max_sweeps)"), std::string::npos);
}

TEST(SelectColumns, NamesWhatIsWrong) {
  const Problem problem = simulated(12, 3, 1, 1, 1);
  const auto select = [&](const SelectionOptions& options) { return select_columns(problem.X, problem.labels, nearest_mean, options); };
  expect_invalid([&] { select({.folds = 1}); }, {"folds is 1", "at least 2"});
  expect_invalid([&] { select({.folds = 13}); }, {"folds is 13", "12 rows"});
  expect_invalid([&] { select({.repeats = 0}); }, {"repeats is 0"});
  expect_invalid([&] { select({.threads = -1}); }, {"threads is -1"});
  expect_invalid([&] { static_cast<void>(select_columns(problem.X, problem.labels, {})); }, {"method"});
  expect_invalid([&] { static_cast<void>(select_columns(problem.X, Vector(Vector::Ones(11)), nearest_mean)); }, {"labels"});
  expect_invalid([&] { static_cast<void>(select_columns(problem.X, Vector(Vector::Ones(12)), nearest_mean)); }, {"only one class (1)"});
  Vector labels = problem.labels;
  labels[5] = 99;
  expect_invalid([&] { static_cast<void>(select_columns(problem.X, labels, nearest_mean)); }, {"class 99 has one row"});
  const auto named = [&](const Vector& positions) {
    return select_columns(problem.X, positions, nearest_mean, {.folds = 2, .class_names = {"no", "yes", "rare"}});
  };
  EXPECT_EQ(named(problem.labels.cwiseMax(0).cwiseMin(1)).classes, (std::vector<std::string>{"no", "yes"}));
  Vector positions = problem.labels.cwiseMax(0).cwiseMin(1);
  positions[4] = 2;
  expect_invalid([&] { static_cast<void>(named(positions)); }, {"class rare has one row"});
  positions[4] = 3;
  expect_invalid([&] { static_cast<void>(named(positions)); }, {"labels at row 5 is 3", "0 to 2"});
  Vector weights = Vector::Ones(12);
  weights[3] = -1;
  expect_invalid([&] { select({.weights = weights}); }, {"weights"});
  FitOptions with_weights;
  with_weights.weights = problem.labels;
  expect_invalid([&] { static_cast<void>(logistic_selection(with_weights)); }, {"FitOptions::weights", "SelectionOptions::weights"});
  const auto returns = [&](SelectionFit fit) {
    return [&problem, fit] {
      static_cast<void>(select_columns(problem.X, problem.labels, [fit](const SelectionRows&) { return fit; }, {.folds = 6}));
    };
  };
  expect_invalid(returns({std::vector<bool>(2), Matrix::Zero(2, 2)}), {"survived", "2 columns", "3"});
  expect_invalid(returns({std::vector<bool>(3), Matrix::Zero(2, 3)}), {"log_probability", "2 x 3", "2 x 2"});
  expect_invalid(returns({std::vector<bool>(3), Matrix::Constant(2, 2, std::nan(""))}), {"log_probability", "NaN"});
}

TEST(SelectionSummary, ListsTheFirstColumnsOfTheRanking) {
  SelectionCounts counts;
  counts.count = {1, 4, 0, 4};
  counts.share = Vector{{0.25, 1, 0, 1}};
  counts.sc_value = Vector{{0.5, 2.5, 0, 3}};
  counts.column_names = {"a", "b", "c", "d"};
  EXPECT_EQ(ranking(counts), (std::vector<Index>{3, 1, 0, 2}));
  const std::string two = summary(counts, 2), all = summary(counts);
  EXPECT_LT(two.find("  d "), two.find("  b "));
  EXPECT_NE(two.find("and 1 more"), std::string::npos);
  EXPECT_NE(all.find("  a "), std::string::npos);
  EXPECT_EQ(all.find("  c "), std::string::npos);  // never survived
  EXPECT_NE(all.find("never survived        1 of 4"), std::string::npos);
  expect_invalid([&] { static_cast<void>(summary(counts, -1)); }, {"top is -1"});
}

// (SEL.5) as loops, from the deal on.
TEST(SelectColumns, OfARegressionIsThatOfAPlainLoop) {
  Random random(31);
  constexpr Index n = 50, p = 6;
  constexpr int folds = 5, repeats = 2;
  const Matrix X = random.normals(n, p);
  const Vector y = 3 + 2 * X.col(0).array() - X.col(1).array() + random.normals(n, 1).col(0).array();
  Vector k(n);
  for (double& weight : k) weight = random.scale(0.5, 2);
  k[7] = 0;
  FitOptions fit_options = model(Prior::laplace(10));
  const SelectionCounts counts = select_columns(X, y, linear_selection(fit_options),
                                                {.task = Task::linear, .folds = folds, .repeats = repeats, .seed = 9, .weights = k});
  const double mean = k.dot(y) / k.sum(), variance = k.dot(Vector((y.array() - mean).square())) / k.sum();
  std::vector<Index> classes(n, 0), count(p, 0);
  classes[7] = -1;
  Vector sc = Vector::Zero(p), share = Vector::Zero(n), loss = Vector::Zero(n);
  StratifiedDealer dealer(9);
  for (int r = 0; r < repeats; ++r) {
    const std::vector<int> deal = dealer.deal(classes, 1, folds);
    for (int f = 0; f < folds; ++f) {
      std::vector<Index> in, out;
      for (Index i = 0; i < n; ++i)
        if (i != 7) (deal[static_cast<std::size_t>(i)] == f ? out : in).push_back(i);
      FitOptions options = fit_options;
      const Vector k_in = k(in);
      options.weights = k_in;
      options.keep_covariance = Keep::always;
      const LinearFit fit = fit_linear(Matrix(X(in, Eigen::all)), Vector(y(in)), options);
      const StudentPrediction predicted = predict(fit, Matrix(X(out, Eigen::all)));
      double missed = 0, weight = 0;
      for (std::size_t i = 0; i < out.size(); ++i) {
        const auto l = static_cast<Index>(i);
        const double z = (y[out[i]] - predicted.mean[l]) / predicted.scale[l], nu = predicted.degrees_of_freedom;
        missed += k[out[i]] * (y[out[i]] - predicted.mean[l]) * (y[out[i]] - predicted.mean[l]);
        weight += k[out[i]];
        share[out[i]] += 1 - (y[out[i]] - predicted.mean[l]) * (y[out[i]] - predicted.mean[l]) / variance;
        loss[out[i]] -= std::lgamma((nu + 1) / 2) - std::lgamma(nu / 2) - 0.5 * std::log(nu * std::numbers::pi) -
                        std::log(predicted.scale[l]) - (nu + 1) / 2 * std::log(1 + z * z / nu);
      }
      for (Index j = 0; j < p; ++j)
        if (fit.mean[j] != 0) ++count[static_cast<std::size_t>(j)], sc[j] += std::max(1 - missed / weight / variance, 0.0);
    }
  }
  EXPECT_EQ(counts.count, count);
  EXPECT_LE((counts.sc_value - sc).cwiseAbs().maxCoeff(), 1e-9);
  share /= repeats, loss /= repeats;
  EXPECT_NEAR(counts.accuracy.mean, k.dot(share) / k.sum(), 1e-10);
  EXPECT_NEAR(counts.log_loss.mean, k.dot(loss) / k.sum(), 1e-9);
  const double off = counts.accuracy.mean;
  EXPECT_NEAR(counts.accuracy_error, std::sqrt(k.dot(Vector((share.array() - off).square()))) / k.sum(), 1e-10);
  EXPECT_EQ(counts.chance_accuracy, 0);
  EXPECT_NEAR(counts.chance_log_loss, 0.5 * (std::log(2 * std::numbers::pi * variance) + 1), 1e-12);
  EXPECT_TRUE(counts.classes.empty());
}

TEST(SelectColumns, RefusesARegressionWithoutSpread) {
  const Matrix X = Vector::LinSpaced(20, 0, 1);
  const Vector ones = Vector::Ones(20), numbers = X.col(0);
  expect_invalid([&] { (void)select_columns(X, ones, linear_selection({}), {.task = Task::linear}); }, {"constant"});
  expect_invalid([&] { (void)select_columns(X, numbers, logistic_selection({}), {.task = Task::linear}); }, {"0 classes"});
}

}  // namespace
}  // namespace ardvark::internal
