// Greedy maximisation of the evidence: checks of the settings, and the starts.                                 docs/math/greedy.md
#include "method/greedy/greedy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ardvark/errors.hpp"
#include "core/parallel.hpp"
#include "design/column_subset.hpp"
#include "method/greedy/greedy_loop.hpp"

namespace ardvark::internal {
namespace {

void require(bool holds, const std::string& message) {
  if (!holds) throw InvalidArgument(message);
}

void require_prior(const GreedyPrior& prior, const char* name) {
  const bool none = prior.shape == 0 && prior.rate == 0;
  require(none || (prior.shape > 0 && prior.rate > 0 && std::isfinite(prior.shape) && std::isfinite(prior.rate)),
          fmt::format("{} = Gamma({}, {}): shape and rate must both be 0 (no prior) or both be positive", name, prior.shape, prior.rate));
}

void require_columns(std::vector<Index> columns, Index cols, const char* name) {
  std::sort(columns.begin(), columns.end());
  for (std::size_t i = 0; i < columns.size(); ++i)
    require(columns[i] >= 0 && columns[i] < cols && (i == 0 || columns[i] != columns[i - 1]),
            fmt::format("{} names column {}; each must be from 0 to {} and named once", name, columns[i], cols - 1));
}

void validate(const Design& basis, const Vector& target, const GreedySettings& s) {
  require(target.size() == basis.rows() && target.size() > 0,
          fmt::format("target has {} entries and the design has {} rows; these numbers must be equal and at least 1", target.size(),
                      basis.rows()));
  const bool gaussian = s.likelihood == GreedyLikelihood::gaussian;
  for (Index i = 0; i < target.size(); ++i)
    require(gaussian ? std::isfinite(target[i]) : target[i] == 0 || target[i] == 1,
            fmt::format("target[{}] is {}; it must be {}", i, target[i], gaussian ? "finite" : "0 or 1"));
  require(s.weights.size() == 0 ||
              (s.weights.size() == target.size() && s.weights.allFinite() && s.weights.minCoeff() >= 0 && s.weights.maxCoeff() > 0),
          fmt::format("weights must be empty or one finite weight >= 0 for each of {} rows, not all zero", target.size()));
  require(s.noise_precision >= 0 && std::isfinite(s.noise_precision),
          fmt::format("noise_precision is {}; it must be >= 0", s.noise_precision));
  require(s.free_precision > 0 && std::isfinite(s.free_precision), fmt::format("free_precision is {}; it must be > 0", s.free_precision));
  require(s.tolerance > 0, fmt::format("tolerance is {}; it must be > 0", s.tolerance));
  require(s.max_actions >= 0 && s.refactor_every >= 1 && s.screen_block >= 1 && s.most_kept >= 0,
          "max_actions and most_kept must be >= 0, refactor_every and screen_block >= 1");
  require(s.column_cost >= 0 && std::isfinite(s.column_cost), fmt::format("column_cost is {}; it must be >= 0", s.column_cost));
  require(s.alignment > 0 && s.alignment <= 1, fmt::format("alignment is {}; it must be in (0, 1]", s.alignment));
  require_prior(s.precision, "precision");
  require_prior(s.noise, "noise");
  require_columns(s.free_columns, basis.cols(), "free_columns");
  std::vector<Index> all = s.free_columns;
  all.insert(all.end(), s.start_columns.begin(), s.start_columns.end());
  require_columns(std::move(all), basis.cols(), "start_columns");
  require(s.start_precision.size() == static_cast<Index>(s.start_columns.size()) && (s.start_precision.array() > 0).all() &&
              s.start_precision.allFinite(),
          fmt::format("start_precision has {} entries; it must have one > 0 for each of {} start_columns", s.start_precision.size(),
                      s.start_columns.size()));
}

// A search over an eighth of the columns takes an eighth of the time. Several eighths end in different maxima. The search over all columns
// begins at the highest of these.                                                                                            (GREEDY.12)
GreedySettings begin_with_a_part(Design& basis, const Vector& target, const GreedySettings& settings) {
  constexpr Index stride = 8;
  const Index starts = settings.more_starts ? 4 : 1;
  std::vector<GreedyOutcome> ends(static_cast<std::size_t>(starts));
  std::vector<std::vector<Index>> columns(ends.size());
  const Index threads = settings.on_action ? 1 : blas::num_threads();
  const blas::ThreadScope one(1);
  parallel_for(starts, threads, [&](Index offset) {
    std::vector<Index>& some = columns[static_cast<std::size_t>(offset)];
    some = settings.free_columns;
    for (Index j = offset; j < basis.cols(); j += stride) some.push_back(j);
    std::sort(some.begin(), some.end());
    some.erase(std::unique(some.begin(), some.end()), some.end());
    GreedySettings coarse = settings;
    coarse.exchange = false;
    coarse.tolerance = std::max(settings.tolerance, 1e-2);
    for (Index& j : coarse.free_columns) j = std::lower_bound(some.begin(), some.end(), j) - some.begin();
    ColumnSubset part(basis, some);
    ends[static_cast<std::size_t>(offset)] = Greedy(part, target, coarse).run();
  });
  std::size_t best = 0;
  for (std::size_t i = 1; i < ends.size(); ++i)
    if (ends[i].objective > ends[best].objective) best = i;
  GreedySettings out = settings;
  std::vector<double> precision;
  for (std::size_t i = 0; i < ends[best].columns.size(); ++i) {
    const Index j = columns[best][static_cast<std::size_t>(ends[best].columns[i])];
    if (std::find(settings.free_columns.begin(), settings.free_columns.end(), j) != settings.free_columns.end()) continue;
    out.start_columns.push_back(j);
    precision.push_back(ends[best].alpha[static_cast<Index>(i)]);
  }
  out.start_precision = Eigen::Map<const Vector>(precision.data(), static_cast<Index>(precision.size()));
  return out;
}

// Further starts for Gaussian rows. One begins with all of the target as noise, which falls slowly while columns are chosen. The other
// begins with a fifth of its standard deviation, which hardly changes until they are chosen.                                    (GREEDY.10)
std::vector<GreedySettings> starts_of(const Design& basis, const Vector& target, const GreedySettings& settings) {
  std::vector<GreedySettings> starts{settings};
  const double variance = target_variance(target, settings.weights.size() > 0 ? settings.weights : Vector::Ones(target.size()));
  const bool more = settings.likelihood == GreedyLikelihood::gaussian && !settings.fixed_noise && settings.more_starts &&
                    Greedy::is_kept(basis, settings) && variance > 0;
  if (!more) return starts;
  for (const auto& [noise_variance, noise_every] : {std::pair{variance, 20}, std::pair{0.04 * variance, 200}}) {
    GreedySettings& patient = starts.emplace_back(settings);
    patient.noise_precision = 1 / noise_variance;
    patient.noise_every = noise_every;
  }
  return starts;
}

}  // namespace

// Keeps the highest of the results. The starts run in parallel if there is no on_action and each can keep its own copy of the columns.
GreedyOutcome greedy(Design& basis, const Vector& target, const GreedySettings& settings) {
  validate(basis, target, settings);
  const bool in_parts = Greedy::in_parts(basis, settings) && settings.start_columns.empty();
  std::vector<GreedySettings> starts = starts_of(basis, target, in_parts ? begin_with_a_part(basis, target, settings) : settings);
  std::vector<GreedyOutcome> ends(starts.size());
  constexpr Index most_held = Index{1} << 22;  // numbers
  const bool small = basis.factors() != nullptr || basis.rows() <= most_held / std::max<Index>(basis.cols(), 1);
  const bool together = starts.size() > 1 && small && !settings.on_action;
  const Index num_threads = blas::num_threads();
  const blas::ThreadScope one(together ? 1 : 0);
  bool stopped = false;
  int done = 0;
  double highest = -std::numeric_limits<double>::infinity();
  parallel_for(static_cast<Index>(starts.size()), together ? num_threads : 1, [&](Index i) {
    if (stopped) return;
    GreedySettings& start = starts[static_cast<std::size_t>(i)];
    GreedyOutcome& end = ends[static_cast<std::size_t>(i)];
    if (settings.on_action)
      start.on_action = [&](int actions, double evidence) { return settings.on_action(done + actions, std::max(evidence, highest)); };
    end = Greedy(basis, target, start).run();
    if (together) return;
    done += static_cast<int>(end.evidence_trace.size());
    highest = std::max(highest, end.objective);
    stopped = end.status != Status::converged;
  });
  std::size_t best = 0;
  for (std::size_t i = 1; i < ends.size(); ++i)
    if (!ends[i].evidence_trace.empty() && ends[i].objective > ends[best].objective) best = i;
  GreedyOutcome out = std::move(ends[best]);
  if (best > 0) out.message += "; reached from another starting value of the noise";
  for (const GreedyOutcome& end : ends)
    if (end.status == Status::stopped_by_user) out.status = Status::stopped_by_user;
  return out;
}

}  // namespace ardvark::internal
