// ardvark fit
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <variant>

#include "fit.hpp"

namespace ardvark::cli {
namespace {

int run_fit(const FitArguments& args) {
  if (args.covariance && !args.json) throw InvalidArgument("--covariance needs --json; the table has no place for a matrix");
  const ModelKind kind = check_options(args);
  if (kind == ModelKind::relevance) return fit_rvm(args);
  return fit_table(args, kind == ModelKind::linear ? Task::linear : Task::logistic);
}

}  // namespace

void FitArguments::note_given() {
  for (const CLI::Option* option : command->get_options()) {
    if (option->count() == 0) continue;
    std::string name = option->get_single_name();
    if (name.starts_with("no-")) name.erase(0, 3);
    std::replace(name.begin(), name.end(), '-', '_');
    given.insert(name);
  }
}

CLI::Option* add_model_option(CLI::App& c, ModelOptions& options, const char* name, const std::string& help) {
  const auto is_it = [&](const ModelOption& option) { return std::string_view(option.name) == name; };
  const auto found = std::find_if(model_options().begin(), model_options().end(), is_it);
  if (found == model_options().end()) throw InternalError(fmt::format("there is no option '{}'", name));
  return std::visit(
      [&](auto member) {
        using Value = std::decay_t<decltype(options.*member)>;
        if constexpr (std::is_same_v<Value, bool>)  // --no-intercept of what is true by default
          return c.add_flag_callback(
              options.spelled(name), [&options, member, given = !(options.*member)] { options.*member = given; }, help);
        else if constexpr (std::is_same_v<Value, double> || std::is_same_v<Value, std::optional<double>>)
          return c.add_option(options.spelled(name), options.*member, help)->check(is_number);
        else if constexpr (std::is_same_v<Value, int> || std::is_same_v<Value, std::optional<int>>)
          return c.add_option(options.spelled(name), options.*member, help)->check(is_whole_number);
        else
          return c.add_option(options.spelled(name), options.*member, help);
      },
      found->member);
}

void add_table_options(CLI::App& c, const std::shared_ptr<FitArguments>& args) {
  args->command = &c;
  c.add_option("data", args->data, "CSV file with a header row")->required();
  c.add_option("--target", args->target, "Column to explain")->required();
  c.add_option("--weights", args->weights_column, "Column of observation weights; a weight equals repetition")->check(not_empty);
  c.add_option("--ignore", args->ignore,
               "COLUMN,... columns to leave alone. In every list of columns a name that holds a comma stands in double quotes: "
               "--ignore '\"a,b\",c'")
      ->allow_extra_args(false);
  c.add_option("--categorical", args->categorical, "COLUMN,... columns of numbers to read as categories")->allow_extra_args(false);
  c.add_option("--missing", args->missing, "refuse (default) or drop: what to do with rows that lack a value");
  c.add_option("--delimiter", args->delimiter, "Field separator (default ,)")->check(is_one_character);
}

void add_model_options(CLI::App& c, const std::shared_ptr<FitArguments>& args, bool classes_only) {
  add_table_options(c, args);
  const auto add = [&](const char* name, const std::string& help) { return add_model_option(c, *args, name, help); };
  add("model", classes_only
                   ? "logistic (two classes or more): intercept, standardised columns"
                   : "linear, logistic (two classes or more) or rvm (relevance vector machine: sparse, on kernels, of numbers or classes), "
                     "for your data: intercept, standardised columns, results in your units")
      ->check(not_empty);
  std::string names;
  for (const PresetInfo& p : presets())
    if (!classes_only || (p.task == Task::logistic && std::string_view(p.name) != "slr_rvm"))
      names += fmt::format("\n  {:<19} {}", p.name, p.description);
  add("preset", "A published program instead of a model:" + names)->check(not_empty);
  add("compat", "With --preset: reproduce that program exactly, its defects included");
  add("converge", "With --preset vb_* or vrvm_*: to the maximum of the published bound, as a model, not by the published sweeps");
  add("prior",
      "auto, sparse, slab, dense, shared, ard, groups or none. sparse: few effects of their own over many small ones, honest also where "
      "columns are many; slab: the few alone, dense: the many alone (linear, and logistic with two classes). Logistic with two classes "
      "also: laplace (L1: the mode, most columns at zero). Default auto: sparse; for a softmax of several classes, and beside an option "
      "that sparse has no meaning for (a0, b0, c0, d0, likelihood, solver), ard where rows >= 5 columns, else shared, as a note says");
  add("lambda",
      "With --prior laplace: nats per unit of |w| of a standardised column; glmnet's lambda times rows, liblinear's 1/C. Without it "
      "the message says from which lambda on every weight is zero. Presets l1_slr_lap, l1_slr_c: default 1; l1_slr_lap with --compat: its "
      "square, as published");
  c.add_option("--group", args->groups,
               "NAME=COLUMN,COLUMN,... columns that come in together, under sparse and slab, or share a precision (repeatable; a name with "
               "a comma in double quotes: --group 'NAME=\"a,b\",c'); a text column is a group by itself, except in presets and with "
               "--prior laplace, which judge each of its levels")
      ->allow_extra_args(false);
  c.add_option("--flat", args->flat_columns, "COLUMN,... columns without a prior")->allow_extra_args(false);
  add("coding",
      "Three classes or more: automatic (default), softmax, one-against-rest (a logistic regression for each class; automatic takes it "
      "under "
      "the priors sparse, slab and dense, and of 8 classes or more with few rows) or one-against-one (one for each pair)");
  add("likelihood", "Two classes: vg (exact Gaussian, default) or jj (Jaakkola-Jordan bound)");
  add("a0", "Hyper-prior: noise shape (linear, regression), precision shape (logistic, classification)");
  add("b0", "Hyper-prior: noise rate (linear, regression), precision rate (logistic, classification)");
  add("c0", "Hyper-prior: precision shape (linear, regression)");
  add("d0", "Hyper-prior: precision rate (linear, regression)");
  add("intercept", "Leave the intercept out; columns are then scaled by their root mean square, not centred");
  add("standardize", "Use the columns as they are");
  add("solver", "automatic (default), primal, dual, spectral, or qr, which keeps the digits that nearly collinear columns cost the others");
  add("max_sweeps", "At most this many sweeps (default 500; presets of the SLR toolbox 1000, with --compat exactly so many)");
  add("tolerance",
      "Models: remaining gain in nats per row (default 1e-8), of sparse, slab and dense last change of the bound in nats (default 1e-3, "
      "classes 2e-3); presets: relative change of the bound (default 1e-5), of the SLR "
      "toolbox as models; --prior laplace: violation of the optimality conditions in units of lambda (default 1e-9)");
  add("acceleration", "Plain sweeps only");
}

void add_fit(CLI::App& app, Run& run) {
  CLI::App& c = *app.add_subcommand("fit", "Fit a model to a table");
  auto args = std::make_shared<FitArguments>();
  add_model_options(c, args, false);
  const auto add = [&](const char* name, const std::string& help) { return add_model_option(c, *args, name, help); };
  add("threads", "Threads, which do not change the result (default: as the environment says)");
  add("row_order",
      "With --preset vb_logit_fit_iter: as-given (default, as published; the result depends on the order of the rows) or by-content: an "
      "order drawn from what is in the rows, equal rows together");
  add("level", "Level of the intervals (default 0.95)");
  add("diagnose",
      "Classes: also k-hat, from 4000 draws: how far the posterior is from the exact one; up to 0.7 is good, and above a warning says what "
      "is amiss. Two classes; of several --coding one-against-rest, or rvm");
  c.add_option("-o,--output", args->output, "Write the model to this file")->check(not_empty);
  c.add_flag("--json", args->json, "Print one JSON object instead of a table");
  c.add_flag("--covariance", args->covariance,
             "With --json: the full posterior covariance, intercept last; of several classes, class after class");
  c.add_flag("--strict", args->strict, "Exit with 4 when the fit has not converged");
  c.add_flag("-q,--quiet", args->quiet, "Print no table and no progress");
  const auto rvm = [&](const char* name, const char* help) {
    add(name, help)->group("Relevance vector machines (--model rvm, --preset slr_rvm)");
  };
  rvm("task", "regression or classification; a target of text is classified, one of numbers needs this");
  rvm("kernel", "gaussian (default), laplacian, cauchy, linear (default of slr_rvm), polynomial or spline");
  rvm("width",
      "auto (default: the width of the highest evidence that a search finds), each (gaussian: a width per column, learnt), W, or "
      "W1,W2,... one per column, in the table's order; in standard deviations of the inputs; the dummies of a text column share one. "
      "slr_rvm with --compat: R of the "
      "published kernel exp(-R |x-c|^2 / number of inputs)");
  rvm("degree", "Of the polynomial (default 2)");
  rvm("offset", "Of the polynomial, 0 or more (default: the one with the highest evidence)");
  rvm("centres", "all rows (default), or N: that many of them, each the one that those before it explain worst");
  rvm("algorithm", "variational (default), plain (variational, all columns at once: slow) or type-two (maximum likelihood of type II)");
  c.footer(
      "Examples:\n"
      "  ardvark fit examples/data/Pima.tr.csv --target type --model logistic --prior ard -o pima.ardvark\n"
      "  ardvark fit examples/data/Pima.tr.csv --target bmi --model linear --ignore type --json\n"
      "  ardvark fit examples/data/Pima.tr.csv --target type --model logistic --prior laplace --lambda 6\n"
      "  ardvark fit examples/data/Pima.tr.csv --target type --model rvm --centres 40 -o rvm.ardvark\n"
      "  ardvark fit examples/data/Pima.tr.csv --target bmi --ignore type --model rvm --task regression --centres 30\n"
      "The relevance vectors that the table and relevance_rows of --json name are rows of the file: from 1, header and blank lines not "
      "counted.");
  c.callback([args, &run] {
    args->note_given();
    run = [args] { return run_fit(*args); };
  });
}

}  // namespace ardvark::cli
