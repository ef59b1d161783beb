// Columns that a fit does not follow one by one: what their small effects add to it.                              docs/math/sparse.md
// (SP.26)
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>

namespace ardvark::internal {

struct SpikeSlabHyper {
  double pi = 0.1;   ///< share of the columns (groups) with an effect of their own
  double kappa = 0;  ///< its variance over that of the noise
  double h = 0;      ///< variance of the dense effects over that of the noise
  double s2 = 1;     ///< of the noise
};

/// Sums over columns; q is the probability of an effect, mu and V are its mean and variance, c and d are as below.
struct SumsBeside {
  double included = 0;    ///< sum q
  double square = 0;      ///< sum q (V + mu^2)
  double negentropy = 0;  ///< sum q ln q + (1 - q) ln(1 - q) - q/2 ln V
  double misfit = 0;      ///< sum q (d (V + mu^2) - 2 c mu)/s2: what their effects change in the misfit, below 0
};

/// The effect of a column without one so far, from its product c with the residual and its square d: z'Dr and z'Dz.               (SP.4)
class Inclusion {
 public:
  explicit Inclusion(const SpikeSlabHyper& hyper)
      : hyper_(hyper),
        has_effects_(hyper.kappa > 0 && hyper.pi > 0),
        odds_(hyper.pi / (1 - hyper.pi)),
        log_odds_(std::log(odds_)),
        log_slab_(std::log(hyper.s2 * hyper.kappa)) {}

  [[nodiscard]] bool has_effects() const { return has_effects_; }
  /// The log odds that the data add. \param least  a smaller value may be too large, but not as large as this
  [[nodiscard]] double from_data(double c, double d, double least) const {
    const double most = gain(c, d);
    return most > least ? most - 0.5 * std::log1p(hyper_.kappa * d) : most;
  }
  /// The probability of an effect.
  [[nodiscard]] double of(double c, double d) const {
    if (!has_effects_) return 0;
    return odds_ / (odds_ + std::sqrt(1 + hyper_.kappa * d) * std::exp(-gain(c, d)));
  }
  /// Whether of() may exceed `least`: cheap, and true for a few that do not.
  [[nodiscard]] bool may_exceed(double least, double c, double d) const { return gain(c, d) + log_odds_ > std::log(least); }
  /// Of the effect.
  [[nodiscard]] double variance(double c, double d) const {
    const double q = of(c, d), room = 1 + hyper_.kappa * d, mu = hyper_.kappa * c / room;
    return q > 0 ? q * hyper_.s2 * hyper_.kappa / room + q * (1 - q) * mu * mu : 0;
  }
  /// Adds the terms of `count` such columns.
  void add(double count, double c, double d, SumsBeside& sums) const {
    const double room = 1 + hyper_.kappa * d, mu = hyper_.kappa * c / room, V = hyper_.s2 * hyper_.kappa / room, gain_here = gain(c, d);
    const double log_ratio = log_odds_ + gain_here - 0.5 * std::log(room), q = 1 / (1 + std::exp(-log_ratio));
    const double log_without = -std::max(log_ratio, 0.0) - std::log1p(std::exp(-std::abs(log_ratio)));  // ln(1 - q), of any evidence
    sums.included += count * q;
    sums.square += count * q * (V + mu * mu);
    sums.negentropy += count * (q * (log_odds_ + gain_here - 0.5 * log_slab_) + log_without);  // ln(1 + kappa d) cancels
    sums.misfit += count * q * (d * (V + mu * mu) - 2 * c * mu) / hyper_.s2;
  }

 private:
  [[nodiscard]] double gain(double c, double d) const { return 0.5 * hyper_.kappa * c * c / (hyper_.s2 * (1 + hyper_.kappa * d)); }

  SpikeSlabHyper hyper_;
  bool has_effects_;
  double odds_, log_odds_, log_slab_;
};

/// Columns by their c^2/d and d, in classes so narrow that a class counts as its mean. The sums follow for any hyper-parameters.  (SP.26)
class ColumnsBeside {
 public:
  ColumnsBeside() = default;
  /// \param hyper  of the fit whose residual gives c
  explicit ColumnsBeside(const SpikeSlabHyper& hyper) : scale_(0.5 * grains_ / hyper.s2), kappa_(hyper.kappa), s2_(hyper.s2) {}
  /// \param d  above 0
  void add(double c, double d) {
    Class& found = classes_[key_of(c, d)];
    ++found.count;
    found.square += c * c;
    found.d += d;
  }
  /// A column that was added and is followed from now on.
  void remove(double c, double d) {
    const auto found = classes_.find(key_of(c, d));
    if (--found->second.count == 0) {
      classes_.erase(found);
      return;
    }
    found->second.square = std::max(found->second.square - c * c, 0.0);
    found->second.d -= d;
  }
  [[nodiscard]] SumsBeside sums(const SpikeSlabHyper& hyper) const;

 private:
  struct Class {
    double count = 0, square = 0, d = 0;  // sums of 1, c^2, d
  };
  [[nodiscard]] std::uint64_t key_of(double c, double d) const {
    const double size = std::min(scale_ * (c * c) / d, most_grains_);
    const std::uint64_t of_d = std::bit_cast<std::uint64_t>(d) >> 49;  // the exponent and three digits of d
    return of_d << 16 | static_cast<std::uint64_t>(size);
  }

  static constexpr double grains_ = 16;  // a nat
  static constexpr double most_grains_ = 65535;
  double scale_ = 1, kappa_ = 0, s2_ = 1;
  std::map<std::uint64_t, Class> classes_;  // sums go over them: in one order, in every standard library
};

}  // namespace ardvark::internal
