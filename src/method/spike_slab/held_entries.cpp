#include "method/spike_slab/held_entries.hpp"

#include <algorithm>
#include <numeric>

namespace ardvark::internal {

HeldEntries::HeldEntries(Design& X, const Vector& root, const Matrix& Q, bool has_constant)
    : X_(X), root_(root), Q_(Q), has_constant_(has_constant), total_(root.squaredNorm()), of_ones_(Q.transpose() * root) {}

HeldEntries::Column HeldEntries::read(Index j, Vector& with_flat) const {
  Column out;
  if (!X_.entries_of(j, out.entries)) return read_full(j, with_flat);
  out.flat = Vector::Zero(Q_.cols());
  for (std::size_t e = 0; e < out.entries.row.size(); ++e) {
    const Index i = out.entries.row[e];
    const double weighted = root_[i] * out.entries.value[e];
    out.sum += root_[i] * weighted;
    out.flat += weighted * Q_.row(i).transpose();
  }
  with_flat = out.flat + out.entries.shift * of_ones_;
  if (has_constant_)
    out.entries.shift = 0;
  else
    out.flat = with_flat;
  return out;
}

// Its mean may be far from 0: the entries are those without the flat part, so that no digits are lost.
HeldEntries::Column HeldEntries::read_full(Index j, Vector& with_flat) const {
  const Index n = X_.rows();
  Matrix x(n, 1);
  X_.columns(j, 1, x);
  x = root_.asDiagonal() * x;
  with_flat = Q_.transpose() * x;
  x -= Q_ * with_flat;
  Column out{{}, root_.dot(x.col(0)), Vector::Zero(Q_.cols())};
  out.entries.row.resize(static_cast<std::size_t>(n));
  std::iota(out.entries.row.begin(), out.entries.row.end(), 0);
  out.entries.value.resize(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) out.entries.value[static_cast<std::size_t>(i)] = root_[i] > 0 ? x(i, 0) / root_[i] : 0.0;
  return out;
}

// x = v + e with entries v and a shift e: x_i'Ox_j = v_i'Ov_j + e_i 1'Ov_j + e_j 1'Ov_i + e_i e_j 1'O1, and X~'X~ is without the flat part.
std::optional<HeldEntries::Products> HeldEntries::products(const std::vector<Index>& columns, const Vector& target) const {
  const auto count = static_cast<Index>(columns.size()), held = static_cast<Index>(held_.size());
  const auto full = std::ranges::count_if(columns, [&, entries = SparseColumn()](Index j) mutable { return !X_.entries_of(j, entries); });
  if (2 * full > count) return std::nullopt;
  std::vector<Column> own;
  Products out{Matrix(held, count), Matrix(count, count), Vector(count), Matrix(Q_.cols(), count)};
  for (Index j = 0; j < count; ++j) {
    Vector with_flat;
    own.push_back(read(columns[static_cast<std::size_t>(j)], with_flat));
    out.with_flat.col(j) = with_flat;
  }
  const double target_of_ones = root_.dot(target);
  Vector scattered = Vector::Zero(X_.rows());  // omega times the entries of a column
  for (Index j = 0; j < count; ++j) {
    const Column& one = own[static_cast<std::size_t>(j)];
    const auto& [row, value, shift] = one.entries;
    double of_target = shift * target_of_ones;
    for (std::size_t e = 0; e < row.size(); ++e) {
      scattered[row[e]] += root_[row[e]] * root_[row[e]] * value[e];
      of_target += root_[row[e]] * value[e] * target[row[e]];
    }
    out.of_target[j] = of_target;
    const auto with = [&](const Column& other) {
      double sum = one.entries.shift * other.sum + other.entries.shift * one.sum + one.entries.shift * other.entries.shift * total_;
      for (std::size_t e = 0; e < other.entries.row.size(); ++e) sum += other.entries.value[e] * scattered[other.entries.row[e]];
      return sum - one.flat.dot(other.flat);
    };
    for (Index i = 0; i < held; ++i) out.with_held(i, j) = with(held_[static_cast<std::size_t>(i)]);
    for (Index i = 0; i <= j; ++i) out.among(i, j) = out.among(j, i) = with(own[static_cast<std::size_t>(i)]);
    for (const std::int32_t i : row) scattered[i] = 0;
  }
  return out;
}

void HeldEntries::hold(const std::vector<Index>& columns) {
  Vector with_flat;
  for (const Index j : columns) held_.push_back(read(j, with_flat));
}

}  // namespace ardvark::internal
