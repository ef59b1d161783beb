// fit_relevance_regression and fit_relevance_classification: validate, prepare inputs and candidates, search the kernel, fit each machine,
// and keep nothing of the training data but the relevance vectors.                                            docs/math/relevance.md (RVM)
#include "ardvark/relevance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "core/blas.hpp"
#include "core/classes.hpp"
#include "core/pulse.hpp"
#include "core/refusals.hpp"
#include "core/special.hpp"
#include "core/validate.hpp"
#include "design/centres.hpp"
#include "frame/kernel_inputs.hpp"
#include "frame/prepare.hpp"
#include "frame/prior_partition.hpp"
#include "predict/relevance.hpp"
#include "relevance/relevance_problem.hpp"
#include "target/target.hpp"

namespace ardvark {

using namespace internal;

namespace {

// With more rows than this, the kernel search uses only so many of them, evenly spread in the order of their inputs. Classes cost more: xi
// has to converge.
Index most_rows_searched(Task task) { return has_noise(task) ? 1000 : 500; }

// ---- checks of the options --------------------------------------------------------------------------------------------------------------

void validate_start(const RelevanceOptions& options, Index n) {
  const bool pruned = options.algorithm == RelevanceAlgorithm::pruned;
  if (!pruned && !options.intercept)
    throw InvalidArgument({.argument = "intercept", .value = "false", .why = "only algorithm = pruned can leave out the bias"});
  const auto size = static_cast<Index>(options.start_precision.size());
  if (size == 0) return;
  if (!pruned || options.centres != Centres::rows)
    throw refused("start_precision", "applies only to algorithm = pruned with all rows as centres");
  if (size != n && !(options.intercept && size == n + 1))
    throw wrong_size(
        "start_precision", size,
        fmt::format("it must have one per row of X: {}{}", n, options.intercept ? fmt::format(", or {} with the bias", n + 1) : ""));
  for (double a : options.start_precision) validate::positive(a, {"", "an entry of start_precision"});
}

void validate_options(const RelevanceOptions& options, MatrixView X) {
  validate::matrix(X, "X", options.input_names);
  validate::weights(options.weights, X.rows());
  validate::gamma(options.precision, "precision.shape", "precision.rate");
  validate::gamma(options.noise, "noise.shape", "noise.rate");
  const auto at_least = [](const char* name, Index value, Index least) {
    if (value < least) throw wrong(name, value, fmt::format("it must be at least {}", least));
  };
  at_least("max_sweeps", options.max_sweeps, 1);
  at_least("max_actions", options.max_actions, 1);
  at_least("threads", options.threads, 0);
  at_least("record_every", options.record_every, 0);
  validate::positive(options.prune_at, "prune_at");
  at_least("compare_up_to", options.compare_up_to, 0);
  validate_start(options, X.rows());
  if (options.algorithm == RelevanceAlgorithm::type_two && options.likelihood == LogisticLikelihood::bound)
    throw InvalidArgument({.argument = "likelihood",
                           .value = "bound",
                           .why = "it cannot be used with algorithm = type_two, which uses Laplace's approximation"});
  const bool counted = options.centres == Centres::pivoted_cholesky || options.centres == Centres::kmeans;
  if (counted) at_least("num_centres", options.num_centres, 1);
  if (!counted && options.num_centres != 0)
    throw wrong("num_centres", options.num_centres, "it applies only to centres = pivoted_cholesky or kmeans");
  if (options.centres == Centres::chosen && options.rows.empty())
    throw InvalidArgument({.argument = "rows", .value = "empty", .why = "centres = chosen needs the positions of training rows"});
  if (options.centres != Centres::chosen && !options.rows.empty())
    throw refused("rows", "applies only to centres = chosen; it must be empty otherwise");
  std::set<Index> seen;
  for (Index row : options.rows)
    if (row < 0 || row >= X.rows() || !seen.insert(row).second)
      throw refused("rows", fmt::format("names row {}; each must be from 0 to {} and named once", row, X.rows() - 1));
  if (!options.input_names.empty() && static_cast<Index>(options.input_names.size()) != X.cols())
    throw wrong_size("input_names", options.input_names.size(), fmt::format("it must have one per column of X: {}", X.cols()));
  if (!options.input_groups.empty() && static_cast<Index>(options.input_groups.size()) != X.cols())
    throw wrong_size("input_groups", options.input_groups.size(), fmt::format("it must have one per column of X: {}", X.cols()));
  if (options.compat && options.algorithm != RelevanceAlgorithm::pruned)
    throw refused("compat", "applies only to algorithm = pruned: it reproduces the RVM of the SLR toolbox");
  if (options.compat && (!options.weights.empty() || options.centres != Centres::rows || options.search != KernelSearch::none))
    throw refused("compat", "needs all rows as centres, no observation weights and search = none");
  if (options.bands == Bands::open && options.compat)
    throw InvalidArgument({.argument = "bands", .value = "open", .why = "compat has the published bands"});
  if (options.bands == Bands::open && !falls_with_distance(options.kernel))
    throw InvalidArgument({.argument = "bands",
                           .value = "open",
                           .why = "this needs a kernel that falls with the distance: gaussian, laplacian, cauchy, matern32 or matern52"});
  Matrix one(1, 1);  // throws here if the kernel does not fit the inputs
  options.kernel.evaluate(Matrix::Zero(1, X.cols()), Matrix::Zero(1, X.cols()), one);
}

// ---- candidates -------------------------------------------------------------------------------------------------------------------------

void choose_points(MatrixView X, RelevanceProblem& problem, RelevanceFit& fit) {
  const RelevanceOptions& options = problem.options;
  std::vector<Index> rows = options.rows;
  if (options.centres != Centres::chosen)
    for (Index i = 0; i < X.rows(); ++i)
      if (problem.row_of[static_cast<std::size_t>(i)] >= 0) rows.push_back(i);        // a row of weight 0 does not count
  if (constexpr std::size_t few = 30; has_noise(problem.task) && rows.size() <= few)  // bench/honest/few_rows.py
    fit.report.notes.push_back(
        fmt::format("{} rows are few: 95% intervals of relevance vector machines of 3, 10 and 30 rows have covered 23, 77 and 87% of new "
                    "observations; kernel machines integrate over the noise (docs/reliability.md)",
                    rows.size()));
  const Matrix named = seen_inputs(X, rows, fit.input_center, fit.input_scale);
  const std::vector<Index> once = options.compat ? every_row(named.rows()) : different(named);
  if (once.size() < rows.size())
    fit.report.notes.push_back(fmt::format("{} of {} rows have the same inputs as another row: each point is a candidate only once",
                                           rows.size() - once.size(), rows.size()));
  problem.points = named(once, Eigen::all);
  if (options.centres == Centres::kmeans) {
    problem.points = kmeans_centres(Matrix(problem.points), options.num_centres, options.seed);
    problem.rows.assign(static_cast<std::size_t>(problem.points.rows()), -1);
  } else {
    for (Index i : once) problem.rows.push_back(rows[static_cast<std::size_t>(i)]);
  }
}

// ---- the fit ----------------------------------------------------------------------------------------------------------------------------

// Evenly spread rows; the rows are already sorted by content.                                                                    (RVM.5)
std::vector<Index> spread_rows(Index n, Index count) {
  std::vector<Index> rows;
  for (Index i = 0; i < count; ++i) rows.push_back(i * n / count);
  return rows;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(std::log(a[i] / b[i])));
  return most;
}

// The search evaluates each kernel less thoroughly than a fit. Its log evidence can be some nats too low, by different amounts: whole peaks
// of narrow kernels can seem low. So the best trials that are not too close together are evaluated as thoroughly as in a fit, and then the
// neighbours of the two best of these. (RVM.5)
class CloserLook {
 public:
  CloserLook(const RelevanceProblem& problem, Kernel start, std::vector<KernelTrial>& trials)
      : problem_(problem), best_(std::move(start)), trials_(trials) {}

  Kernel run() {
    // If several kernels are equally good, the search has chosen the one in the middle of the range.
    std::vector<KernelTrial> trials = trials_;
    std::vector<double> chosen = best_.log_parameters();
    for (double& parameter : chosen) parameter = std::exp(parameter);
    std::stable_sort(trials.begin(), trials.end(), [&](const KernelTrial& a, const KernelTrial& b) {
      return distance(a.parameters, chosen) < distance(b.parameters, chosen);
    });
    std::vector<KernelTrial> seen = apart(std::move(trials), most_looked_at);
    num_planned_ = static_cast<Index>(seen.size());
    for (KernelTrial& trial : seen) trial.log_evidence = look(trial.parameters);
    for (const KernelTrial& trial : apart(seen, 2)) climb(trial);
    std::stable_sort(trials_.begin(), trials_.end(),
                     [](const KernelTrial& a, const KernelTrial& b) { return a.parameters < b.parameters; });
    return best_;
  }

 private:
  static constexpr std::size_t most_looked_at = 8;
  static double in_steps(double log_evidence) { return std::round(log_evidence / same_evidence); }
  static constexpr double spacing = 1.35;  // ratio of the parameters; a step of the search is usually 1.6

  // The highest trials without those that are near a higher one, or too low to become the best. None, if no trial has a log evidence.
  [[nodiscard]] std::vector<KernelTrial> apart(std::vector<KernelTrial> trials, std::size_t most) const {
    std::erase_if(trials, [](const KernelTrial& trial) { return !std::isfinite(trial.log_evidence); });
    if (trials.empty()) return {};
    std::stable_sort(trials.begin(), trials.end(),
                     [](const KernelTrial& a, const KernelTrial& b) { return in_steps(a.log_evidence) > in_steps(b.log_evidence); });
    const double least = trials.front().log_evidence - 5 - 0.04 * problem_.k.sum();
    std::vector<KernelTrial> out;
    for (const KernelTrial& trial : trials) {
      const bool near = std::any_of(out.begin(), out.end(), [&](const KernelTrial& other) {
        return distance(other.parameters, trial.parameters) < std::log(spacing);
      });
      if (!near && trial.log_evidence > least && out.size() < most) out.push_back(trial);
    }
    return out;
  }

  // Smaller and smaller steps in both directions, each repeated while the log evidence increases.
  void climb(KernelTrial from) {
    for (const double factor : {1.2, 1.1, 1.04})
      for (const double way : {factor, 1 / factor})
        for (int step = 0; step < 4; ++step) {
          std::vector<double> next = from.parameters;
          for (double& parameter : next) parameter *= way;
          const double there = look(next);
          if (!(there > from.log_evidence)) break;
          from = {next, there, 0};
        }
  }

  // The thorough log evidence of this kernel.
  double look(const std::vector<double>& parameters) {
    constexpr double nothing = -std::numeric_limits<double>::infinity();
    if (problem_.progress.stopped() || parameters.empty()) return nothing;
    std::vector<double> logs;
    for (const double parameter : parameters) logs.push_back(std::log(parameter));
    const Kernel kernel = best_.with_log_parameters(logs);
    const Index done = num_looked_at_++;
    pulse("fitting", {.name = "promising kernel", .done = done, .total = std::max(num_planned_, done + 1), .may_grow = true});
    const KernelEvaluation closer = problem_.evaluate_closer(kernel);
    const auto known =
        std::find_if(trials_.begin(), trials_.end(), [&](const KernelTrial& trial) { return trial.parameters == parameters; });
    KernelTrial& trial = known != trials_.end() ? *known : trials_.emplace_back(KernelTrial{parameters});
    trial.log_evidence = closer.log_evidence;
    trial.num_vectors = closer.num_vectors;
    if (closer.log_evidence > highest_ + same_evidence) {
      highest_ = closer.log_evidence;
      best_ = kernel;
    }
    return closer.log_evidence;
  }

  const RelevanceProblem& problem_;
  Kernel best_;
  std::vector<KernelTrial>& trials_;
  double highest_ = -std::numeric_limits<double>::infinity();
  Index num_planned_ = 0, num_looked_at_ = 0;
};

Kernel choose_kernel(const RelevanceProblem& problem, RelevanceFit& fit) {
  const RelevanceOptions& options = problem.options;
  const Index n = problem.X.rows();
  if (options.search == KernelSearch::none || options.kernel.num_parameters() == 0 || problem.points.rows() < 2) return options.kernel;
  const Index most = most_rows_searched(problem.task);
  const bool in_part = n > most;
  const RelevanceProblem part = in_part ? problem.part(spread_rows(n, most)) : problem;
  const KernelProblem questions = {[&](const Kernel& kernel) { return part.evaluate(kernel); },
                                   [&](const Kernel& kernel, const KernelSupport& on) { return part.evaluate_on(kernel, on); }};
  fit.search = options.search;
  KernelSearchOutcome outcome =
      search_kernel(options.kernel, options.search, part.X(different(part.X), Eigen::all), questions, options.input_groups);
  fit.trials = std::move(outcome.trials);
  const Kernel best = fit.trials.empty() ? outcome.kernel : CloserLook(part, outcome.kernel, fit.trials).run();
  pulse("fitting");
  if (!outcome.warning.empty()) fit.report.warnings.push_back(outcome.warning);
  if (in_part)
    fit.report.notes.push_back(
        fmt::format("the kernel search used {} of {} {}rows, evenly spread over the rows sorted by their inputs; its log evidences are "
                    "those of these rows",
                    most, n, n == static_cast<Index>(problem.row_of.size()) ? "" : "different "));
  return best;
}

// Over the training rows, of the curve or the score.                                                                            (KM.8)
double variance_of_fitted(const RelevanceProblem& problem, const Kernel& kernel, const FittedMachine& machine) {
  if (machine.vectors.empty()) return 0;
  const Matrix C = problem.points(machine.vectors, Eigen::all);
  constexpr Index block = 4096;
  Vector fitted(problem.X.rows());
  for (Index first = 0; first < fitted.size(); first += block) {
    const Index count = std::min(block, fitted.size() - first);
    Matrix K(count, C.rows());
    kernel.evaluate(problem.X.middleRows(first, count), C, K);
    fitted.segment(first, count) = K * machine.fit.mean;
  }
  fitted.array() -= problem.k.dot(fitted) / problem.k.sum();
  return problem.k.dot(fitted.cwiseAbs2()) / problem.k.sum();
}

// Training rows that explain the kernel at the others, in the user's units. Of many rows, some are searched.                  (KM.8)
Matrix rows_of_bands(const RelevanceProblem& problem, const RelevanceFit& fit) {
  constexpr Index most_searched = 5000, most = 500;
  constexpr double left_open = 0.01;
  Matrix Z = problem.X;
  if (Z.rows() > most_searched) Z = Matrix(Z(spread_rows(Z.rows(), most_searched), Eigen::all));
  Matrix out = Z(pivoted_cholesky_centres(fit.kernel, Z, most, left_open), Eigen::all);
  for (Index j = 0; j < out.cols(); ++j)
    out.col(j) = fit.input_center[j] + (fit.input_scale[j] > 0 ? 1 / fit.input_scale[j] : 0.0) * out.col(j).array();
  return out;
}

// Collects the relevance vectors of all machines, each once, in the user's units.
void collect_vectors(const RelevanceProblem& problem, MatrixView X, const std::vector<FittedMachine>& machines, RelevanceFit& fit) {
  std::map<Index, Index> position;
  for (const FittedMachine& machine : machines)
    for (Index i : machine.vectors) position.emplace(i, 0);
  Index next = 0;
  fit.relevance_vectors.resize(static_cast<Index>(position.size()), X.cols());
  for (auto& [point, at] : position) {
    at = next++;
    const Index row = problem.rows[static_cast<std::size_t>(point)];
    fit.relevance_rows.push_back(row);
    for (Index j = 0; j < X.cols(); ++j)
      fit.relevance_vectors(at, j) =
          row >= 0 ? X(row, j) : fit.input_center[j] + (fit.input_scale[j] > 0 ? problem.points(point, j) / fit.input_scale[j] : 0.0);
  }
  for (const FittedMachine& machine : machines) {
    RelevanceMachine& out = fit.machines.emplace_back();
    for (Index i : machine.vectors) out.vectors.push_back(position.at(i));
    out.fit = machine.fit;
    out.fit.target = fit.target;
    out.log_evidence = machine.log_evidence;
    if (fit.bands == Bands::open) out.fitted_variance = variance_of_fitted(problem, fit.kernel, machine);
    out.candidate_mean = machine.candidate_mean;
    out.candidate_probability = machine.candidate_probability;
    fit.log_evidence += machine.log_evidence;
  }
}

void describe_machines(const std::vector<FittedMachine>& machines, RelevanceFit& fit) {
  Report& report = fit.report;
  report.status = Status::converged;
  report.message.clear();
  for (const FittedMachine& machine : machines) {
    const Report& r = machine.fit.report;
    const std::string of = machines.size() > 1 ? fmt::format("class {}: ", machine.fit.classes.back()) : "";
    // The report has the status of the first machine that did not converge.
    if (report.message.empty() || (report.status == Status::converged && r.status != Status::converged)) {
      report.status = r.status;
      report.message = of + r.message;
    }
    report.sweeps += r.sweeps;
    report.bound += r.bound;
    for (const std::string& note : machine.notes) report.notes.push_back(of + note);
    for (const std::string& note : r.notes) report.notes.push_back(of + note);
    for (const std::string& warning : r.warnings)  // two parts of a fit can give the same warning about the target
      if (std::find(report.warnings.begin(), report.warnings.end(), of + warning) == report.warnings.end())
        report.warnings.push_back(of + warning);
    if (machine.vectors.empty())
      report.warnings.push_back(of + "no kernel column is relevant: the model is only its bias, the same for every input");
  }
  if (machines.size() == 1) {
    report.bound_history = machines.front().fit.report.bound_history;
    report.solver = machines.front().fit.report.solver;
    report.solver_reason = machines.front().fit.report.solver_reason;
    fit.r_squared = machines.front().fit.r_squared;
    fit.accuracy = machines.front().fit.accuracy;
    fit.log_loss = machines.front().fit.log_loss;
  }
}

void run(MatrixView X, RelevanceProblem& problem, RelevanceFit& fit) {
  fit.task = problem.task;
  fit.algorithm = problem.options.algorithm;
  fit.bands = problem.options.bands;
  fit.num_rows = problem.k.sum();
  choose_points(X, problem, fit);
  fit.kernel = choose_kernel(problem, fit);
  if (fit.bands == Bands::open) fit.band_rows = rows_of_bands(problem, fit);
  std::vector<FittedMachine> machines;
  for (const MachineTarget& target : problem.targets) machines.push_back(fit_machine(problem, fit.kernel, target));
  collect_vectors(problem, X, machines, fit);
  describe_machines(machines, fit);
  if (problem.progress.stopped()) fit.report.status = Status::stopped_by_user;
  fit.report.seconds = problem.progress.seconds();
}

void start(MatrixView X, const RelevanceOptions& options, RelevanceFit& fit) {
  fit.input_names = options.input_names;
  for (Index j = static_cast<Index>(fit.input_names.size()); j < X.cols(); ++j) fit.input_names.push_back(validate::column_name({}, j));
}

Matrix take_inputs(MatrixView X, const DifferentRows& rows, const RelevanceOptions& options, RelevanceFit& fit) {
  const InputScale divide_by = !options.standardize ? InputScale::nothing : options.compat ? InputScale::largest : InputScale::deviation;
  KernelInputs inputs = prepare_inputs(X, rows, divide_by, fit.input_names);
  fit.input_center = std::move(inputs.center);
  fit.input_scale = std::move(inputs.scale);
  fit.input_range = std::move(inputs.range);
  std::ranges::copy(inputs.notes, std::back_inserter(fit.report.notes));
  std::ranges::copy(inputs.warnings, std::back_inserter(fit.report.warnings));
  return std::move(inputs.Z);
}

}  // namespace

const char* to_string(RelevanceAlgorithm algorithm) {
  switch (algorithm) {
    case RelevanceAlgorithm::variational: return "variational";
    case RelevanceAlgorithm::plain: return "plain";
    case RelevanceAlgorithm::type_two: return "type-two";
    case RelevanceAlgorithm::pruned: return "pruned";
  }
  return "unknown";
}

const char* to_string(KernelSearch search) {
  switch (search) {
    case KernelSearch::none: return "none";
    case KernelSearch::scale: return "scale";
    case KernelSearch::each: return "each";
  }
  return "unknown";
}

const char* to_string(Bands bands) { return bands == Bands::open ? "open" : "published"; }

RelevanceRegression fit_relevance_regression(MatrixView X, VectorView y, const RelevanceOptions& options) {
  validate_options(options, X);
  validate::vector(y, X.rows(), "y");
  if (options.algorithm == RelevanceAlgorithm::pruned) throw refused("algorithm", "pruned applies only to classification");
  pulse("preparing");
  const blas::ThreadScope threads(options.threads);
  RelevanceRegression fit;
  start(X, options, fit);
  RelevanceProgress progress(options.on_sweep);
  const DifferentRows rows = different_rows(X, y, options.weights);
  RelevanceProblem problem{Task::linear, options, progress, take_inputs(X, rows, options, fit), rows.k, {}, {}, {}, rows.at};
  problem.targets.push_back(regression_target(entries(y, rows.first), rows.k, fit.report.warnings));
  run(X, problem, fit);
  return fit;
}

RelevanceClassification fit_relevance_classification(MatrixView X, VectorView labels, const RelevanceOptions& options) {
  validate_options(options, X);
  validate::vector(labels, X.rows(), "labels");
  pulse("preparing");
  const blas::ThreadScope threads(options.threads);
  RelevanceClassification fit;
  start(X, options, fit);
  RelevanceProgress progress(options.on_sweep);
  const DifferentRows rows = options.compat ? all_rows(X.rows()) : different_rows(X, labels, options.weights);
  RelevanceProblem problem{Task::logistic, options, progress, {}, rows.k, {}, {}, {}, rows.at};
  ClassTargets found = class_targets(entries(labels, rows.first), options.class_names);
  fit.classes = std::move(found.classes);
  problem.targets = std::move(found.targets);
  if (!options.start_precision.empty() && problem.targets.size() > 1)
    throw refused("start_precision",
                  fmt::format("applies only to two classes, which have one machine; there are {} classes", problem.targets.size()));
  if (options.compat && problem.targets.size() > 1) throw refused("compat", "needs two classes, like the published program");
  problem.X = take_inputs(X, rows, options, fit);
  run(X, problem, fit);
  describe_rows(X, labels, weights_or_ones(options.weights, X.rows()), fit);
  return fit;
}

}  // namespace ardvark
