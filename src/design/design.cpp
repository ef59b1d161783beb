#include "design/design.hpp"

#include <algorithm>
#include <optional>

#include "core/blas.hpp"
#include "core/pulse.hpp"
#include "core/resize.hpp"

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

namespace {

// Calls use(panel, first) for panels of the columns before `end`, each of some megabytes.
void by_column_panels(Design& X, Index end, auto&& use) {
  const Index block = std::clamp<Index>((Index{1} << 20) / std::max<Index>(X.rows(), 1), 64, 1024);
  Matrix panel(X.rows(), std::min(block, end));
  for (Index first = 0; first < end; first += block) {
    pulse();
    const Index count = std::min(block, end - first);
    X.columns(first, count, panel.leftCols(count));
    use(panel.leftCols(count), first);
  }
}

}  // namespace

void Design::project_in_place(const std::vector<Index>& columns, const Vector& r, Vector& out) {
  const auto count = static_cast<Index>(columns.size());
  resize(out, count);
  Matrix x(rows(), 1);
  for (Index i = 0; i < count; ++i) {
    this->columns(columns[static_cast<std::size_t>(i)], 1, x);
    out[i] = x.col(0).dot(r);
  }
}

void Design::project_several(const Matrix& R, Matrix& out) {
  resize(out, cols(), R.cols());
  by_column_panels(*this, cols(), [&](const Eigen::Ref<const Matrix>& panel, Index first) {
    blas::gemm(blas::Transpose::yes, blas::Transpose::no, panel.cols(), R.cols(), rows(), 1.0, panel.data(), panel.outerStride(), R.data(),
               R.outerStride(), 0.0, out.data() + first, out.outerStride());
  });
}

void Design::apply_several(const Matrix& W, Matrix& out) {
  resize(out, rows(), W.cols());
  out.setZero();
  by_column_panels(*this, cols(), [&](const Eigen::Ref<const Matrix>& panel, Index first) {
    blas::gemm(blas::Transpose::no, blas::Transpose::no, rows(), W.cols(), panel.cols(), 1.0, panel.data(), panel.outerStride(),
               W.data() + first, W.outerStride(), 1.0, out.data(), out.outerStride());
  });
}

void Design::row_gram(Matrix& K) {
  resize(K, rows(), rows());
  K.setZero();
  by_column_panels(*this, cols() - (has_intercept() ? 1 : 0), [&](const Eigen::Ref<const Matrix>& panel, Index) {
    blas::syrk(blas::Transpose::no, rows(), panel.cols(), 1.0, panel.data(), panel.outerStride(), 1.0, K.data(), K.outerStride());
  });
}

void Design::row_forms(const Matrix& V, Vector& out) { row_variance(lower_root(V), out); }

}  // namespace ardvark::internal
