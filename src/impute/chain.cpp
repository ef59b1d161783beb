#include "impute/chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ardvark/errors.hpp"
#include "core/digits.hpp"
#include "design/table_design.hpp"

namespace ardvark::internal {
namespace {

constexpr int cycles_of_table = 10;

// Mean and standard deviation of the known values, or about zero without an intercept.
void set_unit(const Matrix& X, const Vector& k, Index j, bool centred, TableUnits& units) {
  double total = 0, sum = 0, squares = 0;
  const auto each = [&](auto&& use) {
    for (Index i = 0; i < X.rows(); ++i)
      if (!std::isnan(X(i, j)) && k[i] > 0) use(X(i, j), k[i]);
  };
  each([&](double x, double weight) { total += weight, sum += weight * x; });
  const double mean = total > 0 ? sum / total : 0;
  units.center[j] = centred ? mean : 0;
  each([&](double x, double weight) { squares += weight * (x - units.center[j]) * (x - units.center[j]); });
  const double spread = total > 0 ? std::sqrt(squares / total) : 0;
  units.scale[j] = is_spread(spread, units.center[j]) ? 1 / spread : 0;
}

// |Correlations| of the columns where both are known, gaps counting as the mean.
Matrix correlations_of(const Matrix& Z) {
  const Vector size = Z.colwise().norm().transpose();
  const Vector unit = (size.array() > 0).select(size, 1.0).cwiseInverse();
  return (unit.asDiagonal() * (Z.transpose() * Z) * unit.asDiagonal()).cwiseAbs();
}

// The columns from which a variable is drawn: all others, or those that correlate most with it if its rows are few.             (MI.2)
std::vector<Index> predictors_of(const GappedTable& table, std::size_t v, const Matrix& correlation) {
  const Variable& variable = table.variables[v];
  std::vector<Index> out;
  std::vector<double> strength(static_cast<std::size_t>(table.num_columns()), 0.0);
  for (Index j = 0; j < table.num_columns(); ++j) {
    if (table.units.scale[j] == 0 || (j >= variable.first && j < variable.first + variable.width)) continue;
    strength[static_cast<std::size_t>(j)] = correlation.col(j).segment(variable.first, variable.width).maxCoeff();
    out.push_back(j);
  }
  const auto most = static_cast<std::size_t>(std::clamp<Index>(static_cast<Index>(table.known[v].size()) / 4, 5, 50));
  if (out.size() <= most) return out;
  std::ranges::stable_sort(out, std::greater(), [&](Index j) { return strength[static_cast<std::size_t>(j)]; });
  out.resize(most);
  std::ranges::sort(out);
  return out;
}

// Every gap gets the value of a row that has one.
void begin(const GappedTable& table, Matrix& Z, Normals& random) {
  for (std::size_t v = 0; v < table.variables.size(); ++v) {
    const Variable& variable = table.variables[v];
    const std::vector<Index>& known = table.known[v];
    for (const Index row : table.gaps[v]) {
      const auto at = std::min(static_cast<std::size_t>(random.uniform() * static_cast<double>(known.size())), known.size() - 1);
      Z.row(row).segment(variable.first, variable.width) = Z.row(known[at]).segment(variable.first, variable.width);
    }
  }
}

}  // namespace

GappedTable gapped_table(MatrixView X_view, VectorView y, const Vector& k, const FeatureEncoding& encoding, bool centred) {
  GappedTable out;
  const Index n = X_view.rows(), p = X_view.cols();
  Matrix X(n, p + 1);
  X.leftCols(p) = read_table(X_view);
  X.col(p) = y.eigen();
  out.k = k;
  out.units = {Vector(p + 1), Vector(p + 1)};
  out.variables = variables_of(encoding);
  for (const Variable& variable : out.variables) {
    std::vector<Index>&gaps = out.gaps.emplace_back(), &known = out.known.emplace_back();
    for (Index i = 0; i < n; ++i) (X.row(i).segment(variable.first, variable.width).hasNaN() ? gaps : known).push_back(i);
    if (known.empty())
      throw InvalidArgument(fmt::format("column '{}' has no value: it is missing in all {} rows; leave the column out",
                                        encoding.features[static_cast<std::size_t>(variable.feature)].name, n));
    for (const Index i : gaps) X.row(i).segment(variable.first, variable.width).setConstant(std::nan(""));
  }
  for (Index j = 0; j <= p; ++j) set_unit(X, k, j, centred, out.units);
  out.Z.resize(n, p + 1);
  for (Index j = 0; j <= p; ++j)
    for (Index i = 0; i < n; ++i) out.Z(i, j) = std::isnan(X(i, j)) ? 0 : (X(i, j) - out.units.center[j]) * out.units.scale[j];
  const Matrix correlation = correlations_of(out.Z);
  for (std::size_t v = 0; v < out.variables.size(); ++v) {
    out.without_target.push_back(predictors_of(out, v, correlation));
    out.with_target.push_back(out.without_target.back());
    if (out.units.scale[p] > 0) out.with_target.back().push_back(p);
  }
  return out;
}

Matrix completed_by_chain(const GappedTable& table, Normals& random, const std::function<bool()>& goes_on) {
  Matrix Z = table.Z;
  begin(table, Z, random);
  std::vector<std::size_t> order;
  for (std::size_t v = 0; v < table.variables.size(); ++v)
    if (!table.gaps[v].empty()) order.push_back(v);
  std::ranges::stable_sort(order, {}, [&](std::size_t v) { return table.gaps[v].size(); });
  const int num_cycles = order.size() > 1 ? cycles_of_table : 1;  // one column: its draws depend on nothing that is missing
  for (int cycle = 0; cycle < num_cycles && goes_on(); ++cycle)
    for (const std::size_t v : order) {
      const Conditional drawn = draw_conditional(Z, table.k, table.variables[v], table.units, table.with_target[v], table.known[v], random);
      fill(Z, table.gaps[v], table.variables[v], table.units, table.with_target[v], drawn, random);
    }
  return Z;
}

std::vector<Conditional> conditionals_of(const GappedTable& table, const Matrix& Z, Normals& random) {
  std::vector<Index> all(static_cast<std::size_t>(Z.rows()));
  std::iota(all.begin(), all.end(), Index{0});
  std::vector<Conditional> out;
  for (std::size_t v = 0; v < table.variables.size(); ++v)
    out.push_back(draw_conditional(Z, table.k, table.variables[v], table.units, table.without_target[v], all, random));
  return out;
}

}  // namespace ardvark::internal
