// Linear regressions of many targets on one table.                                             docs/math/targets.md
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ardvark/linear.hpp"

namespace ardvark {

/// How the fit of one target ended.
enum class TargetStatus {
  converged,     ///< the stopping rule was met
  max_sweeps,    ///< the stopping rule was not met within max_sweeps
  constant,      ///< all values are equal: fitted, but there is nothing to explain
  not_finite,    ///< a value is infinite or not a number: not fitted
  few_rows,      ///< too few values are there: not fitted
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
  /// As for fit_linear, each target for itself. Not with a preset, a callback, a prior of the columns that depends on the target
  /// (start_precision of each column), or draws (solver iterative). `record_every` has no effect.
  FitOptions fit = {};
  /// A value of Y that is not a number leaves its row out of the fit of its target, and targets with the same gaps share their work.
  /// false: the target is not fitted.
  bool drop_missing = false;
  bool standard_deviations = false;  ///< of the coefficients, too: as many numbers as coefficients
  bool leave_one_out = false;        ///< compute TargetsFit::r_squared_loo: the time of another product
  bool predictions = true;           ///< keep what predict() needs
  TargetColumns mean = {};           ///< where the coefficients are written, float: from products of float; none: TargetsFit::mean
  TargetColumns sd = {};             ///< where their standard deviations are written; none: TargetsFit::sd
  TargetColumns inclusion = {};      ///< priors sparse and slab: where the inclusions are written; none: TargetsFit::inclusion
};

namespace internal {
struct TargetsState;
}

/// The regressions, each in the units of its target; K targets, p columns. NaN where the status says that a target is not fitted.
struct TargetsFit {
  std::vector<TargetStatus> status;  ///< [K]
  std::vector<int> sweeps;           ///< [K]
  Matrix mean;                       ///< [p,K] posterior means of the coefficients; empty if they were written elsewhere
  Matrix sd;                         ///< [p,K] posterior standard deviations, if asked for and not written elsewhere
  Matrix inclusion;                  ///< [p,K] SparseResult::inclusion, if the prior has it and it was not written elsewhere
  Vector intercept;                  ///< [K] empty without an intercept
  Vector precision;                  ///< [K] E[alpha] under the prior shared, for the standardised columns if columns are
                                     ///< standardised; otherwise NaN
  Vector noise_sd;                   ///< [K] sqrt(b_N/a_N)
  Vector degrees_of_freedom;         ///< [K] of the marginals of the coefficients and of predictions; infinity: normal
  Vector bound;                      ///< [K] lower bound on the log evidence, nats
  /// [K] `bound` above that of the columns without a prior alone, nats. NaN: the target is constant, or the bound is none. Under the
  /// priors sparse, slab and dense both are those of the best hyper-parameters, so that it is hardly ever negative.            (TGT.6)
  Vector evidence;
  Matrix log_bayes;             ///< [sizes,K] log evidence of effects of one size each above that of no effect, nats             (TGT.6)
  Matrix log_bayes_of_noise;    ///< [sizes,draws] the same of targets that are noise, for explained_targets()
  Vector r_squared;             ///< [K] of the training rows
  Vector r_squared_loo;         ///< [K] of training rows that the fit has not seen (TGT.7); NaN of a target fitted alone, and if a row
                                ///< alone determines a coefficient
  Vector effective_parameters;  ///< [K] sum of the relevances, with that of the intercept
  Vector num_rows;              ///< [K] sum of the observation weights
  std::vector<bool> left_out;   ///< [p] constant or duplicated columns; their mean is 0
  std::vector<std::string> column_names;                ///< [p]
  PriorKind prior = PriorKind::shared;                  ///< that was used
  Index num_alone = 0;                                  ///< targets fitted one by one
  std::vector<std::string> notes, warnings;             ///< on the table
  double seconds = 0;                                   ///< wall clock
  std::shared_ptr<const internal::TargetsState> state;  ///< what predict() needs

  [[nodiscard]] Index num_targets() const { return static_cast<Index>(status.size()); }
  [[nodiscard]] Index num_columns() const { return static_cast<Index>(column_names.size()); }
};

/// A linear regression of each column of Y on X: those of fit_linear, but for rounding. Under the prior `shared`, with a joint posterior
/// and 60 rows or more, and under `none`, one decomposition of X serves all targets. Under others they are fitted one by one, in threads;
/// `sparse`, `slab` and `dense` reduce X once. The bits of a target do not depend on the other targets, nor on the number of threads.
///
///     ardvark::TargetsFit fits = ardvark::fit_targets(X, Y, {.fit = {.prior = ardvark::Prior::shared()}});
///
/// \param X  [n,p] double, float or int8, either memory order, read only and not kept; finite
/// \param Y  [n,K] the same; a value that is not finite, in a row of positive weight, leaves its target without a fit, see
///           TargetsOptions::drop_missing
/// \throws InvalidArgument  before any work, naming the argument, its value and the constraint
/// Prior shared: O(n p min(n,p)) once, then O((n + p) min(n,p)) a target. Memory: the decomposition, (n + p) min(n,p) numbers; the
/// results; and 256 (n + p) numbers a thread.                                                                   (TGT.1) to (TGT.10)
[[nodiscard]] TargetsFit fit_targets(MatrixView X, MatrixView Y, const TargetsOptions& options = {});

struct TargetsPredictOptions {
  PredictionOf what = PredictionOf::new_observation;
  bool standard_deviations = true;
  MatrixView coefficients = {};  ///< [p,K] of a fit that wrote them elsewhere
  TargetColumns mean = {};       ///< where [m,K] predictions are written; none: TargetsPrediction::mean
  TargetColumns sd = {};         ///< where their standard deviations are written; none: TargetsPrediction::sd
  int threads = 0;               ///< 0: the number of threads of OpenBLAS
};

/// Of new rows; NaN for a target that was not fitted. An observation is mean + sd t of TargetsFit::degrees_of_freedom nu, times
/// sqrt((nu - 2)/nu).
struct TargetsPrediction {
  Matrix mean;  ///< [m,K] empty if written elsewhere
  Matrix sd;    ///< [m,K] of a new observation, or of the mean
};

/// \param X_new  [m,p] the columns of the fit, finite
/// \throws InvalidArgument  the columns differ; the fit has no coefficients and none are given; it kept nothing for standard deviations
/// O(m (p r + K (p + r))), r = min(n,p).                                                                                   (TGT.8)
[[nodiscard]] TargetsPrediction predict(const TargetsFit& fit, MatrixView X_new, const TargetsPredictOptions& options = {});

/// Which targets the columns explain.
struct ExplainedTargets {
  double share = 0;            ///< of the targets that the columns explain, estimated from all of them
  Vector probability;          ///< [K] that the columns explain this target; NaN if it was not fitted
  std::vector<bool> selected;  ///< [K] of those selected, the mean probability to be false is at most the rate
};
/// How large effects are, and how many targets have one, is learned from all targets, which count as independent.
/// \param log_bayes  [sizes,K] TargetsFit::log_bayes; NaN: the target does not count
/// \param of_noise   [sizes,draws] TargetsFit::log_bayes_of_noise; empty: the distribution of `log_bayes` without effects is not used
/// \param rate       of false discoveries among the selected, in (0, 1). \throws InvalidArgument                              (TGT.6)
[[nodiscard]] ExplainedTargets explained_targets(const Matrix& log_bayes, const Matrix& of_noise, double rate);

/// Which columns raise or lower which targets, after a fit without a prior. NaN of a target that is constant or not fitted, and of a column
/// that is left out, of all targets or, by the gaps of a target, of this one.
struct TargetDirections {
  Matrix q_value;  ///< [p,K] the direction, the sign of the coefficient, is among those stated at a rate of at least this much
  Matrix p_value;  ///< [p,K] of no effect, two-sided, by Student's t
  Matrix sd;       ///< [p,K] standard errors of the coefficients
  Vector noise_sd, degrees_of_freedom;  ///< [K] that they come from
  Vector no_effect;                     ///< [p] estimated share of the targets on which the column has no effect, at least their share
  /// Variances of the noise are scaled inverse chi-square over targets, with these degrees of freedom about the square of `usual_noise_sd`.
  /// 0: they are not pooled; infinity: all are equal.
  double pooled_degrees = 0;
  double usual_noise_sd = 0;
};
/// Each column has rates over targets of its own: at a rate q, the directions of q_value <= q are expected to be wrong, or of targets
/// without an effect, in at most a share q of them. \param fit           its prior is none, its noise normal, and it kept what predict()
/// needs \param pool          the noise of a target is estimated from its rows and from the noise of all targets; otherwise from its rows
/// alone \param coefficients  [p,K] of a fit that wrote them elsewhere \throws InvalidArgument  the fit has a prior, another noise, or a
/// factorised posterior; no coefficients                    (TGT.12)
[[nodiscard]] TargetDirections target_directions(const TargetsFit& fit, bool pool = true, MatrixView coefficients = {});

}  // namespace ardvark
