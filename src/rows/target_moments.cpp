#include "rows/target_moments.hpp"

#include <algorithm>
#include <limits>

#include "core/blas.hpp"
#include "core/parallel.hpp"

namespace ardvark::internal {
namespace {

// As in moments.cpp.                                                                                                              (ST.1)
constexpr double least_target_square = std::numeric_limits<double>::denorm_min();
constexpr Index tile = 256;  // columns of a product: its bits depend on it, not on the number of threads

Index num_tiles(Index columns) { return (columns + tile - 1) / tile; }

// sum <- sum + added, with what the addition rounds off (Knuth's two-sum).                                                        (ST.7)
template <typename High, typename Low, typename Added>
void add(High&& high, Low&& low, const Added& added) {
  for (Index i = 0; i < added.size(); ++i) {
    const double a = high[i], b = added[i], sum = a + b, of_b = sum - a;
    low[i] += (a - (sum - of_b)) + (b - of_b);
    high[i] = sum;
  }
}

void begin(CompensatedSum& sum) {
  if (sum.low.size() == 0) sum.low = Matrix::Zero(sum.high.rows(), sum.high.cols());
}

// Whether a column of the rows has two values. It has one if all differ from the point by 0.
bool has_differences(const CentredRows& rows, Index j) { return (rows.rows.row(j).head(rows.count).array() != 0).any(); }

}  // namespace

Index rows_of_a_target_block(Index p, Index K) {
  constexpr Index most_numbers = (Index{64} << 20) / 8, most_rows = 8192;
  const Index q = p + K;
  return std::clamp<Index>(std::max(most_numbers / q, p), 1, most_rows);
}

Vector point_near_rows(const std::vector<double>& rows, Index q) {
  const Eigen::Map<const Matrix> all(rows.data(), q, static_cast<Index>(rows.size()) / q);
  const Vector first = all.col(0);
  return first + (all.colwise() - first).rowwise().mean();
}

void CentredRows::grow(Index added, Index most) {
  const Index q = point.size(), least = count + added;
  if (rows.cols() < least) rows.conservativeResize(q, std::min(most, std::max(least, 2 * rows.cols())));
  count = least;
}

TargetMoments target_moments_of(const CentredRows& rows, Index p) {
  const Index q = rows.point.size(), K = q - p, n = rows.count;
  TargetMoments out;
  out.weight = rows.weight;
  const Vector off = rows.off / rows.weight;
  out.mean = {rows.point, off};
  out.cross.high = Matrix::Zero(p, p);
  out.product.high = Matrix::Zero(p, K);
  out.squares.high = rows.squares.tail(K);
  const double* const X = rows.rows.data();
  // The differences are from a point near the mean; a rank-one term makes them differences from the mean.
  parallel_for(num_tiles(p) + num_tiles(K), blas::threads_for(static_cast<double>(n * p) * static_cast<double>(q)), [&](Index t) {
    if (t < num_tiles(p)) {
      const Index first = t * tile, count = std::min(tile, p - first), below = p - first;
      double* const to = &out.cross.high(first, first);
      blas::gemm(blas::Transpose::no, blas::Transpose::yes, below, count, n, 1.0, X + first, q, X + first, q, 0.0, to, p);
      out.cross.high.block(first, first, below, count) -= rows.weight * off.segment(first, below) * off.segment(first, count).transpose();
      return;
    }
    const Index first = (t - num_tiles(p)) * tile, count = std::min(tile, K - first);
    blas::gemm(blas::Transpose::no, blas::Transpose::yes, p, count, n, 1.0, X, q, X + p + first, q, 0.0, &out.product.high(0, first), p);
    out.product.high.middleCols(first, count) -= rows.weight * off.head(p) * off.segment(p + first, count).transpose();
  });
  out.squares.high.col(0).array() -= rows.weight * off.tail(K).array().square();
  for (Index j = 0; j < p; ++j)
    if (out.cross.high(j, j) <= 0) out.cross.high(j, j) = has_differences(rows, j) ? least_target_square : 0;
  for (Index k = 0; k < K; ++k)
    if (out.squares.high(k) <= 0) out.squares.high(k) = has_differences(rows, p + k) ? least_target_square : 0;
  return out;
}

TargetMoments TargetMoments::rounded() const {
  return {weight, {mean.value(), {}}, {cross.value(), {}}, {product.value(), {}}, {squares.value(), {}}};
}

void TargetMoments::merge(const TargetMoments& right) {
  if (right.weight == 0) return;
  if (weight == 0) {
    *this = right;
    return;
  }
  const Index p = num_columns(), K = num_targets();
  const double total = weight + right.weight, between = weight / total * right.weight;
  for (CompensatedSum* sum : {&mean, &cross, &product, &squares}) begin(*sum);
  Vector apart = right.mean.high - mean.high;
  apart -= mean.low.col(0);
  if (right.mean.low.size() > 0) apart += right.mean.low;
  parallel_for(num_tiles(p) + num_tiles(K), blas::threads_to_read(p * (p + K)), [&](Index t) {
    const bool is_cross = t < num_tiles(p);
    CompensatedSum& to = is_cross ? cross : product;
    const CompensatedSum& from = is_cross ? right.cross : right.product;
    const Index first = (is_cross ? t : t - num_tiles(p)) * tile, last = std::min(first + tile, is_cross ? p : K);
    for (Index j = first; j < last; ++j) {  // (ST.1)
      const Index above = is_cross ? j : 0, size = p - above;
      const double times = between * apart[is_cross ? j : p + j];
      const Vector added = from.high.col(j).tail(size) + times * apart.segment(above, size);
      add(to.high.col(j).tail(size), to.low.col(j).tail(size), added);
      if (is_cross && apart[j] != 0) cross.high(j, j) = std::max(cross.high(j, j), least_target_square);
    }
  });
  add(squares.high.col(0), squares.low.col(0), Vector(right.squares.high.col(0).array() + between * apart.tail(K).array().square()));
  for (Index k = 0; k < K; ++k)
    if (apart[p + k] != 0) squares.high(k) = std::max(squares.high(k), least_target_square);
  add(mean.high.col(0), mean.low.col(0), Vector(right.weight / total * apart));
  weight = total;
}

}  // namespace ardvark::internal
