// The features of some centres: sums over rows in them, and the posterior of their weights.                    docs/math/process.md (KM.7)
#pragma once

#include <vector>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "process/covariance.hpp"
#include "process/evidence.hpp"
#include "process/vectors.hpp"

namespace ardvark::internal {

/// Sums over the rows with precisions omega and responses z, in features that include sqrt(h).
struct FeatureSums {
  Matrix S;                                   ///< Phi' Omega Phi, lower
  Vector f1, fz;                              ///< Phi' omega, Phi' Omega z
  double omega = 0, z = 0, zz = 0, rest = 0;  ///< sums of omega, omega z, omega z^2, omega (h - |phi|^2)

  explicit FeatureSums(Index m) : S(Matrix::Zero(m, m)), f1(Vector::Zero(m)), fz(Vector::Zero(m)) {}
  void operator+=(const FeatureSums& other) {
    S += other.S, f1 += other.f1, fz += other.fz;
    omega += other.omega, z += other.z, zz += other.zz, rest += other.rest;
  }
};

/// The posterior of the features' weights and of the intercept, A = I + S.
struct SolvedFeatures {
  Matrix inverse, factor;  ///< A^-1, both triangles, and its Cholesky factor; empty: it cannot be factorised
  Vector g, w;             ///< A^-1 f1; mean of the weights
  double b = 0, one = 0, log_det = 0;
};
[[nodiscard]] SolvedFeatures solved(const FeatureSums& sums, double intercept_omega, double intercept_z);
/// With the intercept as the last weight.
[[nodiscard]] FeaturePosterior posterior_of(const FeatureSums& sums, const SolvedFeatures& s, double intercept_omega);
/// d / d ln of the scale of the features from `first` on, but for the part that they leave out. \param ratio  nu/q; classes: 1
[[nodiscard]] double slope_of_scale(const SolvedFeatures& s, double ratio, Index first);

/// What a row of two classes, or the intercept's row, contributes under a posterior of its score.                                 (KM.5)
struct WorkingRow {
  double omega, z, log_likelihood;
  double probability;  ///< of the second class
};
/// \param t  0 or 1; the intercept's row: 1/2 \param m, s  mean and variance of the score
[[nodiscard]] WorkingRow working_row(double k, double t, double m, double s);

/// q of (KM.1) in the features.
[[nodiscard]] double misfit(const FeatureSums& sums, const SolvedFeatures& s);
/// (KM.7) of a regression. \param N  sum of the weights
[[nodiscard]] double log_evidence_of_regression(const FeatureSums& sums, const SolvedFeatures& s, double N);

/// The derivative of the evidence with respect to the kernel: of rows omega o (Phi Y + (z - b) v1' + v0') L^-1 + k d_k' L^-1, and of
/// centres L^-T G L^-1. (KM.7)
struct FeatureSlope {
  Matrix Y;            ///< [features, centres]
  Vector v1, v0, d_k;  ///< [centres]
  Matrix G;            ///< [centres, centres]
  double b = 0;
};
/// \param ratio            nu/q; classes: 1
/// \param fk               Phi' k
/// \param d_l_per_kk      derivative with respect to the mean variance of the signal, over -N nu
/// \param num_centres      of the features
[[nodiscard]] FeatureSlope kernel_slope(const FeatureSums& sums, const SolvedFeatures& s, double ratio, const Vector& fk, double d_l_per_kk,
                                        Index num_centres);

/// Some rows in the features.
struct FeatureBlock {
  Index first;            ///< row
  const Matrix& Phi;      ///< [rows, all features]
  const Matrix& A;        ///< scaled inputs
  const Matrix& decline;  ///< of the kernel between the rows and the centres, if it was asked for
};

/// What a low-rank evidence of either task does with features.
class Features {
 public:
  /// \param passes  over the rows, about: with many, features are kept if they are few enough
  Features(const Covariance& covariance, const Matrix& centres, const Hyperparameters& theta, Index passes = 1);
  [[nodiscard]] bool is_good() const { return is_good_; }
  [[nodiscard]] Index size() const { return C_.rows(); }  ///< of the kernel; after them come those of the linear part          (KM.11)
  [[nodiscard]] Index size_with_linear_part() const { return size() + (covariance_.has_linear_part() ? covariance_.inputs().cols() : 0); }
  [[nodiscard]] Index num_widths() const { return covariance_.num_widths(); }
  [[nodiscard]] double h() const { return h_; }
  /// [size, size] L^-1 of these features times the L of others with the same centres.
  [[nodiscard]] Matrix relation_to(const Features& others) const;

  /// Sums over lanes of what f(sum, first row, Phi [rows, all features]) adds for each block of rows.
  template <typename Sum, typename Function>
  [[nodiscard]] Sum sum(Sum start, Function&& f) const {
    std::vector<Sum> lanes(static_cast<std::size_t>(num_lanes), start);
    for_blocks(false, [&](Index lane, const FeatureBlock& block) { f(lanes[static_cast<std::size_t>(lane)], block.first, block.Phi); });
    for (const Sum& lane : lanes) start += lane;
    return start;
  }
  /// Adds the rows of a block. \param omega, z  of these rows
  void add(const Matrix& Phi, const Vector& omega, const Vector& z, FeatureSums& to) const;
  [[nodiscard]] FeatureSums sums(const Vector& omega, const Vector& z) const;

  /// The parts of the slope in ln rho that rows and centres have.
  [[nodiscard]] Vector slope_of_rows(const FeatureSlope& of, const Vector& omega, const Vector& z, const Vector& k) const;
  /// The same for some rows. \param omega, z, k  of these rows
  void add_slope(const FeatureSlope& of, const FeatureBlock& block, const Vector& omega, const Vector& z, const Vector& k,
                 Vector& to) const;
  [[nodiscard]] Vector slope_of_centres(const FeatureSlope& of) const;

  /// Calls f(lane, block) for blocks of rows; the blocks of a lane follow each other.
  void for_blocks(bool with_decline, auto&& f) const {
    const Index n = covariance_.num_rows(), blocks = (n + rows_of_block - 1) / rows_of_block, m = size();
    const blas::ThreadScope one{blas::ThreadScope::OursAlone{}};
    parallel_for(num_lanes, blas::threads_for(static_cast<double>(n) * static_cast<double>(m) * static_cast<double>(m)), [&](Index lane) {
      Matrix own, decline;
      for (Index block = lane * blocks / num_lanes; block < (lane + 1) * blocks / num_lanes; ++block) {
        pulse();
        const Index first = block * rows_of_block, count = std::min(rows_of_block, n - first);
        Matrix& Phi = kept_.empty() ? own : kept_[static_cast<std::size_t>(block)];
        const bool has_it = !with_decline && !kept_.empty() && Phi.size() > 0;
        const Matrix A = has_it ? Matrix() : evaluate(first, count, Phi, with_decline ? &decline : nullptr);
        f(lane, FeatureBlock{first, Phi, A, decline});
      }
    });
  }
  static constexpr Index num_lanes = 8;  ///< partial sums, whatever the number of threads

 private:
  static constexpr Index rows_of_block = 512;
  // Phi, and perhaps decline, of these rows. Returns their scaled inputs.
  Matrix evaluate(Index first, Index count, Matrix& Phi, Matrix* decline) const;

  const Covariance& covariance_;
  double h_;
  Vector theta_, log_rho_;
  Matrix C_, K_, decline_, inverse_;  // scaled centres; their kernel; L^-1 of it times h
  mutable std::vector<Matrix> kept_;  // features of each block, or empty
  bool is_good_ = false;
};

}  // namespace ardvark::internal
