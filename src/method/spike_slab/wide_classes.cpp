// Two classes, counts and Student-t noise under the priors sparse, slab and dense with many more columns than have effects: the starts of
// (SL.12) on the columns that may have one, and passes over all columns that show which.                   docs/math/sparse.md (SL.15)
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "core/blas.hpp"
#include "core/products.hpp"
#include "design/column_panels.hpp"
#include "design/with_row.hpp"
#include "frame/conditioning.hpp"
#include "frame/prepare.hpp"
#include "frame/prior_partition.hpp"
#include "frame/separation.hpp"
#include "method/spike_slab/class_starts.hpp"
#include "method/spike_slab/sparse_classes.hpp"
#include "method/spike_slab/wide_fit.hpp"
#include "table/column_copy.hpp"
#include "table/row_subset.hpp"
#include "target/target.hpp"

namespace ardvark::internal {
namespace {

// Rows without entries in the columns of a sparse table have the same log odds: they are one row.                               (SL.7)
class RowsWithEntries {
 public:
  // Of a table whose rows are not worth a merge, each row is its own.
  RowsWithEntries(const FitTable& X, const Vector& t, const Vector& k, bool may_merge) : t_(t), k_(k), merged_t_(t), merged_k_(k) {
    if (!may_merge || !X.is_sparse()) return;
    const std::vector<bool> are_seen = have_entries(X);
    const auto seen = static_cast<Index>(std::ranges::count(are_seen, true));
    if (2 * seen >= X.rows() || seen < X.cols()) return;
    for (Index i = 0; i < X.rows(); ++i)
      if (are_seen[static_cast<std::size_t>(i)]) rows_.push_back(i);
    rows_.push_back(static_cast<Index>(std::ranges::find(are_seen, false) - are_seen.begin()));  // for all that are not seen
    at_.assign(static_cast<std::size_t>(X.rows()), seen);
    for (Index m = 0; m < seen; ++m) at_[static_cast<std::size_t>(rows_[static_cast<std::size_t>(m)])] = m;
    merged_t_ = t(rows_);
    merged_k_ = k(rows_);
    double sum = 0, of_second = 0;
    for (Index i = 0; i < X.rows(); ++i)
      if (!are_seen[static_cast<std::size_t>(i)]) sum += k[i], of_second += k[i] * t[i];
    merged_k_[seen] = sum;
    merged_t_[seen] = sum > 0 ? of_second / sum : 0;
    subset_ = std::make_unique<RowSubset>(X, rows_);
  }
  [[nodiscard]] const FitTable& table(const FitTable& X) const { return subset_ ? subset_->table() : X; }
  [[nodiscard]] const Vector& t() const { return merged_t_; }
  [[nodiscard]] const Vector& k() const { return merged_k_; }

  /// A row at the end, that of the prior of the intercept, stays.
  [[nodiscard]] LogOdds merged(const LogOdds& of_all) const {
    return each(of_all, [&](const Vector& x) { return taken(x, rows_, t_); });
  }
  [[nodiscard]] LogOdds of_all(const LogOdds& merged) const {
    return each(merged, [&](const Vector& x) { return taken(x, at_, merged_t_); });
  }
  /// The working rows of all rows: weight and target.
  [[nodiscard]] std::pair<Vector, Vector> of_all(const Vector& omega, const Vector& target) const {
    if (!subset_) return {omega, target};
    std::pair<Vector, Vector> out{taken(omega, at_, merged_t_), taken(target, at_, merged_t_)};
    for (std::size_t i = 0; i < at_.size(); ++i) {
      const auto row = static_cast<Index>(i), at = at_[i];
      const double slope = merged_k_[at] > 0 ? omega[at] / merged_k_[at] : 0;
      out.first[row] = k_[row] * slope;
      if (slope > 0) out.second[row] += (t_[row] - merged_t_[at]) / slope;  // z = m + (t - sigma)/slope                      (SL.1)
    }
    return out;
  }

 private:
  // x at these rows, and what follows the rows of `like`.
  static Vector taken(const Vector& x, const std::vector<Index>& rows, const Vector& like) {
    Vector out(static_cast<Index>(rows.size()) + x.size() - like.size());
    out << x(rows), x.tail(x.size() - like.size());
    return out;
  }
  [[nodiscard]] LogOdds each(const LogOdds& odds, auto&& take) const {
    if (!subset_) return odds;
    return {take(odds.m), take(odds.s)};
  }

  const Vector &t_, &k_;
  Vector merged_t_, merged_k_;
  std::vector<Index> rows_;  // [merged] of the table
  std::vector<Index> at_;    // [n] among the merged ones
  std::unique_ptr<RowSubset> subset_;
};

// The active columns and the flat ones, as a table of their own.
class ActiveColumns {
 public:
  /// \param may_merge  there is no dense part, which sees all columns
  ActiveColumns(const Frame& frame, const PenalisedColumns& all, const std::vector<Index>& active, bool may_merge)
      : copy_(frame.X, in_table(frame, all, active, place_)), rows(copy_.table(), frame.target, frame.k, may_merge) {
    const auto at = [&](Index column) { return static_cast<Index>(std::ranges::lower_bound(place_, column) - place_.begin()); };
    const Index count = copy_.table().cols();
    which.begin.resize(active.size() + 1);
    std::iota(which.begin.begin(), which.begin.end(), Index{0});
    for (const Index j : active) which.columns.push_back(at(all.columns[static_cast<std::size_t>(j)]));
    for (const Index j : all.flat) which.flat.push_back(j < frame.X.cols() ? at(j) : count);
    const Standardization& of_all = frame.units.standardization;
    standardization_.intercept = of_all.intercept;
    if (of_all.center.size() > 0) standardization_.center = of_all.center(place_);
    if (of_all.scale.size() > 0) standardization_.scale = of_all.scale(place_);
  }
  [[nodiscard]] std::unique_ptr<Design> design() const { return rows.table(copy_.table()).design(standardization_); }
  [[nodiscard]] std::unique_ptr<Design> design_of_all_rows() const { return copy_.table().design(standardization_); }

 private:
  // Their positions in the whole table, ascending.
  static const std::vector<Index>& in_table(const Frame& frame, const PenalisedColumns& all, const std::vector<Index>& active,
                                            std::vector<Index>& out) {
    for (const Index j : active) out.push_back(all.columns[static_cast<std::size_t>(j)]);
    for (const Index j : all.flat)
      if (j < frame.X.cols()) out.push_back(j);
    std::ranges::sort(out);
    return out;
  }

  std::vector<Index> place_;
  ColumnCopy copy_;
  Standardization standardization_;

 public:
  PenalisedColumns which;  ///< by positions in this table
  RowsWithEntries rows;
};

// All columns, of which some are active.
struct WholeTable {
  Design& X;  // with the row of the intercept's prior
  const PenalisedColumns& all;
  const Matrix* K;  // X X' for a dense part, or null
};

// The rows of the active columns, with the dense part of all.
class ActiveRows {
 public:
  ActiveRows(const ActiveColumns& columns, const std::vector<Index>& active, const WholeTable& whole, const MakeRows& make)
      : rows_(make(columns.design(), columns.rows.t(), columns.rows.k())), columns_(columns), active_(active), whole_(whole) {
    const auto reduction = [this](const Sites& sites, const Vector& target, KeepBasis basis, ReducedRows& out) {
      return reduce(sites, target, basis, out);
    };
    rows_->set_reduction(reduction, whole_.K != nullptr);
  }
  ActiveRows(const ActiveRows&) = delete;
  ActiveRows& operator=(const ActiveRows&) = delete;

  [[nodiscard]] ClassRows& rows() { return *rows_; }
  [[nodiscard]] const Vector& omega() const { return sites_.omega; }  ///< of the last working rows
  /// All columns on the last working rows, for a pass.
  [[nodiscard]] WideTable& table(const Frame& frame, const Vector& row) {
    const auto [omega, target] = columns_.rows.of_all(sites_.omega, target_);
    if (!table_) {
      table_.emplace(whole_.X, whole_.all, omega, target, omega.sum());
      if (!table_->begin()) throw InvalidArgument(dependent_flat_columns);
      table_->name_active(active_);
    }
    table_->look_at_all();
    Vector squares = squares_of(frame, whole_.all, omega.head(frame.X.rows()));
    if (rows_->is_proper()) squares += omega.tail(1)[0] * row(whole_.all.columns).cwiseAbs2();
    table_->set_squares(std::move(squares), true);
    return *table_;
  }

 private:
  [[nodiscard]] bool reduce(const Sites& sites, const Vector& target, KeepBasis basis, ReducedRows& out) {
    sites_ = sites;
    target_ = target;
    const double weight = sites_.omega.sum();
    if (whole_.K == nullptr)
      return reduce_rows(*rows_->design(), columns_.which, sites_.omega, target, weight, basis, out, Rotation::to_triangle,
                         rows_->products());
    table_.reset();
    table_.emplace(whole_.X, whole_.all, sites_.omega, target_, weight);
    if (!table_->begin() || !table_->decompose(*whole_.K)) return false;
    table_->activate(active_);
    out = *table_->rows(basis);
    return true;
  }

  std::unique_ptr<RowsInMemory> rows_;
  const ActiveColumns& columns_;
  const std::vector<Index>& active_;
  WholeTable whole_;
  Sites sites_;
  Vector target_;
  std::optional<WideTable> table_;
};

// x_n = Z'u_n: u'(E[s2 h] l - E[s2 h^2 D] l^2)u + |E[delta]' diag(l) u|^2 + u'D Z B Z'D u, for each row u of U.         (SP.6), (SP.15),
// (SL.15)
Vector variance_of_rows(const MixtureComponent& one, const Matrix& U, const ReducedRows& rows) {
  const DenseSpread dense = one.dense();
  Vector out = U.cwiseAbs2() * (dense.variance * rows.l - dense.narrowing.cwiseProduct(rows.l.cwiseAbs2()));
  if (dense.moves.cols() > 0) out += products::times(U * rows.l.asDiagonal(), dense.moves).rowwise().squaredNorm();
  const Vector D = (1 + one.h * rows.l.array()).inverse();
  const Matrix W = products::times(U * D.asDiagonal(), rows.Z());
  out += W.cwiseAbs2() * one.v;
  if (!one.active.empty()) out += products::times_transposed(Matrix(W(Eigen::all, one.active)), one.F).rowwise().squaredNorm();
  return out;
}

// The starts of (SL.12) on the active columns, and passes until there are no more.                                              (SL.15)
class WideRowsFit {
 public:
  /// \param rows  of all columns
  WideRowsFit(const Frame& frame, const PenalisedColumns& all, RowsInMemory& rows, const MakeRows& make, const SpikeSlabSettings& slab,
              const ClassStartSettings& settings)
      : frame_(frame), all_(all), of_all_(rows), make_(make), slab_(slab), settings_(settings), search_(all.size()), X_(*rows.design()) {
    if (!rows.is_proper()) return;
    row_.resize(X_.cols());
    X_.project(Vector::Unit(X_.rows(), X_.rows() - 1), row_);
  }

  void run() {
    if (settings_.parts != SparseParts::slab_only) K_ = gram_of_rows(X_);
    const bool has_effects = settings_.parts != SparseParts::dense_only;
    if (has_effects) begin();
    bool is_precise = !has_effects;
    while (true) {
      if (!fit(is_precise ? 1 : rough)) break;
      if (found_.runners.empty()) return;
      const auto [count, is_steady] = pass();
      const bool goes_on = found_.status == Status::converged || found_.status == Status::max_sweeps;
      if (!goes_on || (count == 0 && is_steady && is_precise)) break;
      if (passes_ == most_rounds) {  // the search did not end
        for (StartOutcome& start : found_.starts) start.status = Status::max_sweeps;
        break;
      }
      is_precise = count < many_more;
    }
    if (K_) measure();
  }

  [[nodiscard]] ClassStarts& found() { return found_; }
  [[nodiscard]] const WideSearch& search() const { return search_; }
  [[nodiscard]] const WideTable& table() const { return *table_; }
  [[nodiscard]] int passes() const { return passes_; }
  [[nodiscard]] bool is_complete() const { return largest_left_ < least_to_tell; }
  [[nodiscard]] const std::vector<Index>& places() const { return places_; }  ///< of each start: its products in the last pass
  /// Moments of the rows of the fit under the posterior of the active columns, with the dense part of all.                       (SL.15)
  [[nodiscard]] MomentsOfRows moments(Mixture mixture, const std::vector<std::vector<std::size_t>>& members) const {
    mixture.columns = columns_->which.columns;
    mixture.flat_columns = columns_->which.flat;
    if (!K_) return moments_of_rows(mixture, *columns_->design_of_all_rows());
    const Index n = frame_.X.rows(), count = static_cast<Index>(members.size());
    const ReducedRows& rows = *found_.rows;
    const Vector root = rows_->omega().head(n).cwiseSqrt();
    const Matrix U = (root.array() > 0).select(root.cwiseInverse(), 0.0).matrix().asDiagonal() * rows.U.topRows(n);
    const Matrix flat = read_columns(*columns_->design(), columns_->which.flat) * rows.R.transpose();
    ComponentMoments all{Matrix::Zero(n, count), Matrix::Zero(n, count)};
    for (Index c = 0; c < count; ++c) {
      const MixtureComponent& one = mixture.components[static_cast<std::size_t>(c)];
      all.variance.col(c) = variance_of_rows(one, U, rows) + one.dense().flat * flat.rowwise().squaredNorm();
      double total = 0;
      for (const std::size_t start : members[static_cast<std::size_t>(c)]) {
        const double weight = found_.weight[static_cast<Index>(start)];
        all.mean.col(c) += weight * found_.runners[found_.runners[start].leader].odds.m.head(n);
        total += weight;
      }
      all.mean.col(c) /= total;
    }
    return [all](const Mixture&, Index first, Index some) {
      return ComponentMoments{all.mean.middleRows(first, some), all.variance.middleRows(first, some)};
    };
  }

 private:
  [[nodiscard]] WholeTable whole() const { return {X_, all_, K_ ? &*K_ : nullptr}; }

  // On the rows of log odds that are all the same.
  void begin() {
    const WorkingSites sites = of_all_.first_sites();
    const Vector& omega = std::get<Sites>(sites).omega;
    WideTable table(X_, all_, omega, of_all_.target_of(sites), omega.sum());
    if (!table.begin()) throw InvalidArgument(dependent_flat_columns);
    table.look_at_all();
    table.set_squares(squares_of(frame_, all_, omega.head(frame_.X.rows())), true);
    const Index first = std::clamp<Index>(static_cast<Index>(0x1p18 / frame_.rows), 200, 1500);  // weak effects are only seen together
    search_.begin(table, first);
  }

  // Goes on with the columns that the last pass found. If they have no first step, or end far below, the fit stays as it was: false.
  bool fit(double tolerances) {
    constexpr double far = 60;  // nats
    auto columns = std::move(columns_);
    auto rows = std::move(rows_);
    ClassStarts before = std::move(found_);
    const std::vector<Index> active = std::move(active_);
    active_ = search_.active();
    columns_ = std::make_unique<ActiveColumns>(frame_, all_, active_, has_classes(frame_.task) && !K_);
    rows_ = std::make_unique<ActiveRows>(*columns_, active_, whole(), make_);
    SpikeSlabSettings slab = slab_;
    slab.columns_beside = all_.size() - static_cast<Index>(active_.size());
    ClassStartSettings settings = settings_;
    settings.tolerance *= tolerances;
    if (!has_classes(frame_.task)) settings.rounding = std::max(settings.rounding, settings.tolerance);  // (SL.16)
    if (settings_.on_step) settings.on_step = [this](int step, double bound) { return settings_.on_step(steps_ + step, bound); };
    if (!before.history.empty()) {
      settings.from = &before.runners;
      settings.start = columns_->rows.merged(std::get<LogOdds>(before.log_odds));
      settings.signals = signals_;
    }
    const blas::ThreadScope one{1};
    found_ = fit_class_starts(rows_->rows(), columns_->which, slab, settings);
    steps_ += static_cast<int>(found_.history.size());
    const bool is_better = !found_.runners.empty() && (before.history.empty() || found_.history.back() > before.history.back() - far);
    if (!is_better && !before.history.empty()) {
      search_.forget(active_.size() - active.size());
      active_ = active;
      columns_ = std::move(columns);
      rows_ = std::move(rows);
      const Status why = found_.status == Status::stopped_by_user ? Status::stopped_by_user : Status::max_sweeps;  // the search did not end
      found_ = std::move(before);
      for (StartOutcome& start : found_.starts) start.status = why;
      return false;
    }
    if (!is_better) return true;
    found_.log_odds = columns_->rows.of_all(std::get<LogOdds>(found_.log_odds));
    signals_ = rows_->rows().signals();
    return true;
  }

  [[nodiscard]] bool runs(std::size_t i) const { return found_.runners[i].leader == i && !found_.runners[i].waits(); }

  [[nodiscard]] std::vector<WideState> states(auto&& takes_part) {
    std::vector<WideState> out;
    places_.assign(found_.runners.size(), 0);
    for (std::size_t i = 0; i < found_.runners.size(); ++i)
      if (takes_part(i)) {
        places_[i] = static_cast<Index>(out.size());
        out.push_back({&found_.runners[i].at.q, found_.runners[i].at.bound});
      }
    for (std::size_t i = 0; i < places_.size(); ++i) places_[i] = places_[found_.runners[i].leader];
    return out;
  }

  // Reads all columns once. Returns how many became active, and whether the others add as much as the fits counted.
  std::pair<std::size_t, bool> pass() {
    table_ = &rows_->table(frame_, row_);
    ++passes_;
    const WideSearch::Found found = search_.pass(*table_, states([&](std::size_t i) { return runs(i); }), passes_ < most_rounds);
    largest_left_ = found.largest_left;
    bool is_steady = true;
    for (std::size_t i = 0; i < found_.runners.size(); ++i) {
      if (!runs(i)) continue;
      ClassRunner& one = found_.runners[i];
      const std::shared_ptr<const ColumnsBeside>& beside = found.beside[static_cast<std::size_t>(places_[i])];
      is_steady = is_steady && are_steady(one.beside.get(), *beside, one.at.q);
      one.beside = beside;
    }
    return {found.columns.size(), is_steady};
  }

  // As in a regression, in double precision.                                                                                      (SP.27)
  void measure() {
    search_.measure(*table_, states([&](std::size_t i) { return runs(i) && found_.weight[static_cast<Index>(i)] > 0; }));
  }

  const Frame& frame_;
  const PenalisedColumns& all_;
  RowsInMemory& of_all_;
  const MakeRows& make_;
  SpikeSlabSettings slab_;
  const ClassStartSettings& settings_;
  WideSearch search_;
  Design& X_;
  Vector row_;  // of the intercept's prior
  std::optional<Matrix> K_;
  std::vector<Index> active_;
  std::unique_ptr<ActiveColumns> columns_;
  std::unique_ptr<ActiveRows> rows_;
  ClassStarts found_;
  std::vector<WeightedSignal> signals_;
  std::vector<Index> places_;
  const WideTable* table_ = nullptr;
  int steps_ = 0, passes_ = 0;
  double largest_left_ = 0;
};

}  // namespace

Solution solve_wide_rows(Frame& frame, const MakeRows& make_rows) {
  const FitOptions& options = frame.options;
  const PenalisedColumns all = penalised_columns(options, frame.num_columns(), frame.left_out);
  require_weights_that_leave_digits(options, frame.rows);
  warn_of_flat_columns(*frame.design(), all.flat, frame.k, options.column_names, frame.warnings);
  const SparseParts parts = wide_parts(frame, all.size());
  const std::unique_ptr<RowsInMemory> rows = make_rows(frame.design(), frame.target, frame.k);
  const SpikeSlabSettings slab = slab_of_rows(frame, rows->noise(), parts, options.standardize ? Vector() : squares_of(frame, all));
  ClassStartSettings settings;
  settings.tolerance = options.tolerance.value_or(has_classes(frame.task) ? 2e-3 : 1e-3);
  const bool may_lose = has_classes(frame.task) && parts != SparseParts::dense_only;  // a ridge has no effect to lose
  settings.least_share_of_weight = may_lose ? 2.0 / 3 : 0;
  settings.ends_before_fall = true;
  settings.max_steps = settings.max_sweeps = options.max_sweeps;
  settings.parts = parts;
  settings.num_threads = blas::num_threads();
  std::optional<WideRowsFit> fit;
  run_reported(options, bound_offset(all.flat, frame.units, frame.rows), [&](const SweepReport& report_sweep) {
    settings.on_step = report_sweep;
    fit.emplace(frame, all, *rows, make_rows, slab, settings).run();
  });
  ClassStarts& found = fit->found();
  if (!(found.weight.size() > 0 && found.weight.sum() > 0)) return failed_solution(frame, "no start reached a finite bound");
  const PenalisedColumns& active = fit->table().which();
  for (StartOutcome& start : found.starts) start.q.set_which(active);
  const AveragedFits averaged{std::move(found.starts), found.weight, std::nullopt};
  const std::vector<std::shared_ptr<const ReducedRows>> each(averaged.fits.size(), found.rows);
  SparsePosterior posterior = posterior_of(active, averaged.fits, each, averaged.weight, slab.seen());
  const std::vector<std::vector<std::size_t>> members = posterior.members;
  const WideOutcome outcome{fit->table(), fit->search(), all, averaged, members, fit->places()};
  const bool has_dense = parts != SparseParts::slab_only;
  const double effective = has_dense ? effective_parameters_of(posterior.mixture) : 0;
  if (!has_dense) add_beside(outcome, posterior.mixture);
  const MomentsOfRows moments = fit->moments(posterior.mixture, members);
  if (has_dense) posterior.mixture = kept_of_all_columns(posterior.mixture, outcome, frame);
  const auto in_table = [&](const std::vector<Index>& columns) { return correlations_in(frame, columns); };
  Solution out = solution_of(frame, active, averaged, std::move(posterior), in_table);
  if (has_dense) out.effective_parameters = effective;
  out.proper_intercept = rows->is_proper();
  tell_of_others(outcome, frame, out);
  tell_of_search(static_cast<Index>(fit->table().active().size()), all.size(), fit->passes(), fit->is_complete(), frame, out);
  out.rows.of_components = moments;
  return out;
}

Solution solve_wide_logistic(Frame& frame) {
  const PenalisedColumns all = penalised_columns(frame.options, frame.num_columns(), frame.left_out);
  const bool proper = has_proper_intercept(frame.options, all.flat);
  return solve_wide_rows(frame, [&](std::unique_ptr<Design> design, const Vector& t, const Vector& k) {
    return std::make_unique<TableClassRows>(std::move(design), t, k, proper);
  });
}

}  // namespace ardvark::internal
