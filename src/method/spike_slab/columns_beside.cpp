#include "method/spike_slab/columns_beside.hpp"

#include <algorithm>

namespace ardvark::internal {

SumsBeside ColumnsBeside::sums(const SpikeSlabHyper& hyper) const {
  constexpr double furthest = 2;  // further from the pass, columns that are not independent would explain the same rows again
  SumsBeside out;
  if (!Inclusion(hyper).has_effects()) return out;
  SpikeSlabHyper here = hyper;
  here.kappa = std::clamp(hyper.kappa, kappa_ / furthest, kappa_ * furthest);
  here.s2 = s2_;
  const Inclusion inclusion(here);
  for (const auto& [key, one] : classes_) inclusion.add(one.count, std::sqrt(one.square / one.count), one.d / one.count, out);
  return out;
}

}  // namespace ardvark::internal
