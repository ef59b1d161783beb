// ardvark fit
#include <fmt/format.h>

#include <CLI/CLI.hpp>
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

CLI::Option* add_model_option(CLI::App& c, ModelOptions& options, const char* name, const std::string& more) {
  const ModelOption& row = model_option(name);
  std::string help = options.help(row) + more;
  return std::visit(
      [&](auto member) {
        using Value = std::decay_t<decltype(options.*member)>;
        if constexpr (std::is_same_v<Value, bool>) {  // --no-intercept of what is true by default
          if (options.*member) help.insert(0, "Leaves out: ");
          return c.add_flag_callback(
              options.spelled(name), [&options, member, given = !(options.*member)] { options.*member = given; }, help);
        } else if constexpr (std::is_same_v<Value, double> || std::is_same_v<Value, std::optional<double>>)
          return c.add_option(options.spelled(name), options.*member, help)->check(is_number);
        else if constexpr (std::is_same_v<Value, int> || std::is_same_v<Value, std::optional<int>>)
          return c.add_option(options.spelled(name), options.*member, help)->check(is_whole_number);
        else
          return c.add_option(options.spelled(name), options.*member, help);
      },
      row.member);
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
  const auto add = [&](const char* name) { return add_model_option(c, *args, name); };
  CLI::Option* model = add("model")->check(not_empty);
  if (classes_only) model->description("logistic (two classes or more): intercept, standardised columns");
  std::string names;
  for (const PresetInfo& p : presets())
    if (!classes_only || (p.task == Task::logistic && std::string_view(p.name) != "slr_rvm"))
      names += fmt::format("\n  {:<19} {}", p.name, p.description);
  add_model_option(c, *args, "preset", names)->check(not_empty);
  for (const char* name : {"compat", "converge", "prior", "lambda"}) add(name);
  c.add_option("--group", args->groups,
               "NAME=COLUMN,COLUMN,... columns that come in together, under sparse and slab, or share a precision (repeatable; a name with "
               "a comma in double quotes: --group 'NAME=\"a,b\",c'); a text column is a group by itself, except in presets and with "
               "--prior laplace, which judge each of its levels")
      ->allow_extra_args(false);
  c.add_option("--flat", args->flat_columns, "COLUMN,... columns without a prior")->allow_extra_args(false);
  for (const char* name :
       {"coding", "likelihood", "a0", "b0", "c0", "d0", "intercept", "standardize", "solver", "max_sweeps", "tolerance", "acceleration"})
    if (!classes_only || (std::string_view(name) != "c0" && std::string_view(name) != "d0")) add(name);
}

void add_fit(CLI::App& app, Run& run) {
  CLI::App& c = *app.add_subcommand("fit", "Fit a model to a table");
  auto args = std::make_shared<FitArguments>();
  add_model_options(c, args, false);
  for (const char* name : {"threads", "row_order", "level", "diagnose"}) add_model_option(c, *args, name);
  c.add_option("-o,--output", args->output, "Write the model to this file")->check(not_empty);
  c.add_flag("--json", args->json, "Print one JSON object instead of a table");
  c.add_flag("--covariance", args->covariance,
             "With --json: the full posterior covariance, intercept last; of several classes, class after class");
  c.add_flag("--strict", args->strict, "Exit with 4 when the fit has not converged");
  c.add_flag("-q,--quiet", args->quiet, "Print no table and no progress");
  for (const char* name : {"task", "kernel", "width", "degree", "offset", "centres", "algorithm"})
    add_model_option(c, *args, name)->group("Relevance vector machines (--model rvm, --preset slr_rvm)");
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
