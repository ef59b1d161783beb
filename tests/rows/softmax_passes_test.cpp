// A softmax whose rows are not in memory.                                                               docs/math/passes.md (PASS.8)
#include "fit/softmax_passes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../support/same_bits.hpp"
#include "../support/thrown.hpp"
#include "labelled_rows.hpp"
#include "method/softmax/softmax_rows.hpp"

namespace ardvark {
namespace {

using internal::SoftmaxQuestion;
using internal::SoftmaxSums;
using testing::expect_invalid;
using testing::LabelledRows;
using testing::Random;
using testing::table_of_classes;

// ---- one pass ---------------------------------------------------------------------------------------------------------------------------

SoftmaxQuestion question_at(const Matrix& W, Index C) {
  SoftmaxQuestion out;
  for (Index c = 0; c < C; ++c) out.labels.push_back(static_cast<double>(2 * c + 1));
  out.units = {Vector::LinSpaced(W.rows() - 1, -1, 2), Vector::LinSpaced(W.rows() - 1, 0.01, 0.03), true};
  out.W = W;
  return out;
}

SoftmaxSums sums_at(SoftmaxQuestion question, const Matrix& W, const LabelledRows& table) {
  question.W = W;
  return SoftmaxSums::unpacked(question.sums_of({table.X, table.y, table.weights}), W.rows(), W.cols());
}

// The columns in the units of the question, and ones.
Matrix design_of(const SoftmaxQuestion& question, const Matrix& X) {
  Matrix Z(X.rows(), X.cols() + 1);
  Z << (X.rowwise() - question.units.center.transpose()) * question.units.scale.asDiagonal(), Vector::Ones(X.rows());
  return Z;
}

TEST(SoftmaxOfRows, SumsAreThoseOfTheFormulas) {
  for (const Index C : {2, 3, 6}) {
    const Index n = 700, p = 4, q = p + 1;
    const LabelledRows table = table_of_classes(1, n, p, C, 0.8, true);
    const Matrix W = 0.3 * Random(2).normals(q, C);
    const SoftmaxQuestion question = question_at(W, C);
    const Matrix Z = design_of(question, table.X), F = Z * W;
    double log_likelihood = 0, missed = 0;
    Matrix gradient = Matrix::Zero(q, C), H = Matrix::Zero(q * C, q * C);
    for (Index i = 0; i < n; ++i) {
      const Vector p_i = F.row(i).array().exp() / F.row(i).array().exp().sum();
      const Index own = static_cast<Index>(table.y[i] - 1) / 2;
      const Matrix omega = table.weights[i] * (Matrix(p_i.asDiagonal()) - p_i * p_i.transpose());
      log_likelihood += table.weights[i] * std::log(p_i[own]);
      Vector e = -table.weights[i] * p_i;
      e[own] += table.weights[i];
      gradient += Z.row(i).transpose() * e.transpose();
      missed += table.weights[i] > 0 && F.row(i).maxCoeff() > F(i, own) ? 1 : 0;
      for (Index c = 0; c < C; ++c)
        for (Index d = 0; d < C; ++d) H.block(c * q, d * q, q, q) += omega(c, d) * Z.row(i).transpose() * Z.row(i);
    }
    const SoftmaxSums sums = sums_at(question, W, table);
    EXPECT_NEAR(sums.log_likelihood, log_likelihood, 1e-12 * std::abs(log_likelihood));
    EXPECT_EQ(sums.num_missed, missed);
    EXPECT_EQ(sums.num_moved, 0);
    EXPECT_LE((sums.gradient - gradient).cwiseAbs().maxCoeff(), 1e-12 * static_cast<double>(n));
    const Matrix lower = H.triangularView<Eigen::Lower>();
    EXPECT_LE((sums.hessian() - lower).cwiseAbs().maxCoeff(), 1e-12 * H.cwiseAbs().maxCoeff());
  }
}

TEST(SoftmaxOfRows, DerivativesAreDifferences) {
  const Index p = 3, q = p + 1, C = 4;
  const LabelledRows table = table_of_classes(3, 500, p, C, 0.8, true);
  const Matrix W = 0.3 * Random(4).normals(q, C);
  const SoftmaxQuestion question = question_at(W, C);
  const SoftmaxSums here = sums_at(question, W, table);
  const Matrix lower = here.hessian(), H = lower + Matrix(lower.triangularView<Eigen::StrictlyLower>()).transpose();
  constexpr double step = 1e-5;
  for (Index i = 0; i < W.size(); ++i) {
    Matrix ahead = W, behind = W;
    ahead.reshaped()[i] += step, behind.reshaped()[i] -= step;
    const SoftmaxSums a = sums_at(question, ahead, table), b = sums_at(question, behind, table);
    EXPECT_NEAR((a.log_likelihood - b.log_likelihood) / (2 * step), here.gradient.reshaped()[i], 1e-5);
    const Vector column = (b.gradient - a.gradient).reshaped() / (2 * step);
    EXPECT_LE((column - H.col(i)).cwiseAbs().maxCoeff(), 1e-5);
  }
}

// A row counts as moved if a score changes by .1, apart from what all scores have in common.
TEST(SoftmaxOfRows, CountTheRowsThatMove) {
  const Index p = 2, C = 3;
  const LabelledRows table = table_of_classes(5, 301, p, C);
  SoftmaxQuestion question = question_at(0.3 * Random(6).normals(p + 1, C), C);
  Matrix step = Random(7).normals(p + 1, C), moved = design_of(question, table.X) * step;
  moved.colwise() -= Vector(moved.rowwise().mean());
  Vector largest = moved.cwiseAbs().rowwise().maxCoeff();
  std::ranges::sort(largest);
  step *= 0.1 / (0.5 * (largest[99] + largest[100]));
  step.colwise() += 5 * Random(8).normals(p + 1);
  question.before = question.W - step;
  EXPECT_EQ(sums_at(question, question.W, table).num_moved, 201);
}

// A step that adds to the score of one class pushes the rows of the others.
TEST(SoftmaxOfRows, CountTheRowsThatArePushedToAnotherClass) {
  const Index p = 2, C = 3;
  LabelledRows table = table_of_classes(9, 301, p, C, 0.8, true);
  SoftmaxQuestion question = question_at(0.3 * Random(6).normals(p + 1, C), C);
  question.before = question.W;
  for (const double step : {1e-3, 1e-8}) {
    question.before(p, 1) = question.W(p, 1) - step;
    const Index others = (table.y.array() != 3 && table.weights.array() > 0).count();
    EXPECT_EQ(sums_at(question, question.W, table).num_pushed, step > 1e-7 ? others : 0);
  }
}

// ---- the fit ----------------------------------------------------------------------------------------------------------------------------

// To the end.
SoftmaxFit softmax_in_memory(const LabelledRows& table, SoftmaxOptions options) {
  options.tolerance = 1e-13;
  options.max_sweeps = 3000;
  if (table.weights.size() > 0) options.weights = table.weights;
  return fit_softmax(table.X, table.y, options);
}

void expect_same_softmax(const SoftmaxFit& passes, const SoftmaxFit& memory, double sds = 0.01, double of_sds = 0.005) {
  EXPECT_EQ(passes.report.status, memory.report.status) << passes.report.message;
  EXPECT_EQ(passes.coding, ClassCoding::softmax);
  EXPECT_EQ(memory.coding, ClassCoding::softmax);
  EXPECT_EQ(passes.classes, memory.classes);
  EXPECT_EQ(passes.prior, memory.prior);
  EXPECT_EQ(passes.relevant, memory.relevant);
  EXPECT_EQ(passes.left_out, memory.left_out);
  EXPECT_EQ(passes.column_names, memory.column_names);
  const Matrix sd = (memory.variance.array() > 0).select(memory.variance.cwiseSqrt(), 1.0);
  EXPECT_LE((passes.mean - memory.mean).cwiseQuotient(sd).cwiseAbs().maxCoeff(), sds);
  EXPECT_LE(((passes.variance.cwiseSqrt() - memory.variance.cwiseSqrt()).cwiseQuotient(sd)).cwiseAbs().maxCoeff(), of_sds);
  EXPECT_LE((passes.relevance - memory.relevance).cwiseAbs().maxCoeff(), of_sds);
  ASSERT_EQ(passes.intercept.size(), memory.intercept.size());
  if (memory.intercept.size() > 0) {
    const Vector of_intercept = memory.intercept_variance.cwiseSqrt();
    EXPECT_LE((passes.intercept - memory.intercept).cwiseQuotient(of_intercept).cwiseAbs().maxCoeff(), sds);
    EXPECT_LE((passes.intercept_variance.cwiseSqrt().cwiseQuotient(of_intercept).array() - 1).abs().maxCoeff(), of_sds);
  }
  EXPECT_NEAR(passes.bound, memory.bound, 0.001);
  EXPECT_EQ(passes.report.bound, passes.bound);
  EXPECT_EQ(passes.report.bound_history.back(), passes.bound);
  EXPECT_NEAR(passes.log_det_V, memory.log_det_V, 0.01);
  EXPECT_NEAR(passes.accuracy, memory.accuracy, 1e-3);
  EXPECT_NEAR(passes.log_loss, memory.log_loss, 2e-6);
  EXPECT_NEAR(passes.num_rows, memory.num_rows, 1e-9 * memory.num_rows);
  EXPECT_LE((passes.class_weight - memory.class_weight).cwiseAbs().maxCoeff(), 1e-9 * memory.num_rows);
  EXPECT_NEAR(passes.effective_parameters, memory.effective_parameters, 0.02);
}

TEST(SoftmaxByPasses, GivesTheFitOfRowsInMemory) {
  for (const PriorKind kind : {PriorKind::automatic, PriorKind::shared, PriorKind::ard, PriorKind::none})
    for (const Index C : {3, 5}) {
      const LabelledRows table = table_of_classes(3, 13000, 4, C, 0.8, C == 5);
      SoftmaxOptions options;
      options.prior.kind = kind;
      SCOPED_TRACE(fmt::format("prior {}, {} classes", to_string(kind), C));
      expect_same_softmax(fit_softmax(table.rows(), options), softmax_in_memory(table, options));
    }
}

TEST(SoftmaxByPasses, GivesTheFitOfRowsInMemoryUnderEachOption) {
  const LabelledRows table = table_of_classes(4, 14000, 7, 3);
  SoftmaxOptions groups, flat, fixed, no_intercept, as_they_are, penalised, per_class, groups_per_class, vb, hyper, started;
  groups.prior = groups_per_class.prior = Prior::groups({0, 0, 1, 1, 1, 2, 2});
  for (SoftmaxOptions* ard : {&flat, &penalised, &per_class, &vb, &hyper, &started}) ard->prior.kind = PriorKind::ard;
  for (SoftmaxOptions* shared : {&fixed, &no_intercept, &as_they_are}) shared->prior.kind = PriorKind::shared;
  flat.prior.flat_columns = {1, 5};
  fixed.prior.fixed_columns = {0, 3}, fixed.prior.fixed_precision = {100.0, 1e4};
  no_intercept.intercept = false;
  as_they_are.standardize = false;
  penalised.penalize_intercept = true;
  per_class.precision_per_class = groups_per_class.precision_per_class = true;
  vb.rule = UpdateRule::vb;
  hyper.precision = {2, 0.5};
  started.start_precision.assign(7, 3.0);
  int number = 0;
  for (const SoftmaxOptions* options :
       {&groups, &flat, &fixed, &no_intercept, &as_they_are, &penalised, &per_class, &groups_per_class, &vb, &hyper, &started}) {
    SCOPED_TRACE(fmt::format("options {}", ++number));
    expect_same_softmax(fit_softmax(table.rows(), *options), softmax_in_memory(table, *options));
  }
}

TEST(SoftmaxByPasses, GivesTheFitOfRowsInMemoryForRandomTables) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Random random(seed);
    const auto C = static_cast<Index>(random.uniform(2.0, 5.99)), p = static_cast<Index>(random.uniform(1.0, 6.99));
    const LabelledRows table = table_of_classes(100 + seed, 13000, p, C, random.uniform(0.1, 2), random.chance(0.4));
    SoftmaxOptions options;
    options.coding = ClassCoding::softmax;
    options.prior.kind = random.chance(0.5) ? PriorKind::ard : PriorKind::shared;
    options.intercept = random.chance(0.8);
    options.penalize_intercept = options.intercept && random.chance(0.3);
    options.standardize = random.chance(0.7);
    options.precision_per_class = random.chance(0.3);
    if (random.chance(0.3)) options.prior.flat_columns = {p - 1};
    SCOPED_TRACE(fmt::format("seed {}: {} columns, {} classes", seed, p, C));
    const SoftmaxFit passes = fit_softmax(table.rows(), options);
    SoftmaxFit memory = softmax_in_memory(table, options);
    if (options.precision_per_class && std::abs(passes.bound - memory.bound) > 0.001) {
      // Each class may be the one without weight of a column, so there are several maxima. A fit in memory that begins there stays there.
      for (const double a : passes.precision.reshaped()) options.start_precision.push_back(a > 0 ? a : 1);
      memory = softmax_in_memory(table, options);
    }
    expect_same_softmax(passes, memory);
  }
}

TEST(SoftmaxByPasses, PredictsAsTheFitInMemory) {
  const LabelledRows table = table_of_classes(6, 12000, 5, 4), fresh = table_of_classes(7, 300, 5, 4);
  const SoftmaxFit passes = fit_softmax(table.rows()), memory = softmax_in_memory(table, {});
  EXPECT_LE((predict(passes, fresh.X).probability - predict(memory, fresh.X).probability).cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_LE((passes.covariance() - memory.covariance()).cwiseAbs().maxCoeff(), 0.005 * memory.covariance().cwiseAbs().maxCoeff());
}

// (ST.2)
TEST(SoftmaxByPasses, HasTheSameBitsForPiecesOfAnySize) {
  for (const Index p : {4, 40})
    testing::expect_same_bits(table_of_classes(8, 2 * 8192 + 5000, p, 3, 0.8, p == 4), SoftmaxOptions(),
                              [](const AskRows& ask, const SoftmaxOptions& options) { return fit_softmax(ask, options); });
}

// A row of weight 2 is two rows.
TEST(SoftmaxByPasses, AWeightIsARepetition) {
  const auto [table, twice] = testing::weighted_and_repeated(table_of_classes(9, 12000, 4, 3));
  expect_same_softmax(fit_softmax(table.rows()), fit_softmax(twice.rows()), 0.01, 0.001);
}

// Parts of the rows are summed apart, sent as bytes, and merged.
TEST(SoftmaxByPasses, OfPartsGivesTheSameFit) {
  const LabelledRows table = table_of_classes(11, 14000, 5, 3, 0.8, true);
  const AskRows in_parts = table.in_parts(4000);
  expect_same_softmax(fit_softmax(in_parts), softmax_in_memory(table, {}));
}

// Four rows of twelve thousand have a class that the sample need not have.
TEST(SoftmaxByPasses, FitsARareClass) {
  LabelledRows table = table_of_classes(12, 12000, 3, 3);
  for (const Index row : {50, 900, 7000, 11000}) table.y[row] = 9;
  for (const PriorKind kind : {PriorKind::shared, PriorKind::ard}) {
    SoftmaxOptions options;
    options.prior.kind = kind;
    expect_same_softmax(fit_softmax(table.rows(), options), softmax_in_memory(table, options));
  }
}

TEST(SoftmaxByPasses, LeavesOutConstantColumnsAndCopies) {
  LabelledRows table = table_of_classes(13, 12000, 5, 3);
  table.X.col(1).setConstant(7);
  table.X.col(4) = table.X.col(2);
  for (const PriorKind kind : {PriorKind::ard, PriorKind::none}) {
    SoftmaxOptions options;
    options.prior.kind = kind;
    const SoftmaxFit fit = fit_softmax(table.rows(), options);
    EXPECT_EQ(fit.left_out, (std::vector<bool>{false, true, false, false, true}));
    expect_same_softmax(fit, softmax_in_memory(table, options));
  }
}

// Without an intercept, a column of zeros says nothing: each class has the same probability.
TEST(SoftmaxByPasses, MayHaveNoColumn) {
  LabelledRows table = table_of_classes(14, 12000, 1, 3);
  table.X.setZero();
  SoftmaxOptions options;
  options.intercept = false;
  options.prior.kind = PriorKind::shared;
  const SoftmaxFit passes = fit_softmax(table.rows(), options), memory = softmax_in_memory(table, options);
  EXPECT_EQ(passes.report.status, memory.report.status);
  EXPECT_EQ(passes.left_out, memory.left_out);
  EXPECT_EQ(passes.bound, memory.bound);
  EXPECT_NEAR(passes.log_loss, std::log(3.0), 1e-12);
}

// Columns without a prior whose sum is another one: the likelihood has no single maximum.
TEST(SoftmaxByPasses, SaysThatColumnsDepend) {
  LabelledRows table = table_of_classes(14, 12000, 4, 3);
  table.X.col(3) = table.X.col(0) + table.X.col(1);
  SoftmaxOptions options;
  options.prior.kind = PriorKind::none;
  const SoftmaxFit passes = fit_softmax(table.rows(), options), memory = softmax_in_memory(table, options);
  EXPECT_EQ(passes.report.status, memory.report.status) << passes.report.message;
  EXPECT_EQ(passes.report.status, Status::not_positive_definite);
}

// One class against the others, or all classes, are separated by a line; with a prior there is a posterior.
TEST(SoftmaxByPasses, SaysThatClassesAreSeparated) {
  for (const bool all : {false, true}) {
    LabelledRows table = table_of_classes(15, 12000, 2, 3);
    const Vector x = table.X.col(0).array() - table.X.col(0).mean();
    const double sd = std::sqrt(x.squaredNorm() / 12000);
    for (Index i = 0; i < 12000; ++i) {
      if (all)
        table.y[i] = x[i] < -sd ? 1 : x[i] < sd ? 3 : 5;
      else if (table.y[i] == 1 || x[i] > sd)
        table.y[i] = x[i] > sd ? 1 : 3;
    }
    SoftmaxOptions none, shared;
    none.prior.kind = PriorKind::none, shared.prior.kind = PriorKind::shared;
    const SoftmaxFit passes = fit_softmax(table.rows(), none), with_prior = fit_softmax(table.rows(), shared);
    EXPECT_NE(fit_softmax(table.X, table.y, none).report.status, Status::converged);
    EXPECT_EQ(passes.report.status, Status::separated) << passes.report.message;
    EXPECT_TRUE(passes.report.message.find("('x1' most)") != std::string::npos) << passes.report.message;
    EXPECT_TRUE(passes.mean.allFinite());
    EXPECT_TRUE(std::isinf(passes.variance(0, 0)));
    EXPECT_NEAR(passes.accuracy, with_prior.accuracy, all ? 1e-3 : 0.01);
    EXPECT_EQ(with_prior.report.status, Status::converged);
    const SoftmaxFit memory = softmax_in_memory(table, shared);
    EXPECT_LE((with_prior.mean - memory.mean).cwiseQuotient(memory.variance.cwiseSqrt()).cwiseAbs().maxCoeff(), 0.01);
    EXPECT_NEAR(with_prior.bound, memory.bound, 0.01);
  }
}

// Some rows of a column without a prior limit its weights, so that a row far away has a score with a standard deviation of ten or more.
TEST(SoftmaxByPasses, CallsNothingSeparatedThatOneRowFarAwayMoves) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    LabelledRows table = table_of_classes(seed, 12000, 3, 3);
    Random random(seed + 100);
    table.X.col(2).setZero();
    table.X.col(2).head(400) = random.normals(400);
    table.X(5000, 2) = random.scale(300, 3000);
    SoftmaxOptions none;
    none.prior.kind = PriorKind::none;
    EXPECT_EQ(fit_softmax(table.X, table.y, none).report.status, Status::converged);
    const SoftmaxFit fit = fit_softmax(table.rows(), none);
    EXPECT_NE(fit.report.status, Status::separated) << fit.report.message;
  }
}

TEST(SoftmaxByPasses, HasNamesAndSaysHowItWasFitted) {
  LabelledRows table = table_of_classes(16, 12000, 3, 3);
  table.y = (table.y.array() - 1) / 2;
  SoftmaxOptions options;
  options.class_names = {"setosa", "versicolor", "virginica"};
  int reads = 0;
  const SoftmaxFit fit = fit_softmax([&](const RowQuestion& question) { return ++reads, table.rows()(question); }, options);
  EXPECT_EQ(fit.classes, options.class_names);
  std::string notes;
  for (const std::string& note : fit.report.notes) notes += note + "\n";
  EXPECT_NE(notes.find(fmt::format("the rows were read {} times; the passes began at the fit of a sample of 5000 rows", reads)),
            std::string::npos)
      << notes;
  EXPECT_EQ(fit.report.message.find("converged after "), 0) << fit.report.message;
}

TEST(SoftmaxByPasses, TellsItsProgressAndCanBeStopped) {
  const LabelledRows table = table_of_classes(17, 12000, 3, 3);
  SoftmaxOptions options;
  std::vector<int> sweeps;
  options.on_sweep = [&](const Progress& progress) { return sweeps.push_back(progress.sweep), true; };
  EXPECT_EQ(fit_softmax(table.rows(), options).report.status, Status::converged);
  EXPECT_EQ(sweeps.front(), 1);
  options.on_sweep = [](const Progress&) { return false; };
  const SoftmaxFit stopped = fit_softmax(table.rows(), options);
  EXPECT_EQ(stopped.report.status, Status::stopped_by_user);
  EXPECT_EQ(stopped.report.sweeps, 1);
  EXPECT_TRUE(stopped.mean.allFinite());
  options.on_sweep = nullptr, options.max_sweeps = 1;
  EXPECT_EQ(fit_softmax(table.rows(), options).report.status, Status::max_sweeps);
}

TEST(SoftmaxByPasses, RecordsItsPrecisions) {
  const LabelledRows table = table_of_classes(21, 12000, 3, 3);
  SoftmaxOptions options;
  options.record_every = 1, options.max_sweeps = 20;
  options.prior.kind = PriorKind::ard;
  const SoftmaxFit fit = fit_softmax(table.rows(), options), memory = softmax_in_memory(table, options);
  ASSERT_EQ(fit.precision_history.rows(), memory.precision_history.rows());
  ASSERT_EQ(fit.precision_history.cols(), 21);
  EXPECT_EQ(fit.precision_history.col(0), memory.precision_history.col(0));
  EXPECT_NE(fit.precision_history.col(1), fit.precision_history.col(0));
  EXPECT_LE((fit.precision_history.col(20).array() / memory.precision_history.rightCols(1).array() - 1).abs().maxCoeff(), 0.01);
}

// A question whose weights are not those of the columns and classes.
TEST(SoftmaxByPasses, RefusesBytesThatContradictThemselves) {
  for (const auto& [rows, classes] : {std::pair<Index, Index>{2, 2}, {3, 3}, {3, 2}}) {
    SoftmaxQuestion work;
    work.W = Matrix::Zero(rows, classes);
    RowQuestion::State state;
    state.labels = {1, 3}, state.num_columns = 2, state.units.intercept = true;
    state.work = std::make_shared<SoftmaxQuestion>(work);
    const std::string bytes = RowQuestion(std::make_shared<RowQuestion::State>(state)).to_bytes();
    if (rows == 3 && classes == 2)
      EXPECT_EQ(RowQuestion::from_bytes(bytes).to_bytes(), bytes);
    else
      expect_invalid([&] { static_cast<void>(RowQuestion::from_bytes(bytes)); }, {"contradict each other"});
  }
}

TEST(SoftmaxByPasses, NamesWhatIsWrong) {
  LabelledRows table = table_of_classes(18, 12000, 3, 3);
  SoftmaxOptions sparse, pruned, dual;
  sparse.coding = ClassCoding::softmax, sparse.prior.kind = PriorKind::sparse;
  pruned.pruning.threshold = 1e8, dual.solver = SolverKind::dual;
  const auto fit_with = [&](const SoftmaxOptions& options) { static_cast<void>(fit_softmax(table.rows(), options)); };
  expect_invalid([&] { fit_with(sparse); }, {"prior 'sparse' applies only to two classes"});
  expect_invalid([&] { fit_with(pruned); }, {"pruning needs the whole table"});
  expect_invalid([&] { fit_with(dual); }, {"solver 'dual' needs the whole table"});
  table.weights = (table.y.array() == 5).select(Vector::Zero(12000), 1.0);
  expect_invalid([&] { fit_with({}); }, {"all rows of class '5' have weight zero"});
}

// 6 matrices of 21 * 400 by 21 * 400 numbers.
TEST(SoftmaxByPasses, NamesTheMemoryThatItWouldNeed) {
  SoftmaxOptions softmax, automatic;
  softmax.coding = ClassCoding::softmax;
  LabelledRows table = table_of_classes(19, 12000, 20, 2);
  for (Index i = 0; i < 12000; ++i) table.y[i] = static_cast<double>(i % 400);
  expect_invalid([&] { static_cast<void>(fit_softmax(table.rows(), softmax)); },
                 {"a softmax of 400 classes and 20 columns needs about 3.4 GB", "--coding one-against-rest"});
  Report report;
  EXPECT_EQ(internal::coding_by_passes(automatic, 400, 1'000'000, 20, report), ClassCoding::one_against_rest);
  EXPECT_EQ(report.notes.at(0).find("each of 400 classes has a regression against the rest: a softmax of"), 0);
  EXPECT_EQ(internal::coding_by_passes(automatic, 300, 1'000'000, 20, report), ClassCoding::softmax);
  EXPECT_EQ(internal::coding_by_passes(automatic, 300, 10000, 20, report), ClassCoding::one_against_rest);  // as in memory  (SMX.9)
  EXPECT_EQ(report.notes.size(), 1);
}

TEST(SoftmaxByPasses, RefusesRowsThatChange) {
  const LabelledRows table = table_of_classes(20, 12000, 3, 3);
  int pass = 0;
  const auto changed = [&](const RowQuestion& question) {
    LabelledRows now = table;
    if (++pass > 2) now.X(6, 1) += 1;
    return now.rows()(question);
  };
  expect_invalid([&] { static_cast<void>(fit_softmax(changed)); }, {"the rows have changed between two passes"});
}

}  // namespace
}  // namespace ardvark
