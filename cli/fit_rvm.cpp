// ardvark fit --model rvm: relevance vector machines.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "ardvark/relevance.hpp"
#include "fit.hpp"

namespace ardvark::cli {
namespace {

// All of the text as a number; 0 if it is none or not positive and finite.
template <typename Number>
Number positive_number(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > 0 && value <= std::numeric_limits<Number>::max() ? value : 0;
}

enum class Kind { gaussian, laplacian, cauchy, linear, polynomial, spline };

Kernel with_width(Kind kind, double width) {
  return kind == Kind::gaussian ? Kernel::gaussian(width) : kind == Kind::laplacian ? Kernel::laplacian(width) : Kernel::cauchy(width);
}

// --width, of the kernels that have one: learnt unless it is given.
void set_width(const FitArguments& args, Kind kind, RelevanceOptions& options) {
  options.kernel = with_width(kind, 1);
  options.search = KernelSearch::scale;
  if (args.width == "auto") return;
  const std::vector<std::string> texts = split_names({args.width});
  if (kind != Kind::gaussian && (args.width == "each" || texts.size() > 1))
    throw InvalidArgument(fmt::format("--width is '{}'; a width per input needs --kernel gaussian", args.width));
  if (args.width == "each") {
    options.search = KernelSearch::each;
    return;
  }
  std::vector<double> widths;
  for (const std::string& text : texts) widths.push_back(positive_number<double>(text));
  const bool has_gap = args.width.starts_with(',') || args.width.ends_with(',') || args.width.find(",,") != std::string::npos;
  if (has_gap || widths.empty() || *std::min_element(widths.begin(), widths.end()) == 0)
    throw InvalidArgument(fmt::format("--width is '{}'; it must be a positive number, one per input, auto or each", args.width));
  options.kernel = kind == Kind::gaussian ? Kernel::gaussian(widths) : with_width(kind, widths.front());
  options.search = KernelSearch::none;
}

void set_kernel(const FitArguments& args, RelevanceOptions& options) {
  const Kind kind = choose<Kind>("--kernel", args.kernel,
                                 {{"gaussian", Kind::gaussian},
                                  {"laplacian", Kind::laplacian},
                                  {"cauchy", Kind::cauchy},
                                  {"linear", Kind::linear},
                                  {"polynomial", Kind::polynomial},
                                  {"spline", Kind::spline}});
  if (kind != Kind::polynomial) refuse(args, {"--degree", "--offset"}, "is of --kernel polynomial");
  if (args.degree < 1) throw InvalidArgument(fmt::format("--degree is {}; it must be at least 1", args.degree));
  if (!(args.offset >= 0 && std::isfinite(args.offset)))
    throw InvalidArgument(fmt::format("--offset is {}; it must be 0 or more, and finite", args.offset));
  if (kind == Kind::gaussian || kind == Kind::laplacian || kind == Kind::cauchy) return set_width(args, kind, options);
  refuse(args, {"--width"}, fmt::format("has no meaning with --kernel {}, which has no width", args.kernel));
  options.search = kind == Kind::polynomial && !args.given("--offset") ? KernelSearch::scale : KernelSearch::none;
  options.kernel = kind == Kind::linear       ? Kernel::linear()
                   : kind == Kind::polynomial ? Kernel::polynomial(args.degree, args.offset)
                                              : Kernel::spline();
}

// As published: the linear kernel, or exp(-R |x-c|^2/D) with R given.                                                          (SLR.6)
void set_published_kernel(const FitArguments& args, Index num_inputs, RelevanceOptions& options) {
  options.search = KernelSearch::none;
  if (choose<bool>("--kernel", args.given("--kernel") ? args.kernel : "linear", {{"gaussian", false}, {"linear", true}})) {
    refuse(args, {"--width"}, "has no meaning with --kernel linear, which has no width");
    options.kernel = Kernel::linear();
    return;
  }
  const double R = positive_number<double>(args.width);
  if (R == 0)
    throw InvalidArgument(fmt::format("--width is '{}'; with --compat it is R of exp(-R |x-c|^2/D), a positive number", args.width));
  options.kernel = Kernel::gaussian(std::sqrt(static_cast<double>(num_inputs) / R));
}

void set_centres(const FitArguments& args, RelevanceOptions& options) {
  if (args.centres == "all") return;
  options.centres = Centres::pivoted_cholesky;
  options.num_centres = positive_number<Index>(args.centres);
  if (options.num_centres == 0) throw InvalidArgument(fmt::format("--centres is '{}'; it must be a number from 1, or all", args.centres));
}

// A target of text has classes; numbers may be either.
Task task_of(const FitArguments& args, const TableColumn& target) {
  if (!args.preset.empty()) return task_of_preset(args.preset);
  if (!args.given("--task")) {
    if (target.categorical) return Task::logistic;
    throw InvalidArgument(
        fmt::format("target '{}' holds numbers: say --task regression, or --task classification if they name classes", args.target));
  }
  const Task task = choose<Task>("--task", args.task, {{"regression", Task::linear}, {"classification", Task::logistic}});
  if (task == Task::linear && target.categorical)
    throw InvalidArgument(
        fmt::format("target '{}' is text ('{}', ...); --task regression needs numbers", args.target, target.levels.front()));
  return task;
}

// All that does not depend on the table.
RelevanceOptions options_of(const FitArguments& args) {
  refuse(args, {"--prior", "--group", "--flat"}, "has no meaning with --model rvm: each of its columns has a precision of its own");
  const bool is_preset = !args.preset.empty();
  if (!is_preset) refuse(args, {"--compat"}, "has no meaning with --model rvm");
  refuse(args, {"--no-intercept", "--solver", "--tolerance", "--no-acceleration", "--covariance", "--lambda"},
         fmt::format("has no meaning with {}", is_preset ? "--preset slr_rvm" : "--model rvm"));
  RelevanceOptions options;
  options.compat = args.compat;
  if (args.compat) {
    refuse(args, {"--degree", "--offset", "--no-standardize", "--centres", "--weights"}, "cannot be used with --preset slr_rvm --compat");
  } else if (is_preset && !args.given("--kernel")) {
    refuse(args, {"--width"}, "is of --kernel gaussian, laplacian or cauchy");
    options.kernel = Kernel::linear();
    options.search = KernelSearch::none;
  } else {
    set_kernel(args, options);
  }
  set_centres(args, options);
  if (is_preset) {
    refuse(args, {"--algorithm", "--likelihood", "--a0", "--b0", "--c0", "--d0", "--task"},
           "cannot be used with --preset; a preset fixes it");
    options.algorithm = RelevanceAlgorithm::pruned;
    options.max_sweeps = args.max_sweeps.value_or(options_for_preset(args.preset).max_sweeps);
    options.standardize = !args.no_standardize;
    options.threads = args.threads;
    return options;
  }
  options.algorithm = choose<RelevanceAlgorithm>(
      "--algorithm", args.algorithm,
      {{"variational", RelevanceAlgorithm::variational}, {"plain", RelevanceAlgorithm::plain}, {"type-two", RelevanceAlgorithm::type_two}});
  if (options.algorithm == RelevanceAlgorithm::type_two) {
    refuse(args, {"--a0", "--b0", "--c0", "--d0"}, "has no meaning with --algorithm type-two, which has no hyper-priors");
    refuse(args, {"--likelihood"}, "has no meaning with --algorithm type-two, which takes Laplace's approximation");
  }
  options.likelihood = likelihood_of(args);
  options.standardize = !args.no_standardize;
  if (args.max_sweeps) options.max_sweeps = *args.max_sweeps;
  options.threads = args.threads;
  return options;
}

// A width is of a column of the table: the dummies of a text column share one.
void adapt(const FitArguments& args, Task task, const FeatureEncoding& encoding, RelevanceOptions& options) {
  if (options.compat) return set_published_kernel(args, static_cast<Index>(encoding.groups().size()), options);
  if (task == Task::linear) refuse(args, {"--likelihood"}, "is of classifications");
  set_hyperparameters(args, task, options);
  options.input_groups = encoding.groups();
  const Index num_columns = options.input_groups.back() + 1;
  std::vector<double> of_columns(static_cast<std::size_t>(num_columns), 1.0), widths;
  if (options.search != KernelSearch::each) {
    if (options.search != KernelSearch::none || options.kernel.num_parameters() < 2) return;
    of_columns = options.kernel.spec().parameters;
    if (static_cast<Index>(of_columns.size()) != num_columns)
      throw InvalidArgument(fmt::format("--width has {} numbers; it must have one, or as many as the table has columns that are inputs: {}",
                                        of_columns.size(), num_columns));
  }
  for (Index group : options.input_groups) widths.push_back(of_columns[static_cast<std::size_t>(group)]);
  options.kernel = Kernel::gaussian(widths);
}

// The library speaks of labels, the user's table has a column.
void require_two_classes(const FitArguments& args, const TableColumn& target, const Vector& values, const Vector& weights) {
  Index first = 0;
  while (weights.size() > 0 && weights[first] == 0) ++first;
  for (Index i = first; i < values.size(); ++i)
    if (values[i] != values[first] && (weights.size() == 0 || weights[i] > 0)) return;
  const std::string only = target.categorical ? target.levels[static_cast<std::size_t>(values[first])] : fmt::format("{}", values[first]);
  throw InvalidArgument(fmt::format("target '{}' has one class only ({}); a classification needs at least two", args.target, only));
}

void count_rows_as_the_file(const std::vector<Index>& file_rows, RelevanceFit& fit) {
  if (file_rows.empty()) return;  // no row was dropped
  for (Index& row : fit.relevance_rows) row = file_row(file_rows, row) - 1;
  for (RelevanceMachine& machine : fit.machines)
    for (std::size_t j = 0; j < machine.vectors.size(); ++j)
      machine.fit.column_names[j] = fmt::format("k(row {})", fit.relevance_rows[static_cast<std::size_t>(machine.vectors[j])] + 1);
}

}  // namespace

int fit_rvm(const FitArguments& args) {
  RelevanceOptions options = options_of(args);
  Table table = read_table(args);
  const Index column = table.at(args.target);
  const TableColumn target = table.columns[static_cast<std::size_t>(column)];
  const Task task = task_of(args, target);
  const Vector values = column_values(table, column);
  const Training training = training_of(std::move(table), args, Dummies::every_level);
  adapt(args, task, training.encoding, options);
  if (task == Task::logistic) require_two_classes(args, target, values, training.weights);
  options.weights = training.weights;
  options.input_names = training.encoding.names();
  options.class_names = target.levels;

  RelevanceFit fit;
  {
    ProgressLine progress(!args.quiet && !args.json);
    options.on_sweep = [&](const Progress& p) {
      progress.show(p);
      return true;
    };
    if (task == Task::linear)
      fit = fit_relevance_regression(training.X(), values, options);
    else
      fit = fit_relevance_classification(training.X(), values, options);
  }
  fit.target = args.target;
  count_rows_as_the_file(training.file_rows, fit);
  note_dropped(training.num_dropped, fit.report);
  const bool has_posterior =
      !fit.machines.empty() && std::all_of(fit.machines.begin(), fit.machines.end(), [](const RelevanceMachine& machine) {
        return machine.fit.state != nullptr && machine.fit.mean.allFinite();
      });
  return finish_fit(args, fit, has_posterior, training.encoding, [&] { return fit_json(fit, args.level); });
}

}  // namespace ardvark::cli
