// Fits of several classes by passes over rows that are not in memory.                                   docs/math/passes.md (PASS.6)
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <thread>

#include "../support/random_problem.hpp"
#include "../support/same_bits.hpp"
#include "../support/thrown.hpp"
#include "labelled_rows.hpp"

namespace ardvark {
namespace {

using testing::expect_invalid;
using testing::is_sparse_kind;
using testing::LabelledRows;
using testing::table_of_classes;

SoftmaxOptions against_the_rest() {
  SoftmaxOptions options;
  options.coding = ClassCoding::one_against_rest;
  return options;
}

// To the end.
SoftmaxFit in_memory(const LabelledRows& table, SoftmaxOptions options) {
  options.coding = ClassCoding::one_against_rest;
  if (!options.tolerance) options.tolerance = is_sparse_kind(options.prior.kind) ? 1e-5 : 1e-12;
  if (table.weights.size() > 0) options.weights = table.weights;
  return fit_softmax(table.X, table.y, options);
}

// \param of_sds  under a sparse prior, standard deviations differ by more than means
void expect_same(const SoftmaxFit& passes, const SoftmaxFit& memory, double sds, double of_sds, double nats = 0.001) {
  EXPECT_EQ(passes.report.status, Status::converged) << passes.report.message;
  EXPECT_EQ(passes.coding, memory.coding);
  EXPECT_EQ(passes.classes, memory.classes);
  EXPECT_EQ(passes.prior, memory.prior);
  EXPECT_EQ(passes.column_names, memory.column_names);
  EXPECT_EQ(passes.relevant, memory.relevant);
  EXPECT_EQ(passes.left_out, memory.left_out);
  const Matrix sd = memory.variance.cwiseSqrt();
  EXPECT_LE((passes.mean - memory.mean).cwiseQuotient(sd).cwiseAbs().maxCoeff(), sds);
  EXPECT_LE((passes.variance.cwiseSqrt().cwiseQuotient(sd).array() - 1).abs().maxCoeff(), of_sds);
  ASSERT_EQ(passes.intercept.size(), memory.intercept.size());
  if (memory.intercept.size() > 0) {
    EXPECT_LE((passes.intercept - memory.intercept).cwiseQuotient(memory.intercept_variance.cwiseSqrt()).cwiseAbs().maxCoeff(), sds);
    EXPECT_LE((passes.intercept_variance.cwiseQuotient(memory.intercept_variance).array() - 1).abs().maxCoeff(), 2 * of_sds);
  }
  EXPECT_NEAR(passes.bound, memory.bound, nats);
  EXPECT_EQ(passes.report.bound, passes.bound);
  EXPECT_NEAR(passes.accuracy, memory.accuracy, 1e-3);
  EXPECT_NEAR(passes.log_loss, memory.log_loss, 1e-5);
  EXPECT_NEAR(passes.num_rows, memory.num_rows, 1e-9 * memory.num_rows);
  EXPECT_LE((passes.class_weight - memory.class_weight).cwiseAbs().maxCoeff(), 1e-9 * memory.num_rows);
  EXPECT_NEAR(passes.effective_parameters, memory.effective_parameters, 0.02);
}

TEST(ClassesByPasses, GiveTheFitOfRowsInMemory) {
  for (const PriorKind kind : {PriorKind::shared, PriorKind::ard, PriorKind::none, PriorKind::sparse, PriorKind::slab, PriorKind::dense})
    for (const Index C : {3, 5}) {
      const LabelledRows table = table_of_classes(3, 10000, 6, C, 0.8, C == 5);
      SoftmaxOptions options = against_the_rest();
      options.prior.kind = kind;
      if (is_sparse_kind(kind)) options.tolerance = 1e-5;
      SCOPED_TRACE(fmt::format("prior {}, {} classes", to_string(kind), C));
      expect_same(fit_softmax(table.rows(), options), in_memory(table, options), 0.006, is_sparse_kind(kind) ? 0.03 : 0.005);
    }
}

// Each regression is the fit of two classes, to the last bit.
TEST(ClassesByPasses, HaveAFitOfTwoClassesForEachClass) {
  for (const PriorKind kind : {PriorKind::ard, PriorKind::sparse})
    for (const Index p : {5, 25}) {
      const LabelledRows table = table_of_classes(18, 14000, p, 4, 0.8, true);
      SoftmaxOptions options = against_the_rest();
      options.prior.kind = kind;
      options.likelihood = LogisticLikelihood::gaussian;
      const SoftmaxFit fit = fit_softmax(table.rows(), options);
      ASSERT_EQ(fit.machines.size(), 4U);
      for (std::size_t c = 0; c < 4; ++c) {
        LabelledRows one = table;
        one.y = (table.y.array() == static_cast<double>(2 * c + 1)).cast<double>();
        const LogisticFit two = fit_logistic(one.rows(), options);
        EXPECT_EQ(fit.machines[c].mean, two.mean);
        EXPECT_EQ(fit.machines[c].variance, two.variance);
        EXPECT_EQ(fit.machines[c].bound, two.bound);
        EXPECT_EQ(fit.machines[c].log_loss, two.log_loss);
        EXPECT_EQ(fit.machines[c].report.message, two.report.message);
      }
    }
}

// More than 20 columns under a sparse prior: the steps begin at the sums of the columns over each class.
TEST(ClassesByPasses, GiveTheFitOfRowsInMemoryWithManyColumns) {
  const LabelledRows table = table_of_classes(5, 12000, 30, 3);
  SoftmaxOptions options = against_the_rest();
  options.prior.kind = PriorKind::sparse;
  options.tolerance = 1e-5;
  expect_same(fit_softmax(table.rows(), options), in_memory(table, options), 0.01, 0.01);
}

TEST(ClassesByPasses, GiveTheFitOfRowsInMemoryUnderEachOption) {
  const LabelledRows table = table_of_classes(4, 14000, 7, 3);
  SoftmaxOptions groups, flat, flat_sparse, fixed, no_intercept, as_they_are, exact, penalised;
  groups.prior = Prior::groups({0, 0, 1, 1, 1, 2, 2});
  flat.prior.kind = PriorKind::ard;
  flat_sparse.prior.kind = PriorKind::sparse;
  flat.prior.flat_columns = flat_sparse.prior.flat_columns = {1, 5};
  fixed.prior.kind = PriorKind::shared;
  fixed.prior.fixed_columns = {0, 3}, fixed.prior.fixed_precision = {100.0, 1e4};
  no_intercept.intercept = false;
  no_intercept.prior.kind = PriorKind::shared;
  as_they_are.standardize = false;
  as_they_are.prior.kind = PriorKind::dense;
  exact.likelihood = LogisticLikelihood::gaussian;
  penalised.penalize_intercept = true;
  penalised.prior.kind = exact.prior.kind = PriorKind::ard;
  flat_sparse.tolerance = as_they_are.tolerance = 1e-5;
  int number = 0;
  for (SoftmaxOptions* options : {&groups, &flat, &flat_sparse, &fixed, &no_intercept, &as_they_are, &exact, &penalised}) {
    options->coding = ClassCoding::one_against_rest;
    SCOPED_TRACE(fmt::format("options {}", ++number));
    // The sites of an average are known by its quadratic function only, which sees least of the hypothesis with less weight.    (PASS.5)
    const double of_sds = is_sparse_kind(options->prior.kind) ? 0.01 : 0.005;
    expect_same(fit_softmax(table.rows(), *options), in_memory(table, *options), 0.006, of_sds);
  }
}

TEST(ClassesByPasses, PredictAsTheFitInMemory) {
  const LabelledRows table = table_of_classes(6, 12000, 5, 4), fresh = table_of_classes(7, 300, 5, 4);
  for (const PriorKind kind : {PriorKind::automatic, PriorKind::shared}) {
    SoftmaxOptions options = against_the_rest();
    options.prior.kind = kind;
    const SoftmaxFit fit = fit_softmax(table.rows(), options);
    const ClassProbabilities passes = predict(fit, fresh.X), memory = predict(in_memory(table, options), fresh.X);
    EXPECT_LE((passes.probability - memory.probability).cwiseAbs().maxCoeff(), 1e-3);
    EXPECT_LE((fit.covariance() - in_memory(table, options).covariance()).cwiseAbs().maxCoeff(),
              0.05 * fit.covariance().cwiseAbs().maxCoeff());
  }
}

// (ST.2). With 30 columns, the steps begin at the sums over each class.
TEST(ClassesByPasses, HaveTheSameBitsForPiecesOfAnySize) {
  for (const Index p : {4, 30})
    testing::expect_same_bits(table_of_classes(8, 8192 + 5000, p, 3, 0.8, p == 4), against_the_rest(),
                              [](const AskRows& ask, const SoftmaxOptions& options) { return fit_softmax(ask, options); });
}

// A row of weight 2 is two rows.
TEST(ClassesByPasses, AWeightIsARepetition) {
  const auto [table, twice] = testing::weighted_and_repeated(table_of_classes(9, 12000, 4, 3));
  for (const PriorKind kind : {PriorKind::ard, PriorKind::sparse}) {
    SoftmaxOptions options = against_the_rest();
    options.prior.kind = kind;
    if (is_sparse_kind(kind)) options.tolerance = 1e-5;
    const SoftmaxFit weighted = fit_softmax(table.rows(), options), repeated = fit_softmax(twice.rows(), options);
    const Matrix sd = repeated.variance.cwiseSqrt();
    EXPECT_LE((weighted.mean - repeated.mean).cwiseQuotient(sd).cwiseAbs().maxCoeff(), 0.01);
    EXPECT_NEAR(weighted.bound, repeated.bound, 0.01);
    EXPECT_NEAR(weighted.log_loss, repeated.log_loss, 1e-5);
    EXPECT_EQ(weighted.num_rows, repeated.num_rows);
  }
}

// Each read of the rows answers all machines that still ask: the slowest machine decides how many reads there are.
TEST(ClassesByPasses, ShareTheReadsOfTheRows) {
  const LabelledRows table = table_of_classes(10, 12000, 4, 6);
  for (const PriorKind kind : {PriorKind::shared, PriorKind::sparse}) {
    SoftmaxOptions options = against_the_rest();
    options.prior.kind = kind;
    const auto reads_of = [&](const std::function<void(const AskRows&)>& fit) {
      int reads = 0;
      fit([&](const RowQuestion& question) { return ++reads, table.rows()(question); });
      return reads;
    };
    const int all = reads_of([&](const AskRows& ask) { static_cast<void>(fit_softmax(ask, options)); });
    int slowest = 0;
    for (int c = 0; c < 6; ++c) {
      LabelledRows one = table;
      one.y = (table.y.array() == 2 * c + 1).cast<double>();
      FitOptions each = options;
      int reads = 0;
      static_cast<void>(fit_logistic([&](const RowQuestion& question) { return ++reads, one.rows()(question); }, each));
      slowest = std::max(slowest, reads);
    }
    EXPECT_EQ(all, slowest + 1);  // and one for the probabilities of all classes
  }
}

// Parts of the rows are summed apart, sent as bytes, and merged.
TEST(ClassesByPasses, OfPartsGiveTheSameFit) {
  const LabelledRows table = table_of_classes(11, 14000, 5, 3, 0.8, true);
  const AskRows in_parts = table.in_parts(4000);
  for (const PriorKind kind : {PriorKind::shared, PriorKind::sparse}) {
    SoftmaxOptions options = against_the_rest();
    options.prior.kind = kind;
    expect_same(fit_softmax(in_parts, options), in_memory(table, options), is_sparse_kind(kind) ? 0.02 : 0.002,
                is_sparse_kind(kind) ? 0.03 : 0.002);
  }
}

// As many classes as labels may have: some of them are rare, and a sample need not have them.
TEST(ClassesByPasses, FitRareClasses) {
  LabelledRows table = table_of_classes(12, 12000, 3, 3);
  for (const Index row : {50, 900, 7000, 11000}) table.y[row] = 9;
  SoftmaxOptions options = against_the_rest();
  options.prior.kind = PriorKind::shared;
  expect_same(fit_softmax(table.rows(), options), in_memory(table, options), 0.01, 0.01);
}

TEST(ClassesByPasses, FitASmallTableInMemory) {
  const LabelledRows table = table_of_classes(13, 900, 5, 3);
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> X = table.X;
  SoftmaxOptions ard, pairs, lasso;
  ard.prior.kind = PriorKind::ard;  // a softmax
  pairs.coding = ClassCoding::one_against_one;
  lasso.prior = Prior::laplace(2);
  for (const SoftmaxOptions& options : {ard, pairs, lasso}) {
    const SoftmaxFit passes = fit_softmax(table.rows(77), options), memory = fit_softmax(X, table.y, options);
    EXPECT_EQ(testing::bits_of(passes), testing::bits_of(memory));
    EXPECT_EQ(passes.coding, memory.coding);
  }
}

TEST(ClassesByPasses, HaveNamesAndSayHowTheyWereFitted) {
  LabelledRows table = table_of_classes(14, 12000, 3, 3);
  table.y = (table.y.array() - 1) / 2;
  SoftmaxOptions options = against_the_rest();
  options.class_names = {"setosa", "versicolor", "virginica"};
  const SoftmaxFit fit = fit_softmax(table.rows(), options);
  EXPECT_EQ(fit.classes, options.class_names);
  std::string notes;
  for (const std::string& note : fit.report.notes) notes += note + "\n";
  EXPECT_NE(notes.find("for all 3 regressions together"), std::string::npos) << notes;
  EXPECT_EQ(fit.report.message.find("each of 3 logistic regressions has converged"), 0) << fit.report.message;
}

TEST(ClassesByPasses, TellTheirProgressAndCanBeStopped) {
  const LabelledRows table = table_of_classes(15, 12000, 3, 3);
  const std::thread::id caller = std::this_thread::get_id();
  SoftmaxOptions options = against_the_rest();
  options.prior.kind = PriorKind::ard;
  std::vector<int> fits;
  options.on_sweep = [&](const Progress& progress) {
    EXPECT_TRUE(std::this_thread::get_id() == caller);
    EXPECT_EQ(progress.num_fits, 3);
    fits.push_back(progress.fit);
    return true;
  };
  EXPECT_EQ(fit_softmax(table.rows(), options).report.status, Status::converged);
  EXPECT_EQ(std::vector<int>(fits.begin(), fits.begin() + 3), (std::vector<int>{1, 2, 3}));
  options.on_sweep = [](const Progress&) { return false; };
  const SoftmaxFit stopped = fit_softmax(table.rows(), options);
  EXPECT_EQ(stopped.report.status, Status::stopped_by_user);
  EXPECT_TRUE(stopped.mean.allFinite());
  options.on_sweep = [](const Progress&) -> bool { throw std::runtime_error("enough"); };
  EXPECT_THROW(static_cast<void>(fit_softmax(table.rows(), options)), std::runtime_error);
}

TEST(ClassesByPasses, NameWhatIsWrong) {
  const LabelledRows table = table_of_classes(16, 12000, 3, 3);
  const auto fit_of = [&](const std::function<void(LabelledRows&)>& change, const SoftmaxOptions& options = against_the_rest()) {
    LabelledRows changed = table;
    change(changed);
    static_cast<void>(fit_softmax(changed.rows(), options));
  };
  const auto nothing = [](LabelledRows&) {};
  expect_invalid([&] { fit_of([](LabelledRows& now) { now.X(11343, 1) = std::nan(""); }); },
                 {"row 11344 has the value nan in column 'x2'"});
  expect_invalid([&] { fit_of([](LabelledRows& now) { now.y.setConstant(2); }); }, {"labels has only one class (2)"});
  expect_invalid(
      [&] {
        fit_of([](LabelledRows& now) {
          for (Index i = 0; i < 12000; ++i) now.y[i] = static_cast<double>(i) + 0.5;
        });
      },
      {"row 1001 has the label 1000.5", "1000 others", "--model linear"});
  expect_invalid([&] { fit_of([](LabelledRows& now) { now.weights = (now.y.array() == 5).select(Vector::Zero(12000), 1.0); }); },
                 {"all rows of class '5' have weight zero"});
  SoftmaxOptions pairs, mackay = against_the_rest(), names = against_the_rest();
  pairs.coding = ClassCoding::one_against_one;
  mackay.rule = UpdateRule::mackay;
  mackay.prior.kind = PriorKind::ard;
  names.class_names = {"a", "b"};
  expect_invalid([&] { fit_of(nothing, pairs); }, {"coding one-against-one needs the whole table", "--coding one-against-rest"});
  expect_invalid([&] { fit_of(nothing, mackay); }, {"a rule for the precisions other than vb"});
  expect_invalid([&] { fit_of(nothing, names); }, {"class_names has 2 entries"});
  expect_invalid([&] { fit_of(nothing, softmax_options_for_preset("smlr")); }, {"preset 'smlr' needs the whole table"});
}

TEST(ClassesByPasses, RefuseRowsThatChange) {
  const LabelledRows table = table_of_classes(17, 12000, 3, 3);
  int pass = 0;
  const auto changed = [&](const RowQuestion& question) {
    LabelledRows now = table;
    if (++pass > 2) now.y[6] = 99;
    return now.rows()(question);
  };
  expect_invalid([&] { static_cast<void>(fit_softmax(changed, against_the_rest())); }, {"row 7 has the label 99, which no row had before"});
}

}  // namespace
}  // namespace ardvark
