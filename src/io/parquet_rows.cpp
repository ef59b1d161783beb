#include "io/parquet_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <regex>
#include <string_view>

#include "ardvark/errors.hpp"
#include "core/pulse.hpp"
#include "io/arrow_schema.hpp"
#include "io/duckdb.hpp"
#include "io/json_reader.hpp"
#include "io/text.hpp"

namespace ardvark::internal::io {

struct ParquetColumn {
  std::string name, type;
  std::string in_duckdb;   // its name there: names that differ in case only, gene and GENE, are gene and GENE_1
  std::string means = {};  // what its numbers are no numbers of: "durations", "periods"
};

namespace {

constexpr std::string_view parquet_mark = "PAR1";

// The file itself, even if its name has the characters of a pattern.
std::string quoted_path(const std::string& path) {
  std::string name;
  for (const char c : path) name += c == '*' || c == '?' || c == '[' ? fmt::format("[{}]", c) : std::string(1, c);
  return in_quotes(name, '\'');
}

// Names of folders such as year=2024 are no columns.
std::string reading(const std::string& path) { return fmt::format("read_parquet({}, hive_partitioning = false)", quoted_path(path)); }

enum class Type { number, truth, text, time, other };
Type type_of(const ParquetColumn& column) {
  const std::string_view name = column.type;
  if (!column.means.empty()) return Type::time;
  for (const std::string_view number : {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER",
                                        "UBIGINT", "UHUGEINT", "FLOAT", "DOUBLE"})
    if (name == number) return Type::number;
  if (name.ends_with("]")) return Type::other;  // a list
  if (name.starts_with("DECIMAL(")) return Type::number;
  if (name == "BOOLEAN") return Type::truth;
  if (name == "VARCHAR" || name.starts_with("ENUM(")) return Type::text;
  if (name.starts_with("DATE") || name.starts_with("TIME") || name == "INTERVAL") return Type::time;
  return Type::other;
}

// The names in the file. \returns nothing if its schema is none that is known here
std::vector<std::string> names_in(const DuckDb& duckdb, const std::string& path) {
  const auto answer =
      duckdb.ask(fmt::format("SELECT name, coalesce(num_children, 0)::DOUBLE FROM parquet_schema({})", quoted_path(path)), 2, path);
  std::vector<std::string> out;
  std::vector<double> open;  // children still to come, of the whole and of what it holds: they are in the order of a walk
  while (answer->next())
    for (std::size_t i = 0; i < answer->num_rows(); ++i) {
      if (open.size() == 1) out.emplace_back(answer->column<DuckDbText>(0)[i].view());
      if (!open.empty()) --open.back();
      if (const double children = answer->column<double>(1)[i]; children > 0 || open.empty()) open.push_back(children);
      while (open.size() > 1 && open.back() == 0) open.pop_back();
    }
  return out;
}

std::vector<ParquetColumn> columns_of(const DuckDb& duckdb, const std::string& path) {
  const auto answer = duckdb.ask(fmt::format("SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM {})", reading(path)), 2, path);
  std::vector<ParquetColumn> out;
  while (answer->next())
    for (std::size_t i = 0; i < answer->num_rows(); ++i) {
      const std::string name(answer->column<DuckDbText>(0)[i].view());
      out.push_back({name, std::string(answer->column<DuckDbText>(1)[i].view()), name});
    }
  const std::vector<std::string> names = names_in(duckdb, path);
  for (std::size_t j = 0; j < out.size() && names.size() == out.size(); ++j) out[j].name = names[j];
  return out;
}

// The values of a key in the metadata of the file: none or one.
std::vector<std::string> metadata_of(const DuckDb& duckdb, const std::string& path, std::string_view key) {
  const auto answer =
      duckdb.ask(fmt::format("SELECT decode(value) FROM parquet_kv_metadata({}) WHERE key = '{}'::BLOB", quoted_path(path), key), 1, path);
  std::vector<std::string> out;
  while (answer->next())
    for (std::size_t i = 0; i < answer->num_rows(); ++i) out.emplace_back(answer->column<DuckDbText>(0)[i].view());
  return out;
}

// What pandas says about a table that it wrote.
struct OfPandas {
  std::vector<std::string> row_labels;                // columns of labels of the rows; it would take them for labels again
  std::map<std::string, std::string> type_of_column;  // such as "timedelta64[ns]"
};
OfPandas words_of_pandas(const DuckDb& duckdb, const std::string& path) {
  constexpr std::size_t most_bytes = std::size_t{256} << 20;
  OfPandas out;
  for (const std::string& words : metadata_of(duckdb, path, "pandas")) try {
      const Json about = bounded_json(words, most_bytes, path);
      for (const Json& label : about.at("index_columns").list())
        if (label.is_string()) out.row_labels.push_back(label.text());  // others are ranges, which take no column
      for (const Json& column : about.at("columns").list()) {
        const Json& name = column.at(column.contains("field_name") ? "field_name" : "name");
        if (name.is_string()) out.type_of_column[name.text()] = column.at("numpy_type").text();
      }
    } catch (const JsonError&) {
      continue;  // some other program has written it
    }
  return out;
}

// Durations and periods are whole numbers in Parquet, in units that only the programs know which wrote them.
void find_meanings(std::vector<ParquetColumn>& columns, const DuckDb& duckdb, const std::string& path, const OfPandas& pandas) {
  std::vector<ArrowField> fields;
  for (const std::string& schema : metadata_of(duckdb, path, "ARROW:schema")) fields = arrow_fields(schema);
  const bool in_order = fields.size() == columns.size();
  for (std::size_t j = 0; j < columns.size(); ++j) {
    ParquetColumn& column = columns[j];
    if (type_of(column) != Type::number) continue;
    if (in_order && fields[j].is_duration) column.means = "durations";
    if (in_order && fields[j].extension == "pandas.period") column.means = "periods";
    const auto type = pandas.type_of_column.find(column.name);
    if (type == pandas.type_of_column.end() || column.type != "BIGINT") continue;
    if (type->second.starts_with("timedelta64")) column.means = "durations";
    if (type->second.starts_with("period[")) column.means = "periods";
  }
}

// The names that pandas and Dask give to labels without a name, also where another program has dropped the metadata of pandas.
bool is_named_as_row_labels(const std::string& name) {
  static const std::regex of_pandas("__index_level_[0-9]+__");
  return name == "__null_dask_index__" || std::regex_match(name, of_pandas);
}

double num_rows_of(const DuckDb& duckdb, const std::string& path) {
  const auto answer = duckdb.ask(fmt::format("SELECT count(*)::DOUBLE FROM {}", reading(path)), 1, path);
  return answer->next() ? answer->column<double>(0)[0] : 0;
}

// A column as texts. Whole numbers have all digits and no fraction, in whatever type they are, as a file of CSV has them.
std::string text_of(const ParquetColumn& column, bool as_it_is) {
  const std::string name = in_quotes(column.in_duckdb, '"'), text = fmt::format("CAST({} AS VARCHAR)", name);
  if (as_it_is || (column.type != "DOUBLE" && column.type != "FLOAT")) return text;
  return fmt::format(
      "CASE WHEN isnan({0}) THEN NULL WHEN abs({0}) < 1e18 AND {0} = trunc({0}) THEN CAST(CAST({0} AS BIGINT) AS VARCHAR) ELSE {1} END",
      name, text);
}

[[noreturn]] void refuse_column(const std::string& path, const ParquetColumn& column, Type type) {
  throw InvalidArgument(fmt::format("column '{}' of '{}' holds {} ({}); {}, or leave it out (--ignore)", shown(column.name), path,
                                    !column.means.empty() ? column.means
                                    : type == Type::time  ? "dates or times"
                                                          : "neither numbers nor texts",
                                    column.type,
                                    column.means == "durations" ? "make a number of it, such as its seconds"
                                    : type == Type::time        ? "make a number of it, such as the days since a start"
                                                                : "make numbers or texts of it"));
}

// A column that has texts, or true and false, in one file and numbers in another.
[[noreturn]] void refuse_kind(const std::string& path, const StoredColumn& column, bool were_truths, const std::string& here) {
  const std::string before = were_truths ? "true and false" : column.kind == Kind::text ? "texts" : "numbers", name = shown(column.name);
  std::string remedy = "the model needs it as in the table that it was fitted to";
  if (were_truths || here == "true and false")
    remedy = "write it in the same way in all files";
  else if (column.may_be_listed)
    remedy = fmt::format("read it as text (--categorical '{0}'), or leave it out (--ignore '{0}')", name);
  throw InvalidArgument(
      fmt::format("column '{}' of '{}' holds {}, and files before it have {} there; {}", name, path, here, before, remedy));
}

}  // namespace

bool is_parquet(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none) || std::filesystem::file_size(path, none) < parquet_mark.size()) return false;
  std::array<char, parquet_mark.size()> head;
  File::open(path).read_at(0, head.data(), head.size());
  return std::string_view(head.data(), head.size()) == parquet_mark;
}

struct ParquetRows::State {
  bool names_file;
  std::optional<DuckDb> duckdb = {};
  File file = {};
  std::uint64_t num_bytes = 0;
  double num_rows = 0;
  std::unique_ptr<DuckDbAnswer> answer = {};
  std::size_t at = 0;  // in the rows of the answer that are here
  Index row = 0;
  bool is_begun = false;
  std::vector<bool> are_truths = {};  // of each column, in the first file
  std::vector<double> missing_numbers = {};
  std::optional<std::string> note_of_row_names = {};
};

ParquetRows::ParquetRows(const CsvOptions& options, bool names_file) : TableRows(options), state_(new State{names_file}) {
  for (const std::string& marker : options.missing_markers) {
    double value = 0;
    const auto [end, error] = std::from_chars(marker.data(), marker.data() + marker.size(), value);
    if (error == std::errc() && end == marker.data() + marker.size()) state_->missing_numbers.push_back(value);
  }
}
ParquetRows::~ParquetRows() = default;

void ParquetRows::begin_columns(const std::string& path, const std::vector<ParquetColumn>& columns, std::vector<std::string> row_labels) {
  std::vector<std::string> names;
  for (const ParquetColumn& column : columns) names.push_back(column.name);
  for (const std::string& name : names)
    if (is_named_as_row_labels(name) && std::ranges::find(row_labels, name) == row_labels.end()) row_labels.push_back(name);
  std::erase_if(row_labels,
                [&](const std::string& label) { return is_mentioned(label, options_) || std::ranges::find(names, label) == names.end(); });
  if (options_.only.empty() && !row_labels.empty() && !state_->note_of_row_names)
    state_->note_of_row_names = fmt::format(
        "column{} {}, in which pandas keeps the labels of the rows, {} left out; if they are data, make a column of them (reset_index)",
        row_labels.size() == 1 ? "" : "s", listed(row_labels), row_labels.size() == 1 ? "is" : "are");
  begin_file(path, names, {}, std::move(row_labels));
  for (const StoredColumn& column : stored_)
    if (std::ranges::count(names, column.name) > 1)
      throw InvalidArgument(
          fmt::format("two columns of '{}' are named '{}'; give each column a name of its own, or leave them out: --ignore '{}'", path,
                      shown(column.name), shown(column.name)));
}

void ParquetRows::open(const std::string& path) {
  State& s = *state_;
  s.answer.reset();
  s.file = File::open(path);
  if (!is_parquet(path))
    throw InvalidArgument(fmt::format("'{}' is no Parquet file, as those before it are; the files of a table have one format", path));
  s.num_bytes = s.file.size();
  if (!s.duckdb) s.duckdb.emplace(path);
  std::vector<ParquetColumn> columns = columns_of(*s.duckdb, path);
  const OfPandas pandas = words_of_pandas(*s.duckdb, path);
  find_meanings(columns, *s.duckdb, path, pandas);
  const bool is_first_file = stored_.empty();
  begin_columns(path, columns, pandas.row_labels);
  std::vector<std::string> wanted;
  for (StoredColumn& column : stored_) {
    const ParquetColumn& here = columns[column.field];
    const Type type = type_of(here);
    if (is_first_file && column.verbatim) column.stored_type = here.type;
    if (column.stored_type != here.type) column.stored_type.clear();
    const bool as_text = column.listed || type == Type::text || type == Type::truth;
    if (!column.verbatim && (type == Type::time || type == Type::other)) refuse_column(path, here, type);
    if (is_first_file) column.kind = as_text ? Kind::text : Kind::number;
    if (as_text != (column.kind == Kind::text))
      refuse_kind(path, column, s.are_truths[wanted.size()], type == Type::truth ? "true and false" : as_text ? "texts" : "numbers");
    if (is_first_file) s.are_truths.push_back(type == Type::truth);
    wanted.push_back(as_text ? text_of(here, column.verbatim) : fmt::format("CAST({} AS DOUBLE)", in_quotes(here.in_duckdb, '"')));
  }
  s.num_rows = num_rows_of(*s.duckdb, path);
  s.answer = s.duckdb->ask(fmt::format("SELECT {} FROM {}", fmt::join(wanted, ", "), reading(path)), wanted.size(), path);
  s.at = 0, s.row = 0, s.is_begun = false;
}

bool ParquetRows::next(double* row) {
  State& s = *state_;
  const auto cell = [&](const StoredColumn& column) {
    return ErrorFields{.row = s.row,
                       .row_name = fmt::format("row {}{}", s.row, s.names_file ? fmt::format(" of '{}'", path()) : ""),
                       .column = column.name};
  };
  for (;;) {
    ++s.row;
    if (!s.is_begun || s.at == s.answer->num_rows()) {
      pulse("reading", {.done = static_cast<Index>(num_bytes_read()), .total = static_cast<Index>(s.num_bytes)});
      s.is_begun = true, s.at = 0;
      if (!s.answer->next()) return false;
    }
    const std::size_t i = s.at++;
    bool complete = true;
    for (std::size_t j = 0; j < stored_.size(); ++j) {
      StoredColumn& column = stored_[j];
      const bool is_null = s.answer->is_missing(j, i);
      std::optional<double> value;
      if (column.kind == Kind::number) {
        const double x = is_null ? std::numeric_limits<double>::quiet_NaN() : s.answer->column<double>(j)[i];
        if (std::isinf(x)) throw wrong_cell(cell(column), fmt::format("{}", x), fmt::format("{} is not finite", x));
        if (!std::isnan(x) && std::ranges::find(s.missing_numbers, x) == s.missing_numbers.end()) value = x;
      } else {
        const std::string_view text = is_null ? "" : s.answer->column<DuckDbText>(j)[i].view();
        const bool is_marker = std::ranges::find(options_.missing_markers, text) != options_.missing_markers.end();
        std::string room;
        if (column.verbatim || !(is_null || is_marker))
          value = static_cast<double>(column.levels.code(column.verbatim ? text : code_of(text, room)).first);
      }
      if (!value) complete = keeps_gap(column, options_.missing == Missing::refuse ? cell(column) : ErrorFields()) && complete;
      row[j] = value.value_or(std::numeric_limits<double>::quiet_NaN());
    }
    if (complete) return true;
    ++num_dropped_;
  }
}

Index ParquetRows::row() const { return state_->row; }
std::vector<std::string> ParquetRows::notes() const {
  return state_->note_of_row_names ? std::vector<std::string>{*state_->note_of_row_names} : std::vector<std::string>();
}
const File& ParquetRows::file() const { return state_->file; }
std::uint64_t ParquetRows::num_bytes_read() const {
  const State& s = *state_;
  const double share = s.num_rows > 0 ? std::min(1.0, static_cast<double>(s.row - 1) / s.num_rows) : 1;
  return static_cast<std::uint64_t>(share * static_cast<double>(s.num_bytes));
}

}  // namespace ardvark::internal::io
