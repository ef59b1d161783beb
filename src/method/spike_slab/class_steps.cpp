#include "method/spike_slab/class_steps.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/anderson.hpp"
#include "core/special.hpp"

namespace ardvark::internal {
namespace {

constexpr double drifting = 200;  // m^2 + s of a row whose class is certain

// If a flat column separates rows, the bound may rise by a little in each step without end.                                     (SL.6)
bool drifts(const std::vector<double>& F, double tolerance) {
  constexpr std::size_t steps = 10;
  return F.size() <= steps || std::abs(F.back() - F[F.size() - 1 - steps]) > tolerance;
}

// A change in the bound of a part changes the bound of the average by the weight of the part times as much.                    (SL.11)
double tolerance_of(double bound, const ClassStepSettings& settings) {
  constexpr double part = 0.1, most = 10;  // `most`: before its bound has risen, a part may seem to have no weight
  const double one_over_weight = 1 + std::exp(std::min(settings.log_evidence_beside - bound, 10.0));
  return settings.tolerance * std::clamp(part * one_over_weight, 1.0, most);
}

// A share of the way from one to the other. A row in memory keeps at least the share `least` of its omega.                      (SL.6)
WorkingSites between(const WorkingSites& from, const WorkingSites& to, double share, double least) {
  const auto mix = [&](const auto& one, const auto& other) { return one + share * (other - one); };
  if (const auto* one = std::get_if<Sites>(&from)) {
    const auto& other = std::get<Sites>(to);
    if (least == 0) return Sites{mix(one->omega, other.omega), mix(one->response, other.response)};
    const auto a = one->omega.array(), b = other.omega.array();
    const Eigen::ArrayXd falls = (a - b).max((1 - least) * a).max(1e-300);
    const Vector shares = (share * (b > 0).select((1 - least) * a / falls, 1.0)).min(share);
    return Sites{one->omega + shares.cwiseProduct(other.omega - one->omega),
                 one->response + shares.cwiseProduct(other.response - one->response)};
  }
  const auto &one = std::get<SumsOfSites>(from), &other = std::get<SumsOfSites>(to);
  return SumsOfSites{mix(one.packed, other.packed), mix(one.weight, other.weight), mix(one.response, other.response)};
}

// The working rows at given log odds: what replaces the likelihood of the rows and the prior of the intercept.
struct Tangent {
  WorkingSites sites;
  std::vector<std::pair<double, std::function<double(double signal)>>> priors;  // ln priors with their shares; empty: no prior

  Tangent(const ClassRows& rows, const KnownOdds& known, WorkingSites sites_there) : sites(std::move(sites_there)) {
    if (!rows.is_proper()) return;
    const auto log_prior = rows.log_prior_of_intercept(known);
    double in_rows = 0;
    for (const auto& [weight, signal] : rows.signals()) in_rows += weight * log_prior(signal);
    priors = {{1, [log_prior, in_rows](double signal) { return log_prior(signal) - in_rows; }}};
  }

  // A share of the way from this to the other. The prior of the signal moves by the same share; otherwise the bound might fall, however
  // small the share is.                                                                                                        (SP.20)
  [[nodiscard]] Tangent towards(const Tangent& aim, double share, double least) const {
    constexpr std::size_t most_parts = 12;  // the latest ones; each costs as much as the likelihood of a row, at every value of the grid
    Tangent out = aim;
    out.sites = between(sites, aim.sites, share, least);
    if (share == 1) return out;
    double sum = 0;
    for (auto& [part, prior] : out.priors) sum += part *= share;
    for (const auto& [part, prior] : priors)
      if (out.priors.size() < most_parts) sum += out.priors.emplace_back((1 - share) * part, prior).first;
    for (auto& [part, prior] : out.priors) part /= sum;
    return out;
  }

  [[nodiscard]] std::function<double(double signal)> log_prior_of_signal() const {
    if (priors.empty()) return {};
    return [all = priors](double signal) {
      double sum = 0;
      for (const auto& [share, prior] : all) sum += share * prior(signal);
      return sum;
    };
  }
};

WorkingRows working_rows(const ClassRows& rows, const Tangent& tangent, const KnownOdds& at, double log_likelihood, int step) {
  const WorkingSites& sites = tangent.sites;
  WorkingRows out{sites, rows.target_of(sites), 0, 0, step, tangent.log_prior_of_signal()};
  out.constant = 0.5 * rows.weight_of(sites) * ln_2pi;
  out.shift = out.constant + rows.misfit(sites, out.target, at) + log_likelihood;
  return out;
}

constexpr double near_the_end = 3;          // nats: smaller gains are those of the last steps
constexpr Index most_remembered = 200'000;  // rows: with more, the last steps are not extrapolated, because four steps take twenty vectors

// Early steps cover about half of the remaining distance. The next one begins beyond the end of the last one, by a part of it.  (SL.13)
LogOdds stretched(const LogOdds& from, const LogOdds& to) {
  constexpr double part = 0.6, most = 5;
  const auto growth = to.s.array() / from.s.array().max(1e-12);
  return {to.m + part * (to.m - from.m), (to.s.array() * growth.max(1 / most).min(most).pow(part)).matrix()};
}

// Extrapolates the steps, in mean and logarithm of the variance of the log odds, weighted by the curvature of the bound. (OPT.7), (SL.13)
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

// The share of the way to the new rows that a step goes: half as much after a fall, and permanently less after many falls.       (SL.6)
class StepShare {
 public:
  [[nodiscard]] double value() const { return share_; }
  void count_fall() { ++falls_; }
  [[nodiscard]] bool halve() {
    constexpr double least = 1.0 / 256;
    if (share_ <= least) return false;
    share_ /= 2;
    return true;
  }
  // Steps that fall again and again circle around the solution. Shorter ones come closer.
  void lengthen() {
    constexpr int most_falls = 8;
    const double longest = falls_ > most_falls ? std::max(1 / (1 + 0.25 * falls_), 0.15) : 1;
    share_ = std::min(longest, 1.5 * share_);
  }

 private:
  double share_ = 1;
  int falls_ = 0;
};

// Whether further steps would still change the fit.                                                                             (SL.6)
class Progression {
 public:
  [[nodiscard]] double last() const { return last_; }

  // Adds a step: its bound and its size.
  void add(double bound, double size, double tolerance) {
    const double change = std::abs(bound - last_);
    if (bound > highest_ + tolerance)
      highest_ = bound, since_highest_ = 0;
    else
      ++since_highest_;
    calm_ = change < tolerance && size < calm_size * tolerance ? calm_ + 1 : 0;
    const double ratio = std::isfinite(last_change_) ? change / last_change_ : 1, steady = std::max(ratio, last_ratio_);
    is_over_ = calm_ >= 2 || (calm_ == 1 && steady < 0.5 && change * steady / (1 - steady) < 0.25 * tolerance);
    last_ratio_ = ratio;
    last_change_ = change;
    last_ = bound;
  }
  // Two successive steps changed almost nothing; or one did, the changes shrink steadily, and the rest of their geometric series is small.
  [[nodiscard]] bool is_over() const { return is_over_; }
  // Too many steps did not raise the highest bound: the steps circle.
  [[nodiscard]] bool goes_round() const { return since_highest_ > most_in_vain; }

 private:
  static constexpr double calm_size = 10;
  static constexpr int most_in_vain = 60;  // steps
  double last_ = -std::numeric_limits<double>::infinity(), highest_ = last_;
  double last_change_ = std::numeric_limits<double>::infinity(), last_ratio_ = 1;
  int since_highest_ = 0, calm_ = 0;
  bool is_over_ = false;
};

}  // namespace

double bound_of_classes(const ClassRows& rows, const WorkingRows& working, const WorkingFit& fit) {
  const KnownOdds& odds = fit.log_odds;
  double bound = fit.log_evidence + working.constant + rows.misfit(working.sites, working.target, odds) + rows.log_likelihood(odds);
  if (!working.log_prior_of_signal) return bound;
  const auto log_prior = rows.log_prior_of_intercept(odds);
  for (const auto& [weight, signal] : rows.signals()) bound -= weight * log_prior(signal);
  for (const auto& [weight, signal] : fit.signals) bound += weight * (log_prior(signal) - working.log_prior_of_signal(signal));
  return bound;
}

ClassSteps run_class_steps(ClassRows& rows, bool has_flat, const ClassStepSettings& settings,
                           const std::function<std::optional<WorkingFit>(const WorkingRows&)>& solve,
                           const std::function<void(double bound)>& accept) {
  rows.set_signals(settings.signals);
  KnownOdds known = settings.start ? *settings.start : rows.before(has_flat);  // the result of the last accepted step
  std::optional<KnownOdds> ahead;                                              // where a step begins that starts beyond `known`
  const bool extrapolates = rows.design() != nullptr;                          // otherwise log odds are not vectors over the rows
  Course course(extrapolates ? rows.num_rows() : 0);
  const bool is_evidence = rows.is_evidence(has_flat);
  Tangent before(rows, known, rows.at(known).sites);
  StepShare share;
  Progression progression;
  ClassSteps out;
  const auto end = [&](Status status) {
    out.status = status;
    out.log_odds = std::move(known);
    return std::move(out);
  };
  while (static_cast<int>(out.history.size()) < settings.max_steps) {
    const KnownOdds& at = ahead ? *ahead : known;
    ClassRowsAt here = rows.at(at);
    Tangent taken(rows, at, std::move(here.sites));
    const double least = out.history.empty() ? 0 : settings.least_share_of_weight;
    if (least > 0 || (!ahead && share.value() < 1)) taken = before.towards(taken, ahead ? 1 : share.value(), least);
    const WorkingSites& sites = taken.sites;
    const WorkingRows working = working_rows(rows, taken, at, here.log_likelihood, static_cast<int>(out.history.size()));
    std::optional<WorkingFit> found = solve(working);
    if (!found) return end(Status::failed);
    KnownOdds& next = found->log_odds;
    const double bound = bound_of_classes(rows, working, *found), last = progression.last();
    const double size = rows.distance(at, next, sites) / (share.value() * share.value());
    // A bound above 0 comes from a linear response (SP.6) that is almost infinite. It is not a gain: later bounds would be lower by
    // hundreds.
    const bool is_impossible = is_evidence && bound > 0;
    if (!(bound >= last - std::max(settings.rounding, 1e-9 * std::abs(last))) || is_impossible) {
      if (ahead) {
        ahead.reset();
        course.forget();
        continue;
      }
      share.count_fall();
      if (share.halve()) continue;
      if (settings.ends_before_fall && bound < last - near_the_end) return end(Status::max_sweeps);
    }
    if (is_impossible) return end(Status::bound_fell);
    accept(bound);
    out.extent = rows.extent(sites, next);
    out.history.push_back(bound);
    share.lengthen();
    const bool is_near = bound - last < near_the_end;
    if (extrapolates && share.value() == 1 && std::isfinite(last) && !(is_near && rows.num_rows() > most_remembered))
      ahead = is_near ? course.further(std::get<LogOdds>(at), std::get<LogOdds>(next), std::get<Sites>(sites).omega)
                      : stretched(std::get<LogOdds>(known), std::get<LogOdds>(next));
    else
      ahead.reset();
    known = std::move(next);
    before = std::move(taken);
    if (rows.is_proper()) rows.set_signals(std::move(found->signals));
    if (settings.on_step && !settings.on_step(static_cast<int>(out.history.size()), bound)) return end(Status::stopped_by_user);
    progression.add(bound, size, tolerance_of(bound, settings));
    if (rows.is_proper()) {
      if (progression.goes_round()) break;
      if (progression.is_over()) return end(Status::converged);
    } else {
      if (rows.are_steps(known)) return end(Status::separated);
      if (progression.is_over() && !(out.extent.farthest > drifting && drifts(out.history, settings.tolerance)))
        return end(Status::converged);
    }
  }
  return end(Status::max_sweeps);
}

}  // namespace ardvark::internal
