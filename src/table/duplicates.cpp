#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "table/fit_table.hpp"

namespace ardvark::internal {

// Equal columns have equal products with any vector. Candidates are therefore neighbours in the order of one such product; they are then
// compared entry by entry.
std::vector<std::pair<Index, Index>> duplicates(const FitTable& X, const Vector& k, const Standardization& s,
                                                const std::vector<bool>& is_flat) {
  const auto design = X.design({s.center, s.scale, false});
  const Index n = X.rows(), p = X.cols();
  Vector probe(n), second(n), product(p), second_key;
  double state = 0.5;
  for (Index i = 0; i < n; ++i) {  // a fixed irregular sequence, independent of the data
    state = std::fmod(state + 0.7548776662466927 + 0.1 * std::sin(static_cast<double>(i)), 1.0);
    probe[i] = (state - 0.5) * k[i];
    second[i] = (std::fmod(1024 * state, 1.0) - 0.5) * k[i];
  }
  design->project(probe, product);
  std::vector<Index> order(static_cast<std::size_t>(p));
  std::iota(order.begin(), order.end(), Index{0});
  const Vector key = product.cwiseAbs();
  if (design->is_sparse()) {  // a second product costs less than the columns that it tells apart, which would be written out
    design->project(second, product);
    second_key = product.cwiseAbs();
  }
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return key[a] != key[b] ? key[a] < key[b] : a < b; });
  // The numbers of a column far from zero are known only to their last digit.
  const auto doubt = [&](Index j) { return 1e-9 + 4 * std::numeric_limits<double>::epsilon() * std::abs(s.center[j]) * s.scale[j]; };
  double most_doubt = 0;
  for (Index j = 0; j < p; ++j) most_doubt = std::max(most_doubt, std::min(doubt(j), 1e-6));
  const double close = 2 * most_doubt * std::max(std::max(probe.norm(), second.norm()) * std::sqrt(static_cast<double>(n)), 1e-300);
  std::vector<std::size_t> place(static_cast<std::size_t>(p));  // position of a column in that order
  for (std::size_t i = 0; i < order.size(); ++i) place[static_cast<std::size_t>(order[i])] = i;
  // The loop is over the columns that stay. Of three columns, each a copy of the next, the two outer ones may differ by more than the
  // limit, and which are left out must not depend on the order of the products.
  std::vector<Index> first_asked;
  for (const bool wanted : {true, false})
    for (Index j = 0; j < p; ++j)
      if (is_flat[static_cast<std::size_t>(j)] == wanted) first_asked.push_back(j);
  std::vector<std::pair<Index, Index>> found;
  Matrix first(n, 1), other(n, 1);
  std::vector<bool> taken(static_cast<std::size_t>(p), false);
  for (const Index stays : first_asked) {
    if (taken[static_cast<std::size_t>(stays)] || s.scale[stays] == 0) continue;
    taken[static_cast<std::size_t>(stays)] = true;
    bool is_read = false;
    const auto is_near = [&](std::size_t at) { return std::abs(key[order[at]] - key[stays]) <= close; };
    const auto ask = [&](Index j) {
      if (taken[static_cast<std::size_t>(j)] || s.scale[j] == 0) return;
      if (second_key.size() > 0 && std::abs(second_key[j] - second_key[stays]) > close) return;
      if (!is_read) design->columns(stays, 1, first);
      is_read = true;
      design->columns(j, 1, other);
      const double plus = (k.array() > 0).select((first - other).array().abs(), 0.0).maxCoeff();
      const double minus = (k.array() > 0).select((first + other).array().abs(), 0.0).maxCoeff();
      if (std::min(plus, minus) > doubt(stays) + doubt(j)) return;
      taken[static_cast<std::size_t>(j)] = true;
      found.emplace_back(j, stays);
    };
    const std::size_t at = place[static_cast<std::size_t>(stays)];
    for (std::size_t l = at + 1; l < order.size() && l - at <= 1000 && is_near(l); ++l) ask(order[l]);
    for (std::size_t l = at; l > 0 && at - l < 1000 && is_near(l - 1); --l) ask(order[l - 1]);
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace ardvark::internal
