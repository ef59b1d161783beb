#include "method/spike_slab/sparse_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <numeric>

#include "core/eigen_solvers.hpp"
#include "core/parallel.hpp"
#include "core/products.hpp"
#include "core/special.hpp"
#include "core/validate.hpp"
#include "frame/prepare.hpp"
#include "frame/prior_partition.hpp"
#include "target/target.hpp"

namespace ardvark::internal {

SparseParts parts_of(PriorKind kind) {
  return kind == PriorKind::slab ? SparseParts::slab_only : kind == PriorKind::dense ? SparseParts::dense_only : SparseParts::both;
}

void run_reported(const FitOptions& options, double offset, const std::function<void(const SweepReport&)>& work) {
  if (!options.on_sweep) return work({});
  bool goes_on = true;
  Relay<Progress> relay([&](const Progress& progress) { return goes_on = goes_on && options.on_sweep(progress); });
  const auto started = std::chrono::steady_clock::now();
  relay.run([&] {
    work([&](int sweeps, double bound) {
      return relay.ask({sweeps, bound + offset, std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count()});
    });
  });
}

PenalisedColumns penalised_columns(const FitOptions& options, Index num_columns, const std::vector<bool>& left_out) {
  PenalisedColumns out;
  const std::vector<bool> is_flat = marked_columns(options.prior.flat_columns, "prior.flat_columns", num_columns);
  for (Index j = 0; j < num_columns; ++j) {
    const auto at = static_cast<std::size_t>(j);
    if (left_out[at]) continue;
    (is_flat[at] ? out.flat : out.columns).push_back(j);
  }
  if (options.intercept) out.flat.push_back(num_columns);
  const std::vector<Index>& group = options.prior.group;
  const auto group_of = [&](Index j) { return group.empty() ? j : group[static_cast<std::size_t>(j)]; };
  std::stable_sort(out.columns.begin(), out.columns.end(), [&](Index a, Index b) { return group_of(a) < group_of(b); });
  for (std::size_t i = 0; i < out.columns.size(); ++i)
    if (i == 0 || group_of(out.columns[i]) != group_of(out.columns[i - 1])) out.begin.push_back(static_cast<Index>(i));
  out.begin.push_back(out.size());
  return out;
}

std::shared_ptr<const ColumnSets> sets_of(const PenalisedColumns& which, const ReducedRows& rows) {
  const bool single = which.num_groups() == which.size();
  return std::make_shared<const ColumnSets>(single ? correlated_blocks(rows, by_correlation(rows, which)) : groups_of(which));
}

Products products_of(const FitOptions& options, Index num_rows, Index num_columns) {
  const bool is_long = num_rows >= 8 * num_columns && blas::multiplications(num_rows, num_columns) > 1e9;
  return options.mixed_precision && is_long ? Products::single_precision : Products::double_precision;
}

AveragedFits averaged_grid(HyperGrid grid) {
  AveragedFits out{{}, Vector(static_cast<Index>(grid.points.size())), std::nullopt};
  for (GridPoint& point : grid.points) {
    out.weight[static_cast<Index>(out.fits.size())] = point.weight;
    out.fits.push_back(std::move(point));
  }
  grid.points.clear();
  out.grid = std::move(grid);
  return out;
}

namespace {

// Warns if the two starts with the largest weights have almost the same bound but different predictions.
void warn_of_two_explanations(const std::vector<StartOutcome>& starts, const Vector& weight, double predictive_sd, Solution& out) {
  std::vector<std::size_t> order(starts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return weight[static_cast<Index>(a)] > weight[static_cast<Index>(b)]; });
  if (order.size() < 2 || !(weight[static_cast<Index>(order[1])] > 0)) return;
  const StartOutcome &one = starts[order[0]], &two = starts[order[1]];
  if (&one.q.rows() != &two.q.rows() || !(one.bound - two.bound < 3)) return;
  const auto fitted = [](const SpikeSlab& q) { return Vector(q.rows().y - q.Dr()); };  // y - r/(1 + h l) = Z w
  const double rows = std::max(1.0, one.q.rows().degrees);
  const double distance = (fitted(one.q) - fitted(two.q)).norm() / std::sqrt(rows);
  if (distance > predictive_sd)
    out.report.warnings.push_back(fmt::format(
        "several explanations: the bounds of starts '{}' and '{}' differ by only {:.1f} nats, but their predictions differ by {:.2g} "
        "predictive standard deviations; the result is their average",
        one.name, two.name, one.bound - two.bound, distance / predictive_sd));
}

void warn_of_dense_part(const Frame& frame, double noise_variance, const SpikeSlab& best, Solution& out) {
  const SparseResult& sparse = *out.sparse;
  const ReducedRows& rows = best.rows();
  const bool wide = static_cast<double>(best.num_columns()) >= frame.rows;
  const double target_variance = (rows.rest + rows.y.squaredNorm()) / std::max(rows.degrees, 1.0);
  if (has_noise(frame.task) && wide && (sparse.dense_fraction > 0.95 || noise_variance < 0.01 * target_variance)) {
    std::string warning = fmt::format(
        "the noise is not identified: with {} columns and {:.10g} rows, many small effects without noise look the same as noise "
        "(dense fraction {:.2f}); intervals of predictions are reliable, the noise itself and R^2 are not",
        best.num_columns(), frame.rows, sparse.dense_fraction);
    if (static_cast<double>(rows.rank()) + 0.5 < rows.degrees)  // the weights count more rows than there are directions
      warning += "; weights count rows, and copies of a row have no noise between them: divide weights that are not counts by their mean";
    out.report.warnings.push_back(std::move(warning));
  }
  if (best.hyper().kappa > 0 && best.hyper().kappa <= best.settings().least_kappa)
    out.report.notes.push_back("no column has an effect of its own: the slab has the smallest width that is allowed");
}

// If one start includes few columns and another with about the same bound nearly all of them, the slab works as a second ridge.
void warn_of_few_or_many(const std::vector<StartOutcome>& starts, const Vector& weight, Report& report) {
  double least = 1, most = 0;
  for (std::size_t s = 0; s < starts.size(); ++s)
    if (weight[static_cast<Index>(s)] > 0.05 && starts[s].q.sum_of_inclusion() > 0) {
      least = std::min(least, starts[s].q.hyper().pi);
      most = std::max(most, starts[s].q.hyper().pi);
    }
  if (most - least > 0.5)
    report.warnings.push_back(fmt::format(
        "few effects or many: the data do not say which; starts with about the same bound give from {:.0f}% to {:.0f}% of the columns "
        "an effect of their own; predictions and intervals are reliable, inclusion probabilities are not",
        100 * least, 100 * most));
}

// Results, averaged over the starts.
struct Averages {
  SparseResult result;
  std::size_t best = 0;
  double noise = 0;  // s2
  double shape = 0;  // of 1/s2                                                                                               (SP.11)
};

// At least the square of the rounding of a target with spread 1: smaller noise cannot be distinguished from none.                (SP.11)
double noise_of(const StartOutcome& start) {
  constexpr double rounding = std::numeric_limits<double>::epsilon();
  return std::max(start.q.hyper().s2, rounding * rounding);
}

SparseStart told(const StartOutcome& start, double weight, bool fits_noise, double unit) {
  const SpikeSlabHyper& hyper = start.q.hyper();
  return {start.name,
          start.status,
          start.sweeps,
          start.bound,
          weight,
          start.q.sum_of_inclusion() > 0 ? hyper.pi : 0,
          unit * std::sqrt(hyper.s2 * hyper.kappa),
          unit * std::sqrt(hyper.s2 * hyper.h),
          fits_noise ? unit * std::sqrt(hyper.s2) : 0,
          start.q.dense_share()};
}

// The average of the fits under each of the two hypotheses.                                                                   (SP.21)
std::vector<SparseStart> told(const AveragedFits& averaged, const HyperGrid& grid, bool fits_noise, double unit) {
  std::vector<SparseStart> out;
  for (const Hypothesis& hypothesis : grid.hypotheses) {
    SparseStart sum{hypothesis.dense ? "small effects" : "no small effects"};
    sum.status = Status::converged;
    sum.weight = std::exp(hypothesis.log_weight);
    sum.bound = grid.log_evidence + hypothesis.log_weight + (grid.hypotheses.size() > 1 ? std::log(2.0) : 0.0);
    double total = 0, slab = 0, dense = 0, noise = 0;
    for (std::size_t i = 0; i < averaged.fits.size(); ++i) {
      const StartOutcome& fit = averaged.fits[i];
      if ((fit.q.hyper().h > 0) != hypothesis.dense) continue;
      const double w = averaged.weight[static_cast<Index>(i)];
      const SparseStart one = told(fit, w, fits_noise, unit);
      total += w;
      sum.sweeps += one.sweeps;
      if (one.status != Status::converged && w > 1e-3) sum.status = one.status;
      sum.inclusion_prior += w * one.inclusion_prior;
      sum.dense_fraction += w * one.dense_fraction;
      slab += w * one.slab_sd * one.slab_sd;
      dense += w * one.dense_sd * one.dense_sd;
      noise += w * one.noise_sd * one.noise_sd;
    }
    if (total > 0) {
      sum.inclusion_prior /= total;
      sum.dense_fraction /= total;
      sum.slab_sd = std::sqrt(slab / total);
      sum.dense_sd = std::sqrt(dense / total);
      sum.noise_sd = std::sqrt(noise / total);
    }
    out.push_back(std::move(sum));
  }
  return out;
}

// For each unit: whether the hypotheses or starts with enough weight disagree on whether its inclusion is above one half.         (SP.22)
std::vector<bool> undecided_units(const AveragedFits& averaged, Index num_units) {
  constexpr double counts = 0.1;
  std::map<std::size_t, std::pair<double, Vector>> each;  // weight, and inclusion times that
  for (std::size_t i = 0; i < averaged.fits.size(); ++i) {
    const double w = averaged.weight[static_cast<Index>(i)];
    auto& [weight, sum] = each.try_emplace(averaged.grid ? averaged.fits[i].q.hyper().h > 0 : i, 0, Vector::Zero(num_units)).first->second;
    weight += w;
    sum += w * averaged.fits[i].q.inclusion();
  }
  std::vector<bool> out(static_cast<std::size_t>(num_units));
  for (Index unit = 0; unit < num_units; ++unit) {
    bool above = false, below = false;
    for (const auto& [key, one] : each)
      if (const auto& [weight, sum] = one; weight >= counts) (sum[unit] > 0.5 * weight ? above : below) = true;
    out[static_cast<std::size_t>(unit)] = above && below;
  }
  return out;
}

Averages average(const AveragedFits& averaged, const PenalisedColumns& which, bool fits_noise, double unit, Index num_columns,
                 const Correlations& in_table) {
  const std::vector<StartOutcome>& fits = averaged.fits;
  const Vector& weight = averaged.weight;
  Averages out;
  out.result.inclusion = Vector::Zero(num_columns);
  out.result.direction = Vector::Constant(num_columns, 0.5);
  out.result.undecided.assign(static_cast<std::size_t>(num_columns), false);
  const std::vector<bool> undecided = undecided_units(averaged, which.num_groups());
  for (Index g = 0; g < which.num_groups(); ++g)
    for (Index j = which.group_begin(g); j < which.group_begin(g) + which.group_size(g); ++j)
      out.result.undecided[static_cast<std::size_t>(which.columns[static_cast<std::size_t>(j)])] = undecided[static_cast<std::size_t>(g)];
  double log_noise = 0;
  for (std::size_t s = 0; s < fits.size(); ++s) {
    const StartOutcome& start = fits[s];
    const double w = weight[static_cast<Index>(s)];
    if (w > weight[static_cast<Index>(out.best)]) out.best = s;
    if (!averaged.grid) out.result.starts.push_back(told(start, w, fits_noise, unit));
    if (w == 0) continue;
    out.result.dense_fraction += w * start.q.dense_share();
    out.noise += w * noise_of(start);
    log_noise += w * std::log(noise_of(start));
    for (Index g = 0; g < which.num_groups(); ++g)
      for (Index j = which.group_begin(g); j < which.group_begin(g) + which.group_size(g); ++j)
        out.result.inclusion[which.columns[static_cast<std::size_t>(j)]] += w * start.q.inclusion()[g];
  }
  if (averaged.grid) out.result.starts = told(averaged, *averaged.grid, fits_noise, unit);
  out.result.inclusion = out.result.inclusion.cwiseMin(1.0);  // rounding may make averages exceed 1
  out.result.dense_fraction = std::min(out.result.dense_fraction, 1.0);
  double spread = 0;
  for (std::size_t s = 0; s < fits.size(); ++s) {
    const double w = weight[static_cast<Index>(s)];
    if (w == 0) continue;
    const double off = std::log(noise_of(fits[s])) - log_noise;
    spread += w * (1 / std::max(fits[s].q.noise_shape(), 1e-3) + off * off);
  }
  out.shape = 1 / spread;
  out.result.sets = credible_sets(fits[out.best].q, in_table);
  return out;
}

// Whether a start stopped at max_sweeps while its bound rose, and a hundred times its last gain would make it the best.
bool may_come_to_be_best(const StartOutcome& start, double best, double tolerance) {
  if (start.status != Status::max_sweeps || start.history.size() < 2) return false;
  const std::size_t last = start.history.size() - 1, some = std::min(last, std::max<std::size_t>(10, last / 10));
  const double gained = start.history[last] - start.history[last - some];
  return gained > tolerance && start.bound < best && start.bound + 100 * gained > best;
}

// Of the last part of a fit, in which all parts of the model change: the limit on sweeps counts these.
std::string sweeps_of(const StartOutcome& start) {
  return fmt::format("{} sweep{}", start.history.size(), start.history.size() == 1 ? "" : "s");
}

void report_fits(const AveragedFits& averaged, const StartOutcome& best, double tolerance, bool fits_noise, Solution& out) {
  const std::vector<StartOutcome>& starts = averaged.fits;
  const Vector& weight = averaged.weight;
  Report& report = out.report;
  const bool stopped =
      std::any_of(starts.begin(), starts.end(), [](const StartOutcome& start) { return start.status == Status::stopped_by_user; });
  report.status = stopped ? Status::stopped_by_user : best.status;
  report.sweeps = static_cast<int>(best.history.size());
  report.solver = SolverKind::coordinate;
  report.solver_reason =
      averaged.grid ? fmt::format("averaged over {} of {} values of the hyper-parameters", starts.size(), averaged.grid->num_points)
                    : fmt::format("{} start{}, averaged by bound", starts.size(), starts.size() == 1 ? "" : "s");
  // For a grid, the history is that of its best point, shifted so that it ends at the log evidence of the average.
  const double shift = averaged.grid ? averaged.grid->log_evidence - best.bound : 0;
  report.bound_history = best.history;
  for (double& bound : report.bound_history) bound += shift;
  report.bound = best.bound + shift;
  if (!report.bound_history.empty()) report.bound_history.back() = report.bound;  // to the last digit
  out.sparse->peak_bound = averaged.grid ? averaged.grid->peak : best.bound;
  switch (report.status) {
    case Status::converged: report.message = fmt::format("the bound no longer changes by more than {:g} nats", tolerance); break;
    case Status::separated:
      report.message = fmt::format(
          "stopped after {} of the best start: the classes can be separated, and the coefficients grow without limit", sweeps_of(best));
      break;
    case Status::stopped_by_user: report.message = fmt::format("stopped after {} of the best start", sweeps_of(best)); break;
    default: report.message = fmt::format("the bound did not settle within {}", sweeps_of(best)); break;
  }
  if (fits_noise && !averaged.grid && report.status == Status::converged)
    for (const StartOutcome& start : starts)
      if (may_come_to_be_best(start, best.bound, tolerance)) {
        report.status = Status::max_sweeps;
        report.message = fmt::format("the bound of start '{}' still rose after {} and may become the highest; allow more sweeps",
                                     start.name, sweeps_of(start));
        break;
      }
  Index unfinished = 0;
  double share = 0;  // of the weight
  for (std::size_t s = 0; s < starts.size(); ++s)
    if (const double w = weight[static_cast<Index>(s)]; w > 1e-3 && starts[s].status != Status::converged) ++unfinished, share += w;
  if (unfinished == 0 || report.status != Status::converged) return;
  // For starts this is only a warning: those that may become the best have already changed the status.
  constexpr double most_unfinished = 0.05;
  if (averaged.grid && share > most_unfinished) {
    report.status = Status::max_sweeps;
    report.message = fmt::format(
        "the best values of the hyper-parameters converged, but {} others, with {:.0f}% of the weight, did not; allow more sweeps",
        unfinished, 100 * share);
  } else {
    report.warnings.push_back(
        fmt::format("{} of the {} with weight did not converge", unfinished, averaged.grid ? "values of the hyper-parameters" : "starts"));
  }
}

// A column is kept if an effect of its own is probable under each hypothesis and, for a single column, its sign is known. It is kept, too,
// if its sign, or that of a column of its group, is beyond doubt: then it has an effect under each hypothesis, of its own or as one of
// many. Under the prior `dense`, all columns are kept. (SP.22)
void judge(const PenalisedColumns& which, PriorKind kind, Solution& out) {
  constexpr double known = 0.975;       // probability of the sign, as with an interval of 95% that excludes 0
  constexpr double most_doubt = 0.001;  // shared by the columns of a group
  for (Index g = 0; g < which.num_groups(); ++g) {
    const Index first = which.group_begin(g), size = which.group_size(g);
    bool is_sure = false;
    for (Index i = first; i < first + size; ++i)
      is_sure = is_sure || 1 - out.sparse->direction[which.columns[static_cast<std::size_t>(i)]] <= most_doubt / static_cast<double>(size);
    for (Index i = first; i < first + size; ++i) {
      const Index j = which.columns[static_cast<std::size_t>(i)];
      const auto at = static_cast<std::size_t>(j);
      const bool probable = out.relevance[j] > 0.5;
      if (probable && size == 1 && out.sparse->direction[j] < known) out.sparse->undecided[at] = true;
      if (is_sure) out.sparse->undecided[at] = false;
      out.relevant[at] = kind == PriorKind::dense || is_sure || (probable && !out.sparse->undecided[at]);
    }
  }
}

// A solution without results.
Solution begun(const Frame& frame) {
  Solution out;
  out.prior = frame.options.prior.kind;
  out.posterior = LinearPosterior::factorised;
  out.group.assign(frame.left_out.size(), Partition::left_out);
  out.relevance = Vector::Zero(frame.num_columns());
  out.relevant.assign(frame.left_out.size(), false);
  out.report.solver = SolverKind::coordinate;
  return out;
}

}  // namespace

void take_mixture(Mixture mixture, const Frame& frame, Solution& out) {
  const bool has_intercept = frame.units.standardization.intercept;
  const Index p = frame.num_columns(), q = p + (has_intercept ? 1 : 0);
  out.w = mixture.mean(q);
  out.V_diagonal = Vector::Zero(q);
  const bool without_variances = !frame.needs_variances && !is_wide(frame);
  if (without_variances) {
    out.V_diagonal(mixture.columns).setConstant(std::numeric_limits<double>::quiet_NaN());
    out.origin_variance = std::numeric_limits<double>::quiet_NaN();
    out.effective_parameters = mixture.effective_parameters();
  } else {
    const Marginals marginals = mixture.marginals();
    out.V_diagonal(mixture.columns) = marginals.variance;
    out.effective_parameters = marginals.effective_parameters;
  }
  out.log_det_V = std::numeric_limits<double>::quiet_NaN();
  out.factor.kind = CovarianceFactor::Kind::mixture;
  out.factor.mixture = std::move(mixture);
  const auto variance_of = [&](const Vector& x) {
    const Matrix row = x.transpose();
    Vector variance(1);
    out.factor.row_variance(*table_design(row), variance);
    return variance[0];
  };
  for (const Index j : out.flat)
    if (j < p) out.V_diagonal[j] = variance_of(Vector::Unit(q, j));
  if (has_intercept && !without_variances) out.origin_variance = variance_of(frame.origin());
}

Solution failed_solution(const Frame& frame, std::string why) {
  const Index p = frame.num_columns();
  Solution out = begun(frame);
  out.usable = false;
  out.sparse = SparseResult{Vector::Zero(p), Vector::Constant(p, 0.5), std::vector<bool>(frame.left_out.size(), false), 0, 0, {}, {}};
  out.report.status = Status::failed;
  out.report.message = std::move(why);
  return out;
}

Solution solution_of(const Frame& frame, const PenalisedColumns& which, const AveragedFits& averaged, SparsePosterior posterior,
                     const Correlations& in_table) {
  const Index p = frame.num_columns();
  const FitOptions& options = frame.options;
  // Of other likelihoods, the noise is their own, and that of the slab is 1.
  const bool fits_noise = has_normal_noise(options, frame.task);
  Solution out = begun(frame);
  out.flat = which.flat;
  for (Index g = 0; g < which.num_groups(); ++g)
    for (Index j = which.group_begin(g); j < which.group_begin(g) + which.group_size(g); ++j)
      out.group[static_cast<std::size_t>(which.columns[static_cast<std::size_t>(j)])] = g;

  Averages averages = average(averaged, which, fits_noise, frame.units.y_scale, p, in_table);
  const StartOutcome& best = averaged.fits[averages.best];
  out.sparse = std::move(averages.result);
  out.relevance = out.sparse->inclusion;
  for (const Index j : which.flat) {
    if (j == p) continue;
    out.group[static_cast<std::size_t>(j)] = Partition::flat;
    out.relevance[j] = 1;
    out.relevant[static_cast<std::size_t>(j)] = true;
  }
  out.student_degrees = best.q.student_degrees();
  if (fits_noise) out.noise = {averages.shape, averages.shape * averages.noise};
  report_fits(averaged, best, options.tolerance.value_or(fits_noise ? 1e-3 : 2e-3), fits_noise, out);
  take_mixture(std::move(posterior.mixture), frame, out);
  for (Index j = 0; j < which.size(); ++j)
    out.sparse->direction[which.columns[static_cast<std::size_t>(j)]] =
        std::clamp(std::max(posterior.positive[j], 1 - posterior.positive[j]), 0.5, 1.0);
  judge(which, options.prior.kind, out);

  std::vector<std::string>& warnings = out.report.warnings;
  if (fits_noise && !averaged.grid)
    warn_of_two_explanations(averaged.fits, averaged.weight, std::sqrt(averages.noise * (1 + out.effective_parameters / frame.rows)), out);
  if (!posterior.factored)
    warnings.push_back(
        "the correlations of the effects could not be computed, because other effects explain the rows as well: intervals treat the "
        "effects as independent; leave out columns that say the same, or take one precision (--prior shared)");
  warn_of_dense_part(frame, averages.noise, best.q, out);
  if (options.prior.kind == PriorKind::sparse && !averaged.grid) warn_of_few_or_many(averaged.fits, averaged.weight, out.report);
  if (std::string text = interchangeable_columns(best.q, in_table, frame.names); !text.empty()) warnings.push_back(std::move(text));
  return out;
}

}  // namespace ardvark::internal
