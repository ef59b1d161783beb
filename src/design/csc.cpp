#include "design/csc.hpp"

#include <utility>

#include "core/blas.hpp"
#include "core/parallel.hpp"

namespace ardvark::internal {

CscDesign::CscDesign(const CscView& X, Standardization standardization) : X_(X), s_(std::move(standardization)) {
  if (s_.center.size() == 0) s_.center = Vector::Zero(X.cols());
  if (s_.scale.size() == 0) s_.scale = Vector::Ones(X.cols());
}

const SparseRows& CscDesign::by_rows() const {
  if (by_rows_ == nullptr) by_rows_ = SparseRows::of(X_, s_);
  return *by_rows_;
}

void CscDesign::gram(const Vector& omega, Matrix& G) {
  Vector ignored;
  by_rows().gram_and_project(omega, Vector::Zero(rows()), G, ignored);
}

void CscDesign::gram_and_project(const Vector& omega, const Vector& r, Matrix& G, Vector& Xr) {
  by_rows().gram_and_project(omega, r, G, Xr);
}

// A column far from 0, compared with its spread, has an entry in most rows. There, sum_i (x_ij - c_j) r_i is added up as it stands: a
// difference of two sums would keep fewer digits.                                                                               (SL.8)
void CscDesign::project(const Vector& r, Vector& out) {
  out.resize(cols());
  const double total = r.sum();
  parallel_ranges(X_.cols(), blas::threads_to_read(X_.entries()), [&](Index from, Index to) {
    for (Index j = from; j < to; ++j) {
      const double center = s_.center[j];
      double sum = 0;
      if (is_full_column(X_.entries(j), rows())) {
        for_column(X_, j, [&](Index i, double x) { sum += (x - center) * r[i]; });
      } else {
        for (Index e = X_.start(j); e < X_.start(j + 1); ++e) sum += X_.value(e) * r[X_.row(e)];
        sum -= center * total;
      }
      out[j] = s_.scale[j] * sum;
    }
  });
  if (s_.intercept) out[X_.cols()] = total;
}

void CscDesign::apply(const Vector& w, Vector& out) { out = by_rows().apply(w); }

void CscDesign::row_variance(const Matrix& L_inverse, Vector& out) {
  Matrix V = L_inverse.triangularView<Eigen::Lower>();
  V = (L_inverse.triangularView<Eigen::Lower>().transpose() * V).eval();
  row_forms(V, out);
}

void CscDesign::row_forms(const Matrix& V, Vector& out) { out = by_rows().forms(V).cwiseMax(0.0); }

void CscDesign::scaled_columns(Index first, Index count, const double* scale, Eigen::Ref<Matrix> panel) {
  for (Index j = 0; j < count; ++j) {
    const Index column = first + j;
    const double factor = scale != nullptr ? scale[j] : 1.0;
    if (column == X_.cols()) {
      panel.col(j).setConstant(factor);
      continue;
    }
    const double center = s_.center[column], unit = s_.scale[column] * factor;
    panel.col(j).setConstant(-center * unit);
    for (Index e = X_.start(column); e < X_.start(column + 1); ++e) panel(X_.row(e), j) = (X_.value(e) - center) * unit;
  }
}

void CscDesign::read_rows(Index first, Index count, const Vector* row_scale, Matrix& panel) const {
  by_rows().read(first, count, panel);
  if (row_scale != nullptr) panel.topRows(count) = row_scale->segment(first, count).asDiagonal() * panel.topRows(count);
}

}  // namespace ardvark::internal
