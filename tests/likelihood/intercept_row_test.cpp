// The prior of the intercept of classes as a row.                                              docs/math/sparse.md (SP.20), softmax.md
// (SMX.12)
#include "likelihood/intercept_row.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

#include "core/special.hpp"
#include "likelihood/registry.hpp"

namespace ardvark::internal {
namespace {

double log_density(double b, double c) { return std::log(c / std::numbers::pi) + 0.5 * (log_sigmoid(c * b) + log_sigmoid(-c * b)); }

// E ln p(b) of a normal b by the trapezoid rule.
double expected(double m, double s, double c) {
  if (s == 0) return log_density(m, c);
  double sum = 0;
  constexpr double step = 0.01;
  for (double z = -9; z <= 9; z += step) sum += step * normal_pdf(z) * log_density(m + std::sqrt(s) * z, c);
  return sum;
}

// The best c of at most 1 among many.
double best_of(double m, double s) {
  double best = -1e300, at = 0;
  for (const auto& [width, step] : {std::pair{9.0, 0.05}, {0.05, 0.001}}) {
    const double middle = at;
    for (double log_c = std::min(middle + width, 0.0); log_c > std::max(middle - width, -9.0); log_c -= step)
      if (const double here = expected(m, s, std::exp(log_c)); here > best) {
        best = here;
        at = log_c;
      }
  }
  return best;
}

TEST(InterceptRow, HasTheBestNarrowing) {
  for (const double m : {0.0, 0.4, -2.0, 5.0, -40.0})
    for (const double s : {0.0, 0.01, 1.0, 30.0, 4000.0}) {
      const InterceptRow row = intercept_row(m, s);
      EXPECT_LE(row.narrowing, 1);
      EXPECT_NEAR(row.log_prior, expected(m, s, row.narrowing), 1e-7) << m << ", " << s;
      EXPECT_GE(row.log_prior, best_of(m, s) - 1e-7) << m << ", " << s;
      EXPECT_EQ(row.narrowing == 1, expected(m, s, 1) >= best_of(m, s) - 1e-12) << m << ", " << s;
    }
}

// Response less omega m is the derivative in m, minus half of omega that in s, c following.                              (VG.1), (SP.20)
TEST(InterceptRow, TouchesTheDensity) {
  const double step = 1e-3;
  for (const double m : {0.0, 0.7, -3.0, 20.0})
    for (const double s : {0.1, 2.0, 50.0}) {
      const InterceptRow row = intercept_row(m, s);
      const auto value = [&](double mean, double variance) { return intercept_row(mean, variance).log_prior; };
      EXPECT_NEAR(row.response - row.omega * m, (value(m + step, s) - value(m - step, s)) / (2 * step), 2e-5);
      EXPECT_NEAR(-0.5 * row.omega, (value(m, s + step) - value(m, s - step)) / (2 * step), 2e-5);
    }
}

TEST(InterceptRow, OfABoundLiesBelowAndTouches) {
  for (const double square : {0.0, 0.5, 5.8, 100.0, 1e6}) {
    const InterceptRow row = intercept_row_of_bound(square);
    EXPECT_NEAR(row.log_prior, log_density(std::sqrt(square), row.narrowing), 1e-12 * std::abs(row.log_prior));
    EXPECT_GE(row.log_prior, best_of(std::sqrt(square), 0) - 1e-12);
    for (const double b : {0.0, 0.3, 2.0, 9.0, 50.0})
      EXPECT_LE(row.log_prior - 0.5 * row.omega * (b * b - square), log_density(b, row.narrowing) + 1e-12) << square << ", " << b;
  }
}

TEST(InterceptRow, IsADensity) {
  for (const double c : {1.0, 0.2}) {
    double sum = 0;
    for (double b = -600; b < 600; b += 0.05) sum += 0.05 * std::exp(log_density(b, c));
    EXPECT_NEAR(sum, 1, 1e-9);
  }
}

TEST(InterceptScores, OfTwoClassesAreTheRow) {
  for (const double b : {0.0, 1.0, -4.0, 60.0}) {
    const InterceptScores scores = intercept_scores(Vector{{5.0, 5.0 + b}});
    const InterceptRow row = intercept_row(b, 0);
    EXPECT_NEAR(scores.log_prior, row.log_prior + 0.5 * std::log(2), 1e-7);  // of lengths in the plane
    EXPECT_NEAR(scores.narrowing, row.narrowing, 1e-6);
    EXPECT_NEAR(scores.probability[1], sigmoid(row.narrowing * b), 1e-6);
  }
}

// Of three: in the plane where scores sum to 0 it is a density; c is the best, and its gradient c (1/2 - C/2 p).                 (SMX.12)
TEST(InterceptScores, OfThreeClasses) {
  const Vector first = Vector{{1, -1, 0}} / std::sqrt(2), second = Vector{{1, 1, -2}} / std::sqrt(6);
  const double constant = 0.5 * std::log(3) + std::lgamma(1.5) - 1.5 * std::log(std::numbers::pi);
  const auto log_density_of = [&](const Vector& f, double c) {
    return constant + 2 * std::log(c) + 0.5 * (c * f.array() - std::log((c * f.array()).exp().sum())).sum();
  };
  double sum = 0;
  for (double x = -60; x <= 60; x += 0.1)
    for (double y = -60; y <= 60; y += 0.1) sum += 0.01 * std::exp(log_density_of(x * first + y * second, 1));
  EXPECT_NEAR(sum, 1, 1e-6);
  for (const auto& [x, y] : {std::pair{0.0, 0.1}, {2.0, -1.0}, {9.0, 4.0}}) {
    const Vector f = x * first + y * second;
    const InterceptScores scores = intercept_scores(f);
    EXPECT_NEAR(scores.log_prior, log_density_of(f, scores.narrowing), 1e-10);
    for (double log_c = 0; log_c > -6; log_c -= 0.01) EXPECT_LE(log_density_of(f, std::exp(log_c)), scores.log_prior + 1e-10);
    for (Index k = 0; k < 3; ++k) {
      Vector moved = f, back = f;
      moved[k] += 1e-5, back[k] -= 1e-5;
      EXPECT_NEAR((intercept_scores(moved).log_prior - intercept_scores(back).log_prior) / 2e-5,
                  scores.narrowing * (0.5 - 1.5 * scores.probability[k]), 1e-6);
    }
  }
}

Posterior posterior(const Vector& m, const Vector& s) {
  Posterior out;
  out.m = m;
  out.s = s;
  return out;
}

// The rows of observations are those of the likelihood alone, and the last one is that of the prior.
TEST(WithInterceptRow, AddsARowToEachLikelihoodOfTwoClasses) {
  const Vector t{{0, 1, 1, 0, 1}}, k{{1, 2, 0.5, 1, 3}}, m{{0.3, -1.2, 2.5, 0.1, 4, -7}}, s{{0.2, 1.5, 0.01, 3, 0.4, 2}};
  for (const LikelihoodRow& row : likelihoods()) {
    if (row.task != Task::logistic) continue;
    SCOPED_TRACE(row.name);
    const bool is_bound = std::string_view(row.name) == "jj", is_mode = std::string_view(row.name) == "laplace";
    const auto alone = row.make({.y = t, .k = k}), both = row.make({.y = t, .k = k, .last = LastRow::intercept});
    Rows plain, rows;
    alone->start(plain);
    both->start(rows);
    ASSERT_EQ(rows.omega.size(), 6);
    EXPECT_EQ(Vector(rows.omega.head(5)), plain.omega);
    EXPECT_EQ(Vector(rows.r.head(5)), plain.r);
    EXPECT_NEAR(rows.omega[5], 0.25, 1e-15);
    EXPECT_EQ(rows.r[5], 0);
    const Posterior q = posterior(m, s), q_alone = posterior(m.head(5), s.head(5));
    alone->update(q_alone, plain);
    both->update(q, rows);
    const InterceptRow last = is_bound ? intercept_row_of_bound(m[5] * m[5] + s[5]) : intercept_row(m[5], is_mode ? 0 : s[5]);
    EXPECT_EQ(Vector(rows.omega.head(5)), plain.omega);
    EXPECT_EQ(Vector(rows.r.head(5)), plain.r);
    EXPECT_EQ(rows.omega[5], last.omega);
    EXPECT_EQ(rows.r[5], last.response);
    EXPECT_NEAR(both->bound(q), alone->bound(q_alone) + last.log_prior, 1e-12);
    if (is_mode) {
      EXPECT_NEAR(both->log_likelihood(), alone->log_likelihood() + last.log_prior, 1e-12);
    }
    Vector state(both->state_size()), weight(both->state_size());
    both->get_state(state, weight);
    EXPECT_EQ(both->state_size() == 0, is_mode);
    EXPECT_TRUE((weight.array() > 0).all());
    const auto other = row.make({.y = t, .k = k, .last = LastRow::intercept});
    Rows again;
    other->start(again);
    other->set_state(state, again);
    if (is_mode) continue;
    EXPECT_LE((again.omega - rows.omega).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LE((again.r - rows.r).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_NEAR(other->bound(q), both->bound(q), 1e-12);
  }
}

}  // namespace
}  // namespace ardvark::internal
