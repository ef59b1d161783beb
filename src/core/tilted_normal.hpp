// A normal distribution times the exponential of a polynomial: a marginal that is skewed, or narrower or wider than normal.
//                                                                                                                docs/math/skew.md
#pragma once

#include <array>
#include <vector>

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

/// center + scale z, as a part of a distribution.
struct TiltedPart {
  double weight = 1, center = 0, scale = 1;
  TiltedNormal::Tilt tilt = {};
};
/// Parts whose weights sum to 1; none: a normal distribution of mean 0 and variance 1.
using TiltedParts = std::vector<TiltedPart>;

/// A mixture of such distributions. (SKEW.8)
class TiltedMixture {
 public:
  explicit TiltedMixture(const TiltedParts& parts);
  /// Whether each part is a distribution.
  [[nodiscard]] bool falls() const;
  [[nodiscard]] double below(double x) const;
  /// x with P(z < x) = tail, tail in (0, 1/2].
  [[nodiscard]] double lower_end(double tail) const;
  [[nodiscard]] TiltedMixture mirrored() const;

 private:
  struct Part {
    double weight, center, scale;
    TiltedNormal z;
  };
  std::vector<Part> parts_;
};

}  // namespace ardvark::internal
