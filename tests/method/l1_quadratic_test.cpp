// The minimum of a quadratic model with an L1 penalty, with G and by the columns' own numbers.
#include "method/l1/l1_quadratic.hpp"

#include <gtest/gtest.h>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "table/fit_table.hpp"

namespace ardvark::internal {
namespace {

using testing::Random;

// Columns of few entries, every fourth one full, and an intercept without a penalty, in other units.
struct Model {
  std::vector<std::int32_t> start = {0}, row;
  std::vector<double> value;
  std::unique_ptr<TableDesign> design;
  std::unique_ptr<HeldColumns> X;
  Vector omega, r, lambda, v;

  Model(Random& random, Index n, Index p, double alike) {
    for (Index j = 0; j < p; ++j) {
      for (Index i = 0; i < n; ++i) {
        if (!random.chance(j % 4 == 0 ? 0.7 : 0.05)) continue;
        row.push_back(static_cast<std::int32_t>(i));
        value.push_back(alike + random.normal());
      }
      start.push_back(static_cast<std::int32_t>(row.size()));
    }
    const CscView view(start.data(), row.data(), value.data(), n, p);
    design = FitTable(view).design({alike * Vector::Constant(p, 0.1) + 0.05 * random.normals(p), Vector::Constant(p, 1.5), true});
    const ColumnUnits units{Vector::Constant(p + 1, 0.8) + 0.1 * random.normals(p + 1), 0.02 * random.normals(p + 1)};
    X = std::make_unique<HeldColumns>(std::make_shared<ColumnStore>(*design), std::make_shared<const ColumnUnits>(units));
    for (Index j = 0; j <= p; ++j) X->append(j);
    omega = random.normals(n).cwiseAbs();
    omega[0] = 0;
    r = 3 * random.normals(n);
    v = random.normals(p + 1).cwiseMax(0);
    lambda = Vector::Constant(p + 1, 2);
    lambda[p] = 0;
  }
  // The largest violation of the conditions of the minimum at w, by the definition.
  [[nodiscard]] double violation(const Vector& w) const {
    const Index size = X->size();
    Matrix G(size, size);
    X->gram(0, omega, G);
    Vector g(size);
    X->project(r, g);
    g -= G * (w - v);
    double worst = 0;
    for (Index j = 0; j < size; ++j)
      worst = std::max(worst, w[j] != 0 ? std::abs(g[j] - lambda[j] * sign(w[j])) : std::abs(g[j]) - lambda[j]);
    return worst;
  }
};

TEST(L1Quadratic, TheMinimumByColumnsIsThatWithG) {  // (L1.4), (L1.17)
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Model model(random, 400, 60, 0);
    Vector g(61), by_columns = model.v, with_G = model.v;
    model.X->project(model.r, g);
    L1Quadratic quadratic;
    quadratic.rebuild(*model.X, model.omega);
    quadratic.minimise(g, model.lambda, 0, with_G);
    if (!minimise_by_columns(*model.X, model.omega, model.r, model.lambda, 0, by_columns)) continue;
    ++found;
    EXPECT_LE(model.violation(by_columns), 1e-7 * model.violation(model.v));
    EXPECT_LE(testing::distance(by_columns, with_G), 1e-5);
  }
  EXPECT_GE(found, 15);
}

TEST(L1Quadratic, SlowPassesByColumnsAreGivenUp) {  // (L1.17)
  Random random(1);
  const Model model(random, 60, 200, 3);  // more columns than rows, nearly alike
  Vector v = model.v;
  EXPECT_FALSE(minimise_by_columns(*model.X, model.omega, model.r, 1e-6 * model.lambda, 0, v));
}

}  // namespace
}  // namespace ardvark::internal
