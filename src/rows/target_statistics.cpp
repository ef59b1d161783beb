// TargetStatistics: rows are cut into blocks, and blocks are added one after the other.                docs/math/statistics.md (ST.1),
// (ST.7)
#include "ardvark/target_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "core/blas.hpp"
#include "core/numbers.hpp"
#include "core/parallel.hpp"
#include "core/refusals.hpp"
#include "core/validate.hpp"
#include "rows/target_statistics_state.hpp"

namespace ardvark {

using namespace internal;

namespace {

using TargetState = TargetStatistics::State;

constexpr double largest_number = 1e150;                     // its square is finite, and so is the sum of many
constexpr Index rows_of_a_point = 512;                       // from so many, the point near the mean of the first block is computed
constexpr Index rows_together = 64, columns_together = 256;  // stay in the cache between two uses

// to[i,j] <- numbers of rows from .. from + count - 1 and the columns of the view; rows of `to` have `stride` numbers.
template <typename Scalar>
void read(const MatrixView& from, double* to, Index stride) {
  const auto* data = static_cast<const Scalar*>(from.data());
  if (from.layout() == Layout::row_major) {
    for (Index i = 0; i < from.rows(); ++i)
      Eigen::Map<Vector>(to + i * stride, from.cols()) =
          Eigen::Map<const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>>(data + i * from.stride(), from.cols()).template cast<double>();
    return;
  }
  constexpr Index together = 8;
  for (Index i = 0; i < from.rows(); i += together) {
    const Index end = std::min(i + together, from.rows());
    for (Index j = 0; j < from.cols(); ++j)
      for (Index k = i; k < end; ++k) to[k * stride + j] = static_cast<double>(data[j * from.stride() + k]);
  }
}

void read(const MatrixView& from, double* to, Index stride) {
  with_scalar(from.scalar(), [&](auto scalar) { read<decltype(scalar)>(from, to, stride); });
}

// Some columns of the rows that were just read: from numbers to differences, times the roots of the weights, and their sums.
void centre(CentredRows& block, double* rows, Index count, Index first, Index columns, const double* weights) {
  const Index q = block.point.size();
  const auto point = block.point.segment(first, columns).array();
  auto off = block.off.segment(first, columns).array(), squares = block.squares.segment(first, columns).array();
  for (Index i = 0; i < count; ++i) {
    Eigen::Map<Eigen::ArrayXd> x(rows + i * q + first, columns);
    x -= point;
    if (weights == nullptr) {
      off += x;
      squares += x.square();
    } else {
      off += weights[i] * x;
      squares += weights[i] * x.square();
      x *= std::sqrt(weights[i]);
    }
  }
}

bool is_usable(double x) { return std::abs(x) <= largest_number; }

[[noreturn]] void refuse_number(const TargetState& state, Index row, Index column, double x) {
  const std::string name = validate::column_name(state.columns, column);
  const bool is_finite = std::isfinite(x);
  const std::string why = is_finite ? "is too large to be squared" : "every value must be finite";
  throw InvalidArgument({.value = std::isnan(x) ? "NaN" : fmt::format("{}", x),
                         .row = state.num_rows + row + 1,
                         .column = name,
                         .why = why,
                         .remedy = is_finite ? "rescale the column" : "leave out the row, or fill the gap"},
                        fmt::format(" has the value {} in column '{}'{}{}:", x, name, is_finite ? ", which " : "; ", why));
}

void check_numbers(const TargetState& state, const MatrixView& X) {
  for (Index i = 0; i < X.rows() && X.scalar() != ScalarType::int8; i += rows_together) {
    const MatrixView some = X.row_range(i, std::min(rows_together, X.rows() - i));
    const bool are_usable = with_scalar(X.scalar(), [&](auto scalar) {
      const auto* data = static_cast<const decltype(scalar)*>(some.data());
      const bool by_rows = some.layout() == Layout::row_major;
      const Index lines = by_rows ? some.rows() : some.cols(), length = by_rows ? some.cols() : some.rows();
      bool all = true;
      for (Index line = 0; line < lines; ++line)
        for (Index at = 0; at < length; ++at) all &= is_usable(static_cast<double>(data[line * some.stride() + at]));
      return all;
    });
    for (Index row = 0; row < some.rows() && !are_usable; ++row)
      for (Index j = 0; j < X.cols(); ++j)
        if (!is_usable(some(row, j))) refuse_number(state, i + row, j, some(row, j));
  }
}

void check_sizes(const char* what, Index given, Index size, const std::vector<std::string>& names) {
  const std::string has = fmt::format("has {} {}; the statistics have", given, given == 1 ? "column" : "columns");
  if (size != 0 && given != size) throw refused(what, fmt::format("{} {}", has, size));
  if (!names.empty() && std::ssize(names) != given) throw refused(what, fmt::format("{} names for {}", has, names.size()));
}

std::vector<std::string> or_numbered(std::vector<std::string> names, Index count) {
  for (auto j = std::ssize(names); j < count; ++j) names.push_back(validate::column_name({}, j));
  return names;
}

// Where each of our names is among theirs, which may come in another order. Without names on a side, the places are the same.
std::vector<Index> places_of(const char* what, const std::vector<std::string>& ours, const std::vector<std::string>& theirs, Index count) {
  std::vector<Index> places(static_cast<std::size_t>(count));
  std::iota(places.begin(), places.end(), Index{0});
  if (ours.empty() || theirs.empty() || ours == theirs) return places;
  std::unordered_map<std::string_view, Index> place;
  for (const std::string& name : theirs) place.emplace(name, std::ssize(place));
  const bool are_the_same = std::ssize(place) == count && std::ranges::all_of(ours, [&](const auto& name) { return place.contains(name); });
  for (std::size_t j = 0; j < ours.size(); ++j) {
    if (are_the_same)
      places[j] = place.at(ours[j]);
    else if (ours[j] != theirs[j])
      throw InvalidArgument(fmt::format("{} {} is '{}' in the statistics and '{}' in those to add", what, j + 1, ours[j], theirs[j]));
  }
  return places;
}

}  // namespace

// Rows from .. to - 1 are among the first ones: they wait as they are.
void TargetState::take_first(const Piece& piece, Index from, Index to) {
  const Index q = width(), before = std::ssize(first);
  first.resize(static_cast<std::size_t>(before + (to - from) * q));
  read(piece.X.row_range(from, to - from), first.data() + before, q);
  read(piece.Y.row_range(from, to - from), first.data() + before + num_columns, q);
  for (Index i = from; i < to; ++i) first_weights.push_back(piece.weights.empty() ? 1.0 : piece.weights[i]);
}

// The point of the first block is known.
void TargetState::settle() {
  const Index q = width(), n = std::ssize(first_weights);
  block.point = point_near_rows(first, q);
  block.off = block.squares = Vector::Zero(q);
  const std::vector<double> rows = std::move(first), weights = std::move(first_weights);
  first = first_weights = {};
  append({MatrixView(rows.data(), n, num_columns, Layout::row_major, q),
          MatrixView(rows.data() + num_columns, n, num_targets, Layout::row_major, q), VectorView(weights)},
         0, n);
}

void TargetState::append(const Piece& piece, Index from, Index to) {
  const Index q = width(), p = num_columns, before = block.count, count = to - from;
  block.grow(count, rows_of_a_target_block(p, num_targets));
  const Index of_X = (p + columns_together - 1) / columns_together, of_Y = (num_targets + columns_together - 1) / columns_together;
  parallel_for(of_X + of_Y, blas::threads_to_read(count * q), [&](Index t) {
    const MatrixView& all = t < of_X ? piece.X : piece.Y;
    const Index start = (t < of_X ? t : t - of_X) * columns_together, some_columns = std::min(columns_together, all.cols() - start);
    const MatrixView some = all.column_range(start, some_columns);
    const Index at = start + (t < of_X ? 0 : p);
    for (Index i = 0; i < count; i += rows_together) {
      const Index rows = std::min(rows_together, count - i);
      double* const panel = block.rows.data() + (before + i) * q;
      read(some.row_range(from + i, rows), panel + at, q);
      centre(block, panel, rows, at, some_columns, piece.weights.empty() ? nullptr : piece.weights.data() + from + i);
    }
  });
  for (Index i = from; i < to; ++i) block.weight += piece.weights.empty() ? 1.0 : piece.weights[i];
  mark(piece.Y, from, to);
  if (block.count == rows_of_a_target_block(p, num_targets)) flush();
}

// Why the sums of a target are not finite.
void TargetState::mark(const MatrixView& Y, Index from, Index to) {
  for (Index k = 0; k < num_targets; ++k) {
    TargetStatus& one = status[static_cast<std::size_t>(k)];
    if (std::isfinite(block.squares[num_columns + k]) || one == TargetStatus::not_finite) continue;
    one = TargetStatus::out_of_range;
    for (Index i = from; i < to; ++i)
      if (!std::isfinite(Y(i, k))) one = TargetStatus::not_finite;
  }
}

void TargetState::flush() {
  sums.merge(target_moments_of(block, num_columns));
  begin_block();
}

void TargetState::begin_block() {
  block.point = mean();
  block.count = 0;
  block.weight = 0;
  block.off = block.squares = Vector::Zero(width());
  for (Index k = 0; k < num_targets; ++k)  // the squares of all rows, or a weight times one
    if (TargetStatus& one = status[static_cast<std::size_t>(k)]; one == TargetStatus::converged && !std::isfinite(sums.squares.high(k)))
      one = TargetStatus::out_of_range;
}

void TargetState::close() {
  if (!first.empty()) settle();
  if (block.count > 0) flush();
}

ClosedTargets TargetState::closed() const {
  if (first.empty() && block.count == 0) return ClosedTargets(*this);
  auto own = std::make_unique<TargetState>(*this);
  own->close();
  return ClosedTargets(std::move(own));
}

Vector TargetState::mean() const { return sums.mean.high.size() > 0 ? Vector(sums.mean.value().col(0)) : Vector(); }

Vector TargetState::columns_mean() const { return sums.weight > 0 ? Vector(mean().head(num_columns)) : Vector(); }
Vector TargetState::targets_mean() const {
  return sums.weight > 0 ? Vector(of_targets(mean().tail(num_targets).transpose()).row(0)) : Vector();
}
Vector TargetState::targets_squares() const {
  return sums.weight > 0 ? Vector(of_targets(sums.squares.value().transpose()).row(0)) : Vector();
}

Matrix TargetState::of_targets(Matrix numbers) const {
  for (Index k = 0; k < numbers.cols(); ++k)
    if (status[static_cast<std::size_t>(k)] != TargetStatus::converged)
      numbers.col(k).setConstant(std::numeric_limits<double>::quiet_NaN());
  return numbers;
}

void TargetState::add_some(const Piece& piece, Index from, Index to) {
  const Index room = rows_of_a_target_block(num_columns, num_targets), of_first = std::min(room, rows_of_a_point);
  while (from < to) {
    const bool has_point = block.point.size() > 0;
    const Index count = std::min(to - from, has_point ? room - block.count : of_first - std::ssize(first_weights));
    has_point ? append(piece, from, from + count) : take_first(piece, from, from + count);
    if (std::ssize(first_weights) == of_first) settle();
    from += count;
  }
}

void TargetState::add(const Piece& piece) {
  const Index n = piece.X.rows();
  for (Index from = 0, to; from < n; from = to) {  // rows of weight 0 take no part
    const bool is_taken = piece.weights.empty() || piece.weights[from] > 0;
    for (to = from + 1; to < n && (piece.weights.empty() || (piece.weights[to] > 0) == is_taken);) ++to;
    if (!is_taken) continue;
    add_some(piece, from, to);
    num_weighted += to - from;
  }
  num_rows += n;
}

void TargetState::take_order(const std::vector<Index>& of_columns, const std::vector<Index>& of_targets) {
  std::vector<Index> of_both = of_columns;
  for (const Index k : of_targets) of_both.push_back(num_columns + k);
  for (Matrix* part : {&sums.mean.high, &sums.mean.low})
    if (part->size() > 0) *part = Matrix((*part)(of_both, Eigen::all));
  for (Matrix* part : {&sums.cross.high, &sums.cross.low})
    if (part->size() > 0) *part = Matrix(Matrix(part->selfadjointView<Eigen::Lower>())(of_columns, of_columns));
  for (Matrix* part : {&sums.product.high, &sums.product.low})
    if (part->size() > 0) *part = Matrix((*part)(of_columns, of_targets));
  for (Matrix* part : {&sums.squares.high, &sums.squares.low})
    if (part->size() > 0) *part = Matrix((*part)(of_targets, Eigen::all));
  const auto in_order = [](auto& all, const std::vector<Index>& order) {
    if (all.empty()) return;
    auto moved = all;
    for (std::size_t at = 0; at < order.size(); ++at) moved[at] = all[static_cast<std::size_t>(order[at])];
    all = std::move(moved);
  };
  in_order(columns, of_columns);
  in_order(targets, of_targets);
  in_order(status, of_targets);
}

// The sums of `right` are those of its file, so that it does not matter whether it has been in one.
void TargetState::merge(const TargetState& right) {
  close();
  sums.merge(right.sums.rounded());
  for (std::size_t k = 0; k < status.size(); ++k)
    if (status[k] != TargetStatus::not_finite && right.status[k] != TargetStatus::converged) status[k] = right.status[k];
  num_rows += right.num_rows;
  num_weighted += right.num_weighted;
  if (sums.weight > 0) begin_block();
}

TargetStatistics::TargetStatistics() : state_(std::make_unique<TargetState>()) {}
TargetStatistics::TargetStatistics(TargetState&& state) : state_(std::make_unique<TargetState>(std::move(state))) {}
TargetStatistics::TargetStatistics(const TargetStatistics& other) : state_(std::make_unique<TargetState>(*other.state_)) {}
TargetStatistics::TargetStatistics(TargetStatistics&& other) noexcept = default;
TargetStatistics& TargetStatistics::operator=(TargetStatistics other) noexcept {
  state_ = std::move(other.state_);
  return *this;
}
TargetStatistics::~TargetStatistics() = default;

void TargetStatistics::update(MatrixView X, MatrixView Y, VectorView weights) {
  TargetState& state = *state_;
  validate::shape(X, "X");
  if (Y.cols() == 0) throw refused("Y", "has no columns; each column is a target");
  validate::shape(Y, "Y");
  if (Y.rows() != X.rows()) throw refused("Y", fmt::format("has {} rows and X has {}", Y.rows(), X.rows()));
  check_sizes("X", X.cols(), state.num_columns, state.columns);
  check_sizes("Y", Y.cols(), state.num_targets, state.targets);
  const bool all_are_zero = weights.size() == X.rows() && (weights.eigen().array() == 0).all();  // allowed in a piece of a table
  if (!all_are_zero) validate::weights(weights, X.rows(), state.num_rows);
  check_numbers(state, X);
  const blas::ThreadScope threads(blas::ThreadScope::OursAlone{});
  state.num_columns = X.cols();
  state.num_targets = Y.cols();
  state.status.resize(static_cast<std::size_t>(Y.cols()), TargetStatus::converged);
  state.add({X, Y, weights});
}

void TargetStatistics::merge(const TargetStatistics& right) {
  if (&right == this) return merge(TargetStatistics(right));
  if (right.num_rows() == 0) return;
  if (num_rows() == 0 && state_->columns.empty() && state_->targets.empty()) {
    State same = right.state_->closed().get();
    same.sums = same.sums.rounded();
    *state_ = std::move(same);
    return;
  }
  check_sizes("the table to add", right.num_columns(), num_columns(), state_->columns);
  check_sizes("Y of the rows to add", right.num_targets(), num_targets(), state_->targets);
  const State& theirs = *right.state_;
  const auto columns = places_of("column", or_numbered(state_->columns, theirs.num_columns), right.column_names(), theirs.num_columns);
  const auto targets = places_of("target", state_->targets, theirs.targets, theirs.num_targets);
  const blas::ThreadScope threads(blas::ThreadScope::OursAlone{});
  ClosedTargets added = theirs.closed();
  if (!std::ranges::is_sorted(columns) || !std::ranges::is_sorted(targets)) {
    auto moved = std::make_unique<State>(added.get());
    moved->take_order(columns, targets);
    added = ClosedTargets(std::move(moved));
  }
  state_->num_columns = right.num_columns();
  state_->num_targets = right.num_targets();
  state_->status.resize(right.state_->status.size(), TargetStatus::converged);
  state_->merge(added.get());
}

Index TargetStatistics::num_columns() const { return state_->num_columns; }
Index TargetStatistics::num_targets() const { return state_->num_targets; }
Index TargetStatistics::num_rows() const { return state_->num_rows; }

double TargetStatistics::weight() const { return state_->closed().get().sums.weight; }
std::vector<TargetStatus> TargetStatistics::status() const { return state_->closed().get().status; }
Vector TargetStatistics::mean() const {
  const auto closed = state_->closed();
  return closed.get().columns_mean();
}
Vector TargetStatistics::target_mean() const {
  const auto closed = state_->closed();
  return closed.get().targets_mean();
}
Matrix TargetStatistics::cross() const {
  const auto closed = state_->closed();
  return closed.get().sums.cross.value().selfadjointView<Eigen::Lower>();
}
Matrix TargetStatistics::target_cross() const {
  const auto closed = state_->closed();
  return closed.get().of_targets(closed.get().sums.product.value());
}
Vector TargetStatistics::target_squares() const {
  const auto closed = state_->closed();
  return closed.get().targets_squares();
}

void TargetStatistics::set_names(std::vector<std::string> columns, std::vector<std::string> targets) {
  const auto check = [](const char* what, const auto& names, Index count) {
    if (count != 0 && !names.empty() && std::ssize(names) != count)
      throw InvalidArgument(fmt::format("there are {} names of {}; the statistics have {}", names.size(), what, count));
  };
  check("columns", columns, num_columns());
  check("targets", targets, num_targets());
  state_->columns = std::move(columns);
  state_->targets = std::move(targets);
}
std::vector<std::string> TargetStatistics::column_names() const { return or_numbered(state_->columns, num_columns()); }
std::vector<std::string> TargetStatistics::target_names() const { return state_->targets; }

}  // namespace ardvark
