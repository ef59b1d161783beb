#include "frame/row_order.hpp"

#include <algorithm>
#include <compare>

#include "table/row_subset.hpp"

namespace ardvark::internal {

OrderedRows order_by_content(const FitTable& X, const Vector& y, const Vector& k) {
  const RowContent content(X, y);
  std::vector<Index> order;
  for (Index i = 0; i < X.rows(); ++i)
    if (k[i] > 0) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    if (content.key(a) != content.key(b)) return content.key(a) < content.key(b);
    const std::weak_ordering order_of_both = content.compare(a, b);
    return order_of_both == 0 ? k[a] < k[b] : order_of_both < 0;  // so that weights are also summed in a fixed order
  });
  OrderedRows out;
  out.at.assign(static_cast<std::size_t>(X.rows()), -1);
  std::vector<double> weights;
  for (const Index i : order) {
    if (!out.rows.empty() && content.key(out.rows.back()) == content.key(i) && content.compare(out.rows.back(), i) == 0) {
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
