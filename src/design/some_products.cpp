#include "design/some_products.hpp"

#include <algorithm>
#include <cmath>

#include "core/products.hpp"
#include "core/resize.hpp"

namespace ardvark::internal {
namespace {

// Calls use(panel [rows, count], first) for panels of these columns.
void by_some_columns(Design& X, const std::vector<Index>& columns, auto&& use) {
  constexpr Index most = 64;
  const auto count = static_cast<Index>(columns.size());
  Matrix panel(X.rows(), std::min(most, count));
  for (Index first = 0; first < count; first += most) {
    const Index width = std::min(most, count - first);
    for (Index j = 0; j < width; ++j) X.columns(columns[static_cast<std::size_t>(first + j)], 1, panel.middleCols(j, 1));
    use(panel.leftCols(width), first);
  }
}

}  // namespace

// Single numbers end at 1e38: vectors are brought to the size of 1 first, by powers of two, and entries that are too large are multiplied
// in double precision.
void project_in_single(Design& X, const Matrix& R, Matrix& out) {
  auto* quick = dynamic_cast<SingleProducts*>(&X);
  if (quick == nullptr) return X.project_several(R, out);
  constexpr double far = 1e20;
  const Eigen::RowVectorXd size = R.cwiseAbs().colwise().maxCoeff();
  if ((size.array() < far && (size.array() > 1 / far || size.array() == 0)).all()) {
    quick->project_in_single(R, out);
  } else {
    const Vector unit = size.unaryExpr([](double x) { return x > 0 ? std::exp2(std::floor(std::log2(x))) : 1.0; }).transpose();
    quick->project_in_single(R * unit.cwiseInverse().asDiagonal(), out);
    out = out * unit.asDiagonal();
  }
  if (!out.allFinite()) X.project_several(R, out);
}

void apply_in_single(Design& X, const Matrix& W, Matrix& out) {
  auto* quick = dynamic_cast<SingleProducts*>(&X);
  if (quick == nullptr || !quick->apply_in_single(W, out)) X.apply_several(W, out);
}

void project_some(Design& X, const std::vector<Index>& columns, const Matrix& R, Matrix& out) {
  if (auto* sparse = dynamic_cast<ProductsOfSome*>(&X)) return sparse->project_some(columns, R, out);
  resize(out, static_cast<Index>(columns.size()), R.cols());
  by_some_columns(X, columns, [&](const Eigen::Ref<const Matrix>& panel, Index first) {
    out.middleRows(first, panel.cols()) = products::transposed_times(panel, R);
  });
}

void apply_some(Design& X, const std::vector<Index>& columns, const Matrix& W, Matrix& out) {
  if (auto* sparse = dynamic_cast<ProductsOfSome*>(&X)) return sparse->apply_some(columns, W, out);
  resize(out, X.rows(), W.cols());
  out.setZero();
  by_some_columns(X, columns, [&](const Eigen::Ref<const Matrix>& panel, Index first) {
    out += products::times(panel, W.middleRows(first, panel.cols()));
  });
}

}  // namespace ardvark::internal
