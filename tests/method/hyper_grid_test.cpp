// The average over hyper-parameters that the evidence leaves open.                                      docs/math/sparse.md (SP.20) to
// (SP.22)
#include "method/spike_slab/hyper_grid.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>

#include "ardvark/linear.hpp"
#include "ardvark/progress.hpp"
#include "core/special.hpp"
#include "design/with_row.hpp"
#include "method/spike_slab/sparse_fit.hpp"
#include "support/random_problem.hpp"
#include "support/spike_slab_case.hpp"

namespace ardvark::internal {
namespace {

using namespace testing;

SpikeSlabSettings settings_of(const Case& c) {
  SpikeSlabSettings slab;
  slab.num_rows = c.k.sum();
  slab.least_s2 = 1e-8;
  slab.kappa_tail = 0.5;
  return slab;
}

HyperGrid grid_of(const Case& c, const ReducedRows& rows, SparseParts parts = SparseParts::both) {
  return run_grid(rows, c.which, std::make_shared<const ColumnSets>(groups_of(c.which)), settings_of(c), {.ascent = {}, .parts = parts}, 1);
}

struct Exact {
  double log_evidence = 0;
  Vector mean, variance, inclusion, positive;  // [p]
};

// All subsets with everything Gaussian integrated out, at these hyper-parameters.
Exact sum_over_subsets(const Case& c, const SpikeSlabHyper& hyper) {
  const Index n = c.y.size(), p = c.which.size(), count = Index{1} << p;
  const Matrix X = c.X.leftCols(p).rowwise() - c.X.leftCols(p).colwise().mean();
  const Vector y = c.y.array() - c.y.mean();
  Vector log_weight(count);
  Matrix means(p, count), squares(p, count);
  for (Index subset = 0; subset < count; ++subset) {
    Vector prior = Vector::Constant(p, hyper.s2 * hyper.h);
    double log_prior = 0;
    for (Index j = 0; j < p; ++j) {
      const bool in = (subset >> j) & 1;
      if (in) prior[j] += hyper.s2 * hyper.kappa;
      log_prior += std::log(in ? hyper.pi : 1 - hyper.pi);
    }
    Matrix C = X * prior.asDiagonal() * X.transpose();
    C.diagonal().array() += hyper.s2;
    log_weight[subset] = log_prior + log_evidence_of(c, C);
    const Eigen::LLT<Matrix> factor(C);
    const Matrix gain = prior.asDiagonal() * X.transpose();
    means.col(subset) = gain * factor.solve(y);
    squares.col(subset) = prior - (gain * factor.solve(gain.transpose())).diagonal() + means.col(subset).cwiseAbs2();
  }
  EXPECT_GT(n, 0);
  const double most = log_weight.maxCoeff();
  Exact out{most + std::log((log_weight.array() - most).exp().sum()), {}, {}, Vector::Zero(p), Vector::Zero(p)};
  const Vector weight = (log_weight.array() - out.log_evidence).exp();
  const boost::math::students_t student(static_cast<double>(n - 1));  // the noise is not known                             (SP.25)
  out.mean = means * weight;
  out.variance = squares * weight - out.mean.cwiseAbs2();
  for (Index subset = 0; subset < count; ++subset)
    for (Index j = 0; j < p; ++j) {
      if ((subset >> j) & 1) out.inclusion[j] += weight[subset];
      const double variance = squares(j, subset) - means(j, subset) * means(j, subset);
      out.positive[j] +=
          weight[subset] * (squares(j, subset) > 0 ? boost::math::cdf(student, means(j, subset) / std::sqrt(variance)) : 0.5);
    }
  return out;
}

TEST(HyperGrid, MomentsAreThoseOfAllSubsets) {  // (SP.21)
  for (const unsigned seed : {1U, 2U, 3U, 4U}) {
    const Case c = make_case(40, seed % 2 == 0 ? 5 : 7, 0.2, seed);
    const ReducedRows rows = reduced(c);
    const HyperGrid grid = grid_of(c, rows);
    const Index p = c.which.size();
    double total = 0, best = -1e300;
    std::vector<std::pair<double, Exact>> exact;
    for (const GridPoint& point : grid.points) {
      exact.emplace_back(point.log_prior, sum_over_subsets(c, point.q.hyper()));
      Exact& one = exact.back().second;
      EXPECT_LT(point.bound, one.log_evidence + 1e-8) << "a lower bound, at the same noise";
      best = std::max(best, one.log_evidence + point.log_prior);
    }
    Exact sum{0, Vector::Zero(p), Vector::Zero(p), Vector::Zero(p), Vector::Zero(p)};
    for (const auto& [log_prior, one] : exact) {
      const double weight = std::exp(one.log_evidence + log_prior - best);
      total += weight;
      sum.mean += weight * one.mean;
      sum.variance += weight * (one.variance + one.mean.cwiseAbs2());
      sum.inclusion += weight * one.inclusion;
      sum.positive += weight * one.positive;
    }
    sum.mean /= total;
    sum.variance = sum.variance / total - sum.mean.cwiseAbs2();
    sum.inclusion /= total;
    sum.positive /= total;
    const auto shared = std::make_shared<ReducedRows>(rows);
    const SparsePosterior posterior = posterior_of(c.which, grid, shared);
    const Vector mean = posterior.mixture.mean(p + 1).head(p), variance = posterior.mixture.covariance(p + 1).diagonal().head(p);
    Vector inclusion = Vector::Zero(p);
    for (const GridPoint& point : grid.points) inclusion += point.weight * point.q.inclusion();
    for (Index j = 0; j < p; ++j) {
      EXPECT_NEAR(mean[j], sum.mean[j], 0.15 * std::sqrt(sum.variance[j])) << seed << ": " << j;
      EXPECT_NEAR(std::sqrt(variance[j] / sum.variance[j]), 1, 0.12) << seed << ": " << j;
      EXPECT_NEAR(inclusion[j], sum.inclusion[j], 0.06) << seed << ": " << j;
      EXPECT_NEAR(posterior.positive[j], sum.positive[j], 0.02) << seed << ": " << j;
    }
  }
}

TEST(HyperGrid, ComponentsHaveTheMomentsOfTheirPoints) {
  const Case c = make_case(30, 6, 0.4, 9);
  const auto rows = std::make_shared<ReducedRows>(reduced(c));
  const HyperGrid grid = grid_of(c, *rows);
  const SparsePosterior posterior = posterior_of(c.which, grid, rows);
  const Index p = c.which.size();
  Vector mean = Vector::Zero(p);
  Matrix square = Matrix::Zero(p, p);
  double total = 0;
  for (const GridPoint& point : grid.points) {
    bool factored = true;
    const MixtureComponent one = component_of(point.q, rows, rows->flat_mean, factored);
    EXPECT_TRUE(factored);
    mean += point.weight * one.w;
    square += point.weight * (one.covariance() + one.w * one.w.transpose());
    total += point.weight;
  }
  EXPECT_NEAR(total, 1, 1e-12);
  EXPECT_LT((posterior.mixture.mean(p + 1).head(p) - mean).norm(), 1e-12);
  const Matrix covariance = square - mean * mean.transpose();
  EXPECT_LT((posterior.mixture.covariance(p + 1).topLeftCorner(p, p) - covariance).norm(), 1e-12 * (1 + covariance.norm()));
}

TEST(HyperGrid, PriorsAreThoseOfTheirDensities) {  // (SP.21)
  // Shares of the lattice below a point against the density's, by quadrature over the logarithm.
  const auto share_below = [](auto&& density, double from, double border, double to) {
    using Quadrature = boost::math::quadrature::gauss_kronrod<double, 61>;
    return Quadrature::integrate(density, from, border, 12) / Quadrature::integrate(density, from, to, 12);
  };
  const auto ratio = [](double x) { return std::exp(x) / std::pow(1 + std::exp(x), 2.25); };
  const auto below = [](auto&& log_prior, int border) {
    double sum = 0;
    for (int i = -60; i <= border; ++i) sum += std::exp(log_prior(i));
    return sum;
  };
  for (const auto& [tail, c] : {std::pair{0.5, 0.1}, std::pair{1.0, 0.5}}) {
    const auto density = [tail = tail, c = c](double x) { return std::exp(-0.5 * c * std::exp(-x)) * std::pow(1 + std::exp(x), -tail); };
    const auto log_prior = [tail = tail, c = c](int k) { return log_prior_of_kappa(k, tail, c); };
    for (const int border : {-2, -1, 0, 1, 3})
      EXPECT_NEAR(below(log_prior, border), share_below(density, -8, (border + 0.5) * std::log(4.0), 60), 0.02) << border;
    EXPECT_NEAR(below(log_prior, 60), 1, 1e-9);
  }
  for (const int border : {-2, -1, 0, 1, 3})
    EXPECT_NEAR(below(log_prior_of_ratio, border), share_below(ratio, -30, (border + 0.5) * std::log(4.0), 30), 0.02) << border;
  EXPECT_NEAR(below(log_prior_of_ratio, 60), 1, 1e-9);
  for (const Index groups : {1, 2, 8, 20, 50}) {
    double all = 0, mean = 0, mean_of_classes = 0;
    for (const auto& [log_odds, log_prior] : prior_of_odds(groups, prior_of_class_grid))
      mean_of_classes += std::exp(log_prior) * sigmoid(log_odds);
    for (const auto& [log_odds, log_prior] : prior_of_odds(groups, {})) {
      all += std::exp(log_prior);
      mean += std::exp(log_prior) * sigmoid(log_odds);
    }
    EXPECT_NEAR(all, 1, 1e-12);
    if (groups <= 20) {
      EXPECT_NEAR(mean, 0.5, 0.1) << "Beta(1, 1), but for its ends; " << groups;
      EXPECT_NEAR(mean_of_classes, 0.4, groups > 1 ? 0.06 : 0.1) << "Beta(2, 3), but for its ends; " << groups;
    }
  }
}

// 4/N and 16384/N are powers of 4 there, and of what rounding adds to the columns' mean square nothing may hang.            (SP.21)
TEST(HyperGrid, RoundingDoesNotChooseTheLattice) {
  for (const double num_rows : {4.0, 16.0, 64.0, 256.0, 1024.0}) {
    SpikeSlabSettings slab;
    slab.num_rows = num_rows;
    slab.column_unit = 1;
    const GridRanges exact = first_ranges(slab);
    EXPECT_EQ(std::pow(4.0, exact.least_kappa), 4 / num_rows);
    slab.column_unit = 1e5;
    EXPECT_EQ(first_ranges(slab).last_kappa, exact.last_kappa) << "it is in units of the columns' mean square";
    for (const double off : {-1e-14, -2.3e-16, 2.3e-16, 1e-14}) {
      slab.column_unit = 1 + off;
      const GridRanges near = first_ranges(slab);
      EXPECT_EQ(near.least_kappa, exact.least_kappa) << num_rows << " rows, " << off;
      EXPECT_EQ(near.first_kappa, exact.first_kappa) << num_rows << " rows, " << off;
      EXPECT_EQ(near.last_kappa, exact.last_kappa) << num_rows << " rows, " << off;
    }
  }
}

TEST(HyperGrid, BoundsOfItsPointsRise) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Case c = blocked_case(25 + 3 * static_cast<Index>(seed), 6, 3, 0.9, seed);
    const ReducedRows rows = reduced(c);
    const HyperGrid grid = run_grid(rows, c.which, blocks_of(c, rows), settings_of(c), {}, 1);
    for (const GridPoint& point : grid.points) {
      EXPECT_EQ(point.status, Status::converged);
      for (std::size_t i = 1; i < point.history.size(); ++i)
        EXPECT_GE(point.history[i], point.history[i - 1] - 1e-9 * (1 + std::abs(point.history[i])));
    }
  }
}

// Columns of 5 million beside columns of 1, none centred, as working rows of classes have them: Gram matrices without a digit of the small
// ones. The density of a row of noise 1 is below 1, and that of all of them: it was 1e126.                                      (SL.6)
TEST(HyperGrid, HasNoPointOfImpossibleEvidence) {
  Random random(1);
  for (int turn = 0; turn < 30; ++turn) {
    Case c = make_case(3, 12, 0.9, static_cast<unsigned>(turn));
    c.X.leftCols(2).array() += 5.5e6;
    c.X.col(2) = c.X.col(0) + c.X.col(3);
    c.X.col(5) *= 1e-6;
    c.which.columns = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    c.which.begin = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
    c.which.flat.clear();
    c.k << random.scale(0.1, 20), random.scale(0.1, 20), random.scale(0.1, 20);
    c.y << -2, 2, 2;
    const ReducedRows rows = reduced(c);
    SpikeSlabSettings slab = settings_of(c);
    slab.fit_noise = false;
    slab.noise = 4;
    slab.take_units(rows.Z().colwise().squaredNorm());
    const HyperGrid grid = run_grid(rows, c.which, blocks_of(c, rows), slab, {}, 1);
    for (const GridPoint& point : grid.points) EXPECT_LE(point.bound, 0) << turn;
  }
}

// One count for each line of the grid, up to the last one; inside a step of classes there are no sweeps to report.
TEST(HyperGrid, TellsHowManyOfItsLinesAreDone) {
  const Case c = make_case(60, 5, 0.3, 5);
  const ReducedRows rows = reduced(c);
  const auto sets = std::make_shared<const ColumnSets>(groups_of(c.which));
  for (const bool reports_sweeps : {true, false}) {
    std::vector<Progress> heard;
    const Listening listening(
        [&](const Progress& p) {
          if (p.total > 0) heard.push_back(p);
          return Answer::go_on;
        },
        0);
    GridSettings settings;
    settings.keeps_lines = true;
    if (reports_sweeps) settings.ascent.on_sweep = [](int, double) { return true; };
    const HyperGrid grid = run_grid(rows, c.which, sets, settings_of(c), settings, 1);
    ASSERT_FALSE(heard.empty());
    EXPECT_EQ(heard.back().done, heard.back().total);
    EXPECT_EQ(heard.back().total, static_cast<Index>(grid.lines.size()));
    for (std::size_t i = 0; i < heard.size(); ++i) {
      EXPECT_LE(heard[i].done, heard[i].total);
      EXPECT_EQ(heard[i].is_of_step, !reports_sweeps);
      EXPECT_GE(heard[i].total, heard[std::max<std::size_t>(i, 1) - 1].total);
    }
  }
}

TEST(HyperGrid, IsTheSameWithSeveralThreadsAndAnyOrderOfTheColumns) {
  const Case c = make_case(60, 7, 0.3, 5);
  Case turned = c;
  for (Index j = 0; j < 7; ++j) turned.X.col(j) = c.X.col(6 - j);
  const ReducedRows rows = reduced(c), turned_rows = reduced(turned);
  const auto sets = std::make_shared<const ColumnSets>(groups_of(c.which));
  const HyperGrid one = run_grid(rows, c.which, sets, settings_of(c), {}, 1), three = run_grid(rows, c.which, sets, settings_of(c), {}, 3);
  const HyperGrid other = run_grid(turned_rows, c.which, sets, settings_of(c), {}, 1);
  EXPECT_EQ(one.log_evidence, three.log_evidence);
  ASSERT_EQ(one.points.size(), three.points.size());
  for (std::size_t i = 0; i < one.points.size(); ++i) EXPECT_EQ(one.points[i].weight, three.points[i].weight);
  EXPECT_NEAR(one.log_evidence, other.log_evidence, 5e-3);
  const auto inclusion = [](const HyperGrid& grid) {
    Vector sum = Vector::Zero(7);
    for (const GridPoint& point : grid.points) sum += point.weight * point.q.inclusion();
    return sum;
  };
  EXPECT_LT((inclusion(one) - inclusion(other).reverse()).cwiseAbs().maxCoeff(), 5e-3);
}

TEST(HyperGrid, OneColumnIsExact) {  // (SP.21), (SP.22)
  const Case c = make_case(15, 1, 0, 3);
  const auto rows = std::make_shared<ReducedRows>(reduced(c));
  for (const SparseParts parts : {SparseParts::slab_only, SparseParts::both}) {
    const HyperGrid grid = grid_of(c, *rows, parts);
    double positive = 0;
    for (const GridPoint& point : grid.points) {
      const Exact exact = sum_over_subsets(c, point.q.hyper());
      if (point.q.hyper().h == 0) {
        EXPECT_NEAR(point.bound, exact.log_evidence, 1e-6) << "one column leaves nothing to factorise";
        EXPECT_NEAR(point.q.inclusion()[0], exact.inclusion[0], 1e-9);
      }
      positive += point.weight * exact.positive[0];
    }
    EXPECT_NEAR(posterior_of(c.which, grid, rows).positive[0], positive, 1e-6);
  }
}

// ---- classes ----------------------------------------------------------------------------------------------------------------------------

TEST(DesignWithRow, IsTheDesignOfOneRowMore) {
  Random random(4);
  const Matrix X = random.normals(9, 3), more = random.normals(1, 3);
  Matrix all(10, 3);
  all << X, more;
  const Standardization none;
  DesignWithRow design(std::make_unique<DenseDesign>(X, none), more.row(0).transpose());
  DenseDesign expected(all, none);
  const Vector omega = random.normals(10).cwiseAbs2(), r = random.normals(10), w = random.normals(3);
  Matrix G = Matrix::Zero(3, 3), G_expected = G;
  Vector a(3), b(3), m(10), m_expected(10);
  design.gram_and_project(omega, r, G, a);
  expected.gram_and_project(omega, r, G_expected, b);
  EXPECT_LT((G - G_expected).norm() + (a - b).norm(), 1e-12);
  design.project(r, a);
  expected.project(r, b);
  design.apply(w, m);
  expected.apply(w, m_expected);
  EXPECT_LT((a - b).norm() + (m - m_expected).norm(), 1e-12);
  const Matrix L = random.normals(3, 3).triangularView<Eigen::Lower>();
  design.row_variance(L, m);
  expected.row_variance(L, m_expected);
  EXPECT_LT((m - m_expected).norm(), 1e-12);
  Matrix panel(10, 2), panel_expected(10, 2);
  design.columns(1, 2, panel);
  expected.columns(1, 2, panel_expected);
  EXPECT_LT((panel - panel_expected).norm(), 1e-15);
}

// What is said of the whole: the best point may be where it should be while the others, together as heavy, are on their way.
TEST(HyperGrid, IsNotConvergedWhereMostOfItsWeightIsNot) {
  int num_converged = 0, num_by_others = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Problem problem = make_problem(seed, 16, 3);
    const double bound = fit_linear(problem.X, problem.y).bound;
    for (const int sweeps : {4, 6, 9, 13, 20, 30}) {
      FitOptions options;
      options.max_sweeps = sweeps;
      const LinearFit fit = fit_linear(problem.X, problem.y, options);
      if (fit.report.status == Status::converged) {
        EXPECT_NEAR(fit.bound, bound, 0.01) << seed << ", " << sweeps;
        ++num_converged;
        continue;
      }
      EXPECT_EQ(fit.report.status, Status::max_sweeps);
      if (fit.report.message.find("the best values of the hyper-parameters converged, but") == 0) ++num_by_others;
    }
  }
  EXPECT_GT(num_converged, 5);
  EXPECT_GT(num_by_others, 5);
}

}  // namespace
}  // namespace ardvark::internal
