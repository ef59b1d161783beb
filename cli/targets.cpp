#include "targets.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ardvark/table_stream.hpp"
#include "io/safetensors.hpp"
#include "matrix_files.hpp"
#include "model/refused_options.hpp"

namespace ardvark::cli {
namespace {

using internal::io::MatrixFile;

// Targets, row by row beside X.
struct Targets {
  MatrixFile file;                 // of .npy
  Matrix numbers;                  // of a table
  std::vector<std::string> names;  // empty: none

  [[nodiscard]] MatrixView Y() const { return file.is_dense ? file.dense : MatrixView(numbers); }
};

Matrix columns_of(const Table& table, const std::vector<std::string>& names) {
  Matrix out(table.num_rows, std::ssize(names));
  for (Index k = 0; k < out.cols(); ++k) out.col(k) = linear_target_of(table, names[static_cast<std::size_t>(k)]);
  return out;
}

std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> out;
  for (const TableColumn& column : table.columns) out.push_back(column.name);
  return out;
}

// Of a file of its own.
Targets targets_in(const FitArguments& args) {
  Targets out;
  if (internal::io::matrix_format_of(args.targets)) {
    out.file = internal::io::read_matrix(args.targets);
    if (!out.file.is_dense) throw wrong("--targets", args.targets, "it must be a .npy file with a row for each row of X, or a table");
    return out;
  }
  CsvOptions csv;
  set_format(args.format, csv);
  csv.missing = args.missing == "drop" ? Missing::keep : Missing::refuse;
  csv.missing_markers = args.missing_markers;
  csv.remedy = [](const std::string&) { return std::string("--missing drop leaves such rows out of the fit of the target"); };
  const Table table = read_csv(args.targets, csv);
  out.names = names_of(table);
  out.numbers = columns_of(table, out.names);
  return out;
}

void require_rows(const FitArguments& args, const Targets& targets, Index rows) {
  if (targets.Y().rows() != rows)
    throw refused("--targets", fmt::format("'{}' has {} rows, but '{}' has {}; row by row, both must have the same observations",
                                           args.targets, targets.Y().rows(), args.files.front(), rows));
}

// The columns of the table that are targets.
std::vector<std::string> targets_among(const FitArguments& args, const std::vector<std::string>& columns) {
  if (args.target_prefix.empty()) return split_names({args.target});
  std::vector<std::string> out;
  std::ranges::copy_if(columns, std::back_inserter(out), [&](const std::string& name) { return name.starts_with(args.target_prefix); });
  if (out.empty()) throw wrong("--target-prefix", args.target_prefix, "the table has no column whose name begins so");
  return out;
}

// X in the form that a fit needs, and its targets.
struct Problem {
  Training training;  // of a table
  MatrixFile file;    // of a matrix
  Targets targets;
  ModelOptions options;

  [[nodiscard]] MatrixView X() const { return file.is_dense ? file.dense : training.X(); }
};

Problem problem_of_table(FitArguments& args) {
  CsvOptions csv = csv_options(args);
  if (args.missing == "drop") csv.missing = Missing::keep;  // a gap in a target concerns this target only
  csv.remedy = [&](const std::string& column) {
    return column == args.weights_column ? "leave out the row"
                                         : "--missing drop leaves a row out, if the gap is in a target, of this target only";
  };
  std::erase_if(csv.required, [](const auto& needed) { return needed.second == "--target"; });
  Problem out;
  Table table = [&] {
    const ProgressLine progress(args.shows_progress(), "reading");
    return read_csv(args.files, csv);
  }();
  std::vector<std::string> not_features;
  if (args.targets.empty()) {
    out.targets.names = targets_among(args, names_of(table));
    for (const std::string& name : out.targets.names)
      if (std::ranges::count(out.targets.names, name) > 1) throw refused("--target", fmt::format("names column '{}' twice", name));
    out.targets.numbers = columns_of(table, out.targets.names);
    not_features = out.targets.names;
  } else {
    out.targets = targets_in(args);
    require_rows(args, out.targets, table.num_rows);
    for (const std::string& name : out.targets.names)
      if (table.find(name) >= 0)
        throw InvalidArgument(
            fmt::format("'{}' is a target, and a column of '{}'; a target must not explain itself: leave it out by --ignore", name,
                        args.files.front()));
  }
  out.training.notes = table.notes;
  out.training.rows = table.row_names();
  if (!args.weights_column.empty()) {
    if (std::ranges::find(not_features, args.weights_column) != not_features.end())
      throw InvalidArgument(fmt::format("'{}' cannot be both target and weights", args.weights_column));
    out.training.weights = weights_in(table, args);
    if (!(out.training.weights.maxCoeff() > 0)) refuse_zero_weights(args);
    not_features.push_back(args.weights_column);
  }
  if (table.num_columns() <= std::ssize(not_features))
    throw InvalidArgument(fmt::format("'{}' has no feature columns besides the targets", args.files.front()));
  out.options = args;
  out.options.weights.assign(out.training.weights.begin(), out.training.weights.end());
  out.training.encoding = make_encoding(table, not_features, out.options);
  out.training.encoded = encode(std::move(table), out.training.encoding);
  out.options.encoding = out.training.encoding;
  set_prior_columns(args, out.training.encoding, out.options);
  return out;
}

Problem problem_of_matrix(FitArguments& args) {
  require_one_matrix(args.files);
  if (args.targets.empty())
    throw InvalidArgument(fmt::format("'{}' has no names of columns; --targets names the file of the targets", args.files.front()));
  Problem out;
  {
    const ProgressLine progress(args.shows_progress(), "reading");
    out.file = internal::io::read_matrix(args.files.front());
    if (!out.file.is_dense) throw InvalidArgument(fmt::format("'{}' is sparse; many targets need a dense X", args.files.front()));
    out.targets = targets_in(args);
  }
  require_rows(args, out.targets, out.file.rows());
  out.training.notes = out.file.notes;
  out.options = args;
  return out;
}

void require_rate(double fdr) {
  if (!(fdr > 0 && fdr < 1)) throw wrong("--fdr", fdr, "it must lie between 0 and 1");
}

void print(const SavedTargets& targets, bool json, double fdr) {
  fmt::print("{}", json ? to_json(targets, fdr) + "\n" : summary(targets, fdr));
}

}  // namespace

bool has_many_targets(const FitArguments& args) {
  return !args.targets.empty() || !args.target_prefix.empty() || split_names({args.target}).size() > 1;
}

double check_many_targets(FitArguments& args) {
  for (const char* option : {"--covariance", "--path", "--stream", "--exposure", "--offset-column", "--all-columns", "--level"})
    if (const CLI::Option* found = args.command->get_option_no_throw(option); found != nullptr && found->count() > 0)
      throw refused(option, "cannot be used with several targets");
  if (args.model.empty() && args.preset.empty()) args.model = "linear", args.given.insert("model");
  const double fdr = args.fdr.value_or(usual_fdr_of_targets);
  require_rate(fdr);
  args.fdr = {}, args.given.erase("fdr");  // of targets, not of columns
  static_cast<void>(check_options(args));
  require_writable(args);
  return fdr;
}

int finish_targets(const FitArguments& args, const SavedTargets& targets, double fdr) {
  if (!args.output.empty()) {
    const ProgressLine progress(args.shows_progress(), "writing");
    const UninterruptedWrite guard;
    save_targets(args.output, targets);
  }
  if (args.json || !args.quiet) print(targets, args.json, fdr);
  if (!args.output.empty() && !args.json && !args.quiet) fmt::print("model                 {}\n", args.output);
  const bool all_converged = std::ranges::all_of(
      targets.fit.status, [](TargetStatus status) { return status == TargetStatus::converged || status == TargetStatus::constant; });
  return args.strict && !all_converged ? not_converged : ok;
}

int fit_many_targets(FitArguments args) {
  if ((args.targets.empty() ? 0 : 1) + (args.target_prefix.empty() ? 0 : 1) + (args.target.empty() ? 0 : 1) > 1)
    throw InvalidArgument("--target, --targets and --target-prefix name the targets in different ways; give one of them");
  const double fdr = check_many_targets(args);
  Problem problem = are_matrix_files(args.files) ? problem_of_matrix(args) : problem_of_table(args);
  if (problem.options.keep_covariance == "automatic" && args.output.empty()) problem.options.keep_covariance = "never";
  SavedTargets targets;
  {
    const ProgressLine progress(args.shows_progress(), "preparing");
    in_rows_of_file(problem.training.rows, [&] {
      targets = fit_targets(problem.X(), problem.targets.Y(), problem.options, problem.targets.names,
                            {.standard_deviations = false, .leave_one_out = true, .predictions = !args.output.empty()});
    });
  }
  targets.fit.notes.insert(targets.fit.notes.begin(), problem.training.notes.begin(), problem.training.notes.end());
  return finish_targets(args, targets, fdr);
}

bool holds_targets(const std::string& path) {
  try {
    const internal::io::SafetensorsReader file(path);
    const auto format = file.metadata().find("format");
    return format != file.metadata().end() && format->second == "ardvark-targets";
  } catch (const std::exception&) {
    return false;
  }
}

int show_targets(const std::string& path, bool json, double fdr) {
  require_rate(fdr);
  print(load_targets(path), json, fdr);
  return ok;
}

int predict_targets(const TargetsToPredict& args) {
  const SavedTargets targets = load_targets(args.model);
  const Index K = targets.fit.num_targets();
  std::string header;
  for (Index k = 0; k < K; ++k) {
    const std::string name = targets.target_names.empty() ? fmt::format("y{}", k + 1) : targets.target_names[static_cast<std::size_t>(k)];
    header += (k > 0 ? "," : "") + csv_field(name);
    if (args.with_sd) header += "," + csv_field(name + "_sd");
  }
  const int digits = args.digits.value_or(10);
  LongOutput output(args.output);
  header += '\n';
  const auto write = [&](MatrixView X) {
    const TargetsPrediction found = predict(targets.fit, X, {.standard_deviations = args.with_sd});
    std::string lines = std::exchange(header, "");  // with the first rows: what fails before them prints nothing
    for (Index i = 0; i < X.rows(); ++i) {
      for (Index k = 0; k < K; ++k) {
        if (k > 0) lines += ',';
        if (!std::isnan(found.mean(i, k))) lines += fmt::format("{:.{}g}", found.mean(i, k), digits);
        if (args.with_sd) lines += std::isnan(found.sd(i, k)) ? "," : fmt::format(",{:.{}g}", found.sd(i, k), digits);
      }
      lines += '\n';
    }
    output.write(lines);
  };
  constexpr Index most_numbers = 1 << 22;
  const Index most_rows = std::max<Index>(1, most_numbers / std::max<Index>(1, std::max(K, targets.fit.num_columns())));
  if (are_matrix_files(args.files)) {
    require_one_matrix(args.files);
    const MatrixFile file = internal::io::read_matrix(args.files.front());
    if (!file.is_dense) throw InvalidArgument(fmt::format("'{}' is sparse; many targets need a dense X", args.files.front()));
    for (Index first = 0; first < file.rows(); first += most_rows)
      write(file.dense.row_range(first, std::min(most_rows, file.rows() - first)));
  } else {
    CsvOptions csv;
    set_format(args.format, csv);
    csv.missing_markers = args.missing_markers;
    csv.remedy = [](const std::string&) { return std::string("leave out the row, or fill the gap"); };
    for (const FeatureColumn& f : targets.encoding.features) {
      csv.only.push_back(f.name);
      if (f.categorical) csv.categorical.push_back(f.name);
    }
    TableStream stream(args.files, csv);
    for (Table piece; stream.next(piece, most_rows);) {
      const Table names = piece.row_names();
      const EncodedTable encoded = encode(std::move(piece), targets.encoding);
      in_rows_of_file(names, [&] { write(encoded.X()); });
    }
  }
  output.write(header);  // without rows
  output.finish();
  return ok;
}

}  // namespace ardvark::cli
