// Likelihoods that find a parameter of their own: (NB.1) to (NB.5), (TN.1) to (TN.4).
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "likelihood/moment_likelihood.hpp"
#include "likelihood/negative_binomial.hpp"
#include "support/draw_target.hpp"

namespace ardvark::internal {
namespace {

using testing::Random;

constexpr double pi = 3.14159265358979323846;

double normal_log_density(double x, double mean, double sd) {
  const double z = (x - mean) / sd;
  return -0.5 * z * z - 0.5 * std::log(2 * pi) - std::log(sd);
}

// From the definition: gamma functions of 1/k.
double negative_binomial(double y, double eta, double k) {
  const double r = 1 / k, mu = std::exp(eta);
  return std::lgamma(y + r) - std::lgamma(r) - std::lgamma(y + 1) + y * std::log(k * mu / (1 + k * mu)) - r * std::log1p(k * mu);
}

TEST(NegativeBinomial, ProbabilitiesAreThoseOfTheDefinition) {  // (NB.1)
  for (const double k : {0.01, 0.09, 0.11, 0.7, 5.0, 300.0})
    for (const double eta : {-4.0, 0.0, 3.0})
      for (const double y : {0.0, 1.0, 5.0, 39.0, 41.0, 3000.0}) {
        const double expected = negative_binomial(y, eta, k);
        EXPECT_NEAR(negative_binomial_log_probability(y, eta, k), expected, 1e-10 * (1 + std::abs(expected)))
            << k << " " << eta << " " << y;
      }
  for (const double k : {0.02, 0.8}) {
    double sum = 0;
    for (int y = 0; y < 5000; ++y) sum += std::exp(negative_binomial_log_probability(y, 2.0, k));
    EXPECT_NEAR(sum, 1, 1e-11) << k;
  }
}

TEST(NegativeBinomial, IsPoissonInTheLimit) {  // (NB.1)
  for (const double y : {0.0, 3.0, 60.0, 1e6})
    for (const double eta : {-1.0, 2.0, 13.8}) {
      const double poisson = y * eta - std::exp(eta) - std::lgamma(y + 1), mu = std::exp(eta);
      const double first_order = 0.5 * 1e-12 * ((y - mu) * (y - mu) - y);  // the derivative in k at 0
      EXPECT_NEAR(negative_binomial_log_probability(y, eta, 1e-12), poisson + first_order, 1e-9 * (1 + std::abs(poisson)))
          << y << " " << eta;
    }
}

TEST(NegativeBinomial, RisingFactorialHasItsDerivative) {  // (NB.1), (NB.4)
  for (const double k : {1e-7, 1e-3, 0.05, 0.2, 40.0})
    for (const double y : {0.0, 1.0, 12.0, 40.0, 41.0, 2e4}) {
      const double h = 1e-4;
      const double difference = (log_rising(y, k * std::exp(h)).value - log_rising(y, k * std::exp(-h)).value) / (2 * h);
      EXPECT_NEAR(log_rising(y, k).slope, difference, 1e-6 * (1e-6 + std::abs(difference))) << k << " " << y;
      double sum = 0;
      for (double i = 0; i < y; ++i) sum += std::log1p(i * k);
      EXPECT_NEAR(log_rising(y, k).value, sum, 1e-11 * (1 + sum)) << k << " " << y;
    }
}

TEST(NegativeBinomial, MomentsAreThoseOfAQuadrature) {  // (NB.2)
  const auto softplus_of = [](double z) { return z > 0 ? z + std::log1p(std::exp(-z)) : std::log1p(std::exp(z)); };
  const auto sigma_of = [](double z) { return 1 / (1 + std::exp(-z)); };
  for (const double s : {1e-6, 0.0019, 0.0079, 0.0081, 0.0099, 0.049, 0.149, 0.299, 0.699, 0.701, 1.0, 4.0, 25.0})
    for (const double m : {-30.0, -5.0, -1.0, 0.0, 0.4, 3.0, 20.0}) {
      const SoftplusMoments e = softplus_moments(m, s);
      EXPECT_NEAR(e.softplus, testing::normal_expectation(m, s, softplus_of), 1e-10) << m << " " << s;
      EXPECT_NEAR(e.sigma, testing::normal_expectation(m, s, sigma_of), 1e-10) << m << " " << s;
      EXPECT_NEAR(e.slope, testing::normal_expectation(m, s, [&](double z) { return sigma_of(z) * sigma_of(-z); }), 1e-10) << m << " " << s;
    }
}

// Rows at moments that a fit may have.
struct Example {
  Vector y, k, m, s, offset;
};

Example counts(std::uint64_t seed, Index n) {
  Random random(seed);
  Example out{Vector(n), Vector(n), random.normals(n), 0.3 * random.normals(n).array().exp(), 0.3 * random.normals(n)};
  const Vector noisy = out.m + 0.8 * random.normals(n) + out.offset;
  out.y = testing::draw_target(Task::counts, noisy.array() + 1, random);
  out.m.array() += 1;
  for (Index i = 0; i < n; ++i) out.k[i] = static_cast<double>(random.integer(1, 3));
  return out;
}

Example numbers(std::uint64_t seed, Index n) {
  Random random(seed);
  Example out{Vector(n), Vector(n), random.normals(n), 0.1 * random.normals(n).array().exp(), {}};
  out.y = out.m + 0.3 * random.normals(n).cwiseQuotient(random.normals(n).cwiseAbs());  // heavy tails
  for (Index i = 0; i < n; ++i) out.k[i] = static_cast<double>(random.integer(1, 3));
  return out;
}

constexpr GammaDistribution noise{0.4, 0.9};

std::unique_ptr<Likelihood> likelihood_of(const Example& one, bool is_count) {
  return is_count ? make_negative_binomial(one.y, one.k, 0, one.offset) : make_student(one.y, one.k, noise);
}

double expect(const Likelihood& likelihood, const Vector& m, const Vector& s, Rows& rows) {
  return dynamic_cast<const MomentLikelihood&>(likelihood).expect(m, s, rows);
}

TEST(OwnParameters, RowsAreTheDerivativesWithTheParametersAtTheirBest) {  // (NB.3), (TN.1)
  for (const bool is_count : {true, false})
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const Example one = is_count ? counts(seed, 12) : numbers(seed, 12);
      const auto likelihood = likelihood_of(one, is_count);
      Rows rows, ignored;
      expect(*likelihood, one.m, one.s, rows);
      const double h = 1e-4;
      for (Index i = 0; i < one.y.size(); ++i) {
        const Vector step = h * Vector::Unit(one.y.size(), i);
        const double in_m =
            (expect(*likelihood, one.m + step, one.s, ignored) - expect(*likelihood, one.m - step, one.s, ignored)) / (2 * h);
        const double in_s =
            (expect(*likelihood, one.m, one.s + step, ignored) - expect(*likelihood, one.m, one.s - step, ignored)) / (2 * h);
        EXPECT_NEAR(rows.omega[i], -2 * in_s, 1e-5 * (1 + rows.omega[i])) << is_count << " " << i;
        EXPECT_NEAR(rows.r[i], rows.omega[i] * one.m[i] + in_m, 1e-5 * (1 + std::abs(rows.r[i]))) << is_count << " " << i;
      }
    }
}

TEST(NegativeBinomial, MarginalsTakeTheDispersionAsUncertain) {  // (NB.8)
  const auto softplus_of = [](double z) { return z > 0 ? z + std::log1p(std::exp(-z)) : std::log1p(std::exp(z)); };
  for (const double s : {0.0079, 0.149, 0.299, 0.699, 0.701})
    for (const double m : {-5.0, -1.0, 0.0, 3.0})
      EXPECT_NEAR(softplus_moments(m, s, Nodes::few).softplus, testing::normal_expectation(m, s, softplus_of), 1e-6) << m << " " << s;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Example one = counts(seed, 60);
    const auto likelihood = likelihood_of(one, true);
    Rows start;
    likelihood->start(start);
    std::vector<double> log_k, values;
    const double step = 0.02;
    for (double x = -6; x < 4; x += step) log_k.push_back(x);
    Vector change(2);
    // The integral with other moments, over that with these: what the marginal needs.
    for (int i = 0; i < 2; ++i) {
      const Vector m = one.m.array() + 0.3 * i;
      values.resize(log_k.size());
      Rows rows{Vector(60), Vector(60)};
      (void)negative_binomial_rows({one.y, one.k, one.offset, m, one.s}, 0, rows, log_k, values.data());
      double sum = 0;
      for (std::size_t j = 0; j < log_k.size(); ++j) sum += step * std::exp(values[j] - values[200] + prior_of_dispersion(log_k[j]).value);
      const double integral = values[200] + std::log(sum);
      const ExpectedRows at = likelihood->expected_at(m, one.s, rows).value();
      const double found = at.value + at.of_own;
      EXPECT_NEAR(found, integral, 0.02) << seed << " " << i;
      change[i] = found - integral;
    }
    EXPECT_NEAR(change[1], change[0], 0.005) << seed;
  }
}

TEST(NegativeBinomial, DispersionIsTheBestOfASearch) {  // (NB.4)
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Example one = counts(seed, 30);
    const auto likelihood = likelihood_of(one, true);
    Rows rows;
    const double found = expect(*likelihood, one.m, one.s, rows);
    double best = -INFINITY;
    for (double log_k = -4; log_k < 3; log_k += 0.01) {
      double sum = normal_log_density(log_k, -1.5, 2.5);
      for (Index i = 0; i < one.y.size(); ++i)
        sum += one.k[i] * testing::normal_expectation(one.m[i] + one.offset[i], one.s[i],
                                                      [&](double eta) { return negative_binomial(one.y[i], eta, std::exp(log_k)); });
      best = std::max(best, sum);
    }
    EXPECT_NEAR(found, best, 1e-3) << seed;  // a step of .01 is that far from the top
    EXPECT_GE(found, best - 1e-7) << seed;
  }
}

TEST(StudentNoise, NoiseAndDegreesAreTheBestOfASearch) {  // (TN.2), (TN.3)
  const auto log_gamma_density = [](double x, double shape, double rate) {
    return shape * std::log(rate) - std::lgamma(shape) + (shape - 1) * std::log(x) - rate * x;
  };
  const Example one = numbers(5, 9);
  const auto likelihood = likelihood_of(one, false);
  Rows rows;
  const double found = expect(*likelihood, one.m, one.s, rows);
  // E ln tau, and E ln p(tau)/q(tau), by quadrature over ln tau; the factor of lambda by quadrature over ln lambda.
  const auto value_at = [&](double log_tau, double log_degrees) {
    const double nu = std::exp(log_degrees), c = noise.shape + 0.5 * one.k.sum(), rate = c / std::exp(log_tau);
    double E_ln_tau = 0, divergence = 0;
    for (double x = log_tau - 6; x < log_tau + 4; x += 0.01) {
      const double q = 0.01 * std::exp(x + log_gamma_density(std::exp(x), c, rate));
      E_ln_tau += q * x;
      divergence += q * (log_gamma_density(std::exp(x), noise.shape, noise.rate) - log_gamma_density(std::exp(x), c, rate));
    }
    double sum = divergence + normal_log_density(log_degrees, std::log(10.0), 1.5);
    for (Index i = 0; i < one.y.size(); ++i) {
      const double d = std::pow(one.y[i] - one.m[i], 2) + one.s[i];
      double integral = 0;
      for (double x = -60; x < 5; x += 0.05) {
        const double lambda = std::exp(x), height = 0.5 * (E_ln_tau + x - std::log(2 * pi)) - 0.5 * std::exp(log_tau) * lambda * d;
        integral += 0.05 * std::exp(x + height + log_gamma_density(lambda, 0.5 * nu, 0.5 * nu));
      }
      sum += one.k[i] * std::log(integral);
    }
    return sum;
  };
  double best = -INFINITY;
  for (double log_tau = -1; log_tau < 4; log_tau += 0.25)
    for (double log_degrees = -0.5; log_degrees < 4; log_degrees += 0.25) best = std::max(best, value_at(log_tau, log_degrees));
  EXPECT_NEAR(found, best, 0.2);
  EXPECT_GE(found, best - 1e-4);
  const GammaDistribution tau = [&] {
    const auto fitted = likelihood_of(one, false);
    Posterior q;
    q.m = one.m, q.s = one.s;
    Rows of_fit;
    fitted->start(of_fit);
    fitted->update(q, of_fit);
    EXPECT_NEAR(fitted->bound(q), found, 1e-8);
    const double log_degrees = std::log(fitted->own_parameters().degrees_of_freedom);
    EXPECT_NEAR(value_at(std::log(fitted->noise().shape / fitted->noise().rate), log_degrees), found, 1e-4);
    return fitted->noise();
  }();
  EXPECT_NEAR(tau.shape, noise.shape + 0.5 * one.k.sum(), 1e-12);
}

TEST(OwnParameters, SpreadIsTheIntegralOverTheParameter) {  // (NB.5)
  const Example one = counts(2, 25);
  const auto likelihood = likelihood_of(one, true);
  Posterior q;
  q.m = one.m, q.s = one.s;
  Rows rows;
  likelihood->start(rows);
  likelihood->update(q, rows);
  const OwnParameters own = likelihood->own_parameters();
  const auto value_at = [&](double log_k) {
    double sum = normal_log_density(log_k, -1.5, 2.5);
    for (Index i = 0; i < one.y.size(); ++i)
      sum += one.k[i] * testing::normal_expectation(one.m[i] + one.offset[i], one.s[i],
                                                    [&](double eta) { return negative_binomial(one.y[i], eta, std::exp(log_k)); });
    return sum;
  };
  const double h = 0.02, top = likelihood->bound(q);
  double total = 0, mean = 0;
  for (double x = -8; x < 4; x += h) {
    const double p = h * std::exp(value_at(x) - top);
    total += p, mean += p * x;
  }
  EXPECT_NEAR(own.spread, std::log(total), 1e-4);
  EXPECT_NEAR(own.log_mean, mean / total, 1e-3);
}

// One column with a normal prior, by quadrature over its weight and the own parameter: the bound is a little below.
TEST(NegativeBinomial, BoundIsALittleBelowTheEvidence) {  // (NB.5)
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Random random(seed);
    const Index n = 40;
    const Vector x = random.normals(n), y = testing::draw_target(Task::counts, 0.7 * x + 0.7 * random.normals(n), random);
    double most = -INFINITY, total = 0;
    const auto log_joint = [&](double w, double log_k) {
      double sum = normal_log_density(w, 0, 1) + normal_log_density(log_k, -1.5, 2.5);
      for (Index i = 0; i < n; ++i) sum += negative_binomial_log_probability(y[i], x[i] * w, std::exp(log_k));
      return sum;
    };
    for (const bool adds : {false, true})
      for (double w = -1; w < 2.5; w += 0.02)
        for (double log_k = -9; log_k < 5; log_k += 0.1) {
          const double height = log_joint(w, log_k);
          adds ? total += std::exp(height - most)* 0.02 * 0.1 : most = std::max(most, height);
        }
    const double evidence = most + std::log(total);
    const auto likelihood = make_negative_binomial(y, {}, 0);
    Rows rows;
    likelihood->start(rows);
    double w = 0, V = 1;
    for (int step = 0; step < 200; ++step) {
      V = 1 / (1 + rows.omega.dot(x.cwiseAbs2()));
      w = 0.5 * w + 0.5 * V * rows.r.dot(x);
      Posterior q;
      q.m = w * x, q.s = V * x.cwiseAbs2();
      likelihood->update(q, rows);
    }
    const double bound = likelihood->bound({}) + likelihood->own_parameters().spread - 0.5 * (w * w + V - std::log(V) - 1);
    EXPECT_LE(bound, evidence + 0.02) << seed;  // not a strict bound: k is held where the rows are written
    EXPECT_GE(bound, evidence - 0.3) << seed;
  }
}

TEST(StudentNoise, NamesTheOutliers) {  // (TN.1)
  Random random(3);
  Example one = numbers(1, 200);
  one.y = one.m + 0.5 * random.normals(200);
  for (const Index i : {7, 70, 170}) one.y[i] += 8;
  const auto likelihood = likelihood_of(one, false);
  Posterior q;
  q.m = one.m, q.s = 0.01 * one.s;
  Rows rows;
  likelihood->start(rows);
  likelihood->update(q, rows);
  const OwnParameters own = likelihood->own_parameters();
  for (Index i = 0; i < 200; ++i) EXPECT_EQ(own.row_weight[i] < 0.2, i == 7 || i == 70 || i == 170) << i;
  EXPECT_LT(own.degrees_of_freedom, 10);
}

}  // namespace
}  // namespace ardvark::internal
