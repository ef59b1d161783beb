#include "select/inclusion_chain.hpp"

#include <algorithm>
#include <cmath>

#include "select/polya_gamma.hpp"

namespace ardvark::internal {
namespace {

constexpr double close = 0.5;    // correlation from which an effect may be that of another column
constexpr double smallest = 36;  // scale of the prior of n kappa: effects of an own are at least some standard errors large   (FDR.1)
constexpr int rounds_of_moves = 3;
constexpr double never = -38;  // log odds below those of the smallest uniform variate

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
      kappa_(smallest / rows.degrees) {
  for (Index j = 0; j < b_.size(); ++j)
    if (rows_.gram(j, j) > 0) visited_.push_back(j);
  set_evidence();
}

// The parts of the evidence that do not depend on the effects, until the next hyper-parameters.
void InclusionChain::set_evidence() {
  const auto w = 1 + kappa_ * rows_.gram.diagonal().array();
  half_log_ = 0.5 * w.log();
  factor_ = kappa_ / (2 * s2_) * w.inverse();
  prior_odds_ = std::log(pi_ / (1 - pi_));
}

// ln of the evidence for an effect of column j, c = x'r without its effect.                                                  (FDR.2)
double InclusionChain::evidence(Index j, double c) const { return factor_[j] * c * c - half_log_[j]; }

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
  const double odds = prior_odds_ + evidence(j, c);
  const bool enters = odds > never && draw_.uniform() < 1 / (1 + std::exp(-odds));
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

// Each from its distribution given the rest.                                                                                 (FDR.1)
void InclusionChain::draw_hyper() {
  const auto count = static_cast<double>(included_.size());
  const double a = gamma_variate(1 + count, draw_), b = gamma_variate(1 + rows_.num_columns - count, draw_);
  pi_ = std::clamp(a / (a + b), 1e-12, 1 - 1e-12);
  const double power = b_.squaredNorm();
  kappa_ = (smallest / rows_.degrees + power / s2_) / (2 * gamma_variate((1 + count) / 2, draw_));
  if (!rows_.has_noise) return;
  const double rest = std::max(rows_.squared - b_.dot(rows_.projected + c_), 0.0);
  s2_ = std::max((rest + power / kappa_) / (2 * gamma_variate((rows_.degrees + count) / 2, draw_)), 1e-12 * rows_.squared / rows_.degrees);
}

void InclusionChain::rows_changed() {
  c_ = rows_.projected - rows_.gram * b_;
  set_evidence();
}

void InclusionChain::sweep() {
  for (const Index j : visited_) visit(j);
  list_included();
  for (int round = 0; round < rounds_of_moves; ++round) {
    for (const Index j : included_) move(j);
    list_included();
  }
  draw_hyper();
  set_evidence();
}

}  // namespace ardvark::internal
