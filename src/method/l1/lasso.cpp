#include "method/l1/lasso.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/blas.hpp"
#include "core/special.hpp"
#include "core/stopwatch.hpp"
#include "core/validate.hpp"
#include "frame/describe.hpp"
#include "frame/prepare.hpp"
#include "frame/user_units.hpp"
#include "method/l1/coordinate_ascent.hpp"
#include "posterior/state.hpp"

namespace ardvark {

void validate_lasso(const FitOptions& options) {
  const Prior& prior = options.prior;
  const auto refuse = [](bool given, const char* name) {
    if (given) throw InvalidArgument(fmt::format("{} has no meaning beside a Laplace prior, which has lambda and nothing else", name));
  };
  refuse(options.rule != UpdateRule::vb, "rule");
  refuse(options.pruning.is_on(), "pruning");
  refuse(!prior.group.empty(), "prior.group");
  refuse(!prior.fixed_columns.empty(), "prior.fixed_columns");
  refuse(!prior.hyperprior.empty(), "prior.hyperprior");
  refuse(!options.start_precision.empty(), "start_precision");
  refuse(options.preset.empty() && options.likelihood == LogisticLikelihood::bound, "likelihood = bound");
  if (options.compat && !prior.flat_columns.empty())
    throw InvalidArgument(
        fmt::format("compat of preset '{}' penalises every column: leave prior.flat_columns as they are", options.preset));
  if (options.solver != SolverKind::automatic)
    throw InvalidArgument(fmt::format("solver is {}; a Laplace prior has its own (automatic)", to_string(options.solver)));
  if (!(prior.lambda >= 0 && std::isfinite(prior.lambda)))
    throw InvalidArgument(fmt::format("prior.lambda is {}; it must be > 0 and finite", prior.lambda));
  if (options.tolerance && !(*options.tolerance > 0 && *options.tolerance < 1))
    throw InvalidArgument(
        fmt::format("tolerance is {}; with a Laplace prior it must lie between 0 and 1 (units of lambda)", *options.tolerance));
}

namespace {

// The caller's table as a design, what is flat in it, and the solver.
struct LassoProblem {
  LassoProblem(MatrixView X, const Vector& t, const Vector& k, const FitOptions& options)
      : prepared(prepare_columns(X, k, plain(options))), design(X, prepared.standardization) {
    const Index p = X.cols();
    std::vector<bool> is_flat(static_cast<std::size_t>(p), false);
    for (Index j : options.prior.flat_columns) {
      if (j < 0 || j >= p) throw InvalidArgument(fmt::format("prior.flat_columns names column {}; X has columns 0 to {}", j, p - 1));
      is_flat[static_cast<std::size_t>(j)] = !prepared.left_out[static_cast<std::size_t>(j)];
    }
    for (Index j = 0; j < p; ++j)
      if (is_flat[static_cast<std::size_t>(j)]) flat.push_back(j);
    if (options.intercept) flat.push_back(p);
    Vector length;
    if (options.standardize) {  // known                                                                                     (L1.6)
      length = Vector::Constant(design.cols(), std::sqrt(k.sum()));
      for (Index j = 0; j < p; ++j)
        if (prepared.left_out[static_cast<std::size_t>(j)]) length[j] = 0;
    }
    ascent.emplace(design, t, k, flat, std::move(length));
  }
  static FitOptions plain(FitOptions options) {  // columns are prepared as for a model
    options.preset.clear();
    return options;
  }
  [[nodiscard]] Index num_penalised() const {
    return design.cols() - static_cast<Index>(flat.size()) - std::count(prepared.left_out.begin(), prepared.left_out.end(), true);
  }

  Prepared prepared;
  DenseDesign design;
  std::vector<Index> flat;
  std::optional<CoordinateAscent> ascent;
};

CoordinateSettings settings_of(const FitOptions& options, double constant, const Stopwatch& watch) {
  CoordinateSettings settings;
  settings.tolerance = options.tolerance.value_or(1e-9);
  settings.max_steps = options.max_sweeps;
  if (options.on_sweep)
    settings.on_step = [&options, constant, watch](int steps, double objective) {
      return options.on_sweep({steps, objective + constant, watch.seconds()});
    };
  return settings;
}

// ln p(t, w | lambda) beside the terms that are maximised.                                                                      (L1.1)
double prior_constant(double lambda, Index num_penalised) { return static_cast<double>(num_penalised) * std::log(0.5 * lambda); }

void report_outcome(const CoordinateOutcome& outcome, double constant, Report& report) {
  report.status = outcome.status;
  report.message = outcome.message;
  report.sweeps = outcome.num_steps;
  report.solver = SolverKind::coordinate;
  report.solver_reason = "Newton steps on the columns that matter";
  report.bound = outcome.log_likelihood - outcome.penalty + constant;
  report.bound_history = outcome.objective;
  for (double& bound : report.bound_history) bound += constant;
}

}  // namespace

void fit_lasso(MatrixView X, const Vector& t, const Vector& k, const FitOptions& options, Fit& fit) {
  const Stopwatch watch;
  LassoProblem problem(X, t, k, options);
  CoordinateAscent& ascent = *problem.ascent;
  const double lambda = options.prior.lambda, lambda_max = ascent.lambda_max();
  if (lambda == 0)
    throw InvalidArgument(fmt::format(
        "prior.lambda is not given. With these rows every weight is zero from {:.6g} on (lambda_max); begin at about a tenth of "
        "it, {:.3g}",
        lambda_max, 0.1 * lambda_max));
  fit.report.notes = problem.prepared.notes;
  fit.report.warnings = problem.prepared.warnings;
  fit.left_out = problem.prepared.left_out;
  const double constant = prior_constant(lambda, problem.num_penalised());
  const CoordinateOutcome outcome = ascent.solve(lambda, settings_of(options, constant, watch));
  report_outcome(outcome, constant, fit.report);
  fit.bound = fit.report.bound;
  auto state = std::make_shared<detail::FitState>();
  state->standardization = std::move(problem.prepared.standardization);
  CoordinateAscent::Support support = ascent.support();
  describe_lasso({std::move(support.columns), std::move(support.w), std::move(support.X), ascent.m(), ascent.omega()}, problem.flat, t, k,
                 options, std::move(state), fit);
  if (options.record_every > 0) {  // where (L1EM.1) begins, and where it ends at this mode
    fit.precision_history = fit.precision.replicate(1, 1 + options.max_sweeps / options.record_every);
    fit.precision_history.col(0).setOnes();
  }
  if (lambda >= lambda_max)
    fit.report.notes.push_back(
        fmt::format("every weight is zero: lambda {:.6g} is not below {:.6g}, from where on that is so", lambda, lambda_max));
}

// V^-1 = X'diag(omega)X + diag(lambda/|w|) over the columns that are not zero, the flat ones at precision 0.                     (L1.8)
void describe_lasso(const LassoMode& mode, const std::vector<Index>& flat, const Vector& t, const Vector& k, const FitOptions& options,
                    std::shared_ptr<detail::FitState> state, Fit& fit) {
  const Index p = static_cast<Index>(fit.left_out.size()), q = p + (state->standardization.intercept ? 1 : 0), n = t.size();
  const auto size = static_cast<Index>(mode.columns.size());
  const auto entries = static_cast<std::size_t>(p);
  const auto is_flat = [&](Index j) { return std::binary_search(flat.begin(), flat.end(), j); };
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  fit.report.preset = options.preset;
  fit.report.compat = options.compat;
  fit.column_names = complete_names(options, p);
  fit.prior = PriorKind::laplace;
  fit.lambda = options.prior.lambda;
  fit.num_rows = k.sum();
  fit.mean = fit.variance = fit.V_diagonal = fit.relevance = Vector::Zero(p);
  fit.precision = Vector::Constant(p, infinity);
  fit.relevant.assign(entries, false);
  fit.group.resize(entries);
  for (Index j = 0; j < p; ++j)
    fit.group[static_cast<std::size_t>(j)] = fit.left_out[static_cast<std::size_t>(j)] ? Partition::left_out
                                             : is_flat(j)                              ? Partition::flat
                                                                                       : j;

  Vector a(size);
  for (Index i = 0; i < size; ++i) a[i] = is_flat(mode.columns[static_cast<std::size_t>(i)]) ? 0 : fit.lambda / std::abs(mode.w[i]);
  Matrix L(size, size);
  const Matrix scaled = mode.omega.cwiseSqrt().asDiagonal() * mode.X;
  blas::syrk(blas::Transpose::yes, size, n, 1.0, scaled.data(), n, 0.0, L.data(), std::max<Index>(size, 1));
  L.diagonal() += a;
  const Vector diagonal = L.diagonal();
  bool sound = size == 0 || blas::potrf(size, L.data(), size);
  for (Index i = 0; i < size && sound; ++i) sound = !pivot_is_rounding(L(i, i), diagonal[i], size);
  sound = sound && (size == 0 || blas::trtri(size, L.data(), size));  // now L^-1
  L.triangularView<Eigen::StrictlyUpper>().setZero();

  Posterior posterior;
  posterior.w = posterior.V_diagonal = Vector::Zero(q);
  posterior.log_det_V = sound ? 2 * L.diagonal().array().log().sum() : nan;
  for (Index i = 0; i < size; ++i) {
    const Index j = mode.columns[static_cast<std::size_t>(i)];
    posterior.w[j] = mode.w[i];
    posterior.V_diagonal[j] = sound ? L.col(i).squaredNorm() : nan;
    const double determined = sound ? std::clamp(1 - a[i] * posterior.V_diagonal[j], 0.0, 1.0) : nan;
    fit.effective_parameters += determined;
    if (j == p) continue;
    fit.precision[j] = a[i];
    fit.relevance[j] = determined;
    fit.relevant[static_cast<std::size_t>(j)] = true;
  }
  if (!sound)
    fit.report.warnings.push_back(
        "the columns without a prior do not determine their weights: the mode is given without variances, and predictions plug it in");
  state->w = fit.standardized_mean = posterior.w;
  state->quadratic = mode.w.cwiseAbs2().dot(a) + mode.omega.dot(mode.m.cwiseAbs2());
  const auto variance_of = [&](const Vector& x) { return sound ? (L * x(mode.columns)).squaredNorm() : nan; };
  to_user_units(posterior, size, variance_of, *state, fit);
  const double units = bound_offset(flat, *state, fit.task, fit.num_rows);
  fit.bound += units;
  fit.report.bound += units;
  for (double& bound : fit.report.bound_history) bound += units;
  Vector s = Vector::Zero(n);
  if (sound && size > 0) s = (mode.X * L.transpose()).rowwise().squaredNorm();
  describe_classes(t, k, mode.m, s, fit);
  const auto num_left_out = static_cast<Index>(std::count(fit.left_out.begin(), fit.left_out.end(), true));
  const auto num_kept = static_cast<Index>(std::count(fit.relevant.begin(), fit.relevant.end(), true));
  if (num_kept < p - num_left_out)
    fit.report.notes.push_back(
        fmt::format("{} of {} columns are at zero; this approximation gives them no variance, and so does not say "
                    "how sure that is",
                    p - num_left_out - num_kept, p - num_left_out));
  if (sound && options.keep_covariance != Keep::never) {
    CovarianceFactor& factor = state->factor;
    factor.kind = CovarianceFactor::Kind::triangular;
    factor.columns = mode.columns;
    factor.L_inverse = std::move(L);
    if (size == 0) {  // an empty list would mean every column: one, without variance
      factor.columns = {0};
      factor.L_inverse = Matrix::Zero(1, 1);
    }
  }
  fit.state = std::move(state);
}

// ---- the path ---------------------------------------------------------------------------------------------------------------------------

namespace {

std::vector<double> lambdas_of(const PathGrid& grid, double lambda_max, bool tall) {
  std::vector<double> lambdas = grid.lambdas;
  std::sort(lambdas.begin(), lambdas.end(), std::greater<>());
  if (!lambdas.empty()) return lambdas;
  if (!(lambda_max > 0)) throw InvalidArgument("no column says anything of the classes: there is no path of lambdas to choose");
  const double smallest = grid.smallest > 0 ? grid.smallest : tall ? 1e-4 : 1e-2;
  for (int i = 0; i < grid.count; ++i) lambdas.push_back(lambda_max * std::pow(smallest, grid.count > 1 ? i / (grid.count - 1.0) : 0));
  return lambdas;
}

}  // namespace

LogisticPath fit_lasso_path(MatrixView X, const Vector& t, const Vector& k, const PathGrid& grid, const FitOptions& options) {
  const Stopwatch watch;
  if (grid.lambdas.empty() && grid.count < 1) throw InvalidArgument(fmt::format("grid.count is {}; it must be at least 1", grid.count));
  if (!(grid.smallest >= 0 && grid.smallest <= 1))
    throw InvalidArgument(fmt::format("grid.smallest is {}; it must lie between 0 and 1", grid.smallest));
  for (double lambda : grid.lambdas) validate::positive(lambda, "an entry of grid.lambdas");
  LassoProblem problem(X, t, k, options);
  CoordinateAscent& ascent = *problem.ascent;
  LogisticPath path;
  path.notes = problem.prepared.notes;
  path.lambda_max = ascent.lambda_max();
  const std::vector<double> lambdas = lambdas_of(grid, path.lambda_max, X.rows() > X.cols());
  const auto count = static_cast<Index>(lambdas.size());
  const Index p = X.cols();
  const Standardization& s = problem.prepared.standardization;
  path.lambda.resize(count);
  path.mean = Matrix::Zero(p, count);
  path.intercept.resize(options.intercept ? count : 0);
  path.log_likelihood.resize(count);
  for (Index i = 0; i < count; ++i) {
    const double lambda = lambdas[static_cast<std::size_t>(i)], constant = prior_constant(lambda, problem.num_penalised());
    const CoordinateOutcome outcome = ascent.solve(lambda, settings_of(options, constant, watch));
    path.lambda[i] = lambda;
    path.log_likelihood[i] = outcome.log_likelihood;
    report_outcome(outcome, constant, path.reports.emplace_back());
    const Vector w = ascent.w();
    Index num_nonzero = 0;
    double intercept = options.intercept ? w[p] : 0;
    for (Index j = 0; j < p; ++j) {
      if (w[j] == 0) continue;
      path.mean(j, i) = w[j] * (s.scale.size() > 0 ? s.scale[j] : 1.0);
      if (s.center.size() > 0) intercept -= s.center[j] * path.mean(j, i);
      if (!std::binary_search(problem.flat.begin(), problem.flat.end(), j)) ++num_nonzero;
    }
    path.num_nonzero.push_back(num_nonzero);
    if (options.intercept) path.intercept[i] = intercept;
    if (outcome.status == Status::stopped_by_user) {
      path.lambda.conservativeResize(i + 1);
      path.mean.conservativeResize(p, i + 1);
      path.log_likelihood.conservativeResize(i + 1);
      if (options.intercept) path.intercept.conservativeResize(i + 1);
      break;
    }
  }
  path.seconds = watch.seconds();
  return path;
}

}  // namespace ardvark
