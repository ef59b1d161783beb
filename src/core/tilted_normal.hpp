// A normal distribution times the exponential of a polynomial: a marginal that is skewed, or narrower or wider than normal.
//                                                                                                                docs/math/skew.md
#pragma once

#include <array>

namespace ardvark::internal {

/// z with a density proportional to exp(-z^2/2 + t(z)), t(z) = t_1 z + .. + t_6 z^6 where |z| <= reach; beyond, t goes on with the slope
/// and the curvature that it has there. (SKEW.5)
class TiltedNormal {
 public:
  static constexpr int degree = 6;
  static constexpr double reach = 3.6;
  using Tilt = std::array<double, degree>;

  explicit TiltedNormal(const Tilt& tilt);
  /// The tilt through these values, up to a constant, at nodes of equal distance from -reach to reach; five give a t of fourth degree.
  [[nodiscard]] static Tilt through(const std::array<double, degree + 1>& values);
  [[nodiscard]] static Tilt through(const std::array<double, 5>& values);
  /// Whether the density falls beyond +-reach, and nothing overflows.
  [[nodiscard]] bool falls() const;
  /// P(z < x)
  [[nodiscard]] double below(double x) const;
  /// x with P(z < x) = tail, tail in (0, 1/2].
  [[nodiscard]] double lower_end(double tail) const;
  /// The distribution of -z.
  [[nodiscard]] TiltedNormal mirrored() const;

 private:
  static constexpr int num_panels = 24;
  static constexpr double panel = 2 * reach / num_panels;

  [[nodiscard]] double tilt_at(double z) const;
  [[nodiscard]] double inside(double from, double to) const;  // the mass, within one panel

  Tilt tilt_;
  std::array<double, num_panels + 1> mass_;  // below the start of each panel
  double total_ = 0;
};

}  // namespace ardvark::internal
