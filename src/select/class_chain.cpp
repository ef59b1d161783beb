#include "select/class_chain.hpp"

#include <cmath>

#include "core/logistic_moments.hpp"
#include "core/special.hpp"
#include "select/columns_in_play.hpp"
#include "select/polya_gamma.hpp"

namespace ardvark::internal {
namespace {

constexpr double least_of_bound = 0.05;  // of the weights of (JJ.2): where classes are nearly separated, the curvature alone is almost 0

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

}  // namespace

ChainColumns class_columns_in_play(const ChainColumns& columns, std::uint64_t seed) {
  return columns_in_play(columns, approximate_rows, first_moments(columns), seed).columns;
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
