#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/special.hpp"
#include "frame/describe.hpp"
#include "frame/solution.hpp"
#include "target/target.hpp"

namespace ardvark::internal {
namespace {

// w_user = y_scale scale_j w_j; the intercept is the prediction at x = 0.
void to_user_units(const Solution& solution, const Frame& frame, Fit& fit) {
  const Units units = frame.user_units();
  const Standardization& s = units.standardization;
  const Index p = fit.num_columns();
  double spread = student_t_variance(fit.degrees_of_freedom());  // the covariance of w is this times V: b_N/(a_N - 1) if it is joint
  if (fit.is_joint()) spread *= fit.noise.rate / fit.noise.shape / (units.y_scale * units.y_scale);
  const double y2 = units.y_scale * units.y_scale;
  const double unit = fit.is_joint() ? 1 : y2;  // of V: V contains the scale of the target if it does not scale with the noise
  fit.log_det_V = solution.log_det_V + static_cast<double>(solution.num_in_use) * std::log(unit);
  for (Index j = 0; j < p; ++j) {
    const double scale = s.scale.size() > 0 ? s.scale[j] : 1.0;
    if (fit.left_out[static_cast<std::size_t>(j)]) continue;
    fit.mean[j] = units.y_scale * scale * solution.w[j];
    fit.V_diagonal[j] = unit * scale * scale * solution.V_diagonal[j];
    if (solution.V_diagonal[j] <= 0) continue;  // pruned; spread may be infinite
    fit.variance[j] = y2 * spread * scale * scale * solution.V_diagonal[j];
    fit.log_det_V += 2 * std::log(scale);  // contains no pruned columns
  }
  if (s.intercept)
    fit.intercept = Intercept{units.y_center + units.y_scale * solution.w.dot(frame.origin()), y2 * spread * solution.origin_variance};
}

// In the units of the caller, squares may overflow or underflow although the columns and the target can be squared.
void require_representable(const Solution& solution, bool has_variances, const Fit& fit) {
  const auto refuse = [](const std::string& what, const std::string& remedy) {
    throw InvalidArgument(fmt::format("{} is beyond the range of numbers (about 1e-308 to 1e308): rescale {}", what, remedy));
  };
  const bool is_linear = has_noise(fit.task);
  for (Index j = 0; j < fit.num_columns(); ++j) {
    if (fit.left_out[static_cast<std::size_t>(j)] || !(solution.V_diagonal[j] > 0)) continue;
    const double variance = fit.variance[j];
    const bool has_variance = std::isnormal(variance) || (std::isinf(variance) && fit.degrees_of_freedom() <= 2);
    if (!std::isfinite(fit.mean[j]) || !std::isfinite(fit.V_diagonal[j]) || !(fit.V_diagonal[j] > 0) || !has_variance)
      refuse(fmt::format("the variance of the coefficient of column '{}'", fit.column_names[static_cast<std::size_t>(j)]),
             is_linear ? "the column or the target" : "the column");
  }
  if (is_linear && solution.noise.rate > 0 && !std::isnormal(fit.noise.rate)) refuse("the variance of the noise", "the target");
  if (fit.intercept && (!std::isfinite(fit.intercept->mean) || (has_variances && std::isnan(fit.intercept->variance))))
    refuse("the intercept", is_linear ? "the columns or the target" : "the columns");
  if (!std::isfinite(fit.bound) || std::isnan(fit.effective_parameters) || std::isnan(solution.quadratic))
    refuse("a sum of squares of the posterior", is_linear ? "the columns or the target" : "the columns");
}

// A fit without a usable result has NaN everywhere, so that it cannot predict or be saved.
void without_posterior(Index num_columns, Fit& fit) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  fit.mean.setConstant(nan), fit.variance.setConstant(nan), fit.V_diagonal.setConstant(nan);
  fit.standardized_mean = Vector::Constant(num_columns, nan);
}

// Converts bounds from the units of the design to those of the data, in nats.
void shift_bounds(double offset, Fit& fit) {
  fit.bound = fit.report.bound;
  // Without a sweep there is no bound; only the mode of a Laplace prior may need no step.
  if (fit.report.bound_history.empty() && fit.prior != PriorKind::laplace) return;
  fit.bound = fit.report.bound += offset;
  for (double& bound : fit.report.bound_history) bound += offset;
  if (!fit.sparse) return;
  for (SparseStart& start : fit.sparse->starts) start.bound += offset;
  fit.sparse->peak_bound += offset;
}

void put_first(std::vector<std::string> first, std::vector<std::string>& all) {
  first.insert(first.end(), std::make_move_iterator(all.begin()), std::make_move_iterator(all.end()));
  all = std::move(first);
}

void take_family(std::optional<Family> family, OwnParameters own, Fit& fit) {
  if (has_classes(fit.task)) return;
  FamilyResult& out = fit.family;
  out.family = family.value_or(is_count(fit.task) ? Family::poisson : Family::normal);
  out.dispersion = own.dispersion;
  out.degrees_of_freedom = own.degrees_of_freedom;
  out.log_mean = own.log_mean, out.log_sd = own.log_sd;
  out.row_weight = std::move(own.row_weight);
}

// R^2 about the mean if there is an intercept, otherwise about zero.
double r_squared_of(const Frame& frame, const RowMoments& rows) {
  const Vector &y = frame.target, &k = frame.k;
  const double center = frame.units.standardization.intercept ? k.dot(y) / frame.rows : 0.0;
  const double around = k.dot((y.array() - center).square().matrix());
  const double missed = rows.missed ? *rows.missed : k.dot((y - rows.m).cwiseAbs2());
  return around > 0 ? 1 - missed / around : 0.0;
}

// e^(o + m + s/2), under a mixture its mean.                                                               (POIS.2), (POIS.8), (SL.16)
Vector expected_counts(const Frame& frame, const RowMoments& rows, const Mixture& mixture) {
  constexpr Index block = 16384;  // rows
  const Index n = frame.target.size();
  Vector out(n);
  if (!rows.of_components) {
    out = (rows.m + 0.5 * rows.s).array().exp();
  } else {
    Vector weight(std::ssize(mixture.components));
    for (Index c = 0; c < weight.size(); ++c) weight[c] = mixture.components[static_cast<std::size_t>(c)].weight;
    for (Index first = 0; first < n; first += block) {
      const Index count = std::min(block, n - first);
      const ComponentMoments moments = rows.of_components(mixture, first, count);
      out.segment(first, count) = (moments.mean + 0.5 * moments.variance).array().exp().matrix() * weight;
    }
  }
  if (frame.offset.size() > 0) out.array() *= frame.offset.array().exp();
  return out;
}

void describe_rows(const Frame& frame, const RowMoments& rows, Fit& fit) {
  if (has_classes(frame.task))  // also where there is no posterior
    for (Index i = 0; i < std::min(frame.target.size(), frame.k.size()); ++i) fit.class_weight[frame.target[i] > 0.5 ? 1 : 0] += frame.k[i];
  if (rows.m.size() == 0 && !rows.missed && !rows.of_components) return;
  const Mixture& mixture = fit.state->factor.mixture;
  const Vector &t = rows.t.size() > 0 ? rows.t : frame.target, &k = rows.k.size() > 0 ? rows.k : frame.k;
  if (is_count(frame.task))
    describe_counts(frame.target, frame.k, expected_counts(frame, rows, mixture), frame.offset, fit);
  else if (has_noise(frame.task))
    fit.r_squared = r_squared_of(frame, rows);
  else if (rows.of_components)
    describe_classes(
        t, k, mixture, [&](Index first, Index count) { return rows.of_components(mixture, first, count); }, fit);
  else
    describe_classes(t, k, rows.m, rows.s, fit);
}

}  // namespace

Fit assemble(const Frame& frame, Solution solution) {
  const Index p = frame.num_columns();
  Fit fit;
  fit.task = frame.task;
  fit.classes = frame.classes;
  fit.column_names = frame.names;
  fit.left_out = frame.left_out;
  if (const auto& offset = frame.offset_column) (offset->is_exposure ? fit.exposure : fit.offset_column) = offset->column;
  fit.has_row_offset = !frame.options.row_offset.empty();
  fit.num_rows = frame.rows;
  fit.prior = solution.prior;
  fit.lambda = solution.lambda;
  fit.posterior = solution.posterior;
  fit.student_degrees = solution.student_degrees;
  if (has_classes(frame.task))
    fit.likelihood = frame.options.prior.kind == PriorKind::laplace ? LogisticLikelihood::laplace
                                                                    : frame.options.likelihood.value_or(LogisticLikelihood::gaussian);
  fit.group = std::move(solution.group);
  fit.precision = std::move(solution.precision);
  fit.precision_history = std::move(solution.precision_history);
  fit.relevance = std::move(solution.relevance);
  fit.relevant = std::move(solution.relevant);
  fit.effective_parameters = solution.effective_parameters;
  fit.noise = {solution.noise.shape, solution.noise.rate * (frame.units.y_scale * frame.units.y_scale)};
  take_family(solution.family, std::move(solution.own), fit);
  fit.sparse = std::move(solution.sparse);
  fit.report = std::move(solution.report);
  fit.report.preset = frame.options.preset;
  fit.report.compat = frame.options.compat;
  put_first(frame.notes, fit.report.notes);
  put_first(frame.warnings, fit.report.warnings);
  shift_bounds(bound_offset(solution.flat, frame.units, frame.rows), fit);

  fit.mean = fit.variance = fit.V_diagonal = Vector::Zero(p);
  if (solution.usable)
    to_user_units(solution, frame, fit), require_representable(solution, frame.needs_variances, fit);
  else
    without_posterior(p + (frame.units.standardization.intercept ? 1 : 0), fit);
  if (solution.usable) fit.standardized_mean = solution.w;
  if (solution.usable && fit.sparse)
    for (const Index j : solution.flat)
      if (j < p) fit.sparse->direction[j] = 1 - student_t_tail(fit.student_degrees, std::abs(fit.mean[j]) / std::sqrt(fit.V_diagonal[j]));

  const auto state = std::make_shared<FitState>();
  static_cast<Units&>(*state) = frame.user_units();
  state->w = std::move(solution.w);
  state->factor = std::move(solution.factor);
  state->quadratic = solution.quadratic;
  state->a = std::move(solution.a);
  state->omega = std::move(solution.omega);
  state->proper_intercept = solution.proper_intercept;
  state->marginals = std::move(solution.marginals);
  fit.state = state;
  describe_rows(frame, solution.rows, fit);
  if (frame.options.keep_covariance == Keep::never) state->factor = {};
  return fit;
}

}  // namespace ardvark::internal
