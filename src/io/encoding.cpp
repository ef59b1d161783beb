// Makes the matrix X of a fit from a table, in the table's own memory.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "ardvark/errors.hpp"
#include "ardvark/table.hpp"
#include "core/pulse.hpp"
#include "core/refusals.hpp"
#include "io/levels.hpp"
#include "io/notation.hpp"
#include "io/sparse_table.hpp"
#include "io/text.hpp"

namespace ardvark {

using namespace internal;

namespace {

using io::listed;
using io::shown;

Index width(const FeatureColumn& feature, Dummies dummies) {
  if (!feature.categorical) return 1;
  const auto num_levels = static_cast<Index>(feature.levels.size());
  return num_levels < 2 ? 0 : num_levels - (dummies == Dummies::every_level ? 0 : 1);
}

// The position of the dummy of a level among those of its feature; -1: it has none.
Index dummy_of(const FeatureColumn& feature, Index level, Dummies dummies) {
  if (feature.levels.size() < 2) return -1;
  if (dummies == Dummies::every_level || level < feature.reference) return level;
  return level == feature.reference ? -1 : level - 1;
}

// Where a feature comes from and where it goes.
struct Route {
  Index from = 0;   // column of the table
  Index to = 0;     // first column of X
  Index width = 0;  // columns of X
  bool categorical = false;
  std::vector<Index> dummy_here;    // per level of the table's column; negative: no dummy
  std::vector<double> number_here;  // a numeric feature of true and false: per level of the table's column; empty: numbers
};

// For each feature its column of the table. Most tables have their columns in the order of the features.
std::vector<Index> match_names(const Table& table, const FeatureEncoding& encoding) {
  std::unordered_map<std::string_view, Index> place;
  const auto find = [&](const std::string& name) -> Index {
    if (place.empty())
      for (Index j = 0; j < table.num_columns(); ++j) place.emplace(table.columns[static_cast<std::size_t>(j)].name, j);
    const auto found = place.find(name);
    return found == place.end() ? -1 : found->second;
  };
  std::vector<Index> matched;
  matched.reserve(encoding.features.size());
  std::vector<std::string> absent;
  std::size_t next = 0;
  for (const FeatureColumn& feature : encoding.features) {
    const bool is_next = next < table.columns.size() && table.columns[next].name == feature.name;
    const Index column = is_next ? static_cast<Index>(next) : find(feature.name);
    if (column < 0)
      absent.push_back(feature.name);
    else
      matched.push_back(column), next = static_cast<std::size_t>(column) + 1;
  }
  if (absent.empty()) return matched;
  std::vector<std::string> names;
  for (const TableColumn& column : table.columns) names.push_back(column.name);
  throw InvalidArgument(fmt::format("the table lacks the column{} {}, which the model uses{}", absent.size() == 1 ? "" : "s",
                                    listed(absent), absent.size() == 1 ? io::did_you_mean(absent.front(), names) : ""));
}

// The first row whose value is not among the good ones, with its text. \param is_good  per level
struct FirstUnknown {
  Index row;
  std::string text;
};
FirstUnknown first_bad(const Table& table, Index column, const std::vector<bool>& is_good) {
  Index row = 0;
  const auto is_bad = [&](double level) { return !std::isnan(level) && !is_good[static_cast<std::size_t>(level)]; };
  while (row + 1 < table.num_rows && !is_bad(table.value(row, column))) ++row;
  const auto level = static_cast<std::size_t>(table.value(row, column));
  return {row, shown(table.columns[static_cast<std::size_t>(column)].levels[level])};
}

// The level that says the same as this truth, in any spelling; -1: none.
Index level_of(const FeatureColumn& feature, std::optional<bool> truth) {
  if (!truth) return -1;
  const auto found = std::ranges::find_if(feature.levels, [&](const std::string& level) { return io::truth_of(level) == truth; });
  return found == feature.levels.end() ? -1 : static_cast<Index>(found - feature.levels.begin());
}

std::vector<Index> match_levels(const Table& table, Index column, const FeatureColumn& feature, const FeatureEncoding& encoding) {
  const TableColumn& here = table.columns[static_cast<std::size_t>(column)];
  std::unordered_map<std::string, Index> known;
  for (const std::string& level : feature.levels) known.emplace(level, static_cast<Index>(known.size()));
  for (std::size_t level = 0; level < feature.levels.size(); ++level)  // of a model that had 1.0 beside 1
    known.emplace(io::code_of(feature.levels[level]), static_cast<Index>(level));

  std::vector<Index> matched;
  std::vector<bool> is_known;
  for (const std::string& text : here.levels) {
    auto found = known.find(text);
    if (found == known.end()) found = known.find(io::code_of(text));
    const Index level = found != known.end() ? found->second : level_of(feature, io::truth_of(text));
    is_known.push_back(level >= 0);
    matched.push_back(dummy_of(feature, level, encoding.dummies));
  }
  if (std::ranges::all_of(is_known, std::identity())) return matched;
  const auto [row, text] = first_bad(table, column, is_known);
  const std::string nearest = io::did_you_mean(text, feature.levels);
  throw io::wrong_cell(
      table.cell(row, feature.name), text,
      fmt::format("'{}' is not a level that the model knows{} knows {}", text, nearest.empty() ? "; it" : nearest + " It",
                  listed(feature.levels)),
      fmt::format("write one of these, or {}", encoding.keeps_gaps ? "leave the value out: the model fills gaps" : "leave out such rows"));
}

// Numbers for a feature of texts: 0 and 1 are false and true if these are its levels.
std::vector<Index> match_numbers(const Table& table, Index column, const FeatureColumn& feature, const FeatureEncoding& encoding) {
  const bool are_truths = io::hold_truths(feature.levels);
  const Index no = level_of(feature, false), yes = level_of(feature, true);
  for (Index row = 0; row < table.num_rows; ++row) {
    const double value = table.value(row, column);
    if (std::isnan(value) || (are_truths && ((value == 0 && no >= 0) || (value == 1 && yes >= 0)))) continue;
    throw io::wrong_cell(table.cell(row, feature.name), fmt::format("{}", value),
                         fmt::format("{} is a number, but the model was fitted to texts there: {}", value, listed(feature.levels)),
                         table.is_from_file ? "list the column as categorical" : "turn the numbers into texts");
  }
  return {dummy_of(feature, no, encoding.dummies), dummy_of(feature, yes, encoding.dummies)};
}

bool is_number(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// What to do about a text where the model knows numbers. \param texts  all that the column has
std::string remedy_of_text(const std::string& text, const std::vector<std::string>& texts, bool is_truth, bool is_from_file) {
  if (is_number(text)) return "turn the texts of the column into numbers";
  if (io::holds_comma(text) && !is_truth) return "write a decimal point, and turn the texts of the column into numbers";
  if (!is_truth && std::ranges::any_of(texts, is_number))
    return "write a number or a missing value there, and turn the other texts of the column into numbers";
  if (const std::string remark = io::remark_on_numbers(texts); !remark.empty()) return remark;
  if (io::may_mean_missing(text) && is_from_file)
    return fmt::format("if '{0}' means a missing value, use --missing-marker='{0}' and --missing drop or impute", text);
  const std::string marker = fmt::format("; if '{0}' means a missing value, use --missing-marker='{0}' and --missing drop", text);
  return fmt::format("write {}, or fit again to a table with such texts{}", is_truth ? "true or false" : "a number",
                     is_from_file ? marker : "");
}

// Texts for a feature of numbers: true and false are 1 and 0.
std::vector<double> match_truths(const Table& table, Index column, const FeatureColumn& feature) {
  const std::vector<std::string>& texts = table.columns[static_cast<std::size_t>(column)].levels;
  std::vector<double> numbers;
  std::vector<bool> is_good;
  for (const std::string& text : texts) {
    const std::optional<bool> truth = io::truth_of(text);
    is_good.push_back(truth.has_value());
    numbers.push_back(truth.value_or(false) ? 1 : 0);
  }
  if (std::ranges::all_of(is_good, std::identity())) return numbers;
  if (!feature.is_truth && !std::ranges::all_of(texts, is_number))  // then the message names a text that is no number
    for (std::size_t level = 0; level < texts.size(); ++level) is_good[level] = is_good[level] || is_number(texts[level]);
  const auto [row, text] = first_bad(table, column, is_good);
  throw io::wrong_cell(
      table.cell(row, feature.name), text,
      fmt::format("'{}' is a text, but the model was fitted to {} there", text, feature.is_truth ? "true and false" : "numbers"),
      remedy_of_text(text, texts, feature.is_truth, table.is_from_file));
}

// Numbers for true and false; a number between is the share of rows that are true.
void require_truths(const Table& table, Index column, const FeatureColumn& feature) {
  for (Index row = 0; row < table.num_rows; ++row)
    if (const double value = table.value(row, column); value < 0 || value > 1)
      throw io::wrong_cell(table.cell(row, feature.name), fmt::format("{}", value),
                           fmt::format("{} is a number, but the model was fitted to true and false there", value),
                           "write true or false, or 1 or 0");
}

// Neighbours that go to neighbours as they are.
struct RunOfColumns {
  Index from = 0, to = 0, width = 0;
};

struct Plan {
  std::vector<RunOfColumns> runs;
  std::vector<Route> routes;  // of all other features

  void keep(Index from, Index to) {
    if (!runs.empty() && runs.back().from + runs.back().width == from && runs.back().to + runs.back().width == to)
      ++runs.back().width;
    else
      runs.push_back({from, to, 1});
  }
  [[nodiscard]] bool leaves_all_in_place(Index num_columns) const {
    return routes.empty() && runs.size() == 1 && runs[0].from == 0 && runs[0].to == 0 && runs[0].width == num_columns;
  }
};

Plan plan_of(const Table& table, const FeatureEncoding& encoding) {
  const std::vector<Index> from = match_names(table, encoding);
  Plan plan;
  Index to = 0;
  for (std::size_t f = 0; f < encoding.features.size(); ++f) {
    const FeatureColumn& feature = encoding.features[f];
    const bool categorical_here = table.columns[static_cast<std::size_t>(from[f])].categorical;
    const Index num_columns = width(feature, encoding.dummies);
    if (feature.categorical || categorical_here) {
      Route& route = plan.routes.emplace_back(Route{from[f], to, num_columns, feature.categorical, {}, {}});
      if (feature.categorical)
        route.dummy_here = (categorical_here ? match_levels : match_numbers)(table, route.from, feature, encoding);
      else
        route.number_here = match_truths(table, route.from, feature);
    } else {
      if (feature.is_truth) require_truths(table, from[f], feature);
      plan.keep(from[f], to);
    }
    to += num_columns;
  }
  return plan;
}

void encode_row(const double* table_row, const Plan& plan, std::vector<double>& x) {
  for (const RunOfColumns& run : plan.runs) std::copy_n(table_row + run.from, run.width, x.begin() + run.to);
  for (const Route& route : plan.routes) {
    const double value = table_row[route.from];
    std::fill_n(x.begin() + route.to, route.width, std::isnan(value) ? value : 0.0);
    if (std::isnan(value)) continue;
    if (!route.categorical)
      x[static_cast<std::size_t>(route.to)] = route.number_here[static_cast<std::size_t>(value)];
    else if (const Index dummy = route.dummy_here[static_cast<std::size_t>(value)]; dummy >= 0)
      x[static_cast<std::size_t>(route.to + dummy)] = 1.0;
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

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes the digits at the beginning of a text, without zeros before them.
std::string_view take_digits(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  return digits;
}

// Digits count by value, other characters by their bytes.
bool comes_before(std::string_view a, std::string_view b) {
  const std::string_view whole_a = a, whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view x = take_digits(a), y = take_digits(b);
      if (x != y) return x.size() != y.size() ? x.size() < y.size() : x < y;
    } else if (a.front() != b.front()) {
      return static_cast<unsigned char>(a.front()) < static_cast<unsigned char>(b.front());
    } else {
      a.remove_prefix(1), b.remove_prefix(1);
    }
  }
  return a.empty() && b.empty() ? whole_a < whole_b : a.empty();
}

}  // namespace

namespace internal::io {

void refuse_many_levels(const std::string& column, std::size_t num_levels) {
  if (num_levels > most_levels)
    throw InvalidArgument(
        fmt::format("column '{}' has more than {} different texts, and each of them would become a column; if it names the "
                    "rows, leave it out, otherwise give rare texts a common name",
                    shown(column), most_levels));
}

std::vector<std::string> in_order(std::vector<std::string> levels) {
  struct Keyed {
    double number;  // NaN for a text
    std::string text;
  };
  std::vector<Keyed> keyed;
  for (std::string& text : levels) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) number = std::numeric_limits<double>::quiet_NaN();
    keyed.push_back({number, std::move(text)});
  }
  std::ranges::sort(keyed, [](const Keyed& a, const Keyed& b) {
    const bool a_is_text = std::isnan(a.number), b_is_text = std::isnan(b.number);
    if (a_is_text != b_is_text) return b_is_text;
    return !a_is_text && a.number != b.number ? a.number < b.number : comes_before(a.text, b.text);
  });
  std::ranges::transform(keyed, levels.begin(), [](Keyed& level) { return std::move(level.text); });
  return levels;
}

Index column_of_level(const FeatureColumn& feature, const std::string& level, Dummies dummies) {
  const auto found = std::ranges::find(feature.levels, level);
  return found == feature.levels.end() ? -1 : dummy_of(feature, static_cast<Index>(found - feature.levels.begin()), dummies);
}

void choose_reference(const std::vector<double>& rows, FeatureColumn& feature) {
  constexpr double rounding = 1e-9;  // the order of the rows must not decide between levels with as many rows
  feature.reference = 0, feature.reference_rows = 0;
  for (std::size_t level = 0; level < feature.levels.size(); ++level)
    if (rows[level] > feature.reference_rows * (1 + rounding)) {
      feature.reference = static_cast<Index>(level);
      feature.reference_rows = rows[level];
    }
}

void set_reference(const std::string& text, const RowsOfLevel& rows_of, FeatureEncoding& encoding) {
  if (text.find('=') == std::string::npos) throw wrong("reference", shown(text), "it must be COLUMN=LEVEL");
  for (FeatureColumn& feature : encoding.features) {
    if (!text.starts_with(feature.name + "=")) continue;
    const std::string level = text.substr(feature.name.size() + 1);
    if (!feature.categorical)
      throw refused("reference",
                    fmt::format("is '{}', but column '{}' holds {}; only a text column has a reference", shown(text), shown(feature.name),
                                feature.is_truth ? "true and false, which are compared with false" : "numbers"));
    auto found = std::ranges::find(feature.levels, level);
    if (found == feature.levels.end()) found = std::ranges::find(feature.levels, io::code_of(level));
    if (found == feature.levels.end())
      throw refused("reference", fmt::format("is '{}', but '{}' is not a level of column '{}'; its levels are {}", shown(text),
                                             shown(level), shown(feature.name), listed(feature.levels)));
    feature.reference = static_cast<Index>(found - feature.levels.begin());
    feature.reference_rows = rows_of(feature, *found);
    return;
  }
  throw refused("reference", fmt::format("is '{}', but no feature column has the name before the '='", shown(text)));
}

}  // namespace internal::io

namespace {

FeatureColumn feature_of(const ColumnFacts& facts) {
  const TableColumn& here = facts.column;
  if (here.categorical && !here.is_listed && io::hold_truths(here.levels)) return {.name = here.name, .is_truth = true};
  io::refuse_many_levels(here.name, here.categorical ? here.levels.size() : 0);
  FeatureColumn feature{here.name, here.categorical, io::in_order(here.levels)};
  if (!here.categorical) return feature;
  std::unordered_map<std::string_view, double> rows;
  for (std::size_t level = 0; level < here.levels.size(); ++level) rows.emplace(here.levels[level], facts.rows[level]);
  std::vector<double> in_their_order;
  for (const std::string& level : feature.levels) in_their_order.push_back(rows.at(level));
  io::choose_reference(in_their_order, feature);
  return feature;
}

}  // namespace

FeatureEncoding FeatureEncoding::of_numbers(const std::vector<std::string>& names) {
  FeatureEncoding encoding;
  encoding.features.reserve(names.size());
  for (const std::string& name : names) encoding.features.push_back({name});
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
    for (std::size_t level = 0; level < feature.levels.size(); ++level)
      if (dummy_of(feature, static_cast<Index>(level), dummies) >= 0) result.push_back(feature.name + "=" + feature.levels[level]);
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

std::vector<Index> FeatureEncoding::feature_of_columns() const {
  std::vector<Index> result;
  for (std::size_t f = 0; f < features.size(); ++f)
    result.insert(result.end(), static_cast<std::size_t>(width(features[f], dummies)), static_cast<Index>(f));
  return result;
}

bool FeatureEncoding::has_text() const { return std::ranges::any_of(features, &FeatureColumn::categorical); }

FeatureEncoding make_encoding(const Table& table, const std::vector<std::string>& exclude, Dummies dummies,
                              const std::vector<std::string>& references, VectorView weights) {
  if (!weights.empty() && weights.size() != table.num_rows)
    throw wrong_size("weights", weights.size(), fmt::format("the table has {} rows", table.num_rows));
  for (const std::string& name : exclude) static_cast<void>(table.at(name));
  std::vector<ColumnFacts> columns;
  columns.reserve(table.columns.size());
  for (Index j = 0; j < table.num_columns(); ++j) columns.push_back(facts_of(table, j, weights));
  return make_encoding(columns, exclude, dummies, references);
}

ColumnFacts facts_of(const Table& table, Index column, VectorView weights) {
  ColumnFacts facts{table.columns[static_cast<std::size_t>(column)], {}};
  facts.rows.assign(facts.column.levels.size(), 0.0);
  if (!facts.column.categorical) return facts;
  for (Index row = 0; row < table.num_rows; ++row)
    if (const double level = table.value(row, column); !std::isnan(level))
      facts.rows[static_cast<std::size_t>(level)] += weights.empty() ? 1 : weights[row];
  return facts;
}

FeatureEncoding make_encoding(const std::vector<ColumnFacts>& columns, const std::vector<std::string>& exclude, Dummies dummies,
                              const std::vector<std::string>& references) {
  FeatureEncoding encoding{{}, dummies};
  encoding.features.reserve(columns.size());
  for (const ColumnFacts& facts : columns)
    if (std::ranges::find(exclude, facts.column.name) == exclude.end()) encoding.features.push_back(feature_of(facts));
  const auto rows_of = [&](const FeatureColumn& feature, const std::string& level) {
    const ColumnFacts& facts = *std::ranges::find(
        columns, feature.name, [](const ColumnFacts& c) -> const auto& { return c.column.name; });
    return facts.rows[static_cast<std::size_t>(std::ranges::find(facts.column.levels, level) - facts.column.levels.begin())];
  };
  for (const std::string& text : references) io::set_reference(text, rows_of, encoding);
  return encoding;
}

EncodedTable encode(Table&& table, const FeatureEncoding& encoding) {
  pulse("preparing");
  const Plan plan = plan_of(table, encoding);
  const Index n = table.num_rows, width_before = table.num_columns(), width_after = encoding.num_columns();
  EncodedTable result{n, width_after, std::move(table.values)};
  table = Table{};
  if (plan.leaves_all_in_place(width_before)) return result;

  // In place: if rows shrink, the first row moves first; if they grow, the last row moves first. So no row overwrites one that is not read
  // yet.
  const bool grows = width_after > width_before;
  if (grows) result.values = resized(std::move(result.values), n, width_after);
  std::vector<double> x(static_cast<std::size_t>(width_after));
  for (Index step = 0; step < n; ++step) {
    const Index row = grows ? n - 1 - step : step;
    encode_row(result.values.get() + row * width_before, plan, x);
    std::copy(x.begin(), x.end(), result.values.get() + row * width_after);
  }
  if (!grows) result.values = resized(std::move(result.values), n, width_after);
  return result;
}

Vector column_values(const Table& table, Index column) {
  if (!(column >= 0 && column < table.num_columns()))
    throw wrong("column", column, fmt::format("it must be from 0 to {}", table.num_columns() - 1));
  Vector values(table.num_rows);
  for (Index row = 0; row < table.num_rows; ++row) values[row] = table.value(row, column);
  return values;
}

namespace {

// f(row, column of X, value) for each value of some neighbours that go to neighbours.
void each_number(const Table& table, const RunOfColumns& run, auto&& f) {
  for (Index k = 0; k < run.width; ++k)
    for (Index row = 0; row < table.num_rows; ++row) f(row, run.to + k, table.value(row, run.from + k));
}

// The same of a text column, or of texts where the encoding has numbers.
void each_number(const Table& table, const Route& route, auto&& f) {
  for (Index row = 0; row < table.num_rows; ++row) {
    const double level = table.value(row, route.from);
    if (std::isnan(level))
      f(row, route.to, level);
    else if (!route.categorical)
      f(row, route.to, route.number_here[static_cast<std::size_t>(level)]);
    else if (const Index dummy = route.dummy_here[static_cast<std::size_t>(level)]; dummy >= 0)
      f(row, route.to + dummy, 1.0);
  }
}

void each_number(const Table& table, const Plan& plan, auto&& f) {
  for (const RunOfColumns& run : plan.runs) each_number(table, run, f);
  for (const Route& route : plan.routes) each_number(table, route, f);
}

}  // namespace

namespace internal::io {

SparseTable encode_sparse(const Table& table, const FeatureEncoding& encoding) {
  pulse("preparing");
  const Plan plan = plan_of(table, encoding);
  SparseTable out{table.num_rows, encoding.num_columns(), {}, {}, {}};
  std::vector<Index> entries(static_cast<std::size_t>(out.cols), 0);
  each_number(table, plan, [&](Index row, Index column, double value) {
    if (std::isnan(value)) throw InvalidArgument(fmt::format("{} has a gap; a sparse X takes no missing values", table.row_name(row)));
    entries[static_cast<std::size_t>(column)] += value != 0 ? 1 : 0;
  });
  out.start.reserve(entries.size() + 1);
  Index sum = 0;
  out.start.push_back(0);
  for (const Index count : entries) {
    sum += count;
    if (sum > std::numeric_limits<std::int32_t>::max())
      throw InvalidArgument("the table has 2^31 entries or more that are not zero; they do not fit a sparse X");
    out.start.push_back(static_cast<std::int32_t>(sum));
  }
  out.row.resize(static_cast<std::size_t>(sum));
  out.value.resize(static_cast<std::size_t>(sum));
  std::vector<std::int32_t> next(out.start.begin(), out.start.end() - 1);
  each_number(table, plan, [&](Index row, Index column, double value) {
    if (value == 0) return;
    const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(column)]++);
    out.row[at] = static_cast<std::int32_t>(row);
    out.value[at] = value;
  });
  return out;
}

}  // namespace internal::io

}  // namespace ardvark
