// The logistic likelihood of all rows at once.
#pragma once

#include "ardvark/types.hpp"

namespace ardvark::internal {

/// sum_n k_n (t_n m_n - ln(1 + e^m_n)), and for each row p = sigma(m_n) and q = 1 - sigma(m_n), both with full relative accuracy; from
/// |m_n| = 700 on, e^-|m_n| is taken as 0. The sum has the rounding error of adding its terms. \param t [n] 0 or 1 \param k [n] observation
/// weights
double logistic_rows(const Vector& m, const Vector& t, const Vector& k, Vector& p, Vector& q);

}  // namespace ardvark::internal
