// Files of NumPy and SciPy: .npy and .npz.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "io/file.hpp"
#include "io/matrix_file.hpp"
#include "io/numpy_array.hpp"
#include "io/sparse_columns.hpp"
#include "io/text.hpp"
#include "io/zip_file.hpp"

namespace ardvark::internal::io {
namespace {

NumpyArray array_of_file(const std::string& path) {
  const File file = File::open(path);
  const std::shared_ptr<const char> memory = file.mapped();
  const std::string_view bytes = memory == nullptr ? std::string_view() : std::string_view(memory.get(), file.size());
  return numpy_array(bytes, memory, fmt::format("'{}'", path));
}

NumpyArray member(const ZipFile& file, const std::string& name) {
  std::shared_ptr<const char> memory;
  const std::string_view bytes = file.read(name + ".npy", memory);
  return numpy_array(bytes, memory, fmt::format("{} in '{}'", shown(name), file.path()));
}

MatrixFile dense_of(const NumpyArray& array) {
  if (array.shape.size() != 2)
    throw array.wrong(
        fmt::format("has {} dimension{}; a matrix has 2", array.shape.size(), array.shape.size() == 1 ? "" : "s"),
        array.shape.size() == 1 ? "save X.reshape(-1, 1) if it is one column" : "save X.reshape(len(X), -1), or a part of it");
  MatrixFile out;
  const NumpyNumbers numbers = read_numbers(array, out.notes);
  out.is_dense = true;
  out.dense = {
      numbers.data, numbers.scalar, array.shape[0], array.shape[1], array.is_fortran ? Layout::column_major : Layout::row_major, 0};
  out.memory = numbers.memory;
  return out;
}

// What scipy.sparse.save_npz writes.
struct SparseArrays {
  const ZipFile& file;
  Index rows = 0, cols = 0;
  NumpyArray data;

  [[nodiscard]] InvalidArgument wrong(const std::string& why, const std::string& remedy = remedy_of_cut) const {
    return wrong_matrix_file(file.path(), why, remedy);
  }
  [[nodiscard]] NumpyIntegers whole(const std::string& name, Index size = -1) const {
    const NumpyArray array = member(file, name);
    if (array.shape.size() != 1) throw array.wrong("must have one dimension", remedy_of_cut);
    if (size >= 0 && array.size() < size)
      throw array.wrong(fmt::format("has {} numbers where there must be {}", array.size(), size), remedy_of_cut);
    return whole_numbers(array);
  }
  void require_inside(const NumpyIntegers& places, Index entries, Index size, const char* what) const {
    for (Index e = 0; e < entries; ++e)
      if (const Index place = places[e]; place < 0 || place >= size)
        throw wrong(fmt::format("has an entry in {} {}; there are {} {}s, counted from 0", what, place, size, what));
  }
};

// The entries of compressed columns or rows, "lines".
struct Compressed {
  NumpyIntegers start, place;
  Index lines = 0, entries = 0;

  void check(const SparseArrays& arrays, Index size, const char* what) const {
    bool ascends = start.size == lines + 1 && start[0] == 0 && entries <= place.size && entries <= arrays.data.size();
    for (Index i = 1; i < start.size; ++i) ascends = ascends && start[i] >= start[i - 1];
    if (!ascends) throw arrays.wrong("has an indptr that does not fit its shape and its entries");
    arrays.require_inside(place, entries, size, what);
  }
  [[nodiscard]] bool ascends_in_each() const {
    for (Index line = 0; line < lines; ++line)
      for (Index e = start[line] + 1; e < start[line + 1]; ++e)
        if (place[e] <= place[e - 1]) return false;
    return true;
  }
};

// The arrays of CSC as they are, if a fit can read them there; nothing: they must be put in order.
std::optional<SparseColumns> in_place(const SparseArrays& arrays, const Compressed& from, const NumpyNumbers& numbers) {
  const bool have_one_width = (from.start.narrow == nullptr) == (from.place.narrow == nullptr);
  if (!have_one_width || !from.ascends_in_each()) return std::nullopt;
  const auto kept = std::make_shared<const std::array<std::shared_ptr<const void>, 3>>(
      std::array<std::shared_ptr<const void>, 3>{from.start.memory, from.place.memory, numbers.memory});
  return SparseColumns{arrays.rows,    arrays.cols, from.start.wide != nullptr, from.start.data(), from.place.data(), numbers.data,
                       numbers.scalar, kept};
}

ColumnsFound read_compressed(const SparseArrays& arrays, bool by_columns, const NumpyNumbers& numbers, auto&& with_value) {
  Compressed from{arrays.whole("indptr", 1), {}, by_columns ? arrays.cols : arrays.rows, 0};
  from.entries = from.start[from.start.size - 1];
  from.place = arrays.whole("indices", from.entries);
  from.check(arrays, by_columns ? arrays.rows : arrays.cols, by_columns ? "row" : "column");
  require_backed(arrays.file.path(), arrays.rows, arrays.cols, from.entries);
  if (by_columns)
    if (auto columns = in_place(arrays, from, numbers)) return {std::move(*columns), 0};
  return with_value(from.entries, [&](auto&& f) {
    for (Index line = 0; line < from.lines; ++line)
      for (Index e = from.start[line]; e < from.start[line + 1]; ++e) {
        const Index place = from.place[e];
        by_columns ? f(place, line, e) : f(line, place, e);
      }
  });
}

ColumnsFound read_coordinates(const SparseArrays& arrays, auto&& with_value) {
  const Index entries = arrays.data.size();
  const NumpyIntegers row = arrays.whole("row", entries), col = arrays.whole("col", entries);
  arrays.require_inside(row, entries, arrays.rows, "row");
  arrays.require_inside(col, entries, arrays.cols, "column");
  require_backed(arrays.file.path(), arrays.rows, arrays.cols, entries);
  return with_value(entries, [&](auto&& f) {
    for (Index e = 0; e < entries; ++e) f(row[e], col[e], e);
  });
}

void take_shape(SparseArrays& arrays) {
  const NumpyIntegers shape = arrays.whole("shape");
  if (shape.size != 2)
    throw arrays.wrong(fmt::format("has {} dimension{}; a matrix has 2", shape.size, shape.size == 1 ? "" : "s"),
                       "save it as a matrix: X.reshape(rows, columns)");
  if (shape[0] < 0 || shape[1] < 0 || shape[0] > most_lines || shape[1] > most_lines)
    throw arrays.wrong(fmt::format("has the shape {} x {}; there may be at most {} rows and columns", shape[0], shape[1], most_lines));
  arrays.rows = shape[0], arrays.cols = shape[1];
}

MatrixFile sparse_of(const ZipFile& file) {
  SparseArrays arrays{file, 0, 0, {}};
  const std::string format = numpy_text(member(file, "format"));
  if (format != "csr" && format != "csc" && format != "coo")
    throw arrays.wrong(fmt::format("holds a sparse matrix of the format '{}', which is not read here", shown(format)),
                       "save X.tocsr(): scipy.sparse.save_npz(path, X.tocsr())");
  take_shape(arrays);
  arrays.data = member(file, "data");
  if (arrays.data.shape.size() != 1) throw arrays.data.wrong("must have one dimension", remedy_of_cut);
  MatrixFile out;
  const NumpyNumbers numbers = read_numbers(arrays.data, out.notes, true);
  const auto with_value = [&](Index entries, auto&& each) {
    const auto columns_in = [&]<TableScalar Value>(Value) {
      const auto* const values = static_cast<const Value*>(numbers.data);
      return columns_of<Value>(arrays.rows, arrays.cols, entries, [&](auto&& f) {
        each([&](Index row, Index col, Index entry) { f(row, col, static_cast<double>(values[entry])); });
      });
    };
    if (numbers.scalar == ScalarType::float32) return columns_in(float());
    return numbers.scalar == ScalarType::int8 ? columns_in(std::int8_t()) : columns_in(double());
  };
  ColumnsFound found =
      format == "coo" ? read_coordinates(arrays, with_value) : read_compressed(arrays, format == "csc", numbers, with_value);
  out.sparse = std::move(found.columns);
  if (const std::string note = note_of_added(found.num_added, file.path()); !note.empty()) out.notes.push_back(note);
  return out;
}

}  // namespace

MatrixFile read_npy(const std::string& path) { return dense_of(array_of_file(path)); }

MatrixFile read_npz(const std::string& path) {
  const ZipFile file(path);
  std::vector<std::string> names;
  for (const auto& [name, ignored] : file.members())
    if (name.ends_with(".npy")) names.push_back(name.substr(0, name.size() - 4));
  if (file.members().contains("format.npy") && file.members().contains("shape.npy")) return sparse_of(file);
  if (names.empty()) throw wrong_matrix_file(path, "holds no array", "write it by numpy.savez or scipy.sparse.save_npz");
  if (names.size() > 1)
    throw wrong_matrix_file(path, fmt::format("holds {} arrays, {}", names.size(), listed(names)),
                            "save the matrix alone, and the target as a .npy file for --target");
  return dense_of(member(file, names.front()));
}

std::vector<double> read_npy_vector(const std::string& path) {
  const NumpyArray array = array_of_file(path);
  const bool is_line = array.shape.size() == 1 || (array.shape.size() == 2 && (array.shape[0] == 1 || array.shape[1] == 1));
  if (!is_line)
    throw array.wrong(fmt::format("has the shape {}; a target has one dimension", fmt::join(array.shape, " x ")), "save one column of it");
  std::vector<std::string> notes;  // all become double, of which there is nothing to say
  const NumpyNumbers numbers = read_numbers(array, notes);
  std::vector<double> out(static_cast<std::size_t>(array.size()));
  for (Index i = 0; i < array.size(); ++i) {
    const double value = number_at(numbers.data, numbers.scalar, i);
    if (!std::isfinite(value)) {
      const std::string text = fmt::format("{}", value);
      throw InvalidArgument(
          {.value = text, .row = i + 1, .row_name = fmt::format("row {} of '{}'", i + 1, path), .why = "all values must be finite"}, "",
          fmt::format(" is {}; all values must be finite", text));
    }
    out[static_cast<std::size_t>(i)] = value;
  }
  return out;
}

}  // namespace ardvark::internal::io
