#include "passes/row_folds.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "passes/row_sums.hpp"
#include "target/target.hpp"

namespace ardvark::internal {

double fold_factor(Index number) { return 0.5 + std::ldexp(static_cast<double>(mixed_bits(static_cast<std::uint64_t>(number) + 1)), -64); }

namespace {
constexpr double rounding = 1e-10;  // of correlations that are equal in exact arithmetic
}

std::vector<Index> fold_columns(const std::vector<bool>& left_out, const Vector& correlation) {
  const Vector size = correlation.cwiseAbs();
  std::vector<Index> out;
  for (Index j = 0; j < size.size(); ++j)
    if (!left_out[static_cast<std::size_t>(j)]) out.push_back(j);
  std::ranges::sort(out, {}, [&](Index j) { return std::pair(size[j], j); });
  for (auto first = out.begin(); first != out.end();) {
    const auto next = std::adjacent_find(first, out.end(), [&](Index i, Index j) { return size[j] - size[i] > rounding; });
    const auto last = next == out.end() ? next : next + 1;
    std::sort(first, last);
    first = last;
  }
  return out;
}

Vector fold_factors(const std::vector<bool>& left_out, const Vector& correlation) {
  Vector out = Vector::Zero(correlation.size());
  Index number = 0;
  for (const Index j : fold_columns(left_out, correlation)) out[j] = (correlation[j] < -rounding ? -1 : 1) * fold_factor(++number);
  return out;
}

namespace {

// [columns] Correlations of the standardised columns with the target.
Vector correlations(const Frame& frame, TableDesign& design) {
  const double mean = frame.k.dot(frame.target) / frame.rows;
  const Vector apart = frame.target.array() - mean, weighted = frame.k.cwiseProduct(apart);
  const double length = std::sqrt(weighted.dot(apart) * frame.rows);
  Vector out = Vector::Zero(frame.num_columns());
  Matrix column(frame.target.size(), 1);
  for (Index j = 0; j < out.size() && length > 0; ++j) {
    if (frame.left_out[static_cast<std::size_t>(j)]) continue;
    design.columns(j, 1, column);
    out[j] = weighted.dot(column.col(0)) / length;
  }
  return out;
}

}  // namespace

Vector fold_numbers(Task task, const FitTable& X, VectorView y, FitOptions options) {
  options.standardize = true;
  options.preset.clear();
  return fold_numbers(make_frame(task, X, y, options));
}

Vector fold_numbers(const Frame& frame) {
  const auto design = frame.design();
  const Index n = frame.target.size();
  Vector out = has_noise(frame.task) ? Vector(fold_factor(0) * frame.target) : Vector(Vector::Zero(n));
  Matrix column(n, 1);
  const Vector correlation = correlations(frame, *design), factor = fold_factors(frame.left_out, correlation);
  for (const Index j : fold_columns(frame.left_out, correlation)) {
    design->columns(j, 1, column);
    out += factor[j] * column.col(0);
  }
  return out;
}

Index RowFolds::fold_of(double number, bool is_own) const {
  const auto cell = static_cast<std::int64_t>(std::floor(std::clamp(number / width, -1e18, 1e18)));
  const std::uint64_t hash = mixed_bits(mixed_bits(seed + 1) ^ static_cast<std::uint64_t>(cell));
  return static_cast<Index>(mixed_bits(hash + (is_own ? 1 : 0)) % static_cast<std::uint64_t>(count));
}

}  // namespace ardvark::internal
