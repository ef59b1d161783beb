#include "impute/chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "ardvark/errors.hpp"
#include "core/digits.hpp"
#include "core/refusals.hpp"
#include "design/table_design.hpp"

namespace ardvark::internal {
namespace {

constexpr int least_cycles = 2, least_cycles_of_texts = 5, most_cycles = 50;
constexpr double is_forgotten = 0.1;  // standard deviations between two chains

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

// Those of these columns that correlate most with columns of a variable, if its rows are few.                                    (MI.2)
std::vector<Index> strongest(std::vector<Index> columns, const Variable& of, std::size_t num_known, const Matrix& correlation) {
  const auto most = std::clamp<std::size_t>(num_known / 4, 5, 50);
  if (columns.size() <= most) return columns;
  std::ranges::stable_sort(columns, std::greater(), [&](Index j) { return correlation.col(j).segment(of.first, of.width).maxCoeff(); });
  columns.resize(most);
  std::ranges::sort(columns);
  return columns;
}

// Text v given all other columns.                                                                                                (MI.3)
std::vector<Index> predictors_of_text(const GappedTable& table, std::size_t v, const Matrix& correlation) {
  const Variable& text = table.variables[v];
  std::vector<Index> others;
  for (Index j = 0; j < table.num_columns(); ++j)
    if (table.units.scale[j] > 0 && (j < text.first || j >= text.first + text.width)) others.push_back(j);
  return strongest(std::move(others), text, table.known[v].size(), correlation);
}

// Texts before numbers, and those with few gaps first.
std::vector<std::size_t> order_of(const GappedTable& table) {
  std::vector<std::size_t> out(table.variables.size());
  for (std::size_t v = 0; v < out.size(); ++v) out[v] = v;
  std::ranges::stable_sort(out, {}, [&](std::size_t v) { return std::pair(!table.variables[v].is_text(), table.gaps[v].size()); });
  return out;
}

// The regressions of the columns of these variables; those of the others, and the target, come first.                            (MI.2)
Sequence sequence_of(const GappedTable& table, const std::vector<std::size_t>& variables, bool with_target, const Matrix& correlation) {
  const Index p = table.num_columns();
  const auto columns_of = [&](std::size_t v) {
    const Variable& variable = table.variables[v];
    std::vector<Index> columns;
    for (Index j = variable.first; j < variable.first + variable.width; ++j)
      if (table.units.scale[j] > 0) columns.push_back(j);
    return columns;
  };
  Sequence out;
  std::vector<Index> before;
  for (std::size_t v = 0; v < table.variables.size(); ++v)
    if (std::ranges::find(variables, v) == variables.end())
      for (const Index j : columns_of(v)) before.push_back(j);
  for (const std::size_t v : variables)
    for (const Index j : columns_of(v)) {
      out.columns.push_back(j);
      out.predictors.push_back(strongest(before, {.first = j}, table.known[v].size(), correlation));
      if (with_target && table.units.scale[p] > 0) out.predictors.back().push_back(p);
      before.push_back(j);
    }
  return out;
}

GapModel model_of(const GappedTable& table, const std::vector<std::size_t>& variables, bool with_target, const Matrix& correlation) {
  GapModel out{table.variables, table.units, std::vector<std::vector<Index>>(table.variables.size()),
               sequence_of(table, variables, with_target, correlation)};
  for (const std::size_t v : variables)
    if (table.variables[v].is_text()) {
      out.predictors[v] = predictors_of_text(table, v, correlation);
      if (with_target && table.units.scale[table.num_columns()] > 0) out.predictors[v].push_back(table.num_columns());
    }
  return out;
}

std::vector<Gaps> patterns_of(const GappedTable& table) {
  std::vector<std::vector<bool>> missing(static_cast<std::size_t>(table.Z.rows()), std::vector<bool>(table.variables.size()));
  for (std::size_t v = 0; v < table.variables.size(); ++v)
    for (const Index row : table.gaps[v]) missing[static_cast<std::size_t>(row)][v] = true;
  std::map<std::vector<bool>, std::size_t> place;
  std::vector<Gaps> out;
  for (std::size_t row = 0; row < missing.size(); ++row) {
    if (std::ranges::find(missing[row], true) == missing[row].end()) continue;
    const auto [at, is_new] = place.try_emplace(missing[row], out.size());
    if (is_new) out.push_back(gaps_of(table.with_target, missing[row]));
    out[at->second].rows.push_back(static_cast<Index>(row));
  }
  return out;
}

// A row in which a column and all later ones are missing tells nothing about its regression.                                     (MI.1)
std::vector<std::vector<Index>> rows_of_regressions(const GappedTable& table) {
  const std::vector<Index>& columns = table.with_target.sequence.columns;
  std::vector<std::size_t> known_until(static_cast<std::size_t>(table.Z.rows()), columns.size());
  std::vector<bool> is_gap;
  for (const Gaps& gaps : table.patterns) {
    std::size_t until = columns.size();
    while (until > 0 && std::ranges::find(gaps.columns, columns[until - 1]) != gaps.columns.end()) --until;
    for (const Index row : gaps.rows) known_until[static_cast<std::size_t>(row)] = until;
  }
  std::vector<std::vector<Index>> out(columns.size());
  for (Index row = 0; row < table.Z.rows(); ++row)
    if (table.k[row] > 0)
      for (std::size_t i = 0; i < known_until[static_cast<std::size_t>(row)]; ++i) out[i].push_back(row);
  return out;
}

bool has_texts(const GappedTable& table) {
  return std::ranges::any_of(table.patterns, [](const Gaps& gaps) { return !gaps.texts.empty(); });
}

Conditional draw_of_column(const GappedTable& table, const Matrix& Z, const Sequence& sequence, std::size_t i,
                           const std::vector<Index>& rows, Normals& random) {
  return draw_conditional(Z, table.k, {.first = sequence.columns[i]}, table.units, sequence.predictors[i], rows, random);
}

// A text given all other columns; a number has no such parameters.
Conditional draw_of_text(const GappedTable& table, const Matrix& Z, const GapModel& model, std::size_t v, const std::vector<Index>& rows,
                         Normals& random) {
  if (!model.variables[v].is_text()) return {Matrix::Zero(1, 1), 0};
  return draw_conditional(Z, table.k, model.variables[v], model.units, model.predictors[v], rows, random);
}

void draw_texts(const GappedTable& table, const Matrix& Z, Normals& random, GapParameters& out) {
  const std::size_t count = table.variables.size();
  out.variables.resize(count);
  for (std::size_t v = 0; v < count; ++v)
    if (!table.gaps[v].empty()) out.variables[v] = draw_of_text(table, Z, table.with_target, v, table.known[v], random);
}

// From the parameters that rows with a value tell, each column given those before it.                                            (MI.9)
Matrix begun(const GappedTable& table, Normals& random) {
  const GapModel& model = table.with_target;
  Matrix Z = table.Z;
  GapParameters parameters;
  for (std::size_t i = 0; i < model.sequence.columns.size(); ++i) {
    const Index column = model.sequence.columns[i];
    const auto v = static_cast<std::size_t>(
        std::ranges::find_if(model.variables, [&](const Variable& one) { return column >= one.first && column < one.first + one.width; }) -
        model.variables.begin());
    parameters.columns.push_back(draw_of_column(table, Z, model.sequence, i, table.known[v], random));
    fill(Z, table.gaps[v], {.first = column}, table.units, model.sequence.predictors[i], parameters.columns.back(), random);
  }
  draw_texts(table, Z, random, parameters);
  for (const Gaps& gaps : table.patterns) fill_gaps(Z, gaps, model, parameters, random);
  return Z;
}

// Every gap gets the value of a row that has one.
Matrix begun_apart(const GappedTable& table, Normals& random) {
  Matrix Z = table.Z;
  for (std::size_t v = 0; v < table.variables.size(); ++v) {
    const Variable& variable = table.variables[v];
    const std::vector<Index>& known = table.known[v];
    for (const Index row : table.gaps[v]) {
      const auto at = std::min(static_cast<std::size_t>(random.uniform() * static_cast<double>(known.size())), known.size() - 1);
      Z.row(row).segment(variable.first, variable.width) = Z.row(known[at]).segment(variable.first, variable.width);
    }
  }
  return Z;
}

// Parameters given the completed table, and then the gaps given the parameters.                                                  (MI.1)
GapParameters cycle(const GappedTable& table, Matrix& Z, Normals& random) {
  const GapModel& model = table.with_target;
  GapParameters parameters;
  for (std::size_t i = 0; i < model.sequence.columns.size(); ++i)
    parameters.columns.push_back(draw_of_column(table, Z, model.sequence, i, table.rows_of[i], random));
  draw_texts(table, Z, random, parameters);
  for (const Gaps& gaps : table.patterns) fill_gaps(Z, gaps, model, parameters, random);
  return parameters;
}

// The median over the rows, because a text in a row may stay another one.
double median_distance(const GappedTable& table, const Matrix& Z, const Matrix& other, const GapParameters& parameters) {
  std::vector<double> all;
  for (const Gaps& gaps : table.patterns) {
    const Vector some = distances(Z, other, gaps, table.with_target.sequence, parameters.columns);
    all.insert(all.end(), some.begin(), some.end());
  }
  if (all.empty()) return 0;
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::ranges::nth_element(all, middle);
  return *middle;
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
    for (Index i = 0; i < n; ++i)
      if (k[i] > 0) (X.row(i).segment(variable.first, variable.width).hasNaN() ? gaps : known).push_back(i);
    for (Index i = 0; known.empty() && i < n; ++i)  // no row that counts has a value: the column is constant
      if (!X.row(i).segment(variable.first, variable.width).hasNaN()) known.push_back(i);
    if (known.empty())
      throw wrong_column(encoding.features[static_cast<std::size_t>(variable.feature)].name,
                         fmt::format("has no value: it is missing in all {} rows", n), "leave the column out");
    for (const Index i : gaps) X.row(i).segment(variable.first, variable.width).setConstant(std::nan(""));
  }
  for (Index j = 0; j <= p; ++j) set_unit(X, k, j, centred, out.units);
  out.Z.resize(n, p + 1);
  for (Index j = 0; j <= p; ++j)
    for (Index i = 0; i < n; ++i) out.Z(i, j) = std::isnan(X(i, j)) ? 0 : (X(i, j) - out.units.center[j]) * out.units.scale[j];
  for (Index i = 0; i < n; ++i)
    if (!(k[i] > 0)) out.Z.row(i).setZero();
  const Matrix correlation = correlations_of(out.Z);
  const std::vector<std::size_t> order = order_of(out);
  std::vector<std::size_t> with_gaps;
  std::ranges::copy_if(order, std::back_inserter(with_gaps), [&](std::size_t v) { return !out.gaps[v].empty(); });
  out.with_target = model_of(out, with_gaps, true, correlation);
  out.without_target = model_of(out, order, false, correlation);
  out.without_target.units = {out.units.center.head(p), out.units.scale.head(p)};
  out.patterns = patterns_of(out);
  out.rows_of = rows_of_regressions(out);
  return out;
}

Memory memory_of(const GappedTable& table, std::uint64_t seed, const Asks& goes_on) {
  const int least = has_texts(table) ? least_cycles_of_texts : least_cycles;
  Normals apart(seed), random(seed + 1), same_random(seed + 1);
  Matrix Z = begun(table, apart), other = begun_apart(table, apart);
  for (int count = 1; count <= most_cycles; ++count) {
    const GapParameters parameters = cycle(table, Z, random);
    static_cast<void>(cycle(table, other, same_random));
    if (!goes_on() || median_distance(table, Z, other, parameters) < is_forgotten) return {std::max(count, least), true};
  }
  return {most_cycles, false};
}

Matrix completed_by_chain(const GappedTable& table, int cycles, Normals& random, const Asks& goes_on) {
  Matrix Z = begun(table, random);
  for (int count = 0; count < cycles && goes_on(); ++count) static_cast<void>(cycle(table, Z, random));
  return Z;
}

GapParameters parameters_of(const GappedTable& table, const Matrix& Z, Normals& random) {
  std::vector<Index> rows;
  for (Index i = 0; i < Z.rows(); ++i)
    if (table.k[i] > 0) rows.push_back(i);
  const GapModel& model = table.without_target;
  GapParameters out;
  for (std::size_t i = 0; i < model.sequence.columns.size(); ++i)
    out.columns.push_back(draw_of_column(table, Z, model.sequence, i, rows, random));
  for (std::size_t v = 0; v < model.variables.size(); ++v) out.variables.push_back(draw_of_text(table, Z, model, v, rows, random));
  return out;
}

}  // namespace ardvark::internal
