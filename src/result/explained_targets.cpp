// Which targets the columns explain, at a stated rate of false discoveries.                          docs/math/targets.md (TGT.6)
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ardvark/targets.hpp"
#include "core/refusals.hpp"

namespace ardvark {

using namespace internal;

namespace {

// The likelihood of each target under no effect, and under each size of effects; the largest of a target is 1.
struct Likelihoods {
  std::vector<Index> targets;  // with numbers
  Matrix of_sizes;             // [sizes, targets]
  Vector of_none;              // [targets]

  explicit Likelihoods(const Matrix& log_bayes) {
    for (Index k = 0; k < log_bayes.cols(); ++k)
      if (!log_bayes.col(k).array().isNaN().all()) targets.push_back(k);
    of_sizes = Matrix::Zero(log_bayes.rows(), std::ssize(targets));
    of_none = Vector(of_sizes.cols());
    for (Index i = 0; i < of_none.size(); ++i) {
      const auto given = log_bayes.col(targets[static_cast<std::size_t>(i)]).array();
      const Eigen::ArrayXd logs = given.isNaN().select(-std::numeric_limits<double>::infinity(), given);
      const double most = std::max(0.0, logs.maxCoeff());
      of_sizes.col(i) = (logs - most).exp();
      of_none[i] = std::exp(-most);
    }
  }
};

// The shares with the highest likelihood, by EM. The prior of the shares is a Dirichlet distribution that favours no effect: sizes that the
// table cannot tell from none then do not count as effects.
struct Shares {
  double none = 0.5;
  Vector of_sizes;

  explicit Shares(const Likelihoods& likelihoods) {
    const Index sizes = likelihoods.of_sizes.rows(), count = likelihoods.of_none.size();
    of_sizes = Vector::Constant(sizes, 0.5 / static_cast<double>(sizes));
    // About one standard error of the share of none: the likelihood of many sizes alone makes that share too small.
    const double favour = std::max(9.0, std::sqrt(static_cast<double>(count)));
    for (int step = 0; step < 5000; ++step) {
      const Vector inverse = (none * likelihoods.of_none + likelihoods.of_sizes.transpose() * of_sizes).cwiseInverse();
      const double total = static_cast<double>(count) + favour, before = none;
      none = (none * likelihoods.of_none.dot(inverse) + favour) / total;
      const Vector next = of_sizes.cwiseProduct(likelihoods.of_sizes * inverse) / total;
      const double moved = std::max((next - of_sizes).lpNorm<Eigen::Infinity>(), std::abs(none - before));
      of_sizes = next;
      if (moved < 1e-8) break;
    }
  }
};

// P(no effect) of each target. \param none  their share
Vector without_effect(const Likelihoods& likelihoods, const Shares& shares, double none) {
  const Vector effects = (1 - none) / std::max(1 - shares.none, 1e-300) * likelihoods.of_sizes.transpose() * shares.of_sizes;
  const Vector no_effect = none * likelihoods.of_none;
  return no_effect.cwiseQuotient(no_effect + effects);
}

// The part of all draws of noise that look as little like noise as each of the targets.
Vector shares_of_noise(const Vector& of_targets, Vector of_draws) {
  std::sort(of_draws.begin(), of_draws.end());
  return of_targets.unaryExpr([&](double p) {
    return static_cast<double>(std::upper_bound(of_draws.begin(), of_draws.end(), p) - of_draws.begin()) /
           static_cast<double>(of_draws.size());
  });
}

}  // namespace

ExplainedTargets explained_targets(const Matrix& log_bayes, const Matrix& of_noise, double rate) {
  if (!(rate > 0 && rate < 1)) throw wrong("rate", rate, "it must lie between 0 and 1");
  const Index K = log_bayes.cols();
  ExplainedTargets out{0, Vector::Constant(K, std::numeric_limits<double>::quiet_NaN()), std::vector<bool>(static_cast<std::size_t>(K))};
  const Likelihoods likelihoods(log_bayes);
  if (likelihoods.targets.empty()) return out;
  const Shares shares(likelihoods);
  const auto count = static_cast<double>(likelihoods.targets.size());
  double none = shares.none;
  Vector is_false = without_effect(likelihoods, shares, none), of_noise_as_good = Vector::Zero(is_false.size());
  if (of_noise.size() > 0) {
    const Likelihoods draws(of_noise);
    of_noise_as_good = shares_of_noise(is_false, without_effect(draws, shares, none));
    // Half of the targets without effects look more like noise than half of the noise does: Storey (2002).
    const double like_noise = 2 * static_cast<double>((of_noise_as_good.array() > 0.5).count()) / count;
    none = std::max(none, std::min(like_noise, 1 - 1 / (count + 2)));  // the next target may be the first with an effect
    is_false = without_effect(likelihoods, shares, none);
  }
  out.share = 1 - none;
  for (Index i = 0; i < is_false.size(); ++i) out.probability[likelihoods.targets[static_cast<std::size_t>(i)]] = 1 - is_false[i];

  std::vector<Index> order(likelihoods.targets.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return is_false[a] < is_false[b]; });
  double false_ones = 0;
  std::size_t by_probability = 0, by_noise = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double allowed = rate * static_cast<double>(i + 1);
    false_ones += is_false[order[i]];
    if (by_probability == i && false_ones <= allowed) by_probability = i + 1;  // the probabilities to be false rise
    if (none * count * of_noise_as_good[order[i]] <= allowed) by_noise = i + 1;
  }
  for (std::size_t i = 0; i < std::min(by_probability, by_noise); ++i)
    out.selected[static_cast<std::size_t>(likelihoods.targets[static_cast<std::size_t>(order[i])])] = true;
  return out;
}

}  // namespace ardvark
