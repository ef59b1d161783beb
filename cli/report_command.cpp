// ardvark report
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>

#include "ardvark/html_report.hpp"
#include "ardvark/table_stream.hpp"
#include "commands.hpp"
#include "fit.hpp"
#include "genotype_files.hpp"
#include "io/csv_numbers.hpp"
#include "matrix_files.hpp"
#include "model/missing.hpp"
#include "predictions.hpp"
#include "target/target.hpp"
#include "targets.hpp"

namespace ardvark::cli {
namespace {

struct ReportArguments {
  std::string model, output, title, missing;
  std::vector<std::string> files, missing_markers;
  std::optional<double> level;
  std::optional<double> fdr;
  TableFormat format;
  bool quiet = false;
};

void require_regular(const std::string& file) {
  std::error_code none;
  if (std::filesystem::exists(file, none) && !std::filesystem::is_regular_file(file, none))
    throw refused(
        "data",
        fmt::format("'{}' is no regular file; a report has its checksum, so that it is read twice: write it to a file first", file));
}

void check_arguments(const ReportArguments& args) {
  if (args.level && !(*args.level > 0 && *args.level < 1)) throw wrong("--level", *args.level, "it must lie between 0 and 1");
  std::vector<std::string> inputs = args.files;
  inputs.push_back(args.model);
  for (const std::string& input : inputs) {
    std::error_code none;
    if (std::filesystem::equivalent(args.output, input, none))
      throw refused("--output", fmt::format("is '{}', which is read; give another path", args.output));
  }
  FitArguments output;  // the same check as of a fit, before any work
  output.output = args.output;
  require_writable(output);
  for (const std::string& file : args.files) require_regular(file);
  if (are_matrix_files(args.files) || are_genotypes(args.files))
    throw InvalidArgument(
        fmt::format("a report describes the rows of a table, CSV or Parquet, and '{}' has no names of columns; "
                    "leave it out: the report then has all but the comparison with observations",
                    args.files.front()));
}

const std::string& name_of_target(const SavedModel& model) {
  return std::visit([](const auto& fit) -> const std::string& { return fit.target; }, model.fit);
}

/// The rows of the files with what the report says of them, and the memory that they lie in.
struct RowsOfFiles {
  EncodedTable encoded;
  Matrix target;
  ReportRows rows;
};

// What reading needs to know of the columns: those of the encoding, and targets that are read if the files have them.
CsvOptions csv_options_of(const ReportArguments& args, const FeatureEncoding& encoding, bool imputes) {
  CsvOptions csv;
  set_format(args.format, csv);
  csv.missing = args.missing.empty() ? (imputes ? Missing::keep : Missing::refuse) : missing_of(args.missing);
  if (csv.missing == Missing::keep && !imputes)
    throw refused("--missing", "impute needs a model that was fitted with --missing impute; this one was not; drop leaves such rows out");
  csv.remedy = [](const std::string&) { return std::string("--missing drop leaves such rows out"); };
  csv.missing_markers = args.missing_markers;
  for (const FeatureColumn& f : encoding.features) {
    csv.only.push_back(f.name);
    if (f.categorical) csv.categorical.push_back(f.name);
  }
  return csv;
}

void note_files(const ReportArguments& args, const Table& table, ReportRows& rows) {
  for (const std::string& file : args.files) rows.files.push_back({std::filesystem::path(file).filename().string(), sha256_of_file(file)});
  for (Index i = 0; i < table.num_rows; ++i) rows.numbers.push_back(table.row_number(i));
  rows.num_left_out = table.num_dropped;
}

// A target that is a number in the model.
void with_points(KeptColumn& kept, char decimal) {
  for (std::string& text : kept.texts)
    if (double value = 0; decimal == ',' && internal::io::read_number(text, ',', value)) std::ranges::replace(text, ',', '.');
}

Table whole_table(const ReportArguments& args, TableStream& stream, ReportRows& rows) {
  Table table;
  if (!stream.next(table, std::numeric_limits<Index>::max())) throw InvalidArgument(fmt::format("'{}' has no rows", args.files.front()));
  table.num_dropped = stream.num_dropped();
  note_files(args, table, rows);
  return table;
}

RowsOfFiles rows_of_files(const ReportArguments& args, const SavedModel& model) {
  CsvOptions csv = csv_options_of(args, model.encoding, model.imputation.has_value());
  const std::string& target = name_of_target(model);
  const bool is_scored = !target.empty() && std::ranges::find(csv.only, target) == csv.only.end();
  if (is_scored) csv.verbatim = csv.optional = {target};
  TableStream stream(args.files, csv);
  RowsOfFiles out;
  Table table = whole_table(args, stream, out.rows);
  if (is_scored && table.find(target) >= 0) {
    KeptColumn kept = kept_column(table, target);
    if (classes_of(model).empty()) with_points(kept, stream.decimal());
    out.target = observed(kept, classes_of(model));
  }
  FeatureEncoding encoding = model.encoding;
  encoding.keeps_gaps = model.imputation.has_value();
  out.encoded = encode(std::move(table), encoding);
  out.rows.X = out.encoded.X();
  out.rows.target = out.target;
  return out;
}

// A target that the file does not have has no observations.
RowsOfFiles rows_of_files(const ReportArguments& args, const SavedTargets& targets) {
  CsvOptions csv = csv_options_of(args, targets.encoding, false);
  csv.verbatim = csv.optional = targets.target_names;
  TableStream stream(args.files, csv);
  RowsOfFiles out;
  Table table = whole_table(args, stream, out.rows);
  out.target = Matrix::Constant(table.num_rows, targets.fit.num_targets(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < targets.target_names.size(); ++k) {
    if (table.find(targets.target_names[k]) < 0) continue;
    KeptColumn kept = kept_column(table, targets.target_names[k]);
    with_points(kept, stream.decimal());
    out.target.col(static_cast<Index>(k)) = observed(kept, {});
  }
  out.encoded = encode(std::move(table), targets.encoding);
  out.rows.X = out.encoded.X();
  out.rows.target = out.target;
  return out;
}

// \param fitted  a model, or many targets
std::string page_of(const ReportArguments& args, const auto& fitted, const ReportOptions& options) {
  RowsOfFiles described;
  if (!args.files.empty()) described = rows_of_files(args, fitted);
  return html_report(fitted, described.rows, options);
}

int run_report(ReportArguments args) {
  args.files = matching_paths(args.files);
  check_arguments(args);
  ReportOptions options;
  if (args.level) options.level = *args.level;
  options.title = args.title;
  if (args.fdr) options.fdr = *args.fdr;
  if (!(options.fdr > 0 && options.fdr < 1)) throw wrong("--fdr", options.fdr, "it must lie between 0 and 1");
  const bool has_many = holds_targets(args.model);
  if (has_many && args.level) throw refused("--level", fmt::format("applies only to one target, and '{}' has many", args.model));
  if (!has_many && args.fdr) throw refused("--fdr", fmt::format("applies only to many targets, and '{}' has one", args.model));
  if (has_many && !args.missing.empty() && args.missing != "drop")
    throw refused("--missing", fmt::format("must be drop with '{}', which has many targets", args.model));
  const std::string page = has_many ? page_of(args, load_targets(args.model), options) : page_of(args, load_model(args.model), options);
  LongOutput output(args.output);
  output.write(page);
  output.finish();
  if (!args.quiet) fmt::print("report                {}\n", args.output);
  return ok;
}

// A word of the shell.
std::string shell_word(const std::string& word) {
  const std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-,=:";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// The words of the program, without where the page and the table are, so that the page does not name folders of its writer.
std::string command_of_program(const std::string& table) {
  std::string out = "ardvark";
  const std::vector<std::string>& words = given_words();
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--report") {
      ++i;
    } else if (!words[i].starts_with("--report=")) {
      out += " " + shell_word(words[i] == table ? std::filesystem::path(table).filename().string() : words[i]);
    }
  }
  return out;
}

void write_page_of_command(const FitArguments& args, const auto& result) {
  ReportRows rows;
  rows.files = {{std::filesystem::path(args.data).filename().string(), sha256_of_file(args.data)}};
  ReportOptions options;
  options.command = command_of_program(args.data);
  const std::string page = html_report(result, rows, options);
  const UninterruptedWrite guard;
  write_text_file(args.report, page);
}

}  // namespace

void write_report(const FitArguments& args, const Comparison& comparison) { write_page_of_command(args, comparison); }
void write_report(const FitArguments& args, const SelectionCounts& counts) { write_page_of_command(args, counts); }

void require_writable_report(const FitArguments& args) {
  if (args.report.empty()) return;
  require_regular(args.data);
  FitArguments output;  // the same check as of a fit, before any work
  output.output = args.report, output.data = args.data;
  require_writable(output);
}

void add_report(CLI::App& app, Run& run) {
  CLI::App& c = *app.add_subcommand("report", "Write a model as one page of HTML, to be sent to a colleague");
  auto args = std::make_shared<ReportArguments>();
  c.add_option("model", args->model, "Model file written by fit -o")->required();
  c.add_option(
      "data", args->files,
      "CSV or Parquet file with the columns of the model and its target: the page then compares observations with predictions, and "
      "has the checksum of the file. The rows of the fit, or others. Several files, a pattern such as 'part-*.csv' or a folder are "
      "one table, which is read into the memory");
  c.add_option("-o,--output", args->output, "Write the page here; it is there complete or not at all")->required()->check(not_empty);
  c.add_option("--level", args->level, "One target: level of the intervals of coefficients and curves (default 0.95)")->check(is_number);
  c.add_option("--fdr", args->fdr, "Models of many targets: rate of false discoveries among the targets that are explained (default 0.1)")
      ->check(is_number);
  c.add_option("--title", args->title, "Heading of the page (default: what was fitted)")->check(not_empty);
  c.add_option("--missing", args->missing,
               "refuse, drop or impute: what to do with rows in which a value is missing. Default: impute if the model was fitted with "
               "--missing impute, else refuse")
      ->check(not_empty);
  add_missing_marker(c, args->missing_markers);
  add_format(c, args->format);
  c.add_flag("-q,--quiet", args->quiet, "Print nothing");
  c.footer(
      "The page is one file that loads nothing: it opens without a network, in light and dark, and prints on paper. It has what was "
      "fitted and on what, coefficients or curves with their intervals, calibration and residuals of the data, what the evidence says, "
      "warnings, how to make the fit again, and a text for the methods section.\n"
      "Example:\n"
      "  ardvark fit examples/data/Pima.tr.csv --target type --model logistic -o pima.ardvark\n"
      "  ardvark report pima.ardvark examples/data/Pima.te.csv -o report.html");
  c.callback([args, &run] { run = [args] { return run_report(*args); }; });
}

}  // namespace ardvark::cli
