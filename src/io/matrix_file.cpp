#include "io/matrix_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/text.hpp"

namespace ardvark::internal::io {

std::optional<MatrixFormat> matrix_format_of(std::string_view path) {
  const std::string lower = lower_case(std::string(path));
  std::string_view name = lower;
  for (const std::string_view packed : {".gz", ".zst"})
    if (name.ends_with(packed)) name.remove_suffix(packed.size());
  if (name.ends_with(".mtx")) return MatrixFormat::matrix_market;
  if (name.ends_with(".npy")) return MatrixFormat::npy;
  if (name.ends_with(".npz")) return MatrixFormat::npz;
  for (const std::string_view ending : {".svm", ".svmlight", ".libsvm"})
    if (name.ends_with(ending)) return MatrixFormat::svmlight;
  return std::nullopt;
}

MatrixFile read_matrix(const std::string& path, IndexBase base, Index cols) {
  switch (matrix_format_of(path).value_or(MatrixFormat::matrix_market)) {
    case MatrixFormat::svmlight: return read_svmlight(path, base, cols);
    case MatrixFormat::npy: return read_npy(path);
    case MatrixFormat::npz: return read_npz(path);
    case MatrixFormat::matrix_market: break;
  }
  return read_matrix_market(path);
}

InvalidArgument wrong_matrix_file(const std::string& path, const std::string& why, const std::string& remedy) {
  return {{.why = why, .remedy = remedy}, fmt::format("'{}' {}", path, why)};
}

void require_backed(const std::string& path, Index rows, Index cols, Index entries) {
  // 16 million are more than the columns of common hashes; beyond them, one column of a hundred has an entry in the sparsest tables.
  const Index most = std::max<Index>(Index{1} << 24, 100 * entries);
  if (rows <= most && cols <= most) return;
  const char* const what = rows > most ? "row" : "column";
  throw wrong_matrix_file(path,
                          fmt::format("has {} rows and {} columns, but {} entries: most {}s would be empty", rows, cols, entries, what),
                          fmt::format("write it without {}s that have no entries", what));
}

}  // namespace ardvark::internal::io
