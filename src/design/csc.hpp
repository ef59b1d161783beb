// A sparse matrix of the caller, in compressed columns. It is never written out; standardisation is applied while reading.
#pragma once

#include <memory>

#include "design/some_products.hpp"
#include "design/sparse_rows.hpp"
#include "design/table_design.hpp"

namespace ardvark::internal {

class CscDesign final : public TableDesign, public SingleProducts, public ProductsOfSome {
 public:
  CscDesign(const CscView& X, Standardization standardization);
  [[nodiscard]] Index rows() const override { return X_.rows(); }
  [[nodiscard]] Index cols() const override { return X_.cols() + (s_.intercept ? 1 : 0); }
  [[nodiscard]] bool has_intercept() const override { return s_.intercept; }
  [[nodiscard]] bool is_sparse() const override { return true; }
  void gram(const Vector& omega, Matrix& G) override;
  void gram_and_project(const Vector& omega, const Vector& r, Matrix& G, Vector& Xr) override;
  void project(const Vector& r, Vector& out) override;
  void project_several(const Matrix& R, Matrix& out) override;
  void project_in_single(const Matrix& R, Matrix& out) override;
  void project_some(const std::vector<Index>& columns, const Matrix& R, Matrix& out) override;
  void apply_some(const std::vector<Index>& columns, const Matrix& W, Matrix& out) override;
  void row_gram(Matrix& K) override;
  void apply(const Vector& w, Vector& out) override;
  void apply_several(const Matrix& W, Matrix& out) override;
  void row_variance(const Matrix& L_inverse, Vector& out) override;
  void row_forms(const Matrix& V, Vector& out) override;
  void scaled_columns(Index first, Index count, const double* scale, Eigen::Ref<Matrix> panel) override;
  [[nodiscard]] bool entries_of(Index j, SparseColumn& out) const override;
  void project_in_place(const std::vector<Index>& columns, const Vector& r, Vector& out) override;
  void read_rows(Index first, Index count, const Vector* row_scale, Matrix& panel) const override;

 private:
  [[nodiscard]] Index end(Index j) const;
  [[nodiscard]] bool is_full(Index j) const;
  [[nodiscard]] bool is_far_from_zero(Index j) const;
  [[nodiscard]] double product(Index j, const auto* row, const auto* value, const Vector& r, double total) const;
  [[nodiscard]] Index rows_of_a_block() const;
  /// Calls use(rows, first) with copies of some rows.
  void by_row_blocks(auto&& use) const;
  template <typename Real>
  void project_columns(Index count, auto&& column, const Matrix& R, Matrix& out) const;
  void project_by_differences(Index j, const Matrix& R, Eigen::Ref<Matrix> out) const;
  void write_column(Index j, Index first, Index count, double factor, double* out) const;
  void add_full_columns(Matrix& K) const;
  void add_squares_of_entries(Index first, Index count, Matrix& K) const;

  CscView X_;
  Standardization s_;                                   // center and scale are not empty
  mutable std::shared_ptr<const SparseRows> all_rows_;  // null if X has many entries
};

}  // namespace ardvark::internal
