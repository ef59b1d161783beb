// Every method returns a Solution in the units of the design; assemble() makes a Fit from it.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ardvark/fit.hpp"
#include "core/tilted_normal.hpp"
#include "frame/frame.hpp"
#include "posterior/mixture.hpp"
#include "waist/waist.hpp"

namespace ardvark::internal {

/// The moments from which R^2, or accuracy and log loss, of the training rows are computed. Empty: they are not computed.
struct RowMoments {
  Vector m, s;  ///< [rows] x'w and x'Vx; s only for classes
  /// Instead of m and s for classes under a mixture: rows first .. first+count-1, in blocks that keep the memory small.          (SP.8)
  std::function<ComponentMoments(const Mixture& mixture, Index first, Index count)> of_components = {};
  Vector t = {}, k = {};              ///< if rows were merged: classes and weights of the merged rows; empty: those of the frame
  std::optional<double> missed = {};  ///< linear: sum of the squared residuals, if not computed from m
};

/// Columns are those of the design: the columns of the table, then the intercept.
struct Solution {
  PriorKind prior = PriorKind::shared;
  double lambda = 0;                                   ///< of a Laplace prior
  LinearPosterior posterior = LinearPosterior::joint;  ///< linear: whether V is scaled by the noise
  /// As Fit::student_degrees.
  double student_degrees = std::numeric_limits<double>::infinity();
  std::vector<Index> group;  ///< [columns of the table] as Fit::group
  std::vector<Index> flat;   ///< columns without a prior, ascending
  bool usable = true;        ///< false: there is no usable result; w, V_diagonal and related fields are not read
  Vector w, V_diagonal;      ///< [columns]
  double log_det_V = 0;
  Index num_in_use = 0;                     ///< number of columns in log_det_V
  double origin_variance = 0;               ///< x'Vx of Frame::origin(), if there is an intercept
  Vector a = {}, omega = {};                ///< precisions and row weights inside V; empty: not known
  double quadratic = 0;                     ///< w'V^-1 w
  CovarianceFactor factor = {};             ///< factor of V; none: not kept
  bool proper_intercept = false;            ///< classes: the intercept has the prior (SP.20)
  std::vector<TiltedParts> marginals = {};  ///< as FitState::marginals
  Vector precision = {};                    ///< [groups] E[alpha]
  Matrix precision_history = {};            ///< as Fit::precision_history
  Vector relevance;                         ///< [columns of the table]
  std::vector<bool> relevant;               ///< [columns of the table]
  double effective_parameters = 0;
  GammaDistribution noise = {0, 0};   ///< linear: of the noise precision
  std::optional<Family> family = {};  ///< as FitOptions::family, but not automatic
  OwnParameters own = {};             ///< of the likelihood; their spread is in the bound
  std::optional<SparseResult> sparse = {};
  RowMoments rows = {};
  Report report = {};  ///< bound and history in the units of the design; without the notes and warnings of the frame
};

/// A fit in the units of the caller, with R^2, or accuracy and log loss, of its rows.
[[nodiscard]] Fit assemble(const Frame& frame, Solution solution);

}  // namespace ardvark::internal
