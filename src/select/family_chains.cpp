#include "select/family_chains.hpp"

#include <algorithm>
#include <cmath>

#include "core/special.hpp"
#include "likelihood/negative_binomial.hpp"
#include "select/polya_gamma.hpp"

namespace ardvark::internal {
namespace {

constexpr int first_sweeps = 100;  // under the approximation alone
constexpr double largest = 700;    // e^x does not overflow

// \param lambda  [n] the weights of the rows beside those of the caller
WeightedRows rows_of_numbers(const ChainColumns& columns, const Vector& lambda) {
  WeightedRows out = weighted_rows(columns, columns.target, lambda);
  out.rows.degrees = std::max(columns.weights.sum() - static_cast<double>(out.flat.cols()), 1.0);
  return out;
}

// k_n E lambda_n.                                                                                                            (TN.1)
Vector expected_weights(const ChainColumns& columns, const MomentsOfScores& scores, double nu) {
  const Vector d = (columns.target - scores.mean).cwiseAbs2() + scores.variance;
  return columns.weights.array() * (nu + 1) / (nu + d.array() / scores.noise);
}

// omega and z of a normal distribution of each row about z with the variance 1 / omega: (POIS.1), (NB.3).
struct RowsOfChain {
  Vector omega, z;
};
RowsOfChain count_rows(const ChainColumns& columns, const EffectFamily& family, const MomentsOfScores& scores) {
  constexpr double least_omega = 1e-12;
  const Index n = columns.target.size();
  const double k = family.dispersion;
  RowsOfChain out{Vector(n), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    const double y = columns.target[i], m = scores.mean[i] + family.offset_of(i), s = scores.variance[i];
    double slope = 0;
    if (k == 0) {
      out.omega[i] = std::exp(std::min(m + 0.5 * s, largest));
      slope = y - out.omega[i];
    } else {
      const SoftplusMoments at = softplus_moments(m + std::log(k), s);
      out.omega[i] = (y * k + 1) / k * at.slope;
      slope = y - (y * k + 1) / k * at.sigma;
    }
    out.omega[i] = std::max(out.omega[i], least_omega);
    out.z[i] = scores.mean[i] + slope / out.omega[i];
  }
  return out;
}

// ln of the rate that is best for all rows of exposure 1.
double log_rate(const ChainColumns& columns, const EffectFamily& family) {
  double exposure = 0;
  for (Index i = 0; i < columns.target.size(); ++i) exposure += columns.weights[i] * std::exp(std::min(family.offset_of(i), largest));
  return std::log(std::max(columns.weights.dot(columns.target), 0.5) / exposure);
}

// The noise is known, and the rows count as much as they say about a constant rate.                                        (FDR.10)
WeightedRows weighted_counts(const ChainColumns& columns, const EffectFamily& family, const RowsOfChain& rows) {
  WeightedRows out = weighted_rows(columns, rows.z, columns.weights.cwiseProduct(rows.omega));
  out.rows.has_noise = false;
  const double rate = log_rate(columns, family);
  out.rows.degrees = 0;
  for (Index i = 0; i < columns.target.size(); ++i) {
    const double mean = std::exp(std::min(rate + family.offset_of(i), largest));
    out.rows.degrees += columns.weights[i] * mean / (1 + family.dispersion * mean);
  }
  out.rows.degrees = std::max(out.rows.degrees, 1.0);
  return out;
}

}  // namespace

ColumnsInPlay student_columns_in_play(const ChainColumns& columns, double degrees_of_freedom, std::uint64_t seed) {
  const auto approximate = [=](const ChainColumns& some, const MomentsOfScores& scores) {
    return rows_of_numbers(some, expected_weights(some, scores, degrees_of_freedom));
  };
  return columns_in_play(columns, approximate, {columns.target, Vector::Zero(columns.target.size())}, seed);  // all rows alike
}

StudentChain::StudentChain(const ColumnsInPlay& columns, double degrees_of_freedom, std::uint64_t seed)
    : columns_(columns.columns),
      nu_(degrees_of_freedom),
      draw_(seed + 1),
      rows_(rows_of_numbers(columns_, expected_weights(columns_, columns.scores, nu_))),
      near_(neighbours_in(rows_.rows.gram)) {
  chain_.emplace(rows_.rows, near_, seed);
}

// lambda_n is the sum of k_n variates of Gam((nu + 1) / 2, (nu + (y_n - eta_n)^2 / s2) / 2).                                (FDR.9)
void StudentChain::sweep() {
  if (sweeps_++ % sweeps_of_weights == 0 && sweeps_ > 1) {
    const double s2 = chain_->noise_variance();
    const Vector scores = scores_of(columns_, rows_, chain_->effects(), &draw_, std::sqrt(s2));
    Vector lambda = Vector::Zero(scores.size());
    for (Index i = 0; i < scores.size(); ++i) {
      const double weight = columns_.weights[i], rest = columns_.target[i] - scores[i];
      if (weight > 0) lambda[i] = 2 * gamma_variate(0.5 * weight * (nu_ + 1), draw_) / (nu_ + rest * rest / s2);
    }
    rows_ = rows_of_numbers(columns_, lambda);
    chain_->rows_changed();
  }
  chain_->sweep();
}

ColumnsInPlay count_columns_in_play(const ChainColumns& columns, const EffectFamily& family, std::uint64_t seed) {
  const auto approximate = [&](const ChainColumns& some, const MomentsOfScores& scores) {
    return weighted_counts(some, family, count_rows(some, family, scores));
  };
  constexpr int most_rounds = 30;
  const Index n = columns.target.size();
  MomentsOfScores first{columns.target.array().max(0.5).log(), Vector::Zero(n)};  // as (POIS.1)
  for (Index i = 0; i < n; ++i) first.mean[i] -= family.offset_of(i);
  return columns_in_play(columns, approximate, std::move(first), seed, most_rounds);
}

CountChain::CountChain(const ColumnsInPlay& columns, const EffectFamily& family, std::uint64_t seed)
    : columns_(columns.columns), family_(family), draw_(seed + 1) {
  RowsOfChain rows = count_rows(columns_, family, columns.scores);
  rows_ = weighted_counts(columns_, family, rows);
  omega_ = std::move(rows.omega), z_ = std::move(rows.z);
  near_ = neighbours_in(rows_.rows.gram);
  chain_.emplace(rows_.rows, near_, seed);
  for (int i = 0; i < first_sweeps; ++i) chain_->sweep();
  lead_ = lead_of(scores_of(columns_, rows_, chain_->effects(), &draw_));
}

double CountChain::lead_of(const Vector& scores) const {
  const double k = family_.dispersion;
  double sum = 0;
  for (Index i = 0; i < scores.size(); ++i) {
    if (!(columns_.weights[i] > 0)) continue;
    const double y = columns_.target[i], eta = scores[i] + family_.offset_of(i), rest = z_[i] - scores[i];
    const double ln = k == 0 ? y * eta - std::exp(eta) : y * eta - (y + 1 / k) * softplus(eta + std::log(k));
    sum += columns_.weights[i] * (ln + 0.5 * omega_[i] * rest * rest);
  }
  return sum;
}

void CountChain::sweep() {
  const InclusionChain before = *chain_;
  chain_->sweep_either_way();
  const double lead = lead_of(scores_of(columns_, rows_, chain_->effects(), &draw_));
  ++sweeps_;
  if (std::log(draw_.uniform()) < lead - lead_) {
    lead_ = lead;
    ++taken_;
  } else {
    chain_->take_back(before);
  }
}

}  // namespace ardvark::internal
