#include "method/spike_slab/class_starts.hpp"

#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "core/products.hpp"
#include "design/column_panels.hpp"
#include "method/spike_slab/group_system.hpp"
#include "method/spike_slab/row_covariance.hpp"

namespace ardvark::internal {
namespace {

constexpr int wide_steps = 3;     // first steps, in which h is searched over its whole range
constexpr int steps_to_lose = 2;  // successive steps with a weight of 0, after which a start is suspended
constexpr double least_seen = 1e-8;
constexpr double same_weights = 0.05;  // rows that are read in passes: while the weights change less, a step uses those of the last one

// Mean and variance of the log odds under a start. Effects of different sets are taken as independent.
class OddsOfStart {
 public:
  OddsOfStart(ClassRows& rows, const PenalisedColumns& which) : rows_(rows), which_(which), is_wide_(rows.needs_basis(which)) {
    if (is_wide_) flat_ = read_columns(*rows.design(), which.flat);
  }
  [[nodiscard]] bool are_wide() const { return is_wide_; }
  [[nodiscard]] KnownOdds of(const SpikeSlab& q, const ReducedRows& reduced, const WorkingSites& sites) const {
    return is_wide_ ? by_rows(q, reduced, std::get<Sites>(sites).omega) : log_odds_seen(rows_, which_, reduced, {{1, &q}});
  }

 private:
  // m_n = f_n'flat + omega^-1/2 [U (y - Dr)]_n, and its variance.                                                               (SL.4)
  [[nodiscard]] LogOdds by_rows(const SpikeSlab& q, const ReducedRows& reduced, const Vector& omega) const {
    const Vector& D = q.D();
    const double h = q.hyper().h;
    const Vector along = reduced.U * (reduced.y - q.Dr());
    Vector spread = reduced.U.cwiseAbs2() * (h * reduced.l.array() * D.array()).matrix();
    const auto Z = reduced.Z();
    const Matrix UD = reduced.U * D.asDiagonal();
    // (UDZ S)^2, S S' = Cov b set by set. Sets with effects of almost no variance are skipped.
    constexpr Index block = 256;
    Matrix panel(Z.rows(), block), product(UD.rows(), block);
    Index filled = 0;
    const auto add_panel = [&] {
      if (filled == 0 || panel.rows() == 0) return;
      blas::gemm(blas::Transpose::no, blas::Transpose::no, UD.rows(), filled, UD.cols(), 1.0, UD.data(), UD.rows(), panel.data(),
                 panel.rows(), 0.0, product.data(), product.rows());
      spread += product.leftCols(filled).rowwise().squaredNorm();
      filled = 0;
    };
    const Vector& variance = q.variance_of_small();
    for (Index set = 0; set < q.sets().size(); ++set) {
      if (const auto large = q.covariance_in_rows(set)) {
        spread += UD.cwiseAbs2() * large->a + (UD * large->along).cwiseAbs2();
        if (large->Y.cols() > 0) spread += large->sign * products::times(UD, large->Y).rowwise().squaredNorm();
        continue;
      }
      const std::span<const Index> columns = q.sets().columns_of(set);
      double seen = 0;
      for (const Index j : columns) seen += variance[j] > 0 ? variance[j] * D.dot(Z.col(j).cwiseAbs2()) : 0;
      if (!(seen > least_seen / static_cast<double>(which_.size()))) continue;
      const Matrix S = root_of(q.covariance_of(set));
      for (Index i = 0; i < S.cols(); ++i) {
        auto column = panel.col(filled++);
        column = S(0, i) * Z.col(columns[0]);
        for (Index l = 1; l < S.rows(); ++l)
          if (S(l, i) != 0) column += S(l, i) * Z.col(columns[static_cast<std::size_t>(l)]);
        if (filled == block) add_panel();
      }
    }
    add_panel();
    LogOdds out{flat_ * reduced.flat_mean, (flat_ * reduced.R.transpose()).rowwise().squaredNorm()};
    for (Index i = 0; i < omega.size(); ++i) {
      if (omega[i] == 0) continue;
      out.m[i] += along[i] / std::sqrt(omega[i]);
      out.s[i] += spread[i] / omega[i];
    }
    return out;
  }

  ClassRows& rows_;
  const PenalisedColumns& which_;
  bool is_wide_;
  Matrix flat_;  // [rows, flats] if is_wide_, else empty
};

class Starts {
 public:
  Starts(ClassRows& rows, const PenalisedColumns& which, const SpikeSlabSettings& slab, const ClassStartSettings& settings)
      : rows_(rows), which_(which), slab_(slab), settings_(settings), odds_(rows, which) {}

  // One step: all starts on these rows.
  std::optional<WorkingFit> solve(const WorkingRows& working) {
    runners_ = accepted_;  // discards a step that was too long
    is_accepted_ = false;
    reduced_.reset();  // frees its memory first
    reduced_ = std::make_shared<ReducedRows>();
    const KeepBasis basis = odds_.are_wide() ? KeepBasis::yes : KeepBasis::no;
    if (!rows_.reduce(which_, working.sites, working.target, basis, *reduced_)) return std::nullopt;
    const bool has_dense = settings_.parts != SparseParts::slab_only;
    if (!sets_)
      sets_ =
          settings_.parts == SparseParts::dense_only ? std::make_shared<const ColumnSets>(groups_of(which_)) : sets_of(which_, *reduced_);
    reduced_->systems = group_systems(*reduced_, *sets_, has_dense);
    AscentSettings ascent;
    ascent.max_sweeps = settings_.max_sweeps;
    if (settings_.on_step) ascent.on_sweep = [&](int, double bound) { return settings_.on_step(working.step + 1, bound + working.shift); };
    slab_.log_prior_of_signal = working.log_prior_of_signal;
    if (runners_.empty() && settings_.from != nullptr) resume();
    if (runners_.empty())
      begin(ascent);
    else
      go_on(ascent, settings_.from != nullptr ? wide_steps : working.step);
    return look(working);
  }

  void accept() {
    accepted_ = runners_;
    is_accepted_ = true;
  }

  // The result. Suspended starts have their last bound and the weight 0.
  ClassStarts finish(ClassSteps steps) {
    ClassStarts out;
    out.status = steps.status;
    out.history = std::move(steps.history);
    if (out.history.empty() || out.status == Status::failed) return out;  // the last rows have no fit
    if (!is_accepted_) {                                                  // the last step was too long, and there is no shorter one
      runners_ = accepted_;
      for (ClassRunner& one : runners_) one.at.q.set_rows(*reduced_);
    }
    std::vector<double> bounds;
    for (const ClassRunner& one : runners_) {
      StartOutcome start = runners_[one.leader].at;
      start.name = one.at.name;
      start.sweeps = one.sweeps;
      start.status = runners_[one.leader].waits() ? Status::max_sweeps : out.status;
      if (runners_[one.leader].waits()) start.q.set_rows(*reduced_);
      start.history = out.history;
      for (double& bound : start.history) bound += start.bound - out.history.back();
      bounds.push_back(runners_[one.leader].waits() ? -std::numeric_limits<double>::infinity() : start.bound);
      out.starts.push_back(std::move(start));
    }
    out.weight = start_weights(bounds);
    out.rows = reduced_;
    out.runners = std::move(runners_);
    out.log_odds = std::move(steps.log_odds);
    return out;
  }

 private:
  [[nodiscard]] std::size_t index_of(const ClassRunner& one) const { return static_cast<std::size_t>(&one - runners_.data()); }

  void begin(const AscentSettings& ascent) {
    const auto take = [&](std::vector<StartOutcome> found, bool has_effects) {
      for (StartOutcome& start : found) {
        ClassRunner one{std::move(start), has_effects};
        one.sweeps = one.at.sweeps;
        one.leader = runners_.size();
        runners_.push_back(std::move(one));
      }
    };
    const bool alone = settings_.parts == SparseParts::dense_only || which_.size() == 0;
    if (settings_.parts != SparseParts::slab_only || alone) {
      take(run_starts(*reduced_, which_, sets_, slab_, ascent, SparseParts::dense_only, 1), false);
      if (!alone) runners_.back().at.name = "ridge alone";
    }
    if (!alone) take(run_starts(*reduced_, which_, sets_, slab_, ascent, settings_.parts, settings_.num_threads), true);
  }

  // Their states, on the columns of now.                                                                                         (SL.15)
  void resume() {
    runners_ = *settings_.from;
    for (ClassRunner& one : runners_) one.at.q = on_more_columns(one.at.q, which_, sets_, *reduced_, slab_.columns_beside, one.beside);
  }

  void go_on(AscentSettings ascent, int step) {
    if (step >= wide_steps) ascent.wide_sweeps = 0;
    std::vector<ClassRunner*> moving;
    for (ClassRunner& one : runners_)
      if (!one.waits() && one.leader == index_of(one)) moving.push_back(&one);
    parallel_for(static_cast<Index>(moving.size()), settings_.num_threads,
                 [&](Index i) { move(*moving[static_cast<std::size_t>(i)], ascent); });
  }

  // The log evidence of a dense part may have two maxima in h. If they have about the same height, each would make rows that favour the
  // other.                                                                                                                      (SL.12)
  static void find_dense_part(StartOutcome& at, bool is_early) {
    constexpr double worth_a_move = 0.1;  // nats
    at.q.update_hyper(is_early ? Reach::everywhere : Reach::closest);
    at.bound = at.q.bound();
    if (is_early) return;
    const SpikeSlabHyper near = at.q.hyper();
    at.q.update_hyper(Reach::everywhere);
    if (const double bound = at.q.bound(); bound > at.bound + worth_a_move)
      at.bound = bound;
    else
      at.q.set_hyper(near);
  }

  // Continues from its last state, on the rows of this step.
  void move(ClassRunner& one, const AscentSettings& ascent) const {
    StartOutcome& at = one.at;
    at.q.set_rows(*reduced_);
    at.q.set_prior_of_signal(slab_.log_prior_of_signal);
    at.history.clear();
    at.sweeps = 0;
    if (one.has_effects) {
      const std::vector<Index> correlation = by_correlation(*reduced_, which_);
      ascend(sets_->in_order_of(by_size(at.q.mean(), which_, correlation)), ascent, {}, at);
    } else {
      find_dense_part(at, ascent.wide_sweeps > 0);
      at.sweeps = 1;
      at.status = std::isfinite(at.bound) ? Status::converged : Status::failed;
    }
    one.sweeps += at.sweeps;
  }

  // The results of the starts in this step: bounds, weights, which ones share a maximum, log odds.
  std::optional<WorkingFit> look(const WorkingRows& working) {
    const std::size_t count = runners_.size();
    std::vector<WorkingFit> found(count);
    std::vector<double> bounds(count, -std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < count; ++i) {
      ClassRunner& one = runners_[i];
      if (one.leader != i || one.waits() || one.at.status == Status::failed) continue;
      if (joins_another(i)) continue;
      found[i] = {one.at.bound, odds_.of(one.at.q, *reduced_, working.sites), {{1, one.at.q.signal()}}};
      if (odds_.are_wide()) one.odds = std::get<LogOdds>(found[i].log_odds);
    }
    const Vector before = shares_of_leaders([](const ClassRunner& one) { return one.weight; });
    const std::optional<KnownOdds> ahead = expect(found, before);
    for (std::size_t i = 0; i < count; ++i)
      if (!found[i].signals.empty()) bounds[i] = runners_[i].at.bound = bound_of_classes(rows_, working, found[i]);
    for (std::size_t i = 0; i < count; ++i) bounds[i] = bounds[runners_[i].leader];
    const Vector weight = start_weights(bounds);
    if (!(weight.sum() > 0)) return std::nullopt;
    for (std::size_t i = 0; i < count; ++i) runners_[i].weight = weight[static_cast<Index>(i)];
    const Vector now = shares_of_leaders([](const ClassRunner& one) { return one.weight; });
    for (std::size_t i = 0; i < count; ++i)
      if (ClassRunner& one = runners_[i]; one.leader == i) one.lost = now[static_cast<Index>(i)] > 0 ? 0 : one.lost + 1;
    const bool are_same = ahead && (now - before).cwiseAbs().maxCoeff() < same_weights;
    return average(found, are_same ? before : now);
  }

  // The sum of a property of each start, for the start that it follows.
  [[nodiscard]] Vector shares_of_leaders(auto&& of) const {
    Vector out = Vector::Zero(static_cast<Index>(runners_.size()));
    for (const ClassRunner& one : runners_) out[static_cast<Index>(one.leader)] += of(one);
    return out;
  }

  [[nodiscard]] WorkingFit average(const std::vector<WorkingFit>& found, const Vector& shares) const {
    WorkingFit out;
    std::vector<std::pair<double, const KnownOdds*>> parts;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double share = shares[static_cast<Index>(i)];
      if (share == 0) continue;
      out.log_evidence += share * found[i].log_evidence;
      out.signals.push_back({share, runners_[i].at.q.signal()});
      parts.emplace_back(share, &found[i].log_odds);
    }
    out.log_odds = rows_.average(parts);
    return out;
  }

  // Says where likelihoods are asked next. Of rows that are read in passes, one pass then answers for the starts and for their average
  // under the weights of the last step, which is returned.                                                                      (PASS.5)
  std::optional<KnownOdds> expect(const std::vector<WorkingFit>& found, const Vector& before) const {
    std::optional<KnownOdds> ahead;
    std::vector<const KnownOdds*> asked;
    const auto is_there = [&](std::size_t i) { return !found[i].signals.empty(); };
    bool are_all_there = rows_.design() == nullptr && before.sum() > 0;
    for (std::size_t i = 0; i < found.size(); ++i) are_all_there &= before[static_cast<Index>(i)] == 0 || is_there(i);
    if (are_all_there) asked.push_back(&ahead.emplace(average(found, before).log_odds));
    for (std::size_t i = 0; i < found.size(); ++i)
      if (is_there(i) && !(ahead && are_equal(*ahead, found[i].log_odds))) asked.push_back(&found[i].log_odds);
    rows_.expect(asked);
    return ahead;
  }

  // Whether this start reached the maximum of an earlier one. From then on, it follows that one.                                (SP.8)
  bool joins_another(std::size_t i) {
    const SpikeSlab& q = runners_[i].at.q;
    const Vector mean = mean_of(q);
    for (std::size_t other = 0; other < i; ++other) {
      const ClassRunner& before = runners_[other];
      if (before.leader != other || before.waits() || before.at.status == Status::failed) continue;
      if (before.has_effects != runners_[i].has_effects) continue;
      if (!are_alike(before.at.q, q, slab_.seen(), (mean - mean_of(before.at.q)).squaredNorm())) continue;
      for (ClassRunner& follower : runners_)
        if (follower.leader == i) follower.leader = other;
      return true;
    }
    return false;
  }

  ClassRows& rows_;
  const PenalisedColumns& which_;
  SpikeSlabSettings slab_;
  const ClassStartSettings& settings_;
  OddsOfStart odds_;
  std::shared_ptr<const ColumnSets> sets_;
  std::shared_ptr<ReducedRows> reduced_;
  std::vector<ClassRunner> runners_, accepted_;
  bool is_accepted_ = false;
};

}  // namespace

bool ClassRunner::waits() const { return lost >= steps_to_lose; }

ClassStarts fit_class_starts(ClassRows& rows, const PenalisedColumns& which, const SpikeSlabSettings& slab,
                             const ClassStartSettings& settings) {
  Starts starts(rows, which, slab, settings);
  ClassSteps steps = run_class_steps(
      rows, !which.flat.empty(), settings, [&](const WorkingRows& working) { return starts.solve(working); },
      [&](double) { starts.accept(); });
  return starts.finish(std::move(steps));
}

}  // namespace ardvark::internal
