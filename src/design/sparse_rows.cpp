#include "design/sparse_rows.hpp"

#include <algorithm>

#include "core/pulse.hpp"

namespace ardvark::internal {
namespace {

constexpr Index block = 512;  // rows: both memory orders are then read cache line by cache line

// Calls use(row, column, x) for each entry; the columns of a row come in order.
void for_entries(MatrixView X, auto&& use) {
  for (Index first = 0; first < X.rows(); first += block) {
    pulse();
    const Index end = std::min(first + block, X.rows());
    if (X.layout() == Layout::row_major) {
      for (Index i = first; i < end; ++i)
        for (Index j = 0; j < X.cols(); ++j) use(i, j, X(i, j));
    } else {
      for (Index j = 0; j < X.cols(); ++j)
        for (Index i = first; i < end; ++i) use(i, j, X(i, j));
    }
  }
}

// Zeros are visited in columns that may be full.
void for_entries(const CscView& X, auto&& use) {
  for (Index j = 0; j < X.cols(); ++j) {
    if (j % block == 0) pulse();
    if (is_full_column(X.entries(j), X.rows()))
      for_column(X, j, [&](Index i, double x) { use(i, j, x); });
    else
      for (Index e = X.start(j); e < X.start(j + 1); ++e) use(X.row(e), j, X.value(e));
  }
}

}  // namespace

std::shared_ptr<const SparseRows> SparseRows::of(MatrixView X, const Standardization& standardization) {
  return read_from(X, standardization, 0.125);
}

std::shared_ptr<const SparseRows> SparseRows::of(const CscView& X, const Standardization& standardization) {
  return read_from(X, standardization, 1);
}

std::shared_ptr<const SparseRows> SparseRows::read_from(const auto& X, const Standardization& standardization, double most) {
  const Index n = X.rows(), p = X.cols(), cols = p + (standardization.intercept ? 1 : 0);
  if (n == 0 || p == 0) return nullptr;
  std::vector<Index> entries(static_cast<std::size_t>(p), 0);
  for_entries(X, [&](Index, Index j, double x) { entries[static_cast<std::size_t>(j)] += x != 0; });
  std::vector<bool> is_full;
  Index total = standardization.intercept ? n : 0;
  for (const Index count : entries) {
    is_full.push_back(is_full_column(count, n));
    total += is_full.back() ? n : count;
  }
  if (static_cast<double>(total) > most * static_cast<double>(n * cols)) return nullptr;

  auto out = std::make_shared<SparseRows>();
  const Vector center = standardization.center.size() > 0 ? standardization.center : Vector::Zero(p),
               scale = standardization.scale.size() > 0 ? standardization.scale : Vector::Ones(p);
  out->shift_ = Vector::Zero(cols);
  for (Index j = 0; j < p; ++j)
    if (!is_full[static_cast<std::size_t>(j)]) out->shift_[j] = -center[j] * scale[j];
  const auto is_entry = [&](Index j, double x) { return scale[j] != 0 && (x != 0 || is_full[static_cast<std::size_t>(j)]); };
  std::vector<std::size_t>& begin = out->begin_;
  begin.assign(static_cast<std::size_t>(n) + 1, 0);
  for_entries(X, [&](Index i, Index j, double x) { begin[static_cast<std::size_t>(i) + 1] += is_entry(j, x); });
  for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1] + (standardization.intercept ? 1 : 0);
  out->column_.resize(begin.back());
  out->value_.resize(begin.back());
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  const auto put = [&](Index i, Index j, double value) {
    const std::size_t at = next[static_cast<std::size_t>(i)]++;
    out->column_[at] = static_cast<int>(j);
    out->value_[at] = value;
  };
  for_entries(X, [&](Index i, Index j, double x) {
    if (is_entry(j, x)) put(i, j, is_full[static_cast<std::size_t>(j)] ? (x - center[j]) * scale[j] : x * scale[j]);
  });
  if (standardization.intercept)
    for (Index i = 0; i < n; ++i) put(i, p, 1);
  return out;
}

// sum omega x x' = V + s shift' + shift s' + omega+ shift shift',  V = sum omega v v', s = sum omega v.                         (SL.8)
void SparseRows::gram_and_project(const Vector& omega, const Vector& r, Matrix& G, Vector& Xr) const {
  const Index p = cols();
  G.triangularView<Eigen::Lower>().setZero();
  Xr = Vector::Zero(p);
  Vector s = Vector::Zero(p);
  double with_r = 0;
  for (Index i = 0; i < rows(); ++i) {
    if (i % block == 0) pulse();
    const std::size_t from = begin_[static_cast<std::size_t>(i)], to = begin_[static_cast<std::size_t>(i) + 1];
    with_r += omega[i] * r[i];
    for (std::size_t a = from; a < to; ++a) {
      const double weighted = omega[i] * value_[a];
      s[column_[a]] += weighted;
      Xr[column_[a]] += weighted * r[i];
      double* column = G.data() + column_[a] * G.outerStride();
      for (std::size_t b = a; b < to; ++b) column[column_[b]] += weighted * value_[b];
    }
  }
  const double total = omega.sum();
  for (Index j = 0; j < p; ++j) {
    const double of_shift = s[j] + total * shift_[j];
    G.col(j).tail(p - j) += shift_[j] * s.tail(p - j) + of_shift * shift_.tail(p - j);
  }
  Xr += with_r * shift_;
}

Vector SparseRows::apply(const Vector& w) const {
  Vector out = Vector::Constant(rows(), shift_.dot(w));
  for (Index i = 0; i < rows(); ++i)
    for (std::size_t a = begin_[static_cast<std::size_t>(i)]; a < begin_[static_cast<std::size_t>(i) + 1]; ++a)
      out[i] += value_[a] * w[column_[a]];
  return out;
}

void SparseRows::read(Index first, Index count, Matrix& panel) const {
  for (Index n = 0; n < count; ++n) {
    panel.row(n).head(cols()) = shift_.transpose();
    const auto i = static_cast<std::size_t>(first + n);
    for (std::size_t a = begin_[i]; a < begin_[i + 1]; ++a) panel(n, column_[a]) += value_[a];
  }
}

Vector SparseRows::forms(const Matrix& T) const {
  const Vector of_shift = T * shift_;
  Vector out = Vector::Constant(rows(), shift_.dot(of_shift));
  for (Index i = 0; i < rows(); ++i) {
    if (i % block == 0) pulse();
    const std::size_t from = begin_[static_cast<std::size_t>(i)], to = begin_[static_cast<std::size_t>(i) + 1];
    for (std::size_t a = from; a < to; ++a) {
      const double* column = T.data() + column_[a] * T.outerStride();
      double others = 0;
      for (std::size_t b = from; b < a; ++b) others += value_[b] * column[column_[b]];
      out[i] += value_[a] * (2 * (others + of_shift[column_[a]]) + value_[a] * column[column_[a]]);
    }
  }
  return out;
}

}  // namespace ardvark::internal
