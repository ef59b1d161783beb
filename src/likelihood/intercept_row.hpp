// For classes: the prior of the intercept in the form of a row. It is Jeffreys' prior of the class shares, with the width that fits the
// intercept best.
// docs/math/sparse.md (SP.20), docs/math/softmax.md (SMX.12)
#pragma once

#include "ardvark/types.hpp"

namespace ardvark::internal {

/// Appends the value of one more row.
[[nodiscard]] inline Vector with_one_more(const Vector& of_rows, double last) {
  Vector out(of_rows.size() + 1);
  out << of_rows, last;
  return out;
}

/// p(b) = c/pi sqrt(sigma(c b) sigma(-c b)), with the c <= 1 that maximises E ln p(b).
struct InterceptRow {
  double narrowing = 1;  ///< c
  double omega = 0.25;   ///< weight of the row
  double response = 0;   ///< weight times working target
  double log_prior = 0;  ///< E ln p(b)
};

/// b has mean m and variance s >= 0 (0 at a mode).                                                                         (VG.1), (LAP.1)
[[nodiscard]] InterceptRow intercept_row(double m, double s);
/// With this c instead of the best one.
[[nodiscard]] InterceptRow intercept_row_of(double narrowing, double m, double s);
/// With Jaakkola and Jordan's bound, touching at xi = c sqrt(square); log_prior is the bound at E b^2 = square.                    (JJ.2)
[[nodiscard]] InterceptRow intercept_row_of_bound(double square);

/// For several classes, at the mode: sqrt(C) Gamma(C/2) pi^(-C/2) c^(C-1) prod softmax(c f)^(1/2).                                (SMX.12)
struct InterceptScores {
  double narrowing = 1;
  Vector probability;  ///< [C] softmax(c f)
  double log_prior = 0;
};
[[nodiscard]] InterceptScores intercept_scores(const Vector& f);

}  // namespace ardvark::internal
