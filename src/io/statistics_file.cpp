// Statistics as a file, in the layout of a model file.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "io/encoding_record.hpp"
#include "io/json_reader.hpp"
#include "io/safetensors.hpp"
#include "io/summary_text.hpp"
#include "io/text.hpp"
#include "rows/statistics_state.hpp"

namespace ardvark {

using namespace internal;

namespace {

using io::Json;
constexpr const char* format_name = "ardvark-statistics";
constexpr int newest_version = 1, first_with_checksum = 1;
constexpr const char* description_key = "statistics";

void fill(io::SafetensorsWriter& file, const LinearStatistics::State& state) {
  Moments total = state.total().value_or(Moments());
  Json description = {{"form", to_string(state.form)},
                      {"rows", state.num_rows},
                      {"weighted_rows", state.num_weighted},
                      {"columns", state.num_columns},
                      {"target", state.target}};
  io::add_encoding(description, state.encoding);
  file.metadata = {{"format", format_name}, {"format_version", std::to_string(newest_version)}, {description_key, description.dump()}};
  file.add_vector("weight", Vector(Vector::Constant(1, total.weight)));
  file.add_vector("mean", std::move(total.mean));
  file.add_vector("cross", std::move(total.packed));
  file.add_checksums();
}

LinearStatistics::State read(const io::SafetensorsReader& file) {
  const auto fail = [&](const std::string& why) {
    throw InvalidArgument(fmt::format("'{}' is not an ardvark statistics file: {}", file.path(), why));
  };
  io::check_format(file, format_name, newest_version, first_with_checksum);
  LinearStatistics::State state;
  Moments total;
  try {
    const Json description = io::bounded_json(file.text(description_key), file.most_bytes_of_tree(), file.path());
    state.form = total.form = statistics_form(description.at("form").text());
    state.num_rows = description.at("rows").whole_number();
    state.num_weighted = description.at("weighted_rows").whole_number();
    state.num_columns = description.at("columns").whole_number();
    state.target = description.at("target").text();
    state.encoding = io::read_encoding(description);
    state.columns = state.encoding.names();
  } catch (const io::JsonError& e) {
    fail(fmt::format("its description cannot be read ({})", e.what()));
  }
  const Vector weight = file.vector("weight");
  total.mean = file.vector("mean");
  total.packed = file.vector("cross");
  const Index q = total.size();
  const bool named = state.columns.empty() || static_cast<Index>(state.columns.size()) == state.num_columns;
  if (state.num_rows < 0 || state.num_weighted < 0 || state.num_weighted > state.num_rows || weight.size() != 1 || !(weight[0] >= 0) ||
      (q == 0 ? weight[0] != 0 : q != state.num_columns + 1 || !(weight[0] > 0) || state.num_weighted == 0) ||
      total.packed.size() != q * (q + 1) / 2 || !is_finite(total) || !std::isfinite(weight[0]) || !named)
    fail("its numbers contradict each other");
  total.weight = weight[0];
  if (q > 0) state.closed = std::move(total);
  return state;
}

}  // namespace

std::string LinearStatistics::to_bytes() const {
  io::SafetensorsWriter file;
  fill(file, *state_);
  return file.bytes();
}

LinearStatistics LinearStatistics::from_bytes(std::string_view bytes) {
  return LinearStatistics(read(io::SafetensorsReader(bytes, "the bytes given")));
}

std::string summary(const LinearStatistics& statistics) {
  std::string out = "statistics of the rows of a table\n\n";
  const Index num_rows = statistics.num_rows();
  out += io::labelled("rows", fmt::format("{}", num_rows));
  if (const double weight = statistics.weight(); weight != static_cast<double>(num_rows))
    out += io::labelled("sum of weights", fmt::format("{:.10g}", weight));
  if (!statistics.target().empty()) out += io::labelled("target", io::printable(statistics.target()));
  out += io::labelled("columns", fmt::format("{}: {}", statistics.num_columns(), io::printable(io::listed(statistics.column_names()))));
  const FeatureEncoding& encoding = statistics.encoding();
  for (const FeatureColumn& f : encoding.features) {
    if (!f.categorical) continue;
    std::string text = fmt::format("{}: levels {}", f.name, io::listed(f.levels));
    if (encoding.dummies == Dummies::all_but_reference && !f.levels.empty())
      text += fmt::format("; compared with {}", f.levels[static_cast<std::size_t>(f.reference)]);
    out += io::labelled("text column", io::printable(text));
  }
  return out + io::labelled("form", to_string(statistics.form()));
}

void save_statistics(const std::string& path, const LinearStatistics& statistics) {
  io::SafetensorsWriter file;
  fill(file, statistics.state());
  file.write(path);
}

LinearStatistics load_statistics(const std::string& path) {
  const io::SafetensorsReader file(path);
  return LinearStatistics(read(file));
}

}  // namespace ardvark
