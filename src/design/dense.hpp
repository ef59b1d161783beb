// A dense matrix of the caller. It is read in place; standardisation and intercept are applied while reading.
#pragma once

#include "core/row_kernels.hpp"
#include "design/single_panels.hpp"
#include "design/some_products.hpp"
#include "design/table_design.hpp"

namespace ardvark::internal {

class DenseDesign final : public TableDesign, public SingleProducts {
 public:
  /// \param memory  the memory of X if the design may overwrite it: rows * cols numbers without gaps
  DenseDesign(MatrixView X, Standardization standardization, std::shared_ptr<double[]> memory = nullptr);
  [[nodiscard]] Index rows() const override { return X_.rows(); }
  [[nodiscard]] Index cols() const override { return X_.cols() + (s_.intercept ? 1 : 0); }
  [[nodiscard]] bool has_intercept() const override { return s_.intercept; }
  bool set_products(Products products) override;
  void gram(const Vector& omega, Matrix& G) override;
  void gram_and_project(const Vector& omega, const Vector& r, Matrix& G, Vector& Xr) override;
  void project(const Vector& r, Vector& out) override;
  void project_several(const Matrix& R, Matrix& out) override;
  void project_in_single(const Matrix& R, Matrix& out) override;
  [[nodiscard]] bool apply_in_single(const Matrix& W, Matrix& out) override;
  void project_in_place(const std::vector<Index>& columns, const Vector& r, Vector& out) override;
  void row_gram(Matrix& K) override;
  void apply(const Vector& w, Vector& out) override;
  void row_variance(const Matrix& L_inverse, Vector& out) override;
  void scaled_columns(Index first, Index count, const double* scale, Eigen::Ref<Matrix> panel) override;
  [[nodiscard]] std::shared_ptr<double[]> surrender_columns() override;
  void forget() override { memory_.reset(); }

  void read_rows(Index first, Index count, const Vector* row_scale, Matrix& panel) const override;
  [[nodiscard]] Index block_rows() const { return block_rows_; }

 private:
  struct Block {
    Index row0, num_rows, col0, num_cols;
    const double *row_scale, *column_scale;  // [num_rows], [num_cols]; null: ones
  };
  template <typename Scalar, typename Out>
  void read_as(const Block& block, Out* out, Index ld) const;
  void read(const Block& block, auto* out, Index ld) const;
  /// Calls f(first, count) for each block of rows, after reading it into the panel.
  void by_blocks(const double* row_scale, auto& panel, auto&& f) const;
  template <typename Real>
  using Panel = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  template <typename Scalar, typename Out>
  void read_rows_as_they_lie(Index first, Index count, const double* target, Out* out, RowSums sums) const;
  template <typename Out>
  void read_to_square(Index first, Index count, const double* target, Panel<Out>& panel, Index at, RowSums sums) const;
  /// The sums for the rows of one lane: the lower triangle of X' diag(omega) X, and X' diag(omega) r.
  struct LaneSum {
    Matrix gram;
    Vector product;
  };
  void gram_in_lanes(const Vector* r, Matrix& G, Vector* Xr) const;
  template <typename Real>
  void add_rows(Index from, Index to, const Vector* r, LaneSum& sum) const;
  void gram_in_blocks(Matrix& G);
  void gram_in_single(Matrix& G);
  struct Unit {
    double center, scale;
  };
  [[nodiscard]] Unit unit_of(Index j) const;
  [[nodiscard]] double standardised_product(Index j, double plain, const double* r, double sum) const;
  [[nodiscard]] Vector column_squares() const;
  void read_single(Index first, Index count, Eigen::MatrixXf& panel) const;
  [[nodiscard]] SinglePanels in_single() const;

  MatrixView X_;
  std::shared_ptr<double[]> memory_;
  Standardization s_;
  Index block_rows_;
  Matrix panel_;  // a block of rows
  Products products_ = Products::double_precision;
  Eigen::MatrixXf panel_single_, square_single_;  // the same in single precision; the Gram matrix of a block, or L^-1
  Vector row_scale_;                              // sqrt(omega)
  Vector scaled_w_;                               // [cols] for project() and apply()
};

}  // namespace ardvark::internal
