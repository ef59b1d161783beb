#include "engine/class_steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/special.hpp"
#include "engine/anderson.hpp"

namespace ardvark {
namespace {

constexpr double drifting = 200;  // m^2 + s of a row beyond all doubt

// Where a flat column tells rows apart the bound may climb for ever, a little a step.                                           (SL.6)
bool drifts(const std::vector<double>& F, double tolerance) {
  constexpr std::size_t steps = 10;
  return F.size() <= steps || std::abs(F.back() - F[F.size() - 1 - steps]) > tolerance;
}

// E sum omega (z - eta)^2 / 2: what the evidence of the working rows says of them.
double misfit(const Sites& sites, const Vector& z, const LogOdds& known) {
  return 0.5 * sites.omega.dot(((z - known.m).cwiseAbs2() + known.s));
}

WorkingRows between(const Sites& before, const Sites& aim, double share) {
  WorkingRows out{
      {before.omega + share * (aim.omega - before.omega), before.response + share * (aim.response - before.response)}, {}, 0, 0, 0, {}};
  out.target = (out.sites.omega.array() > 0).select(out.sites.response.cwiseQuotient(out.sites.omega.cwiseMax(1e-300)), 0.0);
  return out;
}

constexpr double near_the_end = 3;  // nats that a step still gains

// Early steps go about half of the way, each: beyond the last one by a part of it.                                               (SL.13)
LogOdds stretched(const LogOdds& from, const LogOdds& to) {
  constexpr double part = 0.6, most = 5;
  const auto growth = to.s.array() / from.s.array().max(1e-12);
  return {to.m + part * (to.m - from.m), (to.s.array() * growth.max(1 / most).min(most).pow(part)).matrix()};
}

// Where the steps lead, in mean and logarithm of the variance of the log odds, weighted by the curvature of the bound.   (OPT.7), (SL.13)
class Course {
 public:
  explicit Course(Index size) : anderson_(2 * size, 4) {}

  LogOdds further(const LogOdds& from, const LogOdds& to, const Vector& omega) {
    constexpr double least = 1e-12;  // variance
    const Index n = omega.size();
    const auto joined = [&](const LogOdds& odds) {
      Vector out(2 * n);
      out << odds.m, odds.s.cwiseMax(least).array().log().matrix();
      return out;
    };
    Vector weight(2 * n), next(2 * n);
    weight << omega, 0.25 * omega.cwiseProduct(to.s);
    anderson_.extrapolate(joined(from), joined(to), weight, next);
    return {next.head(n), (to.s.array() > least).select(next.tail(n).array().exp(), to.s.array())};
  }
  void forget() { anderson_.forget(); }

 private:
  Anderson anderson_;
};

}  // namespace

double bound_of_classes(const ClassRows& rows, const WorkingRows& working, double log_evidence, const LogOdds& odds) {
  return log_evidence + working.constant + misfit(working.sites, working.target, odds) + rows.at(odds).log_likelihood;
}

ClassSteps run_class_steps(ClassRows& rows, bool has_flat, const ClassStepSettings& settings,
                           const std::function<std::optional<WorkingFit>(const WorkingRows&)>& solve,
                           const std::function<void(double bound)>& accept) {
  constexpr double least_share = 1.0 / 16, may_fall = 1e-3;
  rows.set_narrowing(1);
  LogOdds known = rows.before(has_flat);  // what the last step that stands came to
  LogOdds ahead = known;                  // and where the next one begins
  bool is_plain = true;
  std::optional<Course> course;
  if (settings.extrapolates) course.emplace(rows.size());
  Sites before = rows.at(known).sites;
  ClassSteps out;
  out.status = Status::max_sweeps;
  double share = 1, last = -std::numeric_limits<double>::infinity(), last_change = std::numeric_limits<double>::infinity();
  double last_ratio = 1;
  int calm = 0;
  while (static_cast<int>(out.history.size()) < settings.max_steps) {
    const ClassRowsAt here = rows.at(ahead);
    WorkingRows working = between(before, here.sites, is_plain ? share : 1);
    working.constant = 0.5 * working.sites.omega.sum() * ln_2pi;
    working.shift = working.constant + misfit(working.sites, working.target, ahead) + here.log_likelihood;
    working.step = static_cast<int>(out.history.size());
    if (rows.is_proper()) {
      const auto log_prior = rows.log_prior_of_intercept(ahead);
      working.log_prior_of_signal = [log_prior, shared = log_prior(rows.narrowing())](double signal) {
        return log_prior(narrowing_of(signal)) - shared;
      };
    }
    std::optional<WorkingFit> found = solve(working);
    if (!found) {
      out.status = Status::failed;
      break;
    }
    LogOdds& next = found->log_odds;
    const double bound = bound_of_classes(rows, working, found->log_evidence, next);
    if (!(bound >= last - may_fall) && !is_plain) {
      ahead = known;
      is_plain = true;
      course->forget();
      continue;
    }
    if (!(bound >= last - may_fall) && share > least_share) {
      share /= 2;
      continue;
    }
    accept(bound);
    out.farthest = (next.m.cwiseAbs2() + next.s).maxCoeff();
    out.history.push_back(bound);
    share = std::min(1.0, 1.5 * share);
    const bool may_go_further = course && share == 1 && std::isfinite(last);
    if (!may_go_further)
      ahead = next;
    else
      ahead = bound - last < near_the_end ? course->further(ahead, next, working.sites.omega) : stretched(known, next);
    is_plain = !may_go_further;
    known = std::move(next);
    before = std::move(working.sites);
    if (rows.is_proper()) rows.set_narrowing(found->narrowing);
    if (settings.on_step && !settings.on_step(static_cast<int>(out.history.size()), bound)) {
      out.status = Status::stopped_by_user;
      break;
    }
    const double change = std::abs(bound - last);
    calm = change < settings.tolerance ? calm + 1 : 0;
    // Of changes that shrink steadily what is left is the sum of a geometric series.                                           (SL.6)
    const double ratio = std::isfinite(last_change) ? change / last_change : 1, steady = std::max(ratio, last_ratio);
    const bool is_over = calm >= 2 || (calm == 1 && steady < 0.5 && change * steady / (1 - steady) < 0.25 * settings.tolerance);
    last_ratio = ratio;
    last_change = change;
    last = bound;
    if (!rows.is_proper() && rows.are_steps(known)) {
      out.status = Status::separated;
      break;
    }
    if (is_over && !(!rows.is_proper() && out.farthest > drifting && drifts(out.history, settings.tolerance))) {
      out.status = Status::converged;
      break;
    }
  }
  return out;
}

}  // namespace ardvark
