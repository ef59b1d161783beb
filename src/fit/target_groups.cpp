#include "fit/target_groups.hpp"

#include <cmath>
#include <map>

namespace ardvark::internal {

std::vector<TargetGroup> groups_of_targets(MatrixView Y, bool drop_missing) {
  std::vector<TargetGroup> out(1);
  std::map<std::vector<bool>, std::size_t> known;
  std::vector<bool> is_there(static_cast<std::size_t>(Y.rows()));
  for (Index k = 0; k < Y.cols(); ++k) {
    bool has_gaps = false, is_finite = true;
    for (Index i = 0; drop_missing && i < Y.rows(); ++i) {
      const double y = Y(i, k);
      is_there[static_cast<std::size_t>(i)] = !std::isnan(y);
      has_gaps = has_gaps || std::isnan(y), is_finite = is_finite && !std::isinf(y);
    }
    std::size_t group = 0;
    if (has_gaps && is_finite) {
      group = known.try_emplace(is_there, out.size()).first->second;
      if (group == out.size()) {
        out.emplace_back();
        for (Index i = 0; i < Y.rows(); ++i)
          if (is_there[static_cast<std::size_t>(i)]) out.back().rows.push_back(i);
      }
    }
    out[group].targets.push_back(k);
  }
  return out;
}

SomeRows::SomeRows(MatrixView all, const std::vector<Index>& rows, const FitOptions& of_all)
    : X(std::ssize(rows), all.cols()), options(of_all) {
  for (Index i = 0; i < X.rows(); ++i)
    for (Index j = 0; j < X.cols(); ++j) X(i, j) = all(rows[static_cast<std::size_t>(i)], j);
  if (of_all.weights.empty()) return;
  weights.resize(X.rows());
  for (Index i = 0; i < X.rows(); ++i) weights[i] = of_all.weights[rows[static_cast<std::size_t>(i)]];
  options.weights = weights;
}

}  // namespace ardvark::internal
