#include "method/l1/lasso.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "core/blas.hpp"
#include "core/refusals.hpp"
#include "core/special.hpp"
#include "core/stopwatch.hpp"
#include "core/validate.hpp"
#include "frame/few_rows.hpp"
#include "frame/noise_prior.hpp"
#include "frame/prepare.hpp"
#include "frame/prior_partition.hpp"
#include "frame/separation.hpp"
#include "method/l1/lasso_problem.hpp"
#include "target/target.hpp"

namespace ardvark::internal {

void validate_lasso(const FitOptions& options) {
  const Prior& prior = options.prior;
  const auto refuse = [](bool given, const char* name) {
    if (given) throw refused(name, "cannot be used with a Laplace prior: its only setting is lambda");
  };
  refuse(options.rule.value_or(UpdateRule::vb) != UpdateRule::vb, "rule");
  refuse(options.pruning.is_on(), "pruning");
  refuse(!prior.group.empty(), "prior.group");
  refuse(!prior.fixed_columns.empty(), "prior.fixed_columns");
  refuse(!prior.hyperprior.empty(), "prior.hyperprior");
  refuse(!options.start_precision.empty(), "start_precision");
  if (options.preset.empty() && options.likelihood == LogisticLikelihood::bound)
    throw refused("likelihood", "= bound cannot be used with a Laplace prior: its only setting is lambda");
  if (options.compat && !prior.flat_columns.empty())
    throw refused("compat",
                  fmt::format("with preset '{}' puts the prior on every column; prior.flat_columns must be empty", options.preset));
  if (options.solver != SolverKind::automatic)
    throw InvalidArgument({.argument = "solver", .value = to_string(options.solver), .why = "with a Laplace prior it must be automatic"});
  if (!(prior.lambda >= 0 && std::isfinite(prior.lambda))) throw wrong("prior.lambda", prior.lambda, "it must be > 0 and finite");
  if (options.tolerance && !(*options.tolerance > 0 && *options.tolerance < 1))
    throw wrong("tolerance", *options.tolerance, "with a Laplace prior it must lie between 0 and 1 (in units of lambda)");
}

std::vector<Index> flat_columns_of(const Frame& frame) {
  const Index p = frame.num_columns();
  const std::vector<bool> is_flat = marked_columns(frame.options.prior.flat_columns, "prior.flat_columns", p);
  std::vector<Index> flat;
  for (Index j = 0; j < p; ++j)
    if (is_flat[static_cast<std::size_t>(j)] && !frame.left_out[static_cast<std::size_t>(j)]) flat.push_back(j);
  if (frame.options.intercept) flat.push_back(p);
  return flat;
}

double log_prior_constant(Index num_penalised, double lambda) { return static_cast<double>(num_penalised) * std::log(0.5 * lambda); }

bool separate_rows(const Frame& frame, const std::vector<Index>& columns) {
  const auto count = static_cast<Index>(columns.size());
  if (count > (frame.k.array() > 0).count()) return true;
  Matrix F(frame.target.size(), count);
  const auto design = frame.design();
  for (Index j = 0; j < count; ++j) design->columns(columns[static_cast<std::size_t>(j)], 1, F.middleCols(j, 1));
  std::vector<Index> all(columns.size());
  std::iota(all.begin(), all.end(), Index{0});
  const auto table = table_design(F);
  CoordinateAscent ascent(*table, frame.target, frame.k, all);
  static_cast<void>(ascent.lambda_max());
  return ascent.flat_columns_separate();
}

void leave_no_posterior(Status status, std::string message, Solution& out) {
  out.usable = false;
  out.report.status = status;
  out.report.message = std::move(message);
}

void finish_lasso(const FitOptions& options, double lambda_max, Solution& out) {
  if (options.record_every > 0) {  // the start of (L1EM.1), and its limit at this mode
    out.precision_history = out.precision.replicate(1, 1 + options.max_sweeps / options.record_every);
    out.precision_history.col(0).setOnes();
  }
  if (const double lambda = options.prior.lambda; lambda >= lambda_max)
    out.report.notes.push_back(
        fmt::format("every weight is zero because lambda, {:.6g}, is not below lambda_max, {:.6g}", lambda, lambda_max));
}

Solution solve_lasso(const Frame& frame) {
  const Stopwatch watch;
  const FitOptions& options = frame.options;
  LassoProblem problem(frame);
  if (problem.is_linear) require_rows(options, frame.rows, static_cast<Index>(problem.flat.size()));
  CoordinateAscent& ascent = problem.ascent;
  const double lambda = options.prior.lambda, lambda_max = problem.lambda_max();
  const CoordinateOutcome outcome = problem.solve(lambda, settings_of(options, log_density_of(problem, lambda), watch));
  CoordinateAscent::Support support = ascent.support();
  const auto size = static_cast<Index>(support.columns.size());
  const double precision = problem.is_linear ? noise_of(-2 * outcome.log_likelihood, frame.rows, size, problem.square).mean() : 1;
  Solution out = solution_of({std::move(support.columns), std::move(support.w), std::move(support.X), ascent.m(), ascent.omega()},
                             problem.flat, frame, report_of(outcome, log_density_of(problem, lambda, precision)));
  if (std::string why = why_no_maximum(frame, problem.flat); !why.empty())
    leave_no_posterior(Status::not_positive_definite, std::move(why), out);
  else if (outcome.status == Status::separated)
    leave_no_posterior(Status::separated, outcome.message, out);
  finish_lasso(options, lambda_max, out);
  return out;
}

namespace {

void estimate_noise(const LassoMode& mode, const Frame& frame, Solution& out) {
  const auto size = static_cast<Index>(mode.columns.size());
  out.noise = noise_of(frame.k.dot((frame.target - mode.m).cwiseAbs2()), frame.rows, size, mean_square_of_target(frame));
  const bool is_integrated = share_of_few_rows(frame.rows) == 1 && integrates_few_rows(frame.task, frame.options, frame.rows);
  if (static_cast<double>(size) >= frame.rows && !is_integrated)
    out.report.warnings.push_back(fmt::format(
        "{} weights for {:.6g} rows are not zero, so that nothing is left to estimate the noise from: intervals mean nothing; take a "
        "larger lambda",
        size, frame.rows));
}

}  // namespace

// V^-1 = X'diag(omega)X + diag(lambda/|w|) over the columns that are not zero, the flat ones at precision 0.                     (L1.8)
Solution solution_of(const LassoSums& mode, std::vector<Index> flat, const Frame& frame, Report report) {
  const Index p = frame.num_columns(), q = p + (frame.units.standardization.intercept ? 1 : 0);
  const auto size = static_cast<Index>(mode.columns.size());
  const auto entries = static_cast<std::size_t>(p);
  const auto is_flat = [&](Index j) { return std::binary_search(flat.begin(), flat.end(), j); };
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  Solution out;
  out.report = std::move(report);
  out.prior = PriorKind::laplace;
  out.lambda = frame.options.prior.lambda;
  out.precision = Vector::Constant(p, infinity);
  out.relevance = Vector::Zero(p);
  out.relevant.assign(entries, false);
  out.group.resize(entries);
  for (Index j = 0; j < p; ++j)
    out.group[static_cast<std::size_t>(j)] = frame.left_out[static_cast<std::size_t>(j)] ? Partition::left_out
                                             : is_flat(j)                                ? Partition::flat
                                                                                         : j;

  Vector a(size);
  const double lambda = out.lambda / frame.units.y_scale;
  for (Index i = 0; i < size; ++i) a[i] = is_flat(mode.columns[static_cast<std::size_t>(i)]) ? 0 : lambda / std::abs(mode.w[i]);
  Matrix L = mode.gram;
  L.diagonal() += a;
  const Vector diagonal = L.diagonal();
  bool sound = size == 0 || blas::potrf(size, L.data(), size);
  for (Index i = 0; i < size && sound; ++i) sound = !pivot_is_rounding(L(i, i), diagonal[i], size);
  sound = sound && (size == 0 || blas::trtri(size, L.data(), size));  // now L^-1
  L.triangularView<Eigen::StrictlyUpper>().setZero();

  out.w = out.V_diagonal = Vector::Zero(q);
  out.log_det_V = sound ? 2 * L.diagonal().array().log().sum() : nan;
  out.num_in_use = size;
  for (Index i = 0; i < size; ++i) {
    const Index j = mode.columns[static_cast<std::size_t>(i)];
    out.w[j] = mode.w[i];
    out.V_diagonal[j] = sound ? L.col(i).squaredNorm() : nan;
    const double determined = sound ? std::clamp(1 - a[i] * out.V_diagonal[j], 0.0, 1.0) : nan;
    out.effective_parameters += determined;
    if (j == p) continue;
    out.precision[j] = a[i];
    out.relevance[j] = determined;
    out.relevant[static_cast<std::size_t>(j)] = true;
  }
  if (!sound)
    leave_no_posterior(Status::not_positive_definite,
                       fmt::format("after {} steps: the linear system is not positive definite (the rows and a lambda of {:.6g} do not "
                                   "determine the weights of collinear columns; take a larger lambda)",
                                   out.report.sweeps, out.lambda),
                       out);
  out.quadratic = mode.w.cwiseAbs2().dot(a) + mode.explained;
  if (q > p) out.origin_variance = sound ? (L * frame.origin()(mode.columns)).squaredNorm() : nan;
  const auto num_left_out = static_cast<Index>(std::count(frame.left_out.begin(), frame.left_out.end(), true));
  const auto num_kept = static_cast<Index>(std::count(out.relevant.begin(), out.relevant.end(), true));
  if (num_kept < p - num_left_out && !integrates_few_rows(frame.task, frame.options, frame.rows))
    out.report.notes.push_back(
        fmt::format("the weights of {} of {} columns are zero; this approximation gives them no variance, so it does not say how "
                    "certain the zeros are",
                    p - num_left_out - num_kept, p - num_left_out));
  if (sound) {
    CovarianceFactor& factor = out.factor;
    factor.kind = CovarianceFactor::Kind::triangular;
    factor.columns = mode.columns;
    factor.L_inverse = std::move(L);
    if (size == 0) {  // an empty list would mean all columns; therefore one column without variance
      factor.columns = {0};
      factor.L_inverse = Matrix::Zero(1, 1);
    }
  }
  out.flat = std::move(flat);
  return out;
}

Solution solution_of(const LassoMode& mode, std::vector<Index> flat, const Frame& frame, Report report) {
  const Index n = frame.target.size();
  const auto size = static_cast<Index>(mode.columns.size());
  Matrix gram(size, size);
  mode.X.gram(0, mode.omega, gram);
  Solution out = solution_of(LassoSums{mode.columns, mode.w, std::move(gram), mode.omega.dot(mode.m.cwiseAbs2())}, std::move(flat), frame,
                             std::move(report));
  out.rows = {mode.m, Vector::Zero(n)};
  if (has_noise(frame.task))
    estimate_noise(mode, frame, out);
  else if (out.factor.kind != CovarianceFactor::Kind::none && size > 0)
    out.rows.s = mode.X.row_forms(out.factor.L_inverse);
  return out;
}

}  // namespace ardvark::internal
