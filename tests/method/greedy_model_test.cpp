#include "method/greedy/greedy_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "greedy_cases.hpp"

namespace ardvark::internal {
namespace {

using testing::distance;
using testing::pick;
using testing::plain_evidence;
using testing::Random;
using testing::relative_distance;

TEST(GreedyModel, GainsAreDifferencesOfTheLogMarginalLikelihood) {  // (GREEDY.2), (GREEDY.4), (OPT.5)
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(3, 12), k = random.integer(1, 6);
    Matrix Phi = random.normals(n, k + 1);
    for (Index j = 0; j <= k; ++j) Phi.col(j).normalize();
    const Vector t = random.normals(n);
    GreedySettings settings;
    settings.noise_precision = random.scale(0.3, 10);
    GreedyModel model(t, settings);
    const double tau = settings.noise_precision;
    RankOne change;
    Vector alpha(0);
    for (Index j = 0; j <= k; ++j) {  // add
      const LeftOut x = model.candidate(Phi.col(j));
      const double a = random.scale(0.05, 20), gain = model.gain().at(a, x), before = model.state().evidence;
      alpha.conservativeResize(j + 1);
      alpha[j] = a;
      const double difference = plain_evidence(Phi.leftCols(j + 1), alpha, tau, t) - plain_evidence(Phi.leftCols(j), alpha.head(j), tau, t);
      EXPECT_NEAR(gain, difference, 1e-8);
      const double best = model.gain().best(x);
      if (std::isfinite(best)) {
        EXPECT_NEAR(model.gain().at(best, x), 0.5 * ((x.q * x.q - x.s) / x.s + std::log(x.s / (x.q * x.q))), 1e-8);  // (OPT.5)
      }
      model.add(j, Phi.col(j), a, change);
      model.update_evidence();
      EXPECT_NEAR(model.state().evidence - before, gain, 1e-8);
      EXPECT_NEAR(model.state().evidence, plain_evidence(Phi.leftCols(j + 1), alpha, tau, t), 1e-8);
    }
    const Index i = random.integer(0, k);
    const LeftOut x = model.left_out(i);
    const double a = random.scale(0.05, 20), before = model.state().evidence;
    const double change_gain = model.gain().at(a, x) - model.gain().at(alpha[i], x), S = 1 / (1 / x.s + 1 / alpha[i]);
    const double Q = x.q * S / x.s, step = 1 / a - 1 / alpha[i];
    EXPECT_NEAR(change_gain, 0.5 * (Q * Q / (S + 1 / step) - std::log(1 + S * step)), 1e-8);  // (OPT.5)
    alpha[i] = a;
    model.reestimate(i, a, change);
    model.update_evidence();
    EXPECT_NEAR(model.state().evidence, plain_evidence(Phi, alpha, tau, t), 1e-8);
    EXPECT_NEAR(model.state().evidence - before, change_gain, 1e-8);
    const double full = model.state().evidence, loss = model.gain().at(a, model.left_out(i));
    model.begin();
    model.remove(i, change);
    model.update_evidence();
    EXPECT_NEAR(full - model.state().evidence, loss, 1e-8);
    std::vector<Index> left = model.state().columns;
    Vector left_alpha(k);
    for (Index j = 0; j < k; ++j) left_alpha[j] = alpha[left[static_cast<std::size_t>(j)]];
    EXPECT_NEAR(model.state().evidence, plain_evidence(pick(Phi, left), left_alpha, tau, t), 1e-8);
    const Matrix V = model.state().V;
    ASSERT_TRUE(model.solve());
    EXPECT_LE(relative_distance(V, model.state().V), 1e-9);
    model.undo();
    EXPECT_EQ(model.state().evidence, full);
    EXPECT_EQ(distance(model.Phi(), Phi), 0);
  }
}

}  // namespace
}  // namespace ardvark::internal
