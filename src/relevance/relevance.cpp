// fit_relevance_regression and fit_relevance_classification: validate, prepare inputs and candidates, search the kernel, fit each machine,
// and keep nothing of the training data but the relevance vectors.                                            docs/math/relevance.md (RVM)
#include "ardvark/relevance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/blas.hpp"
#include "core/classes.hpp"
#include "core/digits.hpp"
#include "core/pulse.hpp"
#include "core/special.hpp"
#include "core/validate.hpp"
#include "design/centres.hpp"
#include "frame/prepare.hpp"
#include "predict/relevance.hpp"
#include "relevance/relevance_problem.hpp"

namespace ardvark {

using namespace internal;

namespace {

// With more rows than this, the kernel search uses only so many of them, evenly spread in the order of their inputs. Classes cost more: xi
// has to converge.
Index most_rows_searched(Task task) { return task == Task::linear ? 1000 : 500; }

// ---- checks of the options --------------------------------------------------------------------------------------------------------------

void validate_start(const RelevanceOptions& options, Index n) {
  const bool pruned = options.algorithm == RelevanceAlgorithm::pruned;
  if (!pruned && !options.intercept) throw InvalidArgument("intercept is false; only algorithm = pruned can leave out the bias");
  const auto size = static_cast<Index>(options.start_precision.size());
  if (size == 0) return;
  if (!pruned || options.centres != Centres::rows)
    throw InvalidArgument("start_precision applies only to algorithm = pruned with all rows as centres");
  if (size != n && !(options.intercept && size == n + 1))
    throw InvalidArgument(fmt::format("start_precision has {} entries; it must have one per row of X: {}{}", size, n,
                                      options.intercept ? fmt::format(", or {} with the bias", n + 1) : ""));
  for (double a : options.start_precision) validate::positive(a, "an entry of start_precision");
}

void validate_options(const RelevanceOptions& options, MatrixView X) {
  validate::matrix(X, "X", options.input_names);
  validate::weights(options.weights, X.rows());
  validate::gamma(options.precision, "precision.shape", "precision.rate");
  validate::gamma(options.noise, "noise.shape", "noise.rate");
  const auto at_least = [](const char* name, Index value, Index least) {
    if (value < least) throw InvalidArgument(fmt::format("{} is {}; it must be at least {}", name, value, least));
  };
  at_least("max_sweeps", options.max_sweeps, 1);
  at_least("max_actions", options.max_actions, 1);
  at_least("threads", options.threads, 0);
  at_least("record_every", options.record_every, 0);
  validate::positive(options.prune_at, "prune_at");
  at_least("compare_up_to", options.compare_up_to, 0);
  validate_start(options, X.rows());
  if (options.algorithm == RelevanceAlgorithm::type_two && options.likelihood == LogisticLikelihood::bound)
    throw InvalidArgument("likelihood is bound; it cannot be used with algorithm = type_two, which uses Laplace's approximation");
  const bool counted = options.centres == Centres::pivoted_cholesky || options.centres == Centres::kmeans;
  if (counted) at_least("num_centres", options.num_centres, 1);
  if (!counted && options.num_centres != 0)
    throw InvalidArgument(fmt::format("num_centres is {}; it applies only to centres = pivoted_cholesky or kmeans", options.num_centres));
  if (options.centres == Centres::chosen && options.rows.empty())
    throw InvalidArgument("rows is empty; centres = chosen needs the positions of training rows");
  if (options.centres != Centres::chosen && !options.rows.empty())
    throw InvalidArgument("rows applies only to centres = chosen; it must be empty otherwise");
  std::set<Index> seen;
  for (Index row : options.rows)
    if (row < 0 || row >= X.rows() || !seen.insert(row).second)
      throw InvalidArgument(fmt::format("rows names row {}; each must be from 0 to {} and named once", row, X.rows() - 1));
  if (!options.input_names.empty() && static_cast<Index>(options.input_names.size()) != X.cols())
    throw InvalidArgument(
        fmt::format("input_names has {} entries; it must have one per column of X: {}", options.input_names.size(), X.cols()));
  if (!options.input_groups.empty() && static_cast<Index>(options.input_groups.size()) != X.cols())
    throw InvalidArgument(
        fmt::format("input_groups has {} entries; it must have one per column of X: {}", options.input_groups.size(), X.cols()));
  if (options.compat && options.algorithm != RelevanceAlgorithm::pruned)
    throw InvalidArgument("compat applies only to algorithm = pruned: it reproduces the RVM of the SLR toolbox");
  if (options.compat && (!options.weights.empty() || options.centres != Centres::rows || options.search != KernelSearch::none))
    throw InvalidArgument("compat needs all rows as centres, no observation weights and search = none");
  Matrix one(1, 1);  // throws here if the kernel does not fit the inputs
  options.kernel.evaluate(Matrix::Zero(1, X.cols()), Matrix::Zero(1, X.cols()), one);
}

// ---- inputs and candidates --------------------------------------------------------------------------------------------------------------

// Rows with equal inputs and target become one row with the sum of their weights, and rows of weight 0 are removed. So a weight gives the
// same result as repeated rows to the last bit, in the kernel search and in the fit.                                             (LIN.6)
// Rows are sorted by content: another order of the rows gives the same result to the last bit.                                  (KER.13)
struct DifferentRows {
  std::vector<Index> first;  // [n] rows of the table, sorted by content
  Vector k;                  // [n]
  std::vector<Index> at;     // [rows of the table] position among the n; -1: weight 0
};

// Compares rows by content, independent of the order of rows and columns: first by their sorted values, then by the values in their order.
template <typename Table>
class ByContent {
 public:
  explicit ByContent(const Table& table) : table_(table), sorted_(table.cols(), table.rows()) {
    for (Index i = 0; i < table.rows(); ++i) {
      for (Index j = 0; j < table.cols(); ++j) sorted_(j, i) = table(i, j);
      std::sort(sorted_.col(i).begin(), sorted_.col(i).end());
    }
  }
  // < 0: a comes first; 0: they are equal.
  [[nodiscard]] int compare(Index a, Index b) const {
    for (Index j = 0; j < sorted_.rows(); ++j)
      if (sorted_(j, a) != sorted_(j, b)) return sorted_(j, a) < sorted_(j, b) ? -1 : 1;
    for (Index j = 0; j < sorted_.rows(); ++j)
      if (table_(a, j) != table_(b, j)) return table_(a, j) < table_(b, j) ? -1 : 1;
    return 0;
  }

 private:
  const Table& table_;
  Matrix sorted_;  // one column per row of the table
};

DifferentRows different_rows(MatrixView X, VectorView y, VectorView weights) {
  const ByContent by_content(X);
  const auto less = [&](Index a, Index b) {
    const int order = by_content.compare(a, b);
    return order != 0 ? order < 0 : y[a] < y[b];
  };
  std::map<Index, std::vector<Index>, decltype(less)> alike(less);  // the first of equal rows, and all of them
  for (Index i = 0; i < X.rows(); ++i)
    if (weights.empty() || weights[i] != 0) alike[i].push_back(i);
  DifferentRows out;
  out.k = Vector::Zero(static_cast<Index>(alike.size()));
  out.at.assign(static_cast<std::size_t>(X.rows()), -1);
  for (const auto& [first, rows] : alike) {
    const auto place = static_cast<Index>(out.first.size());
    out.first.push_back(first);
    for (Index i : rows) {
      out.k[place] += weights.empty() ? 1.0 : weights[i];
      out.at[static_cast<std::size_t>(i)] = place;
    }
  }
  return out;
}

std::vector<Index> every_row(Index n) {
  std::vector<Index> out(static_cast<std::size_t>(n));
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

DifferentRows all_rows(Index n) { return {every_row(n), Vector::Ones(n), every_row(n)}; }

Vector entries(VectorView v, const std::vector<Index>& at) {
  Vector out(static_cast<Index>(at.size()));
  for (std::size_t i = 0; i < at.size(); ++i) out[static_cast<Index>(i)] = v[at[i]];
  return out;
}

// These rows as the kernel uses them.
Matrix seen_inputs(MatrixView X, const std::vector<Index>& rows, const RelevanceFit& fit) {
  Matrix Z(static_cast<Index>(rows.size()), X.cols());
  for (Index j = 0; j < Z.cols(); ++j)
    for (Index i = 0; i < Z.rows(); ++i) Z(i, j) = (X(rows[static_cast<std::size_t>(i)], j) - fit.input_center[j]) * fit.input_scale[j];
  return Z;
}

// Sets fit.input_center and input_scale, then returns the standardised inputs.
Matrix prepare_inputs(MatrixView X, const DifferentRows& rows, const RelevanceOptions& options, RelevanceFit& fit) {
  const Index d = X.cols();
  fit.input_center = Vector::Zero(d);
  fit.input_scale = Vector::Ones(d);
  Matrix Z = seen_inputs(X, rows.first, fit);
  if (!options.standardize) {
    for (Index j = 0; j < d; ++j) {
      const double range = Z.col(j).maxCoeff() - Z.col(j).minCoeff();
      if (range != 0 && !(range > 1e-290 && range < 1e290))
        throw InvalidArgument(
            fmt::format("the values of input '{}' spread over {:.3g}, outside the range of a kernel (about 1e-290 to "
                        "1e290): rescale it",
                        fit.input_names[static_cast<std::size_t>(j)], range));
    }
    return Z;
  }
  const Vector& k = rows.k;
  std::string constant;
  for (Index j = 0; j < d; ++j) {
    double center = k.dot(Z.col(j)) / k.sum();
    const double off = k.dot((Z.col(j).array() - center).matrix()) / k.sum();
    if (steps_of(std::abs(off), center) > 4) center += off;                          // (LIN.7)
    const double sd = options.compat ? (Z.col(j).array() - center).abs().maxCoeff()  // (SLR.4)
                                     : std::sqrt(k.dot((Z.col(j).array() - center).square().matrix()) / k.sum());
    const std::string& name = fit.input_names[static_cast<std::size_t>(j)];
    const bool spread =
        is_spread(validate::spread(sd, Z.col(j).minCoeff() == Z.col(j).maxCoeff(), fmt::format("input '{}'", name)), center);
    if (has_few_digits(sd, center)) fit.report.warnings.push_back(few_digits(fmt::format("input '{}'", name), sd, center));
    fit.input_center[j] = center;
    fit.input_scale[j] = spread ? 1 / sd : 0.0;
    if (!spread) constant += fmt::format("{}'{}'", constant.empty() ? "" : ", ", name);
  }
  if (!constant.empty()) fit.report.notes.push_back("constant inputs, left out: " + constant);
  return seen_inputs(X, rows.first, fit);
}

// The first row of each different point, sorted by content.
std::vector<Index> different(const Matrix& Z) {
  const ByContent by_content(Z);
  const auto less = [&](Index a, Index b) { return by_content.compare(a, b) < 0; };
  std::set<Index, decltype(less)> seen(less);
  for (Index i = 0; i < Z.rows(); ++i) seen.insert(i);
  return {seen.begin(), seen.end()};
}

void choose_points(MatrixView X, RelevanceProblem& problem, RelevanceFit& fit) {
  const RelevanceOptions& options = problem.options;
  std::vector<Index> rows = options.rows;
  if (options.centres != Centres::chosen)
    for (Index i = 0; i < X.rows(); ++i)
      if (problem.row_of[static_cast<std::size_t>(i)] >= 0) rows.push_back(i);  // a row of weight 0 does not count
  const Matrix named = seen_inputs(X, rows, fit);
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

// ---- targets ----------------------------------------------------------------------------------------------------------------------------

MachineTarget regression_target(const Vector& y, const Vector& k, RelevanceFit& fit) {
  MachineTarget target;
  target.y = y;
  target.center = k.dot(target.y) / k.sum();
  const double off = k.dot((target.y.array() - target.center).matrix()) / k.sum();
  if (steps_of(std::abs(off), target.center) > 4) target.center += off;  // (LIN.7)
  target.t = target.y.array() - target.center;
  target.scale = validate::spread(std::sqrt(k.dot(target.t.cwiseAbs2()) / k.sum()), y.minCoeff() == y.maxCoeff(), "the target");
  if (has_few_digits(target.scale, target.center)) fit.report.warnings.push_back(few_digits("the target", target.scale, target.center));
  if (!is_spread(target.scale, target.center)) {
    fit.report.warnings.push_back("the target is constant: there is nothing to explain");
    target.scale = target.center != 0 ? std::abs(target.center) : 1.0;
    target.t.setZero();
  }
  target.t /= target.scale;
  return target;
}

std::vector<MachineTarget> class_targets(const Vector& labels, const std::vector<std::string>& names, RelevanceFit& fit) {
  const Classes classes = read_classes(labels, {}, names);
  const Index C = classes.size();
  if (C > 100 && 2 * C > labels.size())
    throw InvalidArgument(
        fmt::format("labels has {} classes in {} different rows; these look like measurements: use a regression", C, labels.size()));
  for (const std::string& name : names)
    if (std::count(names.begin(), names.end(), name) > 1)
      throw InvalidArgument(fmt::format("class_names holds '{}' twice; each class has a name of its own", name));
  fit.classes = classes.names;
  std::vector<MachineTarget> targets;
  for (Index c = C == 2 ? 1 : 0; c < C; ++c) {  // two classes: one machine, for the second class
    MachineTarget& target = targets.emplace_back();
    target.y = (labels.array() == classes.labels[static_cast<std::size_t>(c)]).cast<double>();
    target.t = target.y;
    target.classes = {C == 2 ? classes.name(0) : "rest", classes.name(c)};
  }
  return targets;
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

  // The highest trials without those that are near a higher one, or too low to become the best.
  [[nodiscard]] std::vector<KernelTrial> apart(std::vector<KernelTrial> trials, std::size_t most) const {
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
  fit.num_rows = problem.k.sum();
  choose_points(X, problem, fit);
  fit.kernel = choose_kernel(problem, fit);
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

RelevanceRegression fit_relevance_regression(MatrixView X, VectorView y, const RelevanceOptions& options) {
  validate_options(options, X);
  validate::vector(y, X.rows(), "y");
  if (options.algorithm == RelevanceAlgorithm::pruned) throw InvalidArgument("algorithm pruned applies only to classification");
  pulse("preparing");
  const blas::ThreadScope threads(options.threads);
  RelevanceRegression fit;
  start(X, options, fit);
  RelevanceProgress progress(options.on_sweep);
  const DifferentRows rows = different_rows(X, y, options.weights);
  RelevanceProblem problem{Task::linear, options, progress, prepare_inputs(X, rows, options, fit), rows.k, {}, {}, {}, rows.at};
  problem.targets.push_back(regression_target(entries(y, rows.first), rows.k, fit));
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
  problem.targets = class_targets(entries(labels, rows.first), options.class_names, fit);
  if (!options.start_precision.empty() && problem.targets.size() > 1)
    throw InvalidArgument(
        fmt::format("start_precision applies only to two classes, which have one machine; there are {} classes", problem.targets.size()));
  if (options.compat && problem.targets.size() > 1) throw InvalidArgument("compat needs two classes, like the published program");
  problem.X = prepare_inputs(X, rows, options, fit);
  run(X, problem, fit);
  describe_rows(X, labels, weights_or_ones(options.weights, X.rows()), fit);
  return fit;
}

}  // namespace ardvark
