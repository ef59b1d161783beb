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

}  // namespace

ExplainedTargets explained_targets(const Matrix& log_bayes, double rate) {
  if (!(rate > 0 && rate < 1)) throw wrong("rate", rate, "it must lie between 0 and 1");
  const Index K = log_bayes.cols();
  ExplainedTargets out{0, Vector::Constant(K, std::numeric_limits<double>::quiet_NaN()), std::vector<bool>(static_cast<std::size_t>(K))};
  const Likelihoods likelihoods(log_bayes);
  if (likelihoods.targets.empty()) return out;
  const Shares shares(likelihoods);
  out.share = 1 - shares.none;
  const Vector of_effects = likelihoods.of_sizes.transpose() * shares.of_sizes;
  Vector is_false(of_effects.size());
  for (Index i = 0; i < is_false.size(); ++i) {
    const double none = shares.none * likelihoods.of_none[i];
    is_false[i] = none / (none + of_effects[i]);
    out.probability[likelihoods.targets[static_cast<std::size_t>(i)]] = 1 - is_false[i];
  }
  std::vector<Index> order(likelihoods.targets.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return is_false[a] < is_false[b]; });
  double false_ones = 0, count = 0;
  for (const Index i : order) {
    false_ones += is_false[i], count += 1;
    if (false_ones > rate * count) break;  // the probabilities to be false rise
    out.selected[static_cast<std::size_t>(likelihoods.targets[static_cast<std::size_t>(i)])] = true;
  }
  return out;
}

}  // namespace ardvark
