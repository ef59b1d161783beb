// ardvark fit
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <type_traits>
#include <variant>

#include "ardvark/table_stream.hpp"
#include "fit.hpp"
#include "genotype_files.hpp"
#include "io/plink.hpp"
#include "matrix_files.hpp"
#include "model/option_help.hpp"
#include "model_choice.hpp"
#include "table_sums.hpp"
#include "target/target.hpp"
#include "target_sums.hpp"
#include "targets.hpp"

namespace ardvark::cli {
namespace {

int run_fit(FitArguments args) {
  if (args.covariance && !args.json) throw refused("--covariance", "needs --json; the table has no place for a matrix");
  require_json(args.all_columns, args.json);
  if (!args.statistics.empty()) return holds_target_statistics(args.statistics) ? fit_of_target_statistics(args) : fit_of_statistics(args);
  args.files = matching_paths(args.files);
  for (std::size_t i = 1; i < args.files.size(); ++i)
    if (std::error_code none; !std::filesystem::exists(args.files[i], none))
      throw InvalidArgument(fmt::format("'{}' is not a file; 'ardvark fit --help' says what fit takes", args.files[i]));
  if (are_genotypes(args.files)) return fit_genotypes(args);
  for (const auto& [option, is_given] : {std::pair{"--covariates", !args.covariates.empty()}, {"--count-allele", args.count_allele != "1"}})
    if (is_given) throw refused(option, "applies only to PLINK filesets: .bed");
  if (has_many_targets(args)) return fit_many_targets(args);
  if (are_matrix_files(args.files)) return fit_matrix(args);
  if (args.index_base != "auto") throw refused("--index-base", "applies only to files of svmlight: .svm, .svmlight, .libsvm");
  const std::string choice = choose_model(args);
  const ModelKind kind = check_options(args);
  if (!args.path.empty() && (kind == ModelKind::relevance || kind == ModelKind::kernel || args.prior != "laplace" || args.lambda))
    throw refused("--path", "applies only to --prior laplace without --lambda");
  if (!choice.empty() && !args.quiet) std::fputs(("note: " + choice + "\n").c_str(), stderr);  // a closed stderr is no error
  if (reads_in_pieces(args, kind))
    return needs_only_sums(args, kind) ? fit_in_pieces(args) : fit_by_passes(args, kind == ModelKind::kernel);
  args.data = args.files.front();
  if (kind == ModelKind::relevance || kind == ModelKind::kernel) return fit_machine(args);
  return fit_table(args, args.preset.empty() ? internal::task_of_model(args.model) : task_of_preset(args.preset));
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

void require_json(bool all_columns, bool json) {
  if (all_columns && !json) throw refused("--all-columns", "needs --json; the table lists the 60 largest effects");
}

std::string list_of_presets(bool columns_only) {
  std::string out;
  for (const PresetInfo& p : presets())
    if (!columns_only || std::string_view(p.name) != "slr_rvm") out += fmt::format("\n  {:<19} {}", p.name, p.description);
  return out;
}

std::string help_of(const ModelOptions& options, const ModelOption& row) {
  std::string help = options.help(row);
  const auto* const flag = std::get_if<bool ModelOptions::*>(&row.member);
  if (flag == nullptr || !(ModelOptions().*(*flag))) return help;
  help[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(help[0])));
  return "Turns off " + help;
}

namespace {

std::string heading_of(OptionGroup group) {
  const std::string title = title_of(group);
  return group == OptionGroup::machine ? title + " (--model kernel, --model rvm, --preset slr_rvm)" : title;
}

}  // namespace

CLI::Option* add_model_option(CLI::App& c, ModelOptions& options, const ModelOption& row, const std::string& more) {
  const std::string help = help_of(options, row) + more;
  CLI::Option* const added = std::visit(
      [&](auto member) -> CLI::Option* {
        using Value = std::decay_t<decltype(options.*member)>;
        if constexpr (std::is_same_v<Value, bool>) {  // true by default: the flag is --no-NAME
          return c.add_flag_callback(
              options.spelled(row.name), [&options, member, given = !(options.*member)] { options.*member = given; }, help);
        } else if constexpr (std::is_same_v<Value, double> || std::is_same_v<Value, std::optional<double>>)
          return c.add_option(options.spelled(row.name), options.*member, help)->check(is_number);
        else if constexpr (std::is_same_v<Value, int> || std::is_same_v<Value, std::optional<int>>)
          return c.add_option(options.spelled(row.name), options.*member, help)->check(is_whole_number);
        else
          return c.add_option(options.spelled(row.name), options.*member, help);
      },
      row.member);
  return added->group(heading_of(row.group));
}

void add_options_of_command(CLI::App& c, ModelOptions& options, unsigned command) {
  const auto add = [&](const ModelOption& row) {
    const bool is_preset = std::string_view(row.name) == "preset";
    std::string more = is_preset ? list_of_presets(command == in_command::select) : "";
    if (std::string_view(row.name) == "fdr")
      more = fmt::format(" With several targets, it selects those that are explained, at {} by default.", usual_fdr_of_targets);
    CLI::Option* const added = add_model_option(c, options, row, more);
    const bool names_column = std::string_view(row.name) == "exposure" || std::string_view(row.name) == "offset_column";
    if ((row.group == OptionGroup::what || names_column) && added->get_items_expected_max() > 0) added->check(not_empty);
  };
  for (const OptionGroup group : internal::option_groups)
    for (const ModelOption& row : model_options())
      if (row.group == group && (row.facts.commands & command) != 0) add(row);
}

void add_table_options(CLI::App& c, const std::shared_ptr<FitArguments>& args, bool several, bool imputes) {
  args->command = &c;
  if (several)
    c.add_option("data", args->files,
                 "CSV file with a header row, or Parquet; several, a pattern such as 'part-*.csv' or a folder are one table")
        ->required();
  else
    c.add_option("data", args->data, "CSV file with a header row, or Parquet")->required();
  c.add_option("--target", args->target, several ? "Column to explain, or several: a,b,c" : "Column to explain")->required();
  c.add_option("--weights", args->weights_column, "Column of observation weights; a row with weight 2 counts as two equal rows")
      ->check(not_empty);
  c.add_option("--ignore", args->ignore,
               "COLUMN,... columns to ignore. In a list of columns, a name that contains a comma must be in double quotes: "
               "--ignore '\"a,b\",c'")
      ->allow_extra_args(false);
  c.add_option("--categorical", args->categorical, "COLUMN,... columns of numbers to read as categories")->allow_extra_args(false);
  add_model_option(c, *args, model_option("reference"))->allow_extra_args(false);
  CLI::Option* const missing = add_model_option(c, *args, model_option("missing"));
  if (!imputes)
    missing->description(
        "refuse (default) or drop. Rows in which a value is missing. refuse: an error, which names row and column. drop: they are left "
        "out");
  add_missing_marker(c, args->missing_markers);
  add_format(c, args->format);
  for (CLI::Option* const option : c.get_options())
    if (option != c.get_help_ptr() && option != c.get_help_all_ptr()) option->group(heading_of(OptionGroup::table));
}

void add_model_options(CLI::App& c, const std::shared_ptr<FitArguments>& args, unsigned command) {
  add_table_options(c, args, command == in_command::fit, command == in_command::fit);
  add_options_of_command(c, *args, command);
  if (command == in_command::select)
    c.get_option("--model")->description("linear, or logistic (two classes or more): intercept, standardised columns");
  c.add_option(
       "--group", args->groups,
       "NAME=COLUMN,COLUMN,... columns that enter the model together (sparse and slab) or share a precision (repeatable; put a name "
       "with a comma in double quotes: --group 'NAME=\"a,b\",c'). A text column is a group, except in presets and with "
       "--prior laplace, which judge each of its levels separately")
      ->allow_extra_args(false)
      ->group(heading_of(OptionGroup::prior));
  c.add_option("--flat", args->flat_columns, "COLUMN,... columns without a prior")
      ->allow_extra_args(false)
      ->group(heading_of(OptionGroup::prior));
}

void add_fit_options(CLI::App& c, const std::shared_ptr<FitArguments>& args) {
  add_model_options(c, args, in_command::fit);
  c.add_option("-o,--output", args->output, "Write the model to this file")->check(not_empty);
  c.add_flag("--json", args->json, "Print one JSON object instead of a table");
  c.add_flag("--all-columns", args->all_columns, about_all_columns);
  c.add_flag("--covariance", args->covariance,
             "With --json: the full posterior covariance, intercept last; with several classes, one class after the other");
  c.add_flag("--strict", args->strict, "Exit with 4 when the fit has not converged");
  c.add_flag("-q,--quiet", args->quiet, "Print no table and no progress");
}

void add_fit(CLI::App& app, Run& run) {
  CLI::App& c = *app.add_subcommand("fit", "Fit a model to a table");
  shorten_help(c);
  auto args = std::make_shared<FitArguments>();
  add_fit_options(c, args);
  CLI::Option* const model = c.get_option("--model");
  model->description("by the target (default), " + model->get_description());
  c.add_option_function<std::string>(
       "--statistics",
       [&c, args](const std::string& path) {
         args->statistics = path;
         for (const char* name : {"data", "--target"}) c.get_option(name)->required(false);
       },
       "Fit --model linear to the statistics in this file, written by stats or merge, instead of a table")
      ->check(not_empty);
  c.add_option(
      "--stream", args->stream,
      "Read the table in pieces, so that it may be larger than the memory: auto (the default; if it takes more than half of the available "
      "memory, or has several files and --model is linear), "
      "always or never. Only --model linear (with --prior laplace: with --lambda), and --model linear with --noise student or auto, "
      "logistic, counts and kernel, which read the table several times");
  const auto add_targets = [&](const char* option, std::string& to, const char* help) {
    c.add_option_function<std::string>(
         option,
         [&c, &to](const std::string& text) {
           to = text;
           c.get_option("--target")->required(false);
         },
         help)
        ->check(not_empty)
        ->group(heading_of(OptionGroup::table));
  };
  add_targets("--targets", args->targets,
              "Several targets, each with a linear regression of its own: a .npy file with a row for each row of the data, which is read "
              "where it lies, or a table of numbers");
  add_targets("--target-prefix", args->target_prefix, "Several targets: the columns whose names begin so");
  c.get_option("data")->each([&c](const std::string& path) {
    const bool has_target = internal::io::matrix_format_of(path) == internal::io::MatrixFormat::svmlight || internal::io::is_plink(path);
    if (has_target) c.get_option("--target")->required(false);
  });
  c.get_option("data")->description(c.get_option("data")->get_description() + "; or .mtx .svm .npy .npz .bed");
  c.add_option("--index-base", args->index_base, about_index_base)->check(not_empty)->group(heading_of(OptionGroup::table));
  c.add_option("--count-allele", args->count_allele,
               "PLINK filesets: 1 (default): the numbers are copies of allele 1, the fifth field of .bim; 2: of allele 2")
      ->check(not_empty)
      ->group(heading_of(OptionGroup::table));
  c.add_option("--covariates", args->covariates, about_covariates)->check(not_empty)->group(heading_of(OptionGroup::table));
  c.add_option(
       "--path", args->path,
       "With --prior laplace and no --lambda: write to this CSV file, for each lambda, the loss of the cross-validation, its standard "
       "error, and the coefficients")
      ->check(not_empty);
  c.footer(
      "Examples:\n"
      "  ardvark fit examples/data/Pima.tr.csv --target type --model logistic -o pima.ardvark\n"
      "  ardvark fit examples/data/Pima.tr.csv --target bmi --model linear --ignore type --json\n"
      "  ardvark fit examples/data/Pima.tr.csv --target type --model logistic --prior laplace --path path.csv\n"
      "  ardvark fit examples/data/Pima.tr.csv --target type --model rvm --centres 40 -o rvm.ardvark\n"
      "  ardvark fit examples/data/Pima.tr.csv --target bmi --ignore type --model rvm --task regression --centres 30\n"
      "Relevance vectors are named by their row in the file, in the table and in relevance_rows of --json: from 1, without the header and "
      "blank lines.");
  c.callback([args, &run] {
    args->note_given();
    run = [args] { return run_fit(*args); };
  });
}

}  // namespace ardvark::cli
