// ardvark predict
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>

#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/model_file.hpp"
#include "commands.hpp"
#include "json.hpp"

namespace ardvark::cli {
namespace {

struct PredictArguments {
  std::string model, data, output, missing = "refuse", rule = "automatic";
  double level = 0.95;
  char delimiter = ',';
  bool json = false;
};

constexpr const char* mixture = "mixture";  // a rule of linear models

PredictiveRule rule_of(const std::string& name, const Fit& fit) {
  static const std::map<std::string, PredictiveRule> rules = {{"automatic", PredictiveRule::automatic},
                                                              {"exact", PredictiveRule::exact},
                                                              {"mackay", PredictiveRule::plug_in_corrected},
                                                              {"published", PredictiveRule::published_row},
                                                              {"published-batch", PredictiveRule::published_batch},
                                                              {"published-incremental", PredictiveRule::published_incremental}};
  if (name == mixture) {
    if (fit.task == Task::linear && !fit.is_joint()) return PredictiveRule::automatic;
    throw InvalidArgument(fmt::format("--rule mixture is of linear models whose posterior is factorised, as that of vrvm_regression{}",
                                      fit.is_joint() ? "; this one is joint, and its predictions are exact without" : ""));
  }
  const auto found = rules.find(name);
  if (found == rules.end())
    throw InvalidArgument(fmt::format(
        "--rule is '{}'; it must be one of automatic, mixture, exact, mackay, published, published-batch, published-incremental", name));
  if (fit.task == Task::linear && found->second != PredictiveRule::automatic)
    throw InvalidArgument(fmt::format("--rule {} is of logistic models", name));
  return found->second;
}

// A field as CSV wants it.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos && !text.empty()) return text;
  std::string out = "\"";
  for (char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

struct PredictionCsv {  // the CSV being written: header, then one line per row
  std::string text;
  const std::vector<Index>& file_rows;
  void header(const std::string& names) { text += (file_rows.empty() ? "" : "row,") + names + "\n"; }
  void begin_row(Index i) {
    if (!file_rows.empty()) text += fmt::format("{},", file_rows[static_cast<std::size_t>(i)]);
  }
};

struct LinearPrediction {
  Vector mean, sd, half;  // half the width of the interval
};
template <typename Prediction>
LinearPrediction table_of(const Prediction& p, double level) {
  return {p.mean, p.standard_deviation(), p.half_width(level)};
}

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
  const PredictiveRule rule = rule_of(args.rule, model.fit);
  CsvOptions csv;
  csv.delimiter = args.delimiter;
  if (args.missing != "refuse" && args.missing != "drop")
    throw InvalidArgument(fmt::format("--missing is '{}'; it must be refuse or drop", args.missing));
  csv.missing = args.missing == "drop" ? Missing::drop_rows : Missing::refuse;
  for (const FeatureColumn& f : model.encoding.features) {
    csv.only.push_back(f.name);
    if (f.categorical) csv.categorical.push_back(f.name);
  }
  Table table = read_csv(args.data, csv);
  const std::vector<Index> file_rows = table.file_rows;
  const Index dropped = table.num_dropped;
  const EncodedTable encoded = encode(std::move(table), model.encoding);

  const auto started = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count(); };
  PredictionCsv csv_out{{}, file_rows};
  Json json;
  if (model.fit.task == Task::linear) {
    LinearFit fit;
    static_cast<Fit&>(fit) = model.fit;
    LinearPrediction p;
    if (args.rule == mixture) {
      p = table_of(predict_mixture(fit, encoded.X()), args.level);
      json = {{"mean", to_json(p.mean)}, {"sd", to_json(p.sd)}, {"lower", to_json(p.mean - p.half)}, {"upper", to_json(p.mean + p.half)}};
    } else {
      const StudentPrediction student = predict(fit, encoded.X());
      p = table_of(student, args.level);
      json["mean"] = to_json(p.mean);
      if (std::isinf(student.degrees_of_freedom)) {
        json["sd"] = to_json(student.scale);
      } else {
        json["scale"] = to_json(student.scale);
        json["degrees_of_freedom"] = student.degrees_of_freedom;
      }
    }
    json["seconds"] = seconds();
    if (!args.json) {
      csv_out.header("mean,sd,lower,upper");
      for (Index i = 0; i < p.mean.size(); ++i) {
        csv_out.begin_row(i);
        csv_out.text += fmt::format("{},{},{},{}\n", p.mean[i], p.sd[i], p.mean[i] - p.half[i], p.mean[i] + p.half[i]);
      }
    }
  } else {
    LogisticFit fit;
    static_cast<Fit&>(fit) = model.fit;
    const ClassPrediction p = predict(fit, encoded.X(), rule);
    json = {{"probability", to_json(p.probability)}, {"classes", fit.classes}, {"seconds", seconds()}};
    if (!args.json) {
      csv_out.header("probability,class,log_odds,log_odds_sd");
      for (Index i = 0; i < p.mean.size(); ++i) {
        csv_out.begin_row(i);
        csv_out.text += fmt::format("{},{},{},{}\n", p.probability[i], csv_field(fit.classes[p.mean[i] > 0 ? 1 : 0]), p.mean[i],
                                    std::sqrt(p.variance[i]));
      }
    }
  }
  if (!file_rows.empty()) json["rows"] = file_rows;
  write(args.output, args.json ? json.dump() + "\n" : csv_out.text);
  if (dropped > 0 && !args.json)
    fmt::print(stderr, "{} {} dropped because a value was missing\n", dropped, dropped == 1 ? "row was" : "rows were");
  return ok;
}

}  // namespace

void add_predict(CLI::App& app, Run& run) {
  CLI::App& c = *app.add_subcommand("predict", "Predict the rows of a table with a model file");
  auto args = std::make_shared<PredictArguments>();
  c.add_option("model", args->model, "Model file written by fit -o")->required();
  c.add_option("data", args->data, "CSV file with the model's columns, by name, in any order; others are not read")->required();
  c.add_option("-o,--output", args->output, "Write here instead of the screen")->check(not_empty);
  c.add_option("--level", args->level, "Linear: level of the interval (default 0.95)");
  c.add_option("--rule", args->rule,
               "Logistic: automatic (exact; published for presets), exact, mackay, published, published-batch, published-incremental. "
               "Linear, vrvm_regression: automatic (the noise precision at its mean), mixture (integrated out)");
  c.add_option("--missing", args->missing, "refuse (default) or drop: what to do with rows that lack a value");
  c.add_option("--delimiter", args->delimiter, "Field separator (default ,)");
  c.add_flag("--json", args->json, "One JSON object instead of CSV");
  c.footer(
      "Example:\n"
      "  ardvark fit examples/data/Pima.tr.csv --target type --model logistic -o pima.ardvark\n"
      "  ardvark predict pima.ardvark examples/data/Pima.te.csv -o predictions.csv");
  c.callback([args, &run] { run = [args] { return run_predict(*args); }; });
}

}  // namespace ardvark::cli
