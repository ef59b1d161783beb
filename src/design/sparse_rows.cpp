#include "design/sparse_rows.hpp"

#include <algorithm>

#include "core/numbers.hpp"
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

}  // namespace

std::shared_ptr<const SparseRows> SparseRows::of(MatrixView X, const Standardization& standardization) {
  constexpr double most = 0.125;
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
  out->begin_.assign(static_cast<std::size_t>(n) + 1, 0);
  out->put_values([&](auto&& use) { for_entries(X, use); }, is_full, standardization);
  return out;
}

std::shared_ptr<const SparseRows> SparseRows::of_rows(const CscView& X, const Standardization& standardization, Index first, Index count,
                                                      std::vector<Index>& next) {
  std::vector<bool> is_full;
  for (Index j = 0; j < X.cols(); ++j) is_full.push_back(is_full_column(X.entries(j), X.rows()));
  const auto in_column = [&](Index j, const auto* row, const auto* value, auto&& use) {
    Index& e = next[static_cast<std::size_t>(j)];
    const Index end = X.start(j + 1);
    if (is_full[static_cast<std::size_t>(j)]) {
      for (Index i = 0; i < count; ++i) use(i, j, e < end && row[e] == first + i ? static_cast<double>(value[e++]) : 0.0);
    } else {
      for (; e < end && row[e] < first + count; ++e) use(static_cast<Index>(row[e]) - first, j, static_cast<double>(value[e]));
    }
  };
  std::vector<Index> start = next;
  const auto entries = [&](auto&& use) {
    next = start;
    with_entries(X, [&](const auto* row, const auto* value) {
      for (Index j = 0; j < X.cols(); ++j)
        if (standardization.scale.size() == 0 || standardization.scale[j] != 0) in_column(j, row, value, use);
    });
  };
  auto out = std::make_shared<SparseRows>();
  out->begin_.assign(static_cast<std::size_t>(count) + 1, 0);
  out->put_values(entries, is_full, standardization);
  return out;
}

// \param entries  calls what it is given with row, column and number of each entry, column by column or row by row
void SparseRows::put_values(const auto& entries, const std::vector<bool>& is_full, const Standardization& standardization) {
  const auto p = static_cast<Index>(is_full.size()), n = rows();
  const Vector center = standardization.center.size() > 0 ? standardization.center : Vector::Zero(p),
               scale = standardization.scale.size() > 0 ? standardization.scale : Vector::Ones(p);
  shift_ = Vector::Zero(p + (standardization.intercept ? 1 : 0));
  for (Index j = 0; j < p; ++j)
    if (!is_full[static_cast<std::size_t>(j)]) shift_[j] = -center[j] * scale[j];
  const auto is_entry = [&](Index j, double x) { return scale[j] != 0 && (x != 0 || is_full[static_cast<std::size_t>(j)]); };
  entries([&](Index i, Index j, double x) { begin_[static_cast<std::size_t>(i) + 1] += is_entry(j, x); });
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1] + (standardization.intercept ? 1 : 0);
  column_.resize(begin_.back());
  value_.resize(begin_.back());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  const auto put = [&](Index i, Index j, double value) {
    const std::size_t at = next[static_cast<std::size_t>(i)]++;
    column_[at] = static_cast<int>(j);
    value_[at] = value;
  };
  entries([&](Index i, Index j, double x) {
    if (is_entry(j, x)) put(i, j, is_full[static_cast<std::size_t>(j)] ? (x - center[j]) * scale[j] : x * scale[j]);
  });
  for (Index i = 0; standardization.intercept && i < n; ++i) put(i, p, 1);
}

// sum omega x x' = V + s shift' + shift s' + omega+ shift shift',  V = sum omega v v', s = sum omega v.                         (SL.8)
void SparseRows::gram_and_project(const Vector& omega, const Vector& r, Matrix& G, Vector& Xr) const {
  Sums sums = start(cols(), G, Xr);
  add(omega.data(), r.data(), G, Xr, sums);
  end(sums, G, Xr);
}

SparseRows::Sums SparseRows::start(Index cols, Matrix& G, Vector& Xr) {
  G.triangularView<Eigen::Lower>().setZero();
  Xr = Vector::Zero(cols);
  return {Vector::Zero(cols)};
}

void SparseRows::add(const double* omega, const double* r, Matrix& G, Vector& Xr, Sums& sums) const {
  for (Index i = 0; i < rows(); ++i) {
    if (i % block == 0) pulse();
    const std::size_t from = begin_[static_cast<std::size_t>(i)], to = begin_[static_cast<std::size_t>(i) + 1];
    sums.weight += omega[i];
    sums.with_r += omega[i] * r[i];
    for (std::size_t a = from; a < to; ++a) {
      const double weighted = omega[i] * value_[a];
      sums.of_entries[column_[a]] += weighted;
      Xr[column_[a]] += weighted * r[i];
      double* column = G.data() + column_[a] * G.outerStride();
      for (std::size_t b = a; b < to; ++b) column[column_[b]] += weighted * value_[b];
    }
  }
}

void SparseRows::end(const Sums& sums, Matrix& G, Vector& Xr) const {
  const Index p = cols();
  for (Index j = 0; j < p; ++j) {
    const double of_shift = sums.of_entries[j] + sums.weight * shift_[j];
    G.col(j).tail(p - j) += shift_[j] * sums.of_entries.tail(p - j) + of_shift * shift_.tail(p - j);
  }
  Xr += sums.with_r * shift_;
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
