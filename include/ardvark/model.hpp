// Any model by its name: the names are the same on the command line, in the C interface and in the bindings of other languages.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "ardvark/counts.hpp"
#include "ardvark/kernel_machine.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/model_file.hpp"
#include "ardvark/relevance.hpp"
#include "ardvark/row_pass.hpp"
#include "ardvark/select.hpp"
#include "ardvark/sequential.hpp"
#include "ardvark/softmax.hpp"
#include "ardvark/statistics.hpp"
#include "ardvark/target_statistics.hpp"
#include "ardvark/targets.hpp"

namespace ardvark {

class GenotypeView;

/// How messages name an option: max_sweeps, or --max-sweeps.
enum class Spelling { words, command_line };

/// What to fit and how. Each member is an option of that name. fit.hpp, relevance.hpp, softmax.hpp and select.hpp explain its meaning and
/// range; they also give the default of an option that is not set here.
///
///     ardvark::ModelOptions options{.model = "logistic", .prior = "ard"};
///     options.set("max_sweeps", 100.0);
///     ardvark::SavedModel model = ardvark::fit_model(X, labels, options);
struct ModelOptions {
  std::string model = {};             ///< "linear", "logistic" (two classes or more), "counts", "kernel" or "rvm"; empty with a preset
  std::string preset = {};            ///< a published program, one of presets(); empty with a model
  bool compat = false;                ///< preset: reproduce the program exactly, its defects included
  std::string task = {};              ///< kernel, rvm: "regression" or "classification"
  std::string prior = "auto";         ///< "auto", "sparse", "slab", "dense", "shared", "ard", "groups", "none" or "laplace"
  std::optional<double> lambda = {};  ///< Laplace prior
  std::string lambda_rule = "min";    ///< Laplace prior without lambda: "min" or "1se"; `folds` and `seed` belong to it
  std::optional<double> toolbox_gamma1 = {};  ///< presets l1_slr_lap, l1_slr_c: gamma1 of the toolbox, > 0, instead of lambda  (SLR.7)
  std::optional<double> toolbox_gamma0 = {};  ///< preset smlr: precisions have the prior Gamma(gamma0, gamma0), >= 0  (SLR.8)
  std::vector<Index> group = {};              ///< [columns] group number of each column, from 0
  std::vector<Index> flat = {};               ///< positions of columns without a prior
  std::string likelihood = "vg";              ///< two classes: "vg", "jj" or "laplace"
  std::string intervals = "skewed";           ///< two classes and counts: "skewed" or "gaussian"
  std::string posterior = "joint";            ///< linear: "joint" or "factorised"
  std::string family = "auto";                ///< counts: "auto", "poisson" or "negative-binomial"
  std::string noise = "normal";               ///< linear: "normal", "student" or "auto"
  std::string coding = "automatic";           ///< three classes or more: "automatic", "softmax", "one-against-rest" or "one-against-one"
  bool precision_per_class = false;
  std::optional<double> a0 = {}, b0 = {};  ///< hyper-prior of the noise (regressions) or of the precisions (classifications)
  std::optional<double> c0 = {}, d0 = {};  ///< hyper-prior of the precisions (regressions)
  bool intercept = true, standardize = true, acceleration = true, mixed_precision = true;
  bool converge = false;             ///< presets vb_* and vrvm_*: FitOptions::accelerate
  std::string solver = "automatic";  ///< "automatic", "primal", "dual", "spectral", "qr" or "iterative"
  std::optional<int> max_sweeps = {};
  std::optional<double> tolerance = {};
  std::string update_rule = "vb";  ///< "vb" or "mackay"
  std::optional<double> prune_at = {};
  int readmit_every = 0;
  int threads = 0;
  int record_every = 0;                       ///< sweeps between two columns of `precision_history`
  std::string keep_covariance = "automatic";  ///< "automatic", "always" or "never"
  bool diagnose = false;                      ///< classes, counts, Student-t noise: compute SavedModel::diagnosis
  std::optional<double> fdr = {};             ///< priors sparse and slab: compute SavedModel::effects; the rate of `selected`, in (0, 1)
  std::string guarantee = "posterior";        ///< with fdr: "posterior" or "knockoffs"
  std::vector<double> weights = {};           ///< [rows]
  std::string exposure = {};                  ///< counts: the name of a column
  std::string offset_column = {};             ///< the same
  std::vector<double> row_offset = {};        ///< [rows] counts; also of a prediction
  std::vector<double> start_precision = {};
  std::optional<double> start_noise = {};
  std::vector<std::string> column_names = {}, class_names = {};
  std::string target = {};                  ///< name of the target
  std::vector<std::string> reference = {};  ///< "COLUMN=LEVEL", for make_encoding; fit_model does not read it
  std::string missing = "refuse";           ///< "refuse", "drop" or "impute": what to do with rows in which a value is missing (NaN)
  int imputations = 20;                     ///< completed tables of "impute", >= 5
  /// How X was made from a table. If it has features, it gives column_names and input_group, and a text column is a group. The model keeps
  /// it, so that it can predict from tables.
  FeatureEncoding encoding = {};

  std::string kernel = "auto";           ///< "auto", "gaussian", "laplacian", "cauchy", "matern32" or "matern52"; rvm: also "linear",
                                         ///< "polynomial" or "spline", and auto is gaussian
  std::string width = "auto";            ///< "auto", "shared", "each", a number, or a number per input; rvm: auto is shared
  std::string vectors = "auto";          ///< kernel: "auto", "all" or a number
  double divergence = 0.01;              ///< kernel: KernelOptions::divergence
  bool averaging = true;                 ///< kernel: KernelOptions::average
  bool linear_part = false;              ///< kernel: KernelOptions::linear_part
  std::optional<double> toolbox_R = {};  ///< preset slr_rvm, kernel "gaussian": R of the toolbox, > 0, instead of width       (SLR.7)
  int degree = 2;
  double offset = 1;
  std::string algorithm = "variational";  ///< "variational", "plain" or "type-two"
  std::string centres = "auto";           ///< "auto", "all" or a number
  std::string bands = "published";        ///< rvm: "published" or "open"
  std::vector<Index> input_group = {};    ///< [inputs] inputs with the same number share a width

  std::optional<double> precision = {};                      ///< sequential
  std::optional<int> block_rows = {};                        ///< sequential
  std::string row_order = "as-given";                        ///< sequential, preset vb_logit_fit_iter: "as-given" or "by-content"
  int folds = 10, repeats = 10;                              ///< selection
  double seed = 1;                                           ///< selection, and missing = impute; a whole number
  std::string rule = "automatic";                            ///< prediction: see predict() below
  double level = 0.95;                                       ///< level of intervals, in (0, 1)
  bool verbose = false, odds = false, standardized = false;  ///< SummaryOptions
  std::string interval = "new";  ///< prediction of a regression: interval of a "new" observation, or of the "mean"

  SweepCallback on_sweep = {};
  SelectionCallback on_fit = {};

  std::set<std::string> given = {};  ///< options that were set by name: one that does not apply with the other options is an error
  Spelling spelling = Spelling::words;

  using Value = OptionValue;
  /// A number may be given as a text, a text as a number, and a single value as a list of one. Flags are 0 or 1; lists of positions are
  /// whole numbers. If an option cannot be an empty list or text, this value sets the option back to its default.
  /// \throws InvalidArgument  there is no option of this name, or the value has the wrong kind
  void set(const std::string& name, const Value& value);
  [[nodiscard]] bool has(const std::string& name) const { return given.contains(name); }
  /// The option as its user writes it: max_sweeps or --max-sweeps; kernel 'linear' or --kernel linear.
  [[nodiscard]] std::string spelled(const std::string& name) const;
  [[nodiscard]] std::string spelled(const std::string& name, const std::string& value) const;
  /// The help text of an option, with other options spelled as the user writes them.
  [[nodiscard]] std::string help(const struct ModelOption& option) const;
};

/// The subject of an option, in the order in which help lists them.
enum class OptionGroup { what, prior, posterior, table, sweeps, machine, others };
[[nodiscard]] const char* title_of(OptionGroup group);

/// What a fit is of: its model, its prior, the published program, the number of classes, and the form of its rows; one bit each.
using FitCases = std::uint32_t;
namespace fit_case {
enum : FitCases {
  linear = 1U << 0,  ///< models
  logistic = 1U << 1,
  counts = 1U << 2,
  kernel = 1U << 3,
  rvm = 1U << 4,
  automatic = 1U << 5,  ///< priors of models with coefficients
  shared = 1U << 6,
  ard = 1U << 7,
  groups = 1U << 8,
  none = 1U << 9,
  sparse = 1U << 10,
  slab = 1U << 11,
  dense = 1U << 12,
  laplace = 1U << 13,
  vb = 1U << 14,          ///< presets vb_* and vrvm_*
  sequential = 1U << 15,  ///< preset vb_logit_fit_iter
  greedy = 1U << 16,      ///< presets rvm_*
  toolbox = 1U << 17,     ///< presets of the SLR toolbox, but for the next four
  smlr = 1U << 18,
  l1_slr_lap = 1U << 19,
  l1_slr_c = 1U << 20,
  slr_rvm = 1U << 21,
  compat = 1U << 22,
  two_classes = 1U << 23,
  several_classes = 1U << 24,
  statistics = 1U << 25,  ///< forms of the rows: sums over them
  passes = 1U << 26,      ///< read in several passes
  many_rows = 1U << 27,   ///< the same, more than the sample of the first pass holds
  sparse_x = 1U << 28,
  selection = 1U << 29,  ///< many fits, for select_columns
};
}  // namespace fit_case

/// Cases in which an option cannot be used, and why: the words after its name.
struct OptionRefusal {
  FitCases cases;
  const char* why;  ///< {} is the preset
};
/// One of the words that an option may be.
struct OptionWord {
  const char* word;
  FitCases not_in = 0;  ///< where it cannot be used
  FitCases says = 0;    ///< what it says of the fit
};
/// Of a range without an end, the numbers are finite; with both ends, whole unless it is open.
struct OptionRange {
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::max();
  bool is_open = false;  ///< without least and most themselves
};
/// The commands of the program that have an option, as bits.
namespace in_command {
enum : unsigned { fit = 1, select = 2, compare = 4, show = 8 };
}
/// Where an option applies, and which values it takes.
struct OptionFacts {
  FitCases not_in = 0;                          ///< where it cannot be used
  std::span<const OptionRefusal> because = {};  ///< the same, with a reason of its own
  std::span<const OptionWord> words = {};
  OptionRange range = {};
  unsigned commands = 0;
  bool is_kept = true;  ///< a model keeps it, because it says how the fit was made
};

/// The options by name: their member, their values and their help. Every interface reads this table.
using ModelMember =
    std::variant<std::string ModelOptions::*, double ModelOptions::*, int ModelOptions::*, bool ModelOptions::*,
                 std::optional<double> ModelOptions::*, std::optional<int> ModelOptions::*, std::vector<Index> ModelOptions::*,
                 std::vector<double> ModelOptions::*, std::vector<std::string> ModelOptions::*>;
struct ModelOption {
  const char* name;
  ModelMember member;
  OptionGroup group;
  const char* values;  ///< the allowed values, and the default
  const char* help;    ///< sentences; [name] and [name=value] are replaced by options in the spelling of the reader's interface
  OptionFacts facts = {};
  [[nodiscard]] FitCases refused() const;  ///< all cases in which it cannot be used
  [[nodiscard]] const char* kind() const;  ///< of a value: flag, whole number, number, word, text, or positions, numbers, texts in a list
};
[[nodiscard]] std::span<const ModelOption> model_options();
/// \throws InvalidArgument  there is no such option
[[nodiscard]] const ModelOption& model_option(const std::string& name);

enum class ModelKind { linear, logistic, counts, relevance, kernel };
/// Checks the options as far as this is possible without data, and returns the kind of model. \throws InvalidArgument
[[nodiscard]] ModelKind check_options(const ModelOptions& options);

/// Task of a kernel machine, from option `task` or the preset. \throws InvalidArgument
[[nodiscard]] Task relevance_task(const ModelOptions& options);
/// The same if option `task` may be empty: then a target with class names or with two different values has classes. \throws InvalidArgument
[[nodiscard]] Task relevance_task(const ModelOptions& options, VectorView target);
/// The same checks for select_columns. \throws InvalidArgument
void check_selection(const ModelOptions& options);
/// Whether fit_model fits several classes to these labels: there are more than two, or the preset is for several classes.
[[nodiscard]] bool has_several_classes(const ModelOptions& options, VectorView labels);

/// The encoding for the model that the options name, with their `reference` and `weights`; kernels get a dummy for every level.
/// \param exclude  columns that are not features, such as the target
/// \throws InvalidArgument  the table does not have an excluded column; no feature has columns; `reference` is wrong or does not apply
[[nodiscard]] FeatureEncoding make_encoding(const Table& table, const std::vector<std::string>& exclude, const ModelOptions& options);
/// The same from the facts of the columns. Weights are those of the facts, and rows with gaps are not among them.
[[nodiscard]] FeatureEncoding make_encoding(const std::vector<ColumnFacts>& columns, const std::vector<std::string>& exclude,
                                            const ModelOptions& options);

/// Fits the model that the options name.
/// \param X       [n,p] as in fit_linear, fit_logistic, fit_softmax, fit_relevance_regression and fit_relevance_classification; unless
///                `missing` is refuse, NaN is a missing value
/// \param target  [n] numbers, or labels; with class_names, positions in that list. NaN as in X: such rows are dropped
/// \throws InvalidArgument  an option is out of range or does not apply with the other options; what these functions throw
[[nodiscard]] SavedModel fit_model(MatrixView X, VectorView target, const ModelOptions& options);
/// The same fit, to the last bit, if you no longer need X: see fit_linear. X is gone, even if the fit fails.
[[nodiscard]] SavedModel fit_model(OwnedMatrix&& X, VectorView target, const ModelOptions& options);
/// A linear, a logistic or a count model of a sparse X, which is never written out. \throws InvalidArgument
[[nodiscard]] SavedModel fit_model(CscView X, VectorView target, const ModelOptions& options);
/// A linear model, or one of two classes, of genotypes in 2 bits each, which are never written out. \throws InvalidArgument
[[nodiscard]] SavedModel fit_model(GenotypeView X, VectorView target, const ModelOptions& options);
/// The same for a linear model, from statistics of the rows. If the statistics have an encoding, it gives names and groups.
/// \throws InvalidArgument  the model is not linear; an option needs the rows; what fit_linear throws
[[nodiscard]] SavedModel fit_model(const LinearStatistics& statistics, const ModelOptions& options);
/// The same from the statistics of several folds, which may choose the lambda of a Laplace prior.
[[nodiscard]] SavedModel fit_model(const std::vector<LinearStatistics>& folds, const ModelOptions& options);
/// The fit of rows that are not in memory: a classification, or a kernel machine. Options: those of model logistic, or of model kernel with
/// its task, with the names of the columns or their encoding; with class_names, labels are 0, 1, .. \throws InvalidArgument  as
/// fit_logistic(ask), fit_softmax(ask) and fit_kernel_regression(ask); an option that needs rows in memory
[[nodiscard]] SavedModel fit_model(const AskRows& ask, const ModelOptions& options);
/// A regression of each column of Y, with the options of model linear without a preset. With missing = drop, rows with a gap in X are left
/// out, and a gap in a target leaves its row out of the fit of this target.
/// \param target_names  [K] or empty
/// \param results       where and which; its `fit` and `drop_missing` are not read
/// \throws InvalidArgument  an option is not for many targets; as fit_targets
[[nodiscard]] SavedTargets fit_targets(MatrixView X, MatrixView Y, const ModelOptions& options, std::vector<std::string> target_names,
                                       TargetsOptions results = {});
/// The same from statistics of the rows, with their names. \throws InvalidArgument  an option needs the rows
[[nodiscard]] SavedTargets fit_targets(const TargetStatistics& statistics, const ModelOptions& options, TargetsOptions results = {});
/// A table of the targets, the best explained first, and which of them are explained at this rate of false discoveries.
/// \throws InvalidArgument  the rate is not between 0 and 1
[[nodiscard]] std::string summary(const SavedTargets& targets, double fdr);
/// One JSON object as to_json(model): what the fits have for each target, and what explained_targets() says; coefficients, if there are at
/// most a million.
[[nodiscard]] std::string to_json(const SavedTargets& targets, double fdr);
/// Whether the model has a posterior, so that it can predict.
[[nodiscard]] bool has_posterior(const SavedModel& model);
[[nodiscard]] const Report& report_of(const SavedModel& model);
[[nodiscard]] Report& report_of(SavedModel& model);
[[nodiscard]] Task task_of(const SavedModel& model);
/// Names of the classes, ascending; empty for a regression.
[[nodiscard]] const std::vector<std::string>& classes_of(const SavedModel& model);
[[nodiscard]] Index num_inputs(const SavedModel& model);
[[nodiscard]] std::string summary(const SavedModel& model, const SummaryOptions& options = {});
/// Of ModelOptions only `level`, `verbose`, `odds`, `standardized` and `column_names` are read. \throws InvalidArgument  one of them is
/// wrong or does not apply
[[nodiscard]] std::string summary(const SavedModel& model, const ModelOptions& options);
/// One JSON object with every result by its name, numbers with 17 digits, infinities and NaN as null.
/// \param all_columns  false: of more than 5000 columns, those that the fit keeps, those of credible sets, and the 1000 largest effects;
///                     "shown_columns" has their positions, and the groups are those of these columns
[[nodiscard]] std::string to_json(const SavedModel& model, double level = 0.95, bool covariance = false, bool all_columns = true);
/// The same model, whose `selected` is at this false discovery rate.
/// \throws InvalidArgument  it was fitted without `fdr`; or the rate is not between 0 and 1
[[nodiscard]] SavedModel at_fdr(SavedModel model, double fdr, Spelling spelling = Spelling::words);

/// One distribution per row. Regression: StudentPrediction, NoiseMixturePrediction under rule "mixture", or TMixturePrediction of a kernel
/// machine. Logistic regression of two
/// classes: ClassPrediction. Counts: CountPrediction. Other classifiers: ClassProbabilities.
using Prediction =
    std::variant<StudentPrediction, NoiseMixturePrediction, ClassPrediction, ClassProbabilities, TMixturePrediction, CountPrediction>;
/// Of ModelOptions only `rule`, `interval`, `level` and `row_offset` are read.
/// \param options  rule: "automatic", "mixture" (regressions with a factorised posterior), "exact", "plug-in", "mackay", "published",
///                 "published-batch", "published-incremental", "average" (pairs of classes)
/// \throws InvalidArgument  the model does not have this rule; X_new is not finite or has another number of columns
[[nodiscard]] Prediction predict(const SavedModel& model, MatrixView X_new, const ModelOptions& options = {});
/// The same for sparse rows, if the model is linear, or logistic with two classes.
[[nodiscard]] Prediction predict(const SavedModel& model, CscView X_new, const ModelOptions& options = {});
[[nodiscard]] Prediction predict(const SavedModel& model, GenotypeView X_new, const ModelOptions& options = {});
/// predict() takes so many rows at once. Predictions of pieces of this size, the last one of any size, have the bits of those of the whole
/// table. \param num_columns  of X_new
[[nodiscard]] Index rows_of_a_piece(Index num_columns);
/// Whether the prediction of a row depends on this row only. False: the rule published-batch, whose iteration looks at all rows.
/// \throws InvalidArgument  as check_rule
[[nodiscard]] bool predicts_each_row_alone(const SavedModel& model, const ModelOptions& options);
/// Kernel machines (model kernel): what predict_joint() and draw() say for each process, one but for several classes. Of ModelOptions only
/// `interval` and, by draws, `seed` are read. \throws InvalidArgument  the model is another one; as predict
[[nodiscard]] std::vector<JointPrediction> predict_joint(const SavedModel& model, MatrixView X_new, const ModelOptions& options = {});
[[nodiscard]] std::vector<Matrix> draw(const SavedModel& model, MatrixView X_new, Index num_draws, const ModelOptions& options = {});
/// Checks the options in the same way, without a prediction. \throws InvalidArgument
void check_rule(const SavedModel& model, const ModelOptions& options);
/// What to know before the prediction is trusted, as sentences: how many rows lie beyond the data of a kernel machine (rows_beyond_data).
/// \param rows  the names of the rows in sentences; empty: 1, 2, ...  \throws InvalidArgument as predict
[[nodiscard]] std::vector<std::string> warnings_of_prediction(const SavedModel& model, MatrixView X_new, std::span<const Index> rows = {});
/// The same of a table in pieces.
class PredictionWarnings {
 public:
  /// \param model  must exist as long as this
  explicit PredictionWarnings(const SavedModel& model) : model_(&model) {}
  /// \param rows  the names of the rows; empty: they count on. \throws InvalidArgument as predict
  void add(MatrixView X_new, std::span<const Index> rows = {});
  [[nodiscard]] std::vector<std::string> texts() const;

 private:
  const SavedModel* model_;
  Index num_rows_ = 0, num_beyond_ = 0;
  std::string first_;  // the row that lies beyond the data first, and how far
};
/// [rows] log density of y, or log probability of the class at position y, nats. \param y  [rows of the prediction]
[[nodiscard]] Vector log_density(const Prediction& prediction, VectorView y);

/// How well a prediction fits what was observed.
struct PredictionScore {
  Index num_rows = 0;                               ///< rows with an observation; 0: the rest says nothing
  double log_density = 0;                           ///< mean, nats: of the observation, or of its class (minus the log loss)
  std::optional<double> r_squared, rmse, coverage;  ///< regressions; r_squared is NaN if all observations are equal; coverage in [0, 1]
  std::optional<double> accuracy;                   ///< classifications: share of rows with the right class
};
/// \param y      [rows of the prediction] observations, or positions of classes; NaN: none
/// \param level  of the intervals that coverage counts. \throws InvalidArgument as log_density
[[nodiscard]] PredictionScore score(const Prediction& prediction, VectorView y, double level = 0.95);
/// The same of predictions in pieces.
class PredictionScorer {
 public:
  explicit PredictionScorer(double level = 0.95) : level_(level) {}
  void add(const Prediction& prediction, VectorView y);
  [[nodiscard]] PredictionScore score() const;

 private:
  double level_;
  Index num_rows_ = 0;
  bool is_regression_ = false;
  double density_ = 0, right_ = 0;                                  // sums over the rows
  double mean_ = 0, spread_ = 0, squared_error_ = 0, covered_ = 0;  // of y: its mean, and the squares about it
};

/// Selection counts of the model or preset for classes that the options name, with the options folds, repeats and seed.
[[nodiscard]] SelectionCounts select_columns(MatrixView X, VectorView labels, const ModelOptions& options);
/// \param options  the options of select_columns, which name the model
[[nodiscard]] std::string to_json(const SelectionCounts& counts, const ModelOptions& options);

/// Modes under a Laplace prior, one for each lambda, with the options for rows and columns. model: "linear", or else "logistic".
[[nodiscard]] LambdaPath fit_path(MatrixView X, VectorView labels, const PathGrid& grid, const ModelOptions& options);
[[nodiscard]] LambdaPath fit_path(CscView X, VectorView labels, const PathGrid& grid, const ModelOptions& options);
/// The posterior of a filter as a model. Of ModelOptions only column_names, class_names (two) and target are read.
[[nodiscard]] SavedModel sequential_model(const SequentialLogistic& filter, const ModelOptions& options);
/// A filter that goes on from such a model, or from one of the preset vb_logit_fit_iter, also after a model file; its rows have the columns
/// of the model. Of ModelOptions only block_rows, threads and precision (that of the model, by default) are read.
/// \throws InvalidArgument  another kind of model, which used its rows together
[[nodiscard]] SequentialLogistic sequential_from_model(const SavedModel& model, const ModelOptions& options = {});

/// The moments of a posterior from any source. Regression: q(w|tau) = N(mean, V/tau), q(tau) = Gamma(noise). Classification:
/// q(w) = N(mean, V).
struct Moments {
  VectorView mean;                   ///< [p] finite
  MatrixView V;                      ///< [p,p] finite, symmetric to 1e-6 of its largest element, positive semidefinite likewise
  MatrixView V_inverse{};            ///< [p,p] for the published predictions (PRED.1), which use w'V^-1 w; empty: computed from V
  GammaDistribution noise = {0, 0};  ///< regression: > 0; classification: both 0
};
/// A model that can predict, be printed and be saved. It has no training rows. Relevance and effective parameters are not known and are 0.
/// Of ModelOptions only column_names, class_names (two; default "-1" and "1") and target are read.   O(p^3)
/// \throws InvalidArgument
[[nodiscard]] SavedModel model_from_moments(const Moments& moments, const ModelOptions& options = {});

}  // namespace ardvark
