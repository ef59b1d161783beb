// What the fits of many targets keep for predictions.                                               docs/math/targets.md
#pragma once

#include <memory>
#include <vector>

#include "ardvark/fit.hpp"
#include "design/table_design.hpp"

namespace ardvark::internal {

/// Columns whose decomposition many targets share: w = back diag(1/(l + a)) c of a target for any precision a.                  (TGT.1)
struct SharedAxes {
  bool dual = false;  ///< more columns than rows
  Vector l;           ///< [r] squared singular values, ascending, >= 0
  Matrix back;        ///< [p,r] dual: Z'U; otherwise Q
  Vector mean;        ///< [p] what is left of the means of the columns, which is rounding; zero without an intercept
  double rows = 0;    ///< sum of the weights
  bool intercept = false;

  [[nodiscard]] Index num_columns() const { return back.rows(); }
  /// Axes of no more than this are rounding.
  [[nodiscard]] double least() const { return 1e-13 * static_cast<double>(l.size()) * largest(); }
  [[nodiscard]] double largest() const { return l.size() > 0 ? l[l.size() - 1] : 0; }
};

/// Targets whose gaps are in the same rows.
struct SharedTargetsState {
  Standardization units;          ///< of the columns
  std::vector<Index> penalised;   ///< the columns of the axes
  SharedAxes axes;                ///< empty if all targets are alone
  std::vector<Index> targets;     ///< of the axes
  Vector at_center, noise_scale;  ///< [targets] prediction at the centres of the columns; sqrt(b_N/a_N)
  Vector precision, degrees;      ///< [targets] E[alpha]; degrees of freedom
};

struct TargetsState {
  std::vector<SharedTargetsState> shared;
  std::vector<std::pair<Index, std::shared_ptr<const Fit>>> alone;  ///< targets with fits of their own, without the names of columns
};

}  // namespace ardvark::internal
