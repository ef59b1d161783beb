// What kernel machines make of the caller's table: rows that differ, standardised inputs, and a target for each machine.
#pragma once

#include <string>
#include <vector>

#include "ardvark/types.hpp"

namespace ardvark::internal {

/// Rows with equal inputs and target become one row with the sum of their weights, and rows of weight 0 are removed. So a weight gives the
/// same result as repeated rows to the last bit, in the kernel search and in the fit.                                             (LIN.6)
/// Rows are sorted by content: another order of the rows gives the same result to the last bit.                                  (KER.13)
struct DifferentRows {
  std::vector<Index> first;  // [n] rows of the table, sorted by content
  Vector k;                  // [n]
  std::vector<Index> at;     // [rows of the table] position among the n; -1: weight 0
};
/// \param y        [n] the target: rows with other values differ
/// \param weights  [n] or empty: ones
[[nodiscard]] DifferentRows different_rows(MatrixView X, VectorView y, VectorView weights);
/// Each row by itself, in the order of the table.
[[nodiscard]] DifferentRows all_rows(Index n);
[[nodiscard]] std::vector<Index> every_row(Index n);
/// The first row of each different point, sorted by content.
[[nodiscard]] std::vector<Index> different(const Matrix& Z);
[[nodiscard]] Vector entries(VectorView v, const std::vector<Index>& at);

enum class InputScale { nothing, deviation, largest };
struct KernelInputs {
  Vector center, scale;  ///< [d] the kernel uses (x - center) * scale; scale 0: a constant input, which is left out
  Matrix range = {};     ///< [d,2] lowest and highest value
  Matrix Z = {};         ///< [n,d] the different rows as the kernel uses them
  std::vector<std::string> notes = {}, warnings = {};
};
/// \throws InvalidArgument  the values of an input spread too far, or too little, to be squared
[[nodiscard]] KernelInputs prepare_inputs(MatrixView X, const DifferentRows& rows, InputScale divide_by,
                                          const std::vector<std::string>& names);
/// Fills `scale`, notes and warnings of inputs whose centres are known. \param sd  [d] what they are divided by; 0: constant
void scale_inputs(const Vector& sd, const std::vector<std::string>& names, KernelInputs& out);
/// These rows as the kernel uses them.
[[nodiscard]] Matrix seen_inputs(MatrixView X, const std::vector<Index>& rows, const Vector& center, const Vector& scale);

/// The target of one machine. A regression or two classes have one machine, otherwise there is one for each class against the rest.
struct MachineTarget {
  Vector y;  ///< [n] in the user's units; classes: 0 and 1
  Vector t;  ///< [n] for the search: y = center + scale t
  double center = 0;
  double scale = 1;
  std::vector<std::string> classes;  ///< the classes for y = 0 and y = 1
};
/// \throws InvalidArgument  the target spreads too far, or too little, to be squared
[[nodiscard]] MachineTarget regression_target(const Vector& y, const Vector& k, std::vector<std::string>& warnings);

/// Fills `scale` of a target whose centre is known. Of a constant target, t becomes 0. \param sd  its standard deviation
void scale_target(double sd, MachineTarget& target, std::vector<std::string>& warnings);

/// \throws InvalidArgument  one class, a label without a name, or a class name that stands twice
[[nodiscard]] std::vector<std::string> names_of_classes(const Vector& labels, const std::vector<std::string>& names);

struct ClassTargets {
  std::vector<std::string> classes;  ///< ascending
  std::vector<MachineTarget> targets = {};
};
/// \param names  names of the labels 0, 1, ..; empty: the numbers themselves
/// \throws InvalidArgument  one class, a class name that stands twice, or nearly as many classes as rows
[[nodiscard]] ClassTargets class_targets(const Vector& labels, const std::vector<std::string>& names);

}  // namespace ardvark::internal
