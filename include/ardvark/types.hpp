// The types that all headers of ardvark use: sizes, owned vectors and matrices, and read-only views of the caller's arrays.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "ardvark/errors.hpp"

namespace ardvark {

using Index = Eigen::Index;      ///< sizes and positions: signed, 64 bits
using Vector = Eigen::VectorXd;  ///< an owned vector
using Matrix = Eigen::MatrixXd;  ///< an owned matrix, column-major

/// A read-only view of contiguous doubles. Nothing is copied: the caller's array must exist as long as the view. A temporary may therefore
/// be an argument of a call, but must not be stored in an option.
class VectorView {
 public:
  VectorView() = default;
  VectorView(const double* data, Index size) : data_(data), size_(size) {}
  VectorView(const Vector& v) : data_(v.data()), size_(v.size()) {}
  VectorView(const std::vector<double>& v) : data_(v.data()), size_(static_cast<Index>(v.size())) {}
  VectorView(std::span<const double> v) : data_(v.data()), size_(static_cast<Index>(v.size())) {}

  [[nodiscard]] const double* data() const { return data_; }
  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] double operator[](Index i) const { return data_[i]; }
  [[nodiscard]] const double* begin() const { return data_; }
  [[nodiscard]] const double* end() const { return data_ + size_; }
  [[nodiscard]] Eigen::Map<const Vector> eigen() const { return {data_, size_}; }

 private:
  const double* data_ = nullptr;
  Index size_ = 0;
};

enum class Layout { column_major, row_major };
enum class ScalarType { float64, float32, int8 };

/// What a matrix or the entries of a sparse one may hold: double, float, std::int8_t.
template <typename T>
concept TableScalar = std::is_same_v<T, double> || std::is_same_v<T, float> || std::is_same_v<T, std::int8_t>;

template <TableScalar T>
constexpr ScalarType scalar_type = std::is_same_v<T, double> ? ScalarType::float64
                                                             : (std::is_same_v<T, float> ? ScalarType::float32 : ScalarType::int8);

/// Bytes of one number.
constexpr Index size_of(ScalarType scalar) { return scalar == ScalarType::float64 ? 8 : (scalar == ScalarType::float32 ? 4 : 1); }

/// numbers[i] as a double.
inline double number_at(const void* numbers, ScalarType scalar, Index i) {
  switch (scalar) {
    case ScalarType::float64: return static_cast<const double*>(numbers)[i];
    case ScalarType::float32: return static_cast<double>(static_cast<const float*>(numbers)[i]);
    case ScalarType::int8: break;
  }
  return static_cast<double>(static_cast<const std::int8_t*>(numbers)[i]);
}

/// A read-only view of a [rows, cols] matrix of double, float or int8, in either memory order, with any leading dimension. Nothing is
/// copied. `stride` is the distance, in elements, between neighbouring columns (column-major) or rows (row-major).
class MatrixView {
 public:
  MatrixView() = default;
  MatrixView(const double* data, Index rows, Index cols, Layout layout = Layout::column_major, Index stride = 0)
      : MatrixView(data, ScalarType::float64, rows, cols, layout, stride) {}
  MatrixView(const float* data, Index rows, Index cols, Layout layout = Layout::column_major, Index stride = 0)
      : MatrixView(data, ScalarType::float32, rows, cols, layout, stride) {}
  MatrixView(const std::int8_t* data, Index rows, Index cols, Layout layout = Layout::column_major, Index stride = 0)
      : MatrixView(data, ScalarType::int8, rows, cols, layout, stride) {}
  MatrixView(const void* data, ScalarType scalar, Index rows, Index cols, Layout layout, Index stride)
      : data_(data), scalar_(scalar), rows_(rows), cols_(cols), layout_(layout), stride_(stride) {
    // A single line has no neighbour: its stride is the one that BLAS requires.
    const Index length = layout == Layout::column_major ? rows : cols, lines = layout == Layout::column_major ? cols : rows;
    if (stride_ == 0 || lines == 1) stride_ = length;
    if (layout == Layout::row_major && cols == 1 && stride_ == 1) {  // a vector has both layouts; always the same one gives the same bits
      layout_ = Layout::column_major;
      stride_ = rows;
    }
  }

  /// Any Eigen matrix, map or block with direct access: MatrixXd, MatrixXf, row-major ones, X.leftCols(3), X.row(2), ...
  /// \throws InvalidArgument  neither the elements of a column nor those of a row are contiguous in memory
  template <typename Derived>
  requires(TableScalar<typename Derived::Scalar>) MatrixView(const Eigen::MatrixBase<Derived>& m)
      : MatrixView(m.derived().data(), m.rows(), m.cols()) {
    if (m.cols() == 1 && m.derived().rowStride() == 1) return;
    const Index to_next_row = m.derived().rowStride(), to_next_col = m.derived().colStride();
    if (to_next_row == 1 || m.rows() == 1) {
      layout_ = Layout::column_major;
      stride_ = to_next_col;
    } else if (to_next_col == 1 || m.cols() == 1) {
      layout_ = Layout::row_major;
      stride_ = to_next_row;
    } else {
      throw InvalidArgument("a matrix view needs the elements of a column, or of a row, side by side in memory; copy the matrix first");
    }
  }

  [[nodiscard]] const void* data() const { return data_; }
  [[nodiscard]] ScalarType scalar() const { return scalar_; }
  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index cols() const { return cols_; }
  [[nodiscard]] Layout layout() const { return layout_; }
  [[nodiscard]] Index stride() const { return stride_; }
  [[nodiscard]] double operator()(Index i, Index j) const {
    const Index at = layout_ == Layout::column_major ? i + j * stride_ : i * stride_ + j;
    return number_at(data_, scalar_, at);
  }

  /// Rows first .. first+count-1 and columns first .. first+count-1, as views of the same memory.
  [[nodiscard]] MatrixView row_range(Index first, Index count) const { return range(layout_ == Layout::row_major, first, count, cols_); }
  [[nodiscard]] MatrixView column_range(Index first, Index count) const {
    return range(layout_ == Layout::column_major, first, rows_, count);
  }

 private:
  [[nodiscard]] MatrixView range(bool of_lines, Index first, Index rows, Index cols) const {
    const Index skipped = first * (of_lines ? stride_ : 1) * size_of(scalar_);
    return {static_cast<const char*>(data_) + skipped, scalar_, rows, cols, layout_, stride_};
  }

  const void* data_ = nullptr;
  ScalarType scalar_ = ScalarType::float64;
  Index rows_ = 0;
  Index cols_ = 0;
  Layout layout_ = Layout::column_major;
  Index stride_ = 0;
};

/// A read-only view of a [rows, cols] matrix in compressed sparse columns, as scipy.sparse.csc_array has it. Nothing is copied.
class CscView {
 public:
  CscView() = default;
  /// \param start  [cols + 1] the entries of column j are start[j] to start[j + 1] - 1; start[0] is 0
  /// \param row    [entries] counted from 0; ascending in each column
  /// \param value  [entries] of double, float or int8
  /// \param dense  how the caller makes it dense, for messages and notes, such as "X.toarray()"; empty: they do not say it
  template <TableScalar Value>
  CscView(const std::int32_t* start, const std::int32_t* row, const Value* value, Index rows, Index cols, const char* dense = "")
      : CscView(start, row, value, scalar_type<Value>, rows, cols, dense) {}
  template <TableScalar Value>
  CscView(const std::int64_t* start, const std::int64_t* row, const Value* value, Index rows, Index cols, const char* dense = "")
      : CscView(start, row, value, scalar_type<Value>, rows, cols, dense) {}
  CscView(const std::int32_t* start, const std::int32_t* row, const void* value, ScalarType scalar, Index rows, Index cols,
          const char* dense = "")
      : start_(start), row_(row), value_(value), scalar_(scalar), rows_(rows), cols_(cols), dense_(dense) {}
  CscView(const std::int64_t* start, const std::int64_t* row, const void* value, ScalarType scalar, Index rows, Index cols,
          const char* dense = "")
      : start_(start), row_(row), value_(value), scalar_(scalar), rows_(rows), cols_(cols), is_wide_(true), dense_(dense) {}

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index cols() const { return cols_; }
  [[nodiscard]] Index start(Index j) const { return number(start_, j); }  ///< j from 0 to cols
  [[nodiscard]] Index entries(Index j) const { return start(j + 1) - start(j); }
  [[nodiscard]] Index entries() const { return cols_ > 0 ? start(cols_) : 0; }
  [[nodiscard]] Index row(Index entry) const { return number(row_, entry); }
  [[nodiscard]] double value(Index entry) const { return number_at(value_, scalar_, entry); }
  /// The arrays themselves, for loops that know their types.
  [[nodiscard]] const void* row_data() const { return row_; }
  [[nodiscard]] const void* value_data() const { return value_; }
  [[nodiscard]] ScalarType scalar() const { return scalar_; }
  [[nodiscard]] bool is_wide() const { return is_wide_; }  ///< starts and rows are std::int64_t, otherwise std::int32_t
  [[nodiscard]] const char* dense() const { return dense_; }
  [[nodiscard]] bool is_null() const { return start_ == nullptr || ((row_ == nullptr || value_ == nullptr) && entries() > 0); }

 private:
  [[nodiscard]] Index number(const void* numbers, Index i) const {
    return is_wide_ ? static_cast<Index>(static_cast<const std::int64_t*>(numbers)[i])
                    : static_cast<Index>(static_cast<const std::int32_t*>(numbers)[i]);
  }

  const void* start_ = nullptr;
  const void* row_ = nullptr;
  const void* value_ = nullptr;
  ScalarType scalar_ = ScalarType::float64;
  Index rows_ = 0;
  Index cols_ = 0;
  bool is_wide_ = false;
  const char* dense_ = "";
};

/// A [rows, cols] matrix of doubles together with its memory, for calls that may overwrite it, or keep it instead of a copy. Pass one only
/// if you no longer need the numbers.
struct OwnedMatrix {
  std::shared_ptr<double[]> memory;  ///< rows * cols, no gaps; no other code reads or writes it
  MatrixView view;                   ///< view of `memory`

  /// \param values  [rows * cols] with their deleter: a unique_ptr, for example
  OwnedMatrix(std::shared_ptr<double[]> values, Index rows, Index cols, Layout layout = Layout::column_major)
      : memory(std::move(values)), view(memory.get(), rows, cols, layout) {}
  explicit OwnedMatrix(Matrix&& X) {
    const auto kept = std::make_shared<Matrix>(std::move(X));
    memory = {kept, kept->data()};
    view = *kept;
  }
};

}  // namespace ardvark
