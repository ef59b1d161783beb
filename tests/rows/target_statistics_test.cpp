// Statistics of rows of many targets: sums, blocks and merges, files, and the fits that are made from them.
// docs/math/statistics.md (ST.7), docs/math/targets.md (TGT.11)
#include "ardvark/target_statistics.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <limits>
#include <numeric>

#include "../support/mentions.hpp"
#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "ardvark/model_file.hpp"
#include "ardvark/statistics.hpp"
#include "core/blas.hpp"
#include "rows/target_moments.hpp"

namespace ardvark {
namespace {

using internal::rows_of_a_target_block;
using testing::expect_invalid;
using testing::mentions;
using testing::Random;
template <typename Scalar>
using ByRows = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

struct TargetRows {
  Matrix X, Y;
  Vector weights;
};

TargetRows random_rows_of_targets(std::uint64_t seed, Index n, Index p, Index K, double mean_to_sd = 3, bool weighted = false) {
  Random random(seed);
  TargetRows out{random.normals(n, p), {}, {}};
  Matrix W = random.normals(p, K);
  for (Index k = 0; k < K; k += 2) W.col(k).tail(p - std::min<Index>(p, 2)).setZero();
  out.Y = out.X * W + random.normals(n, K) * Vector::LinSpaced(K, 0.3, 3).asDiagonal();
  for (Index j = 0; j < p; ++j) out.X.col(j) = (out.X.col(j).array() + mean_to_sd * random.normal()) * random.scale(0.01, 100);
  for (Index k = 0; k < K; ++k) out.Y.col(k) = (out.Y.col(k).array() + mean_to_sd * random.normal()) * random.scale(0.01, 100);
  if (weighted) {
    out.weights = Vector(n);
    for (Index i = 0; i < n; ++i) out.weights[i] = random.chance(0.2) ? 0 : random.uniform(0.5, 3);
  }
  return out;
}

TargetStatistics statistics_of_targets(const TargetRows& rows) {
  TargetStatistics out;
  out.update(rows.X, rows.Y, rows.weights);
  return out;
}

// In pieces of random sizes and memory orders.
TargetStatistics targets_in_pieces(const TargetRows& rows, Random& random, Index most) {
  TargetStatistics out;
  for (Index first = 0; first < rows.Y.rows();) {
    const Index count = std::min(random.integer(1, most), rows.Y.rows() - first);
    const ByRows<double> X = rows.X.middleRows(first, count), Y = rows.Y.middleRows(first, count);
    const Vector k = rows.weights.size() > 0 ? Vector(rows.weights.segment(first, count)) : Vector();
    if (random.chance(0.5))
      out.update(X, Matrix(Y), k);
    else
      out.update(rows.X.middleRows(first, count), Y, k);
    first += count;
  }
  return out;
}

// The sums in two passes and with more digits.
struct PlainSums {
  Vector mean, target_mean, squares;
  Matrix cross, product;
};

PlainSums plain_sums(const TargetRows& rows) {
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  Wide X = rows.X.cast<long double>(), Y = rows.Y.cast<long double>();
  const Wide k = (rows.weights.size() > 0 ? rows.weights : Vector(Vector::Ones(X.rows()))).cast<long double>();
  const long double total = k.sum();
  const Wide mean = X.transpose() * k / total, target_mean = Y.transpose() * k / total;
  X.rowwise() -= mean.col(0).transpose();
  Y.rowwise() -= target_mean.col(0).transpose();
  const Wide weighted = k.col(0).asDiagonal() * X;
  return {mean.cast<double>(), target_mean.cast<double>(), (Y.cwiseAbs2().transpose() * k).cast<double>(),
          (X.transpose() * weighted).cast<double>(), (weighted.transpose() * Y).cast<double>()};
}

// Every error is relative to the lengths of the two columns.
void expect_sums(const TargetStatistics& found, const PlainSums& expected, double weight, double tolerance) {
  const Vector of_X = expected.cross.diagonal().cwiseSqrt(), of_Y = expected.squares.cwiseSqrt();
  const auto worst = [](const Matrix& error, const Vector& rows, const Vector& columns) {
    return (error.array().abs() / (rows * columns.transpose()).array()).maxCoeff();
  };
  EXPECT_LE(worst(found.cross() - expected.cross, of_X, of_X), tolerance);
  EXPECT_LE(worst(found.target_cross() - expected.product, of_X, of_Y), tolerance);
  EXPECT_LE((found.target_squares().array() / expected.squares.array() - 1).abs().maxCoeff(), tolerance);
  // A mean has the steps of its own size, too.
  const double root = std::sqrt(weight);
  const auto is_near = [&](const Vector& a, const Vector& b, const Vector& length) {
    return ((a - b).array().abs() <= 4e-16 * b.array().abs() + tolerance * length.array() / root).all();
  };
  EXPECT_TRUE(is_near(found.mean(), expected.mean, of_X));
  EXPECT_TRUE(is_near(found.target_mean(), expected.target_mean, of_Y));
}

TEST(TargetStatistics, AreTheSumsOfTheRows) {  // (ST.1), (ST.7)
  std::uint64_t seed = 0;
  for (const bool weighted : {false, true})
    for (const Index n : {1, 2, 40, 511, 512, 513, 8191, 8192, 8193, 30000}) {
      SCOPED_TRACE(::testing::Message() << n << " rows, weighted " << weighted);
      TargetRows rows = random_rows_of_targets(++seed, n, 4, 6, 3, weighted);
      if (weighted) rows.weights[0] = 2;
      const TargetStatistics found = statistics_of_targets(rows);
      EXPECT_EQ(found.num_rows(), n);
      EXPECT_EQ(found.num_columns(), 4);
      EXPECT_EQ(found.num_targets(), 6);
      const double weight = weighted ? rows.weights.sum() : static_cast<double>(n);
      EXPECT_NEAR(found.weight() / weight, 1, 1e-14);
      if (n > 2) expect_sums(found, plain_sums(rows), weight, 2e-14);
    }
}

TEST(TargetStatistics, KeepTheDigitsOfColumnsFarFromZero) {  // (ST.7)
  // The mean is a million times the sd. A sum of squares would have four digits left.
  TargetRows rows = random_rows_of_targets(7, 100000, 3, 3, 0);
  rows.X = (rows.X * rows.X.colwise().norm().cwiseInverse().asDiagonal() * std::sqrt(100000.0)).array() + 1e6;
  rows.Y = (rows.Y * rows.Y.colwise().norm().cwiseInverse().asDiagonal() * std::sqrt(100000.0)).array() - 1e6;
  Random random(8);
  expect_sums(targets_in_pieces(rows, random, 3000), plain_sums(rows), 1e5, 2e-14);
  // Rows in the order of their mean: a block is far from those before.
  for (Index i = 0; i < rows.X.rows(); ++i) rows.X.row(i).array() += 1e3 * static_cast<double>(i / 8192);
  expect_sums(targets_in_pieces(rows, random, 3000), plain_sums(rows), 1e5, 2e-14);
}

TEST(TargetStatistics, HaveTheSameBitsForPiecesOfAnySizeAndAnyNumberOfThreads) {  // (ST.7)
  for (const bool weighted : {false, true}) {
    const TargetRows rows = random_rows_of_targets(3, 20000, 3, 300, 5, weighted);
    const std::string whole = statistics_of_targets(rows).to_bytes();
    Random random(9);
    for (const Index most : {100, 700, 9000}) EXPECT_EQ(targets_in_pieces(rows, random, most).to_bytes(), whole);
    for (const int threads : {1, 2, 5}) {
      const internal::blas::ThreadScope scope(threads);
      EXPECT_EQ(statistics_of_targets(rows).to_bytes(), whole);
    }
  }
  const TargetRows few = random_rows_of_targets(4, 900, 2, 2);
  Random random(10);
  EXPECT_EQ(targets_in_pieces(few, random, 1).to_bytes(), statistics_of_targets(few).to_bytes());
}

TEST(TargetStatistics, HaveBlocksOfBoundedMemory) {  // (ST.7)
  EXPECT_EQ(rows_of_a_target_block(50, 500), 8192);
  for (const auto& [p, K] : {std::pair<Index, Index>{50, 100000}, {2, 1000000}, {4000, 10}, {1, 10000000}}) {
    const Index rows = rows_of_a_target_block(p, K);
    EXPECT_GE(rows, 1);
    EXPECT_LE(8 * rows * (p + K), std::max(Index{64} << 20, 8 * p * (p + K)));
  }
  // Blocks shorter than the rows from which the first point comes.
  const TargetRows rows = random_rows_of_targets(5, 300, 1, 60000);
  ASSERT_LT(rows_of_a_target_block(1, 60000), 200);
  expect_sums(statistics_of_targets(rows), plain_sums(rows), 300, 2e-14);
}

TEST(TargetStatistics, ReadNumbersOfAnyTypeAndOrder) {
  Random random(11);
  const Matrix X = (3 * random.normals(900, 3)).array().round(), Y = (5 * random.normals(900, 4)).array().round();
  const std::string expected = statistics_of_targets({X, Y, {}}).to_bytes();
  const auto bytes = [](const auto& some_X, const auto& some_Y) {
    TargetStatistics out;
    out.update(MatrixView(some_X), MatrixView(some_Y));
    return out.to_bytes();
  };
  const Eigen::MatrixXf single = X.cast<float>();
  const Eigen::Matrix<std::int8_t, Eigen::Dynamic, Eigen::Dynamic> small = Y.cast<std::int8_t>();
  EXPECT_EQ(bytes(single, small), expected);
  EXPECT_EQ(bytes(ByRows<float>(single), ByRows<std::int8_t>(small)), expected);
  EXPECT_EQ(bytes(ByRows<std::int8_t>(X.cast<std::int8_t>()), ByRows<float>(Y.cast<float>())), expected);
}

TEST(TargetStatistics, CountAConstantAsOne) {  // (ST.1)
  TargetRows rows = random_rows_of_targets(12, 20000, 3, 3);
  rows.X.col(1).setConstant(0.1);
  rows.Y.col(2).setConstant(1e6 / 3);
  rows.X.col(2).setConstant(4);
  rows.X(15000, 2) += 1e-170;  // no change: it is constant
  rows.Y.col(0).setZero();
  rows.Y(19999, 0) = 1e-170;  // its square underflows
  const TargetStatistics found = statistics_of_targets(rows);
  EXPECT_EQ(found.cross()(1, 1), 0);
  EXPECT_EQ(found.cross()(2, 2), 0);
  EXPECT_EQ(found.mean()[1], 0.1);
  EXPECT_EQ(found.target_squares()[2], 0);
  EXPECT_EQ(found.target_mean()[2], 1e6 / 3);
  EXPECT_GT(found.target_squares()[0], 0);
  EXPECT_EQ(found.target_cross().row(1).cwiseAbs().maxCoeff(), 0);
}

TEST(TargetStatistics, AddTheRowsOfOthers) {  // (ST.1)
  const TargetRows rows = random_rows_of_targets(13, 25000, 3, 5, 100);
  const auto part = [&](Index first, Index count) {
    return statistics_of_targets({rows.X.middleRows(first, count), rows.Y.middleRows(first, count), {}});
  };
  TargetStatistics sum = part(0, 9000);
  const TargetStatistics second = part(9000, 100), third = part(9100, 15900);
  const std::string before = second.to_bytes();
  sum.merge(second);
  sum.merge(third);
  EXPECT_EQ(second.to_bytes(), before);
  EXPECT_EQ(sum.num_rows(), 25000);
  expect_sums(sum, plain_sums(rows), 25000, 2e-14);
  TargetStatistics empty;
  empty.merge(sum);
  EXPECT_EQ(empty.to_bytes(), sum.to_bytes());
  empty.merge(TargetStatistics());
  EXPECT_EQ(empty.to_bytes(), sum.to_bytes());
  // Whether parts have been in files does not matter.
  TargetStatistics of_files = TargetStatistics::from_bytes(part(0, 9000).to_bytes()), of_rows;
  of_rows.merge(part(0, 9000));
  for (TargetStatistics* all : {&of_files, &of_rows})
    for (const Index first : {9000, 18000}) {
      const TargetStatistics next = part(first, 7000);
      all->merge(all == &of_files ? TargetStatistics::from_bytes(next.to_bytes()) : next);
    }
  EXPECT_EQ(of_files.to_bytes(), of_rows.to_bytes());
  sum.merge(sum);
  EXPECT_EQ(sum.num_rows(), 50000);
  EXPECT_NEAR(sum.weight(), 50000, 0);
  EXPECT_NEAR((sum.target_cross() / 2 - empty.target_cross()).norm() / empty.target_cross().norm(), 0, 1e-14);
  sum.update(rows.X.topRows(10), rows.Y.topRows(10));  // rows after a merge
  EXPECT_EQ(sum.num_rows(), 50010);
  expect_invalid([&] { sum.merge(statistics_of_targets(random_rows_of_targets(1, 20, 2, 5))); }, {"2 columns", "3"});
  expect_invalid([&] { sum.merge(statistics_of_targets(random_rows_of_targets(1, 20, 3, 4))); }, {"4 columns", "5"});
  TargetStatistics named = part(0, 100), other = part(100, 100);
  named.set_names({"a", "b", "c"}, {"u", "v", "w", "x", "y"});
  other.set_names({"a", "b", "d"}, {"u", "v", "w", "x", "y"});
  expect_invalid([&] { named.merge(other); }, {"column 3", "'c'", "'d'"});
  other.set_names({"a", "b", "c"}, {"u", "w", "v", "x", "z"});
  expect_invalid([&] { named.merge(other); }, {"target 2", "'v'", "'w'"});
  other.set_names({"c", "b", "c"}, {"u", "v", "w", "x", "y"});
  expect_invalid([&] { named.merge(other); }, {"column 1", "'a'", "'c'"});
}

TEST(TargetStatistics, AddTheRowsOfOthersByTheirNames) {  // (ST.1)
  Random random(31);
  for (int draw = 0; draw < 20; ++draw) {
    const Index n = random.integer(20, 20000), cut = random.integer(2, n - 2), p = random.integer(1, 6), K = random.integer(1, 6);
    TargetRows rows = random_rows_of_targets(static_cast<std::uint64_t>(draw) + 40, n, p, K, 10, draw % 2 == 0);
    rows.weights.size() > 0 ? void(rows.weights[0] = rows.weights[n - 1] = 1) : void();
    const auto shuffled = [&](Index count) {
      std::vector<Index> out(static_cast<std::size_t>(count));
      std::iota(out.begin(), out.end(), Index{0});
      for (Index at = count - 1; at > 0; --at)
        std::swap(out[static_cast<std::size_t>(at)], out[static_cast<std::size_t>(random.integer(0, at))]);
      return out;
    };
    const std::vector<Index> columns = shuffled(p), targets = shuffled(K);
    const auto names = [](const char* letter, const std::vector<Index>& order) {
      std::vector<std::string> out;
      for (const Index at : order) out.push_back(fmt::format("{}{}", letter, at + 1));
      return out;
    };
    std::vector<Index> all_columns = columns, all_targets = targets;
    std::ranges::sort(all_columns), std::ranges::sort(all_targets);
    const auto part = [&](Index first, Index count, const std::vector<Index>& of_X, const std::vector<Index>& of_Y) {
      const Vector weights = rows.weights.size() > 0 ? Vector(rows.weights.segment(first, count)) : Vector();
      TargetStatistics out = statistics_of_targets(
          {Matrix(rows.X.middleRows(first, count)(Eigen::all, of_X)), Matrix(rows.Y.middleRows(first, count)(Eigen::all, of_Y)), weights});
      out.set_names(names("x", of_X), names("t", of_Y));
      return out;
    };
    TargetStatistics sum = part(0, cut, all_columns, all_targets);
    if (draw % 3 == 0) sum.set_names({}, sum.target_names());  // columns without names are x1, x2, ...
    const TargetStatistics right = part(cut, n - cut, columns, targets);
    const std::string before = right.to_bytes();
    sum.merge(right);
    EXPECT_EQ(right.to_bytes(), before);
    EXPECT_EQ(sum.column_names(), names("x", all_columns));
    EXPECT_EQ(sum.target_names(), names("t", all_targets));
    expect_sums(sum, plain_sums(rows), rows.weights.size() > 0 ? rows.weights.sum() : static_cast<double>(n), 1e-13);
  }
  TargetRows rows = random_rows_of_targets(39, 30, 2, 3);
  TargetStatistics sum = statistics_of_targets(rows);
  sum.set_names({}, {"u", "v", "w"});
  rows.Y(3, 0) = no_number;
  TargetStatistics right = statistics_of_targets(rows);
  right.set_names({}, {"w", "u", "v"});
  sum.merge(right);
  using enum TargetStatus;
  EXPECT_EQ(sum.status(), (std::vector<TargetStatus>{converged, converged, not_finite}));
}

TEST(TargetStatistics, RefuseWrongRowsAndStayAsTheyWere) {
  const TargetRows rows = random_rows_of_targets(14, 700, 3, 2);
  TargetStatistics found = statistics_of_targets(rows);
  found.set_names({"a", "b", "c"}, {"u", "v"});
  const std::string before = found.to_bytes();
  Matrix X = rows.X;
  X(5, 1) = no_number;
  expect_invalid([&] { found.update(X, rows.Y); }, {"row 706", "'b'", "nan", "finite"});
  X(5, 1) = -1e200;
  expect_invalid([&] { found.update(ByRows<double>(X), rows.Y); }, {"row 706", "'b'", "-1e+200", "too large to be squared"});
  expect_invalid([&] { found.update(rows.X, rows.Y.topRows(699)); }, {"Y", "699 rows", "700"});
  expect_invalid([&] { found.update(rows.X.leftCols(2), rows.Y); }, {"X", "2 columns", "3"});
  expect_invalid([&] { found.update(rows.X, rows.Y.leftCols(1)); }, {"Y", "1 column;", "2"});
  expect_invalid([&] { found.update(rows.X, Matrix(700, 0)); }, {"Y", "no columns"});
  Vector weights = Vector::Ones(700);
  weights[3] = -1;
  expect_invalid([&] { found.update(rows.X, rows.Y, weights); }, {"weights", "-1"});
  expect_invalid([&] { found.set_names({"a"}); }, {"1 names", "3"});
  EXPECT_EQ(found.to_bytes(), before);
}

TEST(TargetStatistics, LeaveATargetWithoutItsSumsAlone) {  // (ST.7)
  for (const Index at : {3, 9000}) {
    TargetRows rows = random_rows_of_targets(15, 17000, 2, 5);
    const TargetStatistics whole = statistics_of_targets(rows);
    rows.Y(at, 1) = no_number;
    rows.Y(at, 2) = 1e200;
    rows.Y(at + 1, 3) = 1e200;
    rows.Y(at + 2, 3) = -std::numeric_limits<double>::infinity();
    Random random(16);
    const TargetStatistics found = targets_in_pieces(rows, random, 2000);
    using enum TargetStatus;
    EXPECT_EQ(found.status(), (std::vector<TargetStatus>{converged, not_finite, out_of_range, not_finite, converged}));
    for (const Index k : {0, 4}) {
      EXPECT_EQ(found.target_squares()[k], whole.target_squares()[k]);
      EXPECT_EQ(Vector(found.target_cross().col(k)), Vector(whole.target_cross().col(k)));
    }
    EXPECT_TRUE(std::isnan(found.target_squares()[2]) && std::isnan(found.target_mean()[1]) && std::isnan(found.target_cross()(0, 3)));
    EXPECT_EQ(found.cross(), whole.cross());
    TargetStatistics sum = statistics_of_targets(random_rows_of_targets(17, 300, 2, 5));
    sum.merge(found);
    EXPECT_EQ(sum.status(), found.status());
    EXPECT_EQ(TargetStatistics::from_bytes(sum.to_bytes()).status(), found.status());
  }
}

TEST(TargetStatistics, LeaveOutRowsOfWeightZeroWhateverTheirTargetsHold) {  // (LIN.6)
  for (const Index n : {3, 300, 12000}) {
    TargetRows rows = random_rows_of_targets(18, n, 2, 3, 3, true);
    rows.weights[0] = 1.5;
    rows.weights[n / 2] = 0;
    const std::string expected = statistics_of_targets(rows).to_bytes();
    for (Index i = 0; i < n; ++i)
      if (rows.weights[i] == 0) rows.Y.row(i) << no_number, 1e200, -std::numeric_limits<double>::infinity();
    Random random(18);
    EXPECT_EQ(targets_in_pieces(rows, random, 700).to_bytes(), expected) << n;
    const TargetsFit fit = fit_targets(rows.X, rows.Y, {.fit = {.prior = Prior::shared(), .weights = rows.weights}});
    EXPECT_EQ(fit_targets(statistics_of_targets(rows), {.fit = {.prior = Prior::shared()}}).status, fit.status) << n;
    rows.weights.setZero();  // a piece of a table
    EXPECT_EQ(statistics_of_targets(rows).status(), std::vector<TargetStatus>(3, TargetStatus::converged));
  }
}

TEST(TargetStatistics, AreWrittenAndRead) {
  TargetRows rows = random_rows_of_targets(19, 9000, 3, 4, 50, true);
  TargetStatistics found = statistics_of_targets(rows);
  found.set_names({"a", "b", "c"}, {"u", "v", "w", "z"});
  const TargetStatistics again = TargetStatistics::from_bytes(found.to_bytes());
  EXPECT_EQ(again.to_bytes(), found.to_bytes());
  EXPECT_EQ(again.num_rows(), found.num_rows());
  EXPECT_EQ(again.weight(), found.weight());
  EXPECT_EQ(again.mean(), found.mean());
  EXPECT_EQ(again.target_mean(), found.target_mean());
  EXPECT_EQ(again.cross(), found.cross());
  EXPECT_EQ(again.target_cross(), found.target_cross());
  EXPECT_EQ(again.target_squares(), found.target_squares());
  EXPECT_EQ(again.column_names(), found.column_names());
  EXPECT_EQ(again.target_names(), found.target_names());
  EXPECT_EQ(TargetStatistics::from_bytes(TargetStatistics().to_bytes()).num_rows(), 0);
  TargetStatistics of_zero;
  of_zero.update(rows.X, rows.Y, Vector(Vector::Zero(9000)));
  const TargetStatistics of_zero_again = TargetStatistics::from_bytes(of_zero.to_bytes());
  EXPECT_EQ(of_zero_again.num_rows(), 9000);
  EXPECT_EQ(of_zero_again.column_names(), of_zero.column_names());

  const std::string bytes = found.to_bytes();
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}, bytes.size() / 2, bytes.size() - 1})
    expect_invalid([&] { static_cast<void>(TargetStatistics::from_bytes(std::string_view(bytes).substr(0, size))); }, {"the bytes given"});
  std::size_t refused = 0, changed = 0;
  for (std::size_t at = 0; at < bytes.size(); at += 7, ++changed) {
    std::string wrong = bytes;
    wrong[at] = static_cast<char>(wrong[at] ^ 4);
    try {
      static_cast<void>(TargetStatistics::from_bytes(wrong));
    } catch (const InvalidArgument&) {
      ++refused;
    }
  }
  EXPECT_EQ(refused, changed);
  LinearStatistics of_one;
  of_one.update(rows.X, Vector(rows.Y.col(0)));
  expect_invalid([&] { static_cast<void>(TargetStatistics::from_bytes(of_one.to_bytes())); },
                 {"ardvark target-statistics file", "ardvark statistics file"});
  expect_invalid([&] { static_cast<void>(LinearStatistics::from_bytes(bytes)); }, {"ardvark statistics file, but", "target-statistics"});
}

void expect_columns_near(const Matrix& found, const Matrix& expected, double tolerance) {
  ASSERT_EQ(found.rows(), expected.rows());
  ASSERT_EQ(found.cols(), expected.cols());
  for (Index k = 0; k < found.cols(); ++k) {
    ASSERT_EQ(found.col(k).array().isNaN().any(), expected.col(k).array().isNaN().any()) << k;
    if (expected.rows() == 0 || std::isnan(expected(0, k)) || found.col(k) == expected.col(k)) continue;  // which may be infinite
    EXPECT_LE((found.col(k) - expected.col(k)).cwiseAbs().maxCoeff(), tolerance * expected.col(k).cwiseAbs().maxCoeff()) << k;
  }
}

void expect_numbers_near(const Vector& found, const Vector& expected, double tolerance, double least = 0) {
  ASSERT_EQ(found.size(), expected.size());
  for (Index k = 0; k < found.size(); ++k) {
    ASSERT_EQ(std::isnan(found[k]), std::isnan(expected[k])) << k;
    if (std::isfinite(expected[k])) {
      EXPECT_NEAR(found[k], expected[k], tolerance * std::max(std::abs(expected[k]), least)) << k;
    }
  }
}

// Of the rows in pieces, the fits of the whole table.
void expect_fits_of_the_rows(const TargetRows& rows, TargetsOptions options, double tolerance = 1e-8) {
  options.standard_deviations = true;
  Random random(77);
  const TargetsFit found = fit_targets(targets_in_pieces(rows, random, 150), options);
  TargetsOptions whole = options;
  whole.fit.weights = rows.weights;
  const TargetsFit expected = fit_targets(rows.X, rows.Y, whole);
  EXPECT_EQ(found.status, expected.status);
  EXPECT_EQ(found.prior, expected.prior);
  EXPECT_EQ(found.num_alone, expected.num_alone);
  EXPECT_EQ(found.left_out, expected.left_out);
  EXPECT_EQ(found.column_names, expected.column_names);
  EXPECT_EQ(found.notes, expected.notes);
  EXPECT_EQ(found.warnings, expected.warnings);
  expect_columns_near(found.mean, expected.mean, tolerance);
  expect_columns_near(found.sd, expected.sd, tolerance);
  expect_columns_near(found.inclusion, expected.inclusion, tolerance);
  const double n = rows.weights.size() > 0 ? rows.weights.sum() : static_cast<double>(rows.X.rows());
  expect_numbers_near(found.noise_sd, expected.noise_sd, tolerance);
  expect_numbers_near(found.precision, expected.precision, tolerance);
  expect_numbers_near(found.degrees_of_freedom, expected.degrees_of_freedom, tolerance);
  expect_numbers_near(found.bound, expected.bound, tolerance, n);
  expect_numbers_near(found.evidence, expected.evidence, tolerance, n);
  expect_numbers_near(found.r_squared, expected.r_squared, tolerance, 1);
  expect_numbers_near(found.effective_parameters, expected.effective_parameters, tolerance, 1);
  expect_numbers_near(found.num_rows, expected.num_rows, 1e-14);
  ASSERT_EQ(found.intercept.size(), expected.intercept.size());
  const Vector size = rows.Y.cwiseAbs().colwise().maxCoeff();
  for (Index k = 0; k < found.intercept.size(); ++k)
    if (!std::isnan(expected.intercept[k])) {
      EXPECT_NEAR(found.intercept[k], expected.intercept[k],
                  tolerance * (size[k] + (rows.X * expected.mean.col(k)).cwiseAbs().maxCoeff() + std::abs(expected.intercept[k])));
    }
  ASSERT_EQ(found.log_bayes_of_noise.cols(), expected.log_bayes_of_noise.cols());
  if (expected.log_bayes_of_noise.size() > 0) {
    const Vector probability = explained_targets(expected.log_bayes, expected.log_bayes_of_noise, 0.1).probability;
    expect_numbers_near(explained_targets(found.log_bayes, found.log_bayes_of_noise, 0.1).probability, probability, 1e-6, 1);
  }
  const Matrix some = rows.X.topRows(std::min<Index>(rows.X.rows(), 5));
  const TargetsPrediction p = predict(found, some), q = predict(expected, some);
  for (Index k = 0; k < p.mean.cols(); ++k) {
    if (std::isnan(q.mean(0, k))) continue;
    EXPECT_LE((p.mean.col(k) - q.mean.col(k)).cwiseAbs().maxCoeff(), tolerance * (size[k] + q.mean.col(k).cwiseAbs().maxCoeff())) << k;
    if (p.sd.col(k) == q.sd.col(k)) continue;  // infinite
    EXPECT_LE((p.sd.col(k) - q.sd.col(k)).cwiseAbs().maxCoeff(), tolerance * (q.sd.col(k).maxCoeff() + 1e-8 * size[k])) << k;
  }
}

std::vector<TargetsOptions> options_of_targets() {
  std::vector<TargetsOptions> out;
  for (const PriorKind kind : {PriorKind::shared, PriorKind::sparse, PriorKind::slab, PriorKind::dense, PriorKind::ard, PriorKind::none}) {
    TargetsOptions options;
    options.fit.prior.kind = kind;
    out.push_back(options);
  }
  TargetsOptions laplace;
  laplace.fit.prior = Prior::laplace(8);
  out.push_back(laplace);
  out.emplace_back();  // automatic
  return out;
}

TEST(TargetStatistics, HaveTheFitsOfTheRows) {  // (TGT.11)
  for (const TargetsOptions& options : options_of_targets())
    for (const bool weighted : {false, true}) {
      SCOPED_TRACE(::testing::Message() << to_string(options.fit.prior.kind) << ", weighted " << weighted);
      expect_fits_of_the_rows(random_rows_of_targets(21, 600, 6, 8, 3, weighted), options);
    }
}

TEST(TargetStatistics, HaveTheFitsOfTheRowsWithoutAnInterceptOrInTheirOwnUnits) {  // (TGT.11)
  for (const bool intercept : {true, false})
    for (const bool standardize : {true, false})
      for (const PriorKind kind : {PriorKind::shared, PriorKind::sparse, PriorKind::none}) {
        SCOPED_TRACE(::testing::Message() << to_string(kind) << ", intercept " << intercept << ", standardize " << standardize);
        TargetsOptions options;
        options.fit.prior.kind = kind;
        options.fit.intercept = intercept;
        options.fit.standardize = standardize;
        TargetRows rows = random_rows_of_targets(22, 400, 4, 5, 1);
        if (!standardize) rows.X = rows.X * rows.X.colwise().norm().cwiseInverse().asDiagonal() * 20;
        expect_fits_of_the_rows(rows, options);
      }
}

TEST(TargetStatistics, HaveTheFitsOfFewRowsAndManyColumns) {  // (TGT.11), (ST.3)
  for (const auto& [n, p] : {std::pair<Index, Index>{70, 90}, {62, 61}, {30, 5}, {3, 2}, {80, 79}})
    for (const PriorKind kind : {PriorKind::shared, PriorKind::dense}) {
      SCOPED_TRACE(::testing::Message() << n << " x " << p << ", " << to_string(kind));
      TargetsOptions options;
      options.fit.prior.kind = kind;
      expect_fits_of_the_rows(random_rows_of_targets(23, n, p, 4, 1), options, 1e-7);
    }
}

TEST(TargetStatistics, HaveTheFitsOfTablesWithConstantsAndCopies) {  // (TGT.11)
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    const Index p = random.integer(3, 9), n = random.integer(70, 900);
    TargetRows rows = random_rows_of_targets(100 + seed, n, p, 6, random.uniform(0, 20), random.chance(0.3));
    rows.X.col(random.integer(0, p - 1)).setConstant(random.normal());
    rows.X.col(0) = 2 * rows.X.col(1).array() - 1;
    rows.Y.col(1).setConstant(random.normal());
    rows.Y(random.integer(0, n - 1), 2) = no_number;
    rows.Y.col(3) = -rows.Y.col(0);
    for (TargetsOptions options : options_of_targets()) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << to_string(options.fit.prior.kind));
      // Copies share an effect under these priors. Where an ascent stops among such fits, rounding decides within its tolerance.
      const PriorKind kind = options.fit.prior.kind;
      const bool shares = kind == PriorKind::sparse || kind == PriorKind::slab || kind == PriorKind::automatic;
      expect_fits_of_the_rows(rows, options, shares ? 1e-6 : 1e-8);
    }
  }
}

TEST(TargetStatistics, DoNotGuessAtNearlyCollinearColumns) {  // (ST.5)
  for (const double apart : {1e-3, 1e-5, 1e-7}) {
    SCOPED_TRACE(apart);
    TargetRows rows = random_rows_of_targets(24, 500, 4, 4, 1);
    Random random(25);
    rows.X.col(2) = rows.X.col(0) + apart * rows.X.col(0).norm() / std::sqrt(500.0) * random.normals(500);
    const TargetStatistics statistics = statistics_of_targets(rows);
    TargetsOptions options;
    options.fit.prior.kind = PriorKind::none;
    options.standard_deviations = true;
    // A rest of 1e-14 of the variance is that of a copy or next to it, as rounding wills. A copy is left out with a note.
    const auto expect_fit = [&](double tolerance, bool of_coefficients) {
      const TargetsFit found = fit_targets(statistics, options);
      Matrix X = rows.X;
      if (found.left_out[2]) {
        EXPECT_LT(apart, 1e-6);
        EXPECT_TRUE(mentions(found.notes, "copy of"));
        X.col(2) = X.col(0);
      }
      const TargetsFit expected = fit_targets(X, rows.Y, options);
      EXPECT_EQ(found.status, expected.status);
      EXPECT_EQ(found.left_out, expected.left_out);
      expect_columns_near(predict(found, rows.X).mean, predict(expected, rows.X).mean, tolerance);
      expect_numbers_near(found.noise_sd, expected.noise_sd, tolerance);
      if (!of_coefficients) return;
      expect_columns_near(found.mean, expected.mean, tolerance);
      expect_columns_near(found.sd, expected.sd, tolerance);
    };
    try {
      expect_fit(apart < 1e-6 ? 1e-5 : 1e-6, true);
      EXPECT_TRUE(apart > 1e-4 || apart < 1e-6);
    } catch (const InvalidArgument& refused) {
      EXPECT_LT(apart, 1e-4);
      for (const char* const piece : {"collinear", "the rows themselves"})
        EXPECT_NE(std::string(refused.what()).find(piece), std::string::npos) << refused.what();
    }
    for (const PriorKind kind : {PriorKind::shared, PriorKind::ard, PriorKind::sparse}) {  // what the columns explain together is known
      SCOPED_TRACE(to_string(kind));
      options.fit.prior.kind = kind;
      expect_fit(1e-5, false);
    }
  }
}

TEST(TargetStatistics, AreTheFitsOfTheStatisticsOfEachTarget) {  // (TGT.11)
  const TargetRows rows = random_rows_of_targets(26, 900, 5, 4, 20, true);
  const TargetStatistics statistics = statistics_of_targets(rows);
  for (const TargetsOptions& options : options_of_targets()) {
    const TargetsFit all = fit_targets(statistics, options);
    for (Index k = 0; k < 4; ++k) {
      LinearStatistics one;
      one.update(rows.X, Vector(rows.Y.col(k)), rows.weights);
      const LinearFit fit = fit_linear(one, options.fit);
      expect_columns_near(all.mean.col(k), fit.mean, 1e-9);
      EXPECT_NEAR(all.bound[k], fit.bound, 1e-9 * 900);
      EXPECT_NEAR(all.intercept[k], fit.intercept->mean, 1e-9 * (std::abs(fit.intercept->mean) + rows.Y.col(k).cwiseAbs().maxCoeff()));
    }
  }
}

TEST(TargetStatistics, SayWhatNeedsTheRows) {
  const TargetRows rows = random_rows_of_targets(27, 200, 3, 2);
  const TargetStatistics statistics = statistics_of_targets(rows);
  const auto fit = [&](TargetsOptions options) { static_cast<void>(fit_targets(statistics, options)); };
  expect_invalid([&] { fit({.leave_one_out = true}); }, {"leave_one_out", "reads rows"});
  expect_invalid([&] { fit({.drop_missing = true}); }, {"drop_missing", "reads rows"});
  expect_invalid([&] { fit({.fit = {.prior = Prior::laplace(0)}}); }, {"prior", "laplace", "lambda"});
  expect_invalid([&] { fit({.fit = {.family = Family::student}}); }, {"family", "'student'", "rows themselves"});
  expect_invalid([&] { fit({.fit = {.scaling = Scaling::largest}}); }, {"scaling", "rows themselves"});
  const Vector ones = Vector::Ones(200);
  expect_invalid([&] { fit({.fit = {.weights = ones}}); }, {"weights", "update()"});
  expect_invalid([&] { static_cast<void>(fit_targets(TargetStatistics())); }, {"no rows"});
  TargetStatistics of_zero;
  of_zero.update(rows.X, rows.Y, Vector(Vector::Zero(200)));
  EXPECT_EQ(of_zero.num_rows(), 200);
  expect_invalid([&] { static_cast<void>(fit_targets(of_zero)); }, {"no rows"});
  TargetStatistics large;
  large.update(Matrix(1e149 * rows.X / rows.X.cwiseAbs().maxCoeff()), rows.Y, Vector(Vector::Constant(200, 1e10)));
  expect_invalid([&] { static_cast<void>(fit_targets(large)); }, {"column 'x", "beyond the range"});
}

TEST(TargetStatistics, WarnOfTargetsThatAreExplained) {  // (ST.5)
  TargetRows rows = random_rows_of_targets(28, 300, 3, 3);
  rows.Y.col(1) = rows.X * Vector::Ones(3);
  TargetsOptions options;
  options.fit.prior.kind = PriorKind::shared;
  const TargetsFit fits = fit_targets(statistics_of_targets(rows), options);
  EXPECT_TRUE(mentions(fits.warnings, "explain 1 target up to the rounding"));
  expect_columns_near(fits.mean.col(1), Vector::Ones(3), 1e-6);
}

TEST(TargetStatistics, HaveFitsWithNamesThatAreSaved) {
  const TargetRows rows = random_rows_of_targets(29, 300, 3, 3);
  TargetStatistics statistics = statistics_of_targets(rows);
  statistics.set_names({"a", "b", "c"}, {"u", "v", "w"});
  TargetsOptions options;
  options.fit.prior.kind = PriorKind::shared;
  SavedTargets saved{fit_targets(statistics, options), {"u", "v", "w"}};
  EXPECT_EQ(saved.fit.column_names, (std::vector<std::string>{"a", "b", "c"}));
  saved.encoding = FeatureEncoding::of_numbers(saved.fit.column_names);
  const SavedTargets again = targets_from_bytes(targets_to_bytes(saved));
  EXPECT_EQ(predict(again.fit, rows.X).mean, predict(saved.fit, rows.X).mean);
  EXPECT_EQ(predict(again.fit, rows.X).sd, predict(saved.fit, rows.X).sd);
}

}  // namespace
}  // namespace ardvark
