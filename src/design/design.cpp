#include "design/design.hpp"

#include <optional>

#include "core/blas.hpp"

namespace ardvark::internal {

namespace {

// Reverses rows and columns of V, factors, and reverses the factor; nothing if V has no Cholesky factor.
std::optional<Matrix> root_of_definite(const Matrix& V) {
  Matrix turned = V.reverse();
  if (!blas::potrf(V.rows(), turned.data(), V.rows())) return std::nullopt;
  turned.triangularView<Eigen::StrictlyUpper>().setZero();
  return Matrix(turned.transpose().reverse());
}

}  // namespace

// Copies of a column and columns without variance make V singular. Then a small number is added to the diagonal of the correlations,
// because columns have different units.
Matrix lower_root(const Matrix& V) {
  if (auto root = root_of_definite(V)) return *root;
  const Vector size = V.diagonal().cwiseMax(0.0).cwiseSqrt();
  const Vector unit = (size.array() > 0).select(size, 1.0).cwiseInverse();
  Matrix correlation = unit.asDiagonal() * V * unit.asDiagonal();
  correlation.diagonal().setOnes();
  for (double jitter = 1e-15; jitter < 1e-3; jitter *= 100) {
    correlation.diagonal().setConstant(1 + jitter);
    if (const auto root = root_of_definite(correlation)) return *root * size.asDiagonal();  // V = root' root
  }
  return size.asDiagonal();
}

void Design::row_forms(const Matrix& V, Vector& out) { row_variance(lower_root(V), out); }

}  // namespace ardvark::internal
