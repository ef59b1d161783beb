// Means and standard deviations of columns, taken in one pass, against two passes in extended precision.
#include "frame/prepare.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"

namespace ardvark::internal {
namespace {

using testing::expect_invalid;
using testing::Random;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Every column against its definition, in both memory orders.
void expect_moments(const Matrix& X, const Vector& k, bool intercept, double precision) {
  const RowMajor by_rows = X;
  FitOptions options;
  options.intercept = intercept;
  options.prior.kind = PriorKind::sparse;  // copies stay
  for (const MatrixView view : {MatrixView(X), MatrixView(by_rows.data(), X.rows(), X.cols(), Layout::row_major, X.cols())}) {
    const Standardization found = prepare_columns(view, k, options).standardization;
    for (Index j = 0; j < X.cols(); ++j) {
      long double total = 0, mean = 0, square = 0;
      for (Index i = 0; i < X.rows(); ++i) total += static_cast<long double>(k[i]), mean += static_cast<long double>(k[i] * X(i, j));
      mean = intercept ? mean / total : 0;
      for (Index i = 0; i < X.rows(); ++i) {
        const long double off = static_cast<long double>(X(i, j)) - mean;
        square += static_cast<long double>(k[i]) * off * off;
      }
      const double sd = static_cast<double>(std::sqrt(square / total));
      EXPECT_NEAR(found.center[j], static_cast<double>(mean), precision * (sd + std::abs(static_cast<double>(mean)))) << j;
      EXPECT_NEAR(found.scale[j] * sd, 1, precision) << j;
    }
  }
}

// A copy far from zero has lost digits of the differences: one that says no more than the other is a copy in any memory order.
TEST(PrepareColumns, FindsCopiesAsFarAsTheirDigitsTell) {
  for (unsigned seed = 1; seed <= 20; ++seed)
    for (const double shift : {0.0, 1e3, 1e6, 3e7, 1e8, 1e9, 1e10}) {
      Random random(seed);
      Matrix X = random.normals(30, 3);
      X.col(2) = -X.col(0).array() * 7.3 + shift;
      const RowMajor by_rows = X;
      for (const MatrixView view : {MatrixView(X), MatrixView(by_rows.data(), 30, 3, Layout::row_major, 3)}) {
        const Prepared found = prepare_columns(view, Vector::Ones(30), {});
        EXPECT_EQ(found.left_out, (std::vector<bool>{false, false, true})) << shift << " " << seed;
      }
      X.col(2) += 1e-4 * random.normals(30);  // no copy
      EXPECT_EQ(prepare_columns(X, Vector::Ones(30), {}).left_out, (std::vector<bool>{false, false, false})) << shift << " " << seed;
    }
}

TEST(PrepareColumns, FindsMeansAndDeviationsWhateverTheFirstRowIs) {
  Random random(1);
  for (const Index n : {Index{2}, Index{300}, Index{5000}})
    for (const bool intercept : {true, false}) {
      Matrix X = random.normals(n, 6);
      X.col(1) = X.col(1).array() * 1e-3 + 1e3;  // far from zero
      X.col(2) = X.col(2).array() * 1e5 - 3;
      X(0, 3) = 1e4;  // far from the others: seen from there they would be all alike
      X.col(4).setZero();
      X(0, 4) = 1;
      for (Index i = 0; i < n; ++i) X(i, 5) = static_cast<double>(i);  // a trend
      Vector k = Vector::Ones(n);
      expect_moments(X, k, intercept, 1e-11);
      if (n == 2) continue;
      for (Index i = 0; i < n; ++i) k[i] = random.uniform(0, 2);
      k.head(2).setZero();  // the first row that counts is the third
      X(2, 4) = 1;
      expect_moments(X, k, intercept, 1e-11);
    }
}

TEST(PrepareColumns, LeavesOutWhatIsConstant) {
  Random random(2);
  for (const double value : {0.1, 1e8 / 3, -7e-9}) {
    Matrix X = random.normals(1000, 3);
    X.col(1).setConstant(value);
    const Prepared prepared = prepare_columns(X, Vector::Ones(1000), {});
    EXPECT_EQ(prepared.left_out, (std::vector<bool>{false, true, false})) << value;
  }
}

TEST(PrepareColumns, NamesTheFirstEntryThatIsNotFinite) {
  Random random(3);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (const bool standardize : {true, false})
      for (const bool intercept : {true, false})
        for (const char* preset : {"", "vb_linear_fit"}) {
          Matrix X = random.normals(600, 4);
          X(400, 2) = bad;
          FitOptions options;
          options.standardize = standardize;
          options.intercept = intercept;
          options.preset = preset;
          options.column_names = {"a", "b", "c", "d"};
          Vector k = Vector::Ones(600);
          expect_invalid([&] { prepare_columns(X, k, options); }, {"row 401, column 'c'"});
          k[400] = 0;  // also where it has no weight
          expect_invalid([&] { prepare_columns(X, k, options); }, {"row 401, column 'c'"});
        }
}

}  // namespace
}  // namespace ardvark::internal
