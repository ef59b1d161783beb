// Few rows that carry a Gaussian process: the posterior in their features.                                     docs/math/process.md (KM.6)
#pragma once

#include <vector>

#include "process/evidence.hpp"

namespace ardvark::internal {

/// The posterior of f for fixed hyper-parameters in the features phi(x) = L^-1 k_z(x) of some rows z, with LL' = h K_zz, those of the
/// linear part, and an intercept: mean A^-1 [Phi, 1]' Omega z, precision A = [Phi, 1]' Omega [Phi, 1] + diag(I, 0), in units of 1/s2.
struct FeaturePosterior {
  Vector mean;    ///< [m + 1] the intercept last
  Matrix factor;  ///< [m + 1, m + 1] Cholesky factor of A, lower
};

/// Of the second distribution from the first, nats.
[[nodiscard]] double normal_divergence(double mean, double variance, double of_mean, double of_variance);
[[nodiscard]] double bernoulli_divergence(double p, double q);

/// Adds rows, each the one of the worst explained that raises the bound of the low-rank form most, until the mean divergence from the full
/// posterior is small enough. It is for one kernel and one set of hyper-parameters.
class VectorChoice {
 public:
  /// \param K        [n,n] h kappa, lower stored, without the linear part; must exist as long as this
  /// \param weights  [n] observation weights, for the means over rows
  /// \param classes  whether predictions are probabilities
  /// \param full     must exist as long as this
  /// \param linear   [n, any] features of the linear part, which are kept as they are; no columns: there is none
  VectorChoice(const Matrix& K, const ProcessRows& rows, const Vector& weights, bool classes, const FunctionMoments& full,
               Matrix linear = {});

  /// Adds this row unless the rows before explain it. False if they do.
  bool add(Index row);
  /// Adds these rows, in their order, but for those that the rows before explain. Nothing may have been added before.
  void add_first(const std::vector<Index>& rows);
  /// Adds rows until the divergence is at most `most` and the last two have gained less than `worthwhile` each, or there are `most_rows`,
  /// or no row has anything to add.
  void grow(double most, double worthwhile, Index most_rows);
  /// Adds every row that the rows before do not explain, the worst explained first.
  void add_all();
  [[nodiscard]] Vector divergence() const;  ///< [n] of the reduced from the full predictive distribution of each row, nats
  /// Of f in the reduced posterior.
  [[nodiscard]] FunctionMoments moments() const { return {mean_, variance_ + residual_.cwiseMax(0)}; }
  [[nodiscard]] double mean_divergence() const { return share_.dot(divergence()); }
  [[nodiscard]] const std::vector<Index>& rows() const { return chosen_; }
  /// The posterior with the features of the chosen rows, in their order, and then those of the linear part.
  [[nodiscard]] FeaturePosterior posterior() const;

 private:
  /// A few rows with their columns of R and of W = R - V Omega R, and what their gains are made of.                                 (KM.6)
  struct Pool {
    std::vector<Index> rows;
    Matrix R = {}, W = {};  ///< [n, rows]
    Matrix S = {};          ///< [3, rows] R_j' Omega (z - mean), R_j' Omega R_j, R_j' Omega W_j
  };
  [[nodiscard]] double covariance(Index i, Index j) const { return i >= j ? K_(i, j) : K_(j, i); }
  [[nodiscard]] Matrix covariance_of(const std::vector<Index>& rows) const;
  double factorise(const std::vector<Index>& rows, Matrix& L);
  [[nodiscard]] std::vector<Index> independent(const std::vector<Index>& rows) const;
  [[nodiscard]] Pool residuals(std::vector<Index> rows) const;
  [[nodiscard]] Pool worst_rows(Index count, const Pool& before) const;
  [[nodiscard]] Index best_of(const Pool& pool) const;
  void add(Pool& pool, Index position);
  double append(Index row, const Vector& l, const Vector& p);
  [[nodiscard]] Index num_features() const { return linear_.cols() + static_cast<Index>(chosen_.size()); }
  void begin();

  const Matrix& K_;
  Matrix linear_;
  const ProcessRows& rows_;
  const FunctionMoments& full_;
  Vector share_;                  // [n] of each row in the means
  Vector full_probability_ = {};  // [n] classes: of the full posterior
  bool classes_;
  double least_;  // of a residual diagonal
  std::vector<Index> chosen_;
  Matrix Phi_, P_;          // [n, features] those of the linear part, then those of the chosen rows; (V_before + ..) omega^-1 g of each
  Vector residual_;         // [n] diagonal of K - Phi Phi'
  Vector mean_, variance_;  // [n] of f in the reduced posterior, without the residual
  Vector a_;                // [features]
};

}  // namespace ardvark::internal
