// What a single column contributes to the evidence as a function of its precision.                    docs/math/greedy.md, (OPT.3), (OPT.5)
#pragma once

#include <cmath>
#include <limits>

#include "method/greedy/greedy.hpp"
#include "prior/best_precision.hpp"

namespace ardvark::internal {

/// s and q of a column with itself left out of the model: of a candidate S and Q, of a column inside (OPT.2).
struct LeftOut {
  double s = 0;
  double q = 0;
  double square = 1;  ///< the squared length that the column was divided by: hyper-priors are those of the caller's columns
};

class ColumnGain {
 public:
  explicit ColumnGain(GreedyPrior prior, double cost = 0) : c0_(prior.shape), d0_(prior.rate), cost_(cost) {}

  /// The penalty of the hyper-prior, 0 at its peak, less the cost of a column.                                            (GREEDY.7)
  [[nodiscard]] double penalty(double a, double square) const {
    return (c0_ > 0 ? c0_ * (std::log(a * square * d0_ / c0_) + 1) - d0_ * square * a : 0.0) - cost_;
  }

  /// The column at precision a, against no such column. Its differences are (OPT.5).                                      (GREEDY.2)
  [[nodiscard]] double at(double a, LeftOut x) const {
    if (!std::isfinite(a)) return 0;
    return 0.5 * (x.q * x.q / (a + x.s) - std::log1p(x.s / a)) + penalty(a, x.square);
  }

  /// The best precision; infinite: leave the column out.                                                                     (OPT.3)
  [[nodiscard]] double best(LeftOut x) const {
    const double Q = x.q * x.q;
    if (!(Q > x.s) || !(x.s > 0)) return infinity;
    const double a = c0_ > 0 ? best_precision(x.s, Q, c0_, d0_ * x.square, infinity) : x.s * x.s / (Q - x.s);
    // With a hyper-prior a column of which the data say next to nothing is no part of the model.
    return c0_ > 0 && x.s < 1e-3 * (a + x.s) ? infinity : a;
  }

  /// False: at no finite precision does the column gain more than `least`. (GREEDY.2) at its best without hyper-prior, whose penalty is
  /// nowhere positive, is no less; without the logarithm, that need mostly not be computed.
  [[nodiscard]] bool can_exceed(LeftOut x, double least) const {
    const double ratio = x.q * x.q / x.s;
    return ratio > 1 && x.s > 0 && 0.5 * (ratio - 1) - cost_ > least && 0.5 * (ratio - 1 - std::log(ratio)) - cost_ > least;
  }

  static constexpr double infinity = std::numeric_limits<double>::infinity();

 private:
  double c0_, d0_, cost_;
};

}  // namespace ardvark::internal
