#include "design/single_panels.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "core/products.hpp"
#include "core/pulse.hpp"
#include "core/tile_products.hpp"

namespace ardvark::internal {

namespace {

using Panel = Eigen::Ref<const Eigen::MatrixXf>;

// Products of rows of X: out [at least n - at, at least width] <- the rows from `at` on by `width` of them.
struct RowProducts {
  bool by_column;  // of the panel
  bool in_tiles = tiles::are_used();
  tiles::Operand left{}, right{};

  void take(const Panel& panel) {
    if (!in_tiles) return;
    if (by_column) {
      right.take_rows(panel);
      left.turn(right);
    } else {
      left.take_columns(panel);
      right.turn(left);
    }
  }

  [[nodiscard]] Eigen::MatrixXf operator()(const Panel& panel, Index at, Index width) const {
    return in_tiles ? by_tiles(at, width) : by_gemm(panel, at, width);
  }

 private:
  [[nodiscard]] Eigen::MatrixXf by_tiles(Index at, Index width) const {  // (MP.6)
    constexpr Index block = tiles::block;
    const Index first = at / block, count = left.blocks() - first, columns = (width + block - 1) / block;
    Eigen::MatrixXf out(count * block, columns * block);
    for (Index i = 0; i < count; ++i)
      for (Index j = 0; j < std::min(i + 1, columns); ++j)
        tiles::multiply(left, first + j, right, first + i, &out(i * block, j * block), out.outerStride());
    return out;
  }

  [[nodiscard]] Eigen::MatrixXf by_gemm(const Panel& panel, Index at, Index width) const {
    const auto first_of = by_column ? blas::Transpose::no : blas::Transpose::yes,
               second_of = by_column ? blas::Transpose::yes : blas::Transpose::no;
    const Index n = by_column ? panel.rows() : panel.cols(), inner = by_column ? panel.cols() : panel.rows();
    const float* own = panel.data() + at * (by_column ? 1 : panel.outerStride());
    Eigen::MatrixXf out(n - at, width);
    blas::gemm(first_of, second_of, n - at, width, inner, 1.0F, own, panel.outerStride(), own, panel.outerStride(), 0.0F, out.data(),
               n - at);
    return out;
  }
};

// Columns of a panel: about 1 MB. Of rows that lie side by side, a panel takes at least four lines of the cache.
Index width_of_panels(const SinglePanels& X) {
  return std::clamp<Index>((Index{1} << 18) / std::max<Index>(X.rows, 1), X.by_column ? 16 : 64, 256);
}

Eigen::MatrixXf panel_for(const SinglePanels& X, Index width) {
  return X.by_column ? Eigen::MatrixXf(X.rows, width) : Eigen::MatrixXf(width, X.rows);
}

}  // namespace

// The limits of the panels do not depend on the number of threads.
void project_panels(const SinglePanels& X, const Matrix& R, Matrix& out) {
  const Index n = X.rows, p = X.cols, count = R.cols();
  const Index block = width_of_panels(X);
  const Eigen::MatrixXf single = R.cast<float>();
  const Index threads = blas::threads_to_read(n * p * count);
  const blas::ThreadScope one_thread{1};
  parallel_ranges((p + block - 1) / block, threads, [&](Index from, Index to) {
    Eigen::MatrixXf panel = panel_for(X, std::min(block, p)), product(std::min(block, p), count);
    for (Index first = from * block; first < std::min(to * block, p); first += block) {
      pulse();
      const Index width = std::min(block, p - first);
      X.read(first, width, panel);
      blas::gemm(X.by_column ? blas::Transpose::yes : blas::Transpose::no, blas::Transpose::no, width, count, n, 1.0F, panel.data(),
                 panel.outerStride(), single.data(), n, 0.0F, product.data(), product.outerStride());
      out.middleRows(first, width) = product.topRows(width).cast<double>();
    }
  });
}

// Lanes of columns, each with a sum of its own. Their limits do not depend on the number of threads.
void apply_panels(const SinglePanels& X, const Matrix& W, Matrix& out) {
  const Index n = X.rows, p = X.cols, count = W.cols();
  const Index block = width_of_panels(X), panels = (p + block - 1) / block;
  const Index lanes = std::clamp<Index>(p / (8 * std::max<Index>(count, 1)), 1, 8);
  const Eigen::MatrixXf single = W.topRows(p).cast<float>();
  std::vector<Eigen::MatrixXf> sum(static_cast<std::size_t>(lanes));
  const blas::ThreadScope one_thread{1};
  parallel_for(lanes, blas::threads_to_read(n * p * count), [&](Index lane) {
    Eigen::MatrixXf panel = panel_for(X, std::min(block, p)), own = Eigen::MatrixXf::Zero(n, count);
    for (Index at = lane * panels / lanes; at < (lane + 1) * panels / lanes; ++at) {
      pulse();
      const Index first = at * block, width = std::min(block, p - first);
      X.read(first, width, panel);
      blas::gemm(X.by_column ? blas::Transpose::no : blas::Transpose::yes, blas::Transpose::no, n, count, width, 1.0F, panel.data(),
                 panel.outerStride(), single.data() + first, single.outerStride(), 1.0F, own.data(), n);
    }
    sum[static_cast<std::size_t>(lane)] = std::move(own);
  });
  out.topRows(n) = sum[0].cast<double>();
  for (std::size_t lane = 1; lane < sum.size(); ++lane) out.topRows(n) += sum[lane].cast<double>();
}

void row_gram_of_panels(const SinglePanels& X, Matrix& K) {
  constexpr Index block = 1024;
  const Index n = X.rows, p = X.cols;
  Eigen::MatrixXf panel = panel_for(X, std::min(block, p));
  RowProducts products_of{X.by_column};
  K.setZero();
  for (Index first = 0; first < p; first += block) {
    pulse();
    const Index count = std::min(block, p - first);
    X.read(first, count, panel);
    const Panel own = X.by_column ? Panel(panel.leftCols(count)) : Panel(panel.topRows(count));
    products_of.take(own);
    products::tiles(n, blas::threads_for(static_cast<double>(n * n * count) / 2), [&](Index at, Index width) {
      const Eigen::MatrixXf product = products_of(own, at, width);
      for (Index j = 0; j < width; ++j) {
        const auto row = X.by_column ? own.row(at + j).cast<double>().squaredNorm() : own.col(at + j).cast<double>().squaredNorm();
        K(at + j, at + j) += row;
        const Index left = n - at - j - 1;
        K.col(at + j).tail(left) += product.col(j).segment(j + 1, left).cast<double>();
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
