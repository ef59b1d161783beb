// Statistics of many targets as a file, in the layout of a model file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/triangle.hpp"
#include "frame/frame.hpp"
#include "io/fit_record.hpp"
#include "io/json_reader.hpp"
#include "io/safetensors.hpp"
#include "io/summary_text.hpp"
#include "io/text.hpp"
#include "rows/target_statistics_state.hpp"

namespace ardvark {

using namespace internal;

namespace {

using io::Json;
using TargetState = TargetStatistics::State;
constexpr const char* format_of_target_statistics = "ardvark-target-statistics";
constexpr int version_of_target_statistics = 1;  // all have checksums
constexpr const char* key_of_target_statistics = "statistics";
constexpr TargetStatus status_of_sums[] = {TargetStatus::converged, TargetStatus::not_finite, TargetStatus::out_of_range};

// The sums of targets that are not right are written as 0.
Matrix of_right_targets(const TargetState& state, Matrix numbers) {
  for (Index k = 0; k < numbers.cols(); ++k)
    if (state.status[static_cast<std::size_t>(k)] != TargetStatus::converged) numbers.col(k).setZero();
  return numbers;
}

void fill_target_sums(io::SafetensorsWriter& file, const TargetState& state) {
  const bool is_empty = !(state.sums.weight > 0);
  std::vector<std::string> names = state.columns;
  if (is_empty) names = complete_names(std::move(names), state.num_columns);  // no array says how many columns there are
  const Json description = {{"rows", state.num_rows},       {"weighted_rows", state.num_weighted},
                            {"columns", state.num_columns}, {"targets", state.num_targets},
                            {"column_names", names},        {"target_names", state.targets}};
  file.metadata = {{"format", format_of_target_statistics},
                   {"format_version", std::to_string(version_of_target_statistics)},
                   {key_of_target_statistics, description.dump()}};
  Vector status(state.num_targets), mean = state.mean();
  for (Index k = 0; k < status.size(); ++k)
    status[k] =
        static_cast<double>(std::ranges::find(status_of_sums, state.status[static_cast<std::size_t>(k)]) - std::begin(status_of_sums));
  if (!is_empty) mean.tail(state.num_targets) = of_right_targets(state, mean.tail(state.num_targets).transpose()).row(0).transpose();
  file.add_vector("status", std::move(status));
  file.add_vector("weight", Vector(Vector::Constant(1, state.sums.weight)));
  file.add_vector("mean", std::move(mean));
  file.add_vector("cross", packed_triangle(state.sums.cross.value()));
  file.add_matrix("target_cross", of_right_targets(state, state.sums.product.value()));
  file.add_vector("target_squares", is_empty ? Vector() : Vector(of_right_targets(state, state.sums.squares.value().transpose()).row(0)));
  file.add_checksums();
}

TargetState read_target_sums(const io::SafetensorsReader& file) {
  const auto fail = [&](const std::string& why) {
    throw InvalidArgument(fmt::format("'{}' is not an ardvark file of statistics of many targets: {}", file.path(), why));
  };
  io::check_format(file, format_of_target_statistics, version_of_target_statistics, 1);
  TargetState state;
  try {
    const Json description = io::bounded_json(file.text(key_of_target_statistics), file.most_bytes_of_tree(), file.path());
    state.num_rows = description.at("rows").whole_number();
    state.num_weighted = description.at("weighted_rows").whole_number();
    state.num_columns = description.at("columns").whole_number();
    state.num_targets = description.at("targets").whole_number();
    state.columns = description.at("column_names").texts();
    state.targets = description.at("target_names").texts();
  } catch (const io::JsonError& e) {
    fail(fmt::format("its description cannot be read ({})", e.what()));
  }
  const Vector weight = file.vector("weight"), status = file.vector("status"), cross = file.vector("cross");
  TargetMoments& sums = state.sums;
  sums.mean.high = file.vector("mean");
  sums.product.high = file.matrix("target_cross");
  sums.squares.high = file.vector("target_squares");
  const Index p = state.num_columns, K = state.num_targets, q = sums.mean.high.size(), of_targets = q == 0 ? 0 : K;
  const auto names = [](const std::vector<std::string>& all, Index count) { return all.empty() || std::ssize(all) == count; };
  const bool counts = state.num_rows >= 0 && state.num_weighted >= 0 && state.num_weighted <= state.num_rows && p >= 0 && K >= 0 &&
                      status.size() == K && weight.size() == 1 && (p > 0) == (K > 0) && (p > 0 || state.num_rows == 0);
  const bool sizes = q == 0 ? weight.size() == 1 && weight[0] == 0 && state.num_weighted == 0
                            : q == p + K && weight.size() == 1 && weight[0] > 0 && state.num_weighted > 0;
  if (!counts || !sizes || cross.size() != (q == 0 ? 0 : p * (p + 1) / 2) || sums.product.high.rows() != (q == 0 ? 0 : p) ||
      sums.product.high.cols() != of_targets || sums.squares.high.rows() != of_targets || !sums.mean.high.allFinite() ||
      !cross.allFinite() || !sums.product.high.allFinite() || !sums.squares.high.allFinite() || !std::isfinite(weight[0]) ||
      (sums.squares.high.array() < 0).any() || !(names(state.columns, p) && names(state.targets, K)) ||
      (q == 0 && std::ssize(state.columns) != p))
    fail("its numbers contradict each other");
  for (const double one : status) {
    if (one != 0 && one != 1 && one != 2) fail("its numbers contradict each other");
    state.status.push_back(status_of_sums[static_cast<std::size_t>(one)]);
  }
  sums.weight = weight[0];
  if (q == 0 && state.columns == complete_names({}, p)) state.columns = {};  // there were none
  if (q > 0) sums.cross.high = unpacked_triangle(cross, p), state.begin_block();
  return state;
}

}  // namespace

std::string summary(const TargetStatistics& statistics) {
  std::string out = "statistics of the rows of a table, of many targets\n\n";
  const Index num_rows = statistics.num_rows(), K = statistics.num_targets();
  out += io::labelled("rows", fmt::format("{}", num_rows));
  if (const double weight = statistics.weight(); weight != static_cast<double>(num_rows))
    out += io::labelled("sum of weights", fmt::format("{:.10g}", weight));
  const std::vector<std::string> names = statistics.target_names();
  out += io::labelled("targets", fmt::format("{}{}", K, names.empty() ? "" : ": " + io::printable(io::listed(names))));
  out += io::labelled("columns", fmt::format("{}: {}", statistics.num_columns(), io::printable(io::listed(statistics.column_names()))));
  const auto wrong = std::ranges::count_if(statistics.status(), [](TargetStatus one) { return one != TargetStatus::converged; });
  if (wrong > 0) out += io::labelled("not finite", fmt::format("{} of the targets, which will not be fitted", wrong));
  return out;
}

std::string TargetStatistics::to_bytes() const {
  io::SafetensorsWriter file;
  const auto closed = state_->closed();
  fill_target_sums(file, closed.get());
  return file.bytes();
}

TargetStatistics TargetStatistics::from_bytes(std::string_view bytes) {
  return TargetStatistics(read_target_sums(io::SafetensorsReader(bytes, "the bytes given")));
}

void save_target_statistics(const std::string& path, const TargetStatistics& statistics) {
  io::SafetensorsWriter file;
  const auto closed = statistics.state().closed();
  fill_target_sums(file, closed.get());
  file.write(path);
}

TargetStatistics load_target_statistics(const std::string& path) {
  const io::SafetensorsReader file(path);
  return TargetStatistics(read_target_sums(file));
}

}  // namespace ardvark
