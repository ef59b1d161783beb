// Files that hold a matrix without names of columns: Matrix Market, svmlight, and those of NumPy and SciPy.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ardvark/table.hpp"
#include "ardvark/types.hpp"

namespace ardvark::internal::io {

enum class MatrixFormat { matrix_market, svmlight, npy, npz };

/// By the end of the name: .mtx, .npy, .npz, or .svm, .svmlight and .libsvm, each also with .gz or .zst after it.
[[nodiscard]] std::optional<MatrixFormat> matrix_format_of(std::string_view path);

/// Columns with their entries, the rows ascending in each, and the memory where they lie.
struct SparseColumns {
  Index rows = 0, cols = 0;
  bool is_wide = false;  ///< starts and rows are std::int64_t, otherwise std::int32_t
  const void *start = nullptr, *row = nullptr, *value = nullptr;
  ScalarType scalar = ScalarType::float64;
  std::shared_ptr<const void> memory = {};

  [[nodiscard]] CscView view() const {
    if (is_wide) return {static_cast<const std::int64_t*>(start), static_cast<const std::int64_t*>(row), value, scalar, rows, cols};
    return {static_cast<const std::int32_t*>(start), static_cast<const std::int32_t*>(row), value, scalar, rows, cols};
  }
};

/// The matrix of a file.
struct MatrixFile {
  bool is_dense = false;
  MatrixView dense;
  std::shared_ptr<const void> memory;  ///< of `dense`
  SparseColumns sparse;
  std::vector<double> target;      ///< svmlight: [rows]
  int index_base = 1;              ///< the number of the first column in the file
  std::vector<std::string> notes;  ///< what there is to say of the file

  [[nodiscard]] Index rows() const { return is_dense ? dense.rows() : sparse.rows; }
  [[nodiscard]] Index cols() const { return is_dense ? dense.cols() : sparse.cols; }
  void hold(Matrix&& X) {
    const auto kept = std::make_shared<const Matrix>(std::move(X));
    is_dense = true, dense = *kept, memory = kept;
  }
};

/// How svmlight numbers the first column. automatic: 0 if there is an index 0 in the file, otherwise 1; a note says which.
enum class IndexBase { automatic, zero, one };
/// \throws InvalidArgument  it is none of auto, 0, 1
[[nodiscard]] IndexBase index_base_of(const std::string& word, Advice advice = Advice::command_line);

/// A file of one of these formats, by its name. \param base, cols  as for read_svmlight
[[nodiscard]] MatrixFile read_matrix(const std::string& path, IndexBase base = IndexBase::automatic, Index cols = 0);

/// A file of Matrix Market: coordinate (sparse) or array (dense); real, integer or pattern (ones); general, symmetric or skew-symmetric,
/// of which both triangles are returned. Entries of the same place are added, and a note says how many.
/// \throws InvalidArgument  the file is cut or damaged, or complex; an entry lies outside the shape, or is not finite
/// \throws EnvironmentError  it cannot be read
[[nodiscard]] MatrixFile read_matrix_market(const std::string& path);

/// A file of svmlight or libsvm: a line per row, the target before "INDEX:VALUE ...". qid:NUMBER and what is after # is not read.
/// \param cols  at least so many columns; of a model that predicts
/// \throws InvalidArgument  a line is none; a value is not finite  \throws EnvironmentError  the file cannot be read
[[nodiscard]] MatrixFile read_svmlight(const std::string& path, IndexBase base = IndexBase::automatic, Index cols = 0,
                                       Advice advice = Advice::command_line);

/// The matrix of a .npy file, where it lies in the file: numbers of 8 and 4 bytes and int8 are mapped into memory and not copied, nor are
/// bool, and uint8 up to 127. Other numbers become float32 or float64, and a note says so.
/// \throws InvalidArgument  the array has not two dimensions, or holds no real numbers; the file is cut or damaged
/// \throws EnvironmentError  it cannot be read
[[nodiscard]] MatrixFile read_npy(const std::string& path);

/// A .npz file: a sparse matrix that scipy.sparse.save_npz wrote as CSR, CSC or COO, or one array of two dimensions.
/// \throws InvalidArgument, EnvironmentError  as read_npy(); an index lies outside the shape; there are several arrays
[[nodiscard]] MatrixFile read_npz(const std::string& path);

/// The numbers of a .npy file with one dimension, or with two of which one is 1. [size]
/// \throws InvalidArgument, EnvironmentError  as read_npy(); a number is not finite
[[nodiscard]] std::vector<double> read_npy_vector(const std::string& path);

/// "'a.mtx' WHY; REMEDY"
[[nodiscard]] InvalidArgument wrong_matrix_file(const std::string& path, const std::string& why, const std::string& remedy = {});

/// What to do about a file that is shorter than it says.
inline constexpr const char* remedy_of_cut = "it was cut or damaged; copy or make it again";

/// The most rows or columns of a file.
inline constexpr Index most_lines = 2147483647;

/// Refuses a shape that a file of so many entries can hardly have: it would take memory that nothing in the file backs.
void require_backed(const std::string& path, Index rows, Index cols, Index entries);

}  // namespace ardvark::internal::io
