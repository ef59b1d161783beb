#include "method/spike_slab/sparse_fit.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "core/parallel.hpp"
#include "core/products.hpp"
#include "core/special.hpp"
#include "core/validate.hpp"
#include "frame/describe.hpp"
#include "frame/user_units.hpp"

namespace ardvark {

SparseParts parts_of(PriorKind kind) {
  return kind == PriorKind::slab ? SparseParts::slab_only : kind == PriorKind::dense ? SparseParts::dense_only : SparseParts::both;
}

void run_reported(const FitOptions& options, double offset, const std::function<void(const SweepReport&)>& work) {
  if (!options.on_sweep) return work({});
  Relay<Progress> relay(options.on_sweep);
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

// Two starts of nearly the same bound that predict differently.
void warn_of_two_explanations(const std::vector<StartOutcome>& starts, const Vector& weight, double predictive_sd, Fit& fit) {
  std::vector<std::size_t> order(starts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return weight[static_cast<Index>(a)] > weight[static_cast<Index>(b)]; });
  if (order.size() < 2 || !(weight[static_cast<Index>(order[1])] > 0)) return;
  const StartOutcome &one = starts[order[0]], &two = starts[order[1]];
  if (&one.q.rows() != &two.q.rows() || !(one.bound - two.bound < 3)) return;
  const auto fitted = [](const SpikeSlab& q) { return Vector(q.rows().y - q.Dr()); };  // y - r/(1 + h l): Z w + what the noise is not
  const double rows = std::max(1.0, one.q.rows().degrees);
  const double distance = (fitted(one.q) - fitted(two.q)).norm() / std::sqrt(rows);
  if (distance > predictive_sd)
    fit.report.warnings.push_back(fmt::format(
        "several explanations: starts '{}' and '{}' reach bounds {:.1f} nats apart and predict differently by {:.2g} predictive "
        "standard deviations; the result averages over them",
        one.name, two.name, one.bound - two.bound, distance / predictive_sd));
}

void warn_of_dense_part(double noise_variance, const SpikeSlab& best, Fit& fit) {
  const SparseResult& sparse = *fit.sparse;
  const ReducedRows& rows = best.rows();
  const bool wide = static_cast<double>(best.which().size()) >= fit.num_rows;
  const double target_variance = (rows.rest + rows.y.squaredNorm()) / std::max(rows.degrees, 1.0);
  if (fit.task == Task::linear && wide && (sparse.dense_fraction > 0.95 || noise_variance < 0.01 * target_variance)) {
    std::string warning = fmt::format(
        "the noise is not identified: with {} columns and {:.10g} rows, many small effects and no noise look the same as noise "
        "(dense fraction {:.2f}); intervals of predictions hold, the noise itself and R^2 say little",
        best.which().size(), fit.num_rows, sparse.dense_fraction);
    if (static_cast<double>(rows.rank()) + 0.5 < rows.degrees)  // more of them than directions
      warning +=
          "; weights are counts, and a row that is given several times shows no noise: divide weights that are not counts by their mean";
    fit.report.warnings.push_back(std::move(warning));
  }
  if (best.hyper().kappa > 0 && best.hyper().kappa <= best.settings().least_kappa)
    fit.report.notes.push_back("no effect of its own was found: the slab has the least width it may have");
}

// Where starts of about one bound take few columns and nearly all of them, the slab is as good a ridge as the ridge.
void warn_of_few_or_many(const std::vector<StartOutcome>& starts, const Vector& weight, Fit& fit) {
  double least = 1, most = 0;
  for (std::size_t s = 0; s < starts.size(); ++s)
    if (weight[static_cast<Index>(s)] > 0.05 && starts[s].q.sum_of_inclusion() > 0) {
      least = std::min(least, starts[s].q.hyper().pi);
      most = std::max(most, starts[s].q.hyper().pi);
    }
  if (most - least > 0.5)
    fit.report.warnings.push_back(fmt::format(
        "few effects or many cannot be told apart: starts of about the same bound give from {:.0f}% to {:.0f}% of the columns an "
        "effect of their own, and inclusion probabilities say little; predictions and intervals hold",
        100 * least, 100 * most));
}

// What the starts say, averaged.
struct Averages {
  SparseResult result;
  std::size_t best = 0;
  double noise = 0;  // s2
  double shape = 0;  // of 1/s2                                                                                               (SP.11)
};

// Of a target with spread 1, or one that is constant: below its rounding no noise can be told from none.
double noise_of(const StartOutcome& start) {
  constexpr double rounding = std::numeric_limits<double>::epsilon();
  return std::max(start.q.hyper().s2, rounding * rounding);
}

SparseStart told(const StartOutcome& start, double weight, Task task, double unit) {
  const SpikeSlabHyper& hyper = start.q.hyper();
  return {start.name,
          start.status,
          start.sweeps,
          start.bound,
          weight,
          start.q.sum_of_inclusion() > 0 ? hyper.pi : 0,
          unit * std::sqrt(hyper.s2 * hyper.kappa),
          unit * std::sqrt(hyper.s2 * hyper.h),
          task == Task::linear ? unit * std::sqrt(hyper.s2) : 0,
          start.q.dense_share()};
}

// The fits under each of two hypotheses, averaged.                                                                            (SP.21)
std::vector<SparseStart> told(const AveragedFits& averaged, const HyperGrid& grid, Task task, double unit) {
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
      const SparseStart one = told(fit, w, task, unit);
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

// Of each unit, whether those that count, two hypotheses or the starts, are of one mind on which side of one half its inclusion is.
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

Averages average(const AveragedFits& averaged, const PenalisedColumns& which, Task task, double unit, Index num_columns) {
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
    if (!averaged.grid) out.result.starts.push_back(told(start, w, task, unit));
    if (w == 0) continue;
    out.result.dense_fraction += w * start.q.dense_share();
    out.noise += w * noise_of(start);
    log_noise += w * std::log(noise_of(start));
    for (Index g = 0; g < which.num_groups(); ++g)
      for (Index j = which.group_begin(g); j < which.group_begin(g) + which.group_size(g); ++j)
        out.result.inclusion[which.columns[static_cast<std::size_t>(j)]] += w * start.q.inclusion()[g];
  }
  if (averaged.grid) out.result.starts = told(averaged, *averaged.grid, task, unit);
  out.result.inclusion = out.result.inclusion.cwiseMin(1.0);  // averages of shares, but for their rounding
  out.result.dense_fraction = std::min(out.result.dense_fraction, 1.0);
  double spread = 0;
  for (std::size_t s = 0; s < fits.size(); ++s) {
    const double w = weight[static_cast<Index>(s)];
    if (w == 0) continue;
    const double off = std::log(noise_of(fits[s])) - log_noise;
    spread += w * (1 / std::max(fits[s].q.noise_shape(), 1e-3) + off * off);
  }
  out.shape = 1 / spread;
  out.result.sets = credible_sets(fits[out.best].q);
  return out;
}

// Cut off while its bound rose so fast that a hundred times as much more would make it the best.
bool may_come_to_be_best(const StartOutcome& start, double best, double tolerance) {
  if (start.status != Status::max_sweeps || start.history.size() < 2) return false;
  const std::size_t last = start.history.size() - 1, some = std::min(last, std::max<std::size_t>(10, last / 10));
  const double gained = start.history[last] - start.history[last - some];
  return gained > tolerance && start.bound < best && start.bound + 100 * gained > best;
}

void report_fits(const AveragedFits& averaged, const StartOutcome& best, double tolerance, double offset, Fit& fit) {
  const std::vector<StartOutcome>& starts = averaged.fits;
  const Vector& weight = averaged.weight;
  Report& report = fit.report;
  const bool stopped =
      std::any_of(starts.begin(), starts.end(), [](const StartOutcome& start) { return start.status == Status::stopped_by_user; });
  report.status = stopped ? Status::stopped_by_user : best.status;
  report.sweeps = static_cast<int>(best.history.size());  // of its last part, where all that is in the model moves
  report.solver = SolverKind::coordinate;
  report.solver_reason =
      averaged.grid ? fmt::format("averaged over {} of {} values of the hyper-parameters", starts.size(), averaged.grid->num_points)
                    : fmt::format("{} start{}, averaged by bound", starts.size(), starts.size() == 1 ? "" : "s");
  // Of a grid the history is that of its best point, and ends at the evidence of all.
  const double shift = averaged.grid ? averaged.grid->log_evidence - best.bound : 0;
  report.bound_history = best.history;
  for (double& bound : report.bound_history) bound += offset + shift;
  report.bound = fit.bound = best.bound + offset + shift;
  for (SparseStart& start : fit.sparse->starts) start.bound += offset;
  fit.sparse->peak_bound = (averaged.grid ? averaged.grid->peak : best.bound) + offset;
  switch (report.status) {
    case Status::converged: report.message = fmt::format("the bound stands still within {:g} nats", tolerance); break;
    case Status::separated:
      report.message =
          fmt::format("stopped after {} sweep{} of the best start: the classes can be separated, and the coefficients grow without end",
                      best.sweeps, best.sweeps == 1 ? "" : "s");
      break;
    case Status::stopped_by_user: report.message = fmt::format("stopped after {} sweeps of the best start", best.sweeps); break;
    default: report.message = fmt::format("the bound did not settle within {} sweep{}", best.sweeps, best.sweeps == 1 ? "" : "s"); break;
  }
  if (fit.task == Task::linear && !averaged.grid && report.status == Status::converged)
    for (const StartOutcome& start : starts)
      if (may_come_to_be_best(start, best.bound, tolerance)) {
        report.status = Status::max_sweeps;
        report.message = fmt::format("the bound of start '{}' still rose after {} sweeps and may come to be the highest; allow more sweeps",
                                     start.name, start.sweeps);
        break;
      }
  Index unfinished = 0;
  double share = 0;  // of the weight
  for (std::size_t s = 0; s < starts.size(); ++s)
    if (const double w = weight[static_cast<Index>(s)]; w > 1e-3 && starts[s].status != Status::converged) ++unfinished, share += w;
  if (unfinished == 0 || report.status != Status::converged) return;
  // Of starts this is only a warning: those that may come to be the best have changed the status already.
  constexpr double most_unfinished = 0.05;
  if (averaged.grid && share > most_unfinished) {
    report.status = Status::max_sweeps;
    report.message = fmt::format(
        "the best of the values of the hyper-parameters converged, but {} others, with {:.0f}% of the weight, did not; allow more sweeps",
        unfinished, 100 * share);
  } else {
    report.warnings.push_back(
        fmt::format("{} of the {} that count had not converged", unfinished, averaged.grid ? "values of the hyper-parameters" : "starts"));
  }
}

// Mean, variances and intercept, from the units of the design to the user's.
void take_mixture(Mixture mixture, const std::vector<Index>& flat, detail::FitState& state, Fit& fit) {
  const Index p = fit.num_columns(), q = p + (state.standardization.intercept ? 1 : 0);
  Posterior posterior;
  posterior.w = mixture.mean(q);
  posterior.V_diagonal = Vector::Zero(q);
  const Marginals marginals = mixture.marginals();
  posterior.V_diagonal(mixture.columns) = marginals.variance;
  fit.effective_parameters = marginals.effective_parameters;
  state.w = fit.standardized_mean = posterior.w;
  state.factor.kind = CovarianceFactor::Kind::mixture;
  state.factor.mixture = std::move(mixture);
  const auto variance_of = [&](const Vector& x) {
    const Matrix row = x.transpose();
    DenseDesign one(row, {});
    Vector variance(1);
    state.factor.row_variance(one, variance);
    return variance[0];
  };
  for (const Index j : flat)
    if (j < p) posterior.V_diagonal[j] = variance_of(Vector::Unit(q, j));
  to_user_units(posterior, 0, variance_of, state, fit);
  fit.log_det_V = std::numeric_limits<double>::quiet_NaN();
}

// Kept: an effect of its own is probable under each hypothesis, and of a single column its sign is known. Under the prior dense all are in.
void judge(const PenalisedColumns& which, PriorKind kind, Fit& fit) {
  constexpr double known = 0.975;  // a sign: that of an interval of 95%
  for (Index g = 0; g < which.num_groups(); ++g)
    for (Index i = which.group_begin(g); i < which.group_begin(g) + which.group_size(g); ++i) {
      const Index j = which.columns[static_cast<std::size_t>(i)];
      const auto at = static_cast<std::size_t>(j);
      const bool probable = fit.relevance[j] > 0.5;
      if (probable && which.group_size(g) == 1 && fit.sparse->direction[j] < known) fit.sparse->undecided[at] = true;
      fit.relevant[at] = kind == PriorKind::dense || (probable && !fit.sparse->undecided[at]);
    }
}

}  // namespace

void describe_failure(const FitOptions& options, const std::vector<bool>& left_out, detail::FitState& state, Fit& fit) {
  const auto p = static_cast<Index>(left_out.size());
  const Vector nan = Vector::Constant(p, std::numeric_limits<double>::quiet_NaN());
  fit.left_out = left_out;
  fit.prior = options.prior.kind;
  fit.column_names = complete_names(options, p);
  fit.mean = fit.variance = fit.V_diagonal = nan;
  fit.standardized_mean = Vector::Constant(p + (state.standardization.intercept ? 1 : 0), std::numeric_limits<double>::quiet_NaN());
  fit.relevance = Vector::Zero(p);
  fit.relevant.assign(left_out.size(), false);
  fit.group.assign(left_out.size(), Partition::left_out);
  fit.sparse = SparseResult{Vector::Zero(p), Vector::Constant(p, 0.5), std::vector<bool>(left_out.size(), false), 0, 0, {}, {}};
  state.w = {};
  fit.report.status = Status::failed;
  fit.report.message = "no start came to a finite bound";
  fit.report.solver = SolverKind::coordinate;
}

void describe_sparse(const FitOptions& options, const PenalisedColumns& which, const AveragedFits& averaged, SparsePosterior posterior,
                     const std::vector<bool>& left_out, detail::FitState& state, Fit& fit, const AreCorrelated& in_table) {
  const auto p = static_cast<Index>(left_out.size());
  fit.left_out = left_out;
  fit.prior = options.prior.kind;
  fit.column_names = complete_names(options, p);
  fit.posterior = LinearPosterior::factorised;
  fit.mean = fit.variance = fit.V_diagonal = Vector::Zero(p);
  fit.group.assign(left_out.size(), Partition::left_out);
  for (Index g = 0; g < which.num_groups(); ++g)
    for (Index j = which.group_begin(g); j < which.group_begin(g) + which.group_size(g); ++j)
      fit.group[static_cast<std::size_t>(which.columns[static_cast<std::size_t>(j)])] = g;

  Averages averages = average(averaged, which, fit.task, state.y_scale, p);
  const StartOutcome& best = averaged.fits[averages.best];
  fit.sparse = std::move(averages.result);
  fit.relevance = fit.sparse->inclusion;
  fit.relevant.assign(left_out.size(), false);
  for (const Index j : which.flat) {
    if (j == p) continue;
    fit.group[static_cast<std::size_t>(j)] = Partition::flat;
    fit.relevance[j] = 1;
    fit.relevant[static_cast<std::size_t>(j)] = true;
  }
  if (fit.task == Task::linear) fit.noise = {averages.shape, averages.shape * averages.noise * state.y_scale * state.y_scale};
  report_fits(averaged, best, options.tolerance.value_or(fit.task == Task::linear ? 1e-3 : 2e-3),
              bound_offset(which.flat, state, fit.task, fit.num_rows), fit);
  take_mixture(std::move(posterior.mixture), which.flat, state, fit);
  for (Index j = 0; j < which.size(); ++j)
    fit.sparse->direction[which.columns[static_cast<std::size_t>(j)]] =
        std::clamp(std::max(posterior.positive[j], 1 - posterior.positive[j]), 0.5, 1.0);
  for (const Index j : which.flat)
    if (j < p) fit.sparse->direction[j] = normal_cdf(std::abs(fit.mean[j]) / std::sqrt(fit.variance[j]));
  judge(which, options.prior.kind, fit);

  if (fit.task == Task::linear && !averaged.grid)
    warn_of_two_explanations(averaged.fits, averaged.weight, std::sqrt(averages.noise * (1 + fit.effective_parameters / fit.num_rows)),
                             fit);
  if (!posterior.factored)
    fit.report.warnings.push_back(
        "the correlations among the effects could not be computed (not a strict maximum): intervals take the effects as independent");
  warn_of_dense_part(averages.noise, best.q, fit);
  if (options.prior.kind == PriorKind::sparse && !averaged.grid) warn_of_few_or_many(averaged.fits, averaged.weight, fit);
  note_interchangeable(best.q, in_table, fit);
}

}  // namespace ardvark
