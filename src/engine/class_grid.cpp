#include "engine/class_grid.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <utility>

#include "core/special.hpp"
#include "engine/coordinate/group_system.hpp"

namespace ardvark {
namespace {

// One over the spread of the log odds that a signal of this variance makes.                                                    (SP.20)
double narrowing_of(double signal) { return 1 / std::sqrt(1 + std::numbers::pi * signal / 8); }

double averaged_narrowing(const HyperGrid& grid) {
  double sum = 0;
  for (const GridPoint& point : grid.points) sum += point.weight * narrowing_of(point.signal);
  return sum;
}

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

}  // namespace

ClassGrid fit_class_grid(ClassRows& rows, const PenalisedColumns& which, const std::shared_ptr<const ColumnSets>& sets,
                         const SpikeSlabSettings& slab, const ClassGridSettings& settings) {
  constexpr double least_share = 1.0 / 16, may_fall = 1e-3;
  const Index q = rows.design().cols();
  const auto flats = static_cast<double>(which.flat.size());
  rows.set_narrowing(1);
  LogOdds known = rows.before(!which.flat.empty());
  ClassRowsAt here = rows.at(known);
  Sites before = here.sites;
  ClassGrid out;
  double share = 1, last = -std::numeric_limits<double>::infinity();
  int calm = 0;
  out.status = Status::max_sweeps;
  while (static_cast<int>(out.history.size()) < settings.max_steps) {
    const Sites sites{before.omega + share * (here.sites.omega - before.omega),
                      before.response + share * (here.sites.response - before.response)};
    const Vector z = (sites.omega.array() > 0).select(sites.response.cwiseQuotient(sites.omega.cwiseMax(1e-300)), 0.0);
    auto reduced = std::make_shared<ReducedRows>();
    if (!reduce_rows(rows.design(), which, sites.omega, z, sites.omega.sum(), KeepBasis::no, *reduced)) {
      out.status = Status::failed;
      break;
    }
    reduced->systems = group_systems(*reduced, *sets, settings.parts != SparseParts::slab_only);
    GridSettings of_grid{.noise = 4, .tail = 1, .ascent = {}, .parts = settings.parts, .only = settings.only};
    if (rows.is_proper()) {
      const double shared = rows.log_prior_of_intercept(rows.narrowing(), known);
      of_grid.log_prior_of_signal = [&rows, &known, shared](double signal) {
        return rows.log_prior_of_intercept(narrowing_of(signal), known) - shared;
      };
    }
    HyperGrid grid = run_grid(*reduced, which, sets, slab, of_grid, settings.num_threads);
    if (grid.points.empty()) {
      out.status = Status::failed;
      break;
    }
    SparsePosterior posterior = posterior_of(which, grid, reduced);
    LogOdds next = rows.log_odds(posterior.mixture.mean(q), posterior.mixture.covariance(q));
    const double narrowing = averaged_narrowing(grid);
    const ClassRowsAt there = rows.at(next);
    const double bound =
        grid.log_evidence + 0.5 * (reduced->degrees + flats) * ln_2pi + misfit(sites, z, next) + there.log_likelihood;  // (SL.10)
    if (bound < last - may_fall && share > least_share) {
      share /= 2;
      continue;
    }
    grid.peak += bound - grid.log_evidence;
    grid.log_evidence = bound;
    out.grid = std::move(grid);
    out.posterior = std::move(posterior);
    out.rows = {std::move(reduced)};
    out.farthest = (next.m.cwiseAbs2() + next.s).maxCoeff();
    out.history.push_back(bound);
    known = std::move(next);
    before = sites;
    if (rows.is_proper()) rows.set_narrowing(narrowing);
    here = rows.is_proper() ? rows.at(known) : there;
    share = std::min(1.0, 1.5 * share);
    if (settings.on_step && !settings.on_step(static_cast<int>(out.history.size()), bound)) {
      out.status = Status::stopped_by_user;
      break;
    }
    calm = std::abs(bound - last) < settings.tolerance ? calm + 1 : 0;
    last = bound;
    if (!rows.is_proper() && rows.are_steps(known)) {
      out.status = Status::separated;
      break;
    }
    if (calm >= 2 && !(!rows.is_proper() && out.farthest > drifting && drifts(out.history, settings.tolerance))) {
      out.status = Status::converged;
      break;
    }
  }
  return out;
}

ClassGrid fit_class_cells(ClassRows& rows, const PenalisedColumns& which, const std::shared_ptr<const ColumnSets>& sets,
                          const SpikeSlabSettings& slab, const ClassGridSettings& settings) {
  std::map<GridCell, ClassGrid> found;
  GridRanges range = first_ranges(slab, 4);
  const bool has_sparse = settings.parts != SparseParts::dense_only, has_dense = settings.parts != SparseParts::slab_only;
  const auto log_evidence = [&] {
    std::vector<double> terms;
    for (const auto& [cell, fit] : found) terms.push_back(fit.grid.log_evidence);
    return log_sum(terms);
  };
  for (bool longer = true; longer;) {
    for (const bool dense : {false, true}) {
      if (dense ? !has_dense : !has_sparse) continue;
      const int first = dense ? range.first_ratio : range.first_kappa, last = dense ? range.last_ratio : range.last_kappa;
      for (int i = first; i <= last; ++i) {
        const GridCell cell{dense, i};
        if (found.contains(cell)) continue;
        ClassGridSettings own = settings;
        own.only = cell;
        found[cell] = fit_class_grid(rows, which, sets, slab, own);
      }
    }
    std::erase_if(found, [](const auto& one) { return one.second.grid.points.empty(); });
    const double all = log_evidence();
    const auto share = [&](bool dense, int i) {
      const auto at = found.find({dense, i});
      return at == found.end() ? 0.0 : std::exp(at->second.grid.log_evidence - all);
    };
    longer = false;
    const auto look = [&](bool dense, int& first, int& last, int least) {
      const int from = first, to = last;
      if (share(dense, to) > least_share_at_end && to < most_exponent) ++last, longer = true;
      if (share(dense, from) > least_share_at_end && from > least) --first, longer = true;
    };
    if (has_sparse) look(false, range.first_kappa, range.last_kappa, range.least_kappa);
    if (has_dense) look(true, range.first_ratio, range.last_ratio, least_exponent);
  }
  ClassGrid out;
  const double all = log_evidence();
  if (!std::isfinite(all)) return out;
  out.status = Status::converged;
  out.grid.log_evidence = all;
  double most = 0;
  std::map<bool, std::vector<double>> hypotheses;
  Mixture& mixture = out.posterior.mixture;
  mixture.columns = which.columns;
  mixture.flat_columns = which.flat;
  out.posterior.positive = Vector::Zero(which.size());
  for (auto& [cell, fit] : found) {
    const double weight = std::exp(fit.grid.log_evidence - all);
    hypotheses[cell.dense].push_back(fit.grid.log_evidence);
    out.grid.num_points += fit.grid.num_points;
    if (weight < 1e-4) continue;
    for (GridPoint& point : fit.grid.points) {
      point.weight *= weight;
      out.grid.points.push_back(std::move(point));
      if (out.grid.points.back().weight > most)
        most = out.grid.points.back().weight, out.grid.best = out.grid.points.size() - 1, out.history = fit.history,
        out.grid.peak = fit.grid.peak;
    }
    if (fit.status != Status::converged && weight > 1e-3) out.status = fit.status;
    out.posterior.factored = out.posterior.factored && fit.posterior.factored;
    out.posterior.positive += weight * fit.posterior.positive;
    for (MixtureComponent& component : fit.posterior.mixture.components) {
      component.weight *= weight;
      mixture.components.push_back(std::move(component));
    }
    out.rows.push_back(fit.rows[0]);
  }
  double total = 0;
  for (const GridPoint& point : out.grid.points) total += point.weight;
  for (GridPoint& point : out.grid.points) point.weight /= total;
  out.posterior.positive /= total;
  mixture.normalise_weights();
  const double shift = all - out.history.back();
  for (double& bound : out.history) bound += shift;
  for (const auto& [dense, terms] : hypotheses) out.grid.hypotheses.push_back({dense, log_sum(terms) - all});
  return out;
}

}  // namespace ardvark
