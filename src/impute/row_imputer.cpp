#include "impute/row_imputer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace ardvark::internal {
namespace {

constexpr Index draws_of_a_table = 5;
constexpr int cycles_of_row = 10;  // of the chain, if several values are missing

// A seed from the values that the row has.
std::uint64_t seed_of(const Vector& x) {
  std::uint64_t key = 1;
  for (const double value : x) {
    key =
        (key ^ std::bit_cast<std::uint64_t>(std::isnan(value) ? 0.5 : value + 0.0)) * 0x9E3779B97F4A7C15U;  // + 0.0: -0 and 0 are the same
    key ^= key >> 32U;
  }
  return key;
}

}  // namespace

Index RowImputer::num_draws() const { return draws_of_a_table * static_cast<Index>(tables.size()); }

Matrix RowImputer::completed(const Vector& x) const {
  const Index p = num_columns();
  Vector z = (x - units.center).cwiseProduct(units.scale);
  std::vector<std::size_t> missing;
  for (std::size_t v = 0; v < variables.size(); ++v)
    if (z.segment(variables[v].first, variables[v].width).hasNaN()) {
      missing.push_back(v);
      z.segment(variables[v].first, variables[v].width).setZero();
    }
  Matrix out(num_draws(), p);
  Normals random(seed_of(x));
  std::vector<Index> rows(static_cast<std::size_t>(draws_of_a_table));
  std::iota(rows.begin(), rows.end(), Index{0});
  for (std::size_t m = 0; m < tables.size(); ++m) {
    Matrix Z = z.transpose().replicate(draws_of_a_table, 1);
    for (int cycle = 0; cycle < (missing.size() > 1 ? cycles_of_row : 1); ++cycle)
      for (const std::size_t v : missing) fill(Z, rows, variables[v], units, predictors[v], tables[m][v], random);
    out.middleRows(static_cast<Index>(m) * draws_of_a_table, draws_of_a_table) = Z;
  }
  for (Index j = 0; j < p; ++j) {
    const bool is_given = !std::isnan(x[j]);
    if (is_given)
      out.col(j).setConstant(x[j]);
    else if (units.scale[j] > 0)
      out.col(j) = out.col(j).array() / units.scale[j] + units.center[j];
    else
      out.col(j).setConstant(units.center[j]);
  }
  for (const std::size_t v : missing)  // exactly 0 and 1
    if (variables[v].is_text()) {
      auto dummies = out.middleCols(variables[v].first, variables[v].width);
      dummies = (dummies.array() > 0.5).cast<double>();
    }
  return out;
}

}  // namespace ardvark::internal
