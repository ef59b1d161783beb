// The caller's table as methods see it, built once, before a method runs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ardvark/fit.hpp"
#include "design/dense.hpp"
#include "posterior/state.hpp"

namespace ardvark::internal {

struct Frame {
  FitOptions options;
  Task task = Task::linear;
  MatrixView X;
  std::shared_ptr<double[]> memory;  ///< of X, if the caller has given it away
  Vector k;                          ///< [rows] observation weights; where there are none, ones
  double rows = 0;                   ///< their sum
  Vector target;                     ///< [rows] linear: in the units of the design; logistic: 0 and 1; counts: as they are
  std::vector<std::string> classes;  ///< logistic: the two, as the caller calls them
  Units units;                       ///< of columns and target
  std::vector<bool> left_out;        ///< [columns] of the table: they take no part
  std::vector<std::string> names;    ///< [columns]
  std::vector<std::string> notes;    ///< what a fit says of the table
  std::vector<std::string> warnings;

  [[nodiscard]] Index num_columns() const { return static_cast<Index>(names.size()); }
  /// The caller's x = 0 as a row of a design with an intercept.
  [[nodiscard]] Vector origin() const;
  [[nodiscard]] DenseDesign design() const { return {X, units.standardization}; }
};

/// Columns and target in the units that the options ask for.
/// \param y  linear: the target; logistic: labels, of two kinds; counts
/// \throws InvalidArgument  X is not finite, or beyond what squares of doubles hold; labels of one kind, or of three
[[nodiscard]] Frame make_frame(Task task, MatrixView X, VectorView y, const FitOptions& options,
                               std::shared_ptr<double[]> memory = nullptr);

/// What the log evidence gains by the change of units: the density of y changes by its scale, and a flat density of 1 is 1 in the units of
/// the user.                                                                                                              (LIN.5)
[[nodiscard]] double bound_offset(const std::vector<Index>& flat_columns, const Units& units, double rows);

/// Names of so many columns, completed by x1, x2, ...
[[nodiscard]] std::vector<std::string> complete_names(std::vector<std::string> names, Index num_columns);

}  // namespace ardvark::internal
