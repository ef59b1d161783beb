// Which targets the columns explain, at a stated rate of false discoveries.                          docs/math/targets.md (TGT.6)
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ardvark/targets.hpp"
#include "core/refusals.hpp"
#include "core/special.hpp"

namespace ardvark {

using namespace internal;

ExplainedTargets explained_targets(VectorView evidence, double rate) {
  if (!(rate > 0 && rate < 1)) throw wrong("rate", rate, "it must lie between 0 and 1");
  const Index K = evidence.size();
  std::vector<Index> fitted;
  for (Index k = 0; k < K; ++k)
    if (!std::isnan(evidence[k])) fitted.push_back(k);
  ExplainedTargets out{0, Vector::Constant(K, std::numeric_limits<double>::quiet_NaN()), std::vector<bool>(static_cast<std::size_t>(K))};
  if (fitted.empty()) return out;

  // The share with the highest likelihood, by its own mean; the likelihood has one maximum.
  double share = 0.5;
  for (int step = 0; step < 10000; ++step) {
    double sum = 0;
    for (const Index k : fitted) sum += sigmoid(evidence[k] + std::log(share) - std::log1p(-share));
    const double before = share, least = 1e-3 / static_cast<double>(fitted.size());
    share = std::clamp(sum / static_cast<double>(fitted.size()), least, 1 - least);
    if (std::abs(share - before) <= 1e-9 * before) break;
  }
  out.share = share;
  for (const Index k : fitted) out.probability[k] = sigmoid(evidence[k] + std::log(share) - std::log1p(-share));

  std::stable_sort(fitted.begin(), fitted.end(), [&](Index a, Index b) { return evidence[a] > evidence[b]; });
  double false_ones = 0, count = 0;
  for (const Index k : fitted) {
    false_ones += 1 - out.probability[k], count += 1;
    if (false_ones > rate * count) break;  // the probabilities fall
    out.selected[static_cast<std::size_t>(k)] = true;
  }
  return out;
}

}  // namespace ardvark
