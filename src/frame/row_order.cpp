#include "frame/row_order.hpp"

#include <algorithm>
#include <bit>
#include <compare>
#include <cstdint>

namespace ardvark::internal {
namespace {

// Fibonacci hashing; the high bits are folded into the low bits.
std::uint64_t mix(std::uint64_t key, double x) {
  key = (key ^ std::bit_cast<std::uint64_t>(x + 0.0)) * 0x9E3779B97F4A7C15U;  // + 0.0: -0 and 0 are the same
  return key ^ key >> 29U;
}

std::vector<std::uint64_t> keys_of(MatrixView X, const Vector& y) {
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(X.rows()));
  for (Index i = 0; i < X.rows(); ++i) keys[static_cast<std::size_t>(i)] = mix(0, y[i]);
  constexpr Index block = 512;  // rows; both memory orders are then read line by line
  for (Index first = 0; first < X.rows(); first += block)
    for (Index j = 0; j < X.cols(); ++j)
      for (Index i = first; i < std::min(first + block, X.rows()); ++i) {
        std::uint64_t& key = keys[static_cast<std::size_t>(i)];
        key = mix(key, X(i, j));
      }
  return keys;
}

// Compares rows with the same key by their content.
std::weak_ordering compare(MatrixView X, const Vector& y, Index a, Index b) {
  if (y[a] != y[b]) return y[a] < y[b] ? std::weak_ordering::less : std::weak_ordering::greater;
  for (Index j = 0; j < X.cols(); ++j)
    if (X(a, j) != X(b, j)) return X(a, j) < X(b, j) ? std::weak_ordering::less : std::weak_ordering::greater;
  return std::weak_ordering::equivalent;
}

}  // namespace

OrderedRows order_by_content(MatrixView X, const Vector& y, const Vector& k) {
  const std::vector<std::uint64_t> keys = keys_of(X, y);
  const auto key = [&](Index i) { return keys[static_cast<std::size_t>(i)]; };
  std::vector<Index> order;
  for (Index i = 0; i < X.rows(); ++i)
    if (k[i] > 0) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    if (key(a) != key(b)) return key(a) < key(b);
    const std::weak_ordering content = compare(X, y, a, b);
    return content == 0 ? k[a] < k[b] : content < 0;  // so that weights are also summed in a fixed order
  });
  OrderedRows out;
  out.at.assign(static_cast<std::size_t>(X.rows()), -1);
  std::vector<double> weights;
  for (const Index i : order) {
    if (!out.rows.empty() && key(out.rows.back()) == key(i) && compare(X, y, out.rows.back(), i) == 0) {
      weights.back() += k[i];
    } else {
      out.rows.push_back(i);
      weights.push_back(k[i]);
    }
    out.at[static_cast<std::size_t>(i)] = static_cast<Index>(out.rows.size()) - 1;
  }
  out.weights = VectorView(weights).eigen();
  return out;
}

}  // namespace ardvark::internal
