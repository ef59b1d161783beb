#include "prior/active_set.hpp"

#include <numeric>
#include <utility>

namespace ardvark::internal {

ActiveSet::ActiveSet(PrecisionPrior& prior)
    : prior_(prior),
      all_(prior),
      columns_(static_cast<std::size_t>(all().num_columns())),
      groups_(static_cast<std::size_t>(all().num_groups())),
      is_active_(columns_.size(), true),
      pruned_(groups_.size(), false),
      num_returns_(groups_.size(), 0) {
  std::iota(columns_.begin(), columns_.end(), Index{0});
  std::iota(groups_.begin(), groups_.end(), Index{0});
}

void ActiveSet::prune(double threshold, int sweep) {
  std::vector<Index> leaving;
  for (Index i = 0; i < prior_.expected().size(); ++i)
    if (!(prior_.expected()[i] < threshold)) leaving.push_back(i);
  leave(leaving, sweep);
}

void ActiveSet::prune_runaways(const Posterior& q, double tau, const Vector& expected, int sweep) {
  std::vector<Index> leaving;
  for (Index i = 0; i < expected.size(); ++i)
    if (prior_.runs_to_infinity(q, tau, expected[i], i)) leaving.push_back(i);
  leave(leaving, sweep);
}

void ActiveSet::leave(const std::vector<Index>& groups, int sweep) {
  if (groups.empty()) return;
  std::vector<bool> leaves(groups_.size(), false);
  for (const Index i : groups) {
    leaves[static_cast<std::size_t>(i)] = true;
    pruned_[static_cast<std::size_t>(groups_[static_cast<std::size_t>(i)])] = true;
  }
  const auto& group = prior_.partition().group;
  for (std::size_t j = 0; j < group.size(); ++j)
    if (group[j] >= 0 && leaves[static_cast<std::size_t>(group[j])]) event(sweep).pruned.push_back(columns_[j]);
  will_change_ = true;
}

bool ActiveSet::may_return(Index column, int most_returns) const {
  const Index g = all().group[static_cast<std::size_t>(column)];
  return !is_active_[static_cast<std::size_t>(column)] && g >= 0 && all().group_size[static_cast<std::size_t>(g)] == 1 &&
         num_returns_[static_cast<std::size_t>(g)] < most_returns;
}

void ActiveSet::readmit(Index column, double precision, int sweep) {
  const Index g = all().group[static_cast<std::size_t>(column)];
  remember_precisions();
  Vector next = all_.expected();
  next[g] = precision;
  all_.set_expected(next);
  pruned_[static_cast<std::size_t>(g)] = false;
  ++num_returns_[static_cast<std::size_t>(g)];
  event(sweep).readmitted.push_back(column);
  will_change_ = true;
}

bool ActiveSet::apply(Vector& w) {
  if (!will_change_) return true;
  remember_precisions();
  Vector all_w = Vector::Zero(all().num_columns());
  for (std::size_t j = 0; j < columns_.size(); ++j) all_w[columns_[j]] = w[static_cast<Index>(j)];
  std::vector<Index> columns;
  for (Index j = 0; j < all_w.size(); ++j) {
    const Index g = all().group[static_cast<std::size_t>(j)];
    if (g >= 0 ? !pruned_[static_cast<std::size_t>(g)] : g != Partition::left_out) columns.push_back(j);
  }
  if (columns.empty()) return false;
  columns_ = std::move(columns);
  is_active_.assign(is_active_.size(), false);
  for (const Index j : columns_) is_active_[static_cast<std::size_t>(j)] = true;
  prior_ = all_.restricted_to(columns_, groups_);
  w = Vector(all_w(columns_));
  will_change_ = false;
  return true;
}

void ActiveSet::keep_history(int every, int max_sweeps) {
  record_every_ = every;
  if (every > 0) history_ = expected().replicate(1, 1 + max_sweeps / every);
}

void ActiveSet::record(int sweep) {
  if (record_every_ > 0 && sweep % record_every_ == 0) history_.col(sweep / record_every_) = expected();
}

Matrix ActiveSet::history(int sweeps, bool as_at_the_end) {
  if (record_every_ > 0 && as_at_the_end) history_.rightCols(history_.cols() - 1 - sweeps / record_every_).colwise() = expected();
  return history_;
}

Vector ActiveSet::expected() {
  remember_precisions();
  return all_.expected();
}

PruningEvent& ActiveSet::event(int sweep) {
  if (events_.empty() || events_.back().sweep != sweep) events_.push_back({sweep, {}, {}});
  return events_.back();
}

void ActiveSet::remember_precisions() {
  Vector next = all_.expected();
  for (std::size_t i = 0; i < groups_.size(); ++i) next[groups_[i]] = prior_.expected()[static_cast<Index>(i)];
  all_.set_expected(next);
}

}  // namespace ardvark::internal
