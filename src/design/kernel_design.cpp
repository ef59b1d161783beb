#include "design/kernel_design.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/blas.hpp"

namespace ardvark {

KernelDesign::KernelDesign(Kernel kernel, Matrix X, Matrix C, bool bias, Keep keep)
    : kernel_(std::move(kernel)), X_(std::move(X)), C_(std::move(C)), bias_(bias) {
  // Compared as a quotient: a product of two sizes may overflow.
  const bool fits = X_.rows() <= most_kept / std::max<Index>(C_.rows(), 1);
  if (keep == Keep::never || (keep == Keep::automatic && !fits)) return;
  K_.resize(X_.rows(), C_.rows());
  kernel_.evaluate(X_, C_, K_);
  rebuild();
}

void KernelDesign::rebuild() {
  Standardization s = standardization_;
  s.intercept = bias_;
  kept_ = std::make_unique<DenseDesign>(MatrixView(K_), std::move(s));
}

// Moments of the raw columns, which the standardisation in force must not touch.
void KernelDesign::standardize(const Vector& k) {
  standardization_ = {};
  const Index M = C_.rows(), stretch = kept_ != nullptr ? M : std::clamp<Index>((Index{1} << 22) / std::max<Index>(rows(), 1), 1, M);
  Standardization s{Vector(M), Vector(M), false};
  Matrix panel(kept_ != nullptr ? 0 : rows(), kept_ != nullptr ? 0 : stretch);
  const double total = k.sum();
  for (Index first = 0; first < M; first += stretch) {
    const Index count = std::min(stretch, M - first);
    if (kept_ == nullptr) evaluate(0, rows(), first, count, panel.leftCols(count));
    const Matrix& raw = kept_ != nullptr ? K_ : panel;
    for (Index j = 0; j < count; ++j) {
      const double center = k.dot(raw.col(j)) / total, sd = std::sqrt(k.dot((raw.col(j).array() - center).square().matrix()) / total);
      s.center[first + j] = center;
      s.scale[first + j] = sd > 1e-14 * std::abs(center) && std::isfinite(1 / sd) ? 1 / sd : 0.0;
    }
  }
  standardization_ = std::move(s);
  if (kept_ != nullptr) rebuild();
}

void KernelDesign::evaluate(Index first_row, Index num_rows, Index first_column, Index num_columns, Eigen::Ref<Matrix> out) const {
  kernel_.evaluate(X_.middleRows(first_row, num_rows), C_.middleRows(first_column, num_columns), out);
  if (standardization_.scale.size() == 0) return;
  for (Index j = 0; j < num_columns; ++j) {
    const double center = standardization_.center[first_column + j], scale = standardization_.scale[first_column + j];
    out.col(j) = scale > 0 ? Vector((out.col(j).array() - center) * scale) : Vector(Vector::Zero(num_rows));
  }
}

bool KernelDesign::set_products(Products products) {
  return kept_ != nullptr ? kept_->set_products(products) : products == Products::double_precision;
}

template <typename Function>
void KernelDesign::by_blocks(Function&& f) {
  const Index n = rows(), p = cols(), M = C_.rows();
  const Index block = std::clamp<Index>((Index{1} << 22) / std::max<Index>(p, 1), 64, std::max<Index>(n, 64));  // about 32 MB
  panel_.resize(std::min(block, n), p);
  for (Index first = 0; first < n; first += block) {
    const Index count = std::min(block, n - first);
    evaluate(first, count, 0, M, panel_.topLeftCorner(count, M));
    if (bias_) panel_.col(M).head(count).setOnes();
    f(first, count);
  }
}

void KernelDesign::gram(const Vector& omega, Matrix& G) {
  if (kept_ != nullptr) return kept_->gram(omega, G);
  by_blocks([&](Index first, Index count) {
    panel_.topRows(count).array().colwise() *= omega.segment(first, count).array().sqrt();
    blas::syrk(blas::Transpose::yes, cols(), count, 1.0, panel_.data(), panel_.outerStride(), first == 0 ? 0.0 : 1.0, G.data(),
               G.outerStride());
  });
}

void KernelDesign::project(const Vector& r, Vector& out) {
  if (kept_ != nullptr) return kept_->project(r, out);
  by_blocks([&](Index first, Index count) {
    blas::gemv(blas::Transpose::yes, count, cols(), 1.0, panel_.data(), panel_.outerStride(), r.data() + first, first == 0 ? 0.0 : 1.0,
               out.data());
  });
}

void KernelDesign::apply(const Vector& w, Vector& out) {
  if (kept_ != nullptr) return kept_->apply(w, out);
  by_blocks([&](Index first, Index count) {
    blas::gemv(blas::Transpose::no, count, cols(), 1.0, panel_.data(), panel_.outerStride(), w.data(), 0.0, out.data() + first);
  });
}

void KernelDesign::row_variance(const Matrix& L_inverse, Vector& out) {
  if (kept_ != nullptr) return kept_->row_variance(L_inverse, out);
  by_blocks([&](Index first, Index count) {
    blas::trmm(blas::Side::right, blas::Transpose::yes, count, cols(), L_inverse.data(), L_inverse.outerStride(), panel_.data(),
               panel_.outerStride());
    out.segment(first, count) = panel_.topRows(count).rowwise().squaredNorm();
  });
}

void KernelDesign::scaled_columns(Index first, Index count, const double* scale, Eigen::Ref<Matrix> panel) {
  if (kept_ != nullptr) return kept_->scaled_columns(first, count, scale, panel);
  const Index kernels = std::min(count, std::max<Index>(C_.rows() - first, 0));
  if (kernels > 0) evaluate(0, rows(), first, kernels, panel.leftCols(kernels));
  panel.middleCols(kernels, count - kernels).setOnes();
  if (scale != nullptr)
    for (Index j = 0; j < count; ++j) panel.col(j) *= scale[j];
}

}  // namespace ardvark
