#include "design/centres.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "core/blas.hpp"
#include "core/pulse.hpp"
#include "design/by_content.hpp"

namespace ardvark::internal {
namespace {

// k(x_i, x_i), from the diagonals of small square blocks.
Vector kernel_diagonal(const Kernel& kernel, const Matrix& X) {
  constexpr Index block = 16;
  Vector d(X.rows());
  Matrix K;
  for (Index first = 0; first < X.rows(); first += block) {
    const Index count = std::min(block, X.rows() - first);
    K.resize(count, count);
    kernel.evaluate(X.middleRows(first, count), X.middleRows(first, count), K);
    d.segment(first, count) = K.diagonal();
  }
  return d;
}

}  // namespace

PivotedCholesky pivoted_cholesky(const Kernel& kernel, const Matrix& X, Index max_count, double tolerance,
                                 const std::function<bool(Index count, double left)>& go_on) {
  const Index n = X.rows(), most = std::min(max_count, n);
  PivotedCholesky out;
  if (most <= 0) return out;
  constexpr double rounding = 1e-13;  // relative error of a diagonal after some hundreds of pivots
  const blas::ThreadScope one(1);     // the products are small
  Vector left = kernel_diagonal(kernel, X);
  out.left = left.maxCoeff();
  out.least_left = left.minCoeff();
  const double largest = out.left, least = tolerance * largest;
  Matrix column(n, 1);
  Matrix& L = out.L;
  L.resize(n, std::min<Index>(most, 64));
  Index k = 0;
  for (; k < most; ++k) {
    pulse();
    out.left = left.maxCoeff();
    if (!(out.left > least) || !(out.left > 0) || (go_on && !go_on(k, out.left))) break;
    const double equal = out.left - std::min(rounding * largest, 0.1 * out.left);
    const Index pivot = std::find_if(left.begin(), left.end(), [&](double x) { return x >= equal; }) - left.begin();
    if (k == L.cols()) L.conservativeResize(Eigen::NoChange, std::min(2 * k, most));
    kernel.evaluate(X, X.row(pivot), column);
    L.col(k) = column;
    const Vector row = L.row(pivot).head(k).transpose();
    if (k > 0) blas::gemv(blas::Transpose::no, n, k, -1.0, L.data(), n, row.data(), 1.0, L.col(k).data());
    L.col(k) /= std::sqrt(left[pivot]);
    left -= L.col(k).cwiseAbs2();
    out.least_left = std::min(out.least_left, left.minCoeff());
    left[pivot] = 0;  // each pivot is used only once
    out.pivots.push_back(pivot);
  }
  if (k == most) out.left = left.maxCoeff();
  L.conservativeResize(Eigen::NoChange, k);
  return out;
}

std::vector<Index> rows_by_content(const Matrix& X) {
  std::vector<Index> order(static_cast<std::size_t>(X.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  const ByContent by_content(X);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return by_content.compare(a, b) < 0; });
  return order;
}

// If several diagonals are the largest (for a stationary kernel all are before the first pivot), the first in this order is the pivot. The
// factorisation uses this order, so neither ties nor rounding depend on the order of the table.                               (KER.13)
std::vector<Index> pivoted_cholesky_centres(const Kernel& kernel, const Matrix& X, Index max_count, double tolerance) {
  std::vector<Index> order = rows_by_content(X);
  if (order.empty()) return {};
  Eigen::RowVectorXd mean = Eigen::RowVectorXd::Zero(X.cols());
  double count = 0;
  for (std::size_t i = 0; i < order.size(); ++i)
    if (i == 0 || X.row(order[i - 1]) != X.row(order[i])) mean += (X.row(order[i]) - mean) / ++count;
  Matrix to_mean(X.rows(), 1);
  kernel.evaluate(X(order, Eigen::all), mean, to_mean);
  Eigen::VectorXf nearness(X.rows());  // in single precision, so that numbers that differ only by rounding are equal
  for (Index i = 0; i < X.rows(); ++i)
    nearness[order[static_cast<std::size_t>(i)]] = std::isfinite(to_mean(i, 0)) ? static_cast<float>(to_mean(i, 0)) : 0.0F;
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return nearness[a] > nearness[b]; });
  std::vector<Index> pivots = pivoted_cholesky(kernel, X(order, Eigen::all), max_count, tolerance).pivots;
  for (Index& pivot : pivots) pivot = order[static_cast<std::size_t>(pivot)];
  return pivots;
}

namespace {

// Updates the squared distance to the nearest centre for points that are nearer to the new centre than to those before.
void come_nearer(const Matrix& points, const Vector& centre, Index number, Vector& nearest, std::vector<Index>& cluster) {
  for (Index i = 0; i < points.cols(); ++i) {
    const double square = (points.col(i) - centre).squaredNorm();
    if (square < nearest[i]) {
      nearest[i] = square;
      cluster[static_cast<std::size_t>(i)] = number;
    }
  }
}

// k-means++: draws each centre from the points, with probability proportional to the squared distance from the centres before.
Matrix spread_start(const Matrix& points, Index count, std::uint64_t seed) {
  const Index n = points.cols();
  std::mt19937_64 engine(seed);
  const auto uniform = [&] { return static_cast<double>(engine() >> 11) * 0x1p-53; };
  Matrix centres(points.rows(), count);
  Vector nearest = Vector::Constant(n, std::numeric_limits<double>::infinity());
  std::vector<Index> cluster(static_cast<std::size_t>(n));
  Index next = std::min(n - 1, static_cast<Index>(uniform() * static_cast<double>(n)));
  for (Index c = 0; c < count; ++c) {
    pulse();
    centres.col(c) = points.col(next);
    come_nearer(points, centres.col(c), c, nearest, cluster);
    double aim = uniform() * nearest.sum();
    if (!(nearest.maxCoeff(&next) > 0)) return centres.leftCols(c + 1);  // every point is a centre
    for (Index i = 0; i < n; ++i)
      if (nearest[i] > 0 && (aim -= nearest[i]) <= 0) {
        next = i;
        break;
      }
  }
  return centres;
}

}  // namespace

Matrix kmeans_centres(const Matrix& X, Index count, std::uint64_t seed) {
  const Matrix points = X(rows_by_content(X), Eigen::all).transpose();  // the draws depend on the rows, not on their order
  const Index n = points.cols();
  if (n == 0 || count <= 0) return Matrix(0, X.cols());
  Matrix centres = spread_start(points, std::min(count, n), seed);
  std::vector<Index> cluster(static_cast<std::size_t>(n), -1), before;
  for (int round = 0; round < 100 && cluster != before; ++round) {
    before = cluster;
    Vector nearest = Vector::Constant(n, std::numeric_limits<double>::infinity());
    for (Index c = 0; c < centres.cols(); ++c) pulse(), come_nearer(points, centres.col(c), c, nearest, cluster);
    Matrix sum = Matrix::Zero(points.rows(), centres.cols());
    Vector size = Vector::Zero(centres.cols());
    for (Index i = 0; i < n; ++i) {
      sum.col(cluster[static_cast<std::size_t>(i)]) += points.col(i);
      size[cluster[static_cast<std::size_t>(i)]] += 1;
    }
    for (Index c = 0; c < centres.cols(); ++c)
      if (size[c] > 0) centres.col(c) = sum.col(c) / size[c];  // a centre without points does not move
  }
  return centres.transpose();
}

}  // namespace ardvark::internal
