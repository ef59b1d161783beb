// Statistics of tables with text columns. They have a column for every level that a row has had; a level that comes later is a column of
// zeros before. A fit then leaves out the reference of each text column. docs/math/statistics.md
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/blas.hpp"
#include "core/refusals.hpp"
#include "io/csv_numbers.hpp"
#include "io/levels.hpp"
#include "io/notation.hpp"
#include "io/text.hpp"
#include "rows/statistics_state.hpp"

namespace ardvark {

using namespace internal;

namespace {

using State = LinearStatistics::State;
using io::shown;

// How the columns of one encoding become those of another one with the same features and the same levels, or more of them.
Rearrangement between(const FeatureEncoding& from, const FeatureEncoding& to) {
  Rearrangement out;
  const std::vector<Index> feature_of = from.feature_of_columns();
  for (const FeatureColumn& feature : to.features) {
    const auto found = std::ranges::find(from.features, feature.name, &FeatureColumn::name);
    const FeatureColumn& earlier = *found;
    const Index start = std::ranges::find(feature_of, found - from.features.begin()) - feature_of.begin();
    if (!feature.categorical) out.from.push_back(start), out.fill.push_back(0);
    for (const std::string& level : feature.levels) {
      if (io::column_of_level(feature, level, to.dummies) < 0) continue;
      const Index dummy = io::column_of_level(earlier, level, from.dummies);
      out.from.push_back(dummy < 0 ? -1 : start + dummy);
      out.fill.push_back(earlier.levels.size() == 1 && earlier.levels.front() == level ? 1 : 0);
    }
  }
  return out;
}

// The features of a table without rows so far: text columns have no levels.
FeatureEncoding features_of(const Table& table, const std::vector<std::string>& exclude) {
  FeatureEncoding encoding{{}, Dummies::every_level};
  for (const TableColumn& column : table.columns) {
    if (std::ranges::find(exclude, column.name) != exclude.end()) continue;
    const bool is_truth = column.categorical && !column.is_listed && io::hold_truths(column.levels);
    encoding.features.push_back({.name = column.name, .categorical = column.categorical && !is_truth, .is_truth = is_truth});
  }
  if (encoding.features.empty()) throw InvalidArgument("the table has no feature columns");
  return encoding;
}

// One feature of the statistics in a table.
struct Source {
  Index column = 0;
  std::vector<double> truth = {};  // a column of true and false: the number of each level of the table
};

// \param rows_before  of the statistics
ErrorFields cell_of(const Table& table, Index row, Index rows_before, const std::string& column) {
  return table.is_from_file ? table.cell(row, column) : ErrorFields{.row = rows_before + row + 1, .column = column};
}

[[noreturn]] void refuse_type(const Table& table, Index column, const FeatureColumn& feature, const std::string& is, Index rows_before) {
  Index row = 0;
  const auto& here = table.columns[static_cast<std::size_t>(column)];
  const auto is_bad = [&](Index i) {
    const double value = table.value(i, column);
    return !std::isnan(value) && (!here.categorical || !feature.is_truth || !io::truth_of(here.levels[static_cast<std::size_t>(value)]));
  };
  while (row + 1 < table.num_rows && !is_bad(row)) ++row;
  const double value = table.value(row, column);
  const bool is_text = here.categorical && !std::isnan(value);
  const std::string text = is_text ? here.levels[static_cast<std::size_t>(value)] : fmt::format("{}", value);
  const std::string why = fmt::format("{} is {}, but earlier rows have {} there", is_text ? fmt::format("'{}'", shown(text)) : text,
                                      here.categorical ? "a text" : "a number", is);
  throw io::wrong_cell(cell_of(table, row, rows_before, feature.name), text, why,
                       table.is_from_file
                           ? fmt::format("read it as text (--categorical '{0}'), or leave it out (--ignore '{0}')", shown(feature.name))
                           : "make it a column of numbers, or of texts, in all rows");
}

std::vector<Source> sources_of(const Table& table, const FeatureEncoding& encoding, const std::vector<std::string>& exclude,
                               Index rows_before) {
  std::vector<Source> out;
  for (const FeatureColumn& feature : encoding.features) {
    const Index column = table.find(feature.name);
    if (column < 0) throw InvalidArgument(fmt::format("the table lacks the column '{}', which earlier rows have", shown(feature.name)));
    const TableColumn& here = table.columns[static_cast<std::size_t>(column)];
    if (feature.categorical) io::refuse_many_levels(feature.name, here.levels.size());
    Source source{column};
    if (feature.categorical != here.categorical && !feature.is_truth)
      refuse_type(table, column, feature, feature.categorical ? "texts" : "numbers", rows_before);
    if (feature.is_truth && here.categorical)
      for (const std::string& level : here.levels) {
        const std::optional<bool> truth = io::truth_of(level);
        if (!truth) refuse_type(table, column, feature, "only true and false", rows_before);
        source.truth.push_back(*truth ? 1 : 0);
      }
    out.push_back(std::move(source));
  }
  for (const TableColumn& column : table.columns)
    if (std::ranges::find(exclude, column.name) == exclude.end() &&
        std::ranges::find(encoding.features, column.name, &FeatureColumn::name) == encoding.features.end())
      throw InvalidArgument(fmt::format("the table has the column '{}', which earlier rows do not have", shown(column.name)));
  return out;
}

// The encoding with the levels of these rows.
FeatureEncoding with_levels(const FeatureEncoding& encoding, const Table& table, const std::vector<Source>& sources, Index first,
                            Index count) {
  FeatureEncoding wider = encoding;
  for (std::size_t f = 0; f < sources.size(); ++f) {
    FeatureColumn& feature = wider.features[f];
    if (!feature.categorical) continue;
    const Index column = sources[f].column;
    const auto& levels = table.columns[static_cast<std::size_t>(column)].levels;
    std::vector<bool> is_here(levels.size(), false);
    for (Index i = first; i < first + count; ++i)
      if (const double level = table.value(i, column); !std::isnan(level)) is_here[static_cast<std::size_t>(level)] = true;
    std::set<std::string> known(feature.levels.begin(), feature.levels.end());
    for (std::size_t level = 0; level < levels.size(); ++level)
      if (is_here[level]) known.insert(levels[level]);
    io::refuse_many_levels(feature.name, known.size());
    if (known.size() > feature.levels.size()) feature.levels = io::in_order({known.begin(), known.end()});
  }
  return wider;
}

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// \param rows_before  of the statistics, for messages
RowMajor encoded_rows(const Table& table, const FeatureEncoding& encoding, const std::vector<Source>& sources, Index first, Index count,
                      Index rows_before) {
  RowMajor X = RowMajor::Zero(count, encoding.num_columns());
  Index start = 0;
  for (std::size_t f = 0; f < sources.size(); ++f) {
    const FeatureColumn& feature = encoding.features[f];
    std::vector<Index> dummy;
    if (feature.categorical)
      for (const std::string& level : table.columns[static_cast<std::size_t>(sources[f].column)].levels)
        dummy.push_back(io::column_of_level(feature, level, encoding.dummies));
    for (Index i = 0; i < count; ++i) {
      const double value = table.value(first + i, sources[f].column);
      if (feature.categorical && std::isnan(value))
        throw InvalidArgument(
            {.value = "NaN", .row = rows_before + i + 1, .column = feature.name, .remedy = "leave out the row, or fill the gap"},
            fmt::format(" has no value in column '{}'", shown(feature.name)));
      if (!feature.categorical)
        X(i, start) = sources[f].truth.empty() || std::isnan(value) ? value : sources[f].truth[static_cast<std::size_t>(value)];
      else if (const Index at = dummy[static_cast<std::size_t>(value)]; at >= 0)
        X(i, start + at) = 1;
    }
    start += feature.categorical ? (feature.levels.size() < 2 ? 0 : static_cast<Index>(feature.levels.size())) : 1;
  }
  return X;
}

// A text among numbers that is one in another notation, as where decimal commas begin in a late row.
void refuse_notation(const Table& table, Index column, const std::string& name, Index rows_before) {
  const std::vector<std::string>& levels = table.columns[static_cast<std::size_t>(column)].levels;
  double number;
  if (std::ranges::none_of(levels, [&](const std::string& level) { return io::parse_number(level, number); })) return;
  for (Index i = 0; i < table.num_rows; ++i) {
    const double level = table.value(i, column);
    if (std::isnan(level) || io::parse_number(levels[static_cast<std::size_t>(level)], number)) continue;
    const std::string& text = levels[static_cast<std::size_t>(level)];
    const io::Comma comma = io::comma_in(text);
    const std::string remedy = comma.meaning == nullptr
                                   ? io::remedy_of_notation(text)
                                   : "write a decimal point and no other marks, or read the column with its decimal mark";
    const char* meaning = comma.meaning == nullptr ? "is not a number" : comma.meaning;
    if (!remedy.empty())
      throw io::wrong_cell(cell_of(table, i, rows_before, name), text, fmt::format("'{}' {}; {}", shown(text), meaning, remedy));
    return;
  }
}

// \param rows_before  of the statistics, for messages
Vector numbers_of(const Table& table, const std::string& name, const char* what, Index rows_before) {
  const Index column = table.at(name);
  if (!table.columns[static_cast<std::size_t>(column)].categorical) return column_values(table, column);
  refuse_notation(table, column, name, rows_before);
  throw InvalidArgument(fmt::format("the {} '{}' is text; statistics are for regressions, which need numbers", what, shown(name)));
}

// If both are of tables, gives them the same columns: the levels of both.
void unite_levels(State& left, State& right) {
  const auto is_table = [](const State& s) { return s.encoding.dummies == Dummies::every_level && !s.encoding.features.empty(); };
  if (!is_table(left) || !is_table(right)) return;
  const auto require_all = [](const State& a, const State& b, const char* of_a, const char* of_b) {
    for (const FeatureColumn& feature : a.encoding.features) {
      const auto found = std::ranges::find(b.encoding.features, feature.name, &FeatureColumn::name);
      if (found == b.encoding.features.end())
        throw InvalidArgument(fmt::format("{} have the column '{}', which {} do not have", of_a, shown(feature.name), of_b));
      if (found->categorical != feature.categorical)
        throw InvalidArgument(
            fmt::format("column '{}' holds texts in one of the statistics and numbers in the other", shown(feature.name)));
    }
  };
  require_all(left, right, "the statistics", "those to add");
  require_all(right, left, "the statistics to add", "the others");
  FeatureEncoding united = left.encoding;
  for (FeatureColumn& feature : united.features) {
    std::set<std::string> levels(feature.levels.begin(), feature.levels.end());
    const auto& others = std::ranges::find(right.encoding.features, feature.name, &FeatureColumn::name)->levels;
    levels.insert(others.begin(), others.end());
    if (levels.size() > feature.levels.size()) feature.levels = io::in_order({levels.begin(), levels.end()});
  }
  for (State* state : {&left, &right}) state->rearrange(between(state->encoding, united), united);
}

// Gives the columns the order of ours, if they are the same: a table may be written in parts whose columns come in another order.
void take_order(const State& ours, State& theirs) {
  FeatureEncoding moved = theirs.encoding;
  moved.features.clear();
  for (const FeatureColumn& feature : ours.encoding.features) {
    const auto same = std::ranges::find(theirs.encoding.features, feature.name, &FeatureColumn::name);
    if (same == theirs.encoding.features.end()) return;
    moved.features.push_back(*same);
  }
  if (moved.features.empty() || moved.features.size() != theirs.encoding.features.size()) return;
  if (std::ranges::equal(moved.features, theirs.encoding.features, {}, &FeatureColumn::name, &FeatureColumn::name)) return;
  const Rearrangement columns = between(theirs.encoding, moved);
  theirs.rearrange(columns, std::move(moved));
}

}  // namespace

void LinearStatistics::update(const Table& table, const std::string& target, const std::string& weights) {
  const blas::ThreadScope threads(blas::ThreadScope::OursAlone{});
  std::vector<std::string> exclude = {target};
  const Vector y = numbers_of(table, target, "target", state_->num_rows);
  Vector k;
  if (!weights.empty()) exclude.push_back(weights), k = numbers_of(table, weights, "column of weights", state_->num_rows);
  for (Index i = 0; i < k.size(); ++i)
    if (!(k[i] >= 0) || !std::isfinite(k[i]))
      throw io::wrong_cell(cell_of(table, i, state_->num_rows, weights), fmt::format("{}", k[i]),
                           fmt::format("{} is no weight; weights must be finite and 0 or more", k[i]));
  State next = *state_;  // if a row is refused, the statistics stay as they were
  if (next.num_rows > 0 && next.encoding.features.empty())
    throw InvalidArgument("earlier rows have columns without names; a table has names");
  if (next.encoding.dummies != Dummies::every_level && next.encoding.has_text())
    throw InvalidArgument(
        "the text columns of the statistics have their references already, so no table can be added: make statistics of it, and merge "
        "them");
  if (next.encoding.features.empty()) next.encoding = features_of(table, exclude), next.target = target;
  if (next.target != target && !next.target.empty())  // empty: earlier rows had a target without a name
    throw InvalidArgument(fmt::format("the target is '{}'; that of earlier rows is '{}'", shown(target), shown(next.target)));
  const std::vector<Source> sources = sources_of(table, next.encoding, exclude, next.num_rows);
  for (Index first = 0; first < table.num_rows;) {  // a block sees the levels of its own rows and of earlier ones
    const Index count = std::min(rows_of_a_block - next.num_waiting(), table.num_rows - first);
    FeatureEncoding wider = with_levels(next.encoding, table, sources, first, count);
    if (wider.num_columns() != next.encoding.num_columns() || next.num_rows == 0) {
      const Rearrangement columns = between(next.encoding, wider);
      next.num_columns = next.encoding.num_columns();
      next.rearrange(columns, std::move(wider));
    } else {
      next.encoding = std::move(wider);
    }
    const RowMajor X = encoded_rows(table, next.encoding, sources, first, count, next.num_rows);
    const Vector some_y = y.segment(first, count), some_k = k.size() > 0 ? Vector(k.segment(first, count)) : k;
    next.add({MatrixView(X.data(), count, X.cols(), Layout::row_major), VectorView(some_y), VectorView(some_k)});
    first += count;
  }
  *state_ = std::move(next);
}

void LinearStatistics::merge(const LinearStatistics& right) {
  if (state_->form != right.state_->form)
    throw InvalidArgument(fmt::format("the statistics have the form {}; those to add have the form {}", to_string(state_->form),
                                      to_string(right.state_->form)));
  if (right.num_rows() == 0) return;
  if (num_rows() == 0 && state_->encoding.features.empty()) {
    *this = right;
    return;
  }
  State next = *state_, other = *right.state_;
  take_order(next, other);
  unite_levels(next, other);
  next.merge(other);
  *state_ = std::move(next);
}

LinearStatistics LinearStatistics::with_references(const std::vector<std::string>& references) const {
  LinearStatistics out = *this;
  State& state = *out.state_;
  if (state.encoding.dummies != Dummies::every_level) {
    if (!references.empty()) throw refused("reference", "cannot be given with these statistics, whose text columns have theirs already");
    return out;
  }
  FeatureEncoding encoding = state.encoding;
  const std::optional<Moments> total = state.total();
  std::vector<std::vector<double>> rows_of;  // for each feature, those of its levels
  Index column = 0;
  for (FeatureColumn& feature : encoding.features) {
    std::vector<double>& rows = rows_of.emplace_back();
    if (!feature.categorical) ++column;
    for (std::size_t level = 0; level < feature.levels.size(); ++level)
      rows.push_back(feature.levels.size() < 2 ? total->weight : total->mean[column++] * total->weight);
    if (feature.categorical) io::choose_reference(rows, feature);
  }
  const auto rows_of_level = [&](const FeatureColumn& feature, const std::string& level) {
    const auto at = static_cast<std::size_t>(&feature - encoding.features.data());
    return rows_of[at][static_cast<std::size_t>(std::ranges::find(feature.levels, level) - feature.levels.begin())];
  };
  for (const std::string& text : references) io::set_reference(text, rows_of_level, encoding);
  encoding.dummies = Dummies::all_but_reference;
  if (encoding.num_columns() == 0) throw InvalidArgument("the table has no feature column that varies: each holds one text in every row");
  state.rearrange(between(state.encoding, encoding), encoding);
  return out;
}

LinearStatistics LinearStatistics::with_columns(const std::vector<std::string>& names) const {
  LinearStatistics out = *this;
  State& state = *out.state_;
  FeatureEncoding every = state.encoding;
  Rearrangement columns;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(state.columns, name);
    const bool is_known = found != state.columns.end() || std::ranges::any_of(every.features, [&](const FeatureColumn& feature) {
                            return feature.categorical && name.starts_with(feature.name + "=");
                          });
    if (!is_known) throw InvalidArgument(fmt::format("the statistics have no column '{}'", shown(name)));
    const auto is_only_level = [&](const FeatureColumn& f) { return f.levels.size() == 1 && name == f.name + "=" + f.levels.front(); };
    columns.from.push_back(found == state.columns.end() ? -1 : found - state.columns.begin());
    columns.fill.push_back(std::ranges::any_of(every.features, is_only_level) ? 1 : 0);
  }
  state.rearrange(columns, FeatureEncoding::of_numbers(names));
  return out;
}

LinearStatistics LinearStatistics::with_columns_of(const LinearStatistics& other) const {
  return state_->encoding.dummies == Dummies::every_level ? with_columns(other.column_names()) : *this;
}

}  // namespace ardvark
