// ardvark fit: linear and logistic models, and presets.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/softmax.hpp"
#include "fit.hpp"

namespace ardvark::cli {
namespace {

FitOptions options_of(const FitArguments& args, Task task) {
  FitOptions options;
  if (!args.preset.empty()) {
    options = options_for_preset(args.preset, args.compat);
    refuse(args, {"--prior", "--likelihood", "--group"}, "cannot be used with --preset; a preset fixes it");
    const bool is_greedy = args.preset.starts_with("rvm_");
    if (args.preset == "l1_slr_c")
      refuse(args, {"--a0", "--b0", "--solver", "--no-intercept", "--no-standardize"},
             "has no meaning with l1_slr_c, which has --lambda and nothing else");
    if (args.preset == "l1_slr_c" && args.compat)
      refuse(args, {"--tolerance"}, "has no meaning with l1_slr_c --compat, which makes --max-sweeps passes whatever they bring");
    if (!is_greedy) refuse(args, {"--flat"}, "cannot be used with --preset; a preset fixes it");
    if (is_greedy)
      refuse(args, {"--a0", "--b0", "--c0", "--d0", "--solver"},
             fmt::format("has no meaning with {}, which has no hyper-priors and takes one column at a time", args.preset));
    const bool is_toolbox = args.preset.starts_with("slr_") || args.preset.starts_with("rlr_") || args.preset.starts_with("l1_") ||
                            args.preset.ends_with("mlr");
    if (is_toolbox)
      refuse(args, {"--a0", "--b0", "--c0", "--d0"}, fmt::format("has no meaning with {}, which has no hyper-priors", args.preset));
    if (args.preset == "vb_logit_fit_iter")
      refuse(args, {"--a0", "--b0", "--tolerance", "--max-sweeps", "--solver"},
             "has no meaning with vb_logit_fit_iter, which passes over the rows once");
  } else {
    if (args.compat) throw InvalidArgument("--compat reproduces a published program; it needs --preset");
    options.prior.kind = choose<PriorKind>("--prior", args.prior,
                                           {{"auto", PriorKind::automatic},
                                            {"shared", PriorKind::shared},
                                            {"ard", PriorKind::ard},
                                            {"groups", PriorKind::groups},
                                            {"none", PriorKind::none},
                                            {"laplace", PriorKind::laplace}});
    if (options.prior.kind == PriorKind::laplace) {
      if (task == Task::linear) throw InvalidArgument("--prior laplace is of --model logistic");
      refuse(args, {"--group", "--a0", "--b0", "--likelihood", "--solver", "--no-acceleration"},
             "has no meaning with --prior laplace, which has --lambda and nothing else");
    }
    if (options.prior.kind == PriorKind::shared || options.prior.kind == PriorKind::none)
      refuse(args, {"--group"}, fmt::format("has no meaning with --prior {}; it needs --prior groups, ard or auto", args.prior));
    if (task == Task::linear) refuse(args, {"--likelihood"}, "is of logistic fits");
    options.likelihood = likelihood_of(args);
    options.intercept = !args.no_intercept;
    options.standardize = !args.no_standardize;
    options.accelerate = !args.no_acceleration;
  }
  set_hyperparameters(args, task, options);
  if (args.lambda) {
    if (options.prior.kind != PriorKind::laplace && options.rule != UpdateRule::laplace)
      throw InvalidArgument("--lambda is of the Laplace prior: of --model logistic --prior laplace, --preset l1_slr_lap and l1_slr_c");
    if (!(*args.lambda > 0 && std::isfinite(*args.lambda)))
      throw InvalidArgument(fmt::format("--lambda is {}; it must be > 0", *args.lambda));
    options.prior.lambda = *args.lambda;
  }
  options.tolerance = args.tolerance;
  if (args.max_sweeps) options.max_sweeps = *args.max_sweeps;
  options.threads = args.threads;
  options.solver = choose<SolverKind>("--solver", args.solver,
                                      {{"automatic", SolverKind::automatic},
                                       {"primal", SolverKind::primal},
                                       {"dual", SolverKind::dual},
                                       {"spectral", SolverKind::spectral}});
  options.keep_covariance = !args.output.empty() || args.covariance ? Keep::always : Keep::never;
  return options;
}

// Where a column of the table lies in X.
struct Span {
  Index first, width;
};
Span columns_of(const FeatureEncoding& encoding, const std::string& name, const char* option) {
  Span span{0, 0};
  for (const FeatureColumn& f : encoding.features) {
    span.width = f.categorical ? std::max<Index>(static_cast<Index>(f.levels.size()) - 1, 0) : 1;
    if (f.name == name) return span;
    span.first += span.width;
  }
  throw InvalidArgument(fmt::format("{} names column '{}', which is not a feature", option, name));
}

// A categorical column's dummies are one group; --group NAME=a,b,c joins columns of the table into one.
std::vector<Index> groups_of(const FitArguments& args, const FeatureEncoding& encoding) {
  std::vector<Index> groups = encoding.groups();
  std::set<std::string> group_names, grouped;
  for (const std::string& text : args.groups) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InvalidArgument(fmt::format("--group is '{}'; it must be NAME=COLUMN,COLUMN,...", text));
    const std::vector<std::string> names = split_names({text.substr(equals + 1)});
    if (names.empty()) throw InvalidArgument(fmt::format("--group is '{}'; it must be NAME=COLUMN,COLUMN,...", text));
    if (!group_names.insert(text.substr(0, equals)).second)
      throw InvalidArgument(fmt::format("--group names the group '{}' twice; list all its columns at once", text.substr(0, equals)));
    Index joined = -1;
    for (const std::string& name : names) {
      if (!grouped.insert(name).second) throw InvalidArgument(fmt::format("--group names column '{}' twice; a column has one group", name));
      const auto [first, width] = columns_of(encoding, name, "--group");
      for (Index j = first; j < first + width; ++j) {
        if (joined < 0) joined = groups[static_cast<std::size_t>(j)];
        groups[static_cast<std::size_t>(j)] = joined;
      }
    }
  }
  return groups;
}

void set_prior_columns(const FitArguments& args, const FeatureEncoding& encoding, FitOptions& options) {
  bool any_categorical = false;
  for (const FeatureColumn& f : encoding.features) any_categorical = any_categorical || f.categorical;
  if (options.preset.empty() && options.prior.kind != PriorKind::laplace &&
      (options.prior.kind == PriorKind::groups || !args.groups.empty() || any_categorical))
    options.prior.group = groups_of(args, encoding);
  for (const std::string& name : split_names(args.flat)) {
    const auto [first, width] = columns_of(encoding, name, "--flat");
    for (Index j = first; j < first + width; ++j) options.prior.flat_columns.push_back(j);
  }
}

struct Target {
  Vector values;
  std::vector<std::string> classes;  // logistic, text labels only: otherwise the fit names the numbers
  Index num_classes = 0;             // logistic
};

// The classes of a target: more than one, and not as many as a column of measurements or names would have.
Index num_classes_of(const std::string& name, const TableColumn& column, const Vector& labels) {
  std::vector<double> values(labels.begin(), labels.end());
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  const auto text = [&](std::size_t i) {
    return column.categorical ? column.levels[static_cast<std::size_t>(values[i])] : fmt::format("{}", values[i]);
  };
  std::string some;
  for (std::size_t i = 0; i < values.size() && i < 5; ++i) some += (i > 0 ? ", " : "") + text(i);
  if (values.size() > 5) some += ", ...";
  if (values.size() == 1)
    throw InvalidArgument(fmt::format("target '{}' has 1 class ({}); a classification needs two or more", name, some));
  const bool whole = std::all_of(values.begin(), values.end(), [](double v) { return v == std::floor(v); });
  if (!column.categorical && values.size() > 2 && (!whole || values.size() > 30))
    throw InvalidArgument(fmt::format(
        "target '{}' has {} different numbers ({}): numbers are explained by --model linear; if these name classes, say --categorical {}",
        name, values.size(), some, name));
  if (values.size() > 2 && 2 * values.size() > static_cast<std::size_t>(labels.size()))
    throw InvalidArgument(fmt::format("target '{}' has {} classes ({}) in {} rows; more than two classes need two rows each on average",
                                      name, values.size(), some, labels.size()));
  return static_cast<Index>(values.size());
}

Target target_of(const Table& table, const std::string& name, Task task) {
  const Index column = table.at(name);
  const TableColumn& c = table.columns[static_cast<std::size_t>(column)];
  if (task == Task::linear && c.categorical)
    throw InvalidArgument(fmt::format("target '{}' is text ('{}', ...); a linear fit needs numbers (for classes use --model logistic)",
                                      name, c.levels.front()));
  Target target{column_values(table, column), c.levels, 0};
  if (task == Task::logistic) target.num_classes = num_classes_of(name, c, target.values);
  return target;
}

// More than two classes, and the presets that are made for them.
template <typename FitNow>
auto with_progress(const FitArguments& args, FitOptions& options, FitNow&& fit_now) {
  ProgressLine progress(!args.quiet && !args.json);
  options.on_sweep = [&](const Progress& p) {
    progress.show(p);
    return true;
  };
  return fit_now();
}

// Where each dummy is judged by itself, the levels of one text column may part ways.
template <typename AnyFit>
void note_parted_levels(const FeatureEncoding& encoding, AnyFit& fit) {
  Index first = 0;
  for (const FeatureColumn& f : encoding.features) {
    const Index width = f.categorical ? std::max<Index>(static_cast<Index>(f.levels.size()) - 1, 0) : 1;
    std::string kept, gone;
    for (Index j = first; f.categorical && j < first + width; ++j) {
      if (fit.left_out[static_cast<std::size_t>(j)]) continue;
      std::string& list = fit.relevant[static_cast<std::size_t>(j)] ? kept : gone;
      list += (list.empty() ? "" : ", ") + f.levels[static_cast<std::size_t>(j - first + 1)];
    }
    if (!kept.empty() && !gone.empty())
      fit.report.notes.push_back(fmt::format(
          "the levels of text column '{}' part ways, because here each is judged by itself: kept {}; not kept {}", f.name, kept, gone));
    first += width;
  }
}

int fit_classes(const FitArguments& args, const ModelProblem& problem) {
  SoftmaxOptions options = softmax_options_of(args, problem.options);
  options.class_names = problem.classes;
  SoftmaxFit fit = with_progress(args, options, [&] { return fit_softmax(problem.training.X(), problem.target, options); });
  fit.target = args.target;
  if (fit.state != nullptr) note_parted_levels(problem.training.encoding, fit);
  note_dropped(problem.training.num_dropped, fit.report);
  return finish_fit(args, fit, fit.state != nullptr && fit.mean.allFinite(), problem.training.encoding,
                    [&] { return fit_json(fit, args.level); });
}

}  // namespace

SoftmaxOptions softmax_options_of(const FitArguments& args, const FitOptions& options) {
  refuse(args, {"--covariance"}, "is of linear fits and of two classes");
  refuse(args, {"--no-acceleration"}, "has no meaning with several classes, which are fitted without");
  SoftmaxOptions classes = args.preset.empty() ? SoftmaxOptions() : softmax_options_for_preset(args.preset, args.compat);
  const LogisticLikelihood likelihood = classes.likelihood;
  const UpdateRule rule = classes.rule;
  static_cast<FitOptions&>(classes) = options;
  if (args.preset.empty()) {
    refuse(args, {"--likelihood"}, "is of two classes; several have Laplace's approximation");
    classes.rule = rule;
    classes.likelihood = likelihood;
  }
  return classes;
}

bool is_softmax(const FitArguments& args, const ModelProblem& problem) {
  if (!args.preset.empty() && is_softmax_preset(args.preset)) return true;
  if (problem.num_classes > 2 && !args.preset.empty())
    throw InvalidArgument(fmt::format(
        "target '{}' has {} classes; preset '{}' needs exactly two (for more: --model logistic, --preset smlr and those after it)",
        args.target, problem.num_classes, args.preset));
  return problem.num_classes > 2;
}

ModelProblem model_problem(const FitArguments& args, Task task) {
  ModelProblem problem;
  problem.options = options_of(args, task);
  Table table = read_table(args);
  Target target = target_of(table, args.target, task);
  problem.target = std::move(target.values);
  problem.classes = std::move(target.classes);
  problem.num_classes = target.num_classes;
  problem.training = training_of(std::move(table), args);
  problem.options.column_names = problem.training.encoding.names();
  set_prior_columns(args, problem.training.encoding, problem.options);
  return problem;
}

int fit_model(const FitArguments& args) {
  const Task task = !args.preset.empty() ? task_of_preset(args.preset) : args.model == "linear" ? Task::linear : Task::logistic;
  ModelProblem problem = model_problem(args, task);
  FitOptions& options = problem.options;
  const Training& training = problem.training;
  options.weights = training.weights;

  if (task == Task::logistic && is_softmax(args, problem)) return fit_classes(args, problem);

  Fit fit = with_progress(args, options, [&]() -> Fit {
    if (task == Task::linear) return fit_linear(training.X(), problem.target, options);
    return fit_logistic(training.X(), problem.target, options);
  });
  fit.target = args.target;
  if (!problem.classes.empty()) fit.classes = problem.classes;
  note_dropped(training.num_dropped, fit.report);
  if (fit.state != nullptr) note_parted_levels(training.encoding, fit);
  const bool has_posterior = fit.state != nullptr && fit.mean.allFinite();
  return finish_fit(args, fit, has_posterior, training.encoding,
                    [&] { return fit_json(fit, args.level, args.covariance && has_posterior); });
}

}  // namespace ardvark::cli
