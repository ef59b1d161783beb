// Some columns of a table, whatever its form.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "table/fit_table.hpp"

namespace ardvark::internal {

/// A copy of some columns, in the form of the original: memory order, sparsity, and type of the numbers.
class ColumnCopy {
 public:
  /// \param columns  in any order; of genotypes, variants before other columns
  ColumnCopy(const FitTable& X, const std::vector<Index>& columns);
  ColumnCopy(const ColumnCopy&) = delete;  // the view is one of its own memory
  ColumnCopy& operator=(const ColumnCopy&) = delete;
  [[nodiscard]] const FitTable& table() const { return table_; }

 private:
  template <typename T>
  [[nodiscard]] std::vector<T>& numbers() {
    return std::get<std::vector<T>>(numbers_);
  }
  [[nodiscard]] FitTable gather(const MatrixView& X, const std::vector<Index>& columns);
  [[nodiscard]] FitTable gather(const CscView& X, const std::vector<Index>& columns);
  [[nodiscard]] FitTable gather(const GenotypeView& X, const std::vector<Index>& columns);

  std::tuple<std::vector<double>, std::vector<float>, std::vector<std::int8_t>> numbers_;  // one of them is not empty
  std::vector<std::int64_t> start_, row_;                                                  // of a sparse table; start_: lines of genotypes
  std::vector<std::uint8_t> genotypes_, counts_second_;
  std::vector<double> missing_;
  FitTable table_;
};

}  // namespace ardvark::internal
