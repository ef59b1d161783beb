// The caller's table in the form that methods use. It is built once, before a method runs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ardvark/fit.hpp"
#include "frame/prepare.hpp"
#include "posterior/state.hpp"

namespace ardvark::internal {

/// What a method has computed of the columns alone, for many targets of them.
struct MethodColumns {
  MethodColumns() = default;
  virtual ~MethodColumns() = default;
  MethodColumns(const MethodColumns&) = delete;
  MethodColumns& operator=(const MethodColumns&) = delete;
};

struct Frame {
  FitOptions options;
  Task task = Task::linear;
  FitTable X;
  std::shared_ptr<double[]> memory;                 ///< the memory of X, if the caller gives it up
  Vector k;                                         ///< [rows] observation weights; ones if there are none
  double rows = 0;                                  ///< their sum
  Vector target;                                    ///< [rows] linear: in the units of the design; logistic: 0 and 1; counts: as they are
  std::vector<std::string> classes;                 ///< logistic: the names of the two classes
  std::optional<OffsetColumn> offset_column;        ///< counts: it is left out of the design                         (POIS.8), (POIS.9)
  Vector offset;                                    ///< [rows] what is added to the linear predictor of counts; empty: nothing
  Units units;                                      ///< of columns and target; of a table that stands in: of its own numbers
  StandIn stand_in;                                 ///< only of a linear fit
  std::shared_ptr<const MethodColumns> of_columns;  ///< null: the method computes it
  bool needs_variances = true, needs_signs = true;  ///< of weights; if not, a method may give NaN
  std::vector<bool> left_out;                       ///< [columns] true: the column takes no part in the fit
  std::vector<std::string> names;                   ///< [columns]
  std::vector<std::string> notes;                   ///< notes of the fit on the table
  std::vector<std::string> warnings;

  [[nodiscard]] Index num_columns() const { return static_cast<Index>(names.size()); }
  /// The caller's x = 0 as a row of the design with an intercept.
  [[nodiscard]] Vector origin() const;
  /// Those from the caller's units to the design.
  [[nodiscard]] Units user_units() const;
  [[nodiscard]] std::unique_ptr<TableDesign> design() const { return X.design(units.standardization); }
};

/// The column that the options exposure or offset_column name. \throws InvalidArgument  there is no such column, or both are given
[[nodiscard]] std::optional<OffsetColumn> offset_column_of(const FitOptions& options, const std::vector<std::string>& names);

/// The columns in the units that the options ask for, without a target.
/// \throws InvalidArgument  X is not finite, or its squares overflow
[[nodiscard]] Frame frame_of_columns(const FitTable& X, const FitOptions& options, std::shared_ptr<double[]> memory = nullptr,
                                     StandIn stand_in = {});

/// These columns with a target: of several machines that differ only in it.
/// \throws InvalidArgument  labels with one value, or with three
[[nodiscard]] Frame with_target(Frame columns, Task task, VectorView y);

/// Columns and target in the units that the options ask for.
/// \param y  linear: the target; logistic: labels with two different values; counts: the counts
/// \throws InvalidArgument  X is not finite, or its squares overflow; labels with one value, or with three
[[nodiscard]] Frame make_frame(Task task, const FitTable& X, VectorView y, const FitOptions& options,
                               std::shared_ptr<double[]> memory = nullptr, StandIn stand_in = {});

/// The change of the log evidence by the change of units: the density of y changes by its scale, and a flat density is 1 in the units of
/// the user.                                                                                                              (LIN.5)
[[nodiscard]] double bound_offset(const std::vector<Index>& flat_columns, const Units& units, double rows);

/// The names of num_columns columns; missing names are x1, x2, ...
[[nodiscard]] std::vector<std::string> complete_names(std::vector<std::string> names, Index num_columns);

}  // namespace ardvark::internal
