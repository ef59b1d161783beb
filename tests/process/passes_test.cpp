// Kernel machines by passes over rows that are not in memory.                                                    docs/math/passes.md
// (PASS.7)
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../rows/labelled_rows.hpp"
#include "../support/random_problem.hpp"
#include "../support/same_bits.hpp"
#include "../support/thrown.hpp"
#include "ardvark/kernel_machine.hpp"
#include "process/fit_parts.hpp"
#include "process/low_rank.hpp"
#include "process/pass_evidence.hpp"
#include "process/search.hpp"

namespace ardvark {
namespace {

using namespace internal;
using testing::bits_of;
using testing::expect_invalid;
using testing::LabelledRows;
using testing::Random;
using testing::with_sample_of;

double truth(const Matrix& X, Index i) { return std::sin(2 * X(i, 0)) + 0.5 * X(i, 1) * X(i, 1); }

// Two inputs that matter, and one that does not.
LabelledRows table_of(std::uint64_t seed, Index n, bool classes, bool weighted = false) {
  Random random(seed);
  LabelledRows out{random.normals(n, 3), Vector(n), {}};
  for (Index i = 0; i < n; ++i) {
    const double f = truth(out.X, i);
    out.y[i] = classes ? (random.uniform() < 1 / (1 + std::exp(1 - 2 * f)) ? 7 : 3) : 10 * f + 4 * random.normal();
  }
  out.X.col(1) = 100 * out.X.col(1).array() + 1000;
  if (weighted) {
    out.weights = Vector(n);
    for (Index i = 0; i < n; ++i) out.weights[i] = std::floor(random.uniform(0, 4));
  }
  return out;
}

// Three classes by the largest of three scores with noise, so that their probabilities differ from row to row.
LabelledRows three_classes(std::uint64_t seed, Index n) {
  LabelledRows out = table_of(seed, n, false);
  Random random(seed + 1000);
  for (Index i = 0; i < n; ++i) {
    const double u = random.uniform(), f = out.X(i, 0);
    const Vector score = (Vector(3) << std::sin(2 * f), 0.7 * std::cos(f), 0.02 * (out.X(i, 1) - 1000)).finished();
    const Vector p = (2 * score).array().exp();
    out.y[i] = u < p[0] / p.sum() ? -1 : u < (p[0] + p[1]) / p.sum() ? 2 : 5;
  }
  return out;
}

// The rows again and again, as their weights say.
LabelledRows repeated(const LabelledRows& table) {
  std::vector<Index> rows;
  for (Index i = 0; i < table.y.size(); ++i) rows.insert(rows.end(), static_cast<std::size_t>(table.weights[i]), i);
  return {table.X(rows, Eigen::all), table.y(rows), {}};
}

// A question about a table in the units of its own rows, with the first rows as centres.
struct Asked {
  LabelledRows table;  // without rows of weight 0
  Matrix Z;
  Vector k, t;
  KernelQuestion question;

  explicit Asked(LabelledRows of, bool classes, bool linear_part, Index num_centres = 20) : table(std::move(of)) {
    std::vector<Index> some;
    for (Index i = 0; i < table.y.size(); ++i)
      if (table.k()[i] > 0) some.push_back(i);
    table = {table.X(some, Eigen::all), table.y(some), table.weights.size() > 0 ? Vector(table.weights(some)) : Vector()};
    k = table.k();
    question.center = table.X.colwise().mean().transpose();
    question.scale =
        ((table.X.rowwise() - question.center.transpose()).cwiseAbs2().colwise().mean()).cwiseSqrt().cwiseInverse().transpose();
    Z = (table.X.rowwise() - question.center.transpose()) * question.scale.asDiagonal();
    question.target_center = classes ? 3 : 5;
    question.target_scale = classes ? 4 : 10;
    t = (table.y.array() - question.target_center) / question.target_scale;
    question.kernel = "gaussian";
    question.group = {0, 1, 1};
    question.linear_part = linear_part;
    question.theta = Vector::Zero(linear_part ? 4 : 3);
    question.theta.segment(1, 2) << 0.2, -0.4;
    question.centres = Z.topRows(num_centres);
    question.classes = classes;
  }
  [[nodiscard]] Covariance covariance() const { return {question.kernel, Z, question.group, question.linear_part}; }
  [[nodiscard]] Hyperparameters theta(double log_h, double log_g) const {
    Vector out = Vector::Zero(question.linear_part ? 4 : 3);
    out[0] = log_h, out.segment(1, 2) = question.theta.segment(1, 2);
    if (question.linear_part) out[3] = log_g;
    return out;
  }
  [[nodiscard]] Passes passes(const AskRows& ask) const {
    RowQuestion::State pass;
    pass.num_rows = table.y.size(), pass.num_columns = 3;
    pass.is_regression = !question.classes;
    pass.labels = {3, 7};
    return {[ask](RowQuestion::State asked) { return ask_rows(ask, std::move(asked)); }, pass};
  }
  [[nodiscard]] PassEvidence evidence(Passes& passes) const {
    const double N = k.sum();
    const double spread = (k.dot(Z.rowwise().squaredNorm()) - (Z.transpose() * k).squaredNorm() / N) / (N - 1);
    return {covariance(), k, N, spread, passes, question};
  }
  [[nodiscard]] std::unique_ptr<LowRankEvidence> in_memory() const {
    auto out = question.classes ? low_rank_classes(covariance(), k, t) : low_rank_regression(covariance(), k, t);
    std::vector<Index> centres;
    for (Index i = 0; i < question.centres.rows(); ++i) centres.push_back(i);
    out->set_centres(centres);
    return out;
  }
};

// (KM.7) with nothing to search: evidence, slope and posterior of rows in memory. The weights of rows in memory say how often they are
// there.
TEST(KernelPasses, GiveTheEvidenceOfRowsInMemory) {
  for (const bool linear_part : {false, true})
    for (const bool weighted : {false, true}) {
      const Asked asked(table_of(1, 2 * 8192 + 700, false, weighted), false, linear_part);
      const AskRows ask = asked.table.rows();
      Passes passes = asked.passes(ask);
      PassEvidence evidence = asked.evidence(passes);
      const auto memory = asked.in_memory();
      for (const double log_h : {-1.0, 2.0, 5.0}) {
        const Hyperparameters theta = asked.theta(log_h, -2);
        const Slope here = evidence.at(theta, true), there = memory->at(theta, true);
        EXPECT_NEAR(here.value, there.value - 0.5 * asked.k.array().log().sum(), 1e-8 * std::abs(there.value));
        for (const Index i : {Index{0}, linear_part ? theta.size() - 1 : 0})
          EXPECT_NEAR(here.gradient[i], there.gradient[i], 1e-7 * std::max(1.0, std::abs(there.gradient[i]))) << i;
        const FeaturePosterior a = evidence.posterior(theta), b = memory->posterior(theta);
        EXPECT_LE((a.mean - b.mean).norm(), 1e-8 * b.mean.norm());
        EXPECT_LE((a.factor - b.factor).norm(), 1e-8 * b.factor.norm());
        EXPECT_NEAR(evidence.fitted(theta).s2, memory->rows(theta).s2, 1e-8);
      }
      EXPECT_EQ(passes.count(), 1);
    }
}

// The slope in the widths is that of rows in memory, and takes one more reading.
TEST(KernelPasses, GiveTheSlopeOfRowsInMemory) {
  for (const bool linear_part : {false, true}) {
    const Asked asked(table_of(15, 9000, false, true), false, linear_part);
    const AskRows ask = asked.table.rows();
    Passes passes = asked.passes(ask);
    PassEvidence evidence = asked.evidence(passes);
    evidence.want_slope_of_widths(true);
    const Hyperparameters theta = asked.theta(2, -2);
    const Vector here = evidence.at(theta, true).gradient, there = asked.in_memory()->at(theta, true).gradient;
    EXPECT_LE((here - there).norm(), 1e-8 * there.norm());
    EXPECT_EQ(passes.count(), 2);
  }
}

TEST(KernelPasses, CountARowAsOftenAsItsWeight) {
  for (const bool classes : {false, true}) {
    const LabelledRows table = table_of(2, 9000, classes, true);
    const Asked asked(table, classes, false);
    Asked again(repeated(table), classes, false);
    again.question = asked.question;
    again.question.mean = Vector::LinSpaced(21, -1, 1), again.question.root = Matrix::Identity(21, 21);
    KernelQuestion question = again.question;
    const AskRows a = asked.table.rows(), b = again.table.rows(777);
    Passes of_weights = asked.passes(a), of_rows = again.passes(b);
    const Vector weighted = of_weights.numbers(std::make_shared<KernelQuestion>(question)),
                 rows = of_rows.numbers(std::make_shared<KernelQuestion>(question));
    EXPECT_LE((weighted - rows).norm(), 1e-11 * rows.norm());
  }
}

// The best Gaussian posterior of two classes: the bound that rows in memory have with these h and g, which is at its maximum there.
TEST(KernelPasses, FindThePosteriorOfClassesInMemory) {
  for (const bool linear_part : {false, true}) {
    const Asked asked(table_of(3, 10000, true, true), true, linear_part);
    const AskRows ask = asked.table.rows();
    Passes passes = asked.passes(ask);
    PassEvidence evidence = asked.evidence(passes);
    ClassPasses steps(passes, asked.question, evidence);
    const auto memory = asked.in_memory();
    const Index size = asked.question.num_features() + 1;
    steps.run(asked.theta(1, -1), {Vector::Zero(size), 30 * Matrix::Identity(size, size)});
    EXPECT_TRUE(steps.converged());
    EXPECT_LE(passes.count(), 15);
    memory->set_tolerance(1e-7);
    const Slope there = memory->at(steps.theta(), true);
    EXPECT_NEAR(steps.bound(), there.value, 0.005);
    EXPECT_NEAR(there.gradient[0], 0, 0.1);
    EXPECT_NEAR(there.gradient[linear_part ? 3 : 0], 0, 0.1);
    const FeaturePosterior posterior = memory->posterior(steps.theta());
    const Vector off = posterior.factor.transpose().triangularView<Eigen::Upper>() * (steps.posterior().mean - posterior.mean);
    EXPECT_LE(off.norm(), 0.1);  // standard deviations in the worst direction: .005 nats
  }
}

// At a posterior that was found, and at other widths: value and slope of rows in memory.
TEST(KernelPasses, GiveTheSlopeOfClassesInMemory) {
  for (const bool linear_part : {false, true}) {
    const Asked asked(table_of(22, 10000, true, true), true, linear_part);
    const AskRows ask = asked.table.rows();
    Passes passes = asked.passes(ask);
    PassEvidence evidence = asked.evidence(passes);
    ClassPasses steps(passes, asked.question, evidence);
    const auto memory = asked.in_memory();
    memory->set_tolerance(1e-7);
    const Index size = asked.question.num_features() + 1;
    steps.run(asked.theta(1, -1), {Vector::Zero(size), 30 * Matrix::Identity(size, size)});
    Hyperparameters theta = steps.theta();
    const auto compare = [&](double of_value, double of_slope) {
      const Slope here = steps.at(theta, true), there = memory->at(theta, true);
      EXPECT_NEAR(here.value, there.value, of_value);
      EXPECT_LE((here.gradient - there.gradient).norm(), of_slope * there.gradient.norm());
    };
    compare(0.002, 0.002);
    theta.segment(1, 2) += Vector{{0.1, -0.1}}, theta[0] -= 0.2;
    compare(0.05, 0.02);  // the first posterior that is less than a nat away
  }
}

// The widths with the highest bound: that of rows in memory hardly rises from there.
TEST(KernelPasses, FindTheWidthsOfClassesInMemory) {
  const Asked asked(table_of(23, 20000, true), true, false);
  const AskRows ask = asked.table.rows();
  Passes passes = asked.passes(ask);
  PassEvidence evidence = asked.evidence(passes);
  ClassPasses steps(passes, asked.question, evidence);
  const Index size = asked.question.num_features() + 1;
  steps.run(asked.theta(1, 0), {Vector::Zero(size), 30 * Matrix::Identity(size, size)});
  const double before = steps.bound();
  WidthHypothesis from;
  from.best.theta = steps.theta();
  from.covariance = 0.01 * Matrix::Identity(3, 3);
  const Maximum better = climb_further(steps, {}, from, 1, 40);
  EXPECT_TRUE(better.converged);
  steps.run(better.theta, steps.posterior_near(better.theta));
  EXPECT_GT(steps.bound(), before + 10);
  EXPECT_NEAR(steps.bound(), better.value, 0.1);
  const auto memory = asked.in_memory();
  WidthHypothesis found;
  found.best.theta = steps.theta();
  found.covariance = from.covariance;
  EXPECT_LE(find_hypothesis(*memory, {}, found, 1, Ending::exact).best.value, steps.bound() + 0.3);
}

// A sample of 4000 rows in place of 20,000, so that fits by passes need fewer rows.
constexpr Index rows_of_small_sample = 4000, rows_of_passes = 2 * rows_of_small_sample + 1000;
AskRows in_passes(const LabelledRows& table, Index size = 3000) { return with_sample_of(rows_of_small_sample, table.rows(size)); }

KernelOptions few_centres(Index centres = 25) {
  KernelOptions options;
  options.centres = centres;
  options.kernel = "gaussian";
  return options;
}

KernelOptions given_width() {
  KernelOptions options = few_centres();
  options.search = WidthSearch::given, options.widths = {1.5};
  return options;
}

// Not all rows were in the sample.
bool was_read_in_passes(const KernelFit& fit) {
  return std::ranges::any_of(fit.report.notes, [](const std::string& note) { return note.starts_with("the rows were read "); });
}

// (ST.2)
TEST(KernelPasses, HaveTheSameBitsForPiecesOfAnySize) {
  const auto regression = [](const AskRows& ask, const KernelOptions& options) {
    const KernelRegression fit = fit_kernel_regression(with_sample_of(rows_of_small_sample, ask), options);
    EXPECT_TRUE(was_read_in_passes(fit));
    return fit;
  };
  const auto classification = [](const AskRows& ask, const KernelOptions& options) {
    const KernelClassification fit = fit_kernel_classification(with_sample_of(rows_of_small_sample, ask), options);
    EXPECT_TRUE(was_read_in_passes(fit));
    return fit;
  };
  KernelOptions given = given_width();
  given.centres = 10;
  given.linear_part = true;
  testing::expect_same_bits(table_of(4, 3 * 8192 + 100, false, true), few_centres(10), regression);
  testing::expect_same_bits(table_of(5, 2 * 8192 + 100, true), few_centres(5), classification);
  testing::expect_same_bits(three_classes(19, 2 * 8192 + 100), given, classification);
}

TEST(KernelPasses, PredictAsAFitInMemory) {
  const LabelledRows table = table_of(6, rows_of_passes, false), fresh = table_of(7, 2000, false);
  const KernelRegression passes = fit_kernel_regression(in_passes(table), few_centres()),
                         memory = internal::fit_regression_in_memory(table.X, table.y, few_centres());
  EXPECT_EQ(passes.report.status, Status::converged) << passes.report.message;
  EXPECT_EQ(passes.num_rows, rows_of_passes);
  EXPECT_TRUE(was_read_in_passes(passes));
  EXPECT_NEAR(passes.noise_sd, memory.noise_sd, 0.01);
  EXPECT_NEAR(passes.signal_sd, memory.signal_sd, 0.05);
  EXPECT_NEAR(passes.r_squared, memory.r_squared, 0.002);
  EXPECT_NEAR(
      passes.r_squared,
      [&] {
        const Vector off = table.y - predict(passes, table.X).mean;
        return 1 - off.squaredNorm() / (table.y.array() - table.y.mean()).square().sum();
      }(),
      1e-6);
  const auto error = [&](const KernelRegression& fit) {
    const Vector mean = predict(fit, fresh.X).mean;
    double sum = 0;
    for (Index i = 0; i < 2000; ++i) {
      Matrix row = fresh.X.row(i);
      row(0, 1) = (row(0, 1) - 1000) / 100;
      sum += std::pow(mean[i] - 10 * truth(row, 0), 2);
    }
    return std::sqrt(sum / 2000);
  };
  EXPECT_LE(error(passes), 1.2 * error(memory));
  EXPECT_NEAR(passes.log_evidence, memory.log_evidence, 0.002 * rows_of_passes);
  for (std::size_t i = 0; i < passes.relevance_rows.size(); ++i)
    EXPECT_EQ(passes.relevance_vectors.row(static_cast<Index>(i)), table.X.row(passes.relevance_rows[i]));
}

// A table in memory goes the same way if it has many rows that differ.
TEST(KernelPasses, AreTheFitOfManyRowsInMemory) {
  LabelledRows table = table_of(6, 56000, false, true);
  KernelOptions options = given_width();
  options.weights = table.weights;
  const KernelRegression passes = fit_kernel_regression(table.rows(), given_width()),
                         memory = fit_kernel_regression(table.X, table.y, options);
  EXPECT_EQ(predict(memory, table.X).mean, predict(passes, table.X).mean);
  EXPECT_EQ(memory.relevance_rows, passes.relevance_rows);
  EXPECT_TRUE(was_read_in_passes(memory));
  const LabelledRows classes = table_of(8, 41000, true);
  EXPECT_EQ(predict(fit_kernel_classification(classes.X, classes.y, given_width()), classes.X).probability,
            predict(fit_kernel_classification(classes.rows(), given_width()), classes.X).probability);
  for (Index i = 28000; i < 56000; ++i) table.X.row(i) = table.X.row(i - 28000), table.y[i] = table.y[i - 28000];  // no new row
  EXPECT_FALSE(was_read_in_passes(fit_kernel_regression(table.X, table.y, options)));
}

TEST(KernelPasses, PredictClassesAsAFitInMemory) {
  const LabelledRows table = table_of(8, rows_of_passes, true), fresh = table_of(9, 2000, true);
  KernelOptions named = few_centres();
  const KernelClassification passes = fit_kernel_classification(in_passes(table), named),
                             memory = internal::fit_classes_in_memory(table.X, table.y, named);
  EXPECT_EQ(passes.report.status, Status::converged) << passes.report.message;
  EXPECT_TRUE(was_read_in_passes(passes));
  EXPECT_EQ(passes.classes, memory.classes);
  EXPECT_NEAR(passes.log_loss, memory.log_loss, 5e-4);
  EXPECT_NEAR(passes.accuracy, memory.accuracy, 3e-3);
  const Vector a = predict(passes, fresh.X).probability.col(1), b = predict(memory, fresh.X).probability.col(1);
  EXPECT_LE(std::sqrt((a - b).squaredNorm() / 2000), 0.02);
  const Vector p = predict(passes, table.X).probability.col(1);
  double loss = 0;
  for (Index i = 0; i < rows_of_passes; ++i) loss -= std::log(table.y[i] == 7 ? p[i] : 1 - p[i]);
  EXPECT_NEAR(passes.log_loss, loss / rows_of_passes, 1e-6);
}

// Parts of the rows are summed apart, sent as bytes, and merged.
TEST(KernelPasses, OfPartsGiveTheSameFit) {
  for (const bool classes : {false, true}) {
    const LabelledRows table = table_of(10, 3 * rows_of_small_sample, classes, true);
    const AskRows in_parts = with_sample_of(rows_of_small_sample, table.in_parts(1400)), at_once = in_passes(table);
    KernelOptions options = few_centres();
    options.search = WidthSearch::each;
    options.centres = 60;
    if (classes) options.search = WidthSearch::given, options.widths = {2};
    KernelFit parts, whole;  // of different samples, and so with different centres
    if (classes) {
      const auto a = fit_kernel_classification(in_parts, options), b = fit_kernel_classification(at_once, options);
      EXPECT_NEAR(a.log_loss, b.log_loss, 0.005);
      parts = a, whole = b;
    } else {
      const auto a = fit_kernel_regression(in_parts, options), b = fit_kernel_regression(at_once, options);
      EXPECT_NEAR(a.r_squared, b.r_squared, 0.005);
      parts = a, whole = b;
    }
    EXPECT_TRUE(was_read_in_passes(parts) && was_read_in_passes(whole));
    for (std::size_t i = 0; i < parts.relevance_rows.size(); ++i)
      EXPECT_EQ(parts.relevance_vectors.row(static_cast<Index>(i)), table.X.row(parts.relevance_rows[i]));
  }
}

int num_reads(const KernelFit& fit) {
  for (const std::string& note : fit.report.notes)
    if (int reads = 0; std::sscanf(note.c_str(), "the rows were read %d times", &reads) == 1) return reads;
  return 0;
}

// The machine of a class is that of two classes, itself and the rest, to the last bit; they share each read of the rows.
TEST(KernelPasses, FitEachOfSeveralClassesAgainstTheRest) {
  const LabelledRows table = three_classes(16, rows_of_passes);
  const KernelClassification several = fit_kernel_classification(in_passes(table), few_centres(5));
  ASSERT_TRUE(was_read_in_passes(several));
  EXPECT_EQ(several.classes, (std::vector<std::string>{"-1", "2", "5"}));
  ASSERT_EQ(several.processes.size(), 3U);
  int most = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    LabelledRows rest = table;
    rest.y = (table.y.array() == Vector{{-1, 2, 5}}[static_cast<Index>(c)]).cast<double>();
    const KernelClassification two = fit_kernel_classification(in_passes(rest, 5000), few_centres(5));
    const KernelPoint &here = several.processes[c].points[0], &there = two.processes[0].points[0];
    EXPECT_EQ(here.mean, there.mean);
    EXPECT_EQ(here.factor, there.factor);
    EXPECT_EQ(here.signal, there.signal);
    EXPECT_EQ(several.processes[c].log_evidence, two.log_evidence);
    EXPECT_EQ(several.processes[c].hypotheses[0].widths, two.processes[0].hypotheses[0].widths);
    for (std::size_t i = 0; i < here.vectors.size(); ++i)
      EXPECT_EQ(several.relevance_rows[static_cast<std::size_t>(here.vectors[i])],
                two.relevance_rows[static_cast<std::size_t>(there.vectors[i])]);
    most = std::max(most, num_reads(two));
  }
  EXPECT_EQ(num_reads(several), most + 1);
}

TEST(KernelPasses, PredictSeveralClassesAsAFitInMemory) {
  const LabelledRows table = three_classes(17, 40100), fresh = three_classes(18, 4000);
  KernelOptions options = few_centres(12);
  options.search = WidthSearch::each;
  const KernelClassification passes = fit_kernel_classification(table.rows(), options),
                             memory = internal::fit_classes_in_memory(table.X, table.y, options);
  EXPECT_EQ(passes.report.status, Status::converged) << passes.report.message;
  EXPECT_EQ(passes.classes, memory.classes);
  EXPECT_NEAR(passes.log_loss, memory.log_loss, 1e-3);
  EXPECT_NEAR(passes.accuracy, memory.accuracy, 3e-3);
  EXPECT_NEAR(passes.odds_power, memory.odds_power, 0.051);
  const auto score = [](const KernelClassification& fit, const LabelledRows& rows) {
    const ClassProbabilities p = predict(fit, rows.X);
    double correct = 0, loss = 0;
    for (Index i = 0; i < rows.y.size(); ++i) {
      const Index c = rows.y[i] < 0 ? 0 : rows.y[i] < 3 ? 1 : 2;
      loss -= std::log(p.probability(i, c)), correct += p.most_probable[static_cast<std::size_t>(i)] == c;
    }
    const double n = static_cast<double>(rows.y.size());
    return std::pair{correct / n, loss / n};
  };
  EXPECT_NEAR(score(passes, fresh).second, score(memory, fresh).second, 1e-3);
  EXPECT_NEAR(passes.accuracy, score(passes, table).first, 1e-12);
  EXPECT_NEAR(passes.log_loss, score(passes, table).second, 1e-6);
}

TEST(KernelPasses, FitASmallTableInMemory) {
  const LabelledRows table = table_of(11, 150, false);
  KernelOptions options;
  options.num_vectors = 7;
  EXPECT_EQ(bits_of(fit_kernel_regression(table.rows(77), options)), bits_of(fit_kernel_regression(table.X, table.y, options)));
  const LabelledRows classes = table_of(12, 150, true);
  EXPECT_EQ(bits_of(fit_kernel_classification(classes.rows(77))), bits_of(fit_kernel_classification(classes.X, classes.y)));
  const LabelledRows several = three_classes(20, 150);
  EXPECT_EQ(bits_of(fit_kernel_classification(several.rows(77))), bits_of(fit_kernel_classification(several.X, several.y)));
}

TEST(KernelPasses, RefuseRowsThatChange) {
  const LabelledRows table = table_of(13, rows_of_passes, false);
  KernelOptions options = few_centres();
  options.search = WidthSearch::given, options.widths = {1.5};
  const auto fit_with = [&](const std::function<void(LabelledRows&)>& change) {
    int pass = 0;
    static_cast<void>(fit_kernel_regression(
        [&](const RowQuestion& question) {
          LabelledRows now = table;
          if (++pass > 1) change(now);
          return in_passes(now)(question);
        },
        options));
  };
  expect_invalid([&] { fit_with([](LabelledRows& now) { now.X(17, 1) += 1e-9; }); }, {"the rows have changed between two passes"});
  expect_invalid([&] { fit_with([](LabelledRows& now) { now.y[17] += 1e-9; }); }, {"the rows have changed between two passes"});
  expect_invalid(
      [&] {
        fit_with([](LabelledRows& now) {
          now.y.conservativeResize(rows_of_passes - 1);
          now.X.conservativeResize(rows_of_passes - 1, 3);
        });
      },
      {"there were 9000 rows, and now there are 8999"});
}

TEST(KernelPasses, NameWhatIsWrong) {
  const LabelledRows table = table_of(14, rows_of_passes, false);
  const auto fit = [&](const std::function<void(KernelOptions&)>& change, const LabelledRows& of) {
    KernelOptions options = few_centres();
    change(options);
    static_cast<void>(fit_kernel_regression(in_passes(of), options));
  };
  expect_invalid([&] { fit([](KernelOptions& o) { o.centres = 0, o.all_centres = true; }, table); },
                 {"centres = all needs the whole table"});
  expect_invalid([&] { fit([](KernelOptions& o) { o.num_vectors = 5; }, table); }, {"vectors needs the whole table"});
  expect_invalid([&] { fit([](KernelOptions& o) { o.kernel = "round"; }, table); }, {"kernel is 'round'"});
  LabelledRows gap = table;
  gap.X(8000, 1) = std::nan("");
  expect_invalid([&] { fit([](KernelOptions& o) { o.input_names = {"a", "age", "c"}; }, gap); }, {"row 8001", "'age'"});
  expect_invalid([&] { static_cast<void>(fit_kernel_classification(in_passes(table))); }, {"there are 1000 others already"});
  LabelledRows rare = three_classes(21, rows_of_passes);
  for (double& label : rare.y) label = label == 5 ? 2 : label;
  rare.y[17] = 5;
  expect_invalid([&] { static_cast<void>(fit_kernel_classification(in_passes(rare), few_centres())); },
                 {"class '5' against the rest", "too rare", "of 500 rows"});
  KernelOptions named = few_centres();
  named.class_names = {"a", "b", "a", "c", "d", "e"};
  rare.y = rare.y.cwiseMax(0);
  expect_invalid([&] { static_cast<void>(fit_kernel_classification(in_passes(rare), named)); }, {"class_names holds 'a' twice"});
}

}  // namespace
}  // namespace ardvark
