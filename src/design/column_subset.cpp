#include "design/column_subset.hpp"

#include <algorithm>

#include "core/resize.hpp"

namespace ardvark::internal {

ColumnSubset::ColumnSubset(Design& whole, std::vector<Index> columns) : whole_(whole) { choose(std::move(columns)); }

void ColumnSubset::choose(std::vector<Index> columns) {
  columns_ = std::move(columns);
  copy_.reset();
  if (const Factors* whole = whole_.factors()) factors_ = {whole->left, whole->right(Eigen::all, columns_)};
  if (cols() <= rows() && !factors_) copy();
}

DenseDesign& ColumnSubset::copy() {
  if (copy_ == nullptr) {
    resize(X_, rows(), cols());
    columns(0, cols(), X_);
    copy_ = std::make_unique<DenseDesign>(X_, Standardization{});
  }
  return *copy_;
}

// Adjacent columns are read together.
void ColumnSubset::scaled_columns(Index first, Index count, const double* scale, Eigen::Ref<Matrix> panel) {
  if (copy_ != nullptr) return copy_->scaled_columns(first, count, scale, panel);
  for (Index from = 0; from < count;) {
    const Index start = columns_[static_cast<std::size_t>(first + from)];
    Index run = 1;
    while (from + run < count && columns_[static_cast<std::size_t>(first + from + run)] == start + run) ++run;
    whole_.scaled_columns(start, run, scale != nullptr ? scale + from : nullptr, panel.middleCols(from, run));
    from += run;
  }
}

void ColumnSubset::by_panels(auto&& f) {
  const Index block = std::clamp<Index>((Index{1} << 17) / std::max<Index>(rows(), 1), 16, std::max<Index>(cols(), 16));  // 1 MB
  Matrix panel(rows(), std::min(block, cols()));
  for (Index first = 0; first < cols(); first += block) {
    const Index count = std::min(block, cols() - first);
    columns(first, count, panel.leftCols(count));
    f(first, panel.leftCols(count));
  }
}

void ColumnSubset::gram(const Vector& omega, Matrix& G) { copy().gram(omega, G); }
void ColumnSubset::row_variance(const Matrix& L_inverse, Vector& out) { copy().row_variance(L_inverse, out); }

void ColumnSubset::project(const Vector& r, Vector& out) {
  if (copy_ != nullptr) return copy_->project(r, out);
  by_panels([&](Index first, const auto& panel) { out.segment(first, panel.cols()).noalias() = panel.transpose() * r; });
}

void ColumnSubset::apply(const Vector& w, Vector& out) {
  if (copy_ != nullptr) return copy_->apply(w, out);
  out.setZero();
  by_panels([&](Index first, const auto& panel) { out.noalias() += panel * w.segment(first, panel.cols()); });
}

}  // namespace ardvark::internal
