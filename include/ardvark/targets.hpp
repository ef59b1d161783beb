// Linear regressions of many targets on one table.                                             docs/math/targets.md
#pragma once

#include "ardvark/fit.hpp"

namespace ardvark {

/// How the fit of one target ended.
enum class TargetStatus {
  converged,     ///< the stopping rule was met
  max_sweeps,    ///< the stopping rule was not met within max_sweeps
  constant,      ///< all values are equal: fitted, but there is nothing to explain
  not_finite,    ///< a value is infinite or not a number: not fitted
  out_of_range,  ///< its squares, or those of the result, are beyond the range of numbers: not fitted
  failed         ///< numerical trouble: not fitted
};
[[nodiscard]] const char* to_string(TargetStatus status);

/// Memory of the caller for a [columns, targets] matrix of double or float, column-major: those of a target lie one after the other.
class TargetColumns {
 public:
  TargetColumns() = default;
  /// \param stride  numbers between the first columns of two neighbouring targets; 0: the number of columns
  TargetColumns(double* data, Index stride = 0) : doubles_(data), stride_(stride) {}
  TargetColumns(float* data, Index stride = 0) : floats_(data), stride_(stride) {}

  [[nodiscard]] double* doubles() const { return doubles_; }
  [[nodiscard]] float* floats() const { return floats_; }
  [[nodiscard]] Index stride() const { return stride_; }
  [[nodiscard]] bool is_null() const { return doubles_ == nullptr && floats_ == nullptr; }

 private:
  double* doubles_ = nullptr;
  float* floats_ = nullptr;
  Index stride_ = 0;
};

struct TargetsOptions {
  /// As for fit_linear, each target for itself. Not with a preset, another prior than shared, columns without a prior or of fixed
  /// precision, a penalised intercept, a factorised posterior, Student-t noise, another rule than vb, pruning, a callback, a solver other
  /// than spectral, or more than one start_precision. `record_every` and `keep_covariance` have no effect.
  FitOptions fit = {.prior = Prior::shared()};
  bool standard_deviations = false;  ///< of the coefficients, too: as many numbers as coefficients
  TargetColumns mean = {};           ///< where the coefficients are written; none: TargetsFit::mean
  TargetColumns sd = {};             ///< where their standard deviations are written; none: TargetsFit::sd
};

/// The regressions, each in the units of its target; K targets, p columns. NaN where the status says that a target is not fitted.
struct TargetsFit {
  std::vector<TargetStatus> status;       ///< [K]
  std::vector<int> sweeps;                ///< [K]
  Matrix mean;                            ///< [p,K] posterior means of the coefficients; empty if they were written elsewhere
  Matrix sd;                              ///< [p,K] posterior standard deviations, if asked for and not written elsewhere
  Vector intercept;                       ///< [K] empty without an intercept
  Vector precision;                       ///< [K] E[alpha], for the standardised columns if columns are standardised
  Vector noise_sd;                        ///< [K] sqrt(b_N/a_N)
  double noise_shape = 0;                 ///< a_N, of all targets; NaN if no target is fitted
  Vector bound;                           ///< [K] lower bound on the log evidence, nats
  Vector r_squared;                       ///< [K] of the training rows
  Vector effective_parameters;            ///< [K] sum of the relevances, with that of the intercept
  std::vector<bool> left_out;             ///< [p] constant or duplicated columns; their mean is 0
  std::vector<std::string> column_names;  ///< [p]
  double num_rows = 0;                    ///< sum of the observation weights
  Index num_alone = 0;  ///< targets fitted one by one, because the decomposition has too few digits for them, or with few rows (LIN.9)
  std::vector<std::string> notes, warnings;  ///< on the table
  double seconds = 0;                        ///< wall clock

  [[nodiscard]] Index num_targets() const { return static_cast<Index>(status.size()); }
};

/// A linear regression of each column of Y on X with prior `shared`: those of fit_linear, but for rounding, by one decomposition of X. The
/// bits of a target do not depend on the other targets, nor on the number of threads.
///
///     ardvark::TargetsFit fits = ardvark::fit_targets(X, Y);
///
/// \param X  [n,p] double, float or int8, either memory order, read only and not kept; finite
/// \param Y  [n,K] the same; a value that is not finite leaves its target without a fit
/// \throws InvalidArgument  before any work, naming the argument, its value and the constraint
/// O(n p min(n,p)) once, then O((n + p) min(n,p)) a target. Memory: the decomposition, (n + p) min(n,p) numbers; the results; and
/// 256 (n + p) numbers a thread.                                                                                       (TGT.1) to (TGT.5)
[[nodiscard]] TargetsFit fit_targets(MatrixView X, MatrixView Y, const TargetsOptions& options = {});

}  // namespace ardvark
