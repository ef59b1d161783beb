#include "design/csc.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/blas.hpp"
#include "core/entry_kernels.hpp"
#include "core/numbers.hpp"
#include "core/parallel.hpp"
#include "core/products.hpp"
#include "core/resize.hpp"

namespace ardvark::internal {

CscDesign::CscDesign(const CscView& X, Standardization standardization) : X_(X), s_(std::move(standardization)) {
  if (s_.center.size() == 0) s_.center = Vector::Zero(X.cols());
  if (s_.scale.size() == 0) s_.scale = Vector::Ones(X.cols());
}

// A column of scale 0 is one of zeros, whatever it holds: none of its entries is read.
Index CscDesign::end(Index j) const { return s_.scale[j] == 0 ? X_.start(j) : X_.start(j + 1); }

bool CscDesign::is_full(Index j) const { return is_full_column(end(j) - X_.start(j), rows()); }

// Whether a difference of two sums would lose more than three digits.                                                            (SL.8)
bool CscDesign::is_far_from_zero(Index j) const { return std::abs(s_.center[j]) * s_.scale[j] > 1e3; }

// So many rows have about a million entries, 12 MB.
Index CscDesign::rows_of_a_block() const {
  Index entries = 0;
  for (Index j = 0; j < X_.cols(); ++j) entries += is_full(j) ? rows() : end(j) - X_.start(j);
  constexpr double most = 0x1p20;
  const double rows_of_most = most * static_cast<double>(rows()) / static_cast<double>(std::max<Index>(entries, 1));
  return std::clamp<Index>(static_cast<Index>(rows_of_most), 1, rows());
}

// Sums over pairs of columns read X row by row. If X is small its rows are kept.
void CscDesign::by_row_blocks(auto&& use) const {
  const auto starts = [&] {
    std::vector<Index> next(static_cast<std::size_t>(X_.cols()));
    for (Index j = 0; j < X_.cols(); ++j) next[static_cast<std::size_t>(j)] = X_.start(j);
    return next;
  };
  if (all_rows_ != nullptr) return use(*all_rows_, 0);
  const Index block = rows_of_a_block();
  std::vector<Index> next = starts();
  for (Index first = 0; first < rows(); first += block) {
    pulse();
    const auto some = SparseRows::of_rows(X_, s_, first, std::min(block, rows() - first), next);
    if (block == rows()) all_rows_ = some;
    use(*some, first);
  }
}

void CscDesign::gram(const Vector& omega, Matrix& G) {
  Vector ignored;
  gram_and_project(omega, Vector::Zero(rows()), G, ignored);
}

void CscDesign::gram_and_project(const Vector& omega, const Vector& r, Matrix& G, Vector& Xr) {
  SparseRows::Sums sums = SparseRows::start(cols(), G, Xr);
  by_row_blocks([&](const SparseRows& some, Index first) {
    some.add(omega.data() + first, r.data() + first, G, Xr, sums);
    if (first + some.rows() == rows()) some.end(sums, G, Xr);
  });
}

// A column far from 0, compared with its spread, has an entry in most rows. There, sum_i (x_ij - c_j) r_i is added up as it stands: a
// difference of two sums would keep fewer digits.                                                                               (SL.8)
double CscDesign::product(Index j, const auto* row, const auto* value, const Vector& r, double total) const {
  const double center = s_.center[j];
  double sum = 0;
  if (is_far_from_zero(j)) {
    for_column(X_, j, [&](Index i, double x) { sum += (x - center) * r[i]; });
  } else {
    for (Index e = X_.start(j), last = end(j); e < last; ++e) sum += static_cast<double>(value[e]) * r[row[e]];
    sum -= center * total;
  }
  return s_.scale[j] * sum;
}

void CscDesign::project(const Vector& r, Vector& out) {
  out.resize(cols());
  const double total = r.sum();
  parallel_ranges(X_.cols(), blas::threads_to_read(X_.entries()), [&](Index from, Index to) {
    with_entries(X_, [&](const auto* row, const auto* value) {
      for (Index j = from; j < to; ++j) out[j] = product(j, row, value, r, total);
    });
  });
  if (s_.intercept) out[X_.cols()] = total;
}

void CscDesign::project_in_place(const std::vector<Index>& columns, const Vector& r, Vector& out) {
  const double total = r.sum();
  resize(out, static_cast<Index>(columns.size()));
  with_entries(X_, [&](const auto* row, const auto* value) {
    for (Index i = 0; i < out.size(); ++i) {
      const Index j = columns[static_cast<std::size_t>(i)];
      out[i] = j == X_.cols() ? total : product(j, row, value, r, total);
    }
  });
}

// out [1, R.cols()]
void CscDesign::project_by_differences(Index j, const Matrix& R, Eigen::Ref<Matrix> out) const {
  for (Index k = 0; k < R.cols(); ++k) {
    double sum = 0;
    for_column(X_, j, [&](Index i, double x) { sum += (x - s_.center[j]) * R(i, k); });
    out(0, k) = s_.scale[j] * sum;
  }
}

// R is read row by row: the numbers for an entry lie side by side, eight vectors at a time. column(i) is the i-th of the columns.
template <typename Real>
void CscDesign::project_columns(Index count, auto&& column, const Matrix& R, Matrix& out) const {
  constexpr double most_center = std::is_same_v<Real, float> ? 10 : 1e3;  // in units of the spread: digits that a difference of sums loses
  constexpr Index width = EntryKernel<std::int32_t, double, Real>::width;
  const Vector total = R.colwise().sum();
  resize(out, count, R.cols());
  Eigen::Matrix<Real, width, Eigen::Dynamic> by_row(width, rows());
  for (Index first = 0; first < R.cols(); first += width) {
    const Index some = std::min(width, R.cols() - first);
    if (some < width) by_row.setZero();
    by_row.topRows(some) = R.middleCols(first, some).transpose().template cast<Real>();
    parallel_ranges(count, blas::threads_to_read(X_.entries() * some), [&](Index from, Index to) {
      with_entries(X_, [&]<typename Row, typename T>(const Row* row, const T* value) {
        const auto& kernel = entry_kernel<Row, T, Real>();
        Eigen::Matrix<double, width, 1> sum;
        for (Index i = from; i < to; ++i) {
          const Index j = column(i);
          if (j == X_.cols()) {
            out.row(i).segment(first, some) = total.segment(first, some).transpose();
          } else if (std::abs(s_.center[j]) * s_.scale[j] > most_center) {
            project_by_differences(j, R.middleCols(first, some), out.block(i, first, 1, some));
          } else {
            kernel.sums(row + X_.start(j), value + X_.start(j), end(j) - X_.start(j), by_row.data(), sum.data());
            out.row(i).segment(first, some) = s_.scale[j] * (sum.head(some) - s_.center[j] * total.segment(first, some)).transpose();
          }
        }
      });
    });
  }
}

void CscDesign::project_several(const Matrix& R, Matrix& out) {
  project_columns<double>(
      cols(), [](Index i) { return i; }, R, out);
}

// Entries below the single numbers would be 0.
void CscDesign::project_in_single(const Matrix& R, Matrix& out) {
  if (s_.scale.size() > 0 && s_.scale.maxCoeff() > 1e30) return project_several(R, out);
  project_columns<float>(
      cols(), [](Index i) { return i; }, R, out);
}

void CscDesign::project_some(const std::vector<Index>& columns, const Matrix& R, Matrix& out) {
  project_columns<double>(
      static_cast<Index>(columns.size()), [&](Index i) { return columns[static_cast<std::size_t>(i)]; }, R, out);
}

void CscDesign::apply_some(const std::vector<Index>& columns, const Matrix& W, Matrix& out) {
  resize(out, rows(), W.cols());
  Vector w(cols()), product(rows());
  for (Index k = 0; k < W.cols(); ++k) {
    w.setZero();
    for (std::size_t i = 0; i < columns.size(); ++i) w[columns[i]] += W(static_cast<Index>(i), k);
    apply(w, product);
    out.col(k) = product;
  }
}

void CscDesign::apply(const Vector& w, Vector& out) {
  double shift = s_.intercept ? w[X_.cols()] : 0.0;
  out.setZero(rows());
  with_entries(X_, [&](const auto* row, const auto* value) {
    for (Index j = 0; j < X_.cols(); ++j) {
      const double factor = s_.scale[j] * w[j], center = s_.center[j];
      if (factor == 0) continue;
      if (is_far_from_zero(j)) {
        for_column(X_, j, [&](Index i, double x) { out[i] += factor * (x - center); });
      } else {
        for (Index e = X_.start(j), last = end(j); e < last; ++e) out[row[e]] += factor * static_cast<double>(value[e]);
        shift -= factor * center;
      }
    }
  });
  out.array() += shift;
}

// Eight vectors at a time: their numbers for a row lie side by side.
void CscDesign::apply_several(const Matrix& W, Matrix& out) {
  constexpr Index width = 8;
  using Some = Eigen::Matrix<double, width, 1>;
  resize(out, rows(), W.cols());
  parallel_for((W.cols() + width - 1) / width, blas::threads_to_read(X_.entries() * W.cols()), [&](Index part) {
    const Index first = part * width, some = std::min(width, W.cols() - first);
    Eigen::Matrix<double, width, Eigen::Dynamic> by_row = Eigen::Matrix<double, width, Eigen::Dynamic>::Zero(width, rows());
    Some factor = Some::Zero(), shift = Some::Zero();
    if (s_.intercept) shift.head(some) = W.row(X_.cols()).segment(first, some).transpose();
    with_entries(X_, [&](const auto* row, const auto* value) {
      for (Index j = 0; j < X_.cols(); ++j) {
        factor.head(some) = s_.scale[j] * W.row(j).segment(first, some).transpose();
        const double center = s_.center[j];
        if (is_far_from_zero(j)) {
          for_column(X_, j, [&](Index i, double x) { by_row.col(i) += (x - center) * factor; });
        } else {
          for (Index e = X_.start(j), last = end(j); e < last; ++e) by_row.col(row[e]) += static_cast<double>(value[e]) * factor;
          shift -= center * factor;
        }
      }
    });
    out.middleCols(first, some) = (by_row.colwise() + shift).topRows(some).transpose();
  });
}

void CscDesign::row_variance(const Matrix& L_inverse, Vector& out) {
  Matrix V = L_inverse.triangularView<Eigen::Lower>();
  V = (L_inverse.triangularView<Eigen::Lower>().transpose() * V).eval();
  row_forms(V, out);
}

void CscDesign::row_forms(const Matrix& V, Vector& out) {
  out.resize(rows());
  by_row_blocks([&](const SparseRows& some, Index first) { out.segment(first, some.rows()) = some.forms(V).cwiseMax(0.0); });
}

// Rows first .. first+count-1 of a column, times factor.
void CscDesign::write_column(Index j, Index first, Index count, double factor, double* out) const {
  if (j == X_.cols()) {
    std::fill_n(out, count, factor);
    return;
  }
  const double center = s_.center[j], unit = s_.scale[j] * factor;
  std::fill_n(out, count, -center * unit);
  with_entries(X_, [&](const auto* row, const auto* value) {
    const Index last = end(j);
    for (Index e = std::lower_bound(row + X_.start(j), row + last, first) - row; e < last && row[e] < first + count; ++e)
      out[row[e] - first] = (static_cast<double>(value[e]) - center) * unit;
  });
}

void CscDesign::scaled_columns(Index first, Index count, const double* scale, Eigen::Ref<Matrix> panel) {
  for (Index j = 0; j < count; ++j) write_column(first + j, 0, rows(), scale != nullptr ? scale[j] : 1.0, panel.col(j).data());
}

bool CscDesign::entries_of(Index j, SparseColumn& out) const {
  out = {};
  if (j == X_.cols()) {
    out.shift = 1;
    return true;
  }
  if (is_full(j) || rows() > std::numeric_limits<std::int32_t>::max()) return false;
  const double scale = s_.scale[j];
  out.shift = -scale * s_.center[j];
  with_entries(X_, [&](const auto* row, const auto* value) {
    for (Index e = X_.start(j), last = end(j); e < last; ++e) {
      out.row.push_back(static_cast<std::int32_t>(row[e]));
      out.value.push_back(scale * static_cast<double>(value[e]));
    }
  });
  return true;
}

void CscDesign::read_rows(Index first, Index count, const Vector* row_scale, Matrix& panel) const {
  for (Index j = 0; j < cols(); ++j) write_column(j, first, count, 1.0, panel.col(j).data());
  if (row_scale != nullptr) panel.topRows(count) = row_scale->segment(first, count).asDiagonal() * panel.topRows(count);
}

// Full columns are written out, some at a time. Of the others, v_ij = scale x_ij and shift_j = -scale center:
// K_ik = sum_j v_ij v_kj + sum_j shift_j v_ij + sum_j shift_j v_kj + sum_j shift_j^2.                                            (SL.14)
void CscDesign::row_gram(Matrix& K) {
  resize(K, rows(), rows());
  K.setZero();
  add_full_columns(K);
  Vector of_shift = Vector::Zero(rows());
  double square = 0;
  with_entries(X_, [&](const auto* row, const auto* value) {
    for (Index j = 0; j < X_.cols(); ++j) {
      if (is_full(j)) continue;
      const double shift = -s_.scale[j] * s_.center[j];
      square += shift * shift;
      for (Index e = X_.start(j), last = end(j); e < last; ++e) of_shift[row[e]] += shift * s_.scale[j] * static_cast<double>(value[e]);
    }
  });
  products::tiles(rows(), blas::num_threads(), [&](Index first, Index count) {
    add_squares_of_entries(first, count, K);
    for (Index i = first; i < first + count; ++i)
      K.col(i).tail(rows() - i).array() += of_shift.tail(rows() - i).array() + of_shift[i] + square;
  });
}

void CscDesign::add_full_columns(Matrix& K) const {
  constexpr Index most = 128;
  Matrix panel(rows(), most);
  Index count = 0;
  const auto add = [&] {
    blas::syrk(blas::Transpose::no, rows(), count, 1.0, panel.data(), rows(), 1.0, K.data(), rows());
    count = 0;
  };
  for (Index j = 0; j < X_.cols(); ++j) {
    if (!is_full(j)) continue;
    write_column(j, 0, rows(), 1.0, panel.col(count).data());
    if (++count == most) add();
  }
  if (count > 0) add();
}

// Columns first .. first+count-1 of K: they stay in the cache.
void CscDesign::add_squares_of_entries(Index first, Index count, Matrix& K) const {
  with_entries(X_, [&](const auto* row, const auto* value) {
    for (Index j = 0; j < X_.cols(); ++j) {
      if (is_full(j)) continue;
      const Index last = end(j);
      for (Index a = std::lower_bound(row + X_.start(j), row + last, first) - row; a < last && row[a] < first + count; ++a) {
        double* column = K.col(row[a]).data();
        const double factor = s_.scale[j] * s_.scale[j] * static_cast<double>(value[a]);
        for (Index b = a; b < last; ++b) column[row[b]] += factor * static_cast<double>(value[b]);
      }
    }
  });
}

}  // namespace ardvark::internal
