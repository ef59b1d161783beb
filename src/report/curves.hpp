// The curves of kernel machines and relevance vector machines: what is drawn in a report and in the terminal.
#pragma once

#include <string>
#include <vector>

#include "ardvark/html_report.hpp"

namespace ardvark::internal::report {

/// The inputs of a machine.
struct MachineInputs {
  Vector center;                   ///< [d] where the other inputs are held: their means
  std::vector<Interval> range;     ///< [d] of the rows that are given, and of those that the machine keeps
  std::vector<bool> varies;        ///< [d]
  std::vector<std::string> names;  ///< [d]
  std::vector<double> importance;  ///< [d] the larger the more it matters
};
/// Of a model that is a machine.
[[nodiscard]] MachineInputs inputs_of(const SavedModel& model, const ReportRows& rows);

/// A column of numbers, or one of texts with an input for each level.
struct MachineFeature {
  const FeatureColumn* texts;  ///< null: numbers
  Index first;                 ///< input
  double importance;
};
/// Those that vary, the most important one first.
[[nodiscard]] std::vector<MachineFeature> features_of(const SavedModel& model, const MachineInputs& inputs);

/// Rows in which input j goes over its range.
[[nodiscard]] Matrix grid_of(const MachineInputs& inputs, Index j, Index num_points);
/// A row for each level of a column of texts.
[[nodiscard]] Matrix rows_of_levels(const MachineInputs& inputs, Index first, Index num_levels);

/// Predictions along a curve: one line for a regression and two classes, otherwise one for each of the first three classes.
struct MachineCurve {
  std::vector<Vector> lines;
  std::vector<std::string> names;  ///< classes; empty: a regression
  Vector lower, upper;             ///< a regression: the interval of the curve
  [[nodiscard]] bool is_regression() const { return names.empty(); }
};
[[nodiscard]] MachineCurve curve_at(const SavedModel& model, const Matrix& X, double level);

/// The name of the target of a model.
[[nodiscard]] const std::string& target_name(const SavedModel& model);

}  // namespace ardvark::internal::report
