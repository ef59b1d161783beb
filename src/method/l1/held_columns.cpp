#include "method/l1/held_columns.hpp"

#include <algorithm>
#include <array>

#include "core/blas.hpp"
#include "core/line_kernels.hpp"

namespace ardvark::internal {

const ColumnStore::Column& ColumnStore::at(Index j) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::unique_ptr<const Column>& place = columns_[j];
  if (place == nullptr) {
    auto column = std::make_unique<Column>();
    if (!X_.entries_of(j, column->entries)) {
      column->numbers.resize(X_.rows());
      X_.columns(j, 1, column->numbers);
    }
    place = std::move(column);
  }
  return *place;
}

void ColumnUnits::apply(double total, Vector& out) const {
  if (factor.size() > 0) out = (factor.array() * out.array() + shift.array() * total).matrix();
}

HeldColumns::HeldColumns(std::shared_ptr<ColumnStore> store, std::shared_ptr<const ColumnUnits> units)
    : store_(std::move(store)), units_(std::move(units)) {}

void HeldColumns::append(Index j) {
  const ColumnStore::Column& column = store_->at(j);
  const bool is_own = units_ == nullptr || units_->factor.size() == 0;
  const double factor = is_own ? 1 : units_->factor[j];
  columns_.push_back({&column, factor, factor * column.entries.shift + (is_own ? 0 : units_->shift[j])});
}

void HeldColumns::keep(const std::vector<Index>& positions) {
  std::vector<Held> kept;
  for (const Index i : positions) kept.push_back(columns_[static_cast<std::size_t>(i)]);
  columns_ = std::move(kept);
}

// ---- products with vectors --------------------------------------------------------------------------------------------------------------

namespace {

constexpr Index most_at_once = LineKernels<double>::most;

double product(const SparseColumn& x, const Vector& r) {
  double sum = 0;
  for (std::size_t e = 0; e < x.row.size(); ++e) sum += x.value[e] * r[x.row[e]];
  return sum;
}

// Calls use(columns, factors, positions, count) with dense columns, some at a time.
void by_dense_columns(const auto& held, auto&& use) {
  std::array<const double*, most_at_once> x{};
  std::array<std::size_t, most_at_once> at{};
  Index count = 0;
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (held[i].column->is_sparse()) continue;
    x[static_cast<std::size_t>(count)] = held[i].column->numbers.data();
    at[static_cast<std::size_t>(count++)] = i;
    if (count == most_at_once) use(x, at, count), count = 0;
  }
  if (count > 0) use(x, at, count);
}

}  // namespace

double ColumnStore::Column::dot(const Vector& r) const { return is_sparse() ? product(entries, r) : numbers.dot(r); }

double ColumnStore::Column::square(const Vector& omega) const {
  if (!is_sparse()) return numbers.cwiseAbs2().dot(omega);
  double sum = 0;
  for (std::size_t e = 0; e < entries.row.size(); ++e) sum += entries.value[e] * entries.value[e] * omega[entries.row[e]];
  return sum;
}

void ColumnStore::Column::subtract(double step, const Vector& omega, Vector& residual) const {
  if (!is_sparse()) {
    residual -= step * omega.cwiseProduct(numbers);
    return;
  }
  for (std::size_t e = 0; e < entries.row.size(); ++e) residual[entries.row[e]] -= step * omega[entries.row[e]] * entries.value[e];
}

double HeldColumns::dot(Index position, const Vector& r, double total) const {
  const Held& held = at(position);
  const double own = held.column->dot(r);
  return held.shift == 0 ? held.factor * own : held.factor * own + held.shift * total;
}

Index HeldColumns::num_read(Index position) const {
  const ColumnStore::Column& column = *at(position).column;
  return column.is_sparse() ? static_cast<Index>(column.entries.row.size()) : rows();
}

void HeldColumns::project(const Vector& r, Vector& out) const {
  const double total = r.sum();
  for (Index i = 0; i < size(); ++i)
    if (columns_[static_cast<std::size_t>(i)].column->is_sparse()) out[i] = dot(i, r, total);
  by_dense_columns(columns_, [&](const auto& x, const auto& at, Index count) {
    std::array<double, most_at_once> products{};
    line_kernel<double>().dots(r.data(), rows(), x.data(), count, products.data());
    for (Index k = 0; k < count; ++k) {
      const std::size_t i = at[static_cast<std::size_t>(k)];
      out[static_cast<Index>(i)] = columns_[i].factor * products[static_cast<std::size_t>(k)] + columns_[i].shift * total;
    }
  });
}

void HeldColumns::apply(const Vector& v, Vector& out) const {
  double shift = 0;
  out.setZero();
  for (Index i = 0; i < size(); ++i) {
    const auto& [column, factor, own_shift] = columns_[static_cast<std::size_t>(i)];
    shift += own_shift * v[i];
    if (!column->is_sparse() || v[i] == 0) continue;
    const SparseColumn& x = column->entries;
    for (std::size_t e = 0; e < x.row.size(); ++e) out[x.row[e]] += factor * v[i] * x.value[e];
  }
  by_dense_columns(columns_, [&](const auto& x, const auto& at, Index count) {
    std::array<double, most_at_once> factors{};
    for (Index k = 0; k < count; ++k) {
      const std::size_t i = at[static_cast<std::size_t>(k)];
      factors[static_cast<std::size_t>(k)] = columns_[i].factor * v[static_cast<Index>(i)];
    }
    line_kernel<double>().combine(x.data(), rows(), factors.data(), count, out.data());
  });
  if (shift != 0) out.array() += shift;
}

// ---- products with each other -----------------------------------------------------------------------------------------------------------

// With x = factor v + shift:  x_i' O x_j = f_i f_j v_i' O v_j + f_i s_j v_i' o + s_i f_j v_j' o + s_i s_j sum o,  O = diag(o).      (SL.8)
void HeldColumns::gram(Index first, const Vector& omega, Matrix& G) const {
  const Index count = size() - first;
  G.middleCols(first, count).topRows(size()).setZero();
  add_sparse_pairs(first, omega, G);
  add_dense_pairs(first, omega, G);
  const double total = omega.sum();
  Vector plain(size());
  for (Index i = 0; i < size(); ++i) plain[i] = at(i).column->dot(omega);
  for (Index j = first; j < size(); ++j) {
    const Held& right = columns_[static_cast<std::size_t>(j)];
    for (Index i = 0; i <= j; ++i) {
      const Held& left = columns_[static_cast<std::size_t>(i)];
      G(i, j) = left.factor * right.factor * G(i, j) + left.factor * right.shift * plain[i] + left.shift * right.factor * plain[j] +
                left.shift * right.shift * total;
      G(j, i) = G(i, j);
    }
  }
}

// Pairs of which one column at least has entries: the other is written out for the sum.
void HeldColumns::add_sparse_pairs(Index first, const Vector& omega, Matrix& G) const {
  if (std::ranges::none_of(columns_, [](const Held& held) { return held.column->is_sparse(); })) return;
  Vector written = Vector::Zero(rows());
  for (Index j = first; j < size(); ++j) {
    const ColumnStore::Column& right = *columns_[static_cast<std::size_t>(j)].column;
    const SparseColumn& x = right.entries;
    if (right.is_sparse())
      for (std::size_t e = 0; e < x.row.size(); ++e) written[x.row[e]] = omega[x.row[e]] * x.value[e];
    else
      for (Index i = 0; i < rows(); ++i) written[i] = omega[i] * right.numbers[i];
    for (Index i = 0; i <= j; ++i) {
      const ColumnStore::Column& left = *columns_[static_cast<std::size_t>(i)].column;
      if (left.is_sparse()) {
        G(i, j) = product(left.entries, written);
      } else if (right.is_sparse()) {
        double sum = 0;
        for (const std::int32_t row : x.row) sum += written[row] * left.numbers[row];
        G(i, j) = sum;
      }
    }
    if (right.is_sparse())
      for (const std::int32_t row : x.row) written[row] = 0;
    else
      written.setZero();
  }
}

// Blocks of rows, and panels of columns that are copied side by side.
void HeldColumns::add_dense_pairs(Index first, const Vector& omega, Matrix& G) const {
  constexpr Index most_rows = 4096, most_columns = 64;
  std::vector<std::vector<Index>> old_panels, new_panels;
  for (Index i = 0; i < size(); ++i) {
    if (columns_[static_cast<std::size_t>(i)].column->is_sparse()) continue;
    auto& panels = i < first ? old_panels : new_panels;
    if (panels.empty() || static_cast<Index>(panels.back().size()) == most_columns) panels.emplace_back();
    panels.back().push_back(i);
  }
  Matrix left(std::min(rows(), most_rows), most_columns), right(left.rows(), most_columns), product(most_columns, most_columns);
  const auto read = [&](Index from, Index count, const std::vector<Index>& positions, Matrix& panel) {
    for (std::size_t l = 0; l < positions.size(); ++l)
      panel.col(static_cast<Index>(l)).head(count) = columns_[static_cast<std::size_t>(positions[l])].column->numbers.segment(from, count);
  };
  for (Index from = 0; from < rows(); from += most_rows) {
    const Index count = std::min(most_rows, rows() - from);
    const auto add = [&](const std::vector<Index>& rows_of, const std::vector<Index>& columns_of) {
      read(from, count, rows_of, left);
      const auto a = static_cast<Index>(rows_of.size()), b = static_cast<Index>(columns_of.size());
      blas::gemm(blas::Transpose::yes, blas::Transpose::no, a, b, count, 1.0, left.data(), left.outerStride(), right.data(),
                 right.outerStride(), 0.0, product.data(), product.outerStride());
      for (Index l = 0; l < b; ++l)
        for (Index k = 0; k < a; ++k) G(rows_of[static_cast<std::size_t>(k)], columns_of[static_cast<std::size_t>(l)]) += product(k, l);
    };
    for (std::size_t own = 0; own < new_panels.size(); ++own) {
      const std::vector<Index>& positions = new_panels[own];
      read(from, count, positions, right);
      for (std::size_t l = 0; l < positions.size(); ++l)
        right.col(static_cast<Index>(l)).head(count).array() *= omega.segment(from, count).array();
      for (const auto& panel : old_panels) add(panel, positions);
      for (std::size_t other = 0; other <= own; ++other) add(new_panels[other], positions);
    }
  }
}

// ---- forms of the rows ------------------------------------------------------------------------------------------------------------------

Vector HeldColumns::row_forms(const Matrix& L_inverse) const {
  constexpr Index most_rows = 512;
  Vector out(rows());
  Matrix panel(std::min(rows(), most_rows), size());
  std::vector<std::size_t> next(columns_.size(), 0);  // the first entry that is not yet read
  for (Index from = 0; from < rows(); from += most_rows) {
    const Index count = std::min(most_rows, rows() - from);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const auto& [column, factor, shift] = columns_[i];
      auto x = panel.col(static_cast<Index>(i)).head(count);
      if (!column->is_sparse()) {
        x = factor * column->numbers.segment(from, count).array() + shift;
        continue;
      }
      x.setConstant(shift);
      const SparseColumn& entries = column->entries;
      for (std::size_t& e = next[i]; e < entries.row.size() && entries.row[e] < from + count; ++e)
        x[entries.row[e] - from] += factor * entries.value[e];
    }
    out.segment(from, count) = (panel.topRows(count) * L_inverse.transpose()).rowwise().squaredNorm();
  }
  return out;
}

}  // namespace ardvark::internal
