// Greedy maximisation of the evidence: what is asked, and from how many starts.                                docs/math/greedy.md
#include "engine/greedy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ardvark/errors.hpp"
#include "engine/greedy_loop.hpp"

namespace ardvark {
namespace {

void require(bool holds, const std::string& message) {
  if (!holds) throw InvalidArgument(message);
}

void require_prior(const GreedyPrior& prior, const char* name) {
  const bool none = prior.shape == 0 && prior.rate == 0;
  require(none || (prior.shape > 0 && prior.rate > 0 && std::isfinite(prior.shape) && std::isfinite(prior.rate)),
          fmt::format("{} = Gamma({}, {}): shape and rate must be both 0 (no prior) or both positive", name, prior.shape, prior.rate));
}

void validate(const Design& basis, const Vector& target, const GreedySettings& s) {
  require(target.size() == basis.rows() && target.size() > 0,
          fmt::format("target has {} entries, the design {} rows; they must be equal and at least 1", target.size(), basis.rows()));
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
  std::vector<Index> free = s.free_columns;
  std::sort(free.begin(), free.end());
  for (std::size_t i = 0; i < free.size(); ++i)
    require(free[i] >= 0 && free[i] < basis.cols() && (i == 0 || free[i] != free[i - 1]),
            fmt::format("free_columns names column {}; each must be from 0 to {} and named once", free[i], basis.cols() - 1));
}

}  // namespace

// Further starts: with all of the target as noise, which falls slowly while columns are chosen, and with a fifth of its standard deviation,
// which hardly moves until they are. The highest evidence is kept.                                                       (GREEDY.10)
GreedyOutcome greedy(Design& basis, const Vector& target, const GreedySettings& settings) {
  validate(basis, target, settings);
  GreedyOutcome best = Greedy(basis, target, settings).run();
  const double variance = target_variance(target, settings.weights.size() > 0 ? settings.weights : Vector::Ones(target.size()));
  const bool again = settings.likelihood == GreedyLikelihood::gaussian && !settings.fixed_noise && settings.more_starts &&
                     !best.evidence_trace.empty() && best.num_screens == 0 && variance > 0;
  struct Start {
    double noise_variance;
    int noise_every;
  };
  int done = static_cast<int>(best.evidence_trace.size());
  for (const Start start : {Start{variance, 20}, Start{0.04 * variance, 200}}) {
    if (!again || best.status != Status::converged) break;
    GreedySettings patient = settings;
    patient.noise_precision = 1 / start.noise_variance;
    patient.noise_every = start.noise_every;
    patient.max_actions = std::max(settings.max_actions - done, 0);
    if (settings.on_action)
      patient.on_action = [&](int actions, double evidence) {
        return settings.on_action(done + actions, std::max(evidence, best.objective));
      };
    GreedyOutcome other = Greedy(basis, target, patient).run();
    done += static_cast<int>(other.evidence_trace.size());
    const bool stopped = other.status == Status::stopped_by_user;
    if (!other.evidence_trace.empty() && other.objective > best.objective) {
      best = std::move(other);
      best.message += "; reached from another start of the noise";
    }
    if (stopped) best.status = Status::stopped_by_user;
  }
  return best;
}

}  // namespace ardvark
