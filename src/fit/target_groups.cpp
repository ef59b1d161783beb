#include "fit/target_groups.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace ardvark::internal {

namespace {

struct Gaps {
  bool some = false, is_finite = true;
};

// Of targets first .. first+count-1. In the order of memory: a mapped file is read once.
std::vector<Gaps> gaps_of(MatrixView Y, Index first, Index count) {
  std::vector<Gaps> out(static_cast<std::size_t>(count));
  const auto look = [&](Index i, Index k) {
    const double y = Y(i, first + k);
    Gaps& gaps = out[static_cast<std::size_t>(k)];
    gaps.some = gaps.some || std::isnan(y), gaps.is_finite = gaps.is_finite && !std::isinf(y);
  };
  if (Y.layout() == Layout::row_major) {
    for (Index i = 0; i < Y.rows(); ++i)
      for (Index k = 0; k < count; ++k) look(i, k);
  } else {
    for (Index k = 0; k < count; ++k)
      for (Index i = 0; i < Y.rows(); ++i) look(i, k);
  }
  return out;
}

}  // namespace

std::vector<TargetGroup> groups_of_targets(MatrixView Y, bool drop_missing) {
  std::vector<TargetGroup> out(1);
  std::map<std::vector<bool>, std::size_t> known;
  constexpr Index block = 8192;
  for (Index first = 0; first < Y.cols(); first += block) {
    const Index count = std::min(block, Y.cols() - first);
    const std::vector<Gaps> gaps = drop_missing ? gaps_of(Y, first, count) : std::vector<Gaps>(static_cast<std::size_t>(count));
    for (Index k = first; k < first + count; ++k) {
      std::size_t group = 0;
      if (const auto [some, is_finite] = gaps[static_cast<std::size_t>(k - first)]; some && is_finite) {
        std::vector<bool> is_there;
        for (Index i = 0; i < Y.rows(); ++i) is_there.push_back(!std::isnan(Y(i, k)));
        group = known.try_emplace(is_there, out.size()).first->second;
        if (group == out.size()) {
          out.emplace_back();
          for (Index i = 0; i < Y.rows(); ++i)
            if (is_there[static_cast<std::size_t>(i)]) out.back().rows.push_back(i);
        }
      }
      out[group].targets.push_back(k);
    }
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
