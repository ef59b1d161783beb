// What a single column contributes to the evidence as a function of its precision.                    docs/math/greedy.md, (OPT.3), (OPT.5)
#pragma once

#include <cmath>
#include <limits>

#include "method/greedy/greedy.hpp"
#include "prior/precision.hpp"

namespace ardvark::internal {

/// s and q of a column in the model without this column: S and Q for a candidate, (OPT.2) for a column of the model.
struct LeftOut {
  double s = 0;
  double q = 0;
  double square = 1;  ///< squared length that the column was divided by; hyper-priors apply to the caller's columns
};

class ColumnGain {
 public:
  explicit ColumnGain(GreedyPrior prior, double cost = 0) : c0_(prior.shape), d0_(prior.rate), cost_(cost) {}

  /// The penalty of the hyper-prior, 0 at its peak, minus the cost of a column.                                           (GREEDY.7)
  [[nodiscard]] double penalty(double a, double square) const {
    return (c0_ > 0 ? c0_ * (std::log(a * square * d0_ / c0_) + 1) - d0_ * square * a : 0.0) - cost_;
  }

  /// Gain of the column at precision a, compared with the model without it. Differences of gains are (OPT.5).             (GREEDY.2)
  [[nodiscard]] double at(double a, LeftOut x) const {
    if (!std::isfinite(a)) return 0;
    return 0.5 * (x.q * x.q / (a + x.s) - std::log1p(x.s / a)) + penalty(a, x.square);
  }

  /// The best precision; infinite: leave the column out.                                                                     (OPT.3)
  [[nodiscard]] double best(LeftOut x) const {
    const double Q = x.q * x.q;
    if (!(Q > x.s) || !(x.s > 0)) return infinity;
    const double a = c0_ > 0 ? best_precision(x.s, Q, c0_, d0_ * x.square, infinity) : x.s * x.s / (Q - x.s);
    // With a hyper-prior, a column is left out if the data have almost no information about it.
    return c0_ > 0 && x.s < 1e-3 * (a + x.s) ? infinity : a;
  }

  /// False: the column gains no more than `least` at any finite precision. The maximum of (GREEDY.2) without hyper-prior is an upper limit,
  /// because the penalty is never positive. A coarser limit without logarithm is tested first.
  [[nodiscard]] bool can_exceed(LeftOut x, double least) const {
    const double ratio = x.q * x.q / x.s;
    return ratio > 1 && x.s > 0 && 0.5 * (ratio - 1) - cost_ > least && 0.5 * (ratio - 1 - std::log(ratio)) - cost_ > least;
  }

  static constexpr double infinity = std::numeric_limits<double>::infinity();

 private:
  double c0_, d0_, cost_;
};

}  // namespace ardvark::internal
