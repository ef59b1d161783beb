#include "method/spike_slab/starts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/parallel.hpp"
#include "core/pulse.hpp"
#include "method/spike_slab/column_pass.hpp"

namespace ardvark::internal {
namespace {

constexpr int num_penalties = 20;
constexpr double least_weight = 1e-3;  // relative to the best start: a component without influence costs as much as any other

// Columns with few different values often have equal sizes except for rounding, which depends on the order of the rows. Rounding to grains
// makes them equal, so that their position decides.
Vector in_grains(const Vector& size) {
  const double grain = size.size() > 0 ? 0x1p-30 * size.maxCoeff() : 0;
  return grain > 0 ? Vector((size / grain).array().round()) : size;
}

std::vector<Index> descending(const Vector& size, std::vector<Index> order) {
  const Vector grains = in_grains(size);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return grains[a] > grains[b]; });
  return order;
}

std::vector<Index> descending(const Vector& size) {
  std::vector<Index> order(static_cast<std::size_t>(size.size()));
  std::iota(order.begin(), order.end(), Index{0});
  return descending(size, std::move(order));
}

// Minimises 1/2 |y - Z m|^2 + lambda |m|_1; each solution starts from the one before.                                         (L1.3)
class LassoPath {
 public:
  explicit LassoPath(const ReducedRows& rows)
      : rows_(rows),
        ones_(Vector::Ones(rows.rank())),
        m_(Vector::Zero(rows.size())),
        u_(rows.y),
        g_(Vector::Zero(rows.rank())),
        is_in_(static_cast<std::size_t>(rows.size()), false),
        enough_(1e-4 * std::sqrt(rows.y.squaredNorm() / std::max(1.0, rows.degrees))) {}

  // Columns enter if their gradient exceeds lambda, until there are no more.
  const Vector& solve(double lambda) {
    for (int round = 0; round < 50; ++round) {
      const Vector slope = rows_.project(u_).cwiseAbs();
      const std::size_t before = working_.size();
      for (Index j = 0; j < slope.size(); ++j)
        if (!is_in_[static_cast<std::size_t>(j)] && slope[j] > lambda + rows_.degrees * enough_) {
          is_in_[static_cast<std::size_t>(j)] = true;
          working_.push_back(j);
        }
      if (working_.size() == before && round > 0) break;
      // By slope, so that the order of the columns in the table has no effect.
      const Vector grains = in_grains(slope);
      std::stable_sort(working_.begin() + static_cast<std::ptrdiff_t>(before), working_.end(),
                       [&](Index a, Index b) { return grains[a] > grains[b]; });
      descend(lambda);
    }
    return m_;
  }

 private:
  void descend(double lambda) {
    for (int round = 0; round < 50 && pass(working_, lambda) >= enough_; ++round) {
      std::vector<Index> active;
      for (const Index j : working_)
        if (m_[j] != 0) active.push_back(j);
      for (int inner = 0; inner < 200 && pass(active, lambda) >= enough_; ++inner) {
      }
    }
  }

  // Returns the largest change of a weight, in units of the target if columns have unit variance.
  double pass(const std::vector<Index>& order, double lambda) {
    double largest = 0;
    pass_over_columns(rows_, order, ones_, m_, u_, g_, [&](Index j, double c, double d) {
      const double next = d > 0 ? std::copysign(std::max(std::abs(c) - lambda, 0.0), c) / d : 0.0;
      largest = std::max(largest, std::abs(next - m_[j]));
      return ColumnUpdate{next, 0};
    });
    return largest;
  }

  const ReducedRows& rows_;
  Vector ones_, m_, u_, g_;
  std::vector<bool> is_in_;
  std::vector<Index> working_;
  double enough_;
};

Vector group_norms(const Vector& x, const PenalisedColumns& which) {
  Vector norm(which.num_groups());
  for (Index g = 0; g < norm.size(); ++g)
    norm[g] = x.segment(which.group_begin(g), which.group_size(g)).norm() / std::sqrt(static_cast<double>(which.group_size(g)));
  return norm;
}

// Three kinds of start, each with the order of its sweeps.
struct Starts {
  const ReducedRows& rows;
  const PenalisedColumns& which;
  const std::shared_ptr<const ColumnSets>& sets;
  const SpikeSlabSettings& slab;
  const AscentSettings& ascent;
  bool with_dense;
  std::vector<Index> correlation = by_correlation(rows, which);

  // For a constant target the lower limit of the noise, the only quantity with this unit.
  [[nodiscard]] double target_variance() const {
    if (!slab.fit_noise) return 1;
    return std::max((rows.rest + rows.y.squaredNorm()) / std::max(rows.degrees, 1.0), slab.least_s2);
  }

  [[nodiscard]] double seen() const { return slab.seen(); }

  [[nodiscard]] StartOutcome begin(std::string name, bool dense) const {
    SpikeSlabSettings settings = slab;
    settings.fit_dense = dense;
    StartOutcome start{std::move(name), SpikeSlab(which, settings, sets)};
    start.q.set_rows(rows);
    return start;
  }

  [[nodiscard]] StartOutcome from_ridge() const {
    StartOutcome start = begin("ridge", true);
    start.q.set_hyper({.pi = 0.1, .kappa = 0, .h = 1 / seen(), .s2 = target_variance()});
    start.q.update_hyper(Reach::everywhere);
    SpikeSlabHyper hyper = start.q.hyper();
    hyper.kappa = 16 / seen();
    start.q.set_hyper(hyper);
    ascend(sets->in_order_of(correlation), ascent, {}, start);
    return start;
  }

  [[nodiscard]] StartOutcome from_zero() const {
    StartOutcome start = begin("zero", false);
    start.q.set_hyper({.pi = 0.1, .kappa = 16 / seen(), .h = 0, .s2 = target_variance()});
    ascend(sets->in_order_of(correlation), ascent, {}, start);
    if (!with_dense || start.status != Status::converged) return start;
    start.q.free_dense(1e-4 / seen());
    start.history.clear();  // with the dense part, the bound is another one
    ascend(sets->in_order_of(correlation), ascent, {}, start);
    return start;
  }

  [[nodiscard]] StartOutcome from_lasso(int penalty, const Vector& m, std::span<const StartOutcome> ended) const {
    StartOutcome start = begin(fmt::format("lasso {}", penalty), with_dense);
    const double nonzero = static_cast<double>((m.array() != 0).count());
    SpikeSlabHyper hyper{.pi = 0.1, .kappa = 16 / seen(), .h = with_dense ? 1e-4 / seen() : 0, .s2 = target_variance()};
    start.q.set_hyper({.h = 0, .s2 = 1});
    start.q.set_mean(m);
    if (nonzero > 0) {
      if (slab.fit_noise) {
        hyper.s2 = (rows.rest + start.q.Dr().squaredNorm()) / std::max(rows.degrees - nonzero, 1.0);
        hyper.s2 = std::max(hyper.s2, 1e-6 * target_variance());
      }
      hyper.pi = std::min(nonzero / static_cast<double>(which.size() + slab.columns_beside), 0.5);
      hyper.kappa = std::max(1.5 * m.squaredNorm() / nonzero / hyper.s2, slab.least_kappa);
    }
    start.q.set_hyper(hyper);
    ascend(sets->in_order_of(by_size(m, which, correlation)), ascent, ended, start);
    return start;
  }

  [[nodiscard]] StartOutcome dense_only() const {
    StartOutcome start = begin("ridge", true);
    start.q.set_hyper({.pi = 0, .kappa = 0, .h = 1 / seen(), .s2 = target_variance()});
    start.q.update_hyper(Reach::everywhere);
    start.bound = start.q.bound();
    start.history = {start.bound};
    start.sweeps = 1;
    start.status = std::isfinite(start.bound) ? Status::converged : Status::failed;
    return start;
  }
};

}  // namespace

SpikeSlab on_more_columns(const SpikeSlab& before, const PenalisedColumns& which, std::shared_ptr<const ColumnSets> sets,
                          const ReducedRows& rows, Index columns_beside, std::shared_ptr<const ColumnsBeside> beside) {
  SpikeSlabSettings settings = before.settings();
  settings.columns_beside = columns_beside;
  Vector mean = Vector::Zero(rows.size());
  mean.head(before.mean().size()) = before.mean();
  SpikeSlab out(which, settings, std::move(sets));
  out.set_rows(rows);
  out.set_state(mean, before.hyper());
  out.set_beside(std::move(beside));
  return out;
}

double penalty_at(int position) { return std::pow(0.02, position / (num_penalties - 1.0)); }

Matrix lasso_path(const ReducedRows& rows, std::span<const int> penalties) {
  Matrix found(rows.size(), static_cast<Index>(penalties.size()));
  if (rows.size() == 0) return found;
  LassoPath path(rows);
  const double most = rows.project(rows.y).cwiseAbs().maxCoeff();
  for (std::size_t i = 0; i < penalties.size(); ++i) found.col(static_cast<Index>(i)) = path.solve(most * penalty_at(penalties[i]));
  return found;
}

std::vector<Index> by_correlation(const ReducedRows& rows, const PenalisedColumns& which) {
  return descending(group_norms(rows.project(rows.y), which));
}

std::vector<Index> by_size(const Vector& m, const PenalisedColumns& which, const std::vector<Index>& correlation) {
  return descending(group_norms(m, which), correlation);
}

bool are_alike(const SpikeSlab& a, const SpikeSlab& b, double seen, double distance) {
  const SpikeSlabHyper &one = a.hyper(), &two = b.hyper();
  const double flat = std::clamp(0.5 * std::sqrt(2 / std::max(a.rows().degrees, 1.0)), 2e-2, 5e-2);
  return seen * distance < 0.25 * one.s2 && std::abs(one.s2 - two.s2) < flat * one.s2 &&
         seen * std::abs(one.h - two.h) < 2e-2 * (1 + seen * one.h);
}

std::vector<StartOutcome> run_starts(const ReducedRows& rows, const PenalisedColumns& which, const std::shared_ptr<const ColumnSets>& sets,
                                     const SpikeSlabSettings& slab, const AscentSettings& ascent, SparseParts parts, Index num_threads) {
  const Starts starts{rows, which, sets, slab, ascent, parts == SparseParts::both};
  if (parts == SparseParts::dense_only || which.size() == 0) return {starts.dense_only()};
  // The path is computed at the same time as the two starts that do not need it. Starts from the path end if they meet one of these two.
  std::vector<StartOutcome> out;
  std::optional<StartOutcome> ridge, zero;
  Matrix lasso;
  const Index num_starts = static_cast<Index>(start_penalties.size()) + (starts.with_dense ? 2 : 1);
  std::atomic<Index> num_done = 0;
  const auto tell = [&](Index done) { pulse("fitting", {.name = "start", .done = done, .total = num_starts, .alike = false}); };
  tell(0);
  parallel_for(3, num_threads, [&](Index task) {
    if (task == 0) lasso = lasso_path(rows, start_penalties);
    if (task == 1 && starts.with_dense) ridge = starts.from_ridge(), tell(++num_done);
    if (task == 2) zero = starts.from_zero(), tell(++num_done);
  });
  if (ridge) out.push_back(std::move(*ridge));
  out.push_back(std::move(*zero));
  std::vector<std::optional<StartOutcome>> found(start_penalties.size());
  parallel_for(static_cast<Index>(found.size()), num_threads, [&](Index task) {
    const auto i = static_cast<std::size_t>(task);
    found[i] = starts.from_lasso(start_penalties[i], lasso.col(task), out);
    tell(++num_done);
  });
  for (std::optional<StartOutcome>& start : found) out.push_back(std::move(*start));
  pulse("fitting");
  return out;
}

Vector start_weights(const std::vector<double>& bounds) {
  double best = -std::numeric_limits<double>::infinity();
  for (const double bound : bounds)
    if (std::isfinite(bound)) best = std::max(best, bound);
  Vector weight(static_cast<Index>(bounds.size()));
  for (Index i = 0; i < weight.size(); ++i) {
    const double bound = bounds[static_cast<std::size_t>(i)];
    weight[i] = std::isfinite(bound) ? std::exp(0.25 * (bound - best)) : 0;
    if (weight[i] < least_weight) weight[i] = 0;
  }
  return weight.sum() > 0 ? Vector(weight / weight.sum()) : weight;
}

}  // namespace ardvark::internal
