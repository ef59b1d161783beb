// Some columns of another design.
#pragma once

#include <memory>
#include <optional>

#include "design/dense.hpp"

namespace ardvark::internal {

/// If there are no more columns than rows, a copy is kept, and operations cost the same as for a dense matrix of this size. Otherwise
/// columns are read from `whole`, panel by panel; gram() and row_variance() need the copy and make it.
class ColumnSubset final : public Design {
 public:
  /// \param columns  columns of `whole`, ascending. `whole` must exist as long as this object
  ColumnSubset(Design& whole, std::vector<Index> columns);
  /// Chooses other columns.
  void choose(std::vector<Index> columns);

  [[nodiscard]] Index rows() const override { return whole_.rows(); }
  [[nodiscard]] Index cols() const override { return static_cast<Index>(columns_.size()); }
  [[nodiscard]] bool has_intercept() const override {
    return whole_.has_intercept() && !columns_.empty() && columns_.back() == whole_.cols() - 1;
  }
  [[nodiscard]] const Factors* factors() const override { return factors_ ? &*factors_ : nullptr; }
  void gram(const Vector& omega, Matrix& G) override;
  void project(const Vector& r, Vector& out) override;
  void apply(const Vector& w, Vector& out) override;
  void row_variance(const Matrix& L_inverse, Vector& out) override;
  void scaled_columns(Index first, Index count, const double* scale, Eigen::Ref<Matrix> panel) override;

 private:
  DenseDesign& copy();
  /// Calls f(first, panel) for panels of columns.
  void by_panels(auto&& f);

  Design& whole_;
  std::vector<Index> columns_;
  std::optional<Factors> factors_;
  Matrix X_;
  std::unique_ptr<DenseDesign> copy_;
};

}  // namespace ardvark::internal
