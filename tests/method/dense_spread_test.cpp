// Intervals that know that the variance of the dense part was estimated: against p x p matrices, quadrature and coverage.     (SP.15)
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <memory>
#include <numeric>

#include "../support/random_problem.hpp"
#include "ardvark/linear.hpp"
#include "design/dense.hpp"
#include "method/spike_slab/sparse_fit.hpp"
#include "posterior/state.hpp"

namespace ardvark::internal {
namespace {

using testing::Random;

// A column of ones is flat; the others are penalised.
struct SpreadRows {
  Matrix X;     // [n, p + 1]
  Matrix A;     // [n, p] centred
  Vector y, t;  // [n], and centred
  PenalisedColumns which;
  std::shared_ptr<ReducedRows> rows = std::make_shared<ReducedRows>();
};

// Every effect is there, a few are large; half of each column is common to all.
SpreadRows make_case(Index n, Index p, unsigned seed, double small = 0.3) {
  Random random(seed);
  SpreadRows c;
  c.X = Matrix::Ones(n, p + 1);
  c.y = Vector(n);
  const Vector w = small * random.normals(p);
  for (Index i = 0; i < n; ++i) {
    const double common = random.normal();
    for (Index j = 0; j < p; ++j) c.X(i, j) = std::sqrt(0.5) * (common + random.normal());
    c.y[i] = 3 + c.X.row(i).head(p) * w + (p > 3 ? 1.5 * c.X(i, 2) : 0) + random.normal();
  }
  for (Index j = 0; j < p; ++j) c.which.columns.push_back(j);
  for (Index j = 0; j <= p; ++j) c.which.begin.push_back(j);
  c.which.flat = {p};
  c.A = c.X.leftCols(p).rowwise() - c.X.leftCols(p).colwise().mean();
  c.t = c.y.array() - c.y.mean();
  DenseDesign design(c.X, {});
  EXPECT_TRUE(reduce_rows(design, c.which, Vector::Ones(n), c.y, static_cast<double>(n), KeepBasis::no, *c.rows));
  return c;
}

SpikeSlab start_of(const SpreadRows& c, const SpikeSlabHyper& hyper, SpikeSlabSettings settings = {}) {
  settings.num_rows = static_cast<double>(c.y.size());
  settings.least_kappa = 4 / settings.num_rows;
  SpikeSlab q(c.which, settings);
  q.set_rows(*c.rows);
  q.set_hyper(hyper);
  return q;
}

SpikeSlab ascended(const SpreadRows& c, SpikeSlab q) {
  std::vector<Index> order(static_cast<std::size_t>(c.which.size()));
  std::iota(order.begin(), order.end(), Index{0});
  for (int i = 0; i < 30; ++i) {
    q.sweep(order);
    q.update_hyper(i < 3 ? Reach::everywhere : Reach::near);
  }
  return q;
}

SpikeSlab with_effects(const SpreadRows& c) { return ascended(c, start_of(c, {.pi = 0.2, .kappa = 0.5, .h = 0.05, .s2 = 1})); }

// h as it is where the bound has no use for a dense part.
SpikeSlab with_effects_alone(const SpreadRows& c) {
  SpikeSlab q = ascended(c, start_of(c, {.pi = 0.2, .kappa = 0.5, .h = 0, .s2 = 1}, {.fit_dense = false}));
  q.free_dense(0);
  return q;
}

SpikeSlab without_effects(const SpreadRows& c) {
  SpikeSlab q = start_of(c, {.pi = 0, .kappa = 0, .h = 0.05, .s2 = 1});
  q.update_hyper(Reach::everywhere);
  return q;
}

MixtureComponent component(const SpreadRows& c, const SpikeSlab& q) {
  bool factored = false;
  MixtureComponent out = component_of(q, c.rows, c.rows->flat_mean, factored);
  EXPECT_TRUE(factored);
  return out;
}

// What (SP.15) is made of at one value of h, by n x n and p x p matrices of the centred columns.
struct AtH {
  double log_density = 0, s2 = 0;  // of ln h
  Vector mean;                     // [p] of w
  Matrix covariance;               // [p, p] of u given b, h and s2(h)
};
AtH at(const SpreadRows& c, const SpikeSlab& q, double h) {
  const Index n = c.t.size(), p = c.A.cols();
  const double degrees = static_cast<double>(n - 1), R = q.inclusion().sum(), P = (q.variance() + q.mean().cwiseAbs2()).sum();
  const Eigen::LLT<Matrix> rows(Matrix::Identity(n, n) + h * c.A * c.A.transpose());
  const Vector r = c.t - c.A * q.mean();
  const double of_b = (c.A.cwiseProduct(rows.solve(c.A)).colwise().sum() * q.variance())(0);
  AtH out;
  out.s2 = (r.dot(rows.solve(r)) + of_b + (R > 0 ? P / q.hyper().kappa : 0)) / (degrees + R);
  const double share = h * c.A.squaredNorm() / degrees, x = share / (1 + share);
  out.log_density = -Matrix(rows.matrixL()).diagonal().array().log().sum() - 0.5 * (degrees + R) * std::log(out.s2) +
                    0.25 * std::log(1 - x) + std::log(x * (1 - x));
  const Eigen::LLT<Matrix> columns(Matrix::Identity(p, p) + h * c.A.transpose() * c.A);
  out.mean = q.mean() + h * columns.solve(c.A.transpose() * r);
  out.covariance = out.s2 * h * columns.solve(Matrix::Identity(p, p));
  return out;
}

// ln h where the posterior on 65 places has the shares (k + 1/2)/5 below it, half of a place's own mass below the place.
std::vector<double> middles(const SpreadRows& c, const SpikeSlab& q) {
  const double least = 1 / c.A.squaredNorm(), step = 0.25;
  std::vector<double> place, mass;
  for (int i = -32; i <= 32; ++i) {
    place.push_back(std::log(std::max(q.hyper().h, least)) + i * step);
    mass.push_back(at(c, q, std::exp(place.back())).log_density);
  }
  const double most = *std::max_element(mass.begin(), mass.end());
  double total = 0;
  for (double& each : mass) total += each = std::exp(each - most);
  std::vector<double> out;
  for (int k = 0; k < 5; ++k) {
    double below = 0;
    for (std::size_t i = 0; i + 1 < place.size(); ++i) {
      const double here = below + 0.5 * mass[i], next = here + 0.5 * (mass[i] + mass[i + 1]), wanted = (k + 0.5) / 5 * total;
      if (here <= wanted && wanted < next) out.push_back(place[i] + step * (wanted - here) / (next - here));
      below += mass[i];
    }
  }
  return out;
}

TEST(DenseSpread, IsTheMeanOverFiveValuesOfH) {
  for (const Index p : {6, 40})
    for (const auto& fitted : {with_effects, with_effects_alone, without_effects}) {
      const SpreadRows c = make_case(25, p, 3);
      const SpikeSlab q = fitted(c);
      ASSERT_EQ(q.hyper().h > 0, fitted != with_effects_alone);
      const MixtureComponent found = component(c, q);
      MixtureComponent given_h = found;
      given_h.spread.reset();
      const AtH now = at(c, q, q.hyper().h);
      Matrix expected = given_h.covariance() - now.covariance * (q.hyper().s2 / now.s2);  // P B P'
      if (fitted == without_effects) {
        EXPECT_LT(expected.cwiseAbs().maxCoeff(), 1e-12);
      }
      double s2 = 0;
      const std::vector<double> five = middles(c, q);
      ASSERT_EQ(five.size(), 5u);
      for (const double log_h : five) {
        const AtH one = at(c, q, std::exp(log_h));
        expected += (one.covariance + (one.mean - now.mean) * (one.mean - now.mean).transpose()) / 5;
        s2 += one.s2 / 5;
      }
      const double unit = expected.cwiseAbs().maxCoeff();
      EXPECT_LT((found.w - now.mean).cwiseAbs().maxCoeff(), 1e-10) << "the mean stays";
      EXPECT_LT((found.covariance() - expected).cwiseAbs().maxCoeff(), 1e-9 * unit) << p;
      EXPECT_LT((found.marginals().variance - expected.diagonal()).cwiseAbs().maxCoeff(), 1e-9 * unit);
      EXPECT_EQ(found.marginals().effective_parameters, given_h.marginals().effective_parameters);
      // A row, its intercept being the mean of y less what the centres take off it.
      Mixture mixture{{found}, c.which.columns, c.which.flat};
      const Matrix fresh = make_case(9, p, 4).X;
      DenseDesign design(fresh, {});
      const ComponentMoments moments = mixture.component_moments(design);
      for (Index i = 0; i < 9; ++i) {
        const Vector x = (fresh.row(i).head(p) - c.X.leftCols(p).colwise().mean()).transpose();
        EXPECT_NEAR(moments.variance(i, 0), x.dot(expected * x) + s2 / 25, 1e-9 * moments.variance(i, 0));
        EXPECT_NEAR(moments.mean(i, 0), c.y.mean() + x.dot(now.mean), 1e-10);
      }
    }
}

TEST(DenseSpread, IsNearThePosteriorOfH) {
  double given = 0, five = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const SpreadRows c = make_case(8, 3, 100 + seed, 0.7);
    const SpikeSlab q = without_effects(c);
    const AtH now = at(c, q, q.hyper().h);
    // The trapezoidal rule over ln h: variance of w about its mean at the h that was found.
    Matrix exact = Matrix::Zero(3, 3);
    double mass = 0, middle = std::log(std::max(q.hyper().h, 1 / c.A.squaredNorm()));
    for (double log_h = middle - 25; log_h < middle + 25; log_h += 0.05) {
      const AtH one = at(c, q, std::exp(log_h));
      const double weight = std::exp(one.log_density - now.log_density);
      mass += weight;
      exact += weight * (one.covariance + (one.mean - now.mean) * (one.mean - now.mean).transpose());
    }
    MixtureComponent found = component(c, q);
    const double unit = exact.trace() / mass;
    const double with = found.marginals().variance.sum() / unit;
    found.spread.reset();
    given += std::abs(std::log(found.marginals().variance.sum() / unit)) / 40;
    five += std::abs(std::log(with)) / 40;
    EXPECT_GT(with, 0.9) << "the ends of the outer parts are cut off";
    EXPECT_LT(with, 1);
  }
  EXPECT_LT(five, 0.1 * given) << "nats, on average";
}

TEST(DenseSpread, IsNoneWhereHIsNotFitted) {
  const SpreadRows c = make_case(20, 5, 7);
  const SpikeSlabHyper some{.pi = 0.2, .kappa = 0.5, .h = 0.05, .s2 = 1};
  EXPECT_TRUE(start_of(c, some).dense_spread().has_value());
  EXPECT_FALSE(start_of(c, some, {.fit_dense = false}).dense_spread().has_value());
}

// How often 95% intervals of x'w hold it, and how often they would at the one value of h that was found.
TEST(DenseSpread, BringsIntervalsNearerToWhatTheyPromise) {
  double with = 0, without = 0;
  const int problems = 300;
  for (unsigned seed = 0; seed < problems; ++seed) {
    Random random(1000 + seed);
    const Index n = 20, p = 5 + 5 * (seed % 6);
    const Matrix X = random.normals(n, p), fresh = random.normals(20, p);
    const Vector w = random.normals(p) * std::sqrt(2.0 / static_cast<double>(p)), f = fresh * w;
    const Vector y = X * w + random.normals(n);
    FitOptions options;
    options.prior.kind = seed % 2 == 0 ? PriorKind::sparse : PriorKind::dense;
    LinearFit fit = fit_linear(X, y, options);
    const auto covered = [&] {
      const NoiseMixturePrediction out = predict_mixture(fit, fresh);
      double count = 0;
      for (Index i = 0; i < f.size(); ++i) count += std::abs(out.mean[i] - f[i]) < 1.96 * std::sqrt(out.variance_of_mean[i]) ? 1 : 0;
      return count / static_cast<double>(f.size()) / problems;
    };
    with += covered();
    auto given_h = std::make_shared<internal::FitState>(*fit.state);
    for (MixtureComponent& each : given_h->factor.mixture.components) each.spread.reset();
    fit.state = given_h;
    without += covered();
  }
  EXPECT_LT(std::abs(with - 0.95), std::abs(without - 0.95)) << with << " " << without;
}

}  // namespace
}  // namespace ardvark::internal
