// Random numbers that are the same on every machine and for every compiler.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>

namespace ardvark::internal {

class Normals {
 public:
  explicit Normals(std::uint64_t seed) : engine_(seed) {}
  /// In (0, 1).
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }
  /// A normal variate, by Box and Muller.
  double operator()() {
    if (has_other_) {
      has_other_ = false;
      return other_;
    }
    constexpr double two_pi = 6.283185307179586477;
    const double radius = std::sqrt(-2 * std::log(uniform())), angle = two_pi * uniform();
    other_ = radius * std::sin(angle);
    has_other_ = true;
    return radius * std::cos(angle);
  }

 private:
  std::mt19937_64 engine_;
  bool has_other_ = false;
  double other_ = 0;
};

}  // namespace ardvark::internal
