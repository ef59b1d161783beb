#include "fit/collinear.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/blas.hpp"
#include "core/validate.hpp"
#include "passes/small_table.hpp"

namespace ardvark::internal {

// Cross-products have lost the digits that a small difference between columns needs.                                              (ST.5)
void refuse_collinear_columns(const Matrix& cross, MatrixView X, const StandIn& stand_in, const FitOptions& options, const char* remedy) {
  std::vector<Index> flat = options.prior.flat_columns;
  const Index p = cross.rows();
  if (options.prior.kind == PriorKind::none) {
    flat.resize(static_cast<std::size_t>(p));
    for (Index j = 0; j < p; ++j) flat[static_cast<std::size_t>(j)] = j;
  }
  if (flat.size() < 2) return;
  // A column that is as near to a copy as cross-products can tell need not be one.
  const std::vector<bool> left_out = prepare_columns(X, Vector::Constant(X.rows(), stand_in.weight), options, stand_in).left_out;
  const auto is_copy = [&](Index j, Index i) { return cross(i, j) * cross(i, j) >= (1 - lost) * cross(i, i) * cross(j, j); };
  std::vector<Index> kept;
  for (const Index j : flat) {
    if (j < 0 || j >= p || left_out[static_cast<std::size_t>(j)] || !(cross(j, j) > 0)) continue;
    if (is_sparse(options.prior.kind) && std::ranges::any_of(kept, [&](Index i) { return is_copy(j, i); })) continue;
    kept.push_back(j);
  }
  flat = std::move(kept);
  const auto f = static_cast<Index>(flat.size());
  if (f < 2) return;
  const Vector inverse = cross(flat, flat).diagonal().cwiseSqrt().cwiseInverse();
  Matrix L = inverse.asDiagonal() * cross(flat, flat) * inverse.asDiagonal();
  constexpr double six_digits_left = 1e9;
  Index most = 0;
  if (blas::potrf(f, L.data(), f) && blas::trtri(f, L.data(), f)) {
    const Vector inflation = L.triangularView<Eigen::Lower>().toDenseMatrix().colwise().squaredNorm();  // (RIDGE.9)
    if (inflation.maxCoeff(&most) <= six_digits_left) return;
  }
  throw InvalidArgument(fmt::format(
      "the columns without a prior are collinear or nearly so ('{}' most), and their cross-products keep too few digits to tell "
      "them apart: {}leave columns out, or give them a prior",
      validate::column_name(options.column_names, flat[static_cast<std::size_t>(most)]), remedy));
}

}  // namespace ardvark::internal
