// Where the results of many targets are written.
#pragma once

#include <fmt/format.h>

#include <limits>
#include <vector>

#include "ardvark/targets.hpp"
#include "method/targets/shared_targets.hpp"

namespace ardvark::internal {

/// A [p,K] matrix of the result, in its memory or in that of the caller.
class TargetMatrix {
 public:
  TargetMatrix() = default;
  TargetMatrix(const TargetColumns& given, Matrix& own, Index p, Index K)
      : given_(given), stride_(given.stride() != 0 ? given.stride() : p) {
    if (given_.is_null()) own.resize(p, K), given_ = TargetColumns(own.data());
    if (stride_ < p) throw InvalidArgument(fmt::format("the stride of results is {}; X has {} columns", stride_, p));
  }
  [[nodiscard]] bool is_null() const { return given_.is_null(); }
  // Whether their type holds the largest of the values with all its digits.
  [[nodiscard]] bool holds(const Vector& values) const {
    const double largest = values.size() > 0 ? values.cwiseAbs().maxCoeff() : 0;
    return given_.floats() == nullptr || largest == 0 ||
           (largest >= std::numeric_limits<float>::min() && largest <= std::numeric_limits<float>::max());
  }
  void write(Index target, const Vector& values) const {
    if (double* to = given_.doubles()) Eigen::Map<Vector>(to + target * stride_, values.size()) = values;
    if (float* to = given_.floats()) Eigen::Map<Eigen::VectorXf>(to + target * stride_, values.size()) = values.cast<float>();
  }

 private:
  TargetColumns given_;
  Index stride_ = 0;
};

/// The results of all targets; threads write those of different targets.
class TargetResults {
 public:
  TargetResults(const FitOptions& fit, const TargetsOptions& options, Index p, Index K, TargetsFit& out)
      : out_(out), num_columns_(p), mean_(options.mean, out.mean, p, K) {
    if (options.standard_deviations) sd_ = TargetMatrix(options.sd, out.sd, p, K);
    if (fit.prior.kind == PriorKind::sparse || fit.prior.kind == PriorKind::slab)
      inclusion_ = TargetMatrix(options.inclusion, out.inclusion, p, K);
    out.prior = fit.prior.kind;
    out.status.assign(static_cast<std::size_t>(K), TargetStatus::failed);
    out.sweeps.assign(static_cast<std::size_t>(K), 0);
    for (Vector* numbers : {&out.precision, &out.noise_sd, &out.degrees_of_freedom, &out.bound, &out.evidence, &out.r_squared,
                            &out.r_squared_loo, &out.effective_parameters, &out.num_rows})
      *numbers = Vector::Constant(K, std::numeric_limits<double>::quiet_NaN());
    if (fit.intercept) out.intercept = Vector::Constant(K, std::numeric_limits<double>::quiet_NaN());
    out.log_bayes = Matrix::Constant(EffectSizes::most, K, std::numeric_limits<double>::quiet_NaN());
  }

  [[nodiscard]] bool has_sd() const { return !sd_.is_null(); }
  TargetsFit& operator*() { return out_; }

  [[nodiscard]] bool holds_coefficients(const Vector& mean) const { return mean_.holds(mean); }
  [[nodiscard]] bool holds_sd(const Vector& sd) const { return sd_.holds(sd); }
  void write_coefficients(Index target, const Vector& mean) { mean_.write(target, mean); }
  void write_sd(Index target, const Vector& sd) { sd_.write(target, sd); }
  void write_inclusion(Index target, const Vector& inclusion) { inclusion_.write(target, inclusion); }
  void write_status(Index target, TargetStatus status) { out_.status[static_cast<std::size_t>(target)] = status; }
  // \param of_sizes  may be empty
  void write_evidence(Index target, double evidence, const Vector& of_sizes) {
    out_.evidence[target] = evidence;
    out_.log_bayes.col(target).head(of_sizes.size()) = of_sizes;
  }
  // The target is not fitted.
  void write_nothing(Index target, TargetStatus status) {
    write_status(target, status);
    const Vector none = Vector::Constant(num_columns_, std::numeric_limits<double>::quiet_NaN());
    mean_.write(target, none);
    sd_.write(target, none);
    inclusion_.write(target, none);
  }

 private:
  TargetsFit& out_;
  Index num_columns_;
  TargetMatrix mean_, sd_, inclusion_;
};

}  // namespace ardvark::internal
