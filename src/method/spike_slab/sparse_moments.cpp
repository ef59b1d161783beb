// Regressions of counts under the priors sparse, slab and dense, or of any likelihood of moments.                   docs/math/sparse.md
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/special.hpp"
#include "frame/noise_prior.hpp"
#include "frame/prior_partition.hpp"
#include "frame/separation.hpp"
#include "likelihood/registry.hpp"
#include "method/spike_slab/moment_rows.hpp"
#include "method/spike_slab/sparse_classes.hpp"
#include "prior/hyperprior_cost.hpp"
#include "target/target.hpp"

namespace ardvark::internal {
namespace {

// Of ln rate: an effect on a rate is rarely larger, however few counts there are.                                            (SL.16)
constexpr double most_noise = 0.5;
constexpr double infinity = std::numeric_limits<double>::infinity();

// The likelihood at the moments of its rows under the whole mixture, and what its own parameters add.                           (NB.5)
// \param noise_cost  of the prior of the noise, which fits that find the noise do not pay                                        (CMP.1)
// \return [n] the largest m + s/2 of a row under a component
Vector take_own_parameters(const MomentsOfRows& moments, MomentLikelihood& likelihood, double noise_cost, Rows& rows, Solution& out) {
  const Mixture& mixture = out.factor.mixture;
  Vector weight(std::ssize(mixture.components));
  for (Index c = 0; c < weight.size(); ++c) weight[c] = mixture.components[static_cast<std::size_t>(c)].weight;
  const ComponentMoments all = moments(mixture, 0, rows.omega.size());
  Posterior q;
  q.m = all.mean * weight;
  q.s = (all.variance + (all.mean.colwise() - q.m).cwiseAbs2()) * weight;
  const Vector s = q.s;
  likelihood.update(q, rows);
  out.own = likelihood.own_parameters();
  out.noise = likelihood.noise();
  out.rows.m = std::move(q.m);
  const double share = likelihood.information_share();  // the fit took the rest of the rows' omega for no information          (TN.6)
  const double spread = out.own.spread - noise_cost - 0.5 * (1 - share) * rows.omega.dot(s);
  out.report.bound += spread;
  for (double& bound : out.report.bound_history) bound += spread;
  for (SparseStart& start : out.sparse->starts) start.bound += spread;
  out.sparse->peak_bound += spread;
  return (all.mean + 0.5 * all.variance).rowwise().maxCoeff();
}

enum class Kept { some, all };  // columns in memory

// \param start  [rows] the first linear predictors; empty: those of the likelihood
Solution solve_from(Frame& frame, const PenalisedColumns& which, Kept kept, Vector start) {
  const FitOptions& options = frame.options;
  LikelihoodInput input{frame.target, frame.k, static_cast<Index>(which.flat.size())};
  input.num_penalised = which.size();
  input.offset = frame.offset;
  input.noise = options.noise;
  if (has_noise(frame.task)) input.noise = noise_prior(frame, {frame.rows, input.num_flat, input.num_penalised});
  const GammaDistribution prior = input.noise;
  const std::unique_ptr<Likelihood> made = likelihood_row(frame.task, options).make(std::move(input));
  auto* likelihood = dynamic_cast<MomentLikelihood*>(made.get());
  if (likelihood == nullptr) throw InternalError("a sparse prior needs a likelihood of moments");
  Rows rows;
  likelihood->start(rows);
  Vector state(likelihood->state_size()), weight(state.size());
  likelihood->get_state(state, weight);
  if (start.size() == 0) start = state.head(frame.k.size());  // Student-t noise: zeros

  const auto make_rows = [&](std::unique_ptr<Design> design) {
    return std::make_unique<MomentRows>(std::move(design), *likelihood, start, frame.k, has_noise(frame.task) ? infinity : most_noise);
  };
  TableOfRows table{frame.X, frame.units.standardization};
  Solution out = kept == Kept::all ? solve_table(frame, which, table, frame.k, make_rows)
                                   : solve_wide_rows(frame, [&](std::unique_ptr<Design> design, const Vector&, const Vector&) {
                                       return make_rows(std::move(design));
                                     });
  if (!out.usable) return out;
  const MomentsOfRows moments = kept == Kept::all ? table.moments(out.factor.mixture) : out.rows.of_components;
  const double degrees = frame.rows - static_cast<double>(which.flat.size());
  const Vector log_rate =
      take_own_parameters(moments, *likelihood, has_noise(frame.task) ? hyperprior_cost(prior.shape, 0.5 * degrees) : 0, rows, out);
  if (has_noise(frame.task)) {
    out.posterior = LinearPosterior::factorised;
    out.student_degrees = std::numeric_limits<double>::infinity();
    return out;
  }
  call_unlimited(frame, out);
  call_overflown(frame, log_rate, out);
  out.rows.of_components = moments;
  return out;
}

// From all starts.
Solution solve(Frame& frame, Kept kept) {
  const PenalisedColumns which = penalised_columns(frame.options, frame.num_columns(), frame.left_out);
  const std::vector<std::string> notes = frame.notes, warnings = frame.warnings;
  Solution found = solve_from(frame, which, kept, {});
  const bool goes_on = found.usable && found.report.status != Status::stopped_by_user;
  if (frame.options.family != Family::negative_binomial || is_averaged(which, frame.rows) || !goes_on) return found;
  // Much dispersion explains what effects might: with few rows, the bound has a maximum without effects. Poisson's effects are the other
  // start.                                                                                                                        (SL.16)
  constexpr double many = 100;  // rows for each column
  if (frame.rows >= many * static_cast<double>(which.size())) return found;
  const std::vector<std::string> of_found = frame.notes;
  const auto again = [&](Family family, const Vector& start) {
    frame.notes = notes, frame.warnings = warnings;
    frame.options.family = family;
    Solution out = solve_from(frame, which, kept, start);
    frame.options.family = Family::negative_binomial;
    return out;
  };
  const Solution poisson = again(Family::poisson, {});
  if (poisson.usable) {
    Solution other = again(Family::negative_binomial, poisson.rows.m);
    if (other.usable && other.report.bound > found.report.bound) return other;
  }
  frame.notes = of_found;
  return found;
}

}  // namespace

Solution solve_sparse_moments(Frame& frame) {
  const PenalisedColumns which = penalised_columns(frame.options, frame.num_columns(), frame.left_out);
  if (!why_no_maximum(frame, which.flat).empty()) {
    Solution out = failed_solution(frame, "columns without a prior have no posterior");
    explain_no_posterior(frame, which.flat, {"before the first sweep", true}, out.report);
    return out;
  }
  return is_wide(frame) ? solve_wide_moments(frame) : solve_moments_in_memory(frame);
}

Solution solve_wide_moments(Frame& frame) { return solve(frame, Kept::some); }

Solution solve_moments_in_memory(Frame& frame) {
  require_decomposition(frame, penalised_columns(frame.options, frame.num_columns(), frame.left_out));
  return solve(frame, Kept::all);
}

}  // namespace ardvark::internal
