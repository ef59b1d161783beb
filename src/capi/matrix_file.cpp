// Files that hold a matrix.
#include "io/matrix_file.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "capi/arguments.hpp"
#include "core/refusals.hpp"
#include "io/sparse_table.hpp"

struct ardvark_matrix_file {
  std::shared_ptr<const ardvark::internal::io::MatrixFile> file;
};

namespace ardvark::internal::capi {
namespace {

io::MatrixFile read(const std::string& path, const char* format, const char* index_base, Advice advice) {
  const io::IndexBase base = io::index_base_of(index_base == nullptr ? "auto" : index_base, advice);
  if (format == nullptr) {
    if (io::matrix_format_of(path)) return io::read_matrix(path, base);
    throw wrong("path", path, "it must end with .mtx, .svm, .svmlight, .libsvm, .npy or .npz");
  }
  if (std::string_view(format) != "svmlight") throw wrong("format", format, "it must be svmlight, or NULL");
  return io::read_svmlight(path, base, 0, advice);
}

std::int32_t type_of(ScalarType scalar) {
  return scalar == ScalarType::float64 ? ARDVARK_FLOAT64 : scalar == ScalarType::float32 ? ARDVARK_FLOAT32 : ARDVARK_INT8;
}

}  // namespace
}  // namespace ardvark::internal::capi

using namespace ardvark;
using namespace ardvark::internal;
using namespace ardvark::internal::capi;

extern "C" {

ardvark_code ardvark_matrix_file_read(const char* path, const char* format, const char* index_base, const char* language,
                                      ardvark_matrix_file** file, ardvark_error* error) {
  return made(file, "file", error, [&] {
    if (language != nullptr && std::string_view(language) != "python") throw wrong("language", language, "it must be python, or NULL");
    const Advice advice = language != nullptr ? Advice::python : Advice::command_line;
    return ardvark_matrix_file{
        std::make_shared<const io::MatrixFile>(read(std::string(text_of(path, "path")), format, index_base, advice))};
  });
}

ardvark_code ardvark_encoding_apply_csc(const ardvark_encoding* encoding, const ardvark_table* table, ardvark_matrix_file** X,
                                        ardvark_error* error) {
  return made(X, "X", error, [&] {
    const auto kept = std::make_shared<const io::SparseTable>(
        io::encode_sparse(table_of_encoding(required(table, "table"), required(encoding, "encoding")), encoding->encoding));
    io::MatrixFile out;
    out.sparse = {kept->rows, kept->cols, false, kept->start.data(), kept->row.data(), kept->value.data(), ScalarType::float64, kept};
    return ardvark_matrix_file{std::make_shared<const io::MatrixFile>(std::move(out))};
  });
}

ardvark_code ardvark_matrix_file_csc(const ardvark_matrix_file* file, ardvark_csc* X, ardvark_error* error) {
  return guarded(error, [&] {
    const io::MatrixFile& from = *required(file, "file").file;
    ardvark_csc& out = sized(X, "X", "ardvark_csc");
    if (from.is_dense) throw InvalidArgument("the matrix of the file is dense: ardvark_matrix_file_dense");
    const io::SparseColumns& columns = from.sparse;
    out.rows = columns.rows, out.columns = columns.cols;
    out.index_bits = columns.is_wide ? 64 : 32;
    out.start = columns.start, out.row = columns.row, out.value = columns.value;
    out.dense = nullptr;
    out.type = type_of(columns.scalar);
  });
}

ardvark_code ardvark_matrix_file_dense(const ardvark_matrix_file* file, ardvark_matrix* X, ardvark_error* error) {
  return guarded(error, [&] {
    const io::MatrixFile& from = *required(file, "file").file;
    ardvark_matrix& out = sized(X, "X", "ardvark_matrix");
    if (!from.is_dense) throw InvalidArgument("the matrix of the file is sparse: ardvark_matrix_file_csc");
    const bool by_row = from.dense.layout() == Layout::row_major;
    out.data = from.dense.data(), out.type = type_of(from.dense.scalar());
    out.rows = from.dense.rows(), out.columns = from.dense.cols();
    out.row_stride = by_row ? from.dense.stride() : 1, out.column_stride = by_row ? 1 : from.dense.stride();
  });
}

ardvark_code ardvark_matrix_file_result(const ardvark_matrix_file* file, ardvark_result** result, ardvark_error* error) {
  return made(result, "result", error, [&] {
    return [from = required(file, "file").file](Fields& out) {
      out.put("rows", Json(from->rows()));
      out.put("columns", Json(from->cols()));
      out.put("sparse", Json(!from->is_dense));
      out.put("index_base", Json(Index{from->index_base}));
      out.put("target", VectorView(from->target));
      out.put("notes", Json(from->notes));
    };
  });
}

void ardvark_matrix_file_free(ardvark_matrix_file* file) { delete file; }

}  // extern "C"
