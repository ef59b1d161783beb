#include "rows/moments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/blas.hpp"
#include "core/numbers.hpp"
#include "core/precise_qr.hpp"
#include "core/triangle.hpp"

namespace ardvark::internal {
namespace {

constexpr Index rows_of_a_panel = 512;  // a panel of 100 columns stays in the cache

// panel.col(i) <- [x y] of row i, less `near`
template <typename Scalar>
void read_panel(const RowBlock& rows, const Vector& near, Matrix& panel) {
  const MatrixView& X = rows.X;
  const Index n = X.rows(), p = X.cols(), stride = X.stride();
  const auto* data = static_cast<const Scalar*>(X.data());
  panel.resize(p + 1, n);
  if (X.layout() == Layout::row_major) {
    using Row = Eigen::Map<const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>>;
    const Vector shift = near.head(p);
    for (Index i = 0; i < n; ++i) panel.col(i).head(p) = Row(data + i * stride, p).template cast<double>() - shift;
  } else {
    constexpr Index tile = 8;
    for (Index i = 0; i < n; i += tile) {
      const Index end = std::min(i + tile, n);
      for (Index j = 0; j < p; ++j)
        for (Index k = i; k < end; ++k) panel(j, k) = static_cast<double>(data[j * stride + k]) - near[j];
    }
  }
  panel.row(p) = (rows.y.eigen().array() - near[p]).matrix().transpose();
}

void read_panel(const RowBlock& rows, const Vector& near, Matrix& panel) {
  with_scalar(rows.X.scalar(), [&](auto scalar) { read_panel<decltype(scalar)>(rows, near, panel); });
}

// A point near the mean of the columns; of equal numbers, exactly this number.
Vector point_near_mean(const RowBlock& block) {
  const RowBlock some = block.rows(0, std::min(block.X.rows(), rows_of_a_panel));
  Matrix panel;
  read_panel(some, Vector::Zero(block.X.cols() + 1), panel);
  const Vector first = panel.col(0);
  return first + (panel.colwise() - first).rowwise().mean();
}

// L with LL' = A'A, packed; `tall` A [m,q] is overwritten.
Vector packed_factor(Matrix& tall) {
  const Index q = tall.cols(), height = std::min(tall.rows(), q);
  triangularise_precisely(tall);
  Matrix lower = Matrix::Zero(q, q);
  lower.leftCols(height) = Matrix(tall.topRows(height).triangularView<Eigen::Upper>()).transpose();
  return packed_triangle(lower);
}

// The rows about `near`, by panels: use(panel [q, count], first, count). Rows are multiplied by the root of their weight. Returns the
// weighted sum of the differences.
Vector differences(const RowBlock& block, const Vector& near, auto&& use) {
  const Index n = block.X.rows(), q = near.size();
  Vector sum = Vector::Zero(q);
  const Vector ones = Vector::Ones(std::min(n, rows_of_a_panel));
  Matrix panel;
  for (Index first = 0; first < n; first += rows_of_a_panel) {
    const Index count = std::min(rows_of_a_panel, n - first);
    read_panel(block.rows(first, count), near, panel);
    const double* k = block.weights.empty() ? ones.data() : block.weights.data() + first;
    blas::gemv(blas::Transpose::no, q, count, 1.0, panel.data(), q, k, 1.0, sum.data());
    if (!block.weights.empty()) panel *= Eigen::Map<const Vector>(k, count).cwiseSqrt().asDiagonal();
    use(panel, first, count);
  }
  return sum;
}

// The square of a column that varies is never 0, even where it underflows: only a constant column has zeros.                      (ST.1)
constexpr double least_square = std::numeric_limits<double>::denorm_min();

bool varies(const RowBlock& block, Index j) {
  const auto value = [&](Index i) { return j == block.X.cols() ? block.y[i] : block.X(i, j); };
  Index first = -1;
  for (Index i = 0; i < block.X.rows(); ++i) {
    if (!block.weights.empty() && block.weights[i] == 0) continue;
    if (first < 0) first = i;
    if (value(i) != value(first)) return true;
  }
  return false;
}

}  // namespace

RowBlock RowBlock::rows(Index first, Index count) const {
  return {X.row_range(first, count), VectorView(y.data() + first, count),
          weights.empty() ? VectorView() : VectorView(weights.data() + first, count)};
}

Moments moments_of(const RowBlock& block, StatisticsForm form) {
  const Index n = block.X.rows(), q = block.X.cols() + 1;
  Moments out;
  out.form = form;
  out.weight = block.weights.empty() ? static_cast<double>(n) : block.weights.eigen().sum();
  out.mean = point_near_mean(block);
  if (out.weight == 0) {
    out.packed = Vector::Zero(q * (q + 1) / 2);
    return out;
  }
  if (form == StatisticsForm::factor) {  // the factor is that of the differences from the mean itself
    out.mean += differences(block, Vector(out.mean), [](const Matrix&, Index, Index) {}) / out.weight;
    Matrix tall(n, q);
    differences(block, out.mean, [&](const Matrix& some, Index first, Index count) { tall.middleRows(first, count) = some.transpose(); });
    out.packed = packed_factor(tall);
    return out;
  }
  Matrix G = Matrix::Zero(q, q);
  const Vector near = out.mean;
  const Vector off = differences(block, near,
                                 [&](const Matrix& some, Index, Index count) {
                                   blas::syrk(blas::Transpose::no, q, count, 1.0, some.data(), q, 1.0, G.data(), q);
                                 }) /
                     out.weight;
  G.selfadjointView<Eigen::Lower>().rankUpdate(off, -out.weight);
  for (Index j = 0; j < q; ++j)
    if (G(j, j) <= 0 && varies(block, j)) G(j, j) = least_square;
  out.mean += off;
  out.packed = packed_triangle(G);
  return out;
}

void Moments::merge(const Moments& right) {
  if (right.weight == 0) return;
  if (weight == 0) {
    *this = right;
    return;
  }
  const Index q = size();
  const double total = weight + right.weight;
  const Vector apart = right.mean - mean;
  const double between = weight / total * right.weight;
  if (form == StatisticsForm::gram) {  // (ST.1)
    packed += right.packed;
    for (Index j = 0, at = 0; j < q; at += q - j, ++j)
      if (apart[j] != 0) {
        packed.segment(at, q - j) += between * apart[j] * apart.tail(q - j);
        packed[at] = std::max(packed[at], least_square);
      }
  } else {  // (ST.4)
    Matrix tall(2 * q + 1, q);
    tall.topRows(q) = triangle().transpose();
    tall.middleRows(q, q) = right.triangle().transpose();
    tall.row(2 * q) = std::sqrt(between) * apart.transpose();
    packed = packed_factor(tall);
  }
  mean += right.weight / total * apart;
  weight = total;
}

void Moments::rearrange(const Rearrangement& columns) {
  const auto p = static_cast<Index>(columns.from.size());
  std::vector<Index> from = columns.from;
  from.push_back(size() - 1);
  Vector new_mean(p + 1);
  for (Index j = 0; j <= p; ++j) {
    const auto at = static_cast<std::size_t>(j);
    new_mean[j] = from[at] >= 0 ? mean[from[at]] : columns.fill[at];
  }
  const Matrix rows = form == StatisticsForm::gram ? cross() : Matrix(triangle().transpose());
  Matrix moved = Matrix::Zero(form == StatisticsForm::gram ? p + 1 : rows.rows(), p + 1);
  for (Index j = 0; j <= p; ++j) {
    const Index column = from[static_cast<std::size_t>(j)];
    if (column < 0) continue;
    if (form == StatisticsForm::factor) moved.col(j) = rows.col(column);
    for (Index i = 0; i <= p && form == StatisticsForm::gram; ++i)
      if (const Index row = from[static_cast<std::size_t>(i)]; row >= 0) moved(i, j) = rows(row, column);
  }
  packed = form == StatisticsForm::gram ? packed_triangle(moved) : packed_factor(moved);
  mean = std::move(new_mean);
}

Matrix Moments::triangle() const { return unpacked_triangle(packed, size()); }

Matrix Moments::cross() const {
  const Matrix lower = triangle();
  if (form == StatisticsForm::factor) return lower * lower.transpose();
  return lower.selfadjointView<Eigen::Lower>();
}

bool is_finite(const Moments& moments) { return moments.mean.allFinite() && moments.packed.allFinite(); }

}  // namespace ardvark::internal
