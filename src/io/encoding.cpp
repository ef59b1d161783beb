// Makes the matrix X of a fit from a table, in the table's own memory.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <unordered_map>
#include <utility>

#include "ardvark/errors.hpp"
#include "ardvark/table.hpp"
#include "io/text.hpp"

namespace ardvark {

using namespace internal;

namespace {

using io::listed;
using io::shown;

Index first_level(Dummies dummies) { return dummies == Dummies::all_but_first ? 1 : 0; }

Index width(const FeatureColumn& feature, Dummies dummies) {
  if (!feature.categorical) return 1;
  const auto num_levels = static_cast<Index>(feature.levels.size());
  return num_levels < 2 ? 0 : num_levels - first_level(dummies);
}

// Where a feature comes from and where it goes.
struct Route {
  Index from = 0;   // column of the table
  Index to = 0;     // first column of X
  Index width = 0;  // columns of X
  bool categorical = false;
  std::vector<Index> dummy_here;  // per level of the table's column; negative: no dummy
};

// For each feature its column of the table.
std::vector<Index> match_names(const Table& table, const FeatureEncoding& encoding) {
  std::unordered_map<std::string, Index> place;
  for (Index j = 0; j < table.num_columns(); ++j) place.emplace(table.columns[static_cast<std::size_t>(j)].name, j);

  std::vector<Index> matched;
  std::vector<std::string> absent;
  for (const FeatureColumn& feature : encoding.features) {
    const auto found = place.find(feature.name);
    if (found == place.end())
      absent.push_back(feature.name);
    else
      matched.push_back(found->second);
  }
  if (!absent.empty())
    throw InvalidArgument(
        fmt::format("the table lacks the column{} {}, which the model uses", absent.size() == 1 ? "" : "s", listed(absent)));
  return matched;
}

[[noreturn]] void fail_at_level(const Table& table, Index column, std::size_t level, const FeatureColumn& feature) {
  Index row = 0;
  while (row < table.num_rows && table.value(row, column) != static_cast<double>(level)) ++row;
  throw InvalidArgument(fmt::format("{}, column '{}': '{}' is not a level that the model knows; it knows {}", table.row_name(row),
                                    shown(feature.name), shown(table.columns[static_cast<std::size_t>(column)].levels[level]),
                                    listed(feature.levels)));
}

std::vector<Index> match_levels(const Table& table, Index column, const FeatureColumn& feature, Dummies dummies) {
  const TableColumn& here = table.columns[static_cast<std::size_t>(column)];
  std::unordered_map<std::string, Index> known;
  for (const std::string& level : feature.levels) known.emplace(level, static_cast<Index>(known.size()));

  std::vector<Index> matched;
  for (std::size_t level = 0; level < here.levels.size(); ++level) {
    const auto found = known.find(here.levels[level]);
    if (found == known.end()) fail_at_level(table, column, level, feature);
    matched.push_back(feature.levels.size() < 2 ? -1 : found->second - first_level(dummies));
  }
  return matched;
}

std::vector<Route> plan(const Table& table, const FeatureEncoding& encoding) {
  const std::vector<Index> from = match_names(table, encoding);
  std::vector<Route> routes;
  Index to = 0;
  for (std::size_t f = 0; f < encoding.features.size(); ++f) {
    const FeatureColumn& feature = encoding.features[f];
    const bool categorical_here = table.columns[static_cast<std::size_t>(from[f])].categorical;
    if (categorical_here && !feature.categorical)
      throw InvalidArgument(fmt::format("column '{}' holds text; the model expects numbers", shown(feature.name)));
    if (!categorical_here && feature.categorical)
      throw InvalidArgument(fmt::format("column '{}' holds numbers; the model expects text: {} (list the column as categorical)",
                                        shown(feature.name), listed(feature.levels)));
    Route& route = routes.emplace_back(Route{from[f], to, width(feature, encoding.dummies), feature.categorical, {}});
    if (route.categorical) route.dummy_here = match_levels(table, route.from, feature, encoding.dummies);
    to += route.width;
  }
  return routes;
}

bool leaves_all_in_place(const std::vector<Route>& routes, Index num_columns) {
  return static_cast<Index>(routes.size()) == num_columns &&
         std::all_of(routes.begin(), routes.end(), [](const Route& route) { return !route.categorical && route.from == route.to; });
}

void encode_row(const double* table_row, const std::vector<Route>& routes, std::vector<double>& x) {
  std::fill(x.begin(), x.end(), 0.0);
  for (const Route& route : routes) {
    const double value = table_row[route.from];
    if (!route.categorical) {
      x[static_cast<std::size_t>(route.to)] = value;
    } else if (const Index dummy = route.dummy_here[static_cast<std::size_t>(value)]; dummy >= 0) {
      x[static_cast<std::size_t>(route.to + dummy)] = 1.0;
    }
  }
}

std::unique_ptr<double[], Table::Free> resized(std::unique_ptr<double[], Table::Free> values, Index rows, Index cols) {
  const auto num_rows = static_cast<std::size_t>(rows), num_cols = static_cast<std::size_t>(cols);
  const bool fits = num_cols == 0 || num_rows <= SIZE_MAX / sizeof(double) / num_cols;
  void* p = fits ? std::realloc(values.get(), std::max<std::size_t>(1, num_rows * num_cols) * sizeof(double)) : nullptr;
  if (p == nullptr)
    throw EnvironmentError(
        fmt::format("not enough memory for the {} x {} matrix of the features (a text column takes one column per level)", rows, cols));
  static_cast<void>(values.release());
  values.reset(static_cast<double*>(p));
  return values;
}

}  // namespace

FeatureEncoding FeatureEncoding::of_numbers(const std::vector<std::string>& names) {
  FeatureEncoding encoding;
  encoding.features.reserve(names.size());
  for (const std::string& name : names) encoding.features.push_back({name, false, {}});
  return encoding;
}

Index FeatureEncoding::num_columns() const {
  Index sum = 0;
  for (const FeatureColumn& feature : features) sum += width(feature, dummies);
  return sum;
}

std::vector<std::string> FeatureEncoding::names() const {
  std::vector<std::string> result;
  result.reserve(static_cast<std::size_t>(num_columns()));
  for (const FeatureColumn& feature : features) {
    if (!feature.categorical) result.push_back(feature.name);
    if (feature.levels.size() < 2) continue;
    for (auto level = static_cast<std::size_t>(first_level(dummies)); level < feature.levels.size(); ++level)
      result.push_back(feature.name + "=" + feature.levels[level]);
  }
  return result;
}

std::vector<Index> FeatureEncoding::groups() const {
  std::vector<Index> result;
  Index group = 0;
  for (const FeatureColumn& feature : features) {
    const Index num = width(feature, dummies);
    result.insert(result.end(), static_cast<std::size_t>(num), group);
    if (num > 0) ++group;
  }
  return result;
}

FeatureEncoding make_encoding(const Table& table, const std::vector<std::string>& exclude, Dummies dummies) {
  std::vector<bool> excluded(table.columns.size(), false);
  for (const std::string& name : exclude) excluded[static_cast<std::size_t>(table.at(name))] = true;
  FeatureEncoding encoding{{}, dummies};
  encoding.features.reserve(table.columns.size());
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    const TableColumn& column = table.columns[j];
    if (!excluded[j]) encoding.features.push_back({column.name, column.categorical, column.levels});
  }
  return encoding;
}

EncodedTable encode(Table&& table, const FeatureEncoding& encoding) {
  const std::vector<Route> routes = plan(table, encoding);
  const Index n = table.num_rows, width_before = table.num_columns(), width_after = encoding.num_columns();
  EncodedTable result{n, width_after, std::move(table.values)};
  table = Table{};
  if (leaves_all_in_place(routes, width_before)) return result;

  // In place: if rows shrink, the first row moves first; if they grow, the last row moves first. So no row overwrites one that is not read
  // yet.
  const bool grows = width_after > width_before;
  if (grows) result.values = resized(std::move(result.values), n, width_after);
  std::vector<double> x(static_cast<std::size_t>(width_after));
  for (Index step = 0; step < n; ++step) {
    const Index row = grows ? n - 1 - step : step;
    encode_row(result.values.get() + row * width_before, routes, x);
    std::copy(x.begin(), x.end(), result.values.get() + row * width_after);
  }
  if (!grows) result.values = resized(std::move(result.values), n, width_after);
  return result;
}

Vector column_values(const Table& table, Index column) {
  if (!(column >= 0 && column < table.num_columns()))
    throw InvalidArgument(fmt::format("column is {}; it must be from 0 to {}", column, table.num_columns() - 1));
  Vector values(table.num_rows);
  for (Index row = 0; row < table.num_rows; ++row) values[row] = table.value(row, column);
  return values;
}

}  // namespace ardvark
