// fit_logistic: validate, read the classes, choose the prior, and fit.
#include "ardvark/logistic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "core/stopwatch.hpp"
#include "core/validate.hpp"
#include "fit/checked.hpp"
#include "fit/prior_choice.hpp"
#include "fit/validate_options.hpp"
#include "frame/describe.hpp"
#include "frame/separation.hpp"
#include "method/greedy/greedy_preset.hpp"
#include "method/l1/l1_slr.hpp"
#include "method/l1/lasso.hpp"
#include "method/sequential/sequential.hpp"
#include "method/spike_slab/sparse.hpp"
#include "method/sweep/sweep_fit.hpp"
#include "preset/preset.hpp"

namespace ardvark {
namespace {

std::string text_of(double label) { return fmt::format("{}", label); }

// The two labels, ascending. `signs`: they are -1 and 1, of which one may be absent, as under a proper prior of every column it may.
// \throws InvalidArgument for any other number of them.
std::pair<double, double> two_labels(VectorView labels, bool signs) {
  double low = labels[0], high = labels[0];
  for (double label : labels) low = std::min(low, label), high = std::max(high, label);
  if (low == high && signs && std::abs(low) == 1) return {-1, 1};
  if (low == high)
    throw InvalidArgument(fmt::format("labels has one class only ({}); logistic regression needs exactly two", text_of(low)));
  for (Index i = 0; i < labels.size(); ++i)
    if (labels[i] != low && labels[i] != high)
      throw InvalidArgument(
          fmt::format("labels has more than two classes ({}, {}, {}, first at row {}); logistic regression needs exactly two", text_of(low),
                      text_of(labels[i]), text_of(high), i + 1));
  return {low, high};
}

struct Classes {
  std::vector<std::string> names;  // the two, ascending
  Vector t;                        // 1: the second
};
Classes read_classes(VectorView labels, const Vector& k, const FitOptions& options) {
  const bool signs = options.preset.starts_with("vb_logit");
  const auto [low, high] = two_labels(labels, signs);
  Classes out{{text_of(low), text_of(high)}, Vector(labels.size())};
  for (Index i = 0; i < labels.size(); ++i) out.t[i] = labels[i] == high ? 1.0 : 0.0;
  if (!signs && (k.dot(out.t) == 0 || k.dot(out.t) == k.sum()))
    throw InvalidArgument("all rows of one class have weight zero; logistic regression needs two classes");
  return out;
}

std::unique_ptr<Likelihood> logistic_likelihood(const Vector& t, const Vector& k, const FitOptions& options, LastRow last) {
  switch (options.likelihood) {
    case LogisticLikelihood::gaussian: return make_logistic_gaussian(t, k, last);
    case LogisticLikelihood::bound: return make_logistic_bound(t, k, options.start_xi, last);
    case LogisticLikelihood::laplace: return make_logistic_laplace(t, k, last);
  }
  throw InternalError("no such likelihood");
}

}  // namespace

LogisticFit fit_logistic(MatrixView X, VectorView labels, const FitOptions& options) {
  const Stopwatch watch;
  validate::matrix(X, "X", options.column_names);
  validate::vector(labels, X.rows(), "labels");
  validate::weights(options.weights, X.rows());
  validate_options(options, Task::logistic, X.cols());
  const ChosenOptions chosen = with_chosen_prior(options, Task::logistic, X.rows(), X.cols());
  LogisticFit fit = fit_checked_logistic(X, labels, chosen.options);
  note_choice(chosen, fit);
  warn_if_too_confident(options, fit, X.cols());
  fit.report.seconds = watch.seconds();
  return fit;
}

LogisticFit fit_checked_logistic(MatrixView X, VectorView labels, const FitOptions& options) {
  const Vector k = weights_or_ones(options.weights, X.rows());
  const auto [classes, t] = read_classes(labels, k, options);
  const Stopwatch watch;
  const blas::ThreadScope threads(options.threads);

  LogisticFit fit;
  fit.task = Task::logistic;
  fit.classes = classes;
  fit.likelihood = options.prior.kind == PriorKind::laplace ? LogisticLikelihood::laplace : options.likelihood;
  const PresetMethod method = preset_facts(options.preset).method;
  if (method == PresetMethod::sequential || method == PresetMethod::greedy) {
    if (method == PresetMethod::greedy)
      fit_greedy_preset(X, t, options, fit);
    else
      fit_sequential_preset(X, t, options, fit);
    fit.report.seconds = watch.seconds();
    return fit;
  }
  if (options.prior.kind == PriorKind::laplace) {
    if (method == PresetMethod::coordinate && options.compat)
      fit_l1_slr(X, t, options, fit);
    else
      fit_lasso(X, t, k, options, fit);
    call_separated(X, t, k, flat_columns_of(fit), fit);
    fit.report.seconds = watch.seconds();
    return fit;
  }
  Prepared prepared = prepare_columns(X, k, options);
  fit.report.warnings = prepared.warnings;
  if (is_sparse(options.prior.kind)) {
    auto state = std::make_shared<detail::FitState>();
    fit_sparse_logistic(X, t, k, ending_at_once(options), std::move(prepared), state, fit);
    if (options.keep_covariance == Keep::never) state->factor = {};
    fit.report.seconds = watch.seconds();
    describe_separation(options, fit);
    return fit;
  }
  PreparedPrior prior = prepare_prior(options, X.cols(), prepared.left_out);
  const std::vector<Index> flat = prior.partition.flat_columns;
  const bool proper = has_proper_intercept(options, flat);
  const auto likelihood = logistic_likelihood(t, k, options, proper ? LastRow::intercept : LastRow::observation);
  std::string no_maximum = why_no_maximum(X, prepared.standardization, k, flat);
  Posterior q =
      fit_by_sweeps(options, {X, *likelihood, std::move(prepared), std::move(prior), k.sum(), proper ? &k : nullptr, std::move(no_maximum)},
                    std::make_shared<detail::FitState>(), watch, fit);
  // Made first and then moved: core/resize.hpp.
  q.m = Vector(q.m.head(t.size()));
  q.s = Vector(q.s.head(t.size()));
  if (fit.report.status == Status::not_positive_definite) explain_no_posterior(X, fit.state->standardization, k, flat, fit.report);
  if (fit.state->w.size() > 0) DenseDesign(X, fit.state->standardization).apply(fit.state->w, q.m);  // as predict() has it, bit for bit
  call_separated(X, t, k, flat, fit);
  describe_classes(t, k, q.m, q.s, fit);
  describe_separation(options, fit);
  return fit;
}

LogisticPath fit_logistic_path(MatrixView X, VectorView labels, const PathGrid& grid, const FitOptions& options) {
  validate::matrix(X, "X", options.column_names);
  validate::vector(labels, X.rows(), "labels");
  validate::weights(options.weights, X.rows());
  FitOptions lasso = options;
  if (lasso.prior.kind == PriorKind::automatic) lasso.prior.kind = PriorKind::laplace;
  if (lasso.prior.kind != PriorKind::laplace)
    throw InvalidArgument(fmt::format("prior is '{}'; a path of lambdas needs the Laplace prior", to_string(lasso.prior.kind)));
  if (!lasso.preset.empty())
    throw InvalidArgument(fmt::format("preset is '{}'; a path of lambdas needs a model, not a preset", lasso.preset));
  validate_options(lasso, Task::logistic, X.cols());
  const Vector k = weights_or_ones(options.weights, X.rows());
  const auto [classes, t] = read_classes(labels, k, lasso);
  const blas::ThreadScope threads(options.threads);
  LogisticPath path = fit_lasso_path(X, t, k, grid, lasso);
  path.classes = classes;
  return path;
}

}  // namespace ardvark
