// Tables of numbers and texts, and how they become matrices.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "capi/arguments.hpp"
#include "core/refusals.hpp"
#include "model/missing.hpp"
#include "model/refused_options.hpp"

struct ardvark_table {
  struct Column {  // exactly one of the two lists has entries
    std::string name;
    std::vector<double> numbers = {};
    std::vector<std::optional<std::string>> texts = {};
  };
  ardvark::Index rows = 0;
  std::vector<Column> columns = {};
  std::unordered_set<std::string> names = {};
};

namespace ardvark::internal::capi {
namespace {

using Column = ardvark_table::Column;

Column& new_column(ardvark_table& table, const char* name) {
  Column column{std::string(&required(name, "name"))};
  if (!table.names.insert(column.name).second) throw wrong("name", column.name, "the table has a column of this name");
  return table.columns.emplace_back(std::move(column));
}

// Spells its options as the other languages can translate them: "--missing drop".
ModelOptions as_an_option(ModelOptions options) {
  options.spelling = Spelling::command_line;
  return options;
}

// The columns that have one of these names; all of them if `features` is empty, or if one is absent: the message then names a similar one.
Table table_of(const ardvark_table& table, const std::vector<FeatureColumn>& features, bool keeps_gaps, const std::string& remedy) {
  std::vector<ColumnView> views;
  std::vector<std::vector<const char*>> texts;
  std::unordered_set<std::string_view> wanted;
  for (const FeatureColumn& feature : features) wanted.insert(feature.name);
  const bool reads_all = std::ranges::any_of(wanted, [&](std::string_view name) { return !table.names.contains(std::string(name)); });
  for (const Column& column : table.columns) {
    if (!features.empty() && !reads_all && !wanted.contains(column.name)) continue;
    std::vector<const char*>& here = texts.emplace_back();
    for (const auto& text : column.texts) here.push_back(text ? text->c_str() : nullptr);
    views.push_back({column.name, column.numbers, here});
  }
  return make_table(table.rows, views, keeps_gaps ? Missing::keep : Missing::refuse, remedy);
}

// The rows of a piece count from 1: a message gets the row over all calls.
Table table_after(Index before, const ardvark_table& table) try { return table_of(table, {}, true, {}); } catch (const InvalidArgument& e) {
  if (e.fields().row == 0) throw;
  throw e.changed([&](ErrorFields& fields) { fields.row += before; });
}

}  // namespace

Table table_of_encoding(const ardvark_table& table, const ardvark_encoding& encoding) {
  return table_of(table, encoding.encoding.features, encoding.encoding.keeps_gaps, encoding.remedy);
}

}  // namespace ardvark::internal::capi

using namespace ardvark;
using namespace ardvark::internal;
using namespace ardvark::internal::capi;

extern "C" {

ardvark_code ardvark_table_create(int64_t rows, ardvark_table** table, ardvark_error* error) {
  return guarded(error, [&] {
    if (rows < 1) throw InvalidArgument(fmt::format("the table has no rows (rows is {}); give at least one", rows));
    store(table, "table", [&] { return new ardvark_table{rows}; });
  });
}
void ardvark_table_free(ardvark_table* table) { delete table; }

ardvark_code ardvark_table_add_numbers(ardvark_table* table, const char* name, const double* values, ardvark_error* error) {
  return guarded(error, [&] {
    ardvark_table& to = required(table, "table");
    const double* const from = &required(values, "values");
    std::vector<double> numbers(from, from + to.rows);
    new_column(to, name).numbers = std::move(numbers);
  });
}

ardvark_code ardvark_table_add_texts(ardvark_table* table, const char* name, const char* const* values, ardvark_error* error) {
  return guarded(error, [&] {
    ardvark_table& to = required(table, "table");
    const char* const* const from = &required(values, "values");
    std::vector<std::optional<std::string>> texts(static_cast<std::size_t>(to.rows));
    for (std::size_t i = 0; i < texts.size(); ++i)
      if (from[i] != nullptr) texts[i] = from[i];
    new_column(to, name).texts = std::move(texts);
  });
}

ardvark_code ardvark_encoding_create(const ardvark_table* table, const ardvark_options* options, ardvark_encoding** encoding,
                                     ardvark_error* error) {
  return made(encoding, "encoding", error, [&] {
    const ModelOptions all = options == nullptr ? ModelOptions() : options->options;
    std::string remedy = remedy_of_gap(as_an_option(all), can_impute(all));
    const Table given = table_of(required(table, "table"), {}, missing_of(all) != Missing::refuse, remedy);
    return ardvark_encoding{make_encoding(given, {}, all), std::move(remedy)};
  });
}
void ardvark_encoding_free(ardvark_encoding* encoding) { delete encoding; }

ardvark_code ardvark_encoding_apply(const ardvark_encoding* encoding, const ardvark_table* table, ardvark_array* X, ardvark_error* error) {
  return guarded(error, [&] {
    ardvark_array& out = array_of(X, "X");
    const ardvark_encoding& how = required(encoding, "encoding");
    EncodedTable encoded = encode(table_of_encoding(required(table, "table"), how), how.encoding);
    out.data = encoded.values.release();  // both are freed by std::free
    out.dimensions = 2;
    out.shape[0] = encoded.rows;
    out.shape[1] = encoded.cols;
  });
}

ardvark_code ardvark_encoding_is_sparse(const ardvark_encoding* encoding, int64_t rows, const ardvark_options* options, int32_t* is_sparse,
                                        ardvark_error* error) {
  return guarded(error, [&] {
    const FeatureEncoding& how = required(encoding, "encoding").encoding;
    required(is_sparse, "is_sparse") = is_better_sparse(rows, how, options == nullptr ? ModelOptions() : options->options) ? 1 : 0;
  });
}

ardvark_code ardvark_encoding_result(const ardvark_encoding* encoding, ardvark_result** result, ardvark_error* error) {
  return reported(result, error, [&] { return required(encoding, "encoding").encoding; });
}

ardvark_code ardvark_options_set_encoding(ardvark_options* options, const ardvark_encoding* encoding, ardvark_error* error) {
  return guarded(error, [&] { required(options, "options").options.encoding = required(encoding, "encoding").encoding; });
}

ardvark_code ardvark_model_encoding(const ardvark_model* model, ardvark_encoding** encoding, ardvark_error* error) {
  return made(encoding, "encoding", error, [&] {
    const SavedModel& known = *required(model, "model").model;
    ardvark_encoding out{known.encoding, remedy_of_new_gap(known, as_an_option({}))};
    out.encoding.keeps_gaps = known.imputation.has_value();
    return out;
  });
}

ardvark_code ardvark_statistics_update_table(ardvark_statistics* statistics, const ardvark_table* table, const char* target,
                                             const char* weights, ardvark_error* error) {
  return guarded(error, [&] {
    const ardvark_table& piece = required(table, "table");
    LinearStatistics& all = required(statistics, "statistics").statistics;
    all.update(table_after(all.num_rows(), piece), &required(target, "target"), weights == nullptr ? "" : weights);
  });
}
ardvark_code ardvark_statistics_encoding(const ardvark_statistics* statistics, const ardvark_options* options, ardvark_encoding** encoding,
                                         ardvark_error* error) {
  return made(encoding, "encoding", error, [&] {
    const ModelOptions all = options == nullptr ? ModelOptions() : options->options;
    const LinearStatistics& of = required(statistics, "statistics").statistics;
    const bool has_every_level = all.model == "kernel" && of.encoding().dummies == Dummies::every_level;
    return has_every_level ? of.encoding() : of.with_references(all.reference).encoding();
  });
}

}  // extern "C"
