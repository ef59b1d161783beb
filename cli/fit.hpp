// What the kinds of `ardvark fit` share: the options, the table, and what a fit leaves behind.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "ardvark/model.hpp"
#include "ardvark/table.hpp"
#include "commands.hpp"

namespace ardvark::cli {

struct FitArguments : ModelOptions {
  const CLI::App* command = nullptr;  ///< which options were given
  std::string data, output, weights_column, missing = "refuse";
  std::vector<std::string> ignore, categorical, groups, flat_columns;
  char delimiter = ',';
  bool json = false, strict = false, covariance = false, quiet = false;

  FitArguments() { spelling = Spelling::command_line; }
  /// Which of the model's options the command line holds. To be called once it is complete.
  void note_given();
};

/// An option of the model, by its name in model_options(), which has its help; a flag that is on unless it is given is "--no-NAME".
/// \param more  said after the help
CLI::Option* add_model_option(CLI::App& c, ModelOptions& options, const char* name, const std::string& more = {});

/// Where the rows come from: the table, its target and its weights.
void add_table_options(CLI::App& c, const std::shared_ptr<FitArguments>& args);

/// Table, target and what is to be fitted: the options that commands which fit models share.
/// \param classes_only  names no presets of regressions
void add_model_options(CLI::App& c, const std::shared_ptr<FitArguments>& args, bool classes_only);

[[nodiscard]] int fit_table(const FitArguments& args, Task task);  ///< linear, logistic with any number of classes, presets
[[nodiscard]] int fit_rvm(const FitArguments& args);               ///< relevance vector machines

/// A look at where --output is to be written. \throws InvalidArgument, EnvironmentError
void require_writable(const FitArguments& args);

/// Reads the table, after a look at where the model is to be written: before an hour of work, not after it.
[[nodiscard]] Table read_table(const FitArguments& args);

/// A table as a fit wants it, without its target.
struct Training {
  FeatureEncoding encoding;
  EncodedTable encoded;
  Vector weights;                            ///< empty without --weights
  std::vector<Index> file_rows, file_lines;  ///< as in Table
  Index num_dropped = 0;

  [[nodiscard]] MatrixView X() const { return encoded.X(); }
};
[[nodiscard]] Training training_of(Table&& table, const FitArguments& args, Dummies dummies = Dummies::all_but_first);

/// The row's number in the file, from 1, where dropped rows count.
[[nodiscard]] inline Index file_row(const std::vector<Index>& file_rows, Index row) {
  return file_rows.empty() ? row + 1 : file_rows[static_cast<std::size_t>(row)];
}

void note_dropped(Index num_dropped, Report& report);

/// What fit_model is given.
struct ModelProblem {
  ModelOptions options;
  Vector target;  ///< of text its positions in options.class_names
  Training training;
};
/// \param task  of linear and logistic models and presets
[[nodiscard]] ModelProblem model_problem(const FitArguments& args, Task task);

/// Fits, with a line that shows the progress. The table's numbers go to the fit.
[[nodiscard]] SavedModel fit_with_progress(const FitArguments& args, ModelProblem& problem);

/// The classes of a target: more than one, and not as many as a column of measurements or names would have.
/// \param otherwise  the model that explains numbers
void check_classes(const std::string& name, const TableColumn& column, const Vector& labels, const char* otherwise);

/// Writes the model and prints what was asked for; returns the exit code. Without a posterior there is nothing to save: that is told like
/// any numerical outcome. The training's encoding becomes the model's.
[[nodiscard]] int finish_fit(const FitArguments& args, SavedModel& model, Training& training);

}  // namespace ardvark::cli
