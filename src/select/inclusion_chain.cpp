#include "select/inclusion_chain.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "select/polya_gamma.hpp"

namespace ardvark::internal {
namespace {

constexpr double close = 0.5;    // correlation from which an effect may be that of another column
constexpr double smallest = 36;  // scale of the prior of n kappa: effects of an own are at least some standard errors large   (FDR.1)
constexpr int rounds_of_moves = 3;
constexpr double never = -38;        // log odds below those of the smallest uniform variate
constexpr double most_alike = 0.99;  // of rho: nearer to 1 the steps are too small                                             (FDR.1)

// A step of slice sampling: leaves the distribution with this log density on (lower, upper) as it is. Neal (2003), stepping out.
double slice_draw(double at, double lower, double upper, double width, auto&& log_density, Normals& draw) {
  const double level = log_density(at) + std::log(draw.uniform());
  double from = std::max(at - width * draw.uniform(), lower), to = std::min(from + width, upper);
  while (from > lower && log_density(from) > level) from = std::max(from - width, lower);
  while (to < upper && log_density(to) > level) to = std::min(to + width, upper);
  for (int i = 0; i < 100; ++i) {
    const double x = from + (to - from) * draw.uniform();
    if (log_density(x) > level) return x;
    (x < at ? from : to) = x;
  }
  return at;
}

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
  const double within = (1 - alike_) * kappa_, middle = std::sqrt(alike_ * kappa_ / s2_);  // v / s2, m / s2
  const auto d = rows_.gram.diagonal().array();
  const Eigen::ArrayXd w = 1 + within * d;
  offset_ = 0.5 * (w.log() + alike_ * kappa_ * d / w);
  factor_ = within / (2 * s2_) * w.inverse();
  slope_ = middle * w.inverse();
  prior_odds_ = std::log(pi_ / (1 - pi_));
}

// ln of the evidence for an effect of column j, c = x'r without its effect.                                                  (FDR.2)
double InclusionChain::evidence(Index j, double c) const {
  const double u = std::abs(slope_[j] * c);
  return at_most(j, c) + std::log1p(std::exp(-2 * u)) - std::numbers::ln2;
}

// The larger of the two signs alone: it costs no logarithm.
double InclusionChain::at_most(Index j, double c) const { return factor_[j] * c * c - offset_[j] + std::abs(slope_[j] * c); }

double InclusionChain::drawn_effect(Index j, double c) {
  const double within = (1 - alike_) * kappa_, w = 1 + within * rows_.gram(j, j);
  const double sign = draw_.uniform() < 1 / (1 + std::exp(-2 * slope_[j] * c)) ? 1 : -1;
  return (within * c + sign * std::sqrt(alike_ * kappa_ * s2_)) / w + std::sqrt(s2_ * within / w) * draw_();
}

void InclusionChain::set_effect(Index j, double value) {
  is_in_[static_cast<std::size_t>(j)] = value != 0;
  if (value == b_[j]) return;
  c_ -= (value - b_[j]) * rows_.gram.col(j);
  b_[j] = value;
}

void InclusionChain::visit(Index j) {
  const double c = c_[j] + rows_.gram(j, j) * b_[j];
  const double most = prior_odds_ + at_most(j, c);
  bool enters = false;
  if (most > never) {
    const double u = draw_.uniform();
    enters = u < 1 / (1 + std::exp(-most)) && u < 1 / (1 + std::exp(-prior_odds_ - evidence(j, c)));
  }
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

// ln of the density of ln s2, ln kappa and rho given the effects and their signs.                                             (FDR.1)
double InclusionChain::hyper_log_density(double s2, double kappa, double alike) const {
  const auto count = static_cast<double>(included_.size());
  const double scale = std::sqrt(s2 * kappa);
  const double of_effects = squares_ / (scale * scale) - 2 * std::sqrt(alike) * sizes_ / scale + alike * count;
  const double of_noise = rows_.has_noise ? rows_.degrees * std::log(s2) + rest_ / s2 : 0;
  return -0.5 * (of_noise + count * std::log((1 - alike) * s2 * kappa) + of_effects / (1 - alike) + std::log(kappa) +
                 smallest / rows_.degrees / kappa);
}

// pi from its distribution, then the signs, then the other three, each by a step of slice sampling.                          (FDR.1)
void InclusionChain::draw_hyper(bool backwards) {
  const auto count = static_cast<double>(included_.size());
  const double a = gamma_variate(1 + count, draw_), b = gamma_variate(1 + rows_.num_columns - count, draw_);
  pi_ = std::clamp(a / (a + b), 1e-12, 1 - 1e-12);
  const double pull = 2 * std::sqrt(alike_ / (s2_ * kappa_)) / (1 - alike_);
  sizes_ = 0;
  for (const Index j : included_)
    sizes_ += draw_.uniform() < 1 / (1 + std::exp(-pull * std::abs(b_[j]))) ? std::abs(b_[j]) : -std::abs(b_[j]);
  squares_ = b_.squaredNorm();
  const auto draw_alike = [&] {
    alike_ = slice_draw(
        alike_, 0, most_alike, most_alike, [&](double x) { return hyper_log_density(s2_, kappa_, x); }, draw_);
  };
  const auto on_log = [&](double x, auto&& density) {
    const double at = std::log(x);
    return std::exp(slice_draw(
        at, at - 50, at + 50, 1, [&](double ln) { return density(std::exp(ln)); }, draw_));
  };
  if (!backwards) draw_alike();
  kappa_ = on_log(kappa_, [&](double x) { return hyper_log_density(s2_, x, alike_); });
  if (backwards) draw_alike();
  if (!rows_.has_noise) return;
  const double least = 1e-12 * rows_.squared / rows_.degrees;
  rest_ = std::max(rows_.squared - b_.dot(rows_.projected + c_), 0.0);
  s2_ = std::max(on_log(s2_, [&](double x) { return hyper_log_density(x, kappa_, alike_); }), least);
}

// Each step is as likely as its reverse, and so is the sweep if its order is drawn. An effect that may move is drawn, too.  (FDR.10)
void InclusionChain::sweep_either_way() {
  const auto moves = [&] {
    const std::size_t count = rounds_of_moves * included_.size();
    for (std::size_t i = 0; i < count; ++i) {
      move(included_[static_cast<std::size_t>(draw_.uniform() * static_cast<double>(included_.size()))]);
      list_included();
    }
  };
  const bool backwards = draw_.uniform() < 0.5;
  if (backwards) {
    draw_hyper(true);
    set_evidence();
    moves();
    for (auto j = visited_.rbegin(); j != visited_.rend(); ++j) visit(*j);
    list_included();
  } else {
    for (const Index j : visited_) visit(j);
    list_included();
    moves();
    draw_hyper();
    set_evidence();
  }
}

void InclusionChain::take_back(const InclusionChain& earlier) {
  b_ = earlier.b_, c_ = earlier.c_;
  offset_ = earlier.offset_, factor_ = earlier.factor_, slope_ = earlier.slope_;
  is_in_ = earlier.is_in_, included_ = earlier.included_;
  s2_ = earlier.s2_, pi_ = earlier.pi_, kappa_ = earlier.kappa_, alike_ = earlier.alike_, prior_odds_ = earlier.prior_odds_;
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
