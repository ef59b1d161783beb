#include "passes/small_targets.hpp"

#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "core/parallel.hpp"

namespace ardvark::internal {
namespace {

// The square roots of sums of squares, and their inverses; 0 of a constant.
struct Lengths {
  Vector length, inverse;
  explicit Lengths(const Vector& squares)
      : length(squares.cwiseMax(0.0).cwiseSqrt()), inverse((length.array() > 0).select(length.cwiseInverse(), 0.0)) {}
};

}  // namespace

SmallTargets small_targets(const TargetStatistics::State& closed, bool about_mean) {
  const TargetMoments& sums = closed.sums;
  const Index p = closed.num_columns, K = closed.num_targets, rows = std::min(closed.num_weighted, p + 2);
  const Matrix cross = sums.cross.value();
  const Lengths of_X(cross.diagonal()), of_Y(closed.targets_squares());
  Matrix C = of_X.inverse.asDiagonal() * cross * of_X.inverse.asDiagonal();
  std::vector<Index> order;
  const Index rank = factor_correlations(p, C.data(), p, rows - 1, order), height = std::min(rank + 1, rows - 1);
  const double weight = sums.weight / static_cast<double>(rows), to_rows = 1 / std::sqrt(weight);
  Matrix A = Matrix::Zero(height, p);
  take_columns(C, order, rank, of_X.length, A);

  SmallTargets out{about_the_mean(A, rows) * to_rows, Matrix::Zero(rows, K), {}, Vector::Zero(K), {}};
  std::vector<char> explained(static_cast<std::size_t>(K), 0);  // several threads write their own
  const Matrix L = C.topLeftCorner(rank, rank);
  const Vector inverse = of_X.inverse(order);
  constexpr Index tile = 256;
  parallel_for((K + tile - 1) / tile, blas::threads_for(static_cast<double>(p * p) * static_cast<double>(K)), [&](Index t) {
    const Index first = t * tile, count = std::min(tile, K - first);
    Matrix c = sums.product.high.middleCols(first, count);
    if (sums.product.low.size() > 0) c += sums.product.low.middleCols(first, count);
    c = inverse.head(rank).asDiagonal() * Matrix(c(std::vector<Index>(order.begin(), order.begin() + rank), Eigen::all)) *
        of_Y.inverse.segment(first, count).asDiagonal();
    L.triangularView<Eigen::Lower>().solveInPlace(c);
    Matrix root = Matrix::Zero(height, count);
    root.topRows(rank) = c;
    for (Index k = 0; k < count; ++k) {
      const bool varies = of_Y.length[first + k] > 0;  // false of NaN
      const double rest = 1 - c.col(k).squaredNorm();
      explained[static_cast<std::size_t>(first + k)] = varies && rest < 10 * lost && rank < rows - 1;
      if (rank < height) root(rank, k) = std::sqrt(std::max(rest, 0.0));
      varies ? void(root.col(k) *= of_Y.length[first + k]) : void(root.col(k).setZero());
    }
    out.Y.middleCols(first, count) = about_the_mean(root, rows) * to_rows;
  });
  out.is_explained.assign(explained.begin(), explained.end());

  const Vector mean = closed.columns_mean(), of_targets = closed.targets_mean();
  const Vector target_mean = of_targets.array().isNaN().select(0.0, of_targets);
  out.stand_in.weight = weight;
  if (about_mean) {
    out.stand_in.x = mean;
    out.origin = target_mean;
  } else {
    out.X.rowwise() += mean.transpose();
    out.Y.rowwise() += target_mean.transpose();
  }
  return out;
}

}  // namespace ardvark::internal
