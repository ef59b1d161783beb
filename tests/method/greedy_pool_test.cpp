#include "method/greedy/greedy_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "design/dense.hpp"

namespace ardvark::internal {
namespace {

using testing::distance;
using testing::Random;

TEST(GreedyPool, KeepsSAndQByRankOneChanges) {  // (GREEDY.1), (GREEDY.3)
  Random random(71);
  const Index n = 30, p = 12;
  const Matrix X = random.normals(n, p);
  const Vector t = random.normals(n);
  DenseDesign design(X, {});
  GreedySettings settings;
  settings.noise_precision = 2;
  GreedyModel model(t, settings);
  GreedyPool pool, fresh;
  Vector length(p);
  pool.load_range(design, 0, p, length);
  pool.refresh(model);
  fresh = pool;
  RankOne change;
  for (int step = 0; step < 200; ++step) {
    const Index j = random.integer(0, p - 1);
    const auto& columns = model.state().columns;
    const auto found = std::find(columns.begin(), columns.end(), j);
    const Index position = found - columns.begin();
    if (found == columns.end()) {
      model.add(j, pool.column(j), random.scale(0.1, 10), change);
      pool.add(model, change);
    } else if (random.chance(0.5)) {
      model.reestimate(position, random.scale(0.1, 10), change);
      pool.reestimate(change);
    } else {
      model.remove(position, change);
      pool.remove(position, change);
    }
    model.update_evidence();
    if (step % 40 == 39) {
      fresh.refresh(model);
      for (Index row = 0; row < p; ++row) {
        const LeftOut direct = model.candidate(X.col(row) / X.col(row).norm());
        EXPECT_NEAR(pool.candidate(row).s, direct.s, 1e-9);
        EXPECT_NEAR(pool.candidate(row).q, direct.q, 1e-9);
        EXPECT_NEAR(fresh.candidate(row).s, direct.s, 1e-12);
        EXPECT_NEAR(fresh.candidate(row).q, direct.q, 1e-12);
      }
    }
  }
}

TEST(GreedyPool, KnowsTheGainOfAnExchange) {  // (GREEDY.9)
  Random random(72);
  const Index n = 20, p = 9;
  const Matrix X = random.normals(n, p);
  const Vector t = random.normals(n);
  DenseDesign design(X, {});
  GreedySettings settings;
  settings.noise_precision = 2;
  GreedyModel model(t, settings);
  GreedyPool pool;
  Vector length(p);
  pool.load_range(design, 0, p, length);
  RankOne change;
  for (Index j = 0; j < 4; ++j) model.add(j, pool.column(j), random.scale(0.1, 3), change);
  ASSERT_TRUE(model.solve());
  pool.refresh(model);
  pool.prepare_exchange(model);
  for (Index i = 0; i < 4; ++i)
    for (Index row = 4; row < p; ++row) {
      const auto& now = model.state();
      const double V = now.V(i, i), W = pool.W(row, i), a = 0.7;
      const LeftOut x = {pool.candidate(row).s + W * W / V, pool.candidate(row).q + W * now.w[i] / V};
      const double predicted = model.gain().at(a, x) - model.gain().at(now.alpha[i], model.left_out(i)), before = now.evidence;
      const Matrix Phi = model.Phi();
      model.begin();
      model.exchange(i, row, pool.column(row), a);
      ASSERT_TRUE(model.solve());
      EXPECT_NEAR(model.state().evidence - before, predicted, 1e-10);
      model.undo();
      EXPECT_EQ(distance(model.Phi(), Phi), 0);
    }
}

TEST(GreedyPool, SurveysWhatItReads) {  // (GREEDY.1), (GREEDY.9); several chunks, the last one short
  Random random(73);
  const Index n = 8000, p = 150, first = 3, count = 140;
  Matrix X = random.normals(n, p);
  X.col(7).setZero();
  DenseDesign design(X, {});
  GreedySettings settings;
  settings.noise_precision = 2;
  settings.weights = random.normals(n).cwiseAbs();
  for (GreedyLikelihood likelihood : {GreedyLikelihood::gaussian, GreedyLikelihood::bernoulli}) {
    settings.likelihood = likelihood;
    const Vector t = likelihood == GreedyLikelihood::gaussian ? random.normals(n) : Vector((random.normals(n).array() > 0).cast<double>());
    GreedyModel model(t, settings);
    RankOne change;
    for (Index j : {0, 20, 149}) model.add(j, X.col(j) / X.col(j).norm(), random.scale(0.1, 3), change);
    ASSERT_TRUE(model.solve() && model.settle_rows(3));
    GreedyPool read, surveyed, on_threads(3), near;
    Vector length = Vector::Zero(p), length_surveyed = length;
    read.load_range(design, first, count, length);
    read.refresh(model);
    surveyed.survey(design, first, count, model, length_surveyed);
    on_threads.survey(design, first, count, model, length);
    near.load_range(design, first, count, length);
    near.narrow({0, 17, 100});
    near.refresh_near(model);
    for (const Index row : {0, 17, 100}) {
      EXPECT_TRUE(near.is_near(row));
      EXPECT_FALSE(near.is_near(row + 1));
      EXPECT_NEAR(near.candidate(row).s, read.candidate(row).s, 1e-13);
      EXPECT_NEAR(near.candidate(row).q, read.candidate(row).q, 1e-11);
      EXPECT_FALSE(near.in_span(row) && !read.in_span(row));
    }
    near.refresh_rest(model);
    for (Index row = 0; row < count; ++row) {
      EXPECT_NEAR(near.candidate(row).s, read.candidate(row).s, 1e-13);
      EXPECT_NEAR(near.candidate(row).q, read.candidate(row).q, 1e-11);
    }
    EXPECT_EQ(length, length_surveyed);
    ASSERT_EQ(surveyed.size(), count);
    for (Index row = 0; row < count; ++row) {
      const LeftOut x = surveyed.candidate(row), expected = read.candidate(row);
      EXPECT_EQ(surveyed.id(row), first + row);
      EXPECT_NEAR(length[first + row], X.col(first + row).norm(), 1e-12);
      EXPECT_NEAR(x.s, expected.s, 1e-13);
      EXPECT_NEAR(x.q, expected.q, 1e-11);
      EXPECT_EQ(surveyed.in_span(row), read.in_span(row)) << row;
      EXPECT_EQ(x.s, on_threads.candidate(row).s);
      EXPECT_EQ(x.q, on_threads.candidate(row).q);
      for (Index i = 0; i < 3; ++i) EXPECT_NEAR(surveyed.W(row, i), read.W(row, i), 1e-13);
    }
  }
}

}  // namespace
}  // namespace ardvark::internal
