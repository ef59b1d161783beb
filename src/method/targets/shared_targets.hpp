// Many targets of one table under one precision of all columns each, by one decomposition of the table.     docs/math/targets.md
#pragma once

#include <limits>
#include <optional>

#include "frame/frame.hpp"
#include "frame/prior_partition.hpp"
#include "method/sweep/sweep.hpp"
#include "posterior/targets_state.hpp"

namespace ardvark::internal {

/// The axes, and how targets come to them: c = projection' y.                                                                   (TGT.1)
struct SharedBasis : SharedAxes {
  Matrix projection;          ///< [n,r] dual: U; otherwise Z Q
  Vector root_weight;         ///< [n] square roots of the weights of the rows
  Matrix flat;                ///< [n,f] orthonormal: what the columns without a prior explain, beside the intercept
  double log_det_flat = 0;    ///< ln |F'KF|, with the intercept
  bool sizes_differ = false;  ///< so much that the decomposition has no digits of the small columns

  [[nodiscard]] double degrees() const { return rows - (intercept ? 1 : 0) - static_cast<double>(flat.cols()); }
  /// [n] what the projection leaves of a target. \param c  [r] projection'y
  [[nodiscard]] Vector beside(const Eigen::Ref<const Vector>& y, const Eigen::Ref<const Vector>& c) const;
  /// Squared lengths beside the projection are counted from this precision.                                                    (TGT.3)
  [[nodiscard]] double reference() const { return 1e-12 * largest(); }
};

/// \param penalised  the columns of the table with a prior
/// \param flat       those without one, beside the intercept; with such columns, the basis serves EffectSizes only
/// Empty if the decomposition fails.
[[nodiscard]] std::optional<SharedBasis> decompose_shared(const Frame& frame, const std::vector<Index>& penalised,
                                                          const std::vector<Index>& flat);

/// Least squares: all columns are without a prior. With the basis, w = back c, which is (TGT.1) with l = 1 and a = 0.          (TGT.10)
struct LeastSquares {
  SharedBasis basis;  ///< projection: orthonormal; back: R^-1
  Matrix R;           ///< [p,p] upper triangular: projection R are the columns
};
/// Empty if rounding leaves few digits of a column beside the others.
[[nodiscard]] std::optional<LeastSquares> decompose_least_squares(const Frame& frame, const std::vector<Index>& columns);

/// The log evidence of effects of stated sizes above that of no effect: prior precisions are 1/size in units of the noise precision, which
/// is integrated.                                                                                                              (TGT.6)
class EffectSizes {
 public:
  static constexpr Index most = 24;
  explicit EffectSizes(const SharedBasis& basis);
  [[nodiscard]] Index count() const { return log_det_.size(); }
  /// [sizes,K] what each size explains of the squares of the targets. \param c  [r,K] projection'y
  [[nodiscard]] Matrix explained(const Eigen::Ref<const Matrix>& c) const;
  /// [sizes]
  /// \param square     squared length of the target
  /// \param explained  [sizes] of it
  [[nodiscard]] Vector log_bayes(double square, const Eigen::Ref<const Vector>& explained, GammaDistribution noise) const;
  /// [sizes,count] of targets that are normal noise of variance 1. The draws are always the same.
  [[nodiscard]] Matrix log_bayes_of_noise(Index count, GammaDistribution noise) const;

 private:
  Matrix share_;    // [sizes, r] of c_i^2 in what the residuals lose
  Vector log_det_;  // [sizes]
  Vector spread_;   // [r] standard deviations of c, if the target is noise of variance 1
  double degrees_;  // of the residuals without effects
};

/// Of one target, in the units of the design.
struct SharedFit {
  Status status = Status::failed;
  int sweeps = 0;
  double precision = 0;                                        ///< E[alpha]; NaN if no column has a prior
  double bound = 0;                                            ///< nats
  double evidence = std::numeric_limits<double>::quiet_NaN();  ///< `bound` above that of the constant, nats                   (TGT.6)
  Vector log_bayes;                                            ///< of EffectSizes; empty: the target is constant
  GammaDistribution noise;
  double residual = 0;   ///< sum of squares
  double explained = 0;  ///< effective parameters, with the intercept
};

/// Fits targets one after the other; an object serves one thread.
class SharedTargets {
 public:
  /// \param prior  of the columns and the intercept
  SharedTargets(const SharedBasis& basis, const PreparedPrior& prior, const FitOptions& options, Index num_columns);
  ~SharedTargets();
  SharedTargets(const SharedTargets&) = delete;
  SharedTargets& operator=(const SharedTargets&) = delete;

  /// \param y      [n] times the roots of the weights, without its mean
  /// \param c      [r] projection' y
  /// \param noise  prior of the noise precision
  [[nodiscard]] SharedFit fit(const Eigen::Ref<const Vector>& y, const Eigen::Ref<const Vector>& c, GammaDistribution noise);

 private:
  class Diagonal;
  const SharedBasis& basis_;
  std::unique_ptr<Diagonal> solver_;
  SweepSettings settings_;
  const PreparedPrior& prior_;
  std::optional<PrecisionPrior> start_;
  double unnamed_ = 0;  // columns that the partition of the sweeps counts, but does not name
};

}  // namespace ardvark::internal
