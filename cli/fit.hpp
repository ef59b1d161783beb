// The parts that all commands which fit share: options, table and output.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ardvark/compare.hpp"
#include "ardvark/model.hpp"
#include "ardvark/table.hpp"
#include "commands.hpp"
#include "io/sparse_table.hpp"
#include "progress_line.hpp"

namespace ardvark::cli {

struct FitArguments : ModelOptions {
  const CLI::App* command = nullptr;   ///< knows which options were given
  std::vector<std::string> files;      ///< as given, or the paths that match; of `fit` and `stats`
  std::string data;                    ///< the only file
  std::string targets, target_prefix;  ///< of several targets: their file, or how the names of their columns begin
  std::string report;                  ///< of `compare` and `select`: where a page of HTML is written
  std::string output, path, weights_column, statistics, covariates, stream = "auto", index_base = "auto", count_allele = "1";
  std::vector<std::string> ignore, categorical, missing_markers, groups, flat_columns;
  TableFormat format;
  bool json = false, all_columns = false, strict = false, covariance = false, quiet = false;

  FitArguments() { spelling = Spelling::command_line; }
  /// Records which options the command line sets. Call it after parsing.
  void note_given();
  [[nodiscard]] bool shows_progress() const { return !quiet && !json; }
};

/// Of --all-columns, for the help.
inline constexpr const char* about_all_columns =
    "With --json: list every column. Otherwise, of more than 5000 columns, those that the fit keeps, those of credible sets, and the 1000 "
    "largest effects; shown_columns has their positions, from 0";
/// Of --report, for the help.
inline constexpr const char* about_report = "Also write the result as one page of HTML, to be sent to a colleague";
/// Writes that page, with the words of the command and the checksum of the table.
void write_report(const FitArguments& args, const Comparison& comparison);
void write_report(const FitArguments& args, const SelectionCounts& counts);
/// Checks that --report can be written. \throws InvalidArgument, EnvironmentError
void require_writable_report(const FitArguments& args);
/// \throws InvalidArgument  --all-columns without --json
void require_json(bool all_columns, bool json);
/// A line for each preset, after a line break. \param columns_only  without those that select rows, not columns
[[nodiscard]] std::string list_of_presets(bool columns_only = false);

/// The help of an option of the program. A flag that is on by default is turned off.
[[nodiscard]] std::string help_of(const ModelOptions& options, const ModelOption& row);

/// Adds an option with the help of its row, under the heading of its group. A flag that is on by default becomes "--no-NAME".
/// \param more  text after the help
CLI::Option* add_model_option(CLI::App& c, ModelOptions& options, const ModelOption& row, const std::string& more = {});
/// Those that the option table says the command has. \param command  of in_command
void add_options_of_command(CLI::App& c, ModelOptions& options, unsigned command);

/// The options of the data: table, target and weights.
/// \param several  whether several files are one table
void add_table_options(CLI::App& c, const std::shared_ptr<FitArguments>& args, bool several = false, bool imputes = false);

/// The options of the data and of the model, for fit and select.
void add_model_options(CLI::App& c, const std::shared_ptr<FitArguments>& args, unsigned command);

/// Those of `fit`, also in several processes.
void add_fit_options(CLI::App& c, const std::shared_ptr<FitArguments>& args);

[[nodiscard]] int fit_table(const FitArguments& args, Task task);  ///< linear, logistic with any number of classes, presets
[[nodiscard]] int fit_machine(const FitArguments& args);           ///< kernel machines

/// Checks that --output can be written. \throws InvalidArgument, EnvironmentError
void require_writable(const FitArguments& args);

/// How the options say to read the table. \throws InvalidArgument  a column is used and ignored
[[nodiscard]] CsvOptions csv_options(const FitArguments& args);
/// The weights in some rows of the table. \throws InvalidArgument  a weight is missing, negative or text
[[nodiscard]] Vector weights_in(const Table& table, const FitArguments& args);
[[noreturn]] void refuse_zero_weights(const FitArguments& args);
/// \throws InvalidArgument  the table has only the target and the weights
void check_features(const Table& table, const FitArguments& args);
/// The target of a regression. \throws InvalidArgument  it is text
[[nodiscard]] Vector linear_target_of(const Table& table, const std::string& name);
/// Adds the options on groups and columns without a prior that the command line has.
void set_prior_columns(const FitArguments& args, const FeatureEncoding& encoding, ModelOptions& options);

/// Reads the table. First checks that the model can be written, so that an error comes before a long fit.
[[nodiscard]] Table read_table(const FitArguments& args);

/// The table in the form that a fit needs, without its target.
struct Training {
  FeatureEncoding encoding;
  EncodedTable encoded;
  std::optional<internal::io::SparseTable> sparse;  ///< in place of `encoded`
  Vector weights;                                   ///< empty without --weights
  std::vector<Index> file_rows;                     ///< as in Table; of several files, they count on
  Table rows;                                       ///< their names
  std::vector<std::string> notes;                   ///< what was left out of the file: row names, rows with gaps

  [[nodiscard]] MatrixView X() const { return encoded.X(); }
};
/// \param may_be_sparse  a table that is mostly dummies of texts becomes sparse columns, if the options allow it
[[nodiscard]] Training training_of(Table&& table, const FitArguments& args, bool may_be_sparse = false);

/// The number of a row in the file, from 1; dropped rows are counted.
[[nodiscard]] inline Index file_row(const std::vector<Index>& file_rows, Index row) {
  return file_rows.empty() ? row + 1 : file_rows[static_cast<std::size_t>(row)];
}

void note_table(const Training& training, std::vector<std::string>& notes);

/// The arguments of fit_model.
struct ModelProblem {
  ModelOptions options;
  Vector target;  ///< a target of text: positions in options.class_names
  Training training;
};
/// \param task  of linear and logistic models and presets
/// \param may_be_sparse  as for training_of()
[[nodiscard]] ModelProblem model_problem(const FitArguments& args, Task task, bool may_be_sparse = false);

/// Adds what there is to say about the texts of the table, which a fit says by itself.
void note_remarks(const ModelProblem& problem, std::vector<std::string>& notes);

/// Fits, with a progress line. The fit takes over the memory of the table.
[[nodiscard]] SavedModel fit_with_progress(const FitArguments& args, ModelProblem& problem);

/// Checks the classes of a target: more than one, but not as many as in a column of measurements or names.
/// \param otherwise  the option that fits numbers
void check_classes(const std::string& name, const TableColumn& column, const Vector& labels, const char* otherwise);
/// \param classes  ascending: texts, or numbers as texts
void check_classes(const std::string& name, bool is_text, const std::vector<std::string>& classes, Index num_rows, const char* otherwise);
/// \throws InvalidArgument  one of these numbers may stand for several whole numbers
void require_exact_classes(const std::string& name, const std::vector<std::string>& classes);

/// Writes the model, prints the result and returns the exit code. A fit without a posterior is not saved, and a message says so.
/// always or never: whether the fit keeps its covariance.
[[nodiscard]] const char* kept_covariance(const FitArguments& args);
[[nodiscard]] int finish_fit(const FitArguments& args, SavedModel& model, const Training& training);

}  // namespace ardvark::cli
