// Quantiles of a mixture of Student-t distributions with one number of degrees of freedom.        docs/math/process.md (KM.13)
#pragma once

#include <array>

#include "ardvark/types.hpp"

namespace ardvark::internal {

/// Upper tail of Student's t. Where it is above 1e-4, quintic interpolation in a table: relative error below 1e-11 of it, and it takes a
/// hundredth of the time.
class StudentTail {
 public:
  /// \param degrees_of_freedom  > 0; infinity: normal
  explicit StudentTail(double degrees_of_freedom);
  [[nodiscard]] double degrees_of_freedom() const { return nu_; }
  [[nodiscard]] double upper(double x) const;    ///< P(t > x)
  [[nodiscard]] double density(double x) const;  ///< of t at x

 private:
  [[nodiscard]] bool is_normal() const { return !(nu_ < 1e15); }
  static constexpr double per_unit = 64;
  static constexpr int size = 16 * 64;
  struct Node {
    double value, slope, curve;  ///< the tail and its first two derivatives, in units of the table
  };
  double nu_, log_height_;
  std::array<Node, size + 1> node_;
};

/// x with P(X > x) = tail if is_upper, otherwise P(X < x) = tail, to rounding. X has the parts mean_i + scale_i t with probability
/// weight_i. \param tail  in (0, 1/2]
[[nodiscard]] double mixture_quantile(const StudentTail& t, const Vector& weight, const Vector& mean, const Vector& scale, double tail,
                                      bool is_upper);

}  // namespace ardvark::internal
