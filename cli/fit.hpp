// What the kinds of `ardvark fit` share: the options, the table, and what a fit leaves behind.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ardvark/fit.hpp"
#include "ardvark/model_file.hpp"
#include "ardvark/softmax.hpp"
#include "ardvark/table.hpp"
#include "commands.hpp"
#include "json.hpp"

namespace ardvark::cli {

struct FitArguments {
  const CLI::App* command;  ///< which options were given
  std::string data, target, model, preset, output, weights, missing = "refuse", prior = "auto", likelihood = "vg", solver = "automatic";
  std::string task, kernel = "gaussian", width = "auto", algorithm = "variational", centres = "all";  // of --model rvm
  int degree = 2;
  double offset = 1;
  std::vector<std::string> ignore, categorical, groups, flat;
  std::optional<double> a0, b0, c0, d0, lambda, tolerance;
  std::optional<int> max_sweeps;
  int threads = 0;
  double level = 0.95;
  char delimiter = ',';
  bool compat = false, json = false, strict = false, no_intercept = false, no_standardize = false, no_acceleration = false,
       covariance = false, quiet = false;

  [[nodiscard]] bool given(const std::string& option) const {
    const CLI::Option* known = command->get_option_no_throw(option);
    return known != nullptr && known->count() > 0;
  }
};

/// Table, target and what is to be fitted: the options that commands which fit models share.
/// \param classes_only  names no presets of regressions
void add_model_options(CLI::App& c, const std::shared_ptr<FitArguments>& args, bool classes_only);

[[nodiscard]] int fit_model(const FitArguments& args);  ///< linear, logistic with any number of classes, presets
[[nodiscard]] int fit_rvm(const FitArguments& args);    ///< relevance vector machines

template <typename Value>
Value choose(const std::string& option, const std::string& name, const std::map<std::string, Value>& values) {
  const auto found = values.find(name);
  if (found != values.end()) return found->second;
  std::string known;
  for (const auto& [key, value] : values) known += (known.empty() ? "" : ", ") + key;
  throw InvalidArgument(fmt::format("{} is '{}'; it must be one of {}", option, name, known));
}

/// \throws InvalidArgument  one of these options was given: its name, and why not
inline void refuse(const FitArguments& args, std::initializer_list<const char*> options, const std::string& why) {
  for (const char* option : options)
    if (args.given(option)) throw InvalidArgument(fmt::format("{} {}", option, why));
}

[[nodiscard]] inline LogisticLikelihood likelihood_of(const FitArguments& args) {
  return choose<LogisticLikelihood>("--likelihood", args.likelihood,
                                    {{"vg", LogisticLikelihood::gaussian}, {"jj", LogisticLikelihood::bound}});
}

/// The hyper-parameters keep the names of the published programs: a0, b0 belong to the noise of a linear fit but to the precisions of a
/// logistic one.
template <typename Options>
void set_hyperparameters(const FitArguments& args, Task task, Options& options) {
  for (const auto& [option, value] : {std::pair{"--a0", args.a0}, {"--b0", args.b0}, {"--c0", args.c0}, {"--d0", args.d0}})
    if (value && !(*value > 0 && std::isfinite(*value)))
      throw InvalidArgument(fmt::format("{} is {}; it must be positive and finite", option, *value));
  if (task == Task::linear) {
    options.noise = {args.a0.value_or(options.noise.shape), args.b0.value_or(options.noise.rate)};
    options.precision = {args.c0.value_or(options.precision.shape), args.d0.value_or(options.precision.rate)};
  } else {
    if (args.c0 || args.d0)
      throw InvalidArgument("--c0 and --d0 are of regressions; the precisions of a classification have --a0 and --b0");
    options.precision = {args.a0.value_or(options.precision.shape), args.b0.value_or(options.precision.rate)};
  }
}

/// A look at where --output is to be written. \throws InvalidArgument, EnvironmentError
void require_writable(const FitArguments& args);

/// Reads the table, after a look at where the model is to be written: before an hour of work, not after it.
[[nodiscard]] Table read_table(const FitArguments& args);

/// A table as a fit wants it, without its target.
struct Training {
  FeatureEncoding encoding;
  EncodedTable encoded;
  Vector weights;                ///< empty without --weights
  std::vector<Index> file_rows;  ///< as in Table
  Index num_dropped = 0;

  [[nodiscard]] MatrixView X() const { return encoded.X(); }
};
[[nodiscard]] Training training_of(Table&& table, const FitArguments& args, Dummies dummies = Dummies::all_but_first);

/// The row's number in the file, from 1, where dropped rows count.
[[nodiscard]] inline Index file_row(const std::vector<Index>& file_rows, Index row) {
  return file_rows.empty() ? row + 1 : file_rows[static_cast<std::size_t>(row)];
}

void note_dropped(Index num_dropped, Report& report);

/// What fit_linear or fit_logistic is given, but for the weights.
struct ModelProblem {
  FitOptions options;
  Vector target;
  std::vector<std::string>
      classes;            ///< text targets of logistic models: `target` holds positions in it; otherwise the fit names the numbers
  Index num_classes = 0;  ///< of logistic models
  Training training;
};
[[nodiscard]] ModelProblem model_problem(const FitArguments& args, Task task);
/// A preset of several classes, or more than two of them in the target. \throws InvalidArgument  a preset of two classes has more
[[nodiscard]] bool is_softmax(const FitArguments& args, const ModelProblem& problem);
[[nodiscard]] SoftmaxOptions softmax_options_of(const FitArguments& args, const FitOptions& options);

/// Writes the model and prints what was asked for; returns the exit code. Without a posterior there is nothing to save: that is told like
/// any numerical outcome.
template <typename AnyFit, typename MakeJson>
int finish_fit(const FitArguments& args, const AnyFit& fit, bool has_posterior, const FeatureEncoding& encoding, MakeJson&& make_json) {
  const bool saved = !args.output.empty() && has_posterior;
  if (saved) {
    const UninterruptedWrite guard;
    save_model(args.output, fit, encoding);
  } else if (!args.output.empty()) {
    fmt::print(stderr, "ardvark: '{}' was not written, the fit has no posterior: {}\n", args.output, fit.report.message);
  }
  if (args.json) {
    fmt::print("{}\n", make_json().dump());
  } else if (!args.quiet) {
    fmt::print("{}", summary(fit, args.level));
    if (saved) fmt::print("model                 {}\n", args.output);
  }
  if (saved != !args.output.empty()) return not_converged;
  return args.strict && fit.report.status != Status::converged ? not_converged : ok;
}

}  // namespace ardvark::cli
