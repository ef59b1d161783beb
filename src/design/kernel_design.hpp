// The columns of a relevance vector machine: k(x_i, c_m) for inputs X and centres C, with or without a last column of ones.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>

#include "ardvark/kernel.hpp"
#include "design/dense.hpp"

namespace ardvark::internal {

/// Up to 2^25 numbers (256 MB) the matrix is computed once and kept. A larger matrix is never stored: every operation evaluates the kernel
/// again, block by block, so 20,000 inputs and as many centres take about 100 MB instead of 3.2 GB.
/// A smooth kernel has a matrix of low rank (KER.12): with Keep::factors it is stored as two thin factors, and only columns() evaluates the
/// kernel again. If the rank exceeds the limit or the kernel is not positive semi-definite, Keep::automatic is used instead.
class KernelDesign final : public Design {
 public:
  enum class Keep { automatic, always, never, factors };
  static constexpr Index most_kept = Index{1} << 25;
  /// The error of the factors relative to the largest diagonal of the matrix, and their largest rank (never above a sixth of the smaller
  /// side).
  struct Factoring {
    double tolerance = 1e-12;
    Index most_rank = most_kept;
    /// For choosing columns, if each choice costs the rank squared and gains below `nats` do not matter. Chosen columns are then evaluated
    /// exactly. (GREEDY.11)
    static Factoring rough(Index columns, double nats) { return {std::clamp(0.1 * nats, 1e-6, 1e-4), columns / 12}; }
  };

  /// \param X  [n,d] inputs, already standardised; \param C [M,d] centres; both are owned. `bias`: a last column of ones.
  KernelDesign(Kernel kernel, Matrix X, Matrix C, bool bias, Keep keep = Keep::automatic, Factoring factoring = {1e-12, most_kept});

  /// Standardises: from now on every kernel column is (column - center) * scale, with mean 0 and standard deviation 1 under the observation
  /// weights k [n]. A constant column becomes zeros. The bias does not change.
  void standardize(const Vector& k);
  /// center and scale as given to DenseDesign; empty before standardize().
  [[nodiscard]] const Standardization& standardization() const { return standardization_; }

  [[nodiscard]] Index rows() const override { return X_.rows(); }
  [[nodiscard]] Index cols() const override { return C_.rows() + (bias_ ? 1 : 0); }
  [[nodiscard]] bool is_kept() const { return kept_ != nullptr; }
  [[nodiscard]] const Factors* factors() const override { return factors_ ? &*factors_ : nullptr; }
  bool set_products(Products products) override;
  void gram(const Vector& omega, Matrix& G) override;
  void project(const Vector& r, Vector& out) override;
  void apply(const Vector& w, Vector& out) override;
  void row_variance(const Matrix& L_inverse, Vector& out) override;
  void scaled_columns(Index first, Index count, const double* scale, Eigen::Ref<Matrix> panel) override;

 private:
  /// Calls f(first, count) for each block of rows, after evaluating it into the first `count` rows of panel_.
  void by_blocks(auto&& f);

  /// The kernel at these rows and centres, standardised if standardize() was called.
  void evaluate(Index first_row, Index num_rows, Index first_column, Index num_columns, Eigen::Ref<Matrix> out) const;
  void rebuild();
  void keep_matrix();
  void factorise();
  void add_bias();
  bool standardize_factors(const Vector& k);
  [[nodiscard]] static Standardization moments(const Eigen::Ref<const Matrix>& raw, const Vector& k);

  Kernel kernel_;
  Matrix X_, C_;
  bool bias_;
  Factoring factoring_;
  Standardization standardization_;
  Matrix K_;  // the matrix if it is kept
  std::unique_ptr<DenseDesign> kept_;
  Matrix panel_;  // a block of rows if the matrix is not kept
  std::optional<Factors> factors_;
};

}  // namespace ardvark::internal
