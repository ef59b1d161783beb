// Sums of many terms with little rounding.
#pragma once

#include "ardvark/types.hpp"

namespace ardvark::internal {

/// The sum of term(i), first <= i < first + count, in pairs of parts: a relative rounding error of log2(count) roundings in place of count,
/// if all terms have one sign.
[[nodiscard]] double pairwise_sum(Index first, Index count, const auto& term) {
  constexpr Index few = 128;
  if (count > few) return pairwise_sum(first, count / 2, term) + pairwise_sum(first + count / 2, count - count / 2, term);
  double sum = 0;
  for (Index i = first; i < first + count; ++i) sum += term(i);
  return sum;
}

}  // namespace ardvark::internal
