// ardvark fit: linear and logistic models, and presets.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/classes.hpp"
#include "fit.hpp"
#include "io/notation.hpp"
#include "io/text.hpp"
#include "model/remarks.hpp"
#include "target/target.hpp"

namespace ardvark::cli {
namespace {

// The position of a column of the table in X.
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

// The dummies of a categorical column are one group; --group NAME=a,b,c joins columns of the table to one group.
std::vector<Index> groups_of(const FitArguments& args, const FeatureEncoding& encoding) {
  std::vector<Index> groups = encoding.groups();
  std::set<std::string> group_names, grouped;
  for (const std::string& text : args.groups) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) throw wrong("--group", text, "it must be NAME=COLUMN,COLUMN,...");
    const std::vector<std::string> names = split_names({text.substr(equals + 1)});
    if (names.empty()) throw wrong("--group", text, "it must be NAME=COLUMN,COLUMN,...");
    if (!group_names.insert(text.substr(0, equals)).second)
      throw refused("--group", fmt::format("names the group '{}' twice; list all its columns at once", text.substr(0, equals)));
    Index joined = -1;
    for (const std::string& name : names) {
      if (!grouped.insert(name).second) throw refused("--group", fmt::format("names column '{}' twice; a column has one group", name));
      const auto [first, width] = columns_of(encoding, name, "--group");
      for (Index j = first; j < first + width; ++j) {
        if (joined < 0) joined = groups[static_cast<std::size_t>(j)];
        groups[static_cast<std::size_t>(j)] = joined;
      }
    }
  }
  return groups;
}

struct Target {
  Vector values;
  std::vector<std::string> classes;  // only for text; for numbers, the fit makes the names
};

std::string remedy_of_text(const std::vector<std::string>& levels, Task task) {
  const std::string remark = internal::io::remark_on_numbers(levels);
  if (!remark.empty()) return remark;
  return fmt::format("{} needs numbers (for classes use --model logistic)",
                     internal::is_count(task) ? "a regression of counts" : "a linear fit");
}

Target target_of(const Table& table, const std::string& name, Task task) {
  const Index column = table.at(name);
  const TableColumn& c = table.columns[static_cast<std::size_t>(column)];
  if (!internal::has_classes(task) && c.categorical)
    throw refused("target", name, fmt::format("is text ('{}', ...); {}", c.levels.front(), remedy_of_text(c.levels, task)));
  Target target{column_values(table, column), c.levels};
  if (internal::has_classes(task)) check_classes(name, c, target.values, "--model linear");
  return target;
}

}  // namespace

void set_prior_columns(const FitArguments& args, const FeatureEncoding& encoding, ModelOptions& options) {
  if (!args.groups.empty() && options.preset.empty() && options.prior != "laplace" && options.prior != "dense")
    options.group = groups_of(args, encoding);
  for (const std::string& name : split_names(args.flat_columns)) {
    const auto [first, width] = columns_of(encoding, name, "--flat");
    for (Index j = first; j < first + width; ++j) options.flat.push_back(j);
  }
}

void require_exact_classes(const std::string& name, const std::vector<std::string>& classes) {
  const auto found = std::ranges::find_if(classes, [](const std::string& text) { return internal::may_be_rounded(std::stod(text)); });
  if (found == classes.end()) return;
  throw refused("target", name,
                fmt::format("has a class near {}; {}; to read the labels as texts: --categorical {}", *found, internal::why_rounded, name));
}

Vector linear_target_of(const Table& table, const std::string& name) { return target_of(table, name, Task::linear).values; }

void check_classes(const std::string& name, const TableColumn& column, const Vector& labels, const char* otherwise) {
  std::vector<double> values(labels.begin(), labels.end());
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::vector<std::string> texts;
  for (const double value : values)
    texts.push_back(column.categorical ? column.levels[static_cast<std::size_t>(value)] : fmt::format("{}", value));
  check_classes(name, column.categorical, texts, labels.size(), otherwise);
}

void check_classes(const std::string& name, bool is_text, const std::vector<std::string>& classes, Index num_rows, const char* otherwise) {
  if (!is_text) require_exact_classes(name, classes);
  std::string some;
  for (std::size_t i = 0; i < classes.size() && i < 5; ++i) some += (i > 0 ? ", " : "") + classes[i];
  if (classes.size() > 5) some += ", ...";
  if (classes.size() == 1) throw refused("target", name, fmt::format("has 1 class ({}); a classification needs two or more", some));
  const auto is_whole = [](const std::string& text) { return std::stod(text) == std::floor(std::stod(text)); };
  if (!is_text && classes.size() > 2 && (!std::ranges::all_of(classes, is_whole) || classes.size() > 30))
    throw refused("target", name,
                  fmt::format("has {} different numbers ({}): for numbers use {}; if they name classes, use --categorical {}",
                              classes.size(), some, otherwise, name));
  if (classes.size() > 2 && 2 * static_cast<Index>(classes.size()) > num_rows)
    throw refused(
        "target", name,
        fmt::format("has {} classes ({}) in {} rows; more than two classes need two rows each on average", classes.size(), some, num_rows));
}

ModelProblem model_problem(const FitArguments& args, Task task, bool may_be_sparse) {
  ModelProblem problem;
  problem.options = args;
  Table table = read_table(args);
  Target target = target_of(table, args.target, task);
  problem.target = std::move(target.values);
  problem.options.class_names = std::move(target.classes);
  problem.training = training_of(std::move(table), args, may_be_sparse);
  problem.options.encoding = problem.training.encoding;
  problem.options.weights.assign(problem.training.weights.begin(), problem.training.weights.end());
  set_prior_columns(args, problem.training.encoding, problem.options);
  return problem;
}

void note_remarks(const ModelProblem& problem, std::vector<std::string>& notes) {
  const Report remarks = internal::remarks_on_table(problem.training.X(), problem.options);
  for (const auto& list : {remarks.warnings, remarks.notes}) notes.insert(notes.end(), list.begin(), list.end());
}

SavedModel fit_with_progress(const FitArguments& args, ModelProblem& problem) {
  ModelOptions options = std::move(problem.options);
  const ProgressLine progress(args.shows_progress(), "preparing");
  options.on_sweep = progress.on_sweep();
  SavedModel model;
  const Training& training = problem.training;
  in_rows_of_file(training.rows, [&] {
    model = training.sparse ? fit_model(training.sparse->X(), problem.target, options)
                            : fit_model(problem.training.encoded.give(), problem.target, options);
  });
  return model;
}

namespace {

// The class of each regression, or its pair of classes, in the order of SoftmaxFit::machines.
std::vector<std::string> names_of_regressions(const SoftmaxFit& fit) {
  if (fit.coding != ClassCoding::one_against_one) return fit.classes;
  std::vector<std::string> names;
  for (std::size_t low = 0; low < fit.classes.size(); ++low)
    for (std::size_t high = low + 1; high < fit.classes.size(); ++high)
      names.push_back(fmt::format("{} against {}", fit.classes[high], fit.classes[low]));
  return names;
}

// The choice of lambda by each regression: one, or one for each class.
std::string path_csv(const SavedModel& model) {
  const SoftmaxFit* classes = model.softmax();
  const Fit& first = classes != nullptr ? classes->machines.front() : *model.score();
  std::string csv = classes != nullptr ? "class,lambda,loss,loss_error,nonzero" : "lambda,loss,loss_error,nonzero";
  if (first.intercept) csv += ",(intercept)";
  for (const std::string& name : first.column_names) csv += "," + csv_field(name);
  csv += "\n";
  const auto add = [&](const Fit& fit, const std::string& start) {
    const LambdaChoice& choice = *fit.lambda_choice;
    for (Index i = 0; i < choice.lambda.size(); ++i) {
      csv += fmt::format("{}{},{},{},{}", start, choice.lambda[i], choice.loss[i], choice.loss_error[i],
                         choice.num_nonzero[static_cast<std::size_t>(i)]);
      if (fit.intercept) csv += fmt::format(",{}", choice.intercept[i]);
      for (const double w : choice.mean.col(i)) csv += fmt::format(",{}", w);
      csv += "\n";
    }
  };
  if (classes == nullptr) add(first, "");
  if (classes == nullptr) return csv;
  const std::vector<std::string> names = names_of_regressions(*classes);
  for (std::size_t m = 0; m < classes->machines.size(); ++m) add(classes->machines[m], csv_field(names[m]) + ",");
  return csv;
}

}  // namespace

// Intervals of a mixture, which averages over hypotheses or completed tables, are read from it: they are the same with a file and without.
const char* kept_covariance(const FitArguments& args) {
  const bool mixes =
      args.preset.empty() && (args.missing == "impute" || (args.prior != "shared" && args.prior != "ard" && args.prior != "groups" &&
                                                           args.prior != "none" && args.prior != "laplace"));
  return mixes || !args.output.empty() || args.covariance ? "always" : "never";
}

int finish_fit(const FitArguments& args, SavedModel& model, const Training& training) {
  note_table(training, report_of(model).notes);
  if (args.odds) static_cast<void>(summary(model, args));  // refuses it where there are none, also with --json
  const bool has = has_posterior(model), saved = !args.output.empty() && has;
  if (saved) {
    const ProgressLine progress(args.shows_progress(), "writing");
    const UninterruptedWrite guard;
    save_model(args.output, model);
  } else if (!args.output.empty()) {
    fmt::print(stderr, "ardvark: '{}' was not written, because the fit has no posterior: {}\n", args.output, report_of(model).message);
  }
  if (!args.path.empty() && has) {
    const UninterruptedWrite guard;
    write_text_file(args.path, path_csv(model));
  }
  if (args.json) {
    fmt::print("{}\n", to_json(model, args.level, args.covariance && has, args.all_columns));
  } else if (!args.quiet) {
    fmt::print("{}", naming_json(summary(model, args)));
    if (saved) fmt::print("model                 {}\n", args.output);
    if (!args.path.empty() && has) fmt::print("path                  {}\n", args.path);
  }
  if (saved != !args.output.empty()) return not_converged;
  return args.strict && report_of(model).status != Status::converged ? not_converged : ok;
}

int fit_table(const FitArguments& args, Task task) {
  ModelProblem problem = model_problem(args, task, true);
  problem.options.keep_covariance = args.diagnose ? "always" : kept_covariance(args);
  SavedModel model = fit_with_progress(args, problem);
  return finish_fit(args, model, problem.training);
}

}  // namespace ardvark::cli
