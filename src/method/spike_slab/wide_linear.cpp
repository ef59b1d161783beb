// Linear regression under the priors sparse, slab and dense with many more columns than have effects: the starts of (SP.8) on the columns
// that may have one, and passes over all columns that show which.                                  docs/math/sparse.md (SP.26), (SP.27)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "core/products.hpp"
#include "core/rearrange.hpp"
#include "core/special.hpp"
#include "frame/conditioning.hpp"
#include "frame/prepare.hpp"
#include "frame/prior_partition.hpp"
#include "frame/separation.hpp"
#include "method/spike_slab/sparse_fit.hpp"
#include "method/spike_slab/wide_fit.hpp"
#include "posterior/decomposition.hpp"
#include "target/target.hpp"

namespace ardvark::internal {
namespace {

constexpr Index first_active = 200;
constexpr int first_rounds = 3;
// Nats below the best start: at 28 the weight of a start is below a thousandth (SP.8), and in the first rounds bounds still change.
constexpr double hopeless_at_first = 60, hopeless = 30;
constexpr double most_bytes_kept = 64e6;  // of directions that predictions need

struct WideRunner {
  StartOutcome at;
  std::shared_ptr<const ColumnsBeside> beside = nullptr;
  int sweeps = 0;          // of all rounds
  std::size_t leader = 0;  // itself, or the start whose maximum it reached
  bool is_lost = false;
  Index place = 0;  // of its products in the last pass
};

// The starts of (SP.8) on the active columns, and passes until there are no more.                                               (SP.26)
class WideFit {
 public:
  WideFit(WideTable& table, const SpikeSlabSettings& slab, const AscentSettings& ascent, SparseParts parts, Index threads)
      : table_(table), slab_(slab), ascent_(ascent), parts_(parts), threads_(threads), search_(table.size()) {}

  void run() {
    const bool has_effects = parts_ != SparseParts::dense_only;
    has_effects ? search_.begin(table_, first_active) : table_.activate({});
    take();
    start();
    bool is_done = !has_effects, is_precise = true;
    while (true) {
      const auto [more, is_steady] = pass();
      is_done = is_done || (more.empty() && is_steady && is_precise);
      if (is_done || is_stopped()) break;
      if (passes_ == most_rounds) {  // the search did not end
        for (WideRunner& one : runners_)
          if (one.at.status == Status::converged) one.at.status = Status::max_sweeps;
        break;
      }
      if (!more.empty()) {
        table_.activate(more);
        take();
      }
      is_precise = more.size() < many_more;
      go_on(is_precise ? 1 : rough);
    }
    if (table_.is_decomposed()) measure();
    renew_lost();
  }

  [[nodiscard]] AveragedFits averaged() const {
    AveragedFits out;
    std::vector<double> bounds;
    for (const WideRunner& one : runners_) {
      StartOutcome fit = runners_[one.leader].at;
      fit.name = one.at.name;
      fit.sweeps = one.sweeps;
      bounds.push_back(fit.bound);
      out.fits.push_back(std::move(fit));
    }
    out.weight = start_weights(bounds);  // (SP.8)
    return out;
  }
  [[nodiscard]] const std::shared_ptr<ReducedRows>& rows() const { return rows_; }
  [[nodiscard]] int passes() const { return passes_; }
  /// Whether all columns that have an effect of their own with some probability are active.
  [[nodiscard]] bool is_complete() const { return largest_left_ < least_to_tell; }
  [[nodiscard]] const WideSearch& search() const { return search_; }
  /// The products of each start in the last pass.
  [[nodiscard]] std::vector<Index> places() const {
    std::vector<Index> out;
    for (const WideRunner& one : runners_) out.push_back(runners_[one.leader].place);
    return out;
  }

 private:
  void take() {
    rows_ = table_.rows();
    slab_.columns_beside = table_.size() - static_cast<Index>(table_.active().size());
    const bool has_blocks = parts_ != SparseParts::dense_only;
    sets_ = has_blocks ? sets_of(table_.which(), *rows_) : std::make_shared<const ColumnSets>(groups_of(table_.which()));
  }

  void start() {
    const blas::ThreadScope one_thread{1};
    for (StartOutcome& one : run_starts(*rows_, table_.which(), sets_, slab_, ascent_, parts_, threads_)) {
      WideRunner runner{std::move(one)};
      runner.sweeps = runner.at.sweeps;
      runner.leader = runners_.size();
      runners_.push_back(std::move(runner));
    }
    compare();
  }

  // Starts that reached the maximum of an earlier one follow it, and those far below the best one stop.
  void compare() {
    double best = -std::numeric_limits<double>::infinity();
    for (const WideRunner& one : runners_) best = std::max(best, one.at.bound);
    for (std::size_t i = 0; i < runners_.size(); ++i) {
      WideRunner& one = runners_[i];
      if (one.leader != i) continue;
      one.is_lost = one.is_lost || !(one.at.bound > best - (passes_ < first_rounds ? hopeless_at_first : hopeless));
      if (!one.is_lost) join(i);
    }
  }

  void join(std::size_t i) {
    const StartOutcome& own = runners_[i].at;
    for (std::size_t before = 0; before < i; ++before) {
      const StartOutcome& other = runners_[before].at;
      if (!runs(before) || !(std::abs(other.bound - own.bound) < near * ascent_.tolerance)) continue;
      if (!are_alike(other.q, own.q, slab_.seen(), (other.q.mean() - own.q.mean()).squaredNorm())) continue;
      for (WideRunner& follower : runners_)
        if (follower.leader == i) follower.leader = before;
      return;
    }
  }

  [[nodiscard]] bool runs(std::size_t i) const { return runners_[i].leader == i && !runners_[i].is_lost; }
  [[nodiscard]] bool is_stopped() const {
    return std::ranges::any_of(runners_, [](const WideRunner& one) { return one.at.status == Status::stopped_by_user; });
  }
  [[nodiscard]] std::vector<WideRunner*> running() {
    std::vector<WideRunner*> out;
    for (std::size_t i = 0; i < runners_.size(); ++i)
      if (runs(i)) out.push_back(&runners_[i]);
    return out;
  }

  // Its state, on the rows of now.
  void renew(WideRunner& one) const {
    one.at.q = on_more_columns(one.at.q, table_.which(), sets_, *rows_, slab_.columns_beside, one.beside);
  }

  void go_on(double tolerances) {
    const blas::ThreadScope one_thread{1};
    const std::vector<Index> correlation = by_correlation(*rows_, table_.which());
    AscentSettings ascent = ascent_;
    ascent.wide_sweeps = 0;
    ascent.tolerance *= tolerances;
    const std::vector<WideRunner*> moving = running();
    parallel_for(static_cast<Index>(moving.size()), threads_, [&](Index i) {
      WideRunner& one = *moving[static_cast<std::size_t>(i)];
      renew(one);
      one.at.history.clear();
      one.at.sweeps = 0;
      ascend(sets_->in_order_of(by_size(one.at.q.mean(), table_.which(), correlation)), ascent, {}, one.at);
      one.sweeps += one.at.sweeps;
    });
    compare();
  }

  // A lost start keeps its bound, which gives it no weight.
  void renew_lost() {
    for (std::size_t i = 0; i < runners_.size(); ++i)
      if (runners_[i].leader == i && runners_[i].is_lost) {
        renew(runners_[i]);
        runners_[i].at.status = Status::max_sweeps;
      }
  }

  // The products of the starts with weight, in double precision: the means of the dense part are made of them.                  (SP.27)
  void measure() {
    std::vector<double> bounds;
    for (const WideRunner& one : runners_) bounds.push_back(runners_[one.leader].at.bound);
    const Vector weight = start_weights(bounds);
    std::vector<WideState> states;
    for (std::size_t i = 0; i < runners_.size(); ++i)
      if (runs(i) && weight[static_cast<Index>(i)] > 0) {
        runners_[i].place = static_cast<Index>(states.size());
        states.push_back({&runners_[i].at.q, runners_[i].at.bound});
      }
    search_.measure(table_, states);
  }

  // Reads all columns once. Returns those that became active, and whether the others add as much as the fits counted.
  std::pair<std::vector<Index>, bool> pass() {
    std::vector<WideState> states;
    const std::vector<WideRunner*> at = running();
    for (WideRunner* one : at) {
      one->place = static_cast<Index>(states.size());
      states.push_back({&one->at.q, one->at.bound});
    }
    ++passes_;
    WideSearch::Found found = search_.pass(table_, states, passes_ < most_rounds);
    largest_left_ = found.largest_left;
    bool is_steady = true;
    for (std::size_t i = 0; i < at.size(); ++i) {
      is_steady = is_steady && are_steady(at[i]->beside.get(), *found.beside[i], at[i]->at.q);
      at[i]->beside = found.beside[i];
    }
    return {std::move(found.columns), is_steady};
  }

  WideTable& table_;
  SpikeSlabSettings slab_;
  const AscentSettings& ascent_;
  SparseParts parts_;
  Index threads_;
  WideSearch search_;
  std::shared_ptr<ReducedRows> rows_;
  std::shared_ptr<const ColumnSets> sets_;
  std::vector<WideRunner> runners_;
  int passes_ = 0;
  double largest_left_ = 0;
};

}  // namespace

Vector squares_of(const Frame& frame, const PenalisedColumns& which) { return squares_of(frame, which, frame.k); }

// Those of a centred design are around the mean.
Vector squares_of(const Frame& frame, const PenalisedColumns& which, const Vector& weights) {
  const bool are_scaled = frame.options.standardize && frame.options.scaling == Scaling::deviation;
  if (are_scaled && weights == frame.k) return Vector::Constant(which.size(), frame.rows);
  const Standardization& s = frame.units.standardization;
  const double sum = weights.sum();
  Vector mean, spread;
  frame.X.moments(weights, true, mean, spread);
  Vector out(which.size());
  for (Index i = 0; i < which.size(); ++i) {
    const Index j = which.columns[static_cast<std::size_t>(i)];
    const double off = mean[j] - (s.center.size() > 0 ? s.center[j] : 0.0), scale = s.scale.size() > 0 ? s.scale[j] : 1.0;
    out[i] = sum * scale * scale * (spread[j] * spread[j] + off * off);
  }
  return out;
}

namespace {

// Starts that followed another one have its state, and are counted with it.
std::vector<std::pair<std::size_t, double>> distinct(const WideOutcome& fit, const std::vector<std::size_t>& starts) {
  std::map<Index, std::pair<std::size_t, double>> by_place;
  for (const std::size_t s : starts)
    if (const double weight = fit.averaged.weight[static_cast<Index>(s)]; weight > 0)
      by_place.try_emplace(fit.places[s], s, 0.0).first->second.second += weight;
  std::vector<std::pair<std::size_t, double>> out;
  for (const auto& [place, one] : by_place) out.push_back(one);
  return out;
}

}  // namespace

Mixture with_all_columns(const Mixture& of_active, const WideOutcome& fit, Index count) {
  const auto& [table, search, all, averaged, members, places] = fit;
  const auto basis = table.basis(count);
  Mixture out;
  out.columns = all.columns;
  out.flat_columns = all.flat;
  const std::vector<Index>& active = table.active();
  for (std::size_t c = 0; c < of_active.components.size(); ++c) {
    MixtureComponent one = of_active.components[c];
    const auto Z = one.basis->Z();
    Vector w = Vector::Zero(all.size()), v = w;
    double weight = 0;
    for (const auto& [s, share] : distinct(fit, members[c])) {
      const SpikeSlab& q = averaged.fits[s].q;
      weight += share;
      for (Index j = 0; j < all.size(); ++j) w[j] += share * q.hyper().h * search.product(table, j, places[s]);
      const WideSearch::OfOthers others = search.of_others(table, places[s], q);
      v += share * (others.seen.array() > 1e-6 * q.hyper().s2).select(others.variance, 0.0).matrix();  // (SP.6)
      for (std::size_t a = 0; a < active.size(); ++a) w[active[a]] += share * q.mean()[static_cast<Index>(a)];
    }
    w /= weight;
    v /= weight;
    const Vector D = (1 + one.h * one.basis->l.array()).inverse();
    for (std::size_t a = 0; a < active.size(); ++a) {
      const auto at = static_cast<Index>(a);
      if (one.v[at] * D.dot(Z.col(at).cwiseAbs2()) > 1e-6 * one.s2) v[active[a]] = one.v[at];  // (SP.6)
    }
    for (Index& a : one.active) a = active[static_cast<std::size_t>(a)];
    one.flat_mean += one.basis->G * one.w - table.G() * w;
    one.w = std::move(w);
    one.v = std::move(v);
    if (one.spread) {
      one.spread->narrowing = Vector(one.spread->narrowing.tail(count));
      one.spread->moves = Matrix(one.spread->moves.bottomRows(count));
    }
    one.basis = basis;
    out.components.push_back(std::move(one));
  }
  return out;
}

// sum d_j Var b_j / N.
void add_beside(const WideOutcome& fit, Mixture& of_active) {
  const auto& [table, search, all, averaged, members, places] = fit;
  for (std::size_t c = 0; c < of_active.components.size(); ++c) {
    double sum = 0, weight = 0;
    for (const auto& [s, share] : distinct(fit, members[c])) {
      sum += share * search.of_others(table, places[s], averaged.fits[s].q).seen.sum();
      weight += share;
    }
    of_active.components[c].beside = sum / (weight * table.degrees());
  }
}

// Results for the columns that are not active. Without a dense part, their effects vary by themselves.                  (SP.26), (SP.28)
void tell_of_others(const WideOutcome& fit, const Frame& frame, Solution& out) {
  const auto& [table, search, all, averaged, members, places] = fit;
  constexpr double least = 1e-200;  // of a variance, so that it is a number in any unit
  Vector inclusion = Vector::Zero(all.size()), variance = inclusion;
  std::vector<std::size_t> starts(averaged.fits.size());
  std::iota(starts.begin(), starts.end(), std::size_t{0});
  for (const auto& [s, share] : distinct(fit, starts)) {
    const WideSearch::OfOthers others = search.of_others(table, places[s], averaged.fits[s].q);
    inclusion += share * others.inclusion;
    variance += share * others.variance;
  }
  const Vector origin = frame.origin();
  for (Index j = 0; j < all.size(); ++j) {
    const Index column = all.columns[static_cast<std::size_t>(j)];
    out.group[static_cast<std::size_t>(column)] = j;
    if (out.prior == PriorKind::dense) out.relevant[static_cast<std::size_t>(column)] = true;
    if (search.is_active(j)) continue;
    out.relevance[column] = out.sparse->inclusion[column] = inclusion[j];
    double& own = out.V_diagonal[column];
    if (!table.is_decomposed() && variance[j] > least) {
      own = variance[j];
      out.origin_variance += origin[column] * origin[column] * own;
    } else if (own > 0) {
      out.sparse->direction[column] = 1 - student_t_tail(out.student_degrees, std::abs(out.w[column]) / std::sqrt(own));
    }
  }
}

namespace {

// Whether the matrix that a fit of all columns makes is large, or each of its sweeps is long.
bool are_many(const FitOptions& options, Task task, Index num_rows, Index num_columns) {
  const Index most_numbers = has_normal_noise(options, task) ? most_at_once : most_at_once_of_steps;
  return std::min(num_rows, num_columns) * num_columns > most_numbers || num_columns > most_columns_at_once;
}

// Working rows need a decomposition in each step.
Index most_rows_of_dense(const FitOptions& options, Task task) {
  return has_normal_noise(options, task) ? most_to_decompose : most_to_decompose_soon;
}

}  // namespace

bool is_fitted_wide(const FitOptions& options, Task task, Index num_rows, Index num_columns) {
  if (!options.prior.group.empty() || !are_many(options, task, num_rows, num_columns)) return false;
  const PriorKind prior = options.prior.kind;
  if (prior == PriorKind::slab) return true;
  const bool may_leave_out_dense = prior == PriorKind::sparse || prior == PriorKind::automatic;
  return num_columns > num_rows && (num_rows <= most_rows_of_dense(options, task) || may_leave_out_dense);
}

std::string need_of_small(const FitTable& X, const FitOptions& options, Task task, Index num_columns) {
  return is_fitted_wide(options, task, X.rows(), num_columns) ? "" : X.need_of_small();
}

// The prior was chosen, and the size of the table was allowed, by all its columns: with fewer, too, unless they are few.
bool is_wide(const Frame& frame) {
  const PenalisedColumns which = penalised_columns(frame.options, frame.num_columns(), frame.left_out);
  return are_many(frame.options, frame.task, frame.X.rows(), which.size()) &&
         is_fitted_wide(frame.options, frame.task, frame.X.rows(), frame.num_columns());
}

SparseParts wide_parts(Frame& frame, Index num_columns) {
  const SparseParts parts = parts_of(frame.options.prior.kind);
  if (parts == SparseParts::slab_only || frame.X.rows() <= most_rows_of_dense(frame.options, frame.task)) return parts;
  frame.warnings.push_back(
      fmt::format("the dense part is off: its decomposition is too expensive for {} rows and {} columns; many small effects {}",
                  frame.X.rows(), num_columns, has_noise(frame.task) ? "count as noise" : "are left out"));
  return SparseParts::slab_only;
}

void tell_of_search(Index num_active, Index num_columns, int passes, bool is_complete, Frame& frame, Solution& out) {
  if (out.prior == PriorKind::dense) return;
  frame.notes.push_back(fmt::format("{} of {} columns may have an effect of their own; {} pass{} over the table", num_active, num_columns,
                                    passes, passes == 1 ? "" : "es"));
  if (is_complete || out.report.status != Status::converged) return;
  out.report.warnings.push_back(
      "more columns may have an effect of their own than a fit of so many columns follows; inclusions of the others are rough");
}

Matrix gram_of_rows(Design& X) {
  Matrix K;
  X.row_gram(K);
  mirror(K);
  return K;
}

// tr(X~ Cov(w) X~')/s2 of all columns, and the flat ones: Z_A'D is what the rows see of an effect, beside the dense part.      (SP.6)
double effective_parameters_of(const MixtureComponent& one) {
  const Vector l = one.has_dense() ? one.basis->l : Vector::Zero(one.basis->l.size()), D = (1 + one.h * l.array()).inverse();
  const Matrix DZ = D.asDiagonal() * one.basis->Z();
  double sum = (one.h * l.array() * D.array()).sum() + DZ.colwise().squaredNorm().dot(one.v) / one.s2;
  if (!one.active.empty()) sum += products::times_transposed(Matrix(DZ(Eigen::all, one.active)), one.F).squaredNorm() / one.s2;
  return static_cast<double>(one.basis->R.rows()) + std::min(sum, static_cast<double>(l.size()));
}

Mixture kept_of_all_columns(const Mixture& of_active, const WideOutcome& fit, Frame& frame) {
  const Index m = fit.table.l().size();
  const bool keeps_all = frame.options.keep_covariance == Keep::always;
  const Index count = keeps_all ? m : std::min(m, static_cast<Index>(most_bytes_kept / (8.0 * static_cast<double>(fit.all.size()))));
  if (count < m)
    frame.notes.push_back(fmt::format(
        "intervals of predictions use the {} largest of {} directions of the rows, so they may be a little too wide", count, m));
  return with_all_columns(of_active, fit, count);
}

double effective_parameters_of(const Mixture& of_active) {
  double effective = 0;
  for (const MixtureComponent& one : of_active.components) effective += one.weight * effective_parameters_of(one);
  return effective;
}

void take_all_columns(const Mixture& of_active, const WideOutcome& fit, Frame& frame, Solution& out) {
  take_mixture(kept_of_all_columns(of_active, fit, frame), frame, out);
  out.effective_parameters = effective_parameters_of(of_active);
}

Solution solve_wide_linear(Frame& frame) {
  const FitOptions& options = frame.options;
  const auto design = frame.design();
  const PenalisedColumns all = penalised_columns(options, frame.num_columns(), frame.left_out);
  const auto num_flat = static_cast<Index>(all.flat.size());
  require_rows(options, frame.rows, num_flat);
  require_row_for_noise(options, frame.rows, num_flat);
  warn_of_flat_columns(*design, all.flat, frame.k, options.column_names, frame.warnings);
  const SparseParts parts = wide_parts(frame, all.size());
  WideTable table(*design, all, frame.k, frame.target, frame.rows);
  if (!table.begin()) throw InvalidArgument(dependent_flat_columns);
  table.look_at_all();
  table.set_squares(squares_of(frame, all), true);
  if (parts != SparseParts::slab_only && !table.decompose(gram_of_rows(*design)))
    return failed_solution(frame, "the decomposition of the table failed");
  const SpikeSlabSettings slab = slab_of_regression(frame, table.squares(), num_flat, table.target().squaredNorm(), table.degrees());
  AscentSettings ascent;
  ascent.tolerance = options.tolerance.value_or(ascent.tolerance);
  ascent.max_sweeps = options.max_sweeps;
  const int threads = blas::num_threads();
  std::optional<WideFit> fit;
  run_reported(options, bound_offset(all.flat, frame.units, frame.rows), [&](const SweepReport& report_sweep) {
    ascent.on_sweep = report_sweep;
    fit.emplace(table, slab, ascent, parts, threads).run();
  });
  const AveragedFits averaged = fit->averaged();
  if (!(averaged.weight.sum() > 0)) return failed_solution(frame, "no start reached a finite bound");
  const std::vector<std::shared_ptr<const ReducedRows>> each(averaged.fits.size(), fit->rows());
  SparsePosterior posterior = posterior_of(table.which(), averaged.fits, each, averaged.weight, slab.seen());
  const std::vector<std::vector<std::size_t>> members = posterior.members;
  const WideOutcome outcome{table, fit->search(), all, averaged, members, fit->places()};
  const bool has_dense = parts != SparseParts::slab_only;
  const double effective = has_dense ? effective_parameters_of(posterior.mixture) : 0;
  if (has_dense)
    posterior.mixture = kept_of_all_columns(posterior.mixture, outcome, frame);
  else
    add_beside(outcome, posterior.mixture);
  Solution out = solution_of(frame, table.which(), averaged, std::move(posterior));
  if (has_dense) out.effective_parameters = effective;
  const ReducedRows& rows = *fit->rows();
  Vector left = Vector::Zero(rows.rank());
  for (std::size_t s = 0; s < averaged.fits.size(); ++s)
    if (const double share = averaged.weight[static_cast<Index>(s)]; share > 0) left += share * averaged.fits[s].q.Dr();  // y - Z w
  out.rows.missed = rows.rest + left.squaredNorm();
  tell_of_others(outcome, frame, out);
  tell_of_search(static_cast<Index>(table.active().size()), all.size(), fit->passes(), fit->is_complete(), frame, out);
  return out;
}

}  // namespace ardvark::internal
