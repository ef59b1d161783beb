#include "frame/frame.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "core/classes.hpp"
#include "core/refusals.hpp"
#include "core/validate.hpp"
#include "frame/prepare.hpp"
#include "frame/standard_target.hpp"
#include "preset/preset.hpp"
#include "target/target.hpp"

namespace ardvark::internal {
namespace {

// The target in its own units.
void standardise_target(VectorView y, Frame& frame) {
  StandardTarget standard = standard_target(y.eigen(), frame.k, frame.options, frame.stand_in.y);
  frame.target = std::move(standard.y);
  frame.units.y_center = standard.center;
  frame.units.y_scale = standard.scale;
  if (!standard.warning.empty()) frame.warnings.push_back(std::move(standard.warning));
}

// Under a Laplace prior, columns are prepared as for a model, also in a preset; except with compat.
Prepared prepare_columns_of(const Frame& frame) {
  const FitOptions& options = frame.options;
  if (options.prior.kind != PriorKind::laplace || options.compat)
    return prepare_columns(frame.X, frame.k, options, frame.stand_in, frame.offset_column);
  FitOptions model = options;
  model.preset.clear();
  return prepare_columns(frame.X, frame.k, model, frame.stand_in);
}

TwoClasses classes_of(Task task, VectorView y, const FitOptions& options) {
  if (!has_classes(task)) return {};
  return read_two_classes(y, weights_or_ones(options.weights, y.size()), preset_facts(options.preset).signs);
}

void take_target(Task task, VectorView y, TwoClasses classes, Frame& frame) {
  frame.task = task;
  frame.classes = std::move(classes.names);
  if (has_classes(task)) frame.target = std::move(classes.t);
  if (has_noise(task)) standardise_target(y, frame);
  if (is_count(task)) frame.target = y.eigen();
}

void take_offset(Frame& frame) {
  const FitOptions& options = frame.options;
  frame.offset_column = offset_column_of(options, frame.names);
  if (!options.row_offset.empty()) {
    if (frame.offset_column) throw refused("row_offset", "cannot be given beside exposure or offset_column: there is one offset");
    validate::vector(options.row_offset, frame.X.rows(), "row_offset");
    frame.offset = options.row_offset.eigen();
    for (Index i = 0; i < frame.offset.size(); ++i)
      if (frame.k[i] > 0 && std::abs(frame.offset[i]) > most_offset)
        throw InvalidArgument(
            {.argument = "row_offset", .value = fmt::format("{:g}", frame.offset[i]), .row = i + 1, .why = offset_limits});
  }
  if (!frame.offset_column || frame.stand_in.weight > 0) return;  // rows that are not in memory bring it in each pass
  const Index column = frame.offset_column->column;
  frame.offset = offset_in("X", frame.X, *frame.offset_column, frame.names[static_cast<std::size_t>(column)], frame.k);
}

}  // namespace

std::optional<OffsetColumn> offset_column_of(const FitOptions& options, const std::vector<std::string>& names) {
  const bool is_exposure = !options.exposure.empty();
  const std::string option = is_exposure ? "exposure" : "offset_column", &name = is_exposure ? options.exposure : options.offset_column;
  if (is_exposure && !options.offset_column.empty())
    throw refused("offset_column", "cannot be given beside exposure: there is one offset, and it may be the logarithm of an exposure");
  if (name.empty()) return std::nullopt;
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    constexpr std::size_t most_characters = 60;  // a list of numbers is no name
    const std::string given = name.size() > most_characters ? name.substr(0, most_characters) + "..." : name;
    const std::span shown(names.begin(), std::min<std::size_t>(names.size(), 5));
    throw refused(option, given,
                  fmt::format("is not a column of numbers of the table, target, weights and ignored columns apart; it has '{}'{}",
                              fmt::join(shown, "', '"), names.size() > 5 ? " and others" : ""));
  }
  const Index column = found - names.begin();
  if (std::ranges::find(options.prior.flat_columns, column) != options.prior.flat_columns.end())
    throw refused(option, name, "is also named by flat; it has no coefficient");
  return OffsetColumn{column, is_exposure};
}

Frame frame_of_columns(const FitTable& X, const FitOptions& options, std::shared_ptr<double[]> memory, StandIn stand_in) {
  Frame frame;
  frame.stand_in = std::move(stand_in);
  frame.options = options;
  frame.X = X;
  frame.memory = std::move(memory);
  frame.k = weights_or_ones(options.weights, X.rows());
  frame.rows = frame.k.sum();
  const double whole = std::round(frame.rows);  // the weights of a stand-in are shares of it
  if (frame.stand_in.weight > 0 && std::abs(frame.rows - whole) < 1e-12 * whole) frame.rows = whole;
  frame.names = complete_names(options.column_names, X.cols());
  take_offset(frame);
  Prepared prepared = prepare_columns_of(frame);
  frame.units.standardization = std::move(prepared.standardization);
  frame.left_out = std::move(prepared.left_out);
  frame.notes = std::move(prepared.notes);
  frame.warnings = std::move(prepared.warnings);
  return frame;
}

Frame make_frame(Task task, const FitTable& X, VectorView y, const FitOptions& options, std::shared_ptr<double[]> memory,
                 StandIn stand_in) {
  TwoClasses classes = classes_of(task, y, options);  // wrong labels are refused before the columns are read
  Frame frame = frame_of_columns(X, options, std::move(memory), std::move(stand_in));
  take_target(task, y, std::move(classes), frame);
  return frame;
}

Frame with_target(Frame columns, Task task, VectorView y) {
  take_target(task, y, classes_of(task, y, columns.options), columns);
  return columns;
}

Vector Frame::origin() const {
  const Standardization s = user_units().standardization;
  const Index p = num_columns();
  Vector origin = Vector::Zero(p + 1);
  for (Index j = 0; j < p; ++j)
    if (s.center.size() > 0) origin[j] = -s.center[j] * s.scale[j];
  origin[p] = 1;
  return origin;
}

Units Frame::user_units() const {
  Units out = units;
  if (stand_in.x.size() > 0) out.standardization.center += stand_in.x;
  out.y_center += stand_in.y;
  return out;
}

double bound_offset(const std::vector<Index>& flat_columns, const Units& units, double rows) {
  double offset = -rows * std::log(units.y_scale);
  for (Index j : flat_columns) {
    const bool scaled = units.standardization.scale.size() > j;
    offset += std::log(units.y_scale) + (scaled ? std::log(units.standardization.scale[j]) : 0.0);
  }
  return offset;
}

std::vector<std::string> complete_names(std::vector<std::string> names, Index num_columns) {
  for (Index j = static_cast<Index>(names.size()); j < num_columns; ++j) names.push_back(validate::column_name({}, j));
  return names;
}

}  // namespace ardvark::internal
