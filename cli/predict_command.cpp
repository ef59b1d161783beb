// ardvark predict
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <optional>
#include <variant>

#include "ardvark/model.hpp"
#include "ardvark/table_stream.hpp"
#include "commands.hpp"
#include "core/pulse.hpp"
#include "genotype_files.hpp"
#include "io/csv_numbers.hpp"
#include "io/text.hpp"
#include "matrix_files.hpp"
#include "model/missing.hpp"
#include "predictions.hpp"
#include "progress_line.hpp"
#include "target/target.hpp"
#include "targets.hpp"

namespace ardvark::cli {
namespace {

struct PredictArguments {
  std::string model, output, missing, rule = "automatic", interval = "new", index_base = "auto";
  GenotypeArguments genotypes;
  std::vector<std::string> files, missing_markers, keep;
  std::optional<int> digits;
  double level = 0.95;
  bool level_given = false;
  TableFormat format;
  bool json = false, quiet = false, with_sd = false;

  [[nodiscard]] bool is_parquet() const { return has_ending(".parquet"); }
  [[nodiscard]] bool has_ending(std::string_view ending) const { return internal::io::lower_case(output).ends_with(ending); }
};

const std::string& target_of(const SavedModel& model) {
  return std::visit([](const auto& fit) -> const std::string& { return fit.target; }, model.fit);
}

bool is_model(const std::string& path) {
  try {
    (void)load_model(path);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

SavedModel model_of(const PredictArguments& args) {
  try {
    return load_model(args.model);
  } catch (const InvalidArgument&) {
    if (!is_model(args.files.front())) throw;
    throw InvalidArgument(fmt::format("'{0}' is no model file, but '{1}' is one; the model comes first: ardvark predict {1} {0}",
                                      args.model, args.files.front()));
  }
}

// What predict can do about a gap in a row.
std::string remedy_of_gap(const SavedModel& model) {
  const char* const drop = "--missing drop leaves such rows out";
  if (model.imputation) return fmt::format("{}, --missing impute predicts them", drop);
  return internal::can_impute(model)
             ? fmt::format("{}; if you fit the model again with --missing impute, it predicts rows with gaps, too", drop)
             : drop;
}

void check_arguments(const PredictArguments& args) {
  if (args.digits && (*args.digits < 1 || *args.digits > 17)) throw wrong("--digits", *args.digits, "it must lie between 1 and 17");
  if (!(args.level > 0 && args.level < 1)) throw wrong("--level", args.level, "it must lie between 0 and 1");
  if (args.is_parquet() && (args.json || args.digits))
    throw InvalidArgument(
        fmt::format("{} cannot be used with --output '{}'{}; leave it out, or give a path that does not end with .parquet",
                    args.json ? "--json" : "--digits", args.output, args.json ? "" : ": a Parquet file holds all digits of the numbers"));
  for (const char* ending : {".arrow", ".feather"})
    if (args.has_ending(ending))
      throw refused(
          "--output",
          fmt::format(
              "is '{}', but predict writes no Arrow files; give a path that ends with .parquet or .csv, or use predict_to of Python",
              args.output));
  std::vector<std::string> inputs = args.files;
  inputs.push_back(args.model);
  for (const std::string& input : inputs) {
    std::error_code none;
    if (!args.output.empty() && std::filesystem::equivalent(args.output, input, none))
      throw refused("--output", fmt::format("is '{}', which is read; give another path", args.output));
  }
}

ModelOptions options_of(const PredictArguments& args, const SavedModel& model) {
  ModelOptions options;
  options.spelling = Spelling::command_line;
  options.rule = args.rule;
  options.interval = args.interval;
  check_rule(model, options);
  if (internal::has_classes(task_of(model)) && args.level_given)
    throw refused("--level", "applies only to intervals; a classifier predicts probabilities, without intervals; leave it out");
  return options;
}

/// The prediction of a table, some rows at a time.
class Predictor {
 public:
  Predictor(const PredictArguments& args, const SavedModel& model)
      : args_(args),
        model_(model),
        keep_(split_names(args.keep)),
        stream_(args.files, csv_options()),
        warnings_(model),
        scorer_(args.level) {
    options_ = options_of(args, model);
    most_rows_ =
        predicts_each_row_alone(model, options_) ? rows_of_a_piece(model.encoding.num_columns()) : std::numeric_limits<Index>::max();
    stream_.expect("predicting", 1);
  }

  int run(std::optional<ProgressLine>& progress) {
    const bool numbers_rows = missing() == Missing::drop_rows;
    const OutputFormat format = args_.json ? OutputFormat::json : args_.is_parquet() ? OutputFormat::columns : OutputFormat::csv;
    PredictionOutput predictions(model_, args_.level, args_.digits, format, numbers_rows);
    std::optional<LongOutput> output;
    args_.is_parquet() ? write_parquet(predictions, output, progress) : write_text(predictions, output, progress);
    output->finish();
    progress.reset();
    say_more();
    return ok;
  }

 private:
  void write_text(PredictionOutput& predictions, std::optional<LongOutput>& output, std::optional<ProgressLine>& progress) {
    for (Table piece; stream_.next(piece, most_rows_);) {
      predict_piece(std::move(piece), predictions);
      if (args_.json) continue;
      if (!output) begin(output, progress);
      output->write(predictions.take_csv());
    }
    if (args_.json) {
      complete(predictions.json());
      begin(output, progress);
      output->write(predictions.json().dump() + "\n");
    }
  }

  [[nodiscard]] Missing missing() const {
    return args_.missing.empty() ? (model_.imputation ? Missing::keep : Missing::refuse) : missing_of(args_.missing);
  }

  [[nodiscard]] CsvOptions csv_options() {
    CsvOptions csv;
    set_format(args_.format, csv);
    csv.missing = missing();
    if (csv.missing == Missing::keep && !model_.imputation)
      throw refused("--missing",
                    fmt::format("impute needs a model that was fitted with --missing impute; this one was not; {}", remedy_of_gap(model_)));
    csv.remedy = [&](const std::string&) { return remedy_of_gap(model_); };
    csv.missing_markers = args_.missing_markers;
    for (const FeatureColumn& f : model_.encoding.features) {
      csv.only.push_back(f.name);
      if (f.categorical) csv.categorical.push_back(f.name);
    }
    const auto is_feature = [&](const std::string& name) { return std::ranges::find(csv.only, name) != csv.only.end(); };
    csv.verbatim = keep_;
    const std::string& target = target_of(model_);
    if (!target.empty() && !is_feature(target)) {
      scored_ = target;
      if (std::ranges::find(keep_, target) == keep_.end()) csv.optional.push_back(target);
      csv.verbatim.push_back(target);
    }
    return csv;
  }

  // Nothing is written before the first rows are predicted. A line of progress would be in the way on the same terminal.
  void begin(std::optional<LongOutput>& output, std::optional<ProgressLine>& progress) const {
    if (args_.output.empty() && ::isatty(1) == 1) progress.reset();
    output.emplace(args_.output);
  }

  void write_parquet(PredictionOutput& predictions, std::optional<LongOutput>& output, std::optional<ProgressLine>& progress) {
    internal::io::ParquetWriter writer(args_.output);
    const auto next = [&] {
      Table piece;
      if (stream_.next(piece, most_rows_)) predict_piece(std::move(piece), predictions);
      return predictions.take_columns();
    };
    PredictionOutput::Columns first = next();
    begin(output, progress);
    if (output->partial_path().empty())
      throw EnvironmentError(fmt::format("cannot write '{}': Parquet needs a file, and this is a device or a pipe", args_.output));
    writer.write(output->partial_path(), std::move(first), next);
  }

  void predict_piece(Table&& piece, PredictionOutput& predictions) {
    const internal::OneStage one;
    const Table names = piece.row_names();
    RowsOfPrediction rows;
    for (Index i = 0; i < piece.num_rows; ++i) rows.numbers.push_back(piece.row_number(i));
    for (const std::string& name : keep_)
      rows.kept.push_back(name == scored_ && classes_of(model_).empty() && (args_.json || args_.is_parquet()) ? kept_numbers(piece, name)
                                                                                                              : kept_column(piece, name));
    std::optional<KeptColumn> known;
    if (!scored_.empty() && piece.find(scored_) >= 0)
      known = classes_of(model_).empty() ? kept_numbers(piece, scored_) : kept_column(piece, scored_);
    FeatureEncoding encoding = model_.encoding;
    encoding.keeps_gaps = model_.imputation.has_value();
    const EncodedTable encoded = encode(std::move(piece), encoding);
    const auto started = std::chrono::steady_clock::now();
    Prediction prediction;
    in_rows_of_file(names, [&] { prediction = predict(model_, encoded.X(), options_); });
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    warnings_.add(encoded.X(), rows.numbers);
    is_scored_ = known.has_value();
    if (known) scorer_.add(prediction, observed(*known, classes_of(model_)));
    predictions.add(prediction, rows);
  }

  // The target of a regression: numbers, with a decimal point.
  [[nodiscard]] KeptColumn kept_numbers(const Table& piece, const std::string& name) const {
    KeptColumn kept = kept_column(piece, name);
    kept.is_number = true;
    for (std::string& text : kept.texts)
      if (double value = 0; stream_.decimal() == ',' && internal::io::read_number(text, ',', value)) std::ranges::replace(text, ',', '.');
    return kept;
  }

  // In the order in which they were always there.
  void complete(Json& json) const {
    Json more = {{"seconds", seconds_}};
    if (const auto warnings = warnings_.texts(); !warnings.empty()) more["warnings"] = warnings;
    if (!stream_.notes().empty()) more["notes"] = stream_.notes();
    for (const char* name : {"rows", "keep"})
      if (json.contains(name)) more[name] = std::move(json[name]), json.erase(name);
    if (is_scored_) more["score"] = json_of(scorer_.score(), has_interval());
    json.update(more);
  }

  [[nodiscard]] bool has_interval() const { return args_.interval == "new"; }

  void say_more() const {
    if (args_.json || args_.quiet) return;
    for (const std::string& note : stream_.notes()) fmt::print(stderr, "note: {}\n", note);
    for (const std::string& warning : warnings_.texts()) fmt::print(stderr, "WARNING: {}\n", warning);
    if (is_scored_) fmt::print(stderr, "{}\n", sentence_of(scorer_.score(), scored_, stream_.num_rows(), args_.level, has_interval()));
    if (const Index dropped = stream_.num_dropped(); dropped > 0)
      fmt::print(stderr, "{} {} dropped because a value was missing\n", dropped, dropped == 1 ? "row was" : "rows were");
  }

  const PredictArguments& args_;
  const SavedModel& model_;
  ModelOptions options_;
  std::vector<std::string> keep_;
  std::string scored_;  // the target, if it is no feature
  bool is_scored_ = false;
  TableStream stream_;
  PredictionWarnings warnings_;
  PredictionScorer scorer_;
  Index most_rows_ = 0;
  double seconds_ = 0;
};

void refuse_table_options(const PredictArguments& args) {
  require_one_matrix(args.files);
  const auto refuse_if = [&](bool given, const char* option) {
    if (given) throw refused(option, fmt::format("needs a table; '{}' is a matrix", args.files.front()));
  };
  refuse_if(!args.keep.empty(), "--keep");
  refuse_if(!args.missing.empty(), "--missing");
  if (args.is_parquet()) throw refused("--output", "may not end with .parquet where a matrix is predicted; write CSV or --json");
}

/// What is predicted at once, with what is known of the rows.
struct WholePrediction {
  Index num_rows = 0;
  Prediction prediction;
  double seconds = 0;
  std::vector<std::string> notes;
  std::vector<KeptColumn> kept;
  std::optional<KeptColumn> observed;
};

double seconds_of(auto&& work) {
  const auto started = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
}

WholePrediction prediction_of_matrix(const PredictArguments& args, const SavedModel& model, const ModelOptions& options) {
  const internal::io::MatrixFile file = matrix_for_prediction(args.files.front(), model, args.index_base);
  WholePrediction out{.num_rows = file.rows(), .prediction = {}, .notes = file.notes, .kept = {}, .observed = {}};
  out.seconds = seconds_of([&] { out.prediction = predict_matrix(model, file, options); });
  if (file.target.empty()) return out;
  out.observed = {.name = "target", .texts = {}, .is_number = true};
  for (const double y : file.target) out.observed->texts.push_back(fmt::format("{}", y));
  return out;
}

WholePrediction prediction_of_genotypes(const PredictArguments& args, const SavedModel& model, const ModelOptions& options) {
  NewGenotypes found;
  const double seconds = seconds_of([&] { found = predict_genotypes(model, args.files.front(), args.genotypes, options); });
  return {found.num_rows,         std::move(found.prediction), seconds,
          std::move(found.notes), std::move(found.samples),    std::move(found.observed)};
}

/// The prediction of a file that is read at once.
class WholePredictor {
 public:
  WholePredictor(const PredictArguments& args, const SavedModel& model) : args_(args), model_(model), scorer_(args.level) {
    refuse_table_options(args);
    options_ = options_of(args, model);
  }

  int run(std::optional<ProgressLine>& progress) {
    const bool has_genotypes = are_genotypes(args_.files);
    const WholePrediction found =
        has_genotypes ? prediction_of_genotypes(args_, model_, options_) : prediction_of_matrix(args_, model_, options_);
    PredictionOutput predictions(model_, args_.level, args_.digits, args_.json ? OutputFormat::json : OutputFormat::csv, false);
    RowsOfPrediction rows;
    for (Index i = 1; i <= found.num_rows; ++i) rows.numbers.push_back(i);
    rows.kept = found.kept;
    predictions.add(found.prediction, rows);
    if (found.observed) scorer_.add(found.prediction, observed(*found.observed, classes_of(model_)));
    progress.reset();
    if (args_.json) complete(predictions.json(), found);
    LongOutput output(args_.output);
    output.write(args_.json ? predictions.json().dump() + "\n" : predictions.take_csv());
    output.finish();
    if (!args_.json && !args_.quiet) say_more(found);
    return ok;
  }

 private:
  [[nodiscard]] bool has_interval() const { return args_.interval == "new"; }
  [[nodiscard]] bool is_scored(const WholePrediction& found) const { return found.observed && scorer_.score().num_rows > 0; }

  void complete(Json& json, const WholePrediction& found) const {
    json["seconds"] = found.seconds;
    if (!found.notes.empty()) json["notes"] = found.notes;
    if (is_scored(found)) json["score"] = json_of(scorer_.score(), has_interval());
  }

  void say_more(const WholePrediction& found) const {
    for (const std::string& note : found.notes) fmt::print(stderr, "note: {}\n", note);
    if (is_scored(found))
      fmt::print(stderr, "{}\n", sentence_of(scorer_.score(), found.observed->name, found.num_rows, args_.level, has_interval()));
  }

  const PredictArguments& args_;
  const SavedModel& model_;
  ModelOptions options_;
  PredictionScorer scorer_;
};

int predict_many(const PredictArguments& args) {
  for (const auto& [option, is_given] : {std::pair{"--json", args.json},
                                         {"--keep", !args.keep.empty()},
                                         {"--level", args.level_given},
                                         {"--interval", args.interval != "new"},
                                         {"--rule", args.rule != "automatic"},
                                         {"--missing", !args.missing.empty()}})
    if (is_given) throw refused(option, fmt::format("cannot be used with '{}', which has many targets", args.model));
  if (args.is_parquet()) throw refused("--output", "may not end with .parquet where many targets are predicted; write CSV");
  return predict_targets({args.model, args.output, args.files, args.missing_markers, args.format, args.with_sd, args.digits});
}

int run_predict(PredictArguments args) {
  args.files = matching_paths(args.files);
  check_arguments(args);
  if (holds_targets(args.model)) return predict_many(args);
  if (args.with_sd) throw refused("--sd", "applies only to models of many targets; other predictions of numbers have sd");
  std::optional<ProgressLine> progress(std::in_place, !args.quiet && !args.json, "reading");
  const SavedModel model = model_of(args);
  if (are_matrix_files(args.files) || are_genotypes(args.files)) {
    args.genotypes.format = args.format;
    return WholePredictor(args, model).run(progress);
  }
  for (const auto& [option, is_given] :
       {std::pair{"--covariates", !args.genotypes.covariates.empty()}, {"--absent-variants", args.genotypes.absent_variants != "refuse"}})
    if (is_given) throw refused(option, "applies only to PLINK filesets: .bed");
  if (args.index_base != "auto") throw refused("--index-base", "applies only to files of svmlight: .svm, .svmlight, .libsvm");
  return Predictor(args, model).run(progress);
}

}  // namespace

void add_predict(CLI::App& app, Run& run) {
  CLI::App& c = *app.add_subcommand("predict", "Predict the rows of a table with a model file");
  auto args = std::make_shared<PredictArguments>();
  c.add_option("model", args->model, "Model file written by fit -o")->required();
  c.add_option(
       "data", args->files,
       "CSV or Parquet file with the columns of the model, found by name, in any order; other columns are not read. Several files, "
       "a pattern such as 'part-*.csv' or a folder are one table. They are read in pieces, so that they may be larger than the memory. Or, "
       "for a model of a matrix: Matrix Market (.mtx), svmlight (.svm, .svmlight, .libsvm) or NumPy (.npy, .npz). Or, for a model of "
       "genotypes: a PLINK fileset (.bed), whose variants are found by name and alleles")
      ->required();
  c.add_option(
       "-o,--output", args->output,
       "Write here instead of the screen: Parquet if the path ends with .parquet (by DuckDB; all digits), else CSV. The file is there "
       "complete or not at all")
      ->check(not_empty);
  c.add_option("--level", args->level, "Regressions: level of the interval (default 0.95)")->check(is_number);
  c.add_option("--interval", args->interval,
               "Regressions: new (default): sd and interval of a new observation, with its noise; mean: those of the mean, without noise");
  c.add_option(
      "--rule", args->rule,
      "Logistic: automatic (exact; published for presets of VBLinLogit; plug-in for the SLR toolbox with --compat), exact, plug-in (as if "
      "the weights were known), mackay, published, published-batch, published-incremental. Relevance vector machines have the first four; "
      "several classes have the first three, and one-against-one also average (the mean of the probabilities of the pairs instead of "
      "their product). "
      "Regressions by relevance vector machines or vrvm_regression: automatic (the noise precision at its mean), mixture (integrated out)");
  c.add_option("--keep", args->keep,
               "COLUMN,... columns of the table that the output has, too, such as an identifier; a name that contains a comma must be in "
               "double quotes: --keep '\"a,b\",c'")
      ->allow_extra_args(false);
  c.add_option("--digits", args->digits,
               "CSV: significant digits of each number, 1 to 17. Default: three digits of the standard deviation, and numbers to the same "
               "place; probabilities with four to six places, and a small one as 1.23e-05")
      ->check(is_whole_number);
  c.add_option("--missing", args->missing,
               "refuse, drop or impute: what to do with rows in which a value is missing. Default: impute if the model was fitted with "
               "--missing impute, else refuse")
      ->check(not_empty);
  add_missing_marker(c, args->missing_markers);
  add_format(c, args->format);
  c.add_option("--index-base", args->index_base, about_index_base)->check(not_empty);
  c.add_option("--covariates", args->genotypes.covariates, about_covariates)->check(not_empty);
  c.add_option("--absent-variants", args->genotypes.absent_variants,
               "PLINK filesets: refuse (default), or mean: variants of the model that are not there, or have other alleles, count as their "
               "means in the fit")
      ->check(not_empty);
  c.add_flag("--sd", args->with_sd,
             "Models of many targets: beside the column of each target, which holds its mean, one for the standard deviation of a new "
             "observation");
  c.add_flag("--json", args->json, "One JSON object instead of CSV; it is made in memory");
  c.add_flag("-q,--quiet", args->quiet, "Write only the predictions: no progress, and no line on how good they are");
  c.footer(
      "If the table has the target of the model, a line on standard error says how well it is predicted: R^2 and the share of rows in "
      "their "
      "interval, or accuracy and log loss.\n"
      "Two classes: one column probability_CLASS, of the second class in sorted order. More classes: one for each. In JSON, probability "
      "is the list of the second class, or has one list for each.\n"
      "Example:\n"
      "  ardvark fit examples/data/Pima.tr.csv --target type --model logistic -o pima.ardvark\n"
      "  ardvark predict pima.ardvark examples/data/Pima.te.csv -o predictions.csv");
  c.callback([args, &c, &run] {
    args->level_given = c.count("--level") > 0;
    run = [args] { return run_predict(*args); };
  });
}

}  // namespace ardvark::cli
