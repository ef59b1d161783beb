#include "design/single_panels.hpp"

#include <algorithm>
#include <cmath>

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
  tiles::Operand left{3}, right{3};

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

// Products of columns of X with R: out [count, columns of R].
struct ColumnProducts {
  explicit ColumnProducts(const Matrix& R) : of_R(R.cast<float>()) {
    if (!in_tiles) return;
    tiles::Operand columns(2);
    columns.take_columns(of_R);
    right.turn(columns);
  }

  bool in_tiles = tiles::are_used();
  Eigen::MatrixXf of_R;
  tiles::Operand right{2};

  [[nodiscard]] Index block() const {
    return in_tiles ? tiles::block : std::clamp<Index>((Index{1} << 18) / std::max<Index>(of_R.rows(), 1), 16, 256);  // 1 MB
  }

  [[nodiscard]] Eigen::MatrixXf operator()(const Panel& panel, tiles::Operand& left) const {
    const Index count = panel.cols();
    if (!in_tiles) {
      Eigen::MatrixXf out(count, of_R.cols());
      blas::gemm(blas::Transpose::yes, blas::Transpose::no, count, of_R.cols(), panel.rows(), 1.0F, panel.data(), panel.outerStride(),
                 of_R.data(), of_R.outerStride(), 0.0F, out.data(), count);
      return out;
    }
    left.take_columns(panel);
    Eigen::MatrixXf out(right.blocks() * tiles::block, tiles::block);  // (MP.6)
    for (Index j = 0; j < right.blocks(); ++j) tiles::multiply(left, 0, right, j, &out(j * tiles::block, 0), out.outerStride());
    return out.topLeftCorner(of_R.cols(), count).transpose();
  }
};

}  // namespace

// The limits of the panels do not depend on the number of threads.
void project_panels(const SinglePanels& X, const Matrix& R, Matrix& out) {
  const Index n = X.rows, p = X.cols;
  const ColumnProducts products_of(R);
  const Index block = products_of.block(), threads = blas::threads_to_read(n * p * R.cols());
  const blas::ThreadScope one_thread{1};
  parallel_ranges((p + block - 1) / block, threads, [&](Index from, Index to) {
    Eigen::MatrixXf panel(n, std::min(block, p));
    tiles::Operand left(2);
    for (Index first = from * block; first < std::min(to * block, p); first += block) {
      pulse();
      const Index width = std::min(block, p - first);
      X.read(first, width, panel);
      out.middleRows(first, width) = products_of(panel.leftCols(width), left).cast<double>();
    }
  });
}

void row_gram_of_panels(const SinglePanels& X, Matrix& K) {
  constexpr Index block = 1024;
  const Index n = X.rows, p = X.cols;
  Eigen::MatrixXf panel;
  X.by_column ? panel.resize(n, std::min(block, p)) : panel.resize(std::min(block, p), n);
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
