// The rows of a table while they are read.
#pragma once

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "ardvark/table.hpp"

namespace ardvark::internal::io {

/// Rows of doubles in one buffer. It grows with realloc, which remaps the pages of large blocks instead of copying them.
class RowBuffer {
 public:
  /// \param rows  at first there is room for so many; 0: for about 512 numbers, so that a table of one row takes little more than that row
  explicit RowBuffer(Index num_columns, Index rows = 0) : row_size_(static_cast<std::size_t>(num_columns)) {
    if (rows > 0) resize(static_cast<std::size_t>(rows));
  }

  double* next_row() {
    if (num_rows_ == capacity_) resize(std::max(first_numbers / row_size_, capacity_ + capacity_ / 2) + 1);
    return values_.get() + num_rows_ * row_size_;
  }
  void keep_row() { ++num_rows_; }
  [[nodiscard]] Index num_rows() const { return static_cast<Index>(num_rows_); }

  std::unique_ptr<double[], Table::Free> take() {
    resize(num_rows_);
    return std::move(values_);
  }

 private:
  static constexpr std::size_t first_numbers = 512;

  void resize(std::size_t rows) {
    if (rows > SIZE_MAX / (sizeof(double) * row_size_)) throw std::bad_alloc();
    void* resized = std::realloc(values_.get(), std::max<std::size_t>(1, rows * row_size_) * sizeof(double));
    if (resized == nullptr) throw std::bad_alloc();
    static_cast<void>(values_.release());
    values_.reset(static_cast<double*>(resized));
    capacity_ = rows;
  }

  std::size_t row_size_;
  std::size_t num_rows_ = 0;
  std::size_t capacity_ = 0;
  std::unique_ptr<double[], Table::Free> values_;
};

}  // namespace ardvark::internal::io
