#include "design/single_panels.hpp"

#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "core/products.hpp"
#include "core/pulse.hpp"

namespace ardvark::internal {

// The limits of the panels do not depend on the number of threads.
void project_panels(const SinglePanels& X, const Matrix& R, Matrix& out) {
  const Index n = X.rows, p = X.cols, count = R.cols();
  const Index block = std::clamp<Index>((Index{1} << 18) / std::max<Index>(n, 1), 16, 256);  // 1 MB
  const Eigen::MatrixXf single = R.cast<float>();
  const Index threads = blas::threads_to_read(n * p * count);
  const blas::ThreadScope one_thread{1};
  parallel_ranges((p + block - 1) / block, threads, [&](Index from, Index to) {
    Eigen::MatrixXf panel(n, std::min(block, p)), product(std::min(block, p), count);
    for (Index first = from * block; first < std::min(to * block, p); first += block) {
      pulse();
      const Index width = std::min(block, p - first);
      X.read(first, width, panel);
      blas::gemm(blas::Transpose::yes, blas::Transpose::no, width, count, n, 1.0F, panel.data(), n, single.data(), n, 0.0F, product.data(),
                 product.outerStride());
      out.middleRows(first, width) = product.topRows(width).cast<double>();
    }
  });
}

void row_gram_of_panels(const SinglePanels& X, Matrix& K) {
  constexpr Index block = 1024;
  const Index n = X.rows, p = X.cols;
  const auto first_of = X.by_column ? blas::Transpose::no : blas::Transpose::yes,
             second_of = X.by_column ? blas::Transpose::yes : blas::Transpose::no;
  Eigen::MatrixXf panel;
  X.by_column ? panel.resize(n, std::min(block, p)) : panel.resize(std::min(block, p), n);
  K.setZero();
  for (Index first = 0; first < p; first += block) {
    pulse();
    const Index count = std::min(block, p - first);
    X.read(first, count, panel);
    products::tiles(n, blas::threads_for(static_cast<double>(n * n * count) / 2), [&](Index at, Index width) {
      const Index left = n - at, below = X.by_column ? 1 : panel.outerStride();
      const float* own = panel.data() + at * below;
      Eigen::MatrixXf product(left, width);
      blas::gemm(first_of, second_of, left, width, count, 1.0F, own, panel.outerStride(), own, panel.outerStride(), 0.0F, product.data(),
                 left);
      for (Index j = 0; j < width; ++j) {
        const auto row = X.by_column ? panel.row(at + j).head(count).template cast<double>().squaredNorm()
                                     : panel.col(at + j).head(count).template cast<double>().squaredNorm();
        K(at + j, at + j) += row;
        K.col(at + j).tail(left - j - 1) += product.col(j).tail(left - j - 1).template cast<double>();
      }
    });
  }
}

bool are_even(const Vector& squares) {
  const double most = squares.size() > 0 ? squares.maxCoeff() : 0.0;
  return std::isfinite(most) && most < 1e30 && most > 1e-30 &&
         most <= 100 * squares.sum() / static_cast<double>((squares.array() > 0).count());
}

bool is_spread_out(const Matrix& K) {
  double square = 0;
  const Index n = K.rows();
  for (Index j = 0; j < n; ++j) square += K(j, j) * K(j, j) + 2 * K.col(j).tail(n - j - 1).squaredNorm();
  const double trace = K.diagonal().sum();
  return square * static_cast<double>(n) <= 16 * trace * trace;
}

}  // namespace ardvark::internal
