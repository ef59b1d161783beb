// Products in single precision, of numbers in any unit.                                                     docs/math/sparse.md (SP.26)
#include <gtest/gtest.h>

#include <Eigen/SparseCore>
#include <memory>

#include "../support/random_problem.hpp"
#include "design/some_products.hpp"
#include "design/table_design.hpp"

namespace ardvark::internal {
namespace {

using ardvark::testing::Random;

TEST(SingleProducts, HoldInAnyUnit) {
  constexpr Index n = 60, p = 40;
  Random random(3);
  const Matrix plain = (random.normals(n, p).array() > 0.8).select(random.normals(n, p), 0.0), R = random.normals(n, 3);
  for (const double unit : {1e-45, 1e-20, 1.0, 1e36, 1e60}) {
    const Matrix X = unit * plain;
    const Eigen::SparseMatrix<double> entries = X.sparseView();
    const Eigen::MatrixXf single = X.cast<float>();
    const Standardization units{Vector(X.colwise().mean()), Vector(X.colwise().norm().cwiseInverse()), true};
    std::vector<std::unique_ptr<TableDesign>> designs;
    designs.push_back(table_design(CscView(entries.outerIndexPtr(), entries.innerIndexPtr(), entries.valuePtr(), n, p), units));
    if (single.allFinite() && unit > 1e-30) designs.push_back(table_design(MatrixView(single.data(), n, p, Layout::column_major), units));
    for (const auto& design : designs)
      for (const double of_rows : {1e-40, 1.0, 1e36, 1e100}) {
        Matrix quick, exact;
        project_in_single(*design, of_rows * R, quick);
        design->project_several(of_rows * R, exact);
        EXPECT_LT((quick - exact).norm(), 1e-6 * exact.norm()) << unit << " " << of_rows;
      }
  }
}

}  // namespace
}  // namespace ardvark::internal
