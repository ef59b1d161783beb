#include "select/class_chain.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/logistic_moments.hpp"
#include "core/special.hpp"
#include "select/polya_gamma.hpp"

namespace ardvark::internal {
namespace {

constexpr int sweeps_of_weights = 5;                                                 // with the same weights
constexpr int rounds = 4, unread_of_round = 100, draws_of_round = 20, between = 10;  // of the normal approximation
constexpr int unread = 200, sweeps_read = 1000;                                      // of the chain under it
constexpr double least_share = 0.002;                                                // of these sweeps: a column is in play
constexpr std::size_t most_in_play = 300;
constexpr double least_of_bound = 0.05;  // of the weights of (JJ.2): where classes are nearly separated, the curvature alone is almost 0

struct MomentsOfScores {
  Vector mean, variance;  // [n]
};

MomentsOfScores first_moments(const ChainColumns& columns) {
  const double share = share_of_second(columns);
  const Index n = columns.target.size();
  return {Vector::Constant(n, std::log(share / (1 - share))), Vector::Zero(n)};
}

// The normal approximation at these moments: expected curvature and slope.                                                  (SL.1)
WeightedRows approximate_rows(const ChainColumns& columns, const MomentsOfScores& scores) {
  LogisticMoments moments;
  moments.of(scores.mean, scores.variance);
  const Vector xi = (scores.mean.array().square() + scores.variance.array()).sqrt();
  const Vector of_bound = 2 * xi.unaryExpr([](double x) { return jj_lambda(x); });
  const Vector omega = moments.slope.cwiseMax(least_of_bound * of_bound);
  const Vector z = scores.mean + (columns.target - moments.sigma).cwiseQuotient(omega);
  return class_rows(columns, z, columns.weights.cwiseProduct(omega));
}

MomentsOfScores drawn_moments(const ChainColumns& columns, const WeightedRows& rows, InclusionChain& chain) {
  const Index n = rows.root.size();
  MomentsOfScores out{Vector::Zero(n), Vector::Zero(n)};
  for (int i = 1; i <= draws_of_round; ++i) {
    for (int k = 0; k < between; ++k) chain.sweep();
    const Vector scores = scores_of(columns, rows, chain.effects(), nullptr), step = scores - out.mean;
    out.mean += step / i;
    out.variance += step.cwiseProduct(scores - out.mean);
  }
  out.variance /= draws_of_round;
  const Vector of_flat = rows.flat.rowwise().squaredNorm();
  out.variance += (rows.root.array() > 0).select(of_flat.cwiseQuotient(rows.root.cwiseAbs2()), 0.0);
  return out;
}

}  // namespace

ChainColumns columns_in_play(const ChainColumns& columns, std::uint64_t seed) {
  WeightedRows rows = approximate_rows(columns, first_moments(columns));
  const auto near = neighbours_in(rows.rows.gram);
  for (int round = 0; round < rounds; ++round) {
    InclusionChain chain(rows.rows, near, ++seed);
    for (int i = 0; i < unread_of_round; ++i) chain.sweep();
    const MomentsOfScores scores = drawn_moments(columns, rows, chain);
    rows = approximate_rows(columns, scores);
  }
  InclusionChain chain(rows.rows, near, ++seed);
  for (int i = 0; i < unread; ++i) chain.sweep();
  std::vector<int> count(columns.which.size(), 0);
  for (int i = 0; i < sweeps_read; ++i) {
    chain.sweep();
    for (const Index j : chain.included()) ++count[static_cast<std::size_t>(j)];
  }
  std::vector<Index> in_play;
  for (std::size_t j = 0; j < count.size(); ++j)
    if (count[j] >= least_share * sweeps_read) in_play.push_back(static_cast<Index>(j));
  std::ranges::stable_sort(in_play, std::greater{}, [&](Index j) { return count[static_cast<std::size_t>(j)]; });
  if (in_play.size() > most_in_play) in_play.resize(most_in_play);
  std::ranges::sort(in_play);
  return some_of(columns, in_play);
}

ClassChain::ClassChain(const ChainColumns& columns, std::uint64_t seed) : columns_(columns), draw_(seed + 1) {
  draw_weights(first_moments(columns).mean);
  near_ = neighbours_in(rows_.rows.gram);
  chain_.emplace(rows_.rows, near_, seed);
}

// Given the scores, the weights; z_n = k_n (t_n - 1/2) / omega_n.                                                           (FDR.5)
void ClassChain::draw_weights(const Vector& scores) {
  const Index n = scores.size();
  Vector omega = Vector::Zero(n), z = omega;
  for (Index i = 0; i < n; ++i) {
    const double weight = columns_.weights[i];
    if (!(weight > 0)) continue;
    omega[i] = polya_gamma(weight, scores[i], draw_);
    z[i] = weight * (columns_.target[i] - 0.5) / omega[i];
  }
  rows_ = class_rows(columns_, z, omega);
}

void ClassChain::sweep() {
  if (sweeps_++ % sweeps_of_weights == 0 && sweeps_ > 1) {
    draw_weights(scores_of(columns_, rows_, chain_->effects(), &draw_));
    chain_->rows_changed();
  }
  chain_->sweep();
}

}  // namespace ardvark::internal
