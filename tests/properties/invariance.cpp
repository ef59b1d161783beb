// If a problem changes, its result must change in the right way: rows and columns in another order, other units, weights instead of
// repeated rows, other labels.
#include "invariance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ardvark::testing {
namespace {

// Number of observations: the sum of the weights.
double rows_of(const Subject& subject) {
  return subject.problem.weights.size() > 0 ? subject.problem.weights.sum() : static_cast<double>(subject.problem.rows());
}

// Number of regressions in a coding of several classes, each of which ends separately; otherwise 1.
double machines_of(const Subject& subject) {
  return subject.model->softmax() ? std::max(1.0, static_cast<double>(subject.model->softmax()->machines.size())) : 1;
}

}  // namespace

bool is_sparse_fit(const Subject& subject) {
  if (subject.model->softmax())
    return !subject.model->softmax()->machines.empty() && subject.model->softmax()->machines.front().sparse.has_value();
  return subject.is_linear_score() && subject.fit().sparse.has_value();
}

namespace {

// The widths are within sqrt(2 g) standard deviations of their maximum if a step would gain g nats, and the determinant of the curvature
// changes in proportion to that.                                                                                          (KM.3), (KM.4)
double gain_of_search(const KernelFit& fit) {
  double gain = 0;
  for (const KernelProcess& process : fit.processes) {
    double most = 0;
    for (const KernelHypothesis& one : process.hypotheses) {
      const double g = 1e-6 * std::max(1.0, std::abs(one.log_evidence)), dimensions = 1 + static_cast<double>(one.widths.size());
      most = std::max(most, g + dimensions * std::sqrt(2 * g));
    }
    gain += most;
  }
  return gain;
}

}  // namespace

double promised_gain(const Subject& subject) {
  const ModelOptions& options = subject.prepared.options;
  if (subject.is_linear_score() && subject.fit().prior == PriorKind::laplace) return 1e-6;
  if (const KernelFit* process = subject.model->process()) return gain_of_search(*process);
  if (is_sparse_fit(subject)) return machines_of(subject) * options.tolerance.value_or(subject.is_regression() ? 1e-3 : 2e-3);
  const double more_columns = rows_of(subject) < static_cast<double>(subject.prepared.X.cols()) ? 1e-4 : 1e-8;  // FitOptions::tolerance
  return options.tolerance.value_or(more_columns) * rows_of(subject) * machines_of(subject);
}

namespace {

// The residual sum of squares is a difference, and the bound contains it times the noise precision.                           (LIN.3)
double rounding_of_residuals(const Subject& subject) {
  if (!subject.is_linear_score() || !subject.is_regression() || !(subject.fit().noise.rate > 0)) return 0;
  const Vector& y = subject.prepared.target;
  const double centre = subject.fit().intercept ? y.mean() : 0;
  const double intercept = subject.fit().intercept ? subject.fit().intercept->mean : 0;
  double square = 0, left = 0;
  for (Index i = 0; i < y.size(); ++i) {
    const Vector x = subject.prepared.X.row(i).transpose();
    const double size = std::abs(y[i] - centre) + size_of(subject, x).dot(subject.fit().mean.cwiseAbs());
    const double residual = y[i] - intercept - x.dot(subject.fit().mean),
                 weight = subject.problem.weights.size() > 0 ? subject.problem.weights[i] : 1;
    square += weight * size * size;
    left += weight * residual * residual;
  }
  if (square == 0) return 0;  // a target of zeros
  double precision = subject.fit().noise.shape / subject.fit().noise.rate;
  // The density at the mode of a Laplace prior has the noise at the mode (L1.10), not that of few rows (LIN.9).
  if (subject.fit().prior == PriorKind::laplace) precision = std::max(precision, rows_of(subject) / std::max(left, 1e-16 * square));
  return 4 * std::numeric_limits<double>::epsilon() * square * precision;
}

}  // namespace

// With condition number c, each eigenvalue is known to c times the rounding of a number, and ln|V| is the sum of their logarithms.
// The matrices of the dual and the spectral solver are the identity plus the prior covariance of the rows. Their rounding errors are
// relative to this covariance. (RIDGE.4)
double allowed_gain(const Subject& subject) {
  const double columns = static_cast<double>(subject.prepared.X.cols() + 1);
  double rounding = rounding_of_condition(subject);
  if (subject.is_linear_score() && subject.has_posterior() && subject.report().solver != SolverKind::primal)
    rounding += rounding_of_rows(subject);
  return promised_gain(subject) + columns * rounding + rounding_of_residuals(subject);
}

double rounding_of_rows(const Subject& subject) {
  double sum = 0;
  for (Index i = 0; i < subject.prepared.X.rows(); ++i)
    sum += (subject.problem.weights.size() > 0 ? subject.problem.weights[i] : 1) *
           variance_before(subject, size_of(subject, subject.prepared.X.row(i).transpose()));
  return 4 * std::numeric_limits<double>::epsilon() * sum;
}

// By definition, these depend on the order: fits that read one observation at a time; k-means centres and pivots, which begin at a row;
// published stopping rules.
bool follows_published_stop(const Subject& subject) {
  const ModelOptions& options = subject.prepared.options;
  return subject.is_preset() && !options.converge;
}

std::string apart(const Estimates& a, const Estimates& b, double gain) {
  // Near a maximum the bound is quadratic: a fit whose bound is g nats lower has means within sqrt(2 g) posterior sds of the maximum. There
  // are two fits, and a rounding error of 1e-9 of the bound.
  if (!std::isfinite(gain)) return "";  // rounding alone decides
  const double nats = 2 * gain + 1e-9 * (1 + std::abs(b.bound)), sds = 2 * std::sqrt(2 * nats);
  if (!(std::abs(a.bound - b.bound) <= nats))
    return fmt::format("the bound is {} and {} (difference {:.2g}, allowed {:.2g})", a.bound, b.bound, a.bound - b.bound, nats);
  if (a.mean.size() != b.mean.size()) return fmt::format("there are {} and {} coefficients", a.mean.size(), b.mean.size());
  for (Index j = 0; j < a.mean.size(); ++j) {
    const double rounding = 1e-9 * std::abs(b.mean[j]);
    if (!(std::abs(a.mean[j] - b.mean[j]) <= sds * std::max(a.sd[j], b.sd[j]) + rounding))
      return fmt::format("coefficient {} is {} and {} (difference {:.2g} posterior sds, allowed {:.2g})", j + 1, a.mean[j], b.mean[j],
                         std::abs(a.mean[j] - b.mean[j]) / b.sd[j], sds);
  }
  return "";
}

namespace {

// Near a maximum, two fits may be further apart than posterior standard deviations allow: as a function of the means, with all else
// optimised, the bound is flatter than the posterior; and the remaining gain is predicted only to a factor of ten. Then both fits continue,
// and their difference must shrink with the tolerance.
DrawnProblem with_more_sweeps(DrawnProblem problem) {
  set_option(problem, "max_sweeps", 20000.0);
  return problem;
}

}  // namespace

// For sparse fits the tolerance is for a step of the whole fit, for others it is per row.
DrawnProblem taken_further(const Subject& subject, DrawnProblem problem) {
  const double least = is_sparse_fit(subject) ? 1e-12 : 1e-15;
  const double parts = is_sparse_fit(subject) ? machines_of(subject) : std::max(rows_of(subject), 1.0);
  set_option(problem, "tolerance", std::max(1e-4 * promised_gain(subject) / parts, least));
  return with_more_sweeps(std::move(problem));
}

Estimates estimates_of(const SavedModel& model) {
  Estimates out;
  const auto put = [&](const Vector& mean, const Vector& variance) {
    const Index before = out.mean.size();
    out.mean.conservativeResize(before + mean.size());
    out.sd.conservativeResize(before + mean.size());
    out.mean.tail(mean.size()) = mean;
    out.sd.tail(mean.size()) = variance.cwiseSqrt();
  };
  if (model.relevance()) {
    out.bound = model.relevance()->log_evidence;
    return out;
  }
  if (model.process()) {
    out.bound = model.process()->log_evidence;
    return out;
  }
  if (model.softmax()) {
    out.bound = model.softmax()->bound;
    for (Index c = 0; c < model.softmax()->mean.cols(); ++c) put(model.softmax()->mean.col(c), model.softmax()->variance.col(c));
    return out;
  }
  const Fit& fit = *model.score();
  out.bound = fit.bound;
  Vector variance = fit.variance;
  if (fit.is_joint()) variance = fit.V_diagonal * (fit.noise.rate / fit.noise.shape);  // finite for any shape
  put(fit.mean, variance);
  return out;
}

namespace {

// Compares the fit of the changed problem with that of the original one. If they differ, both fits continue before they are judged.
Verdict compare(const Subject& subject, const DrawnProblem& other, const std::function<void(Estimates&)>& as_before, const char* what) {
  const auto answer = [&](const SavedModel& model, const SavedModel& before) {
    Estimates now = estimates_of(model);
    as_before(now);
    return apart(now, estimates_of(before), allowed_gain(subject));
  };
  SavedModel model = fit_of(prepare(other));
  SavedModel first = *subject.model;
  if (model.process() && report_of(model).status == Status::max_sweeps) return says_nothing();  // its status says so
  if (report_of(model).status == Status::max_sweeps) {                                          // it may need more sweeps
    model = fit_of(prepare(with_more_sweeps(other)));
    first = fit_of(prepare(with_more_sweeps(subject.problem)));
  }
  if (report_of(model).status == Status::max_sweeps && is_sparse_fit(subject)) return says_nothing();  // its status says so
  if (report_of(model).status != Status::converged)
    return fails(fmt::format("{}: the status is {}: {}", what, to_string(report_of(model).status), report_of(model).message));
  std::string place = answer(model, first);
  if (!place.empty() && !subject.is_machine()) {
    place = answer(fit_of(prepare(taken_further(subject, other))), fit_of(prepare(taken_further(subject, subject.problem))));
    if (!place.empty()) place = "also with a smaller tolerance, " + place;
  }
  return place.empty() ? holds() : fails(std::string(what) + ": " + place);
}

bool is_standardized(const Subject& subject) {
  return subject.prepared.options.standardize && (!subject.is_preset() || subject.prepared.options.preset.find("lr") != std::string::npos);
}

// Kernel machines sort their rows and add up equal ones: the same numbers, to the bit.
Verdict same_process(const Subject& subject, const SavedModel& before, const DrawnProblem& other, const char* what) {
  const SavedModel after = fit_of(prepare(other));
  const Matrix rows = new_rows(subject);
  const std::string place = difference(json_of(predict(after, rows), after), json_of(predict(before, rows), before));
  if (!place.empty()) return fails(fmt::format("{}: predictions differ: {}", what, place));
  const double a = after.process()->log_evidence, b = before.process()->log_evidence;
  return a == b ? holds() : fails(fmt::format("{}: the log evidence is {} and {}", what, a, b));
}

}  // namespace

Verdict rows_may_be_permuted(const Subject& subject) {
  if (!subject.is_converged() || follows_published_stop(subject)) return says_nothing();
  Random random(subject.problem.seed + 1);
  if (subject.model->process())
    return same_process(subject, *subject.model, with_rows(subject.problem, random.permutation(subject.problem.rows())),
                        "rows in another order");
  if (takes_some_centres(subject.prepared.options)) return says_nothing();
  return compare(
      subject, with_rows(subject.problem, random.permutation(subject.problem.rows())), [](Estimates&) {}, "rows in another order");
}

namespace {

// Of two equivalent columns the first stays; with a coding of several classes, they may be equivalent only in the rows of one regression.
bool has_left_out_copies(const Subject& subject) {
  const auto says = [](const Report& report) {
    return std::ranges::any_of(report.notes,
                               [](const std::string& note) { return note.find(" up to shift and scale") != std::string::npos; });
  };
  if (subject.model->softmax())
    for (const Fit& machine : subject.model->softmax()->machines)
      if (says(machine.report)) return true;
  return says(subject.report());
}

}  // namespace

Verdict columns_may_be_permuted(const Subject& subject) {
  if (!subject.is_converged() || follows_published_stop(subject) || subject.problem.num_columns() < 2) return says_nothing();
  if (subject.prepared.X.cols() != subject.problem.num_columns() || subject.prepared.options.width.find(',') != std::string::npos)
    return says_nothing();
  if (subject.problem.has_trait("duplicated column") || subject.problem.has_trait("zeros and ones") || subject.problem.has_trait("ties"))
    return says_nothing();                                  // the order decides which of two equal columns is left out
  if (has_left_out_copies(subject)) return says_nothing();  // the same
  Random random(subject.problem.seed + 2);
  const std::vector<Index> order = random.permutation(subject.problem.num_columns());
  const auto back = [&](Estimates& now) {
    const Index p = static_cast<Index>(order.size());
    const Estimates permuted = now;
    for (Index k = 0; k < now.mean.size(); ++k) {
      const Index to = k / p * p + order[static_cast<std::size_t>(k % p)];
      now.mean[to] = permuted.mean[k];
      now.sd[to] = permuted.sd[k];
    }
  };
  return compare(subject, with_columns(subject.problem, order), back, "columns in another order");
}

Verdict columns_have_units(const Subject& subject) {
  if (!subject.is_converged() || follows_published_stop(subject) || !is_standardized(subject)) return says_nothing();
  if (subject.problem.has_trait("text") || !subject.problem.flat.empty()) return says_nothing();
  if (subject.prepared.options.prior == "none") return says_nothing();  // the density of flat columns depends on their units
  Random random(subject.problem.seed + 3);
  DrawnProblem other = subject.problem;
  const bool shift = subject.prepared.options.intercept && !subject.is_machine();
  Vector scale(other.num_columns());
  for (Index j = 0; j < other.num_columns(); ++j) {
    Vector& values = other.columns[static_cast<std::size_t>(j)].values;
    scale[j] = std::ldexp(1.0, static_cast<int>(random.integer(-9, 9)));  // exact
    const std::string& name = other.columns[static_cast<std::size_t>(j)].name;
    if (name == other.word("offset_column")) {  // which has none                                                               (POIS.9)
      scale[j] = 1;
      continue;
    }
    const bool is_exposure = name == other.word("exposure");  // (POIS.8)
    if (!is_exposure || subject.prepared.options.intercept) values *= scale[j];
    if (is_exposure) continue;
    const double spread = std::sqrt((values.array() - values.mean()).square().mean());
    if (shift && spread > 1e-3 * values.cwiseAbs().maxCoeff()) values.array() += random.normal() * spread;
  }
  const auto back = [&](Estimates& now) {
    for (Index k = 0; k < now.mean.size(); ++k) now.mean[k] *= scale[k % scale.size()], now.sd[k] *= scale[k % scale.size()];
  };
  return compare(subject, other, back, "columns in other units");
}

Verdict target_has_units(const Subject& subject) {
  if (!subject.is_converged() || follows_published_stop(subject) || !subject.is_regression() || !is_standardized(subject))
    return says_nothing();
  Random random(subject.problem.seed + 4);
  DrawnProblem other = subject.problem;
  const double scale = std::ldexp(1.0, static_cast<int>(random.integer(-9, 9))) * (random.chance(0.5) ? 1 : -1);
  other.target *= scale;
  const Vector& y = other.target;
  const double spread = std::sqrt((y.array() - y.mean()).square().mean());
  if (subject.prepared.options.intercept && spread > 1e-3 * y.cwiseAbs().maxCoeff()) other.target.array() += random.normal() * spread;
  if (subject.prepared.options.start_noise) return says_nothing();
  if (const auto lambda = subject.prepared.options.lambda) set_option(other, "lambda", *lambda * std::abs(scale));  // (L1.10)
  if (subject.problem.has_trait("no noise") || subject.problem.has_trait("constant target"))
    return says_nothing();  // the bound grows without limit
  const double weights = subject.problem.weights.size() > 0 ? subject.problem.weights.sum() : rows_of(subject);
  double num_flat = subject.prepared.options.intercept ? 1 : 0;  // a constant column is left out, flat or not
  if (subject.is_linear_score())
    for (const Index j : subject.prepared.options.flat)
      if (!subject.fit().left_out[static_cast<std::size_t>(j)]) ++num_flat;
  if (subject.prepared.options.prior == "none" || subject.problem.has_trait("text")) return says_nothing();
  const auto back = [&](Estimates& now) {
    now.mean /= scale;
    now.sd /= std::abs(scale);
    now.bound += (weights - num_flat) * std::log(std::abs(scale));  // (LIN.5)
  };
  return compare(subject, other, back, "the target in other units");
}

Verdict weights_are_repetition(const Subject& subject) {
  if (!subject.is_converged() || follows_published_stop(subject) || subject.model->relevance()) return says_nothing();
  if (subject.problem.has_trait("no noise") || subject.problem.has_trait("constant target"))
    return says_nothing();  // the bound grows without limit
  const Vector& given = subject.problem.weights;
  if (given.size() > 0 && (given.array() != given.array().round()).any()) return says_nothing();
  Random random(subject.problem.seed + 5);
  DrawnProblem weighted = subject.problem;
  if (given.size() == 0) {
    weighted.weights.resize(weighted.rows());
    for (double& k : weighted.weights) k = static_cast<double>(random.integer(1, 3));
  }
  std::vector<Index> rows;
  for (Index i = 0; i < weighted.rows(); ++i)
    for (int copy = 0; copy < static_cast<int>(weighted.weights[i]); ++copy) rows.push_back(i);
  // The default tolerance depends on the number of rows, and so does the prior that `auto` chooses.
  if (!subject.prepared.options.tolerance && !is_sparse_fit(subject) && !subject.is_machine()) set_option(weighted, "tolerance", 1e-8);
  DrawnProblem repeated = with_rows(weighted, rows);
  repeated.weights = {};
  const Subject a(weighted);
  if (!a.is_converged()) return says_nothing();
  if (a.model->process()) return same_process(subject, *a.model, repeated, "rows repeated in place of weights");
  if (a.model->softmax() && subject.prepared.options.prior == "auto") return says_nothing();
  const SavedModel b = fit_of(repeated.weights.size() == 0 ? prepare(repeated) : prepare(weighted));
  if (report_of(b).status == Status::max_sweeps && is_sparse_fit(subject)) return says_nothing();
  if (report_of(b).status != Status::converged)
    return fails(fmt::format("rows repeated: the status is {}: {}", to_string(report_of(b).status), report_of(b).message));
  const double gain = std::max(allowed_gain(a), is_sparse_fit(subject) ? 0 : 1e-8 * static_cast<double>(rows.size()));
  std::string place = apart(estimates_of(b), estimates_of(*a.model), gain);
  if (!place.empty()) {
    const auto further = [&](const DrawnProblem& problem) { return estimates_of(fit_of(prepare(taken_further(a, problem)))); };
    place = apart(further(repeated), further(weighted), gain);
  }
  return place.empty() ? holds() : fails("rows repeated in place of weights: " + place);
}

Verdict labels_may_be_flipped(const Subject& subject) {
  if (!subject.is_converged() || follows_published_stop(subject) || !subject.is_classification() || !subject.is_linear_score())
    return says_nothing();
  DrawnProblem other = subject.problem;
  const double low = other.target.minCoeff(), high = other.target.maxCoeff();
  other.target = (low + high - other.target.array()).matrix();
  return compare(
      subject, other, [](Estimates& now) { now.mean = -now.mean; }, "labels flipped");
}

namespace {

double rounding_of_bound(const Subject& subject) { return 1e-9 * (1 + std::abs(subject.report().bound)); }

// At a saddle of the bound, the equations of a fit hold as at a maximum. At least five further sweeps gain nothing; only then the gains
// grow.
bool leaves_a_saddle(const Report& first, const Report& further, double promised) {
  const std::vector<double>& L = further.bound_history;
  const auto end = static_cast<std::size_t>(first.sweeps);
  if (end == 0 || L.size() < end + 5) return false;
  double most_at_first = 0, most = 0;
  for (std::size_t i = end; i < L.size(); ++i) {
    if (i < end + 5) most_at_first = std::max(most_at_first, L[i] - L[i - 1]);
    most = std::max(most, L[i] - L[i - 1]);
  }
  return most_at_first <= promised && most > 2 * most_at_first;
}

}  // namespace

Verdict converged_means_the_end(const Subject& subject) {
  if (!subject.is_converged() || follows_published_stop(subject) || subject.is_machine()) return says_nothing();
  const ModelOptions& options = subject.prepared.options;
  // Sweeps need not raise Laplace's approximation: these fits end when the precisions no longer change.                   (SLR.3)
  const bool laplace = subject.model->softmax() || subject.fit().likelihood == LogisticLikelihood::laplace;
  if (laplace && !is_sparse_fit(subject) &&
      !(subject.is_linear_score() && (subject.is_regression() || subject.fit().prior == PriorKind::laplace)))
    return says_nothing();
  if (is_sparse_fit(subject)) {  // (SP.8), (SL.6): the last sweep changed the bound by less than the tolerance
    const std::vector<double>& history = subject.report().bound_history;
    if (subject.model->softmax() || history.size() < 2) return says_nothing();
    const double last = history.back() - history[history.size() - 2];
    if (!(std::abs(last) <= promised_gain(subject)))
      return fails(fmt::format("the last sweep changed the bound by {}, the tolerance is {}", last, promised_gain(subject)));
  }
  DrawnProblem further = subject.problem;
  double tolerance = options.tolerance.value_or(rows_of(subject) < static_cast<double>(subject.prepared.X.cols()) ? 1e-4 : 1e-8);
  if (subject.is_linear_score() && subject.fit().prior == PriorKind::laplace) tolerance = options.tolerance.value_or(1e-9);
  if (is_sparse_fit(subject)) tolerance = promised_gain(subject);
  set_option(further, "tolerance", tolerance / 100);
  set_option(further, "max_sweeps", 20000.0);
  const SavedModel model = fit_of(prepare(further));
  // The remaining gain was predicted from the last steps, to a factor of ten. Means are not compared: the promise is only about the bound.
  const double more = estimates_of(model).bound - estimates_of(*subject.model).bound,
               gain = 10 * promised_gain(subject) + allowed_gain(subject);
  // The uncertainty of an own parameter (NB.5) is added at the end. It is not at its maximum, so that it changes by a share of the distance
  // from the end, in standard deviations.
  const bool has_own = subject.is_linear_score() && (subject.fit().family.family == Family::student || subject.fit().family.dispersion > 0);
  const double promised = gain + (has_own ? 0.05 * std::sqrt(2 * gain) : 0);
  if (leaves_a_saddle(subject.report(), report_of(model), promised)) return holds();
  const Status status = report_of(model).status;
  if (status != Status::converged && status != Status::max_sweeps)
    return fails(fmt::format("further sweeps: the status is {}: {}", to_string(status), report_of(model).message));
  if (std::abs(more) <= promised + rounding_of_bound(subject)) return holds();
  return fails(fmt::format("further sweeps raise the bound by {:.2g}, but at most {:.2g} was promised", more, promised));
}

}  // namespace ardvark::testing
