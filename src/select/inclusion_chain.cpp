#include "select/inclusion_chain.hpp"

#include <algorithm>
#include <cmath>

namespace ardvark::internal {
namespace {

constexpr double close = 0.5;    // correlation from which an effect may be that of another column
constexpr double smallest = 36;  // scale of the prior of n kappa: effects of an own are at least some standard errors large   (FDR.1)
constexpr int rounds_of_moves = 3;

}  // namespace

std::vector<std::vector<Index>> neighbours_in(const Matrix& gram) {
  const Vector size = gram.diagonal().cwiseSqrt();
  std::vector<std::vector<Index>> near(static_cast<std::size_t>(size.size()));
  for (Index j = 0; j < size.size(); ++j)
    for (Index k = 0; k < size.size(); ++k)
      if (k != j && std::abs(gram(k, j)) > close * size[j] * size[k]) near[static_cast<std::size_t>(j)].push_back(k);
  return near;
}

InclusionChain::InclusionChain(const ChainRows& rows, const std::vector<std::vector<Index>>& near, std::uint64_t seed)
    : rows_(rows),
      near_(near),
      draw_(seed),
      b_(Vector::Zero(rows.projected.size())),
      c_(rows.projected),
      is_in_(static_cast<std::size_t>(b_.size()), false),
      s2_(rows.has_noise ? rows.squared / rows.degrees : 1),
      pi_(1 / (1 + rows.num_columns)),
      kappa_(smallest / rows.degrees) {}

// ln of the evidence for an effect of column j, c = x'r without its effect.                                                  (FDR.2)
double InclusionChain::evidence(Index j, double c) const {
  const double w = 1 + kappa_ * rows_.gram(j, j);
  return -0.5 * std::log(w) + kappa_ * c * c / (2 * s2_ * w);
}

double InclusionChain::drawn_effect(Index j, double c) {
  const double w = 1 + kappa_ * rows_.gram(j, j);
  return kappa_ * c / w + std::sqrt(s2_ * kappa_ / w) * draw_();
}

void InclusionChain::set_effect(Index j, double value) {
  is_in_[static_cast<std::size_t>(j)] = value != 0;
  if (value == b_[j]) return;
  c_ -= (value - b_[j]) * rows_.gram.col(j);
  b_[j] = value;
}

void InclusionChain::visit(Index j) {
  const double c = c_[j] + rows_.gram(j, j) * b_[j];
  const double odds = std::log(pi_ / (1 - pi_)) + evidence(j, c);
  const bool enters = std::log(draw_.uniform()) < -std::log1p(std::exp(-odds));
  set_effect(j, enters ? drawn_effect(j, c) : 0);
}

// A step of Metropolis: neighbours are symmetric, so the ratio of the proposals is that of their numbers.                    (FDR.2)
void InclusionChain::move(Index j) {
  const std::vector<Index>& near = near_[static_cast<std::size_t>(j)];
  if (near.empty()) return;
  const Index k = near[static_cast<std::size_t>(draw_.uniform() * static_cast<double>(near.size()))];
  if (is_in_[static_cast<std::size_t>(k)]) return;
  const double from = c_[j] + rows_.gram(j, j) * b_[j], to = c_[k] + rows_.gram(k, j) * b_[j];
  const double ways = static_cast<double>(near.size()) / static_cast<double>(near_[static_cast<std::size_t>(k)].size());
  if (std::log(draw_.uniform()) >= evidence(k, to) - evidence(j, from) + std::log(ways)) return;
  set_effect(j, 0);
  set_effect(k, drawn_effect(k, to));
}

void InclusionChain::list_included() {
  included_.clear();
  for (Index j = 0; j < b_.size(); ++j)
    if (is_in_[static_cast<std::size_t>(j)]) included_.push_back(j);
}

// A variate of the gamma distribution with rate 1, by Marsaglia and Tsang.
double InclusionChain::gamma(double shape) {
  if (shape < 1) return gamma(shape + 1) * std::pow(draw_.uniform(), 1 / shape);
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = draw_(), root = 1 + c * x, v = root * root * root;
    if (v > 0 && std::log(draw_.uniform()) < x * x / 2 + d - d * v + d * std::log(v)) return d * v;
  }
}

// Each from its distribution given the rest.                                                                                 (FDR.1)
void InclusionChain::draw_hyper() {
  const auto count = static_cast<double>(included_.size());
  const double a = gamma(1 + count), b = gamma(1 + rows_.num_columns - count);
  pi_ = std::clamp(a / (a + b), 1e-12, 1 - 1e-12);
  const double power = b_.squaredNorm();
  kappa_ = (smallest / rows_.degrees + power / s2_) / (2 * gamma((1 + count) / 2));
  if (!rows_.has_noise) return;
  const double rest = std::max(rows_.squared - b_.dot(rows_.projected + c_), 0.0);
  s2_ = std::max((rest + power / kappa_) / (2 * gamma((rows_.degrees + count) / 2)), 1e-12 * rows_.squared / rows_.degrees);
}

void InclusionChain::sweep() {
  for (Index j = 0; j < b_.size(); ++j) visit(j);
  list_included();
  for (int round = 0; round < rounds_of_moves; ++round) {
    for (const Index j : included_) move(j);
    list_included();
  }
  draw_hyper();
}

}  // namespace ardvark::internal
