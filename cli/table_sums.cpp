#include "table_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "ardvark/table_stream.hpp"
#include "io/text.hpp"
#include "model/missing.hpp"

namespace ardvark::cli {

using namespace internal;
namespace {

using Levels = std::map<std::string, std::vector<std::string>>;  // of text columns, by name; the first is the reference

Levels levels_by_column(const std::vector<std::string>& texts) {
  Levels out;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    std::vector<std::string> levels;
    if (equals != std::string::npos) levels = split_names({text.substr(equals + 1)});
    if (equals == std::string::npos || equals == 0 || levels.empty()) throw wrong("--levels", text, "it must be COLUMN=LEVEL,LEVEL,...");
    std::vector<std::string> sorted = levels;
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
      throw refused("--levels", fmt::format("names the level '{}' of column '{}' twice", *twice, text.substr(0, equals)));
    if (!out.emplace(text.substr(0, equals), std::move(levels)).second)
      throw refused("--levels", fmt::format("names the column '{}' twice; list all its levels at once", text.substr(0, equals)));
  }
  return out;
}

// Columns without a name of their own that count the rows upwards.
class RowNumbers {
 public:
  void add(const Table& piece) {
    if (columns_.empty() && !begun_)
      for (Index j = 0; j < piece.num_columns(); ++j)
        if (const TableColumn& c = piece.columns[static_cast<std::size_t>(j)]; !c.categorical && is_nameless(c.name))
          columns_.push_back({j, c.name, -1});
    begun_ = true;
    for (Column& c : columns_)
      for (Index i = 0; i < piece.num_rows; ++i) {
        const double x = piece.value(i, c.at);
        c.last = x == std::floor(x) && x > c.last ? x : std::numeric_limits<double>::infinity();
      }
  }
  [[nodiscard]] std::vector<std::string> warnings(const std::vector<std::string>& names) const {
    std::vector<std::string> out;
    for (const Column& c : columns_)
      if (const auto at = std::ranges::find(names, c.name); at != names.end() && std::isfinite(c.last))
        out.push_back(warning_of_row_numbers(at - names.begin(), c.name));
    return out;
  }

 private:
  struct Column {
    Index at;
    std::string name;
    double last;  // infinite: a row does not count upwards
  };
  std::vector<Column> columns_;
  bool begun_ = false;
};

class Reader {
 public:
  Reader(const FitArguments& args, StatisticsForm form, bool for_fit, const std::vector<std::string>& levels)
      : args_(args),
        for_fit_(for_fit),
        levels_(levels_by_column(levels)),
        sums_{LinearStatistics(form), {}, {}, {}, {}},
        stream_(args.files, options()) {}

  TableSums read() {
    const ProgressLine progress(args_.shows_progress(), "reading");
    Table piece;
    if (!stream_.next(piece)) return std::move(sums_);  // next() throws if there is no row
    check_columns(piece);
    find_encoding(piece);
    do add(std::move(piece));
    while (stream_.next(piece));
    finish();
    return std::move(sums_);
  }

 private:
  [[nodiscard]] CsvOptions options() const {
    CsvOptions csv = csv_options(args_);
    for (const auto& [column, levels] : levels_) {
      if (column == args_.target || column == args_.weights_column)
        throw refused("--levels", fmt::format("names column '{}', which is no feature", column));
      csv.categorical.push_back(column);
      csv.required.emplace_back(column, "--levels");
    }
    return csv;
  }

  // What can be said of the columns after their first values.
  void check_columns(const Table& piece) {
    static_cast<void>(linear_target_of(piece, args_.target));
    static_cast<void>(weights(piece));
    names_ = {};
    for (const TableColumn& column : piece.columns) names_.push_back(column.name);
    check_features(piece, args_);
  }

  // The levels of text columns are those of --levels, or they are found while the rows are added.
  void find_encoding(const Table& piece) {
    finds_levels_ = !std::ranges::all_of(piece.columns, [&](const TableColumn& c) { return !c.categorical || levels_.contains(c.name); });
    if (finds_levels_) return;
    FactsOfColumns facts;
    facts.add(piece, weights(piece));
    std::vector<ColumnFacts> columns = facts.facts();
    for (ColumnFacts& c : columns)
      if (const auto given = levels_.find(c.column.name); given != levels_.end()) {
        c.column.levels = given->second;
        c.rows.assign(given->second.size(), 0.0);
        c.rows.front() = 1;
      }
    std::vector<std::string> no_features = {args_.target};
    if (!args_.weights_column.empty()) no_features.push_back(args_.weights_column);
    sums_.encoding = make_encoding(columns, no_features, args_);
    rows_of_reference_.assign(sums_.encoding.features.size(), 0.0);
    sums_.statistics.set_encoding(sums_.encoding, args_.target);
  }

  [[nodiscard]] Vector weights(const Table& piece) const { return args_.weights_column.empty() ? Vector() : weights_in(piece, args_); }

  void add(Table&& piece) {
    const Vector y = linear_target_of(piece, args_.target), k = weights(piece);
    for (const double value : y) sums_.target_values.add(value);
    row_numbers_.add(piece);
    check_levels(piece);
    count_references(piece, k);
    const Table rows = piece.row_names();
    const EncodedTable X = finds_levels_ ? EncodedTable() : encode(std::move(piece), sums_.encoding);
    const auto add_rows = [&] {
      if (finds_levels_)
        sums_.statistics.update(piece, args_.target, args_.weights_column);
      else
        sums_.statistics.update(X.X(), y, k);
    };
    in_rows_of_file(rows, add_rows, sums_.statistics.num_rows());
  }

  void check_levels(const Table& piece) const {
    for (Index j = 0; j < piece.num_columns(); ++j) {
      const TableColumn& c = piece.columns[static_cast<std::size_t>(j)];
      const auto given = levels_.find(c.name);
      if (given == levels_.end()) continue;
      for (Index i = 0; i < piece.num_rows; ++i)
        if (const std::string& level = c.levels[static_cast<std::size_t>(piece.value(i, j))];
            std::ranges::find(given->second, level) == given->second.end())
          throw io::wrong_cell(piece.cell(i, c.name), level,
                               fmt::format("'{}' is not one of the levels of --levels: {}", io::shown(level), io::listed(given->second)),
                               "add it there, or leave out such rows");
    }
  }

  void count_references(const Table& piece, const Vector& k) {
    for (std::size_t f = 0; f < rows_of_reference_.size(); ++f) {
      const FeatureColumn& feature = sums_.encoding.features[f];
      if (!feature.categorical || feature.levels.empty()) continue;
      const Index j = piece.at(feature.name);
      const auto& levels = piece.columns[static_cast<std::size_t>(j)].levels;
      const auto at = std::ranges::find(levels, feature.levels[static_cast<std::size_t>(feature.reference)]) - levels.begin();
      for (Index i = 0; i < piece.num_rows; ++i)
        if (piece.value(i, j) == static_cast<double>(at)) rows_of_reference_[f] += k.size() > 0 ? k[i] : 1;
    }
  }

  void finish() {
    if (!(sums_.statistics.weight() > 0)) refuse_zero_weights(args_);
    if (finds_levels_) {
      choose_references();
    } else {
      for (std::size_t f = 0; f < rows_of_reference_.size(); ++f) sums_.encoding.features[f].reference_rows = rows_of_reference_[f];
      sums_.statistics.set_encoding(sums_.encoding, args_.target);
    }
    sums_.notes = stream_.notes();
    sums_.warnings = row_numbers_.warnings(sums_.encoding.names());
    if (stream_.num_dropped() == 0) return;
    const auto worst = static_cast<std::size_t>(std::ranges::max_element(stream_.num_missing()) - stream_.num_missing().begin());
    sums_.notes.push_back(note_of_dropped(stream_.num_dropped(), names_[worst], stream_.num_missing()[worst]));
  }

  // Statistics with every level can be added to those of other parts, whatever their levels are.
  void choose_references() {
    std::vector<std::string> references = args_.reference;
    for (const auto& [column, levels] : levels_) references.push_back(column + "=" + levels.front());
    if (for_fit_ || !references.empty()) sums_.statistics = sums_.statistics.with_references(references);
    sums_.encoding = sums_.statistics.encoding();
  }

  const FitArguments& args_;
  bool for_fit_, finds_levels_ = false;
  Levels levels_;
  TableSums sums_;
  TableStream stream_;
  std::vector<std::string> names_;
  std::vector<double> rows_of_reference_;  // per feature
  RowNumbers row_numbers_;
};

}  // namespace

TableSums sums_of_table(const FitArguments& args, StatisticsForm form, bool for_fit, const std::vector<std::string>& levels) {
  if (args.missing == "impute")
    throw refused("--missing",
                  "impute fills gaps from the other rows, which a table that is read in pieces does not keep; use --missing drop here");
  return Reader(args, form, for_fit, levels).read();
}

void save_uninterrupted(const std::string& path, const LinearStatistics& statistics, bool shows_progress) {
  const ProgressLine progress(shows_progress, "writing");
  const UninterruptedWrite guard;
  save_statistics(path, statistics);
}

}  // namespace ardvark::cli
