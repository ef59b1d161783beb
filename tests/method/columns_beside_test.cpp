// What the columns that a fit does not follow add to it.                                                          docs/math/sparse.md
// (SP.26)
#include "method/spike_slab/columns_beside.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace ardvark::internal {
namespace {

constexpr SpikeSlabHyper at_the_pass{.pi = 0.01, .kappa = 0.02, .h = 0, .s2 = 0.7};

// A bound of one column, from its terms.
double bound_of(const SumsBeside& one, const SpikeSlabHyper& hyper) {
  const double prior = one.included * std::log(hyper.pi) + (1 - one.included) * std::log1p(-hyper.pi);
  const double scale = hyper.s2 * hyper.kappa, slab = 0.5 * (one.square / scale - one.included + one.included * std::log(scale));
  return -0.5 * one.misfit - (one.negentropy - prior + slab);
}

TEST(ColumnsBeside, TheBestInclusionOfAColumnMakesItsBoundTheEvidence) {
  for (const double c : {0.0, 3.0, -12.0, 40.0})
    for (const double d : {1e-3, 10.0, 500.0}) {
      const double kappa = at_the_pass.kappa, gain = 0.5 * kappa * c * c / (at_the_pass.s2 * (1 + kappa * d));
      const double ratio = std::exp(gain) / std::sqrt(1 + kappa * d);
      SumsBeside one;
      Inclusion(at_the_pass).add(1, c, d, one);
      EXPECT_NEAR(bound_of(one, at_the_pass), std::log(1 - at_the_pass.pi + at_the_pass.pi * ratio), 1e-12) << c << " " << d;
      EXPECT_NEAR(one.included, at_the_pass.pi * ratio / (1 - at_the_pass.pi + at_the_pass.pi * ratio), 1e-14);
      EXPECT_NEAR(one.included, Inclusion(at_the_pass).of(c, d), 1e-14);
      EXPECT_TRUE(Inclusion(at_the_pass).may_exceed(0.99 * one.included, c, d));
    }
}

// The first pass finds columns whose evidence is beyond the exponents of a double.
TEST(ColumnsBeside, StrongEvidenceHasFiniteSums) {
  SumsBeside one;
  Inclusion(at_the_pass).add(1, 2000, 500, one);
  const double gain = 0.5 * 0.02 * 2000 * 2000 / (0.7 * 11);
  ASSERT_GT(gain, 5000);
  EXPECT_EQ(one.included, 1);
  EXPECT_NEAR(bound_of(one, at_the_pass), std::log(0.01) - 0.5 * std::log(11.0) + gain, 1e-8);
}

// Columns of very different lengths.
struct Columns {
  std::vector<double> c, d;
  Columns() {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    for (int j = 0; j < 5000; ++j) {
      d.push_back(200 * std::exp(1.5 * normal(random)));
      c.push_back(std::sqrt(at_the_pass.s2 * d.back()) * 1.5 * normal(random));
    }
  }
  [[nodiscard]] ColumnsBeside in_classes(const SpikeSlabHyper& hyper) const {
    ColumnsBeside out(hyper);
    for (std::size_t j = 0; j < c.size(); ++j) out.add(c[j], d[j]);
    return out;
  }
  [[nodiscard]] SumsBeside each(const SpikeSlabHyper& hyper) const {
    SumsBeside out;
    for (std::size_t j = 0; j < c.size(); ++j) Inclusion(hyper).add(1, c[j], d[j], out);
    return out;
  }
};

TEST(ColumnsBeside, ClassesHaveTheSumsOfTheirColumns) {
  const Columns columns;
  const ColumnsBeside classes = columns.in_classes(at_the_pass);
  for (const double odds : {0.2, 1.0, 5.0})
    for (const double width : {0.5, 1.0, 2.0}) {
      SpikeSlabHyper hyper = at_the_pass;
      hyper.pi *= odds;
      hyper.kappa *= width;
      const SumsBeside found = classes.sums(hyper), each = columns.each(hyper);
      EXPECT_NEAR(found.included, each.included, 1e-3 * each.included);
      EXPECT_NEAR(found.square, each.square, 1e-3 * each.square);
      EXPECT_NEAR(found.negentropy, each.negentropy, 1e-3 * std::abs(each.negentropy));
      EXPECT_NEAR(found.misfit, each.misfit, 1e-3 * std::abs(each.misfit));
    }
}

TEST(ColumnsBeside, TheyFollowTheSlabByAFactorOfTwo) {
  const ColumnsBeside classes = Columns().in_classes(at_the_pass);
  SpikeSlabHyper narrow = at_the_pass, narrower = at_the_pass;
  narrow.kappa /= 2;
  narrower.kappa /= 7;
  EXPECT_EQ(classes.sums(narrower).included, classes.sums(narrow).included);
  SpikeSlabHyper without = at_the_pass;
  without.kappa = 0;
  EXPECT_EQ(classes.sums(without).included, 0);
}

// So that every standard library gives the same last bits.
TEST(ColumnsBeside, SumsDoNotDependOnTheOrderOfTheClasses) {
  ColumnsBeside forwards(at_the_pass), backwards(at_the_pass);
  const auto add = [](int grain, ColumnsBeside& to) { to.add(std::sqrt(at_the_pass.s2 * 64 * (grain + 0.5) / 8), 64); };
  for (int grain = 0; grain < 300; ++grain) add(grain, forwards), add(299 - grain, backwards);
  const SumsBeside one = forwards.sums(at_the_pass), other = backwards.sums(at_the_pass);
  EXPECT_EQ(one.included, other.included);
  EXPECT_EQ(one.square, other.square);
  EXPECT_EQ(one.negentropy, other.negentropy);
  EXPECT_EQ(one.misfit, other.misfit);
}

}  // namespace
}  // namespace ardvark::internal
