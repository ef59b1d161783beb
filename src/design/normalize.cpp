#include "ardvark/normalize.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/digits.hpp"
#include "core/refusals.hpp"
#include "core/validate.hpp"
#include "design/table_design.hpp"

namespace ardvark {

using namespace internal;

namespace {

// sqrt(sum (x - mean)^2/(n - 1)) of these numbers
double deviation(const auto& x) {
  const auto n = static_cast<double>(x.size());
  return n > 1 ? std::sqrt((x.array() - x.mean()).square().sum() / (n - 1)) : 0;
}

}  // namespace

ColumnUnits column_units(MatrixView X, ColumnCenter center, ColumnScale scale) {
  validate::matrix(X, "X");
  Matrix Z = read_table(X);
  const Index p = Z.cols();
  ColumnUnits units{Vector::Zero(p), Vector::Ones(p)};
  if (center == ColumnCenter::each) units.center = Z.colwise().mean().transpose();
  if (center == ColumnCenter::all) units.center.setConstant(Z.mean());
  Z.rowwise() -= units.center.transpose();
  switch (scale) {
    case ColumnScale::none: break;
    case ColumnScale::each: units.scale = Z.cwiseAbs().colwise().maxCoeff().transpose(); break;
    case ColumnScale::all: units.scale.setConstant(Z.cwiseAbs().maxCoeff()); break;
    case ColumnScale::deviation_each:
      for (Index j = 0; j < p; ++j) units.scale[j] = deviation(Z.col(j));
      break;
    case ColumnScale::deviation_all: units.scale.setConstant(deviation(Z.reshaped())); break;
  }
  if (!units.center.allFinite() || !units.scale.allFinite()) throw refused("X", "holds values whose squares or sums overflow: rescale it");
  for (Index j = 0; j < p; ++j)  // a spread of a few rounding errors of the column counts as 0
    if (!is_spread(units.scale[j], units.center[j])) units.scale[j] = 0;
  return units;
}

Matrix in_units(MatrixView X, const ColumnUnits& units) {
  validate::matrix(X, "X");
  if (X.cols() != units.center.size())
    throw refused("X", fmt::format("has {} columns; the units are for {} columns", X.cols(), units.center.size()));
  Matrix Z = read_table(X);
  for (Index j = 0; j < Z.cols(); ++j) {
    if (units.scale[j] == 0)
      Z.col(j).setZero();
    else
      Z.col(j) = (Z.col(j).array() - units.center[j]) / units.scale[j];
  }
  return Z;
}

}  // namespace ardvark
