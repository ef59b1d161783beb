// CSV text that is read in pieces gives the table that is read at once, or is refused as it is. The first two bytes of an input set the
// options and the size of the pieces.
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ardvark/errors.hpp"
#include "ardvark/table.hpp"
#include "ardvark/table_stream.hpp"
#include "memory_file.hpp"

namespace {

using namespace ardvark;
using fuzz::MemoryFile;

// The names and numbers of X; empty: the table is refused.
std::string text_of(const FeatureEncoding& encoding) {
  std::string out;
  for (const std::string& name : encoding.names()) out += name + '\x1f';
  return out + '\n';
}

std::string text_of(Table&& table, const FeatureEncoding& encoding) {
  const EncodedTable X = encode(std::move(table), encoding);
  std::string out;
  for (Index i = 0; i < X.rows * X.cols; ++i) out += fmt::format("{},", X.values[static_cast<std::size_t>(i)]);
  return out;
}

std::string read_at_once(const std::string& path, const CsvOptions& options) try {
  Table table = read_csv(path, options);
  const FeatureEncoding encoding = make_encoding(table, {});
  if (encoding.num_columns() > 4 * table.num_columns()) return "too wide";
  return text_of(encoding) + text_of(std::move(table), encoding);
} catch (const Error&) {
  return "";
}

std::string read_in_pieces(const std::string& path, const CsvOptions& options, Index most_rows) try {
  TableStream stream({path}, options);
  FactsOfColumns facts;
  Table piece;
  while (stream.next(piece, most_rows)) facts.add(piece);
  stream.rewind();
  const FeatureEncoding encoding = make_encoding(facts.facts(), {});
  if (encoding.num_columns() > 4 * static_cast<Index>(facts.facts().size())) return "too wide";
  std::string out = text_of(encoding);
  while (stream.next(piece, most_rows)) out += text_of(std::move(piece), encoding);
  return out;
} catch (const Error&) {
  return "";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const unsigned how = data[0], rows = data[1];
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const MemoryFile file(text);
  CsvOptions options;
  if ((how & 3U) != 3U) options.delimiter = (how & 3U) == 0 ? ',' : (how & 3U) == 1 ? ';' : '\t';  // else it is found
  options.missing = (how & 4U) != 0 ? Missing::drop_rows : Missing::refuse;
  if ((how & 8U) != 0) options.categorical = {"b"};
  if ((how & 16U) != 0) options.ignore = {"a"};
  if ((how & 32U) != 0) options.only = {"y", "a"};
  if ((how & 64U) != 0) options.missing_markers = {".", "-9"};
  const std::string whole = read_at_once(file.path(), options), pieces = read_in_pieces(file.path(), options, 1 + rows % 16);
  if (whole == pieces) return 0;
  std::abort();
}
