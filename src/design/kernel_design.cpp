#include "design/kernel_design.hpp"

#include <cmath>
#include <utility>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "core/pulse.hpp"
#include "design/centres.hpp"

namespace ardvark::internal {

KernelDesign::KernelDesign(Kernel kernel, Matrix X, Matrix C, bool bias, Keep keep, Factoring factoring)
    : kernel_(std::move(kernel)), X_(std::move(X)), C_(std::move(C)), bias_(bias), factoring_(factoring) {
  if (keep == Keep::factors) factorise();
  if (factors_ || keep == Keep::never) return;
  // Compared as a quotient: a product of two sizes may overflow.
  if (keep == Keep::always || X_.rows() <= most_kept / std::max<Index>(C_.rows(), 1)) keep_matrix();
}

void KernelDesign::keep_matrix() {
  constexpr Index stretch = 256;
  const Index M = C_.rows();
  K_.resize(X_.rows(), M);
  parallel_for((M + stretch - 1) / stretch, X_.rows() > 500 ? blas::num_threads() : 1, [&](Index piece) {
    const Index first = piece * stretch, count = std::min(stretch, M - first);
    kernel_.evaluate(X_, C_.middleRows(first, count), K_.middleCols(first, count));
  });
  rebuild();
}

// Factors the matrix of rows and centres together: only a diagonal that is known bounds the remainder.                        (KER.12)
void KernelDesign::factorise() {
  const double tolerance = factoring_.tolerance;
  const Index n = X_.rows(), M = C_.rows(), smaller = std::min(n, M),
              most = std::min({smaller / 6, (most_kept / 2) / std::max(n, M), factoring_.most_rank});
  if (smaller < 200) return;
  const bool same = n == M && X_ == C_;
  Matrix both;
  if (!same) {
    both.resize(M + n, X_.cols());
    both << C_, X_;
  }
  double largest = 0;
  const PivotedCholesky found = pivoted_cholesky(kernel_, same ? X_ : both, most, tolerance, [&](Index count, double left) {
    largest = std::max(largest, left);
    return 4 * count < most || left < (2 * count < most ? 0.5 : std::cbrt(tolerance)) * largest;  // or the rank gets too large
  });
  if (!(found.left <= tolerance * largest) || !(found.least_left >= -1e-10 * largest)) return;
  Factors factors{found.L.bottomRows(n), found.L.topRows(M).transpose()};
  Matrix column(n, 1);  // compares some columns: a kernel may have positive pivots and still not be positive semi-definite
  for (Index j = 0; j < M; j += (M + 6) / 7) {
    kernel_.evaluate(X_, C_.row(j), column);
    if (!((column - factors.left * factors.right.col(j)).cwiseAbs().maxCoeff() <= 100 * tolerance * largest)) return;
  }
  factors_ = std::move(factors);
  add_bias();
}

void KernelDesign::add_bias() {
  if (!bias_) return;
  Matrix& left = factors_->left;
  Matrix& right = factors_->right;
  left.conservativeResize(Eigen::NoChange, left.cols() + 1);
  left.rightCols(1).setOnes();
  right.conservativeResize(right.rows() + 1, right.cols() + 1);
  right.bottomRows(1).setZero();
  right.rightCols(1).setZero();
  right(right.rows() - 1, right.cols() - 1) = 1;
}

void KernelDesign::rebuild() {
  Standardization s = standardization_;
  s.intercept = bias_;
  kept_ = std::make_unique<DenseDesign>(MatrixView(K_), std::move(s));
}

// Mean and inverse standard deviation of each column, with weights k.
Standardization KernelDesign::moments(const Eigen::Ref<const Matrix>& raw, const Vector& k) {
  const double total = k.sum();
  Standardization s{Vector(raw.cols()), Vector(raw.cols()), false};
  for (Index j = 0; j < raw.cols(); ++j) {
    const double center = k.dot(raw.col(j)) / total, sd = std::sqrt(k.dot((raw.col(j).array() - center).square().matrix()) / total);
    s.center[j] = center;
    s.scale[j] = sd > 1e-14 * std::abs(center) && std::isfinite(1 / sd) ? 1 / sd : 0.0;
  }
  return s;
}

// Uses the raw columns, so an earlier standardisation is removed first.
void KernelDesign::standardize(const Vector& k) {
  if (factors_ && standardization_.scale.size() > 0) factorise();
  standardization_ = {};
  if (factors_ && standardize_factors(k)) return;
  if (kept_ != nullptr) {
    standardization_ = moments(K_, k);
    return rebuild();
  }
  const Index M = C_.rows(), stretch = std::clamp<Index>((Index{1} << 22) / std::max<Index>(rows(), 1), 1, M);
  Standardization s{Vector(M), Vector(M), false};
  Matrix panel(rows(), stretch);
  for (Index first = 0; first < M; first += stretch) {
    pulse();
    const Index count = std::min(stretch, M - first);
    evaluate(0, rows(), first, count, panel.leftCols(count));
    const Standardization part = moments(panel.leftCols(count), k);
    s.center.segment(first, count) = part.center;
    s.scale.segment(first, count) = part.scale;
  }
  standardization_ = std::move(s);
}

// Centres the left factor, so that no column of X is a small difference of large numbers. If a column hardly varies, its remainder would be
// multiplied by more than ten thousand: then it drops the factors and returns false.
bool KernelDesign::standardize_factors(const Vector& k) {
  const Index M = C_.rows(), rank = factors_->left.cols() - (bias_ ? 1 : 0);
  const double total = k.sum();
  auto left = factors_->left.leftCols(rank);
  auto right = factors_->right.topLeftCorner(rank, M);
  Standardization s{Vector(M), Vector(M), false};
  const Vector mean = left.transpose() * k / total;
  s.center = right.transpose() * mean;
  left.rowwise() -= mean.transpose();
  const Matrix form = left.transpose() * k.asDiagonal() * left / total;
  const Vector sd = (form * right).cwiseProduct(right).colwise().sum().transpose().cwiseMax(0).cwiseSqrt();
  Matrix column(rows(), 1);
  const double largest = std::max(s.center.cwiseAbs().maxCoeff(), sd.maxCoeff());
  for (Index j = 0; j < M; ++j) {
    s.scale[j] = 1 / sd[j];
    if (sd[j] > std::max(1e-4, 1e4 * factoring_.tolerance) * largest) continue;
    evaluate(0, rows(), j, 1, column);
    const Standardization exact = moments(column, k);
    if (exact.scale[0] > 0) {
      factors_.reset();
      if (rows() <= most_kept / M) keep_matrix();
      return false;
    }
    s.center[j] = exact.center[0];
    s.scale[j] = 0;
  }
  right = right * s.scale.asDiagonal();
  standardization_ = std::move(s);
  return true;
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

void KernelDesign::by_blocks(auto&& f) {
  const Index n = rows(), p = cols(), M = C_.rows();
  const Index block = std::clamp<Index>((Index{1} << 22) / std::max<Index>(p, 1), 64, std::max<Index>(n, 64));  // about 32 MB
  panel_.resize(std::min(block, n), p);
  for (Index first = 0; first < n; first += block) {
    pulse();
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

}  // namespace ardvark::internal
