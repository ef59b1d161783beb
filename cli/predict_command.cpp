// ardvark predict
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <variant>

#include "ardvark/model.hpp"
#include "commands.hpp"

namespace ardvark::cli {
namespace {

struct PredictArguments {
  std::string model, data, output, missing = "refuse", rule = "automatic", interval = "new";
  std::vector<std::string> missing_markers;
  double level = 0.95;
  bool level_given = false;
  char delimiter = ',';
  bool json = false;
};

using Json = nlohmann::ordered_json;

Json to_json(const Vector& v) {
  Json list = Json::array();
  for (const double x : v) list.push_back(x);
  return list;
}

// The output: JSON, or CSV with a header and one line per row.
struct Predictions {
  const std::vector<Index>& file_rows;
  double level;
  bool is_json;
  Json json;
  std::string csv;

  void header(const std::string& names) { csv += (file_rows.empty() ? "" : "row,") + names + "\n"; }
  void begin_row(Index i) {
    if (!file_rows.empty()) csv += fmt::format("{},", file_rows[static_cast<std::size_t>(i)]);
  }

  void put(const StudentPrediction& p, const std::vector<std::string>&) {
    put_distribution(p);
    json["scale"] = to_json(p.scale);
    json["degrees_of_freedom"] = p.degrees_of_freedom;  // null if infinite: a normal distribution
  }

  void put(const NoiseMixturePrediction& p, const std::vector<std::string>&) { put_distribution(p); }

  template <typename Prediction>
  void put_distribution(const Prediction& p) {
    const Vector sd = p.standard_deviation(), half = p.half_width(level);
    json = {{"mean", to_json(p.mean)}, {"sd", to_json(sd)}, {"lower", to_json(p.mean - half)}, {"upper", to_json(p.mean + half)}};
    if (is_json) return;
    header("mean,sd,lower,upper");
    for (Index i = 0; i < p.mean.size(); ++i) {
      begin_row(i);
      csv += fmt::format("{},{},{},{}\n", p.mean[i], sd[i], p.mean[i] - half[i], p.mean[i] + half[i]);
    }
  }

  void put(const ClassPrediction& p, const std::vector<std::string>& classes) {
    json = {{"probability", to_json(p.probability)}, {"classes", classes}};
    if (is_json) return;
    header("probability,class,log_odds,log_odds_sd");
    for (Index i = 0; i < p.mean.size(); ++i) {
      begin_row(i);
      csv += fmt::format("{},{},{},{}\n", p.probability[i], csv_field(classes[says_second(p.probability[i]) ? 1 : 0]), p.mean[i],
                         std::sqrt(p.variance[i]));
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
    for (const std::string& name : classes) names += csv_field("probability_" + name) + ",";
    header((classes.size() == 2 ? "probability," : names) + "class");
    for (Index i = 0; i < p.probability.rows(); ++i) {
      begin_row(i);
      for (Index c = first; c < num_classes; ++c) csv += fmt::format("{},", p.probability(i, c));
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

int run_predict(const PredictArguments& args) {
  if (!(args.level > 0 && args.level < 1)) throw InvalidArgument(fmt::format("--level is {}; it must lie between 0 and 1", args.level));
  for (const std::string& input : {args.model, args.data}) {
    std::error_code none;
    if (!args.output.empty() && std::filesystem::equivalent(args.output, input, none))
      throw InvalidArgument(fmt::format("--output is '{}', which is read; give another path", args.output));
  }
  const SavedModel model = load_model(args.model);
  ModelOptions options;
  options.spelling = Spelling::command_line;
  options.rule = args.rule;
  options.interval = args.interval;
  check_rule(model, options);
  if (task_of(model) == Task::logistic && args.level_given)
    throw InvalidArgument("--level applies only to intervals; a classifier predicts probabilities, without intervals; leave it out");
  CsvOptions csv;
  csv.delimiter = args.delimiter;
  csv.missing = missing_of(args.missing);
  csv.missing_markers = args.missing_markers;
  for (const FeatureColumn& f : model.encoding.features) {
    csv.only.push_back(f.name);
    if (f.categorical) csv.categorical.push_back(f.name);
  }
  Table table = read_csv(args.data, csv);
  const std::vector<Index> file_rows = table.file_rows;
  const std::vector<Index> file_lines = table.file_lines;
  const Index dropped = table.num_dropped, num_rows = table.num_rows;
  const EncodedTable encoded = encode(std::move(table), model.encoding);

  Predictions predictions{file_rows, args.level, args.json, {}, {}};
  const auto started = std::chrono::steady_clock::now();
  Prediction prediction;
  in_rows_of_file(file_rows, file_lines, num_rows, [&] { prediction = predict(model, encoded.X(), options); });
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  std::visit([&](const auto& p) { predictions.put(p, classes_of(model)); }, prediction);
  predictions.json["seconds"] = seconds;
  if (!file_rows.empty()) predictions.json["rows"] = file_rows;
  write(args.output, args.json ? predictions.json.dump() + "\n" : predictions.csv);
  if (dropped > 0 && !args.json)
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
  add_missing_options(c, args->missing, args->missing_markers);
  c.add_option("--delimiter", args->delimiter, "Field separator (default ,)")->check(is_one_character);
  c.add_flag("--json", args->json, "One JSON object instead of CSV");
  c.footer(
      "Two classes: the probability of the second class in sorted order. More classes: one column probability_CLASS for each; in JSON, one "
      "list for each.\n"
      "Example:\n"
      "  ardvark fit examples/data/Pima.tr.csv --target type --model logistic -o pima.ardvark\n"
      "  ardvark predict pima.ardvark examples/data/Pima.te.csv -o predictions.csv");
  c.callback([args, &c, &run] {
    args->level_given = c.count("--level") > 0;
    run = [args] { return run_predict(*args); };
  });
}

}  // namespace ardvark::cli
