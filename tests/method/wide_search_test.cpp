// What a pass over a wide table says about columns that are not followed.                                         docs/math/sparse.md
// (SP.26)
#include "method/spike_slab/wide_search.hpp"

#include <gtest/gtest.h>

#include "../support/random_problem.hpp"
#include "design/table_design.hpp"

namespace ardvark::internal {
namespace {

using ardvark::testing::Random;

// A pass adds columns to the fit and counts the others: each column once, under each start, with and without a dense part.
TEST(WideSearch, ColumnsThatAPassFindsAreNotCountedBeside) {
  constexpr Index n = 100, p = 500;
  for (const bool has_dense : {false, true}) {
    SCOPED_TRACE(has_dense);
    Random random(7);
    const Matrix X = random.normals(n, p);
    const Vector y = X.leftCols(4) * Vector::Constant(4, 1.0) + random.normals(n);
    const auto design = table_design(MatrixView(X), Standardization{Vector(), Vector(), true});
    PenalisedColumns all;
    for (Index j = 0; j < p; ++j) all.columns.push_back(j), all.begin.push_back(j);
    all.begin.push_back(p);
    all.flat = {p};
    WideTable table(*design, all, Vector::Ones(n), y, n);
    ASSERT_TRUE(table.begin());
    table.look_at_all();
    table.set_squares(X.colwise().squaredNorm(), true);
    if (has_dense) {
      ASSERT_TRUE(table.decompose(X * X.transpose()));
    }
    table.activate({});
    const auto rows = table.rows();
    SpikeSlabSettings settings;
    settings.num_rows = n;
    settings.columns_beside = p;
    std::vector<SpikeSlab> fits;
    const double h = has_dense ? 1e-4 : 0;
    for (const SpikeSlabHyper hyper : {SpikeSlabHyper{0.01, 0.3, h, 1.5}, SpikeSlabHyper{0.1, 0.1, h, 3}}) {
      SpikeSlab q(table.which(), settings);
      q.set_rows(*rows);
      q.set_state(Vector(), hyper);
      fits.push_back(std::move(q));
    }
    WideSearch search(p);
    const WideSearch::Found found = search.pass(table, {{&fits[0], 0}, {&fits[1], 0}}, true);
    for (Index j = 0; j < 4; ++j) EXPECT_TRUE(search.is_active(j));
    ASSERT_LT(found.columns.size(), p);
    for (std::size_t i = 0; i < fits.size(); ++i) {
      const double others = search.of_others(table, static_cast<Index>(i), fits[i]).inclusion.sum();
      EXPECT_NEAR(found.beside[i]->sums(fits[i].hyper()).included, others, 1e-3 * others);
    }
  }
}

}  // namespace
}  // namespace ardvark::internal
