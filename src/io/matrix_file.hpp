// Files that hold a matrix without names of columns: Matrix Market and svmlight.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ardvark/types.hpp"

namespace ardvark::internal::io {

enum class MatrixFormat { matrix_market, svmlight };

/// By the end of the name: .mtx, or .svm, .svmlight and .libsvm, each also with .gz or .zst after it.
[[nodiscard]] std::optional<MatrixFormat> matrix_format_of(std::string_view path);

/// Columns with their entries, the rows ascending in each.
struct SparseColumns {
  Index rows = 0, cols = 0;
  std::vector<std::int64_t> start, row;
  std::vector<double> value;

  [[nodiscard]] CscView view() const { return {start.data(), row.data(), value.data(), rows, cols}; }
};

/// The matrix of a file.
struct MatrixFile {
  bool is_dense = false;
  Matrix dense;
  SparseColumns sparse;
  std::vector<double> target;      ///< svmlight: [rows]
  int index_base = 1;              ///< the number of the first column in the file
  std::vector<std::string> notes;  ///< what there is to say of the file

  [[nodiscard]] Index rows() const { return is_dense ? static_cast<Index>(dense.rows()) : sparse.rows; }
  [[nodiscard]] Index cols() const { return is_dense ? static_cast<Index>(dense.cols()) : sparse.cols; }
};

/// A file of Matrix Market: coordinate (sparse) or array (dense); real, integer or pattern (ones); general, symmetric or skew-symmetric,
/// of which both triangles are returned. Entries of the same place are added, and a note says how many.
/// \throws InvalidArgument  the file is cut or damaged, or complex; an entry lies outside the shape, or is not finite
/// \throws EnvironmentError  it cannot be read
[[nodiscard]] MatrixFile read_matrix_market(const std::string& path);

/// How svmlight numbers the first column. automatic: 0 if there is an index 0 in the file, otherwise 1; a note says which.
enum class IndexBase { automatic, zero, one };
/// \throws InvalidArgument  it is none of auto, 0, 1
[[nodiscard]] IndexBase index_base_of(const std::string& word);

/// A file of svmlight or libsvm: a line per row, the target before "INDEX:VALUE ...". qid:NUMBER and what is after # is not read.
/// \param cols  at least so many columns; of a model that predicts
/// \throws InvalidArgument  a line is none; a value is not finite  \throws EnvironmentError  the file cannot be read
[[nodiscard]] MatrixFile read_svmlight(const std::string& path, IndexBase base = IndexBase::automatic, Index cols = 0);

}  // namespace ardvark::internal::io
