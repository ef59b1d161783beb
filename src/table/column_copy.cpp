#include "table/column_copy.hpp"

#include <algorithm>
#include <type_traits>

#include "core/numbers.hpp"

namespace ardvark::internal {
namespace {

template <typename T>
void gather_columns(const MatrixView& X, const std::vector<Index>& columns, std::vector<T>& out) {
  const T* from = static_cast<const T*>(X.data());
  out.resize(columns.size() * static_cast<std::size_t>(X.rows()));
  auto to = out.begin();
  if (X.layout() == Layout::column_major) {
    for (const Index column : columns) to = std::copy_n(from + column * X.stride(), X.rows(), to);
  } else {
    for (Index i = 0; i < X.rows(); ++i, from += X.stride())
      to = std::transform(columns.begin(), columns.end(), to, [&](Index column) { return from[column]; });
  }
}

}  // namespace

ColumnCopy::ColumnCopy(const FitTable& X, const std::vector<Index>& columns)
    : table_(X.visit([&](const auto& table) { return gather(table, columns); })) {}

FitTable ColumnCopy::gather(const MatrixView& X, const std::vector<Index>& columns) {
  return with_scalar(X.scalar(), [&](auto of_type) -> FitTable {
    auto& out = numbers<decltype(of_type)>();
    gather_columns(X, columns, out);
    return MatrixView(out.data(), X.rows(), static_cast<Index>(columns.size()), X.layout());
  });
}

FitTable ColumnCopy::gather(const CscView& X, const std::vector<Index>& columns) {
  start_.assign(1, 0);
  return with_entries(X, [&](const auto* row, const auto* value) -> FitTable {
    auto& out = numbers<std::remove_cvref_t<decltype(*value)>>();
    for (const Index column : columns) {
      row_.insert(row_.end(), row + X.start(column), row + X.start(column + 1));
      out.insert(out.end(), value + X.start(column), value + X.start(column + 1));
      start_.push_back(static_cast<std::int64_t>(row_.size()));
    }
    return CscView(start_.data(), row_.data(), out.data(), X.rows(), static_cast<Index>(columns.size()), X.dense());
  });
}

// The bytes of each variant, one variant after the other.
FitTable ColumnCopy::gather(const GenotypeView& X, const std::vector<Index>& columns) {
  const auto is_variant = [&](Index column) { return column < X.variants(); };
  const auto num_variants = static_cast<Index>(std::ranges::count_if(columns, is_variant));
  const Index width = GenotypeView::bytes_of_line(X.rows());
  std::vector<Index> others;
  genotypes_.reserve(static_cast<std::size_t>(std::max<Index>(num_variants * width, 1)));  // whose address is not null
  for (const Index column : columns) {
    if (!is_variant(column)) {
      others.push_back(column - X.variants());
      continue;
    }
    missing_.push_back(X.missing(column));
    counts_second_.push_back(X.counts_second(column) ? 1 : 0);
    const std::uint8_t* const line = X.line(column);
    start_.push_back(line == nullptr ? -1 : static_cast<std::int64_t>(genotypes_.size()) / std::max<Index>(width, 1));
    if (line != nullptr) genotypes_.insert(genotypes_.end(), line, line + width);
  }
  const MatrixView beside = others.empty() ? MatrixView() : gather(X.beside(), others).dense("a view of columns");
  return GenotypeView(genotypes_.data(), X.rows(), num_variants, {missing_.data(), counts_second_.data(), start_.data()}, beside,
                      X.dense());
}

}  // namespace ardvark::internal
