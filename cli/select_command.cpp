// ardvark select
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "fit.hpp"
#include "target/target.hpp"

namespace ardvark::cli {
namespace {

struct SelectArguments : FitArguments {
  std::string folds_out;
  Index top = 20;
};

std::string counts_csv(const SelectionCounts& counts) {
  std::string csv = "feature,count,share,sc_value\n";
  for (Index j = 0; j < counts.num_columns(); ++j)
    csv += fmt::format("{},{},{},{}\n", csv_field(counts.column_names[static_cast<std::size_t>(j)]),
                       counts.count[static_cast<std::size_t>(j)], counts.share[j], counts.sc_value[j]);
  return csv;
}

// One line for each row and repeat, with the fold that tested the row. All numbers are from 1; rows are counted as in the file; rows with
// weight 0 are left out.
std::string folds_csv(const SelectionCounts& counts, const std::vector<Index>& file_rows) {
  std::string csv = "repeat,row,fold\n";
  for (std::size_t r = 0; r < counts.deal.size(); ++r)
    for (std::size_t i = 0; i < counts.deal[r].size(); ++i)
      if (counts.deal[r][i] >= 0)
        csv += fmt::format("{},{},{}\n", r + 1, file_row(file_rows, static_cast<Index>(i)), counts.deal[r][i] + 1);
  return csv;
}

int run_select(const SelectArguments& args) {
  check_selection(args);
  if (args.top < 0) throw wrong("--top", args.top, "it must be 0 or more");
  SelectArguments folds_file = args;  // the same check as for -o, before any work
  folds_file.output = args.folds_out;
  require_writable(folds_file);
  require_writable_report(args);
  if (!args.folds_out.empty() && args.folds_out == args.output)
    throw refused("--folds-out", fmt::format("and --output are both '{}'; give two paths", args.output));
  const bool linear = args.preset.empty() ? args.model == "linear" : internal::has_noise(task_of_preset(args.preset));
  ModelProblem problem = model_problem(args, linear ? Task::linear : Task::logistic);
  SelectionCounts counts;
  {
    const ProgressLine progress(args.shows_progress(), "preparing");
    problem.options.on_fit = progress.on_fit();
    counts = select_columns(problem.training.X(), problem.target, problem.options);
  }
  note_table(problem.training, counts.notes);
  note_remarks(problem, counts.notes);
  if (!args.output.empty()) {
    const UninterruptedWrite guard;
    write_text_file(args.output, counts_csv(counts));
  }
  if (!args.folds_out.empty()) {
    const UninterruptedWrite guard;
    write_text_file(args.folds_out, folds_csv(counts, problem.training.file_rows));
  }
  if (!args.report.empty()) write_report(args, counts);
  if (args.json) {
    fmt::print("{}\n", to_json(counts, args));
  } else if (!args.quiet) {
    fmt::print("{}", summary(counts, args.top));
    if (!args.output.empty()) fmt::print("counts                {}\n", args.output);
    if (!args.folds_out.empty()) fmt::print("folds                 {}\n", args.folds_out);
    if (!args.report.empty()) fmt::print("report                {}\n", args.report);
  }
  return args.strict && counts.status != Status::converged ? not_converged : ok;
}

}  // namespace

void add_select(CLI::App& app, Run& run) {
  CLI::App& c = *app.add_subcommand("select", "Count how often each column survives a cross-validation");
  shorten_help(c);
  auto args = std::make_shared<SelectArguments>();
  add_model_options(c, args, in_command::select);
  c.add_option("--top", args->top, "Number of features in the table (default 20)")->check(is_whole_number);
  c.add_option("-o,--output", args->output, "Write the counts of all features to this CSV file")->check(not_empty);
  c.add_option("--folds-out", args->folds_out,
               "Write to this CSV file which fold tested each row in each repeat, so that another program can repeat the counts")
      ->check(not_empty);
  c.add_option("--report", args->report, about_report)->check(not_empty);
  c.add_flag("--json", args->json, "Print one JSON object instead of a table");
  c.add_flag("--strict", args->strict, "Exit with 4 when a fit has not converged");
  c.add_flag("-q,--quiet", args->quiet, "Print no table and no progress");
  c.footer(
      "The SC-value of a feature is the sum of the test accuracies of the fits that kept it; of a regression, of their R^2. Standard "
      "errors are over rows; the sd over "
      "repeats shows how much the results depend on the random folds.\n"
      "Examples:\n"
      "  ardvark select examples/data/Pima.tr.csv --target type --preset slr_var --folds 10 --repeats 10 --seed 1\n"
      "  ardvark select examples/data/Pima.tr.csv --target type --model logistic --prior ard --repeats 2 -o counts.csv\n"
      "  ardvark select examples/data/Boston.csv --target medv --model linear --prior laplace --repeats 2");
  c.callback([args, &run] {
    args->note_given();
    run = [args] { return run_select(*args); };
  });
}

}  // namespace ardvark::cli
