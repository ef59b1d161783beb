// A design with one more row, for a prior that has the form of an observation.                              docs/math/sparse.md (SP.20)
#pragma once

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "core/resize.hpp"
#include "design/design.hpp"
#include "design/some_products.hpp"

namespace ardvark::internal {

class DesignWithRow final : public Design, public SingleProducts, public ProductsOfSome {
 public:
  /// \param row  [cols], the last row of the new design
  DesignWithRow(std::unique_ptr<Design> design, Vector row) : design_(std::move(design)), row_(std::move(row)) {}

  [[nodiscard]] Index rows() const override { return design_->rows() + 1; }
  [[nodiscard]] Index cols() const override { return design_->cols(); }
  [[nodiscard]] bool has_intercept() const override { return design_->has_intercept(); }
  [[nodiscard]] bool is_sparse() const override { return design_->is_sparse(); }
  bool set_products(Products products) override { return design_->set_products(products); }
  void gram(const Vector& omega, Matrix& G) override {
    design_->gram(omega.head(rows() - 1), G);
    add_square(omega[rows() - 1], G);
  }
  void gram_and_project(const Vector& omega, const Vector& r, Matrix& G, Vector& Xr) override {
    design_->gram_and_project(omega.head(rows() - 1), r.head(rows() - 1), G, Xr);
    add_square(omega[rows() - 1], G);
    Xr += omega[rows() - 1] * r[rows() - 1] * row_;
  }
  void project(const Vector& r, Vector& out) override {
    design_->project(r.head(rows() - 1), out);
    out += r[rows() - 1] * row_;
  }
  void project_several(const Matrix& R, Matrix& out) override {
    design_->project_several(R.topRows(rows() - 1), out);
    out += row_ * R.row(rows() - 1);
  }
  void project_in_single(const Matrix& R, Matrix& out) override {
    internal::project_in_single(*design_, R.topRows(rows() - 1), out);
    out += row_ * R.row(rows() - 1);
  }
  void project_some(const std::vector<Index>& columns, const Matrix& R, Matrix& out) override {
    internal::project_some(*design_, columns, R.topRows(rows() - 1), out);
    out += row_(columns) * R.row(rows() - 1);
  }
  void apply_some(const std::vector<Index>& columns, const Matrix& W, Matrix& out) override {
    Matrix others;
    internal::apply_some(*design_, columns, W, others);
    resize(out, rows(), W.cols());
    out.topRows(rows() - 1) = others;
    out.row(rows() - 1) = row_(columns).transpose() * W;
  }
  void row_gram(Matrix& K) override {
    const Index n = rows() - 1;
    Matrix of_others;
    design_->row_gram(of_others);
    Vector row = row_, products(n);
    if (has_intercept()) row[row.size() - 1] = 0;
    design_->apply(row, products);
    resize(K, n + 1, n + 1);
    K.topLeftCorner(n, n) = of_others;
    K.row(n).head(n) = products.transpose();
    K(n, n) = row.squaredNorm();
  }
  void apply(const Vector& w, Vector& out) override {
    Vector others(rows() - 1);
    design_->apply(w, others);
    out.head(rows() - 1) = others;
    out[rows() - 1] = row_.dot(w);
  }
  void apply_several(const Matrix& W, Matrix& out) override {
    Matrix others;
    design_->apply_several(W, others);
    resize(out, rows(), W.cols());
    out.topRows(rows() - 1) = others;
    out.row(rows() - 1) = row_.transpose() * W;
  }
  void row_variance(const Matrix& L_inverse, Vector& out) override {
    Vector others(rows() - 1);
    design_->row_variance(L_inverse, others);
    out.head(rows() - 1) = others;
    out[rows() - 1] = (L_inverse.triangularView<Eigen::Lower>() * row_).squaredNorm();
  }
  void row_forms(const Matrix& V, Vector& out) override {
    Vector others(rows() - 1);
    design_->row_forms(V, others);
    out.head(rows() - 1) = others;
    out[rows() - 1] = row_.dot(V * row_);
  }
  void scaled_columns(Index first, Index count, const double* scale, Eigen::Ref<Matrix> panel) override {
    design_->scaled_columns(first, count, scale, panel.topRows(rows() - 1));
    for (Index j = 0; j < count; ++j) panel(rows() - 1, j) = row_[first + j] * (scale != nullptr ? scale[j] : 1.0);
  }
  [[nodiscard]] bool entries_of(Index j, SparseColumn& out) const override {
    if (!design_->entries_of(j, out)) return false;
    out.row.push_back(static_cast<std::int32_t>(rows() - 1));
    out.value.push_back(row_[j] - out.shift);
    return true;
  }
  void forget() override { design_->forget(); }

 private:
  void add_square(double omega, Matrix& G) const {
    for (Index j = 0; j < cols(); ++j) G.col(j).tail(cols() - j) += omega * row_[j] * row_.tail(cols() - j);
  }

  std::unique_ptr<Design> design_;
  Vector row_;
};

/// The means of the columns with weights k: 0 for centred columns, 1 for the intercept.
inline Vector row_of_means(Design& design, const Vector& k) {
  Vector means(design.cols());
  design.project(k, means);
  means /= k.sum();
  for (double& mean : means)
    if (std::abs(mean) < 1e-12) mean = 0;  // a centred column, apart from rounding
  return means;
}

/// The design with the means as one more row.
inline std::unique_ptr<Design> with_row_of_means(std::unique_ptr<Design> design, const Vector& k) {
  Vector means = row_of_means(*design, k);
  return std::make_unique<DesignWithRow>(std::move(design), std::move(means));
}

}  // namespace ardvark::internal
