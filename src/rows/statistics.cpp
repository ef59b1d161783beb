// LinearStatistics: rows are cut into blocks, and blocks are added in a tree.                 docs/math/statistics.md (ST.1), (ST.2),
// (ST.4)
#include "ardvark/statistics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "core/refusals.hpp"
#include "core/validate.hpp"
#include "rows/statistics_state.hpp"

namespace ardvark {

using namespace internal;

namespace {

using State = LinearStatistics::State;

constexpr double most = 1e150;  // its square is finite, and so is the sum of many

// Names the first number that is not finite, or the column whose squares are not.
[[noreturn]] void refuse(const State& state, const RowBlock& rows, Index rows_before) {
  const Index p = rows.X.cols();
  const auto value = [&](Index i, Index j) { return j == p ? rows.y[i] : rows.X(i, j); };
  const auto fail = [&](Index i, Index j, const char* joint, const std::string& why, const std::string& remedy) {
    const std::string column = j == p ? state.target : validate::column_name(state.columns, j);
    const std::string name = j < p ? "column" : "the target";
    const double x = value(i, j);
    throw InvalidArgument(
        {.value = std::isnan(x) ? "NaN" : fmt::format("{}", x), .row = rows_before + i + 1, .column = column, .why = why, .remedy = remedy},
        fmt::format(" has the value {} in {}{}{}{}:", x, name, column.empty() ? "" : fmt::format(" '{}'", column), joint, why));
  };
  for (Index i = 0; i < rows.X.rows(); ++i)
    for (Index j = 0; j <= p; ++j)
      if (!std::isfinite(value(i, j))) fail(i, j, "; ", "every value must be finite", "leave out the row, or fill the gap");
  for (Index j = 0; j <= p; ++j)
    for (Index i = 0; i < rows.X.rows(); ++i)
      if (std::abs(value(i, j)) > most) fail(i, j, ", which ", "is too large to be squared", "rescale the column");
  throw InvalidArgument(fmt::format("the values of rows {} to {} are too large to be squared: rescale the columns", rows_before + 1,
                                    rows_before + rows.X.rows()));
}

bool can_be_squared(const RowBlock& rows) {
  for (Index i = 0; i < rows.X.rows(); ++i)
    for (Index j = 0; j < rows.X.cols(); ++j)
      if (!(std::abs(rows.X(i, j)) <= most)) return false;
  return (rows.y.eigen().array().abs() <= most).all();
}

void append_checked(State& state, const RowBlock& rows, Index rows_before) {
  if (!can_be_squared(rows)) refuse(state, rows, rows_before);
  state.append(rows);
}

void add_rows(State& state, const RowBlock& rows) {
  const auto push = [&](Moments block, const RowBlock& its_rows, Index before) {
    if (!is_finite(block)) refuse(state, its_rows, before);
    state.tree.push(std::move(block));
  };
  const auto of = [&](const RowBlock& block) { return moments_of(block, state.form); };
  const auto append = [&](const RowBlock& some, Index before) { append_checked(state, some, before); };
  cut_into_blocks(state, rows, state.num_rows, append, of, push);
}

void check_columns(const State& state, Index num_columns) {
  if (state.num_columns != 0 && state.num_columns != num_columns)
    throw refused("X", fmt::format("has {} columns; the statistics have {}", num_columns, state.num_columns));
  if (!state.columns.empty() && static_cast<Index>(state.columns.size()) != num_columns)
    throw refused("X", fmt::format("has {} columns; the statistics have names for {}", num_columns, state.columns.size()));
}

// The same text column may have other levels in another part of a table.
void check_levels(const FeatureEncoding& ours, const FeatureEncoding& theirs) {
  for (const FeatureColumn& f : ours.features)
    for (const FeatureColumn& g : theirs.features)
      if (f.name == g.name && (f.levels != g.levels || f.reference != g.reference))
        throw InvalidArgument({.column = f.name, .remedy = "make all statistics with the same levels"},
                              fmt::format("the text column '{}' has the levels {} in the statistics and {} in those to add:", f.name,
                                          fmt::join(f.levels, ", "), fmt::join(g.levels, ", ")));
}

void check_names(const State& ours, const State& theirs) {
  const auto differ = [](const std::string& what, const std::string& a, const std::string& b) {
    if (a != b) throw InvalidArgument(fmt::format("{} is '{}' in the statistics and '{}' in those to add", what, a, b));
  };
  check_levels(ours.encoding, theirs.encoding);
  for (Index j = 0; j < theirs.num_columns; ++j)
    differ(fmt::format("column {}", j + 1), validate::column_name(ours.columns, j), validate::column_name(theirs.columns, j));
  differ("the target", ours.target, theirs.target);
}

}  // namespace

const char* to_string(StatisticsForm form) { return form == StatisticsForm::gram ? "gram" : "factor"; }

StatisticsForm statistics_form(const std::string& name) {
  for (const StatisticsForm form : {StatisticsForm::gram, StatisticsForm::factor})
    if (name == to_string(form)) return form;
  throw wrong("form", name, "it must be gram or factor");
}

void State::add(const RowBlock& rows) {
  const Index given = rows.X.rows();
  const bool fill_no_block = num_waiting() + given < rows_of_a_block;
  if (fill_no_block) append_checked(*this, rows, num_rows);  // a row that is refused has changed nothing
  num_columns = rows.X.cols();
  if (!fill_no_block) add_rows(*this, rows);
  num_rows += given;
  num_weighted += rows.weights.empty() ? given : (rows.weights.eigen().array() > 0).count();
}

void State::rearrange(const Rearrangement& to, FeatureEncoding to_encoding) {
  if (closed) closed->rearrange(to);
  tree.for_each([&](Moments& sum) { sum.rearrange(to); });
  std::vector<double> moved;
  for (Index i = 0; i < num_waiting(); ++i)
    for (std::size_t j = 0; j < to.from.size(); ++j)
      moved.push_back(to.from[j] >= 0 ? X[static_cast<std::size_t>(i * num_columns + to.from[j])] : to.fill[j]);
  X = std::move(moved);
  num_columns = static_cast<Index>(to.from.size());
  encoding = std::move(to_encoding);
  columns = encoding.names();
}

std::optional<Moments> State::total() const {
  std::optional<Moments> out = closed;
  tree.add_to(out);
  if (num_waiting() == 0) return out;
  Moments rest = moments_of(waiting(), form);
  out ? out->merge(rest) : void(out = std::move(rest));
  return out;
}

void LinearStatistics::State::merge(const State& right) {
  check_columns(*this, right.num_columns);
  check_names(*this, right);
  if (const auto& theirs = right.encoding.features; encoding.features.size() == theirs.size())
    for (std::size_t f = 0; f < theirs.size(); ++f) encoding.features[f].reference_rows += theirs[f].reference_rows;
  const std::optional<Moments> added = right.total();
  closed = total();
  tree = {};
  clear();
  if (added) closed ? closed->merge(*added) : void(closed = added);
  num_columns = right.num_columns;
  num_rows += right.num_rows;
  num_weighted += right.num_weighted;
}

LinearStatistics::LinearStatistics(StatisticsForm form) : state_(std::make_unique<State>()) { state_->form = form; }
LinearStatistics::LinearStatistics(State&& state) : state_(std::make_unique<State>(std::move(state))) {}
LinearStatistics::LinearStatistics(const LinearStatistics& other) : state_(std::make_unique<State>(*other.state_)) {}
LinearStatistics::LinearStatistics(LinearStatistics&& other) noexcept = default;
LinearStatistics& LinearStatistics::operator=(LinearStatistics other) noexcept {
  state_ = std::move(other.state_);
  return *this;
}
LinearStatistics::~LinearStatistics() = default;

void LinearStatistics::update(MatrixView X, VectorView y, VectorView weights) {
  validate::shape(X, "X");
  check_columns(*state_, X.cols());
  if (y.size() != X.rows()) throw refused("y", fmt::format("has {} values; it must have one for each row of X: {}", y.size(), X.rows()));
  const bool all_are_zero = weights.size() == X.rows() && (weights.eigen().array() == 0).all();  // allowed in a piece of a table
  if (!all_are_zero) validate::weights(weights, X.rows(), state_->num_rows);
  const blas::ThreadScope threads(blas::ThreadScope::OursAlone{});
  if (state_->num_waiting() + X.rows() < rows_of_a_block) {
    state_->add({X, y, weights});
  } else {  // if a number is refused, the statistics stay as they were
    State next = *state_;
    next.add({X, y, weights});
    *state_ = std::move(next);
  }
}

LinearStatistics LinearStatistics::without(const std::vector<std::string>& columns) const {
  FeatureEncoding all = state_->encoding;
  if (all.features.empty()) all = FeatureEncoding::of_numbers(column_names());
  FeatureEncoding left = all;
  std::vector<std::string> names;
  for (const FeatureColumn& f : all.features) names.push_back(f.name);
  for (const std::string& name : columns) {
    if (std::ranges::find(names, name) == names.end())
      throw InvalidArgument(
          fmt::format("the statistics have no column '{}' to leave out; their columns are {}", name, fmt::join(names, ", ")));
    std::erase_if(left.features, [&](const FeatureColumn& f) { return f.name == name; });
  }
  Rearrangement kept;
  const std::vector<Index> feature = all.feature_of_columns();
  for (std::size_t j = 0; j < feature.size(); ++j)
    if (std::ranges::find(columns, all.features[static_cast<std::size_t>(feature[j])].name) == columns.end())
      kept.from.push_back(static_cast<Index>(j));
  if (kept.from.empty()) throw InvalidArgument("no column of the statistics is left: all are left out");
  kept.fill.resize(kept.from.size(), 0);
  LinearStatistics out = *this;
  out.state_->rearrange(kept, std::move(left));
  return out;
}

StatisticsForm LinearStatistics::form() const { return state_->form; }
Index LinearStatistics::num_columns() const { return state_->num_columns; }
Index LinearStatistics::num_rows() const { return state_->num_rows; }
double LinearStatistics::weight() const { return state_->total().value_or(Moments()).weight; }
Vector LinearStatistics::mean() const { return state_->total().value_or(Moments()).mean; }
Matrix LinearStatistics::cross() const { return state_->total().value_or(Moments()).cross(); }

void LinearStatistics::set_encoding(FeatureEncoding encoding, std::string target) {
  std::vector<std::string> names = encoding.names();
  if (state_->num_columns != 0 && static_cast<Index>(names.size()) != state_->num_columns)
    throw InvalidArgument(fmt::format("the encoding makes {} columns; the statistics have {}", names.size(), state_->num_columns));
  state_->encoding = std::move(encoding);
  state_->columns = std::move(names);
  state_->target = std::move(target);
}
const FeatureEncoding& LinearStatistics::encoding() const { return state_->encoding; }
std::vector<std::string> LinearStatistics::column_names() const {
  std::vector<std::string> names = state_->columns;
  for (auto j = static_cast<Index>(names.size()); j < state_->num_columns; ++j) names.push_back(validate::column_name({}, j));
  return names;
}
const std::string& LinearStatistics::target() const { return state_->target; }

}  // namespace ardvark
