// Files of many targets: what they give back, and what they refuse.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "ardvark/model.hpp"
#include "mutations.hpp"
#include "support/random_problem.hpp"
#include "support/thrown.hpp"
#include "temporary_file.hpp"

namespace ardvark {
namespace {

using testing::expect_invalid;
using testing::message_of;
using testing::Random;

struct Problem {
  Matrix X, Y, X_new;
};

Problem problem(Index n, Index p, Index K) {
  Random random(static_cast<std::uint64_t>(n + p));
  const auto draw = [&](Index rows, Index cols) { return Matrix(Matrix::NullaryExpr(rows, cols, [&] { return random.normal(); })); };
  Problem out{draw(n, p), {}, draw(5, p)};
  out.Y = out.X * draw(p, K) + draw(n, K);
  out.Y.col(1).setConstant(2);
  out.Y(3, 2) = std::numeric_limits<double>::quiet_NaN();
  return out;
}

bool same(const Matrix& a, const Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && ((a.array() == b.array()) || (a.array().isNaN() && b.array().isNaN())).all();
}

std::vector<SavedTargets> fits() {
  std::vector<SavedTargets> out;
  for (const auto& [n, p, prior, missing, with_sd] :
       {std::tuple<Index, Index, const char*, const char*, bool>{70, 4, "shared", "drop", true},
        {65, 80, "shared", "refuse", true},
        {30, 4, "sparse", "drop", true},
        {70, 30, "sparse", "drop", false}}) {
    const Problem all = problem(n, p, 4);
    ModelOptions options{.model = "linear", .prior = prior};
    options.missing = missing;
    options.max_sweeps = 300;
    out.push_back(fit_targets(all.X, all.Y, options, {"a", "b", "c", "d"}, {.standard_deviations = with_sd, .leave_one_out = true}));
  }
  return out;
}

TEST(TargetsFile, GivesBackWhatWasSaved) {
  const testing::TemporaryFolder folder;
  for (const SavedTargets& before : fits()) {
    SCOPED_TRACE(to_string(before.fit.prior));
    save_targets(folder / "targets.ardvark", before);
    const SavedTargets after = load_targets(folder / "targets.ardvark");
    EXPECT_EQ(after.target_names, before.target_names);
    EXPECT_EQ(after.encoding.names(), before.encoding.names());
    EXPECT_EQ(after.options, before.options);
    const TargetsFit &a = after.fit, &b = before.fit;
    EXPECT_EQ(a.status, b.status);
    EXPECT_EQ(a.sweeps, b.sweeps);
    EXPECT_EQ(a.prior, b.prior);
    EXPECT_EQ(a.notes, b.notes);
    EXPECT_EQ(a.left_out, b.left_out);
    EXPECT_EQ(a.column_names, b.column_names);
    EXPECT_TRUE(same(a.mean, b.mean) && same(a.sd, b.sd) && same(a.inclusion, b.inclusion) && same(a.log_bayes, b.log_bayes) &&
                same(a.log_bayes_of_noise, b.log_bayes_of_noise));
    for (Vector TargetsFit::*numbers : {&TargetsFit::intercept, &TargetsFit::precision, &TargetsFit::noise_sd,
                                        &TargetsFit::degrees_of_freedom, &TargetsFit::bound, &TargetsFit::evidence, &TargetsFit::r_squared,
                                        &TargetsFit::r_squared_loo, &TargetsFit::effective_parameters, &TargetsFit::num_rows})
      EXPECT_TRUE(same(a.*numbers, b.*numbers));
    const Matrix X_new = problem(70, b.num_columns(), 4).X_new;
    const TargetsPrediction expected = predict(b, X_new), found = predict(a, X_new);
    EXPECT_TRUE(same(found.mean, expected.mean) && same(found.sd, expected.sd));
    EXPECT_EQ(targets_to_bytes(after), targets_to_bytes(before));
  }
}

TEST(TargetsFile, HasCoefficientsThatAreElsewhere) {
  const Problem all = problem(70, 4, 4);
  Eigen::MatrixXf elsewhere(4, 4);
  TargetsOptions results;
  results.mean = TargetColumns(elsewhere.data());
  const ModelOptions options{.model = "linear", .prior = "shared"};
  const SavedTargets targets = fit_targets(all.X, all.Y, options, {}, results);
  EXPECT_TRUE(same(targets_from_bytes(targets_to_bytes(targets, elsewhere)).fit.mean, elsewhere.cast<double>()));
  expect_invalid([&] { static_cast<void>(targets_to_bytes(targets)); }, {"the coefficients are 0 x 0"});
}

TEST(TargetsFile, IsRefusedWhereAByteHasChangedOrIsMissing) {
  for (const SavedTargets& targets : fits()) {
    const std::string whole = targets_to_bytes(targets);
    Random random(whole.size());
    const std::size_t data = 8 + testing::header_length(whole), in_data = std::max<std::size_t>((whole.size() - data) / 150, 37);
    for (std::size_t at = whole.size() % 7; at < whole.size(); at += at < data ? 37 : in_data) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ (1 << random.integer(0, 7)));
      EXPECT_GT(message_of<InvalidArgument>([&] { static_cast<void>(targets_from_bytes(changed)); }).size(), 20U) << at;
      EXPECT_GT(message_of<InvalidArgument>([&] { static_cast<void>(targets_from_bytes(whole.substr(0, at))); }).size(), 20U) << at;
    }
  }
}

// Numbers that no fit has, in a file whose checksums are right: refused, or harmless.
TEST(TargetsFile, OfNumbersThatNoFitHasIsHarmless) {
  Random random(3);
  int num_read = 0;
  for (const SavedTargets& targets : fits()) {
    const std::string whole = targets_to_bytes(targets);
    const std::size_t data = 8 + testing::header_length(whole);
    const Matrix X_new = problem(70, targets.fit.num_columns(), 4).X_new;
    for (int repetition = 0; repetition < 300; ++repetition) {
      std::string forged = whole;
      const std::size_t at = data + 8 * static_cast<std::size_t>(random.integer(0, static_cast<Index>((whole.size() - data) / 8) - 1));
      const double numbers[] = {-1, 0, 1e300, 3.5, std::nan(""), std::numeric_limits<double>::infinity(), 1e9};
      const double number = numbers[random.integer(0, 6)];
      std::memcpy(forged.data() + at, &number, sizeof number);
      try {
        const SavedTargets read = targets_from_bytes(testing::with_right_checksums(forged));
        ++num_read;
        static_cast<void>(predict(read.fit, X_new));
      } catch (const InvalidArgument&) {
      }
    }
  }
  EXPECT_GT(num_read, 100);
}

}  // namespace
}  // namespace ardvark
