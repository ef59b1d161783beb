// ardvark compare
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "ardvark/compare.hpp"
#include "fit.hpp"
#include "target/target.hpp"

namespace ardvark::cli {
namespace {

struct CompareArguments : FitArguments {
  std::vector<std::string> priors, families, kernels, models;
};

ComparisonOptions options_of(const CompareArguments& args) {
  ComparisonOptions options;
  options.model = args;
  if (!args.priors.empty()) options.priors = split_names(args.priors);
  options.families = split_names(args.families);
  options.kernels = split_names(args.kernels);
  options.models = split_names(args.models);
  return options;
}

int run_compare(const CompareArguments& args) {
  ComparisonOptions options = options_of(args);
  check_comparison(options);
  require_writable_report(args);
  const ModelProblem problem = model_problem(args, internal::task_of_model(args.model));
  options.model = problem.options;
  Training inputs;  // for kernels, a text column has a dummy for every level
  if (!(options.kernels.empty() && options.models.empty()) && problem.training.encoding.has_text()) {
    FitArguments machine = args;
    machine.model = "rvm", machine.given.erase("reference");
    inputs = training_of(read_table(args), machine);
    options.inputs = inputs.X();
    options.model.input_group = inputs.encoding.groups();
  }
  Comparison comparison;
  {
    const ProgressLine progress(args.shows_progress(), "preparing");
    options.model.on_sweep = progress.on_sweep();
    comparison = compare_models(problem.training.X(), problem.target, options);
  }
  comparison.notes.insert(comparison.notes.end(), problem.training.notes.begin(), problem.training.notes.end());
  note_remarks(problem, comparison.notes);
  if (!args.report.empty()) write_report(args, comparison);
  if (args.json) {
    fmt::print("{}\n", to_json(comparison));
  } else if (!args.quiet) {
    fmt::print("{}", summary(comparison));
    if (!args.report.empty()) fmt::print("report                {}\n", args.report);
  }
  return args.strict && comparison.status != Status::converged ? not_converged : ok;
}

}  // namespace

void add_compare(CLI::App& app, Run& run) {
  CLI::App& c = *app.add_subcommand("compare", "Fit several models to a table and rank them by their log evidence");
  shorten_help(c);
  auto args = std::make_shared<CompareArguments>();
  add_table_options(c, args);
  add_options_of_command(c, *args, in_command::compare);
  c.get_option("--model")->description("linear, logistic (two classes or more) or counts");
  c.add_option("--priors", args->priors, "LIST of shared, ard, dense, slab, sparse (default: all but slab)")
      ->check(not_empty)
      ->allow_extra_args(false);
  c.add_option("--families", args->families,
               "LIST: each prior with each of these. Numbers: normal, student; counts: poisson, negative-binomial (default: both)")
      ->check(not_empty)
      ->allow_extra_args(false);
  c.add_option(
       "--kernel", args->kernels,
       "Also compare a relevance vector machine with this kernel: gaussian, laplacian, cauchy, linear, polynomial or spline; the log "
       "evidence chooses its width (repeatable)")
      ->check(not_empty)
      ->allow_extra_args(false);
  c.add_option(
       "--models", args->models,
       "Also compare the kernel machine: kernel, a Gaussian process for curves and surfaces, which finds its kernel and widths itself")
      ->check(not_empty)
      ->allow_extra_args(false);
  c.add_option("--flat", args->flat_columns, "COLUMN,... columns without a prior")->allow_extra_args(false);
  c.add_option("--report", args->report, about_report)->check(not_empty);
  c.add_flag("--json", args->json, "Print one JSON object instead of a table");
  c.add_flag("--strict", args->strict, "Exit with 4 when a fit has not converged");
  c.add_flag("-q,--quiet", args->quiet, "Print no table and no progress");
  c.footer(
      "The column 'bound' is what ardvark fit prints; 'comparable' is the bound without the cost of the hyper-priors, which not all models "
      "have. A difference below 5 nats decides nothing.\n"
      "Examples:\n"
      "  ardvark compare examples/data/Pima.tr.csv --target type --model logistic\n"
      "  ardvark compare examples/data/Boston.csv --target medv --model linear --priors shared,dense,sparse --json\n"
      "  ardvark compare examples/data/Boston.csv --target medv --model linear --models kernel");
  c.callback([args, &run] {
    args->note_given();
    run = [args] { return run_compare(*args); };
  });
}

}  // namespace ardvark::cli
