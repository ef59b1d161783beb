// ardvark select
#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <limits>

#include "ardvark/select.hpp"
#include "fit.hpp"

namespace ardvark::cli {
namespace {

struct SelectArguments : FitArguments {
  int folds = 10, repeats = 10;
  std::string seed = "1", folds_out;
  Index top = 20;
};

std::uint64_t seed_of(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc() || end != text.data() + text.size())
    throw InvalidArgument(
        fmt::format("--seed is {}; it must be a whole number from 0 to {}", text, std::numeric_limits<std::uint64_t>::max()));
  return seed;
}

void check(const SelectArguments& args) {
  if (args.model.empty() == args.preset.empty())
    throw InvalidArgument(args.model.empty()
                              ? "say what to fit: --model logistic, or --preset NAME"
                              : "--model and --preset exclude each other; a preset is a published program, a model is for your data");
  if (!args.model.empty() && args.model != "logistic")
    throw InvalidArgument(fmt::format("--model is '{}'; selection counts are of columns and classes: --model logistic", args.model));
  if (!args.preset.empty() && task_of_preset(args.preset) != Task::logistic)
    throw InvalidArgument(fmt::format("--preset {} is of regressions; selection counts are of classes", args.preset));
  if (args.preset == "slr_rvm")
    throw InvalidArgument("--preset slr_rvm selects rows, the relevance vectors, and no columns; slr_var selects columns in the same way");
  static_cast<void>(seed_of(args.seed));
  if (args.top < 0) throw InvalidArgument(fmt::format("--top is {}; it must be 0 or more", args.top));
}

Json spread_json(const SelectionSpread& spread) { return {{"mean", spread.mean}, {"sd_over_repeats", spread.sd}}; }

Json selection_json(const SelectArguments& args, const SelectionCounts& counts) {
  Json j;
  j["status"] = to_string(counts.status);
  j["message"] = counts.message;
  j["model"] = args.preset.empty() ? Json(args.model) : Json();
  j["preset"] = args.preset.empty() ? Json() : Json(args.preset);
  j["compat"] = args.compat;
  j["target"] = counts.target;
  j["classes"] = counts.classes;
  j["class_weight"] = to_json(counts.class_weight);
  j["folds"] = counts.folds;
  j["repeats"] = counts.repeats;
  j["seed"] = counts.seed;
  j["features"] = counts.column_names;
  j["count"] = counts.count;
  j["share"] = to_json(counts.share);
  j["sc_value"] = to_json(counts.sc_value);
  Json names = Json::array();
  for (const Index column : ranking(counts))
    if (counts.count[static_cast<std::size_t>(column)] > 0) names.push_back(counts.column_names[static_cast<std::size_t>(column)]);
  j["ranking"] = names;
  j["accuracy"] = spread_json(counts.accuracy);
  j["accuracy"]["standard_error"] = counts.accuracy_error;
  j["accuracy"]["chance"] = counts.chance_accuracy;
  j["log_loss"] = spread_json(counts.log_loss);
  j["log_loss"]["standard_error"] = counts.log_loss_error;
  j["log_loss"]["chance"] = counts.chance_log_loss;
  j["survivors"] = spread_json(counts.num_survivors);
  j["fits"] = Json::array();
  for (const SelectionFold& fit : counts.fits)
    j["fits"].push_back({{"repeat", fit.repeat + 1},
                         {"fold", fit.fold + 1},
                         {"test_rows", fit.num_test},
                         {"accuracy", fit.accuracy},
                         {"log_loss", fit.log_loss},
                         {"survivors", fit.num_survivors},
                         {"status", to_string(fit.status)}});
  j["notes"] = counts.notes;
  j["warnings"] = counts.warnings;
  j["seconds"] = counts.seconds;
  return j;
}

std::string counts_csv(const SelectionCounts& counts) {
  std::string csv = "feature,count,share,sc_value\n";
  for (Index j = 0; j < counts.num_columns(); ++j)
    csv += fmt::format("{},{},{},{}\n", csv_field(counts.column_names[static_cast<std::size_t>(j)]),
                       counts.count[static_cast<std::size_t>(j)], counts.share[j], counts.sc_value[j]);
  return csv;
}

// A line for each row and repeat: which fold tested it. All numbers from 1, rows as in the file; rows of weight 0 are in none.
std::string folds_csv(const SelectionCounts& counts, const std::vector<Index>& file_rows) {
  std::string csv = "repeat,row,fold\n";
  for (std::size_t r = 0; r < counts.deal.size(); ++r)
    for (std::size_t i = 0; i < counts.deal[r].size(); ++i)
      if (counts.deal[r][i] >= 0)
        csv += fmt::format("{},{},{}\n", r + 1, file_row(file_rows, static_cast<Index>(i)), counts.deal[r][i] + 1);
  return csv;
}

int run_select(const SelectArguments& args) {
  check(args);
  SelectArguments folds_file = args;  // what -o is asked before any work
  folds_file.output = args.folds_out;
  require_writable(folds_file);
  if (!args.folds_out.empty() && args.folds_out == args.output)
    throw InvalidArgument(fmt::format("--folds-out and --output are both '{}'; give two paths", args.output));
  const ModelProblem problem = model_problem(args, Task::logistic);
  SelectionOptions options{.folds = args.folds, .repeats = args.repeats, .seed = seed_of(args.seed), .threads = args.threads};
  options.weights = problem.training.weights;
  options.column_names = problem.options.column_names;
  options.class_names = problem.classes;
  SelectionCounts counts;
  {
    ProgressLine progress(!args.quiet && !args.json);
    options.on_fit = [&](const SelectionProgress& p) {
      progress.show(fmt::format("fit {} of {}", p.num_done, p.num_fits), p.elapsed_seconds);
      return true;
    };
    const SelectionMethod method =
        is_softmax(args, problem) ? softmax_selection(softmax_options_of(args, problem.options)) : logistic_selection(problem.options);
    counts = select_columns(problem.training.X(), problem.target, method, options);
  }
  counts.target = args.target;
  counts.method = args.preset.empty() ? fmt::format("logistic, prior {}", args.prior)
                                      : fmt::format("preset {}{}", args.preset, args.compat ? ", compat" : "");
  Report dropped;
  note_dropped(problem.training.num_dropped, dropped);
  counts.notes.insert(counts.notes.end(), dropped.notes.begin(), dropped.notes.end());
  if (!args.output.empty()) {
    const UninterruptedWrite guard;
    write_text_file(args.output, counts_csv(counts));
  }
  if (!args.folds_out.empty()) {
    const UninterruptedWrite guard;
    write_text_file(args.folds_out, folds_csv(counts, problem.training.file_rows));
  }
  if (args.json) {
    fmt::print("{}\n", selection_json(args, counts).dump());
  } else if (!args.quiet) {
    fmt::print("{}", summary(counts, args.top));
    if (!args.output.empty()) fmt::print("counts                {}\n", args.output);
    if (!args.folds_out.empty()) fmt::print("folds                 {}\n", args.folds_out);
  }
  return args.strict && counts.status != Status::converged ? not_converged : ok;
}

}  // namespace

void add_select(CLI::App& app, Run& run) {
  CLI::App& c = *app.add_subcommand("select", "Count how often each column survives a cross-validation");
  auto args = std::make_shared<SelectArguments>();
  add_model_options(c, args, true);
  c.add_option("--folds", args->folds,
               "Parts that the rows are dealt to, class by class; each is predicted by a fit of the others (default 10)");
  c.add_option("--repeats", args->repeats, "Times that the rows are dealt anew (default 10)");
  c.add_option("--seed", args->seed, "Of the deal: the same seed gives the same counts, at any number of threads (default 1)");
  c.add_option("--threads", args->threads, "Fits at a time (default: as many as the BLAS has threads)");
  c.add_option("--top", args->top, "Features that the table lists (default 20)");
  c.add_option("-o,--output", args->output, "Write the counts of all features to this CSV file")->check(not_empty);
  c.add_option("--folds-out", args->folds_out,
               "Write to this CSV file which fold tested each row in each repeat, so that a count can be redone elsewhere")
      ->check(not_empty);
  c.add_flag("--json", args->json, "Print one JSON object instead of a table");
  c.add_flag("--strict", args->strict, "Exit with 4 when a fit has not converged");
  c.add_flag("-q,--quiet", args->quiet, "Print no table and no progress");
  c.footer(
      "The SC-value of a feature is the sum of the test accuracies of the fits that kept it. Standard errors are over rows; the sd over "
      "repeats says how much depends on the deal.\n"
      "Examples:\n"
      "  ardvark select examples/data/Pima.tr.csv --target type --preset slr_var --folds 10 --repeats 10 --seed 1\n"
      "  ardvark select examples/data/Pima.tr.csv --target type --model logistic --prior ard --repeats 2 -o counts.csv");
  c.callback([args, &run] { run = [args] { return run_select(*args); }; });
}

}  // namespace ardvark::cli
