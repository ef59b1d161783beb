#include "impute/row_imputer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace ardvark::internal {
namespace {

constexpr Index draws_of_a_table = 5;
constexpr int cycles_of_row = 10;  // of a file of an earlier version

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

// As earlier versions drew: each variable from all others, in turn.
void fill_one_by_one(Matrix& Z, const std::vector<Index>& rows, const std::vector<bool>& is_missing, const GapModel& model,
                     const GapParameters& parameters, Normals& random) {
  const auto count = std::ranges::count(is_missing, true);
  for (int cycle = 0; cycle < (count > 1 ? cycles_of_row : 1); ++cycle)
    for (std::size_t v = 0; v < is_missing.size(); ++v)
      if (is_missing[v]) fill(Z, rows, model.variables[v], model.units, model.predictors[v], parameters.variables[v], random);
}

}  // namespace

Index RowImputer::num_draws() const { return draws_of_a_table * static_cast<Index>(tables.size()); }

Matrix RowImputer::completed(const Vector& x) const {
  const Index p = num_columns();
  const std::vector<Variable>& variables = model.variables;
  Vector z = (x - model.units.center).cwiseProduct(model.units.scale);
  std::vector<bool> is_missing;
  for (const Variable& variable : variables) {
    auto values = z.segment(variable.first, variable.width);
    is_missing.push_back(values.hasNaN());
    if (is_missing.back()) values.setZero();
  }
  Gaps gaps = gaps_of(model, is_missing);
  gaps.rows.resize(static_cast<std::size_t>(draws_of_a_table));
  std::iota(gaps.rows.begin(), gaps.rows.end(), Index{0});
  Matrix out(num_draws(), p);
  Normals random(seed_of(x));
  for (std::size_t m = 0; m < tables.size(); ++m) {
    Matrix Z = z.transpose().replicate(draws_of_a_table, 1);
    if (model.sequence.columns.empty())
      fill_one_by_one(Z, gaps.rows, is_missing, model, tables[m], random);
    else
      fill_gaps(Z, gaps, model, tables[m], random);
    out.middleRows(static_cast<Index>(m) * draws_of_a_table, draws_of_a_table) = Z;
  }
  for (Index j = 0; j < p; ++j) {
    const bool is_given = !std::isnan(x[j]);
    if (is_given)
      out.col(j).setConstant(x[j]);
    else if (model.units.scale[j] > 0)
      out.col(j) = out.col(j).array() / model.units.scale[j] + model.units.center[j];
    else
      out.col(j).setConstant(model.units.center[j]);
  }
  for (std::size_t v = 0; v < variables.size(); ++v)  // exactly 0 and 1
    if (is_missing[v] && variables[v].is_text()) {
      auto dummies = out.middleCols(variables[v].first, variables[v].width);
      dummies = (dummies.array() > 0.5).cast<double>();
    }
  return out;
}

}  // namespace ardvark::internal
