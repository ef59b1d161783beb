// Rows with mostly zeros, such as dummies of text columns. The time of products depends only on the other entries.
#pragma once

#include <memory>
#include <vector>

#include "design/dense.hpp"

namespace ardvark::internal {

/// x_n = v_n + shift, where v_n has few nonzero entries. A column with few nonzero entries has v = scale x and shift = - scale center. For
/// any other column v holds the standardised values and shift is 0, so a large center costs no digits. (SL.8)
class SparseRows {
 public:
  /// Null if v would hold more than an eighth of the entries.
  [[nodiscard]] static std::shared_ptr<const SparseRows> of(MatrixView X, const Standardization& standardization);

  [[nodiscard]] Index rows() const { return static_cast<Index>(begin_.size()) - 1; }
  [[nodiscard]] Index cols() const { return shift_.size(); }
  /// G <- lower triangle of X' diag(omega) X, Xr <- X' diag(omega) r.   O(sum_n entries_n^2 + cols^2)
  void gram_and_project(const Vector& omega, const Vector& r, Matrix& G, Vector& Xr) const;
  [[nodiscard]] Vector apply(const Vector& w) const;  ///< X w
  /// x_n'T x_n; T [cols, cols] symmetric.   O(sum_n entries_n^2 + cols^2)
  [[nodiscard]] Vector forms(const Matrix& T) const;

 private:
  std::vector<std::size_t> begin_;  // [rows + 1]
  std::vector<int> column_;         // ascending within a row
  std::vector<double> value_;
  Vector shift_;
};

/// A dense design with sparse rows.
class SparseDesign final : public Design {
 public:
  SparseDesign(MatrixView X, const Standardization& standardization, std::shared_ptr<const SparseRows> sparse)
      : dense_(X, standardization), sparse_(std::move(sparse)) {}
  [[nodiscard]] Index rows() const override { return dense_.rows(); }
  [[nodiscard]] Index cols() const override { return dense_.cols(); }
  void gram(const Vector& omega, Matrix& G) override {
    Vector ignored;
    sparse_->gram_and_project(omega, Vector::Zero(rows()), G, ignored);
  }
  void gram_and_project(const Vector& omega, const Vector& r, Matrix& G, Vector& Xr) override {
    sparse_->gram_and_project(omega, r, G, Xr);
  }
  void project(const Vector& r, Vector& out) override { dense_.project(r, out); }
  void apply(const Vector& w, Vector& out) override { out = sparse_->apply(w); }
  void row_variance(const Matrix& L_inverse, Vector& out) override { dense_.row_variance(L_inverse, out); }
  void row_forms(const Matrix& V, Vector& out) override { out = sparse_->forms(V).cwiseMax(0.0); }
  void scaled_columns(Index first, Index count, const double* scale, Eigen::Ref<Matrix> panel) override {
    dense_.scaled_columns(first, count, scale, panel);
  }

 private:
  DenseDesign dense_;
  std::shared_ptr<const SparseRows> sparse_;
};

}  // namespace ardvark::internal
