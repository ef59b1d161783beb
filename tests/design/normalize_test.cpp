// Columns brought to one size: the numbers of normalize_feature of the SLR toolbox 1.2.1alpha in GNU Octave 7.3, on this table.
#include "ardvark/normalize.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "../support/thrown.hpp"

namespace ardvark {
namespace {

using testing::expect_invalid;

Matrix table() {
  Matrix X(4, 3);
  X << 1, 10, 100, 2, 30, 50, 4, 20, -70, -3, 5, 7;
  return X;
}

struct Standardized {
  ColumnCenter center;
  ColumnScale scale;
  Vector at, size;
};

TEST(ColumnUnits, AreThoseOfThePublishedProgram) {  // (SLR.4)
  const auto of = [](double a, double b, double c) { return Vector(Eigen::Vector3d(a, b, c)); };
  const auto same = [](double a) { return Vector(Eigen::Vector3d::Constant(a)); };
  const Vector means = of(1, 16.25, 21.75), spreads = of(2.94392, 11.0868, 72.011);
  for (const Standardized& c : {Standardized{ColumnCenter::all, ColumnScale::all, same(13), same(87)},
                                {ColumnCenter::each, ColumnScale::all, means, same(91.75)},
                                {ColumnCenter::none, ColumnScale::all, same(0), same(100)},
                                {ColumnCenter::all, ColumnScale::each, same(13), of(16, 17, 87)},
                                {ColumnCenter::each, ColumnScale::each, means, of(4, 13.75, 91.75)},
                                {ColumnCenter::none, ColumnScale::each, same(0), of(4, 30, 100)},
                                {ColumnCenter::all, ColumnScale::deviation_all, same(13), same(39.1686)},
                                {ColumnCenter::each, ColumnScale::deviation_all, means, same(38.0807)},
                                {ColumnCenter::none, ColumnScale::deviation_all, same(0), same(39.1686)},
                                {ColumnCenter::each, ColumnScale::deviation_each, means, spreads},
                                {ColumnCenter::none, ColumnScale::deviation_each, same(0), spreads},
                                {ColumnCenter::each, ColumnScale::none, means, same(1)}}) {
    const ColumnUnits units = column_units(table(), c.center, c.scale);
    EXPECT_LE((units.center - c.at).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LE((units.scale - c.size).cwiseQuotient(c.size).cwiseAbs().maxCoeff(), 2e-6);  // six digits were printed
    const Matrix Z = in_units(table(), units);
    EXPECT_LE((Z(2, 1) - (20 - c.at[1]) / c.size[1]) / c.size[1], 1e-5);
  }
}

TEST(ColumnUnits, LeaveNothingOfAColumnOfOneValue) {
  Matrix X = table();
  X.col(1).setConstant(0.1);
  for (const ColumnScale scale : {ColumnScale::each, ColumnScale::deviation_each}) {
    const Matrix Z = in_units(X, column_units(X, ColumnCenter::each, scale));
    EXPECT_TRUE(Z.allFinite());
    EXPECT_TRUE(Z.col(1).isZero(0));
  }
}

TEST(ColumnUnits, AreOfTheirOwnColumnsAndOfNumbers) {
  Matrix X = table();
  const ColumnUnits units = column_units(X, ColumnCenter::each, ColumnScale::each);
  expect_invalid([&] { static_cast<void>(in_units(X.leftCols(2), units)); }, {"2 columns", "3"});
  X(2, 1) = std::numeric_limits<double>::quiet_NaN();
  expect_invalid([&] { static_cast<void>(column_units(X, ColumnCenter::each, ColumnScale::each)); }, {"row 3", "NaN"});
}

}  // namespace
}  // namespace ardvark
