#include "method/spike_slab/class_grid.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/special.hpp"
#include "method/spike_slab/group_system.hpp"
#include "method/spike_slab/row_covariance.hpp"

namespace ardvark::internal {
namespace {

constexpr int steps_to_look = 6;  // first steps, in which a point takes the best maximum that it finds; later it keeps its own   (SL.10)

std::vector<WeightedSignal> signals_of(const HyperGrid& grid) {
  std::vector<WeightedSignal> out;
  for (const GridPoint& point : grid.points) out.push_back({point.weight, point.signal});
  return out;
}

std::vector<std::pair<double, const SpikeSlab*>> average_of(const HyperGrid& grid) {
  std::vector<std::pair<double, const SpikeSlab*>> out;
  for (const GridPoint& point : grid.points) out.emplace_back(point.weight, &point.q);
  return out;
}

using Cells = std::map<GridCell, ClassGrid>;

double log_evidence_of(const Cells& cells) {
  std::vector<double> terms;
  for (const auto& [cell, fit] : cells) terms.push_back(fit.grid.log_evidence);
  return log_sum(terms);
}

// Fits the cells of a range that are not there yet.
void fit_cells(const GridRanges& range, ClassRows& rows, const PenalisedColumns& which, const std::shared_ptr<const ColumnSets>& sets,
               const SpikeSlabSettings& slab, const ClassGridSettings& settings, Cells& found) {
  for (const bool dense : {false, true}) {
    if (settings.parts == (dense ? SparseParts::slab_only : SparseParts::dense_only)) continue;
    const int first = dense ? range.first_ratio : range.first_kappa, last = dense ? range.last_ratio : range.last_kappa;
    for (int i = first; i <= last; ++i) {
      const GridCell cell{dense, i};
      if (found.contains(cell)) continue;
      ClassGridSettings own = settings;
      own.only = cell;
      own.log_evidence_beside = log_evidence_of(found);
      // Start from the result of a neighbouring cell: with rows that have no information yet, a wide slab may find no effects at all.
      for (const int beside : {i - 1, i + 1})
        if (const auto at = found.find({dense, beside}); !own.start && at != found.end()) own.start = at->second.log_odds;
      found[cell] = fit_class_grid(rows, which, sets, slab, own);
    }
  }
}

// False: no end of the range has enough weight to go further.
bool lengthen(GridRanges& range, const Cells& cells, SparseParts parts) {
  const double all = log_evidence_of(cells);
  const auto share = [&](bool dense, int i) {
    const auto at = cells.find({dense, i});
    return at == cells.end() ? 0.0 : std::exp(at->second.grid.log_evidence - all);
  };
  bool longer = false;
  const auto look = [&](bool dense, int& first, int& last, int least) {
    const int from = first, to = last;
    if (share(dense, to) > least_share_at_end && to < most_exponent) ++last, longer = true;
    if (share(dense, from) > least_share_at_end && from > least) --first, longer = true;
  };
  if (parts != SparseParts::dense_only) look(false, range.first_kappa, range.last_kappa, range.least_kappa);
  if (parts != SparseParts::slab_only) look(true, range.first_ratio, range.last_ratio, least_exponent);
  return longer;
}

ClassGrid average_of(const PenalisedColumns& which, Cells&& found) {
  ClassGrid out;
  const double all = log_evidence_of(found);
  if (!std::isfinite(all)) return out;
  out.status = Status::converged;
  out.grid.log_evidence = all;
  double most = 0;
  GridCell best;
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
        out.grid.peak = fit.grid.peak, best = cell;
    }
    if (weight > 1e-3) {
      out.steps = std::max(out.steps, fit.steps);
      if (fit.status != Status::converged) out.status = fit.status;
    }
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
  // The bound of the average after each step of its best cell, with the final bounds of the other cells.
  std::vector<double> others;
  for (const auto& [cell, fit] : found)
    if (cell != best) others.push_back(fit.grid.log_evidence);
  const double beside = log_sum(others);
  for (double& bound : out.history) bound = log_sum({beside, bound});
  for (const auto& [dense, terms] : hypotheses) out.grid.hypotheses.push_back({dense, log_sum(terms) - all});
  normalise(out.grid.hypotheses);
  return out;
}

}  // namespace

ClassGrid fit_class_grid(ClassRows& rows, const PenalisedColumns& which, const std::shared_ptr<const ColumnSets>& sets,
                         const SpikeSlabSettings& slab, const ClassGridSettings& settings) {
  const Index q = rows.num_columns();
  ClassGrid out;
  HyperGrid grid;
  SparsePosterior posterior;
  std::shared_ptr<ReducedRows> reduced;
  const auto solve = [&](const WorkingRows& working) -> std::optional<WorkingFit> {
    reduced = std::make_shared<ReducedRows>();
    if (!rows.reduce(which, working.sites, working.target, KeepBasis::no, *reduced)) return std::nullopt;
    reduced->systems = group_systems(*reduced, *sets, settings.parts != SparseParts::slab_only);
    GridSettings of_grid{{}, settings.parts, settings.only, working.log_prior_of_signal, true};
    if (working.step >= steps_to_look) of_grid.from = &out.grid.lines;
    grid = run_grid(*reduced, which, sets, slab, of_grid, settings.num_threads);
    if (grid.points.empty()) return std::nullopt;
    if (settings.only) return WorkingFit{grid.log_evidence, log_odds_seen(rows, which, *reduced, average_of(grid)), signals_of(grid)};
    posterior = posterior_of(which, grid, reduced);
    return WorkingFit{grid.log_evidence, rows.log_odds(posterior.mixture.mean(q), posterior.mixture.covariance(q)), signals_of(grid)};
  };
  const auto accept = [&](double bound) {
    grid.peak += bound - grid.log_evidence;
    grid.log_evidence = bound;
    out.grid = std::move(grid);
    out.posterior = std::move(posterior);
    out.rows = {std::move(reduced)};
  };
  ClassSteps steps = run_class_steps(rows, !which.flat.empty(), settings, solve, accept);
  if (settings.only && !out.grid.points.empty()) out.posterior = posterior_of(which, out.grid, out.rows[0]);
  out.log_odds = std::move(steps.log_odds);
  out.extent = steps.extent;
  out.status = steps.status;
  out.history = std::move(steps.history);
  out.steps = static_cast<int>(out.history.size());
  return out;
}

ClassGrid fit_class_cells(ClassRows& rows, const PenalisedColumns& which, const std::shared_ptr<const ColumnSets>& sets,
                          const SpikeSlabSettings& slab, const ClassGridSettings& settings) {
  Cells cells;
  GridRanges range = first_ranges(slab);
  do {
    fit_cells(range, rows, which, sets, slab, settings, cells);
    std::erase_if(cells, [](const auto& one) { return one.second.grid.points.empty(); });
  } while (lengthen(range, cells, settings.parts));
  return average_of(which, std::move(cells));
}

}  // namespace ardvark::internal
