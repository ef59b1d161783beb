#include "design/dense.hpp"

#include <algorithm>

#include "core/blas.hpp"

namespace ardvark {
namespace {

// A block of rows is about 8 MB: large enough for full SYRK and TRMM speed, small enough to stay near the caches.
Index choose_block_rows(Index rows, Index cols) {
  const Index target = (Index{1} << 20) / std::max<Index>(cols, 1);
  return std::clamp<Index>(target, 128, std::max<Index>(rows, 1) < 128 ? 128 : std::max<Index>(rows, 1));
}

template <typename Scalar>
const Scalar* element(const MatrixView& X, Index i, Index j) {
  const Index at = X.layout() == Layout::column_major ? i + j * X.stride() : i * X.stride() + j;
  return static_cast<const Scalar*>(X.data()) + at;
}

}  // namespace

DenseDesign::DenseDesign(MatrixView X, Standardization standardization)
    : X_(X), s_(std::move(standardization)), block_rows_(choose_block_rows(X.rows(), X.cols())), row_scale_(X.rows()), scaled_w_(cols()) {}

template <typename Scalar>
void DenseDesign::read(Index row0, Index num_rows, Index col0, Index num_cols, const double* row_scale, double* out, Index ld) const {
  const bool scaled = s_.scale.size() > 0, centred = s_.center.size() > 0;
  auto finish_column = [&](Index j, double* column) {
    const double scale = scaled ? s_.scale[j] : 1.0, center = centred ? s_.center[j] : 0.0;
    if (scale == 0) {
      std::fill_n(column, num_rows, 0.0);
    } else if (row_scale != nullptr) {
      for (Index i = 0; i < num_rows; ++i) column[i] = (column[i] - center) * (scale * row_scale[i]);
    } else if (scaled || centred) {
      for (Index i = 0; i < num_rows; ++i) column[i] = (column[i] - center) * scale;
    }
  };
  const Index from_X = std::min(num_cols, std::max<Index>(X_.cols() - col0, 0));
  if (X_.layout() == Layout::column_major) {
    for (Index j = 0; j < from_X; ++j) {
      const Scalar* source = element<Scalar>(X_, row0, col0 + j);
      double* column = out + j * ld;
      for (Index i = 0; i < num_rows; ++i) column[i] = static_cast<double>(source[i]);
      finish_column(col0 + j, column);
    }
  } else {
    // Transpose in tiles that keep both sides in the first-level cache.
    constexpr Index tile = 16;
    for (Index j0 = 0; j0 < from_X; j0 += tile) {
      const Index j1 = std::min(j0 + tile, from_X);
      for (Index i0 = 0; i0 < num_rows; i0 += tile) {
        const Index i1 = std::min(i0 + tile, num_rows);
        for (Index i = i0; i < i1; ++i) {
          const Scalar* source = element<Scalar>(X_, row0 + i, col0);
          for (Index j = j0; j < j1; ++j) out[i + j * ld] = static_cast<double>(source[j]);
        }
      }
      for (Index j = j0; j < j1; ++j) finish_column(col0 + j, out + j * ld);
    }
  }
  for (Index j = from_X; j < num_cols; ++j) {
    double* column = out + j * ld;
    if (row_scale != nullptr)
      std::copy_n(row_scale, num_rows, column);
    else
      std::fill_n(column, num_rows, 1.0);
  }
}

void DenseDesign::read(Index row0, Index num_rows, Index col0, Index num_cols, const double* row_scale, double* out, Index ld) const {
  if (X_.scalar() == ScalarType::float64)
    read<double>(row0, num_rows, col0, num_cols, row_scale, out, ld);
  else
    read<float>(row0, num_rows, col0, num_cols, row_scale, out, ld);
}

void DenseDesign::read_rows(Index first, Index count, const Vector* row_scale, Matrix& panel) const {
  read(first, count, 0, cols(), row_scale != nullptr ? row_scale->data() + first : nullptr, panel.data(), panel.outerStride());
}

void DenseDesign::columns(Index first, Index count, Eigen::Ref<Matrix> panel) {
  read(0, rows(), first, count, nullptr, panel.data(), panel.outerStride());
}

void DenseDesign::gram(const Vector& omega, Matrix& G) {
  if (panel_.size() == 0) panel_.resize(block_rows_, cols());
  row_scale_ = omega.cwiseSqrt();
  for (Index first = 0; first < rows(); first += block_rows_) {
    const Index count = std::min(block_rows_, rows() - first);
    read_rows(first, count, &row_scale_, panel_);
    blas::syrk(blas::Transpose::yes, cols(), count, 1.0, panel_.data(), panel_.outerStride(), first == 0 ? 0.0 : 1.0, G.data(),
               G.outerStride());
  }
}

void DenseDesign::row_variance(const Matrix& L_inverse, Vector& out) {
  if (panel_.size() == 0) panel_.resize(block_rows_, cols());
  for (Index first = 0; first < rows(); first += block_rows_) {
    const Index count = std::min(block_rows_, rows() - first);
    read_rows(first, count, nullptr, panel_);
    blas::trmm(blas::Side::right, blas::Transpose::yes, count, cols(), L_inverse.data(), L_inverse.outerStride(), panel_.data(),
               panel_.outerStride());
    out.segment(first, count).setZero();
    for (Index j = 0; j < cols(); ++j) out.segment(first, count) += panel_.col(j).head(count).cwiseAbs2();
  }
}

// Products with one vector read X where it lies: X' r and X w need no copy of a block.
namespace {

template <typename Scalar, int Order>
auto as_eigen(const MatrixView& X) {
  using Dense = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Order>;
  return Eigen::Map<const Dense, 0, Eigen::OuterStride<>>(static_cast<const Scalar*>(X.data()), X.rows(), X.cols(),
                                                          Eigen::OuterStride<>(X.stride()));
}

template <typename Function>
void with_eigen(const MatrixView& X, Function&& f) {
  const bool column_major = X.layout() == Layout::column_major;
  if (X.scalar() == ScalarType::float64) {
    if (column_major)
      f(as_eigen<double, Eigen::ColMajor>(X));
    else
      f(as_eigen<double, Eigen::RowMajor>(X));
  } else {
    if (column_major)
      f(as_eigen<float, Eigen::ColMajor>(X));
    else
      f(as_eigen<float, Eigen::RowMajor>(X));
  }
}

}  // namespace

void DenseDesign::project(const Vector& r, Vector& out) {
  const Index p = X_.cols();
  const double sum = r.sum();
  with_eigen(X_, [&](auto X) {
    using Map = decltype(X);
    if constexpr (std::is_same_v<typename Map::Scalar, double>) {
      if constexpr (Map::IsRowMajor)
        blas::gemv(blas::Transpose::no, X.cols(), X.rows(), 1.0, X.data(), X.outerStride(), r.data(), 0.0, out.data());
      else
        blas::gemv(blas::Transpose::yes, X.rows(), X.cols(), 1.0, X.data(), X.outerStride(), r.data(), 0.0, out.data());
    } else if constexpr (Map::IsRowMajor) {
      out.head(p).setZero();
      for (Index i = 0; i < X.rows(); ++i) out.head(p) += r[i] * X.row(i).transpose().template cast<double>();
    } else {
      for (Index j = 0; j < p; ++j) out[j] = X.col(j).template cast<double>().dot(r);
    }
  });
  for (Index j = 0; j < p; ++j) {
    const double scale = s_.scale.size() > 0 ? s_.scale[j] : 1.0, center = s_.center.size() > 0 ? s_.center[j] : 0.0;
    out[j] = scale == 0 ? 0.0 : scale * (out[j] - center * sum);
  }
  if (s_.intercept) out[p] = sum;
}

void DenseDesign::apply(const Vector& w, Vector& out) {
  const Index p = X_.cols();
  double shift = s_.intercept ? w[p] : 0.0;
  for (Index j = 0; j < p; ++j) {
    const double scale = s_.scale.size() > 0 ? s_.scale[j] : 1.0, center = s_.center.size() > 0 ? s_.center[j] : 0.0;
    scaled_w_[j] = scale * w[j];
    if (scaled_w_[j] != 0) shift -= center * scaled_w_[j];
  }
  with_eigen(X_, [&](auto X) {
    using Map = decltype(X);
    if constexpr (std::is_same_v<typename Map::Scalar, double>) {
      if constexpr (Map::IsRowMajor)
        blas::gemv(blas::Transpose::yes, X.cols(), X.rows(), 1.0, X.data(), X.outerStride(), scaled_w_.data(), 0.0, out.data());
      else
        blas::gemv(blas::Transpose::no, X.rows(), X.cols(), 1.0, X.data(), X.outerStride(), scaled_w_.data(), 0.0, out.data());
    } else if constexpr (Map::IsRowMajor) {
      for (Index i = 0; i < X.rows(); ++i) out[i] = X.row(i).transpose().template cast<double>().dot(scaled_w_.head(p));
    } else {
      out.setZero();
      for (Index j = 0; j < p; ++j) out += scaled_w_[j] * X.col(j).template cast<double>();
    }
  });
  out.array() += shift;
}

}  // namespace ardvark
