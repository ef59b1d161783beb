// The table of a fit.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

#include "fit.hpp"
#include "io/text.hpp"
#include "model/missing.hpp"
#include "model/refused_options.hpp"

namespace ardvark::cli {
namespace {

void require_folder_of(const std::string& output, const std::string& data) {
  std::error_code none;
  if (!output.empty() && std::filesystem::equivalent(output, data, none))
    throw refused("--output", fmt::format("is '{}', the table itself; give another path", output));
  const std::filesystem::path folder = std::filesystem::path(output).parent_path();
  std::error_code ignored;
  const auto is = [type = std::filesystem::status(output, ignored).type()](std::filesystem::file_type other) { return type == other; };
  if (is(std::filesystem::file_type::character) || is(std::filesystem::file_type::fifo)) return;  // such as /dev/null
  if (std::filesystem::exists(output, ignored) && !std::filesystem::is_regular_file(output, ignored))
    throw EnvironmentError(fmt::format("cannot write '{}': it exists and is not a regular file; give another path", output));
  if (!output.empty() && std::filesystem::is_directory(folder.empty() ? "." : folder, ignored) &&
      ::access(folder.empty() ? "." : folder.c_str(), W_OK) != 0)
    throw EnvironmentError(fmt::format("cannot write '{}': {}; check who may write there, or give another path", output,
                                       std::generic_category().message(errno)));
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
    throw EnvironmentError(
        fmt::format("cannot write '{}': the folder '{}' does not exist; make it first, or give another path", output, folder.string()));
}

// The columns that the command line names, except those of --ignore and --categorical, which have their own messages.
std::vector<std::pair<std::string, std::string>> names_needed(const FitArguments& args) {
  std::vector<std::pair<std::string, std::string>> needed = {{args.target, "--target"}};
  const auto add = [&](const std::vector<std::string>& names, const char* option) {
    for (const std::string& name : names) needed.emplace_back(name, option);
  };
  if (!args.weights_column.empty()) add({args.weights_column}, "--weights");
  if (!args.exposure.empty()) add({args.exposure}, "--exposure");
  if (!args.offset_column.empty()) add({args.offset_column}, "--offset-column");
  add(split_names(args.flat_columns), "--flat");
  for (const std::string& group : args.groups)
    if (const std::size_t equals = group.find('='); equals != std::string::npos) add(split_names({group.substr(equals + 1)}), "--group");
  return needed;
}

std::string note_of_dropped(const Table& table, const FitArguments& args) {
  if (table.num_dropped == 0) return {};
  auto worst = static_cast<std::size_t>(table.at(args.target));
  if (args.missing != "impute") worst = static_cast<std::size_t>(std::ranges::max_element(table.num_missing) - table.num_missing.begin());
  return internal::note_of_dropped(table.num_dropped, table.columns[worst].name, table.num_missing[worst]);
}

// What to do about a gap in this column.
std::string remedy_of(const std::string& column, const FitArguments& args) {
  if (column == args.weights_column) return internal::remedy_of_gap(args, false);
  const bool may_impute = args.command->get_name() == "fit" && internal::can_impute(args);
  if (column == args.target && may_impute) return internal::remedy_of_target_gap(args);
  return internal::remedy_of_gap(args, may_impute && column != args.target);
}

}  // namespace

Vector weights_in(const Table& table, const FitArguments& args) {
  const Index column = table.at(args.weights_column);
  if (table.columns[static_cast<std::size_t>(column)].categorical)
    throw InvalidArgument(fmt::format("the weights '{}' are text; they must be numbers", args.weights_column));
  if (args.weights_column == args.target) throw InvalidArgument(fmt::format("'{}' cannot be both target and weights", args.target));
  Vector weights = column_values(table, column);
  for (Index i = 0; i < weights.size(); ++i)
    if (std::isnan(weights[i]))
      throw internal::io::wrong_cell(table.cell(i, args.weights_column), "NaN", "the weight is missing; weights are not imputed",
                                     "leave out the row, or use --missing drop");
  for (Index i = 0; i < weights.size(); ++i)
    if (!(weights[i] >= 0))
      throw internal::io::wrong_cell(table.cell(i, args.weights_column), fmt::format("{}", weights[i]),
                                     fmt::format("{} is negative; weights must be 0 or more", weights[i]));
  return weights;
}

void refuse_zero_weights(const FitArguments& args) {
  throw InvalidArgument(fmt::format("the weights '{}' are all zero; at least one must be positive", args.weights_column));
}

void require_writable(const FitArguments& args) {
  require_folder_of(args.output, args.data);
  for (const std::string& file : args.files) require_folder_of(args.output, file);
}

CsvOptions csv_options(const FitArguments& args) {
  CsvOptions csv;
  set_format(args.format, csv);
  csv.missing = missing_of(args.missing);
  csv.missing_markers = args.missing_markers;
  csv.ignore = split_names(args.ignore);
  csv.categorical = split_names(args.categorical);
  csv.required = names_needed(args);
  csv.remedy = [&](const std::string& column) { return remedy_of(column, args); };
  for (const std::string& name : csv.ignore)
    for (const auto& [option, used] : {std::pair{"--target", args.target}, {"--weights", args.weights_column}})
      if (name == used)
        throw InvalidArgument(fmt::format("{} '{}' is also named by --ignore; a column is either used or ignored", option, name));
  return csv;
}

void check_features(const Table& table, const FitArguments& args) {
  if (table.num_columns() > (args.weights_column.empty() ? 1 : 2)) return;
  throw InvalidArgument(fmt::format("'{}' has no feature columns besides {}", args.data.empty() ? args.files.front() : args.data,
                                    args.weights_column.empty() ? "the target" : "target and weights"));
}

Table read_table(const FitArguments& args) {
  const CsvOptions csv = csv_options(args);
  const std::vector<std::string> files = args.files.empty() ? std::vector{args.data} : args.files;
  for (const std::string& file : files) require_folder_of(args.output, file), require_folder_of(args.path, file);
  const ProgressLine progress(args.shows_progress(), "reading");
  Table table = read_csv(files, csv);
  if (csv.missing == Missing::keep) table.drop_gaps_of({table.at(args.target)});
  return table;
}

Training training_of(Table&& table, const FitArguments& args, bool may_be_sparse) {
  const ProgressLine progress(args.shows_progress(), "preparing");
  Training training;
  training.file_rows = table.file_rows;
  for (Index i = 0; i < table.num_rows && !table.files.empty(); ++i) training.file_rows[static_cast<std::size_t>(i)] = table.row_number(i);
  training.rows = table.row_names();
  training.notes = table.notes;
  if (const std::string dropped = note_of_dropped(table, args); !dropped.empty()) training.notes.push_back(dropped);
  std::vector<std::string> not_features = {args.target};
  if (!args.weights_column.empty()) {
    training.weights = weights_in(table, args);
    if (!(training.weights.maxCoeff() > 0)) refuse_zero_weights(args);
    not_features.push_back(args.weights_column);
  }
  check_features(table, args);
  ModelOptions options = args;
  options.weights.assign(training.weights.begin(), training.weights.end());
  training.encoding = make_encoding(table, not_features, options);
  if (may_be_sparse && internal::is_better_sparse(table.num_rows, training.encoding, args))
    training.sparse = internal::io::encode_sparse(table, training.encoding);
  else
    training.encoded = encode(std::move(table), training.encoding);
  return training;
}

void in_rows_of_file(const Table& rows, const std::function<void()>& work, Index rows_before) {
  try {
    work();
  } catch (const InvalidArgument& e) {
    const Index row = e.fields().row - rows_before - 1;
    const bool is_of_file = !e.fields().row_name.empty() || row < 0 || row >= rows.num_rows;
    if (is_of_file) throw;
    throw e.changed([&](ErrorFields& fields) {
      const ErrorFields place = rows.cell(row, {});
      fields.row = place.row, fields.row_name = place.row_name;
    });
  }
}

void note_table(const Training& training, std::vector<std::string>& notes) {
  notes.insert(notes.end(), training.notes.begin(), training.notes.end());
}

}  // namespace ardvark::cli
