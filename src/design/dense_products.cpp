// Products of a dense table with vectors, and of its rows with each other. They read X in place, in the order in which it lies.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/blas.hpp"
#include "core/digits.hpp"
#include "core/line_kernels.hpp"
#include "core/numbers.hpp"
#include "core/parallel.hpp"
#include "core/products.hpp"
#include "core/pulse.hpp"
#include "core/resize.hpp"
#include "core/row_kernels.hpp"
#include "design/dense.hpp"

namespace ardvark::internal {
namespace {

// The columns of a column-major X, or the rows of a row-major one.
template <typename T>
struct Lines {
  const T* first;
  Index count, size, stride;

  explicit Lines(const MatrixView& X)
      : first(static_cast<const T*>(X.data())),
        count(X.layout() == Layout::column_major ? X.cols() : X.rows()),
        size(X.layout() == Layout::column_major ? X.rows() : X.cols()),
        stride(X.stride()) {}
  [[nodiscard]] const T* line(Index l) const { return first + l * stride; }
};

constexpr Index most_at_once = LineKernels<double>::most;

// out(l, k) <- the products of line l with the columns of R [size, any].
template <typename T>
void dots(const Lines<T>& X, const Eigen::Ref<const Matrix>& R, Eigen::Ref<Matrix> out) {
  const auto& kernel = line_kernel<T>();
  parallel_ranges(X.count, blas::threads_to_read(X.count * X.size * R.cols()), [&](Index from, Index to) {
    std::array<const double*, most_at_once> r{};
    std::array<double, most_at_once> products{};
    for (Index l = from; l < to; ++l)
      for (Index k = 0; k < R.cols(); k += most_at_once) {
        const Index count = std::min(most_at_once, R.cols() - k);
        for (Index a = 0; a < count; ++a) r[static_cast<std::size_t>(a)] = R.col(k + a).data();
        kernel.dots(X.line(l), X.size, r.data(), count, products.data());
        for (Index a = 0; a < count; ++a) out(l, k + a) = products[static_cast<std::size_t>(a)];
      }
  });
}

// The same with products in single precision.
template <typename T>
void dots_in_single(const Lines<T>& X, const Matrix& R, Eigen::Ref<Matrix> out) {
  const auto& kernel = line_kernel<T>();
  const Eigen::MatrixXf single = R.cast<float>();
  parallel_ranges(X.count, blas::threads_to_read(X.count * X.size * R.cols()), [&](Index from, Index to) {
    std::array<const float*, most_at_once> r{};
    std::array<double, 2 * most_at_once> products{};
    for (Index l = from; l < to; l += 2)
      for (Index k = 0; k < R.cols(); k += most_at_once) {
        const Index count = std::min(most_at_once, R.cols() - k), second = std::min(l + 1, to - 1);
        for (Index a = 0; a < count; ++a) r[static_cast<std::size_t>(a)] = single.col(k + a).data();
        kernel.dots_in_single(X.line(l), X.line(second), X.size, r.data(), count, products.data());
        for (Index a = 0; a < count; ++a) {
          out(l, k + a) = products[static_cast<std::size_t>(a)];
          if (second > l) out(second, k + a) = products[static_cast<std::size_t>(most_at_once + a)];
        }
      }
  });
}

// out(:, k) <- the sum of the lines times R(line, k). The lines are added in their order, whatever the number of threads.
template <typename T>
void combine(const Lines<T>& X, const Eigen::Ref<const Matrix>& R, Eigen::Ref<Matrix> out) {
  const auto& kernel = line_kernel<T>();
  out.setZero();
  parallel_ranges(X.size, blas::threads_to_read(X.count * X.size * R.cols()), [&](Index from, Index to) {
    std::array<const T*, most_at_once> x{};
    for (Index l = 0; l < X.count; l += most_at_once) {
      const Index count = std::min(most_at_once, X.count - l);
      for (Index a = 0; a < count; ++a) x[static_cast<std::size_t>(a)] = X.line(l + a) + from;
      for (Index k = 0; k < R.cols(); ++k) kernel.combine(x.data(), to - from, R.col(k).data() + l, count, out.col(k).data() + from);
    }
  });
}

// out <- X'R as X lies, neither centred nor scaled.
template <typename T>
void plain_products(const MatrixView& X, const Matrix& R, Eigen::Ref<Matrix> out) {
  const bool by_column = X.layout() == Layout::column_major;
  if constexpr (std::is_same_v<T, double>) {
    const auto* x = static_cast<const double*>(X.data());
    const Index n = X.rows(), p = X.cols();
    blas::gemm(by_column ? blas::Transpose::yes : blas::Transpose::no, blas::Transpose::no, p, R.cols(), n, 1.0, x, X.stride(), R.data(),
               R.outerStride(), 0.0, out.data(), out.outerStride());
  } else if (by_column) {
    dots(Lines<T>(X), R, out);
  } else {
    combine(Lines<T>(X), R, out);
  }
}

void plain_product(const MatrixView& X, blas::Transpose transpose, const double* r, double* out) {
  const bool flip = X.layout() == Layout::row_major, transposed = transpose == blas::Transpose::yes;
  const Index rows = flip ? X.cols() : X.rows(), cols = flip ? X.rows() : X.cols();
  with_scalar(X.scalar(), [&](auto of_type) {
    using T = decltype(of_type);
    if constexpr (std::is_same_v<T, double>)
      blas::gemv(flip != transposed ? blas::Transpose::yes : blas::Transpose::no, rows, cols, 1.0, static_cast<const double*>(X.data()),
                 X.stride(), r, 0.0, out);
    else if (flip != transposed)
      dots(Lines<T>(X), Eigen::Map<const Matrix>(r, rows, 1), Eigen::Map<Matrix>(out, cols, 1));
    else
      combine(Lines<T>(X), Eigen::Map<const Matrix>(r, cols, 1), Eigen::Map<Matrix>(out, rows, 1));
  });
}

}  // namespace

DenseDesign::Unit DenseDesign::unit_of(Index j) const {
  return {s_.center.size() > 0 ? s_.center[j] : 0.0, s_.scale.size() > 0 ? s_.scale[j] : 1.0};
}

// From the product of the plain column with r to that of the standardised one.
double DenseDesign::standardised_product(Index j, double plain, const double* r, double sum) const {
  const auto [center, scale] = unit_of(j);
  if (scale == 0) return 0;
  if (!is_read_by_differences(center, scale)) return scale * (plain - center * sum);
  double of_differences = 0;
  for (Index i = 0; i < X_.rows(); ++i) of_differences += (X_(i, j) - center) * r[i];
  return scale * of_differences;
}

void DenseDesign::project(const Vector& r, Vector& out) {
  const Index p = X_.cols();
  const double sum = r.sum();
  plain_product(X_, blas::Transpose::yes, r.data(), out.data());
  for (Index j = 0; j < p; ++j) out[j] = standardised_product(j, out[j], r.data(), sum);
  if (s_.intercept) out[p] = sum;
}

// Columns that lie side by side in memory are read in place.
void DenseDesign::project_in_place(const std::vector<Index>& columns, const Vector& r, Vector& out) {
  if (X_.layout() == Layout::row_major) return Design::project_in_place(columns, r, out);
  resize(out, static_cast<Index>(columns.size()));
  const double sum = r.sum();
  with_scalar(X_.scalar(), [&](auto of_type) {
    const Lines<decltype(of_type)> lines(X_);
    const double* of_r = r.data();
    for (Index i = 0; i < out.size(); ++i) {
      const Index j = columns[static_cast<std::size_t>(i)];
      double plain = 0;
      if (j < X_.cols()) line_kernel<decltype(of_type)>().dots(lines.line(j), X_.rows(), &of_r, 1, &plain);
      out[i] = j < X_.cols() ? standardised_product(j, plain, r.data(), sum) : sum;
    }
  });
}

// Numbers of many vectors are converted to double once, in panels.
void DenseDesign::project_several(const Matrix& R, Matrix& out) {
  constexpr Index many = 12;
  if (X_.scalar() != ScalarType::float64 && R.cols() > many) return Design::project_several(R, out);
  const Index p = X_.cols();
  resize(out, cols(), R.cols());
  with_scalar(X_.scalar(), [&](auto of_type) { plain_products<decltype(of_type)>(X_, R, out.topRows(p)); });
  for (Index k = 0; k < R.cols(); ++k) {
    const double sum = R.col(k).sum();
    for (Index j = 0; j < p; ++j) out(j, k) = standardised_product(j, out(j, k), R.col(k).data(), sum);
    if (s_.intercept) out(p, k) = sum;
  }
}

// A center far from 0 would lose digits of single precision: such a column is read again.
void DenseDesign::project_in_single(const Matrix& R, Matrix& out) {
  constexpr double most_center = 10;  // in units of the spread
  constexpr Index few_vectors = 8;
  if (X_.scalar() == ScalarType::float64 || (X_.layout() == Layout::row_major && R.cols() <= few_vectors)) return project_several(R, out);
  const Index p = X_.cols();
  resize(out, cols(), R.cols());
  if (R.cols() > few_vectors) {
    project_panels(in_single(), R, out);
    if (s_.intercept) out.row(p) = R.colwise().sum();
    return;
  }
  with_scalar(X_.scalar(), [&](auto of_type) {
    using T = decltype(of_type);
    const Lines<T> lines(X_);
    dots_in_single(lines, R, out.topRows(p));
    for (Index j = 0; j < p; ++j)
      if (const auto [center, scale] = unit_of(j); std::abs(center) * scale > most_center)
        for (Index k = 0; k < R.cols(); ++k) {
          const double* r = R.col(k).data();
          line_kernel<T>().dots(lines.line(j), rows(), &r, 1, &out(j, k));
        }
  });
  for (Index k = 0; k < R.cols(); ++k) {
    const double sum = R.col(k).sum();
    for (Index j = 0; j < p; ++j) out(j, k) = standardised_product(j, out(j, k), R.col(k).data(), sum);
    if (s_.intercept) out(p, k) = sum;
  }
}

bool DenseDesign::apply_in_single(const Matrix& W, Matrix& out) {
  constexpr Index few_vectors = 4;
  if (X_.scalar() == ScalarType::float64 || W.cols() <= few_vectors) return false;
  resize(out, rows(), W.cols());
  apply_panels(in_single(), W, out);
  if (s_.intercept) out.rowwise() += W.row(X_.cols());
  return true;
}

void DenseDesign::apply(const Vector& w, Vector& out) {
  const Index p = X_.cols();
  double shift = s_.intercept ? w[p] : 0.0;
  for (Index j = 0; j < p; ++j) {
    const auto [center, scale] = unit_of(j);
    scaled_w_[j] = is_read_by_differences(center, scale) ? 0.0 : scale * w[j];
    if (scaled_w_[j] != 0) shift -= center * scaled_w_[j];
  }
  plain_product(X_, blas::Transpose::no, scaled_w_.data(), out.data());
  out.array() += shift;
  for (Index j = 0; s_.center.size() > 0 && j < p; ++j) {
    const auto [center, scale] = unit_of(j);
    if (!is_read_by_differences(center, scale) || w[j] == 0) continue;
    for (Index i = 0; i < X_.rows(); ++i) out[i] += scale * w[j] * (X_(i, j) - center);
  }
}

// The sums of squares of the standardised columns.
Vector DenseDesign::column_squares() const {
  const Index n = X_.rows(), p = X_.cols();
  const Vector center = s_.center.size() > 0 ? s_.center : Vector::Zero(p), ones = Vector::Ones(n);
  Vector first = Vector::Zero(p), square = Vector::Zero(p);
  with_scalar(X_.scalar(), [&](auto of_type) {
    using T = decltype(of_type);
    const Lines<T> lines(X_);
    if (X_.layout() == Layout::column_major)
      for (Index j = 0; j < p; ++j) square[j] = line_kernel<T>().sums(lines.line(j), ones.data(), center[j], n).second;
    else
      for (Index i = 0; i < n; ++i) row_kernel().deviations<T>()(lines.line(i), center.data(), 1.0, p, first.data(), square.data());
  });
  return s_.scale.size() > 0 ? Vector(square.array() * s_.scale.array().square()) : square;
}

// A panel of columns in single precision, in the order of X: standardised [rows, count], or its transpose.
void DenseDesign::read_single(Index first, Index count, Eigen::MatrixXf& panel) const {
  with_scalar(X_.scalar(), [&](auto of_type) {
    using T = decltype(of_type);
    const Lines<T> lines(X_);
    if (X_.layout() == Layout::column_major) {
      for (Index j = 0; j < count; ++j) {
        const auto [center, scale] = unit_of(first + j);
        line_kernel<T>().to_float(lines.line(first + j), rows(), center, scale, 1.0, panel.col(j).data());
      }
      return;
    }
    const Vector center = s_.center.size() > 0 ? Vector(s_.center.segment(first, count)) : Vector::Zero(count),
                 scale = s_.scale.size() > 0 ? Vector(s_.scale.segment(first, count)) : Vector::Ones(count);
    Vector square = Vector::Zero(count), product = square;  // not used
    for (Index i = 0; i < rows(); ++i)
      row_kernel().read<T, float>()(lines.line(i) + first, center.data(), scale.data(), 1.0, 0.0, count, panel.col(i).data(),
                                    {square.data(), product.data()});
  });
}

SinglePanels DenseDesign::in_single() const {
  return {rows(), X_.cols(), X_.layout() == Layout::column_major,
          [this](Index first, Index count, Eigen::MatrixXf& panel) { read_single(first, count, panel); }};
}

void DenseDesign::row_gram(Matrix& K) {
  if (X_.scalar() == ScalarType::float64 || blas::is_small(blas::multiplications(X_.cols(), rows())) || !are_even(column_squares()))
    return Design::row_gram(K);
  resize(K, rows(), rows());
  row_gram_of_panels(in_single(), K);
  if (!is_spread_out(K)) Design::row_gram(K);
}

}  // namespace ardvark::internal
