#include "model/remarks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/notation.hpp"
#include "io/text.hpp"

namespace ardvark::internal {
namespace {

// Texts with fewer than two rows each, on average, are identifiers rather than levels; classes have
// the same limit.
void warn_of_texts(const FeatureColumn& f, Index num_rows, Report& report) {
  const auto num_levels = static_cast<Index>(f.levels.size());
  if (const std::string remark = io::remark_on_numbers(f.levels); !remark.empty())
    report.warnings.push_back(fmt::format("text column '{}': {}", f.name, remark));
  else if (num_levels > 2 && 2 * num_levels > num_rows)
    report.warnings.push_back(fmt::format(
        "text column '{}' has {} different texts in {} rows; if it names the rows, leave it out: it says nothing about other rows", f.name,
        num_levels, num_rows));
}

// A target of texts has classes, even if the texts were meant as numbers: a warning says so. Labels
// that are numbers may be 0.0, 1.0, ...
void warn_of_classes(const std::vector<std::string>& classes, Report& report) {
  std::vector<std::string> texts;
  for (const std::string& name : classes) texts.emplace_back(io::code_of(name));
  if (const std::string remark = io::remark_on_numbers(texts); !remark.empty())
    report.warnings.push_back(fmt::format("the target has {} classes: {}", texts.size(), remark));
}

void note_missing(const std::string& what, const std::vector<std::string>& texts, const ModelOptions& options, Report& report) {
  for (const std::string& text : texts) {
    if (!(io::may_mean_missing(text) || text.empty()) || text == "none") continue;
    const std::string remedy = options.spelling == Spelling::command_line ? fmt::format("use --missing-marker='{}'", io::shown(text))
                                                                          : "put a missing value in its place";
    report.notes.push_back(fmt::format("{} '{}'; if it means a missing value, {}, with {} or {}", what, io::shown(text), remedy,
                                       options.spelled("missing", "drop"), options.spelled("missing", "impute")));
  }
}

void note_sums(const FeatureColumn& f, Report& report) {
  const auto found = f.levels.size() < 3 ? f.levels.end() : std::ranges::find_if(f.levels, io::names_a_sum);
  if (found != f.levels.end() && std::ranges::count_if(f.levels, io::names_a_sum) == 1)
    report.notes.push_back(
        fmt::format("text column '{}' has the level '{}'; if its rows sum up others, leave them out", f.name, io::shown(*found)));
}

bool are_row_numbers(std::vector<double> values) {
  if (!std::ranges::all_of(values, [](double x) { return x >= 0 && x == std::floor(x); })) return false;
  std::ranges::sort(values);
  return std::ranges::adjacent_find(values) == values.end();
}

// \param values_of  the numbers of a column of X
Report remarks_on_columns(Index num_rows, Index num_columns, const ModelOptions& options, auto&& values_of) {
  Report report = remarks_on_texts(num_rows, options);
  const std::vector<std::string> names = options.encoding.features.empty() ? options.column_names : options.encoding.names();
  for (std::size_t j = 0; j < names.size() && static_cast<Index>(names.size()) == num_columns; ++j)
    if (is_nameless(names[j]) && are_row_numbers(values_of(static_cast<Index>(j))))
      report.warnings.push_back(warning_of_row_numbers(static_cast<Index>(j), names[j]));
  return report;
}

}  // namespace

// pandas calls a column without a name so, and other programs leave its name empty: these are row names that were written into the file.
bool is_nameless(const std::string& name) { return name.empty() || name.starts_with("Unnamed: "); }

std::string warning_of_row_numbers(Index column, const std::string& name) {
  return fmt::format(
      "column {} ('{}') has no name of its own and numbers the rows: it seems to hold the row names that another program "
      "wrote; leave it out (in pandas: read_csv with index_col=0)",
      column + 1, name);
}

Report remarks_on_texts(Index num_rows, const ModelOptions& options) {
  Report report;
  for (const FeatureColumn& f : options.encoding.features) {
    if (!f.categorical) continue;
    warn_of_texts(f, num_rows, report);
    note_sums(f, report);
    note_missing(fmt::format("text column '{}' has the level", f.name), f.levels, options, report);
  }
  warn_of_classes(options.class_names, report);
  note_missing("the target has the class", options.class_names, options, report);
  return report;
}

std::string why_texts(const ModelOptions& options) {
  Report report;
  for (const FeatureColumn& f : options.encoding.features) {
    if (!f.categorical) continue;
    warn_of_texts(f, std::numeric_limits<Index>::max(), report);
    note_sums(f, report);
    if (!report.warnings.empty()) return report.warnings.front();
    if (!report.notes.empty()) return report.notes.front();
  }
  return {};
}

void note_weights(double sum, Index num_rows, Report& report) {
  report.notes.push_back(fmt::format("the number of rows, {:.10g}, is the sum of the weights of {} rows", sum, num_rows));
}
void note_weights(const std::vector<double>& weights, Report& report) {
  if (!std::ranges::all_of(weights, [](double k) { return k == 1; }))
    note_weights(VectorView(weights).eigen().sum(), static_cast<Index>(weights.size()), report);
}

RowSums CountedRows::operator()(const RowQuestion& question) {
  RowSums sums = ask_(question);
  ++times_;
  num_rows_ = sums.num_rows();
  return sums;
}

Report CountedRows::remarks(double weight, const ModelOptions& options) const {
  Report report = remarks_on_texts(num_rows_, options);
  if (weight != static_cast<double>(num_rows_)) note_weights(weight, num_rows_, report);
  const bool reads_once = options.model == "linear" && options.noise == "normal";
  if (times_ == 1 && !reads_once)
    report.notes.emplace_back("the rows were read once for the fit, which was made in memory: there are so few");
  return report;
}

void FewValues::add(double y) {
  if (values_.size() <= most_classes) values_.insert(y);
  ++num_rows_;
}

std::string FewValues::remark(const ModelOptions& options) const {
  constexpr std::size_t rows_per_class = 5;
  if (!options.preset.empty() || values_.size() > most_classes || values_.size() < 2) return {};
  if (std::ranges::any_of(values_, [](double y) { return y != std::floor(y); })) return {};
  const double first = *values_.begin(), last = *values_.rbegin();
  const bool is_consecutive = (first == 0 || first == 1) && last - first + 1 == static_cast<double>(values_.size());
  if (!is_consecutive || num_rows_ < rows_per_class * values_.size()) return {};
  return fmt::format("the target has only the values {}; if they name classes, fit {} instead", fmt::join(values_, ", "),
                     options.spelled("model", "logistic"));
}

Report remarks_on_table(MatrixView X, const ModelOptions& options) {
  return remarks_on_columns(X.rows(), X.cols(), options, [&](Index j) {
    std::vector<double> values;
    for (Index i = 0; i < X.rows(); ++i) values.push_back(X(i, j));
    return values;
  });
}

Report remarks_on_table(CscView X, const ModelOptions& options) {
  return remarks_on_columns(X.rows(), X.cols(), options, [&](Index j) {
    std::vector<double> values(static_cast<std::size_t>(X.rows()), 0.0);
    for (Index e = X.start(j); e < X.start(j + 1); ++e) values[static_cast<std::size_t>(X.row(e))] = X.value(e);
    return values;
  });
}

}  // namespace ardvark::internal
