#include "method/spike_slab/hyper_grid.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "core/parallel.hpp"
#include "core/pulse.hpp"
#include "core/special.hpp"

namespace ardvark::internal {

constexpr double infinity = std::numeric_limits<double>::infinity();

double log_sum(const std::vector<double>& terms) {
  const double most = terms.empty() ? -infinity : *std::max_element(terms.begin(), terms.end());
  if (!std::isfinite(most)) return -infinity;
  double sum = 0;
  for (const double term : terms) sum += std::exp(term - most);
  return most + std::log(sum);
}

void normalise(std::vector<Hypothesis>& hypotheses) {
  std::vector<double> log_weights;
  for (const Hypothesis& hypothesis : hypotheses) log_weights.push_back(hypothesis.log_weight);
  const double sum = log_sum(log_weights);
  for (Hypothesis& hypothesis : hypotheses) hypothesis.log_weight -= sum;
}

namespace {

constexpr int num_pi = 8;
constexpr double dense_penalty = 0.25;         // a of (SP.3)
constexpr double one_maximum = 5e-3;           // nats: bounds that differ by less belong to one maximum
constexpr double least_weight_of_line = 1e-4;  // below this weight, the neighbours of a line are not computed
constexpr double least_weight = 1e-4;          // relative to the best point

// ln of (1 + kappa)^-tail exp(-c/(2 kappa)), the density of ln kappa, at kappa = 4^k.
double log_density_of_kappa(int k, double tail, double narrowest) {
  const double kappa = std::pow(4.0, k);
  return -tail * std::log1p(kappa) - 0.5 * narrowest / kappa;
}
// x = r/(1 + r), r = 4^j the ratio of the signals, has Beta(1, 1 + a): its ln density with the Jacobian of ln r.
double log_density_of_ratio(int j) {
  const double ratio = std::pow(4.0, j);
  return std::log(ratio) - (2 + dense_penalty) * std::log1p(ratio);
}

double log_mass(auto&& density) {
  std::vector<double> terms;
  for (int i = 2 * least_exponent; i <= 2 * most_exponent; ++i) terms.push_back(density(i));
  return log_sum(terms);
}

class Grid {
 public:
  Grid(const ReducedRows& rows, const PenalisedColumns& which, const std::shared_ptr<const ColumnSets>& sets, const SpikeSlabSettings& slab,
       const GridSettings& settings, Index num_threads)
      : rows_(rows),
        which_(which),
        sets_(sets),
        slab_(slab),
        kappa_tail_(slab.kappa_tail),
        settings_(settings),
        ascent_(settings.ascent),
        num_threads_(num_threads) {
    slab_.fit_effects = slab_.fit_dense = false;
    slab_.dense_penalty = slab_.kappa_tail = 0;  // they are part of the prior of the points
    ascent_.on_sweep = {};                       // there is one report per line, not per sweep
    ascent_.calm_sweeps = 1;
    order_ = sets_->in_order_of(by_correlation(rows, which));
    odds_ = prior_of_odds(which.num_groups(), slab.grid);
  }

  HyperGrid run() {
    const GridRanges first = first_ranges(slab_);
    kappa_ = {first.first_kappa, first.last_kappa};
    ratio_ = {first.first_ratio, first.last_ratio};
    least_kappa_ = first.least_kappa;
    for (int round = 0; round <= most_exponent - least_exponent; ++round) {
      run_lines();
      if (!weigh()) return {};
      if (stopped_ || !lengthen()) break;
    }
    pulse("fitting");
    collect();
    return std::move(out_);
  }

 private:
  struct Range {
    int first = 0, last = 0;
  };
  using Line = GridLine;

  [[nodiscard]] bool has_dense() const { return settings_.parts != SparseParts::slab_only && rows_.rank() > 0; }
  [[nodiscard]] bool has_effects() const { return settings_.parts != SparseParts::dense_only && which_.size() > 0; }

  [[nodiscard]] std::vector<Line> lines() const {
    std::vector<Line> out;
    std::vector<std::optional<int>> kappas, ratios;
    const auto& only = settings_.only;
    if (!has_effects())
      kappas.emplace_back(std::nullopt);
    else if (only && !only->dense)
      kappas.emplace_back(only->exponent);
    else
      for (int k = kappa_.first; k <= kappa_.last; ++k) kappas.emplace_back(k);
    if (only ? !only->dense : settings_.parts != SparseParts::dense_only || !has_dense()) ratios.emplace_back(std::nullopt);
    if (only && only->dense)
      ratios.emplace_back(only->exponent);
    else if (!only && has_dense())
      for (int j = ratio_.first; j <= ratio_.last; ++j) ratios.emplace_back(j);
    for (const auto& ratio : ratios)
      for (const auto& kappa : kappas) out.push_back({kappa, ratio});
    return out;
  }

  // Without a dense part, all values of kappa. With one, first all values of h with the best kappa and its neighbours, and then the
  // neighbours of all lines with weight.
  void run_lines() {
    std::vector<Line> all = lines(), next;
    for (const Line& line : all)
      if (!line.ratio) next.push_back(line);
    run(next);
    if (!weigh()) return run(all);
    const Line best = best_line();
    next.clear();
    for (const Line& line : all)
      if (line.ratio && (next_to(line.kappa, best.kappa) || !best.kappa)) next.push_back(line);
    for (run(next); !next.empty() && weigh(); run(next)) {
      next.clear();
      for (const Line& line : all)
        if (!found_.contains(line) && has_neighbour_that_counts(line)) next.push_back(line);
    }
  }
  [[nodiscard]] static bool next_to(const std::optional<int>& a, const std::optional<int>& b) { return !a || !b || std::abs(*a - *b) <= 1; }
  [[nodiscard]] double weight_of(const Line& line) const {
    const auto at = found_.find(line);
    double sum = 0;
    if (at != found_.end())
      for (const GridPoint& point : at->second) sum += point.weight;
    return sum;
  }
  [[nodiscard]] Line best_line() const {
    const auto less = [&](const auto& a, const auto& b) { return weight_of(a.first) < weight_of(b.first); };
    return std::max_element(found_.begin(), found_.end(), less)->first;
  }
  [[nodiscard]] bool has_neighbour_that_counts(const Line& line) const {
    return std::any_of(found_.begin(), found_.end(), [&](const auto& one) {
      const Line& other = one.first;
      return other.ratio && next_to(line.ratio, other.ratio) && next_to(line.kappa, other.kappa) && weight_of(other) > least_weight_of_line;
    });
  }

  // Runs those of the lines that are missing.
  void run(const std::vector<Line>& wanted) {
    std::vector<Line> missing;
    for (const Line& line : wanted)
      if (!found_.contains(line)) missing.push_back(line);
    std::vector<std::vector<GridPoint>> found(missing.size());
    num_wanted_ += static_cast<Index>(missing.size());
    tell(num_done_);
    parallel_for(static_cast<Index>(missing.size()), num_threads_, [&](Index i) {
      const auto at = static_cast<std::size_t>(i);
      if (stopped_) return;
      found[at] = run_line(missing[at]);
      report(found[at]);
    });
    for (std::size_t i = 0; i < missing.size(); ++i) found_[missing[i]] = std::move(found[i]);
  }

  // Reports the best bound of a line, with the number of sweeps of all lines so far.
  void report(std::vector<GridPoint>& line) {
    tell(++num_done_);
    int sweeps = 0;
    double best = -infinity;
    for (const GridPoint& point : line) sweeps += point.sweeps, best = std::max(best, point.bound);
    const int now = sweeps_ += sweeps;
    if (settings_.ascent.on_sweep && !settings_.ascent.on_sweep(now, best)) stopped_ = true;
    if (stopped_)
      for (GridPoint& point : line) point.status = Status::stopped_by_user;
  }

  // Which neighbours of a line are needed is known only after it.
  void tell(Index num_done) const {
    pulse("fitting",
          {.name = "prior setting", .done = num_done, .total = num_wanted_, .may_grow = true, .of_step = !settings_.ascent.on_sweep});
  }

  [[nodiscard]] double target_variance() const {
    return std::max((rows_.rest + rows_.y.squaredNorm()) / std::max(rows_.degrees, 1.0), slab_.least_s2);
  }

  [[nodiscard]] GridPoint begin(const Line& line) const {
    GridPoint point{
        {{}, SpikeSlab(which_, slab_, sets_)}, {line.ratio.has_value(), line.ratio ? *line.ratio : line.kappa.value_or(0)}, 0, 0};
    point.q.set_rows(rows_);
    SpikeSlabHyper hyper{.pi = 0, .kappa = 0, .h = 0, .s2 = slab_.fit_noise ? target_variance() : 1};
    const double columns = static_cast<double>(which_.size()) * slab_.column_unit;
    if (line.kappa) hyper.kappa = std::pow(4.0, *line.kappa) * slab_.noise / slab_.column_unit;
    if (line.ratio) hyper.h = std::pow(4.0, *line.ratio) * slab_.noise / columns;
    point.q.set_hyper(hyper);
    return point;
  }

  void take_pi(GridPoint& point, const Line& line, std::size_t i) const {
    SpikeSlabHyper hyper = point.q.hyper();
    hyper.pi = 1 / (1 + std::exp(-odds_[i].log_odds));
    point.q.set_hyper(hyper);
    point.sweeps = 0;
    point.history.clear();
    take_prior(point, line, odds_[i].log_prior);
  }

  void take_prior(GridPoint& point, const Line& line, double log_prior) const {
    if (line.kappa) log_prior += log_prior_of_kappa(*line.kappa, kappa_tail_, slab_.grid.narrowest);
    if (line.ratio) log_prior += log_prior_of_ratio(*line.ratio);
    const SpikeSlabHyper& hyper = point.q.hyper();
    point.signal = slab_.column_unit * static_cast<double>(which_.size()) * (hyper.h + hyper.pi * hyper.kappa);
    if (settings_.log_prior_of_signal) log_prior += settings_.log_prior_of_signal(point.signal);
    point.log_prior = log_prior;
  }

  // With known noise, the density of each row is below one, and flat columns add only some tens of nats. Therefore a log evidence far above
  // 0 is rounding, from columns in very different units.                                                                        (SL.6)
  void climb(GridPoint& point) const {
    ascend(order_, ascent_, {}, point);
    if (slab_.fit_noise || point.bound <= 100.0 * static_cast<double>(10 + rows_.rank())) return;
    point.bound = -infinity;
    point.status = Status::failed;
  }

  // Continues each point from its state on other rows.
  [[nodiscard]] std::vector<GridPoint> go_on(const Line& line, const std::vector<GridPoint>& before) const {
    std::vector<GridPoint> out;
    for (std::size_t i = 0; i < before.size(); ++i) {
      out.push_back(before[i]);
      out.back().q.set_rows(rows_);
      take_pi(out.back(), line, i);
      climb(out.back());
    }
    return out;
  }

  // All values of pi twice: up, starting without effects, and down, starting with all columns included. The higher bound counts.
  [[nodiscard]] std::vector<GridPoint> run_line(const Line& line) const {
    GridPoint point = begin(line);
    if (!line.kappa) {
      take_prior(point, line, 0);
      point.q.update_hyper(Reach::near);
      point.bound = point.q.bound();
      point.history = {point.bound};
      point.sweeps = 1;
      point.status = std::isfinite(point.bound) ? Status::converged : Status::failed;
      return {std::move(point)};
    }
    if (settings_.from != nullptr)
      if (const auto before = settings_.from->find(line); before != settings_.from->end()) return go_on(line, before->second);
    std::vector<GridPoint> out;
    for (std::size_t i = 0; i < odds_.size(); ++i) {
      take_pi(point, line, i);
      climb(point);
      out.push_back(point);
    }
    point = begin(line);
    for (std::size_t i = odds_.size(); i-- > 0;) {
      take_pi(point, line, i);
      climb(point);
      out[i].sweeps += point.sweeps;
      if (point.status == Status::failed) break;
      const double gain = point.bound - out[i].bound;
      if (gain > 0 || out[i].status == Status::failed) {
        point.sweeps = out[i].sweeps;
        out[i] = point;
      }
      if (std::abs(gain) < one_maximum && i + 1 < odds_.size()) break;  // both directions have met, and will be equal for smaller pi, too
    }
    return out;
  }

  // ln of the joint weight of a point, with the prior of its hypothesis.
  [[nodiscard]] double log_joint(const GridPoint& point) const {
    const bool two = settings_.parts == SparseParts::both && has_dense();
    const double of_hypothesis = !two ? 1 : point.cell.dense ? slab_.grid.dense : 1 - slab_.grid.dense;
    return point.status == Status::failed ? -infinity : point.bound + point.log_prior + std::log(of_hypothesis);
  }

  /// Computes the weights of all points. False: no point reached a finite bound.
  bool weigh() {
    std::vector<double> all;
    for (const auto& [line, points] : found_)
      for (const GridPoint& point : points) all.push_back(log_joint(point));
    out_.log_evidence = log_sum(all);
    if (!std::isfinite(out_.log_evidence)) return false;
    for (auto& [line, points] : found_)
      for (GridPoint& point : points) point.weight = std::exp(log_joint(point) - out_.log_evidence);
    return true;
  }

  // Keeps the points with weight, in the order of the grid.
  void collect() {
    if (settings_.keeps_lines) out_.lines = found_;
    double most = 0, total = 0;
    for (const auto& [line, points] : found_)
      for (const GridPoint& point : points) most = std::max(most, point.weight);
    for (const bool dense : {false, true}) {
      std::vector<double> log_joints;
      for (auto& [line, points] : found_) {
        if (line.ratio.has_value() != dense) continue;
        out_.num_points += static_cast<Index>(points.size());
        for (GridPoint& point : points) {
          log_joints.push_back(log_joint(point));
          if (!(point.weight > least_weight * most)) continue;
          total += point.weight;
          out_.points.push_back(std::move(point));
          if (out_.points.back().weight > out_.points[out_.best].weight) out_.best = out_.points.size() - 1;
        }
      }
      if (!log_joints.empty()) out_.hypotheses.push_back({dense, log_sum(log_joints) - out_.log_evidence});
    }
    for (GridPoint& point : out_.points) point.weight /= total;
    normalise(out_.hypotheses);
    if (!out_.points.empty()) out_.peak = out_.points[out_.best].bound;
  }

  // Adds one value at each end of a range that has enough weight. True if a range has grown.
  [[nodiscard]] bool lengthen() {
    std::map<int, double> by_kappa, by_ratio;
    for (const auto& [line, points] : found_)
      for (const GridPoint& point : points) {
        if (line.kappa) by_kappa[*line.kappa] += point.weight;
        if (line.ratio) by_ratio[*line.ratio] += point.weight;
      }
    bool longer = false;
    const auto look = [&](Range& range, std::map<int, double>& share) {
      const Range before = range;
      if (share[before.last] > least_share_at_end && before.last < most_exponent) ++range.last, longer = true;
      if (share[before.first] > least_share_at_end && before.first > (&range == &kappa_ ? least_kappa_ : least_exponent))
        --range.first, longer = true;
    };
    const auto& only = settings_.only;
    if (has_effects() && !(only && !only->dense)) look(kappa_, by_kappa);
    if (has_dense() && !only) look(ratio_, by_ratio);
    return longer;
  }
  const ReducedRows& rows_;
  const PenalisedColumns& which_;
  const std::shared_ptr<const ColumnSets>& sets_;
  SpikeSlabSettings slab_;
  double kappa_tail_;
  const GridSettings& settings_;
  AscentSettings ascent_;
  Index num_threads_;
  std::vector<Index> order_;
  std::vector<PriorOfOdds> odds_;
  Range kappa_, ratio_;
  int least_kappa_ = 0;
  GridLines found_;
  Index num_wanted_ = 0;
  std::atomic<Index> num_done_ = 0;
  std::atomic<int> sweeps_ = 0;
  std::atomic<bool> stopped_ = false;
  HyperGrid out_;
};

}  // namespace

double log_prior_of_kappa(int k, double tail, double narrowest) {
  struct Last {
    double tail = -1, narrowest = -1, mass = 0;
  };
  thread_local Last last;  // a grid asks for one prior, of all its points
  if (last.tail != tail || last.narrowest != narrowest)
    last = {tail, narrowest, log_mass([=](int i) { return log_density_of_kappa(i, tail, narrowest); })};
  return log_density_of_kappa(k, tail, narrowest) - last.mass;
}

double log_prior_of_ratio(int j) {
  static const double all = log_mass(log_density_of_ratio);
  return log_density_of_ratio(j) - all;
}

// From odds 1/(2 G) to 3 G, or to 1 for more than 20 columns or groups; the weights pi^a (1 - pi)^b are the density of Beta(a, b).
std::vector<PriorOfOdds> prior_of_odds(Index num_groups, const PriorOfGrid& prior) {
  const double groups = static_cast<double>(num_groups), from = std::log(0.5 / groups), to = num_groups > 20 ? 0.0 : std::log(3 * groups);
  std::vector<PriorOfOdds> out;
  std::vector<double> mass;
  for (int i = 0; i < num_pi; ++i) {
    const double x = from + i * (to - from) / (num_pi - 1);
    out.push_back({x, prior.with_effect * log_sigmoid(x) + prior.without_effect * log_sigmoid(-x)});
    mass.push_back(out.back().log_prior);
  }
  for (PriorOfOdds& one : out) one.log_prior -= log_sum(mass);
  return out;
}

GridRanges first_ranges(const SpikeSlabSettings& slab) {
  const double seen = slab.num_rows / slab.noise;  // by a column of typical size, in whose units the grid is
  // With 4, 16, 64 rows and standardised columns, both powers are integers except for rounding, which must not decide the range.
  const auto power_of_4 = [](double x) {
    const double power = std::log(x) / std::log(4.0), whole = std::round(power);
    return std::abs(power - whole) < 1e-9 ? whole : power;
  };
  const auto at_most = [](double x) { return static_cast<int>(std::clamp<double>(x, least_exponent, most_exponent)); };
  GridRanges out;
  out.least_kappa = at_most(std::ceil(power_of_4(4 / seen)));
  constexpr int least_of_few_rows = -1;  // of classes: a larger one would make the effects of few rows too large
  if (!slab.fit_noise) out.least_kappa = std::min(out.least_kappa, least_of_few_rows);
  out.first_kappa = std::max(out.least_kappa, -3);
  // The range reaches the values for the smallest column. If it is much smaller than a typical one, the range might not grow so far,
  // because the values between may have no weight.
  const double smaller = slab.smallest_unit > 0 ? slab.column_unit / slab.smallest_unit : 1;
  out.last_kappa = at_most(std::max(out.first_kappa + 5.0, std::floor(power_of_4(16384 / seen * std::max(smaller / 256, 1.0)))));
  return out;
}

HyperGrid run_grid(const ReducedRows& rows, const PenalisedColumns& which, const std::shared_ptr<const ColumnSets>& sets,
                   const SpikeSlabSettings& slab, const GridSettings& settings, Index num_threads) {
  return Grid(rows, which, sets, slab, settings, num_threads).run();
}

}  // namespace ardvark::internal
