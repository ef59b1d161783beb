// Any model by its name: the words that the command line, the C interface and the bindings of other languages have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/model_file.hpp"
#include "ardvark/relevance.hpp"
#include "ardvark/select.hpp"
#include "ardvark/sequential.hpp"
#include "ardvark/softmax.hpp"

namespace ardvark {

/// How messages name an option: max_sweeps, or --max-sweeps.
enum class Spelling { words, command_line };

/// What to fit and how. Each member is an option of that name; what it means and what it may be is said in fit.hpp, relevance.hpp,
/// softmax.hpp and select.hpp, whose defaults stand where nothing is set here.
///
///     ardvark::ModelOptions options{.model = "logistic", .prior = "ard"};
///     options.set("max_sweeps", 100.0);
///     ardvark::SavedModel model = ardvark::fit_model(X, labels, options);
struct ModelOptions {
  std::string model = {};             ///< "linear", "logistic" (two classes or more) or "rvm"; or
  std::string preset = {};            ///< a published program, one of presets()
  bool compat = false;                ///< preset: its defects included
  std::string task = {};              ///< rvm: "regression" or "classification"
  std::string prior = "auto";         ///< "auto", "sparse", "slab", "dense", "shared", "ard", "groups", "none"; of classes also "laplace"
  std::optional<double> lambda = {};  ///< of the Laplace prior
  std::optional<double> toolbox_gamma1 = {};  ///< presets l1_slr_lap, l1_slr_c: gamma1 of the toolbox, > 0, in place of lambda  (SLR.7)
  std::optional<double> toolbox_gamma0 = {};  ///< preset smlr: precisions have Gamma(gamma0, gamma0) as their prior, >= 0  (SLR.8)
  std::vector<Index> group = {};              ///< [columns] group number of each column, from 0
  std::vector<Index> flat = {};               ///< positions of columns without a prior
  std::string likelihood = "vg";              ///< of two classes: "vg", "jj" or "laplace"
  std::string posterior = "joint";            ///< linear: "joint" or "factorised"
  std::string coding = "automatic";           ///< three classes or more: "automatic", "softmax", "one-against-rest" or "one-against-one"
  bool precision_per_class = false;
  std::optional<double> a0 = {}, b0 = {};  ///< noise of a regression; precisions of a classification
  std::optional<double> c0 = {}, d0 = {};  ///< precisions of a regression
  bool intercept = true, standardize = true, acceleration = true, mixed_precision = true;
  bool converge = false;             ///< presets vb_* and vrvm_*: FitOptions::accelerate
  std::string solver = "automatic";  ///< "automatic", "primal", "dual" or "spectral"
  std::optional<int> max_sweeps = {};
  std::optional<double> tolerance = {};
  std::string update_rule = "vb";  ///< "vb" or "mackay"
  std::optional<double> prune_at = {};
  int readmit_every = 0;
  int threads = 0;
  int record_every = 0;                       ///< sweeps between two columns of `precision_history`
  std::string keep_covariance = "automatic";  ///< "automatic", "always" or "never"
  bool diagnose = false;                      ///< classifications: SavedModel::diagnosis
  std::vector<double> weights = {};           ///< [rows]
  std::vector<double> start_precision = {};
  std::optional<double> start_noise = {};
  std::vector<std::string> column_names = {}, class_names = {};
  std::string target = {};  ///< its name

  std::string kernel = "gaussian";       ///< "gaussian", "laplacian", "cauchy", "linear", "polynomial" or "spline"
  std::string width = "auto";            ///< "auto", "each", a number, or a number per input
  std::optional<double> toolbox_R = {};  ///< preset slr_rvm, kernel "gaussian": R of the toolbox, > 0, in place of width       (SLR.7)
  int degree = 2;
  double offset = 1;
  std::string algorithm = "variational";  ///< "variational", "plain" or "type-two"
  std::string centres = "all";            ///< "all" or a number
  std::vector<Index> input_group = {};    ///< [inputs] those of one number share a width

  std::optional<double> precision = {};  ///< sequential
  std::optional<int> block_rows = {};    ///< sequential
  std::string row_order = "as-given";    ///< sequential, preset vb_logit_fit_iter: "as-given" or "by-content"
  int folds = 10, repeats = 10;          ///< selection
  double seed = 1;                       ///< selection, a whole number
  std::string rule = "automatic";        ///< prediction: see PredictOptions
  double level = 0.95;                   ///< of intervals
  std::string interval = "new";          ///< prediction of a regression: of a "new" observation, or of the "mean"

  SweepCallback on_sweep = {};
  SelectionCallback on_fit = {};

  std::set<std::string> given = {};  ///< options that were set by name: one that has no meaning beside the others is refused
  Spelling spelling = Spelling::words;

  using Value = std::variant<std::string, double, std::vector<double>, std::vector<std::string>>;
  /// Numbers serve as texts, texts as numbers, one as a list of one; flags are 0 or 1; lists of positions are whole numbers. An empty
  /// list or text of an option that has no such value takes the option back to its default.
  /// \throws InvalidArgument  an option of another name, a value of another kind
  void set(const std::string& name, const Value& value);
  [[nodiscard]] bool has(const std::string& name) const { return given.contains(name); }
  /// As the user wrote it: max_sweeps or --max-sweeps; kernel 'linear' or --kernel linear.
  [[nodiscard]] std::string spelled(const std::string& name) const;
  [[nodiscard]] std::string spelled(const std::string& name, const std::string& value) const;
  /// What an option may be and what it does, other options spelled as the user writes them.
  [[nodiscard]] std::string help(const struct ModelOption& option) const;
};

/// What an option is about, in the order in which help lists them.
enum class OptionGroup { what, prior, posterior, table, sweeps, machine, others };

/// The options by name: where they lie, what they may be and what they do. The one table that every interface reads.
using ModelMember =
    std::variant<std::string ModelOptions::*, double ModelOptions::*, int ModelOptions::*, bool ModelOptions::*,
                 std::optional<double> ModelOptions::*, std::optional<int> ModelOptions::*, std::vector<Index> ModelOptions::*,
                 std::vector<double> ModelOptions::*, std::vector<std::string> ModelOptions::*>;
struct ModelOption {
  const char* name;
  ModelMember member;
  OptionGroup group;
  const char* values;  ///< what it may be, and the default
  const char* help;    ///< sentences; [name] and [name=value] stand for options as the reader's interface spells them
};
[[nodiscard]] std::span<const ModelOption> model_options();
/// \throws InvalidArgument  there is no such option
[[nodiscard]] const ModelOption& model_option(const std::string& name);

enum class ModelKind { linear, logistic, relevance };
/// What is asked for, after a look at all that needs no data. \throws InvalidArgument
[[nodiscard]] ModelKind check_options(const ModelOptions& options);

/// Of a relevance vector machine, by its `task` or preset. \throws InvalidArgument
[[nodiscard]] Task relevance_task(const ModelOptions& options);
/// What check_options does, for select_columns.
void check_selection(const ModelOptions& options);
/// Whether fit_model takes these labels for those of several classes: more than two of them, or a preset that is made for that.
[[nodiscard]] bool has_several_classes(const ModelOptions& options, VectorView labels);

/// Fits what the options name.
/// \param X       [n,p] as in fit_linear, fit_logistic, fit_softmax, fit_relevance_regression and fit_relevance_classification
/// \param target  [n] numbers, or labels; with class_names positions in it
/// \throws InvalidArgument  an option out of range or without meaning beside the others; what these functions throw
[[nodiscard]] SavedModel fit_model(MatrixView X, VectorView target, const ModelOptions& options);
/// The same, bit for bit, of an X that the caller has no further use of: see fit_linear. X is gone, whatever the outcome.
[[nodiscard]] SavedModel fit_model(OwnedMatrix&& X, VectorView target, const ModelOptions& options);
/// Whether there is something to predict from.
[[nodiscard]] bool has_posterior(const SavedModel& model);
[[nodiscard]] const Report& report_of(const SavedModel& model);
[[nodiscard]] Report& report_of(SavedModel& model);
[[nodiscard]] Task task_of(const SavedModel& model);
/// Ascending; of a regression none.
[[nodiscard]] const std::vector<std::string>& classes_of(const SavedModel& model);
[[nodiscard]] Index num_inputs(const SavedModel& model);
[[nodiscard]] std::string summary(const SavedModel& model, double level = 0.95);
/// One JSON object with every result by its name, numbers with 17 digits, infinities and NaN as null.
[[nodiscard]] std::string to_json(const SavedModel& model, double level = 0.95, bool covariance = false);

/// One distribution a row. Regression: StudentPrediction, or NoiseMixturePrediction where the rule is "mixture". Two classes of a linear
/// score: ClassPrediction; other classifiers: ClassProbabilities.
using Prediction = std::variant<StudentPrediction, NoiseMixturePrediction, ClassPrediction, ClassProbabilities>;
/// Of ModelOptions only `rule`, `interval` and `level` are read; rule: "automatic", "mixture" (regressions with a factorised posterior),
/// "exact", "plug-in", "mackay", "published", "published-batch", "published-incremental". \throws InvalidArgument  a rule that the model
/// has not; X_new not finite or of another number of columns
[[nodiscard]] Prediction predict(const SavedModel& model, MatrixView X_new, const ModelOptions& options = {});
/// The same check of the options without the prediction.
void check_rule(const SavedModel& model, const ModelOptions& options);
/// ln of the density of y, or of the probability of the class at position y, nats. \param y  [rows of the prediction]
[[nodiscard]] Vector log_density(const Prediction& prediction, VectorView y);

/// Selection counts of the model or preset of classes that the options name, with their folds, repeats and seed.
[[nodiscard]] SelectionCounts select_columns(MatrixView X, VectorView labels, const ModelOptions& options);
/// \param options  those of select_columns: which model it was
[[nodiscard]] std::string to_json(const SelectionCounts& counts, const ModelOptions& options);

/// Modes under a Laplace prior, of the columns and rows as the options say: lambda after lambda.
[[nodiscard]] LogisticPath fit_path(MatrixView X, VectorView labels, const PathGrid& grid, const ModelOptions& options);
/// What a filter knows. Of ModelOptions only column_names, class_names (two) and target are read.
[[nodiscard]] SavedModel sequential_model(const SequentialLogistic& filter, const ModelOptions& options);

/// A posterior in numbers, wherever it comes from: of a regression q(w|tau) = N(mean, V/tau), q(tau) = Gamma(noise); of a classification
/// q(w) = N(mean, V).
struct Moments {
  VectorView mean;                   ///< [p] finite
  MatrixView V;                      ///< [p,p] finite, symmetric to 1e-6 of its largest element, positive semidefinite likewise
  MatrixView V_inverse{};            ///< [p,p] for the published predictions (PRED.1), which see w'V^-1 w; empty: from V
  GammaDistribution noise = {0, 0};  ///< of a regression > 0; of a classification both 0
};
/// A model to predict from, to print and to save. It describes no rows; relevance and effective parameters, which are not known, are 0.
/// Of ModelOptions only column_names, class_names (two; else "-1" and "1") and target are read.   O(p^3)
/// \throws InvalidArgument
[[nodiscard]] SavedModel model_from_moments(const Moments& moments, const ModelOptions& options = {});

}  // namespace ardvark
