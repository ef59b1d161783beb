// The one exit: a method returns a Solution, in the units of the design, and assemble() makes a Fit of it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ardvark/fit.hpp"
#include "frame/frame.hpp"
#include "posterior/mixture.hpp"
#include "waist/waist.hpp"

namespace ardvark::internal {

/// What the training rows are described by: R^2, or accuracy and log loss. Empty: they are not.
struct RowMoments {
  Vector m, s;  ///< [rows] x'w and x'Vx; s of classes only
  /// Classes under a mixture, instead: rows first .. first+count-1, so many at a time that they take no memory.               (SP.8)
  std::function<ComponentMoments(const Mixture& mixture, Index first, Index count)> of_components = {};
  Vector t = {}, k = {};              ///< where rows were merged: classes and weights of these; else the frame's
  std::optional<double> missed = {};  ///< linear: sum of the squared residuals, where m does not say it
};

/// Columns are those of the design: the caller's, then the intercept.
struct Solution {
  PriorKind prior = PriorKind::shared;
  double lambda = 0;                                   ///< of a Laplace prior
  LinearPosterior posterior = LinearPosterior::joint;  ///< linear: whether V is scaled by the noise
  std::vector<Index> group;                            ///< [columns of the table] as Fit::group
  std::vector<Index> flat;                             ///< columns without a prior, ascending
  bool usable = true;    ///< false: the fit came to no usable end; w, V_diagonal and what they are of are not read
  Vector w, V_diagonal;  ///< [columns]
  double log_det_V = 0;
  Index num_in_use = 0;           ///< columns that log_det_V is about
  double origin_variance = 0;     ///< x'Vx of Frame::origin(), where there is an intercept
  Vector a = {}, omega = {};      ///< precisions and row weights inside V; empty: not known
  double quadratic = 0;           ///< w'V^-1 w
  CovarianceFactor factor = {};   ///< of V; none: not kept
  bool proper_intercept = false;  ///< of classes: it has the prior (SP.20)
  Vector precision = {};          ///< [groups] E[alpha]
  Matrix precision_history = {};  ///< as Fit::precision_history
  Vector relevance;               ///< [columns of the table]
  std::vector<bool> relevant;     ///< [columns of the table]
  double effective_parameters = 0;
  GammaDistribution noise = {0, 0};  ///< linear: of the noise precision
  std::optional<SparseResult> sparse = {};
  RowMoments rows = {};
  Report report = {};  ///< its bound and history in the units of the design, without what the frame has to say
};

/// A fit in the units of the caller, R^2 or class probabilities of its rows included.
[[nodiscard]] Fit assemble(const Frame& frame, Solution solution);

}  // namespace ardvark::internal
