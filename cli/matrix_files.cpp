#include "matrix_files.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "target/target.hpp"

namespace ardvark::cli {

using internal::io::IndexBase;
using internal::io::matrix_format_of;
using internal::io::MatrixFile;
using internal::io::MatrixFormat;
using internal::io::read_matrix;

namespace {

bool is_svmlight(const std::string& path) { return matrix_format_of(path) == MatrixFormat::svmlight; }

// Options of a table with names of columns.
void refuse_table_options(const FitArguments& args) {
  for (const char* option :
       {"--weights", "--ignore", "--categorical", "--reference", "--group", "--flat", "--exposure", "--offset-column", "--statistics"})
    if (const CLI::Option* found = args.command->get_option_no_throw(option); found != nullptr && found->count() > 0)
      throw refused(option, fmt::format("needs a table; '{}' has no names of columns", args.data));
  if (args.missing != "refuse") throw refused("--missing", fmt::format("needs a table; '{}' has no missing values", args.data));
  if (args.stream == "always") throw refused("--stream", fmt::format("always needs a table; '{}' is read at once", args.data));
  if (args.index_base != "auto" && !is_svmlight(args.data))
    throw refused("--index-base", fmt::format("applies only to svmlight; the columns of '{}' are x1, x2, ...", args.data));
}

// The target, and what reads as a column of a table.
struct MatrixTarget {
  std::string name;
  TableColumn column;
  Vector values;
};

MatrixTarget target_of_svmlight(const FitArguments& args, const MatrixFile& file) {
  if (!args.target.empty())
    throw refused("--target", fmt::format("cannot be used with '{}', which has its target in each line", args.data));
  MatrixTarget out{"target", {}, Eigen::Map<const Vector>(file.target.data(), static_cast<Index>(file.target.size()))};
  out.column.name = out.name;
  return out;
}

// A column of a table: FILE:COLUMN.
MatrixTarget target_of_table(const FitArguments& args, const std::string& path, const std::string& name) {
  CsvOptions csv;
  set_format(args.format, csv);
  csv.missing_markers = args.missing_markers;
  csv.only = {name};
  csv.remedy = [](const std::string&) { return std::string("leave out the row in both files"); };
  const Table table = read_csv(path, csv);
  const Index column = table.at(name);
  return {name, table.columns[static_cast<std::size_t>(column)], column_values(table, column)};
}

MatrixTarget target_of_array(const std::string& path) {
  const std::vector<double> values = internal::io::read_npy_vector(path);
  const std::string name = std::filesystem::path(path).stem().string();
  MatrixTarget out{name, {}, Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()))};
  out.column.name = name;
  return out;
}

// Of a file that is not that of the matrix.
MatrixTarget target_beside(const FitArguments& args, const MatrixFile& file) {
  const bool is_array = matrix_format_of(args.target) == MatrixFormat::npy;
  const std::size_t colon = args.target.rfind(':');
  const bool is_column = colon != std::string::npos && colon > 0 && colon + 1 < args.target.size();
  if (!is_array && !is_column)
    throw wrong(
        "--target", args.target,
        fmt::format("'{}' has no target, so it must be FILE:COLUMN, such as y.csv:y, or a file of NumPy, such as y.npy; row by row, "
                    "the file has that of the matrix",
                    args.data));
  const std::string path = is_array ? args.target : args.target.substr(0, colon);
  MatrixTarget target = is_array ? target_of_array(path) : target_of_table(args, path, args.target.substr(colon + 1));
  if (target.values.size() != file.rows())
    throw refused("--target", fmt::format("'{}' has {} rows, but '{}' has {}; row by row, both must have the same observations", path,
                                          target.values.size(), args.data, file.rows()));
  return target;
}

void set_names(const MatrixFile& file, ModelOptions& options) {
  if (file.index_base == 1) return;  // x1, x2, .. is what columns without names are called
  for (Index j = 0; j < file.cols(); ++j) options.column_names.push_back(fmt::format("x{}", j));
}

// Whether these are the names of columns without a name.
bool counts_from(int first, const std::vector<std::string>& names) {
  for (std::size_t j = 0; j < names.size(); ++j)
    if (names[j] != fmt::format("x{}", j + static_cast<std::size_t>(first))) return false;
  return true;
}

SavedModel fit_of(const FitArguments& args, const MatrixFile& file, const MatrixTarget& target, Task task) {
  ModelOptions options = args;
  options.target = target.name;
  set_names(file, options);
  if (internal::has_classes(task)) {
    check_classes(target.name, target.column, target.values, "--model linear");
    options.class_names = target.column.levels;
  } else if (target.column.categorical) {
    throw refused("target", target.name, "is text; for classes use --model logistic");
  }
  options.keep_covariance = args.diagnose ? "always" : kept_covariance(args);
  const ProgressLine progress(args.shows_progress(), "preparing");
  options.on_sweep = progress.on_sweep();
  if (!file.is_dense) return fit_model(file.sparse.view(), target.values, options);
  try {
    return fit_model(file.dense, target.values, options);
  } catch (const InvalidArgument& e) {
    if (e.fields().row == 0 || e.fields().remedy.empty()) throw;
    throw e.changed([](ErrorFields& fields) { fields.remedy = "leave out such rows"; });  // --missing needs a table
  }
}

}  // namespace

bool are_matrix_files(const std::vector<std::string>& files) { return !files.empty() && matrix_format_of(files.front()).has_value(); }

std::string choose_model_by(FitArguments& args, bool is_text, const Vector& target) {
  if (!args.model.empty() || !args.preset.empty()) return {};
  std::vector<double> values(target.begin(), target.end());
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  const bool has_classes = is_text || values.size() == 2;
  args.model = has_classes ? "logistic" : "linear";
  args.given.insert("model");
  return fmt::format("the target holds {}, so the model is {}; to choose it: --model",
                     is_text       ? "texts"
                     : has_classes ? fmt::format("only {} and {}", values[0], values[1])
                                   : "numbers",
                     args.model);
}

void require_one_matrix(const std::vector<std::string>& files) {
  if (files.size() > 1) throw InvalidArgument(fmt::format("'{}' is one of several files; a matrix must be in one", files.front()));
}

MatrixFile matrix_for_prediction(const std::string& path, const SavedModel& model, const std::string& index_base) {
  const std::vector<std::string> names = model.encoding.names();
  const int first = !names.empty() && names.front() == "x0" ? 0 : 1;
  if (!counts_from(first, names))
    throw InvalidArgument(fmt::format("the model has columns with names, which '{}' has not; give a table with these columns", path));
  IndexBase base = internal::io::index_base_of(index_base);
  if (base == IndexBase::automatic) base = first == 0 ? IndexBase::zero : IndexBase::one;
  const Index cols = num_inputs(model);
  MatrixFile file = read_matrix(path, base, cols);
  if (!is_svmlight(path) || file.cols() <= cols) return file;
  const Index unknown = file.sparse.view().entries() - file.sparse.view().start(cols);
  file.notes.push_back(fmt::format("'{}' has entries in columns that the model does not have, after index {}; they are not used: {}", path,
                                   cols - 1 + file.index_base, unknown));
  file.sparse.cols = cols;
  return file;
}

Prediction predict_matrix(const SavedModel& model, const MatrixFile& file, const ModelOptions& options) {
  return file.is_dense ? predict(model, file.dense, options) : predict(model, file.sparse.view(), options);
}

int fit_matrix(FitArguments args) {
  require_one_matrix(args.files);
  args.data = args.files.front();
  require_writable(args);
  refuse_table_options(args);
  const IndexBase base = internal::io::index_base_of(args.index_base);
  MatrixFile file;
  MatrixTarget target;
  {
    const ProgressLine progress(args.shows_progress(), "reading");
    file = read_matrix(args.data, base, 0);
    target = is_svmlight(args.data) ? target_of_svmlight(args, file) : target_beside(args, file);
  }
  const std::string choice = choose_model_by(args, target.column.categorical, target.values);
  const ModelKind kind = check_options(args);
  if (kind == ModelKind::relevance || kind == ModelKind::kernel)
    throw refused("--model", fmt::format("{} needs a table: CSV or Parquet", args.model));
  if (!choice.empty() && !args.quiet) std::fputs(("note: " + choice + "\n").c_str(), stderr);  // a closed stderr is no error
  Training training;
  training.notes = file.notes;
  SavedModel model = fit_of(args, file, target, args.preset.empty() ? internal::task_of_model(args.model) : task_of_preset(args.preset));
  return finish_fit(args, model, training);
}

}  // namespace ardvark::cli
