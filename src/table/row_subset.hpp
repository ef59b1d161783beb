// Some rows of a table, and rows by their content, whatever its form.
#pragma once

#include <compare>
#include <cstdint>
#include <tuple>
#include <vector>

#include "table/fit_table.hpp"

namespace ardvark::internal {

/// A copy of some rows, in the form of the original: memory order and type of its numbers.
class RowSubset {
 public:
  /// \param rows  in any order; a row may be named more than once
  RowSubset(const FitTable& X, const std::vector<Index>& rows);
  RowSubset(const RowSubset&) = delete;  // the view is one of its own memory
  RowSubset& operator=(const RowSubset&) = delete;
  [[nodiscard]] const FitTable& table() const { return table_; }
  [[nodiscard]] MatrixView view() const { return table_.dense("a view of rows"); }  ///< of a dense table

 private:
  template <typename T>
  [[nodiscard]] std::vector<T>& numbers() {
    return std::get<std::vector<T>>(numbers_);
  }
  [[nodiscard]] FitTable gather(const MatrixView& X, const std::vector<Index>& rows);
  [[nodiscard]] FitTable gather(const CscView& X, const std::vector<Index>& rows);
  [[nodiscard]] FitTable gather(const GenotypeView& X, const std::vector<Index>& rows);

  std::tuple<std::vector<double>, std::vector<float>, std::vector<std::int8_t>> numbers_;  // one of them is not empty
  std::vector<std::int64_t> start_, row_;                                                  // of a sparse table
  std::vector<std::uint8_t> genotypes_;
  FitTable table_;
};

/// [n] Whether a row of a sparse table has an entry other than zero; of other tables, each row.
[[nodiscard]] std::vector<bool> have_entries(const FitTable& X);

/// The rows [x y] by their content.
class RowContent {
 public:
  RowContent(const FitTable& X, const Vector& y);
  /// Equal rows have equal keys.
  [[nodiscard]] std::uint64_t key(Index i) const { return keys_[static_cast<std::size_t>(i)]; }
  /// Of two rows with equal keys. Sparse rows are compared by a second key: two that differ have the same pair of keys once in 2^128.
  [[nodiscard]] std::weak_ordering compare(Index a, Index b) const;

 private:
  const FitTable& X_;
  const Vector& y_;
  std::vector<std::uint64_t> keys_, second_keys_;  // [n]; the second ones of sparse rows only
};

}  // namespace ardvark::internal
