// Genotypes of the caller, 2 bits each, and dense columns beside them. They are never written out; standardisation is applied while
// reading.
#pragma once

#include <memory>

#include "ardvark/genotype_view.hpp"
#include "design/single_panels.hpp"
#include "design/table_design.hpp"

namespace ardvark::internal {

/// A sample with x copies of allele 1 counts as sign x + shift.                                   (GENO.1)
struct CountedAllele {
  double sign, shift;
  explicit CountedAllele(bool counts_second) : sign(counts_second ? -1 : 1), shift(counts_second ? 2 : 0) {}
};

class GenotypeDesign final : public TableDesign {
 public:
  GenotypeDesign(const GenotypeView& X, Standardization standardization);
  [[nodiscard]] Index rows() const override { return X_.rows(); }
  [[nodiscard]] Index cols() const override { return X_.cols() + (s_.intercept ? 1 : 0); }
  [[nodiscard]] bool has_intercept() const override { return s_.intercept; }
  [[nodiscard]] bool is_sparse() const override { return true; }
  void gram(const Vector& omega, Matrix& G) override;
  void project(const Vector& r, Vector& out) override;
  void project_several(const Matrix& R, Matrix& out) override;
  void row_gram(Matrix& K) override;
  void apply(const Vector& w, Vector& out) override;
  void row_variance(const Matrix& L_inverse, Vector& out) override;
  void scaled_columns(Index first, Index count, const double* scale, Eigen::Ref<Matrix> panel) override;
  void read_rows(Index first, Index count, const Vector* row_scale, Matrix& panel) const override;

 private:
  void project_to(const Eigen::Ref<const Matrix>& R, Eigen::Ref<Matrix> out) const;
  void project_variants(const Eigen::Ref<const Matrix>& R, const Vector& total, Index from, Index to, Eigen::Ref<Matrix> out) const;
  void put_product(Index j, double copies, double of_missing, double total, double& out) const;
  void write_column(Index j, Index first, Index count, double factor, auto* out) const;
  [[nodiscard]] SinglePanels in_single() const;
  [[nodiscard]] Vector column_squares() const;
  /// Calls use(first, panel) with all columns of some rows.
  void by_row_blocks(auto&& use) const;

  GenotypeView X_;
  Standardization s_;  // center and scale are not empty
};

}  // namespace ardvark::internal
