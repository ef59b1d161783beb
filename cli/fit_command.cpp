// ardvark fit
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/model_file.hpp"
#include "ardvark/table.hpp"
#include "commands.hpp"
#include "json.hpp"

namespace ardvark::cli {
namespace {

struct FitArguments {
  std::string data, target, model, preset, output, weights, missing = "refuse";
  std::optional<std::string> prior, likelihood;
  std::string solver = "automatic";
  std::vector<std::string> ignore, categorical, groups, flat;
  std::optional<double> a0, b0, c0, d0, tolerance;
  std::optional<int> max_sweeps;
  int threads = 0;
  double level = 0.95;
  char delimiter = ',';
  bool compat = false, json = false, strict = false, no_intercept = false, no_standardize = false, no_acceleration = false,
       covariance = false, quiet = false;
};

template <typename Value>
Value choose(const std::string& option, const std::string& name, const std::map<std::string, Value>& values) {
  const auto found = values.find(name);
  if (found != values.end()) return found->second;
  std::string known;
  for (const auto& [key, value] : values) known += (known.empty() ? "" : ", ") + key;
  throw InvalidArgument(fmt::format("{} is '{}'; it must be one of {}", option, name, known));
}

Task task_of(const FitArguments& args) {
  if (args.model.empty() == args.preset.empty())
    throw InvalidArgument(args.model.empty()
                              ? "say what to fit: --model linear, --model logistic, or --preset NAME"
                              : "--model and --preset exclude each other; a preset is a published program, a model is for your data");
  if (!args.preset.empty()) return task_of_preset(args.preset);
  return choose<Task>("--model", args.model, {{"linear", Task::linear}, {"logistic", Task::logistic}});
}

// The hyper-parameters keep the names of the published programs: a0, b0 belong to the noise of a linear fit but to the precisions of a
// logistic one.
void set_hyperparameters(const FitArguments& args, Task task, FitOptions& options) {
  if (task == Task::linear) {
    options.noise = {args.a0.value_or(options.noise.shape), args.b0.value_or(options.noise.rate)};
    options.precision = {args.c0.value_or(options.precision.shape), args.d0.value_or(options.precision.rate)};
  } else {
    if (args.c0 || args.d0) throw InvalidArgument("--c0 and --d0 are of linear fits; the precisions of a logistic fit have --a0 and --b0");
    options.precision = {args.a0.value_or(options.precision.shape), args.b0.value_or(options.precision.rate)};
  }
}

FitOptions options_of(const FitArguments& args, Task task) {
  FitOptions options;
  if (!args.preset.empty()) {
    options = options_for_preset(args.preset, args.compat);
    for (const auto& [given, name] : {std::pair<bool, const char*>{args.prior.has_value(), "--prior"},
                                      {args.likelihood.has_value(), "--likelihood"},
                                      {!args.groups.empty(), "--group"},
                                      {!args.flat.empty(), "--flat"}})
      if (given) throw InvalidArgument(fmt::format("{} cannot be used with --preset; a preset fixes it", name));
    if (args.preset == "vb_logit_fit_iter")
      for (const auto& [given, name] : {std::pair<bool, const char*>{args.a0.has_value(), "--a0"},
                                        {args.b0.has_value(), "--b0"},
                                        {args.tolerance.has_value(), "--tolerance"},
                                        {args.max_sweeps.has_value(), "--max-sweeps"},
                                        {args.solver != "automatic", "--solver"}})
        if (given) throw InvalidArgument(fmt::format("{} has no meaning with vb_logit_fit_iter, which passes over the rows once", name));
  } else {
    if (args.compat) throw InvalidArgument("--compat reproduces a published program; it needs --preset");
    options.prior.kind = choose<PriorKind>("--prior", args.prior.value_or("auto"),
                                           {{"auto", PriorKind::automatic},
                                            {"shared", PriorKind::shared},
                                            {"ard", PriorKind::ard},
                                            {"groups", PriorKind::groups},
                                            {"none", PriorKind::none}});
    if (!args.groups.empty() && (options.prior.kind == PriorKind::shared || options.prior.kind == PriorKind::none))
      throw InvalidArgument(fmt::format("--group has no meaning with --prior {}; it needs --prior groups, ard or auto", *args.prior));
    if (args.likelihood && task == Task::linear) throw InvalidArgument("--likelihood is of logistic fits");
    options.likelihood = choose<LogisticLikelihood>("--likelihood", args.likelihood.value_or("vg"),
                                                    {{"vg", LogisticLikelihood::gaussian}, {"jj", LogisticLikelihood::bound}});
    options.intercept = !args.no_intercept;
    options.standardize = !args.no_standardize;
    options.accelerate = !args.no_acceleration;
  }
  set_hyperparameters(args, task, options);
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
  if (options.preset.empty() && (options.prior.kind == PriorKind::groups || !args.groups.empty() || any_categorical))
    options.prior.group = groups_of(args, encoding);
  for (const std::string& name : split_names(args.flat)) {
    const auto [first, width] = columns_of(encoding, name, "--flat");
    for (Index j = first; j < first + width; ++j) options.prior.flat_columns.push_back(j);
  }
}

struct Target {
  Vector values;
  std::vector<std::string> classes;  // logistic, text labels only: otherwise the fit names the numbers
};

// The row's number in the file, where dropped rows count.
Index file_row(const Table& table, Index row) { return table.file_rows.empty() ? row + 1 : table.file_rows[static_cast<std::size_t>(row)]; }

void check_two_numbers(const Table& table, const std::string& name, const Vector& labels) {
  std::vector<double> classes;
  for (Index i = 0; i < labels.size(); ++i) {
    if (std::find(classes.begin(), classes.end(), labels[i]) != classes.end()) continue;
    classes.push_back(labels[i]);
    if (classes.size() > 2)
      throw InvalidArgument(
          fmt::format("target '{}' has more than two classes ({}, {}, and {} at row {}); logistic regression needs exactly two", name,
                      classes[0], classes[1], classes[2], file_row(table, i)));
  }
  if (classes.size() == 1)
    throw InvalidArgument(fmt::format("target '{}' has 1 class ({}); logistic regression needs exactly two", name, classes[0]));
}

Vector weights_of(const Table& table, const FitArguments& args) {
  const Index column = table.at(args.weights);
  if (table.columns[static_cast<std::size_t>(column)].categorical)
    throw InvalidArgument(fmt::format("the weights '{}' are text; they must be numbers", args.weights));
  if (args.weights == args.target) throw InvalidArgument(fmt::format("'{}' cannot be both target and weights", args.target));
  Vector weights = column_values(table, column);
  for (Index i = 0; i < weights.size(); ++i)
    if (!(weights[i] >= 0))
      throw InvalidArgument(
          fmt::format("row {}, column '{}': {} is negative; weights must be 0 or more", file_row(table, i), args.weights, weights[i]));
  if (!(weights.maxCoeff() > 0))
    throw InvalidArgument(fmt::format("the weights '{}' are all zero; at least one must be positive", args.weights));
  return weights;
}

Target target_of(const Table& table, const std::string& name, Task task) {
  const Index column = table.at(name);
  const TableColumn& c = table.columns[static_cast<std::size_t>(column)];
  if (task == Task::linear && c.categorical)
    throw InvalidArgument(fmt::format("target '{}' is text ('{}', ...); a linear fit needs numbers (for classes use --model logistic)",
                                      name, c.levels.front()));
  if (task == Task::logistic && c.categorical && c.levels.size() != 2) {
    std::string some;
    for (std::size_t i = 0; i < c.levels.size() && i < 5; ++i) some += (i > 0 ? ", " : "") + c.levels[i];
    throw InvalidArgument(fmt::format("target '{}' has {} {} ({}{}); logistic regression needs exactly two", name, c.levels.size(),
                                      c.levels.size() == 1 ? "class" : "classes", some, c.levels.size() > 5 ? ", ..." : ""));
  }
  Vector values = column_values(table, column);
  if (task == Task::logistic && !c.categorical) check_two_numbers(table, name, values);
  return {std::move(values), c.levels};
}

void require_folder_of(const std::string& output, const std::string& data) {
  std::error_code none;
  if (!output.empty() && std::filesystem::equivalent(output, data, none))
    throw InvalidArgument(fmt::format("--output is '{}', the table itself; give another path", output));
  const std::filesystem::path folder = std::filesystem::path(output).parent_path();
  std::error_code ignored;
  if (std::filesystem::exists(output, ignored) && !std::filesystem::is_regular_file(output, ignored))
    throw EnvironmentError(fmt::format("cannot write '{}': it exists and is not a regular file; give another path", output));
  if (!output.empty() && std::filesystem::is_directory(folder.empty() ? "." : folder, ignored) &&
      ::access(folder.empty() ? "." : folder.c_str(), W_OK) != 0)
    throw EnvironmentError(fmt::format("cannot write '{}': {}; check who may write there, or give another path", output,
                                       std::generic_category().message(errno)));
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
    throw EnvironmentError(
        fmt::format("cannot write '{}': the folder '{}' does not exist; make it first, or give another path", output, folder.string()));
}

int run_fit(const FitArguments& args) {
  const Task task = task_of(args);
  FitOptions options = options_of(args, task);
  if (args.covariance && !args.json) throw InvalidArgument("--covariance needs --json; the table has no place for a matrix");
  if (!(args.level > 0 && args.level < 1)) throw InvalidArgument(fmt::format("--level is {}; it must lie between 0 and 1", args.level));

  CsvOptions csv;
  csv.delimiter = args.delimiter;
  csv.missing = choose<Missing>("--missing", args.missing, {{"refuse", Missing::refuse}, {"drop", Missing::drop_rows}});
  csv.ignore = split_names(args.ignore);
  csv.categorical = split_names(args.categorical);
  require_folder_of(args.output, args.data);  // before an hour of work, not after it
  Table table = read_csv(args.data, csv);
  const Index dropped = table.num_dropped;
  const Target target = target_of(table, args.target, task);
  std::vector<std::string> not_features = {args.target};
  Vector weights;
  if (!args.weights.empty()) {
    weights = weights_of(table, args);
    not_features.push_back(args.weights);
    options.weights = weights;
  }
  const FeatureEncoding encoding = make_encoding(table, not_features);
  if (encoding.num_columns() == 0)
    throw InvalidArgument(
        fmt::format("'{}' has no feature columns beside {}", args.data, args.weights.empty() ? "the target" : "target and weights"));
  const EncodedTable encoded = encode(std::move(table), encoding);
  options.column_names = encoding.names();
  set_prior_columns(args, encoding, options);

  Fit fit;
  {
    ProgressLine progress(!args.quiet && !args.json);
    options.on_sweep = [&](const Progress& p) {
      progress.show(p.sweep, p.bound, p.elapsed_seconds);
      return true;
    };
    if (task == Task::linear)
      fit = fit_linear(encoded.X(), target.values, options);
    else
      fit = fit_logistic(encoded.X(), target.values, options);
  }
  fit.target = args.target;
  if (!target.classes.empty()) fit.classes = target.classes;
  if (dropped > 0)
    fit.report.notes.push_back(fmt::format("{} {} dropped because a value was missing", dropped, dropped == 1 ? "row was" : "rows were"));

  // Without a posterior there is nothing to save: that is told like any numerical outcome.
  const bool no_posterior = fit.state == nullptr || !fit.mean.allFinite(), saved = !args.output.empty() && !no_posterior;
  if (saved) {
    const UninterruptedWrite guard;
    save_model(args.output, fit, encoding);
  } else if (!args.output.empty()) {
    fmt::print(stderr, "ardvark: '{}' was not written, the fit has no posterior: {}\n", args.output, fit.report.message);
  }
  if (args.json) {
    fmt::print("{}\n", fit_json(fit, args.level, args.covariance && !no_posterior).dump());
  } else if (!args.quiet) {
    fmt::print("{}", summary(fit, args.level));
    if (saved) fmt::print("model                 {}\n", args.output);
  }
  if (saved != !args.output.empty()) return not_converged;
  return args.strict && fit.report.status != Status::converged ? not_converged : ok;
}

}  // namespace

void add_fit(CLI::App& app, Run& run) {
  CLI::App& c = *app.add_subcommand("fit", "Fit a model to a table");
  auto args = std::make_shared<FitArguments>();
  c.add_option("data", args->data, "CSV file with a header row")->required();
  c.add_option("--target", args->target, "Column to explain")->required();
  c.add_option("--model", args->model, "linear or logistic, for your data: intercept, standardised columns, results in your units")
      ->check(not_empty);
  std::string names;
  for (const PresetInfo& p : presets()) names += fmt::format("\n  {:<18} {}", p.name, p.description);
  c.add_option("--preset", args->preset, "A published program instead of a model:" + names)->check(not_empty);
  c.add_flag("--compat", args->compat, "With --preset: reproduce that program exactly, its defects included");
  c.add_option("--prior", args->prior, "auto, shared, ard, groups or none (default auto: ard where rows >= 5 columns, else shared)");
  c.add_option("--group", args->groups,
               "NAME=COLUMN,COLUMN,... columns that share a precision (repeatable); a text column is a group by itself")
      ->allow_extra_args(false);
  c.add_option("--flat", args->flat, "COLUMN,... columns without a prior")->allow_extra_args(false);
  c.add_option("--likelihood", args->likelihood, "Logistic: vg (exact Gaussian, default) or jj (Jaakkola-Jordan bound)");
  c.add_option("--weights", args->weights, "Column of observation weights; a weight equals repetition")->check(not_empty);
  c.add_option("--ignore", args->ignore, "COLUMN,... columns to leave alone")->allow_extra_args(false);
  c.add_option("--categorical", args->categorical, "COLUMN,... columns of numbers to read as categories")->allow_extra_args(false);
  c.add_option("--missing", args->missing, "refuse (default) or drop: what to do with rows that lack a value");
  c.add_option("--delimiter", args->delimiter, "Field separator (default ,)");
  c.add_option("--a0", args->a0, "Hyper-prior: noise shape (linear), precision shape (logistic)");
  c.add_option("--b0", args->b0, "Hyper-prior: noise rate (linear), precision rate (logistic)");
  c.add_option("--c0", args->c0, "Hyper-prior: precision shape (linear)");
  c.add_option("--d0", args->d0, "Hyper-prior: precision rate (linear)");
  c.add_flag("--no-intercept", args->no_intercept, "Leave the intercept out");
  c.add_flag("--no-standardize", args->no_standardize, "Use the columns as they are");
  c.add_option("--solver", args->solver, "automatic (default), primal, dual or spectral");
  c.add_option("--max-sweeps", args->max_sweeps, "At most this many sweeps (default 500)");
  c.add_option("--tolerance", args->tolerance,
               "Models: remaining gain in nats per row (default 1e-8); presets: relative change of the bound (default 1e-5)");
  c.add_flag("--no-acceleration", args->no_acceleration, "Plain sweeps only");
  c.add_option("--threads", args->threads, "BLAS threads (default: as the environment says)");
  c.add_option("--level", args->level, "Level of the intervals (default 0.95)");
  c.add_option("-o,--output", args->output, "Write the model to this file")->check(not_empty);
  c.add_flag("--json", args->json, "Print one JSON object instead of a table");
  c.add_flag("--covariance", args->covariance, "With --json: the full posterior covariance, intercept last");
  c.add_flag("--strict", args->strict, "Exit with 4 when the fit has not converged");
  c.add_flag("-q,--quiet", args->quiet, "Print no table and no progress");
  c.footer(
      "Examples:\n"
      "  ardvark fit examples/data/Pima.tr.csv --target type --model logistic --prior ard -o pima.ardvark\n"
      "  ardvark fit examples/data/Pima.tr.csv --target bmi --model linear --ignore type --json");
  c.callback([args, &run] { run = [args] { return run_fit(*args); }; });
}

}  // namespace ardvark::cli
