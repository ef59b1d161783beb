// Reads CSV text as a table, and encodes the table as X. The first two bytes of an input set the options.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "ardvark/errors.hpp"
#include "ardvark/table.hpp"
#include "io/csv_records.hpp"
#include "memory.hpp"
#include "memory_file.hpp"

namespace {

using namespace ardvark;
using namespace ardvark::internal;
using fuzz::MemoryFile;

constexpr std::size_t reader_buffer = (std::size_t{2} << 20) + (std::size_t{1} << 19);  // the first buffers, for any file

// Bytes for each field of the widest row and for each level: a row is split as a whole, and a column has a name, a kind and levels.
constexpr std::size_t for_each_field = 600;

std::size_t most_fields(std::string_view text, std::optional<char> delimiter) {
  const bool has_quotes = text.find('"') != std::string_view::npos;  // a line break is then not always the end of a row
  std::size_t most = 1, here = 1;
  for (const char c : text) {
    if (c == '\n' && !has_quotes)
      here = 1;
    else if (delimiter ? c == *delimiter : std::string_view(",;\t| ").find(c) != std::string_view::npos)
      most = std::max(most, ++here);
  }
  return most;
}

// The names and fields that a reader with this buffer finds. If there are several errors, another buffer may find another one first.
std::string records_of(const std::string& path, std::optional<char> delimiter, std::size_t buffer) try {
  io::CsvRecords records(path, {.delimiter = delimiter}, false, buffer);
  std::string all;
  for (const std::string& name : records.names()) all += name + '\x1f';
  while (records.next())
    for (io::CsvField& field : records.fields()) all += std::string(field.text()) + (field.quoted ? "\x1e" : "\x1f");
  return all;
} catch (const InvalidArgument&) {
  return "a fault";
}

void check_values(const Table& table, bool may_have_gaps) {
  for (Index j = 0; j < table.num_columns(); ++j)
    for (Index i = 0; i < table.num_rows; ++i) {
      const double value = table.value(i, j);
      if (may_have_gaps && std::isnan(value)) continue;
      fuzz::require(std::isfinite(value));
      const auto& column = table.columns[static_cast<std::size_t>(j)];
      fuzz::require(!column.categorical || (value >= 0 && value < static_cast<double>(column.levels.size()) && value == std::floor(value)));
    }
}

// A reference is one of the levels.
FeatureEncoding encoding_of(const Table& table, Dummies dummies, bool with_reference, bool may_have_gaps) {
  std::vector<std::string> references;
  if (with_reference && table.columns.front().categorical) {
    const TableColumn& first = table.columns.front();
    if (!first.levels.empty()) references.push_back(first.name + "=" + first.levels.back());
  }
  FeatureEncoding encoding = make_encoding(table, {}, dummies, references);
  encoding.keeps_gaps = may_have_gaps;
  for (const FeatureColumn& feature : encoding.features)
    fuzz::require(!feature.categorical || feature.levels.empty() ||
                  (feature.reference >= 0 && feature.reference < static_cast<Index>(feature.levels.size())));
  return encoding;
}

void use(Table&& table, Dummies dummies, bool with_reference, bool may_have_gaps) {
  fuzz::require(table.num_rows > 0 && table.num_columns() > 0);
  check_values(table, may_have_gaps);
  const FeatureEncoding encoding = encoding_of(table, dummies, with_reference, may_have_gaps);
  const Index rows = table.num_rows;
  // A text column becomes one number per row and level. This needs much memory, but it is not an error of the reader.
  if (encoding.num_columns() > 4 * table.num_columns()) return;
  const EncodedTable encoded = encode(std::move(table), encoding);
  fuzz::require(encoded.rows == rows && encoded.cols == encoding.num_columns());
  fuzz::require(static_cast<Index>(encoding.names().size()) == encoded.cols &&
                static_cast<Index>(encoding.groups().size()) == encoded.cols);
  const double* const values = encoded.values.get();
  fuzz::require(
      std::all_of(values, values + rows * encoded.cols, [&](double x) { return std::isfinite(x) || (may_have_gaps && std::isnan(x)); }));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const unsigned how = data[0], gaps = data[1];
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  if (text.starts_with("PAR1")) return 0;  // for DuckDB
  const bool is_packed = text.starts_with("\x1F\x8B") || text.starts_with("\x28\xB5\x2F\xFD");
  const MemoryFile file(text);
  CsvOptions options;
  if ((how & 3U) != 3U) options.delimiter = (how & 3U) == 0 ? ',' : (how & 3U) == 1 ? ';' : '\t';  // else it is found
  options.missing = (how & 4U) != 0 ? Missing::drop_rows : Missing::refuse;
  if ((gaps & 1U) != 0) options.missing = Missing::keep;
  if ((gaps & 2U) != 0) options.missing_markers = {".", "-9"};
  if ((how & 8U) != 0) options.categorical = {"b"};
  if ((how & 16U) != 0) options.ignore = {"a"};
  if ((how & 32U) != 0) options.only = {"y", "a"};
  try {
    std::optional<fuzz::MemoryLimit> limit;  // nobody knows how long a text is before it is unpacked
    if (!is_packed) limit.emplace(size, reader_buffer + (std::size_t{1} << 16) + for_each_field * most_fields(text, options.delimiter));
    use(read_csv(file.path(), options), (how & 64U) != 0 ? Dummies::every_level : Dummies::all_but_reference, (gaps & 4U) != 0,
        (gaps & 1U) != 0);
  } catch (const Error&) {
    // a message for the author of the file
  }
  if ((how & 128U) != 0) fuzz::require(records_of(file.path(), options.delimiter, 1) == records_of(file.path(), options.delimiter, 4096));
  return 0;
}
