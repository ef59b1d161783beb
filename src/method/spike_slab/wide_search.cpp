#include "method/spike_slab/wide_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/products.hpp"
#include "core/pulse.hpp"
#include "method/spike_slab/starts.hpp"

namespace ardvark::internal {
namespace {

constexpr double least_to_explain = 0.1;       // a column with more shares its effect with its neighbours
constexpr double least_neighbour = 0.5;        // correlation, as in (SP.13)
constexpr std::size_t most_neighbours = 9;     // with the column itself, a block
constexpr std::size_t most_alternatives = 30;  // for a credible set
constexpr double log_alternative = 6;          // of a set: relative to the column itself, nats
constexpr double unsure_share = 0.3;           // of the mean shrinkage: columns of which that much would make them active are read
constexpr std::size_t most_to_read = 200, read_at_once = 64;
constexpr double most_remembered = 8e6;  // squares of entries of z, 32 MB
constexpr int patient_passes = 12;       // after these, the limit is twice as high in each pass: the set has to come to an end
constexpr Index most_active = 4000;
constexpr std::size_t most_explained_at_once = 8, most_explained = 300;

// z_j'Dz_j over |x~_j|^2 of a column that lies along all directions.
double mean_shrinkage(const WideTable& table, const SpikeSlab& q) {
  return table.is_decomposed() ? q.D().dot(table.l()) / table.l().sum() : 1.0;
}

void raise(std::map<Index, double>& wanted, Index j, double size) {
  double& now = wanted.try_emplace(j, 0.0).first->second;
  now = std::max(now, size);
}

// The columns of the first entries, ascending.
std::vector<Index> first_of(std::vector<std::pair<double, Index>> order, Index most) {
  const auto count = std::min(order.size(), static_cast<std::size_t>(std::max<Index>(most, 0)));
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end());
  std::vector<Index> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(order[i].second);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

bool are_steady(const ColumnsBeside* counted, const ColumnsBeside& found, const SpikeSlab& q) {
  constexpr double steady = 0.01;
  const double before = counted != nullptr ? counted->sums(q.hyper()).included : 0;
  return std::abs(found.sums(q.hyper()).included - before) <= steady * std::max(q.sum_of_inclusion(), 0.1);
}

// Of a column that becomes active. Once many are, only columns whose odds the data raise by about four follow: where many columns have an
// effect, thousands of others are above the first limit, and nothing depends on them.                                           (SP.26)
double WideSearch::least_inclusion_of(const SpikeSlabHyper& hyper) const {
  constexpr std::size_t many = 500;
  constexpr double first_limit = 1e-3, raised = 4;
  const double least = first_limit * std::exp2(std::max(0, passes_ - patient_passes));
  return active_.size() < many ? least : std::max(least, raised * hyper.pi);
}

bool WideSearch::is_full() const { return static_cast<Index>(active_.size()) >= most_active; }

void WideSearch::activate(const std::vector<Index>& more) {
  for (const Index j : more) {
    active_.push_back(j);
    is_active_[static_cast<std::size_t>(j)] = true;
  }
}

void WideSearch::forget(std::size_t count) {
  for (; count > 0; --count) {
    is_active_[static_cast<std::size_t>(active_.back())] = false;
    active_.pop_back();
  }
}

void WideSearch::begin(WideTable& table, Index first) {
  const Matrix product = table.project_in_single(table.target());
  double largest = 0;
  Ordered order;
  for (Index j = 0; j < table.size(); ++j) {
    const double size = std::abs(table.at(product, j, 0));
    largest = std::max(largest, size);
    if (table.squares()[j] > 0) order.emplace_back(-size / std::sqrt(table.squares()[j]), j);
  }
  activate(first_of(std::move(order), first));
  table.activate(active_);
  heed_lasso(table, largest);
}

// For each penalty of the starts: columns that its weights leave with a larger product than the penalty.                         (SP.8)
void WideSearch::heed_lasso(WideTable& table, double largest) {
  constexpr Index most = 40;  // for each penalty and round
  const auto count = static_cast<Index>(start_penalties.size());
  for (int round = 0; round < 2; ++round) {
    const auto rows = table.rows();
    const Matrix weights = lasso_path(*rows, start_penalties);
    const Matrix left = rows->y.replicate(1, count) - products::times(rows->Z(), weights);
    const Matrix product = table.project_in_single(table.residuals(weights, left));
    std::set<Index> more;
    for (Index i = 0; i < count; ++i) {
      const double penalty = largest * penalty_at(start_penalties[static_cast<std::size_t>(i)]);
      Ordered order;
      for (Index j = 0; j < table.size(); ++j)
        if (const double size = std::abs(table.at(product, j, i)); size > 1.001 * penalty && !is_active(j)) order.emplace_back(-size, j);
      for (const Index j : first_of(std::move(order), most)) more.insert(j);
    }
    if (more.empty()) return;
    const std::vector<Index> list(more.begin(), more.end());
    activate(list);
    table.activate(list);
  }
}

// The most wanted.
std::vector<Index> WideSearch::chosen(const Wanted& wanted) const {
  const auto active = static_cast<Index>(active_.size());
  Ordered order;
  for (const auto& [j, size] : wanted)
    if (!is_active(j)) order.emplace_back(-size, j);
  return first_of(std::move(order), std::min(std::max<Index>(200, active / 2), most_active - active));
}

WideSearch::Found WideSearch::pass(const WideTable& table, const std::vector<WideState>& states, bool may_add) {
  Found out;
  if (states.empty()) return out;
  pulse("columns");
  ++passes_;
  const auto count = static_cast<Index>(states.size());
  const Explained explained = next_to_explain(table, states);
  Matrix all(table.target().size(), count + explained.plain.cols() + explained.shrunk.cols());
  all.leftCols(count) = residuals(table, states);
  all.middleCols(count, explained.plain.cols()) = explained.plain;
  all.rightCols(explained.shrunk.cols()) = explained.shrunk;
  products_ = table.project_in_single(all);
  Wanted wanted;
  for (Index i = 0; i < count; ++i) out.beside.push_back(look(table, *states[static_cast<std::size_t>(i)].q, i, wanted));
  add_neighbours(table, *states[static_cast<std::size_t>(explained.best)].q, explained, wanted);
  if (may_add) out.columns = chosen(wanted);
  activate(out.columns);
  for (Index i = 0; i < count; ++i) {
    const double shrinkage = mean_shrinkage(table, *states[static_cast<std::size_t>(i)].q);
    for (const Index j : out.columns)
      if (table.squares()[j] > 0) out.beside[static_cast<std::size_t>(i)]->remove(product(table, j, i), table.squares()[j] * shrinkage);
  }
  for (const auto& [j, size] : wanted)
    if (!is_active(j) || std::ranges::binary_search(out.columns, j)) out.largest_left = std::max(out.largest_left, size);
  return out;
}

void WideSearch::measure(const WideTable& table, const std::vector<WideState>& states) {
  square_of_z_ = {};  // there are no further passes
  if (!states.empty()) products_ = table.project(residuals(table, states));
}

Matrix WideSearch::residuals(const WideTable& table, const std::vector<WideState>& states) const {
  const auto count = static_cast<Index>(states.size());
  Matrix mean(static_cast<Index>(active_.size()), count), Dr(states.front().q->rows().rank(), count);
  for (Index i = 0; i < count; ++i) {
    mean.col(i) = states[static_cast<std::size_t>(i)].q->mean();
    Dr.col(i) = states[static_cast<std::size_t>(i)].q->Dr();
  }
  return table.residuals(mean, Dr);
}

WideSearch::OfOthers WideSearch::of_others(const WideTable& table, Index state, const SpikeSlab& q) const {
  const double shrinkage = mean_shrinkage(table, q);
  const Inclusion found(q.hyper());
  OfOthers out{Vector::Zero(table.size()), Vector::Zero(table.size()), Vector::Zero(table.size())};
  for (Index j = 0; j < table.size(); ++j) {
    if (is_active(j)) continue;
    const double c = product(table, j, state), d = table.squares()[j] * shrinkage;
    out.inclusion[j] = found.of(c, d);
    out.variance[j] = found.variance(c, d);
    out.seen[j] = out.variance[j] * d;
  }
  return out;
}

// The inclusions of the columns that are not active, given the residual of a start.                                             (SP.26)
std::shared_ptr<ColumnsBeside> WideSearch::look(const WideTable& table, const SpikeSlab& q, Index state, Wanted& wanted) {
  const SpikeSlabHyper& hyper = q.hyper();
  auto out = std::make_shared<ColumnsBeside>(hyper);
  const bool is_exact = !table.is_decomposed() && table.knows_squares();
  const double shrinkage = mean_shrinkage(table, q), least = least_inclusion_of(hyper);
  const Inclusion inclusion(hyper);
  Ordered unsure;
  for (Index j = 0; j < table.size(); ++j) {
    if (is_active(j) || !(table.squares()[j] > 0)) continue;
    const double c = product(table, j, state), d = table.squares()[j] * shrinkage;
    out->add(c, d);
    const double at = is_exact ? d : unsure_share * d;
    if (!inclusion.has_effects() || !inclusion.may_exceed(least, c, at)) continue;
    const double probable = inclusion.of(c, at);
    if (!(probable > least)) continue;
    if (is_exact)
      raise(wanted, j, probable);
    else
      unsure.emplace_back(-probable, j);
  }
  std::sort(unsure.begin(), unsure.end());
  if (unsure.size() > most_to_read) unsure.resize(most_to_read);
  read(table, q, state, unsure, wanted);
  return out;
}

// z_ij^2 of these columns, from a store: other starts and later passes ask for the same columns.
void WideSearch::remember(const WideTable& table, const Ordered& unsure) {
  std::vector<Index> list;
  for (const auto& [most, j] : unsure)
    if (!square_of_z_.contains(j)) list.push_back(j);
  if (list.empty()) return;
  if (static_cast<double>(square_of_z_.size()) * static_cast<double>(table.target().size()) > most_remembered) square_of_z_.clear();
  Matrix Z = table.columns(list);
  if (table.is_decomposed()) Z = products::transposed_times(table.U(), Z);
  for (std::size_t i = 0; i < list.size(); ++i) square_of_z_.emplace(list[i], Z.col(static_cast<Index>(i)).cwiseAbs2().cast<float>());
}

// With their own z_j'Dz_j.
void WideSearch::read(const WideTable& table, const SpikeSlab& q, Index state, const Ordered& unsure, Wanted& wanted) {
  for (std::size_t first = 0; first < unsure.size(); first += read_at_once) {
    const Ordered some(unsure.begin() + static_cast<std::ptrdiff_t>(first),
                       unsure.begin() + static_cast<std::ptrdiff_t>(std::min(unsure.size(), first + read_at_once)));
    remember(table, some);
    const Inclusion inclusion(q.hyper());
    const Eigen::VectorXf D = q.D().cast<float>();
    for (const auto& [most, j] : some) {
      const Eigen::VectorXf& square = square_of_z_.at(j);
      const auto d = static_cast<double>(table.is_decomposed() ? D.dot(square) : square.sum());
      if (const double probable = inclusion.of(product(table, j, state), d); probable > least_inclusion_of(q.hyper()))
        raise(wanted, j, probable);
    }
  }
}

WideSearch::Explained WideSearch::next_to_explain(const WideTable& table, const std::vector<WideState>& states) {
  Explained out;
  for (std::size_t i = 0; i < states.size(); ++i)
    if (states[i].bound > states[static_cast<std::size_t>(out.best)].bound) out.best = static_cast<Index>(i);
  std::vector<Index> list;
  for (std::size_t a = 0; a < active_.size(); ++a) {
    const bool is_likely =
        std::ranges::any_of(states, [&](const WideState& one) { return one.q->inclusion()[static_cast<Index>(a)] > least_to_explain; });
    if (!is_likely || explained_.size() >= most_explained || out.at.size() >= most_explained_at_once) continue;
    if (!explained_.insert(active_[a]).second) continue;
    out.at.push_back(static_cast<Index>(a));
    list.push_back(active_[a]);
  }
  out.plain = table.columns(list);
  out.shrunk.resize(out.plain.rows(), 0);
  if (table.is_decomposed() && !list.empty()) {
    const Vector& D = states[static_cast<std::size_t>(out.best)].q->D();
    out.shrunk = products::times(table.U(), D.asDiagonal() * products::transposed_times(table.U(), out.plain));
  }
  return out;
}

// Columns that may share the block of a column with a probable effect, or its credible set.                        (SP.13), (SP.9)
void WideSearch::add_neighbours(const WideTable& table, const SpikeSlab& q, const Explained& explained, Wanted& wanted) const {
  const auto count = static_cast<Index>(explained.at.size());
  const Index plain = products_.cols() - explained.plain.cols() - explained.shrunk.cols();
  const Index shrunk = explained.shrunk.cols() > 0 ? plain + count : plain;
  const double shrinkage = mean_shrinkage(table, q);
  const Inclusion inclusion_now(q.hyper());
  for (Index i = 0; i < count; ++i) {
    const Index a = explained.at[static_cast<std::size_t>(i)], own = active_[static_cast<std::size_t>(a)];
    const double length = explained.plain.col(i).norm(), mean = q.mean()[a];
    const auto score = [&](Index j, double least = -std::numeric_limits<double>::infinity()) {  // below `least` roughly
      const double c = product(table, j, explained.best) + mean * table.at(products_, j, shrunk + i);
      return inclusion_now.from_data(c, table.squares()[j] * shrinkage, least);
    };
    const bool has_alternatives = q.hyper().kappa > 0 && q.inclusion()[a] > least_to_explain;
    const double least = score(own) - log_alternative;
    Ordered close, instead;
    for (Index j = 0; j < table.size(); ++j) {
      if (j == own) continue;
      const double correlation = std::abs(table.at(products_, j, plain + i)) / (length * std::sqrt(table.squares()[j]));
      if (table.squares()[j] > 0 && correlation > least_neighbour) close.emplace_back(-correlation, j);
      if (!has_alternatives || is_active(j)) continue;
      if (const double alike = score(j, least); alike > least) instead.emplace_back(-alike, j);
    }
    take_first(close, most_neighbours, wanted);
    take_first(instead, most_alternatives, wanted);
  }
}

void WideSearch::take_first(Ordered& order, std::size_t most, Wanted& wanted) const {
  constexpr double first = 2;  // before columns with an inclusion of their own
  std::sort(order.begin(), order.end());
  if (order.size() > most) order.resize(most);
  for (const auto& [alike, j] : order)
    if (!is_active(j)) raise(wanted, j, first);
}

}  // namespace ardvark::internal
