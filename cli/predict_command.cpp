// ardvark predict
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

#include "ardvark/model.hpp"
#include "commands.hpp"
#include "io/text.hpp"
#include "model/missing.hpp"
#include "predict/predictive.hpp"
#include "progress_line.hpp"

namespace ardvark::cli {
namespace {

struct PredictArguments {
  std::string model, data, output, missing, rule = "automatic", interval = "new";
  std::vector<std::string> missing_markers, keep;
  std::optional<int> digits;
  double level = 0.95;
  bool level_given = false;
  char delimiter = ',';
  bool json = false, quiet = false;
};

using Json = nlohmann::ordered_json;

Json to_json(const Vector& v) {
  Json list = Json::array();
  for (const double x : v) list.push_back(x);
  return list;
}

// A column of the table that the output has, too, or that holds the target.
struct KeptColumn {
  std::string name;
  std::vector<std::string> texts;
};

// The texts of the column in each row; numbers with the digits that bring them back.
KeptColumn kept_column(const Table& table, const std::string& name) {
  const Index j = table.at(name);
  const TableColumn& column = table.columns[static_cast<std::size_t>(j)];
  KeptColumn kept{name, {}};
  for (Index i = 0; i < table.num_rows; ++i) {
    const double value = table.value(i, j);
    kept.texts.push_back(std::isnan(value)    ? ""
                         : column.categorical ? column.levels[static_cast<std::size_t>(value)]
                                              : fmt::format("{}", value));
  }
  return kept;
}

// The output: JSON, or CSV with a header and one line per row.
struct Predictions {
  const std::vector<Index>& file_rows;
  const std::vector<KeptColumn>& kept;
  double level;
  bool is_json;
  std::optional<int> digits;  // significant ones; none: those that matter
  Json json;
  std::string csv;

  void header(const std::string& names) {
    if (!file_rows.empty()) csv += "row,";
    for (const KeptColumn& column : kept) csv += csv_field(column.name) + ",";
    csv += names + "\n";
  }
  void begin_row(Index i) {
    if (!file_rows.empty()) csv += fmt::format("{},", file_rows[static_cast<std::size_t>(i)]);
    for (const KeptColumn& column : kept) csv += csv_field(column.texts[static_cast<std::size_t>(i)]) + ",";
  }

  // With as many significant digits as asked for; zeros at the end count.
  [[nodiscard]] std::string significant(double x) const {
    char text[40] = "";
    std::snprintf(text, sizeof text, "%#.*g", *digits, x);
    std::string out = text;
    if (const std::size_t point = out.find('.'); point != std::string::npos && (point + 1 == out.size() || out[point + 1] == 'e'))
      out.erase(point, 1);
    return out;
  }
  // A number whose error has this size: three digits of the error are written.
  [[nodiscard]] std::string number(double x, double error) const {
    constexpr int most_places = 15;
    if (digits) return significant(x);
    if (!(error > 0) || std::isinf(error) || std::abs(x) >= 1e15) return fmt::format("{:.6g}", x);
    const int places = 2 - place_of(error);
    return places > most_places ? fmt::format("{}", x) : fmt::format("{:.{}f}", x, std::max(places, 0));
  }
  // The exponent of its first digit.
  static int place_of(double x) { return static_cast<int>(std::floor(std::log10(x))); }

  // The probabilities of a class with the same places in each row: four, or up to six where three digits of the smallest one or of the
  // smallest complement need them. Beyond that, a small one is written as 1.23e-05, and a large one with the nines that tell it from 1.
  [[nodiscard]] std::vector<std::string> probabilities(const Vector& p) const {
    constexpr int fewest = 4, most = 6;
    double least = 1;
    for (const double x : p)
      if (const double rest = std::min(x, 1 - x); rest > 0) least = std::min(least, rest);
    const int places = std::clamp(2 - place_of(least), fewest, most);
    std::vector<std::string> out;
    for (const double x : p) {
      const double other = 1 - x;
      if (digits)
        out.push_back(significant(x));
      else if (x > 0 && 2 - place_of(x) > most)
        out.push_back(fmt::format("{:.2e}", x));
      else
        out.push_back(fmt::format("{:.{}f}", x, other > 0 && other < 1 ? std::max(places, -place_of(other)) : places));
    }
    return out;
  }
  static std::string name_of_probability(const std::string& name) { return csv_field("probability_" + name); }

  void put(const StudentPrediction& p, const std::vector<std::string>&) {
    put_distribution(p);
    json["scale"] = to_json(p.scale);
    json["degrees_of_freedom"] = p.degrees_of_freedom;  // null if infinite: a normal distribution
  }

  void put(const NoiseMixturePrediction& p, const std::vector<std::string>&) { put_distribution(p); }
  void put(const TMixturePrediction& p, const std::vector<std::string>&) {
    put_distribution(p);
    json["scale"] = json["degrees_of_freedom"] = nullptr;  // a mixture has none
  }

  template <typename Prediction>
  void put_distribution(const Prediction& p) {
    const Vector sd = p.standard_deviation();
    const auto [lower, upper] = internal::interval_of(p, level);
    json = {{"mean", to_json(p.mean)}, {"sd", to_json(sd)}, {"lower", to_json(lower)}, {"upper", to_json(upper)}};
    if (is_json) return;
    header("mean,sd,lower,upper");
    for (Index i = 0; i < p.mean.size(); ++i) {
      begin_row(i);
      const double error = std::isfinite(sd[i]) ? sd[i] : 0.5 * (upper[i] - lower[i]);
      csv += fmt::format("{},{},{},{}\n", number(p.mean[i], error), number(sd[i], error), number(lower[i], error), number(upper[i], error));
    }
  }

  void put(const ClassPrediction& p, const std::vector<std::string>& classes) {
    json = {{"probability", to_json(p.probability)}, {"classes", classes}};
    if (is_json) return;
    header(name_of_probability(classes[1]) + ",class,log_odds,log_odds_sd");
    const std::vector<std::string> probability = probabilities(p.probability);
    for (Index i = 0; i < p.mean.size(); ++i) {
      begin_row(i);
      const double sd = std::sqrt(p.variance[i]);
      csv += fmt::format("{},{},{},{}\n", probability[static_cast<std::size_t>(i)],
                         csv_field(classes[says_second(p.probability[i]) ? 1 : 0]), number(p.mean[i], sd), number(sd, sd));
    }
  }

  // Two classes: the probability of the second. More classes: one column for each.
  void put(const ClassProbabilities& p, const std::vector<std::string>& classes) {
    const Index first = classes.size() == 2 ? 1 : 0, num_classes = p.probability.cols();
    Json lists = Json::array();
    for (Index c = first; c < num_classes; ++c) lists.push_back(to_json(Vector(p.probability.col(c))));
    json = {{"probability", classes.size() == 2 ? lists.front() : lists}, {"classes", classes}};
    if (is_json) return;
    std::string names;
    std::vector<std::vector<std::string>> columns;
    for (Index c = first; c < num_classes; ++c) {
      names += name_of_probability(classes[static_cast<std::size_t>(c)]) + ",";
      columns.push_back(probabilities(p.probability.col(c)));
    }
    header(names + "class");
    for (Index i = 0; i < p.probability.rows(); ++i) {
      begin_row(i);
      for (const std::vector<std::string>& column : columns) csv += column[static_cast<std::size_t>(i)] + ",";
      csv += csv_field(classes[static_cast<std::size_t>(p.most_probable[static_cast<std::size_t>(i)])]) + "\n";
    }
  }
};

void write(const std::string& output, const std::string& text) {
  if (output.empty()) {
    fmt::print("{}", text);
    return;
  }
  const UninterruptedWrite guard;
  write_text_file(output, text);
}

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

// The observed numbers or positions of classes; NaN where the text is none of these.
Vector observed(const KeptColumn& target, const std::vector<std::string>& classes) {
  Vector y(static_cast<Index>(target.texts.size()));
  for (std::size_t i = 0; i < target.texts.size(); ++i) {
    const std::string& text = target.texts[i];
    const std::optional<double> number = number_of(text);
    double& value = y[static_cast<Index>(i)];
    value = classes.empty() && number ? *number : std::numeric_limits<double>::quiet_NaN();
    const std::optional<bool> truth = internal::io::truth_of(text);
    const auto is_it = [&](const std::string& name) {
      return name == text || (number && number_of(name) == number) || (truth && internal::io::truth_of(name) == truth);
    };
    if (const auto found = std::ranges::find_if(classes, is_it); found != classes.end())
      value = static_cast<double>(found - classes.begin());
  }
  return y;
}

// One line about how well the rows are predicted whose target is known.
std::string sentence_of(const PredictionScore& s, const std::string& target, Index num_rows, double level, bool has_interval) {
  if (s.num_rows == 0) return fmt::format("no value of '{}' is one that the model can predict, so the predictions are not scored", target);
  const std::string rows = s.num_rows == num_rows ? fmt::format("{} rows", num_rows) : fmt::format("{} of {} rows", s.num_rows, num_rows);
  if (s.accuracy)
    return fmt::format("{} with '{}': accuracy {:.4f}, log loss {:.4f} nats a row", rows, target, *s.accuracy, -s.log_density);
  return fmt::format("{} with '{}': R^2 {:.4f}, root mean squared error {:.4g}{}", rows, target, *s.r_squared, *s.rmse,
                     has_interval ? fmt::format(", {:.1f}% of them in their {:g}% interval, log density {:.4f} nats a row",
                                                100 * *s.coverage, 100 * level, s.log_density)
                                  : "");
}

Json json_of(const PredictionScore& s, bool has_interval) {
  Json json = {{"num_rows", s.num_rows}};
  if (s.num_rows == 0) return json;
  if (s.accuracy) json.update({{"accuracy", *s.accuracy}, {"log_loss", -s.log_density}});
  if (s.r_squared) json.update({{"r_squared", *s.r_squared}, {"rmse", *s.rmse}});
  if (s.coverage && has_interval) json.update({{"coverage", *s.coverage}, {"log_density", s.log_density}});
  return json;
}

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
    if (!is_model(args.data)) throw;
    throw InvalidArgument(
        fmt::format("'{0}' is no model file, but '{1}' is one; the model comes first: ardvark predict {1} {0}", args.model, args.data));
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

int run_predict(const PredictArguments& args) {
  if (args.digits && (*args.digits < 1 || *args.digits > 17))
    throw InvalidArgument(fmt::format("--digits is {}; it must lie between 1 and 17", *args.digits));
  if (!(args.level > 0 && args.level < 1)) throw InvalidArgument(fmt::format("--level is {}; it must lie between 0 and 1", args.level));
  for (const std::string& input : {args.model, args.data}) {
    std::error_code none;
    if (!args.output.empty() && std::filesystem::equivalent(args.output, input, none))
      throw InvalidArgument(fmt::format("--output is '{}', which is read; give another path", args.output));
  }
  std::optional<ProgressLine> progress(std::in_place, !args.quiet && !args.json, "reading");
  const SavedModel model = model_of(args);
  ModelOptions options;
  options.spelling = Spelling::command_line;
  options.rule = args.rule;
  options.interval = args.interval;
  check_rule(model, options);
  if (task_of(model) == Task::logistic && args.level_given)
    throw InvalidArgument("--level applies only to intervals; a classifier predicts probabilities, without intervals; leave it out");
  CsvOptions csv;
  csv.delimiter = args.delimiter;
  csv.missing = args.missing.empty() ? (model.imputation ? Missing::keep : Missing::refuse) : missing_of(args.missing);
  if (csv.missing == Missing::keep && !model.imputation)
    throw InvalidArgument(
        fmt::format("--missing impute needs a model that was fitted with --missing impute; this one was not; {}", remedy_of_gap(model)));
  csv.remedy = [&](const std::string&) { return remedy_of_gap(model); };
  csv.missing_markers = args.missing_markers;
  for (const FeatureColumn& f : model.encoding.features) {
    csv.only.push_back(f.name);
    if (f.categorical) csv.categorical.push_back(f.name);
  }
  const std::vector<std::string> keep = split_names(args.keep);
  const auto is_feature = [&](const std::string& name) { return std::ranges::find(csv.only, name) != csv.only.end(); };
  std::ranges::copy_if(keep, std::back_inserter(csv.verbatim), std::not_fn(is_feature));
  const std::string& target = target_of(model);
  if (!target.empty() && !is_feature(target)) {
    if (std::ranges::find(keep, target) == keep.end()) csv.optional.push_back(target);
    csv.verbatim.push_back(target);
  }
  Table table = read_csv(args.data, csv);
  std::vector<KeptColumn> kept;
  for (const std::string& name : keep) kept.push_back(kept_column(table, name));
  std::optional<KeptColumn> known;
  if (!target.empty() && !is_feature(target) && table.find(target) >= 0) known = kept_column(table, target);
  const std::vector<Index> file_rows = table.file_rows;
  const std::vector<Index> file_lines = table.file_lines;
  const Index dropped = table.num_dropped, num_rows = table.num_rows;
  FeatureEncoding encoding = model.encoding;
  encoding.keeps_gaps = model.imputation.has_value();
  const EncodedTable encoded = encode(std::move(table), encoding);

  Predictions predictions{file_rows, kept, args.level, args.json, args.digits, {}, {}};
  const auto started = std::chrono::steady_clock::now();
  Prediction prediction;
  in_rows_of_file(file_rows, file_lines, num_rows, [&] { prediction = predict(model, encoded.X(), options); });
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  const std::vector<std::string> warnings = warnings_of_prediction(model, encoded.X(), file_rows);
  progress->say("writing");
  std::visit([&](const auto& p) { predictions.put(p, classes_of(model)); }, prediction);
  predictions.json["seconds"] = seconds;
  if (!warnings.empty()) predictions.json["warnings"] = warnings;
  if (!file_rows.empty()) predictions.json["rows"] = file_rows;
  for (const KeptColumn& column : kept) predictions.json["keep"][column.name] = column.texts;
  const bool has_interval = args.interval == "new";
  std::string scored;
  if (known) {
    const PredictionScore score = ardvark::score(prediction, observed(*known, classes_of(model)), args.level);
    predictions.json["score"] = json_of(score, has_interval);
    scored = sentence_of(score, target, num_rows, args.level, has_interval);
  }
  const std::string text = args.json ? predictions.json.dump() + "\n" : predictions.csv;
  if (args.output.empty()) progress.reset();
  write(args.output, text);
  progress.reset();
  flush_output();
  if (!args.json && !args.quiet)
    for (const std::string& warning : warnings) fmt::print(stderr, "WARNING: {}\n", warning);
  if (!scored.empty() && !args.json && !args.quiet) fmt::print(stderr, "{}\n", scored);
  if (dropped > 0 && !args.json && !args.quiet)
    fmt::print(stderr, "{} {} dropped because a value was missing\n", dropped, dropped == 1 ? "row was" : "rows were");
  return ok;
}

}  // namespace

void add_predict(CLI::App& app, Run& run) {
  CLI::App& c = *app.add_subcommand("predict", "Predict the rows of a table with a model file");
  auto args = std::make_shared<PredictArguments>();
  c.add_option("model", args->model, "Model file written by fit -o")->required();
  c.add_option("data", args->data, "CSV file with the columns of the model, found by name, in any order; other columns are not read")
      ->required();
  c.add_option("-o,--output", args->output, "Write here instead of the screen")->check(not_empty);
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
  c.add_option("--delimiter", args->delimiter, "Field separator (default ,)")->check(is_one_character);
  c.add_flag("--json", args->json, "One JSON object instead of CSV");
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
