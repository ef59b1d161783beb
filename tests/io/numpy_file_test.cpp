// Files of NumPy and SciPy: written here byte by byte, and by the programs themselves.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>

#include "../support/packed.hpp"
#include "../support/paths.hpp"
#include "../support/thrown.hpp"
#include "../support/zip_bytes.hpp"
#include "io/matrix_file.hpp"

namespace ardvark {
namespace {

using internal::io::MatrixFile;
using internal::io::read_npy;
using internal::io::read_npy_vector;
using internal::io::read_npz;
using testing::message_of;
using testing::TemporaryFolder;
using testing::write_bytes;
using testing::zip_bytes;

Matrix values_of(const MatrixFile& file) {
  Matrix X = Matrix::Zero(file.rows(), file.cols());
  const CscView view = file.sparse.view();
  for (Index j = 0; j < X.cols(); ++j) {
    if (file.is_dense) {
      for (Index i = 0; i < X.rows(); ++i) X(i, j) = file.dense(i, j);
      continue;
    }
    for (Index e = view.start(j); e < view.start(j + 1); ++e) {
      X(view.row(e), j) += view.value(e);
      EXPECT_TRUE(e == view.start(j) || view.row(e - 1) < view.row(e));
    }
  }
  return X;
}

Matrix by_rows(Index rows, Index cols, std::initializer_list<double> values) {
  Matrix X(rows, cols);
  auto next = values.begin();
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) X(i, j) = *next++;
  return X;
}

template <typename T>
std::string bytes_of(std::initializer_list<T> values, bool is_swapped = false) {
  std::string out;
  for (const T value : values) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    if (is_swapped) std::reverse(std::begin(bytes), std::end(bytes));
    out.append(bytes, sizeof(T));
  }
  return out;
}

// Version 1 of the format: a mark, the version, two bytes with the length of the header, the header, the elements.
std::string npy_of_header(std::string header, const std::string& elements, int version = 1) {
  header += std::string(64 - (10 + header.size() + 1) % 64, ' ') + '\n';
  std::string out = "\x93NUMPY";
  out += static_cast<char>(version);
  out += '\0';
  for (std::size_t i = 0; i < (version == 1 ? 2U : 4U); ++i) out += static_cast<char>(header.size() >> 8U * i & 255U);
  return out + header + elements;
}
std::string npy(const std::string& type, const std::string& shape, const std::string& elements, bool is_fortran = false) {
  return npy_of_header(fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", type, is_fortran ? "True" : "False", shape),
                       elements);
}

template <typename T>
std::string list(const std::string& type, std::initializer_list<T> values) {
  return npy(type, fmt::format("({},)", values.size()), bytes_of<T>(values));
}
std::string word(const std::string& text) { return npy(fmt::format("|S{}", text.size()), "()", text); }

struct Csr {
  std::string format = "csr", data = list<double>("<f8", {2, 5, -1}), indices = list<std::int32_t>("<i4", {2, 0, 1}),
              indptr = list<std::int32_t>("<i4", {0, 1, 1, 3}), shape = list<std::int64_t>("<i8", {3, 4});
  [[nodiscard]] std::string bytes() const {
    return zip_bytes(
        {{"indices.npy", indices}, {"indptr.npy", indptr}, {"format.npy", word(format)}, {"shape.npy", shape}, {"data.npy", data}});
  }
};

class NumpyFile : public ::testing::Test {
 protected:
  [[nodiscard]] MatrixFile array(const std::string& bytes) const {
    write_bytes(folder_ / "a.npy", bytes);
    return read_npy(folder_ / "a.npy");
  }
  [[nodiscard]] MatrixFile archive(const std::string& bytes) const {
    write_bytes(folder_ / "a.npz", bytes);
    return read_npz(folder_ / "a.npz");
  }
  // The message without the folder.
  [[nodiscard]] std::string error_of(auto&& action) const {
    std::string message = message_of<InvalidArgument>(action);
    for (std::size_t at = message.find(folder_.path()); at != std::string::npos; at = message.find(folder_.path()))
      message.erase(at, folder_.path().size() + 1);
    return message;
  }
  [[nodiscard]] std::string array_error(const std::string& bytes) const {
    return error_of([&] { static_cast<void>(array(bytes)); });
  }
  [[nodiscard]] std::string archive_error(const std::string& bytes) const {
    return error_of([&] { static_cast<void>(archive(bytes)); });
  }
  TemporaryFolder folder_;
};

const Matrix two_by_three = by_rows(2, 3, {1, -2, 3, 4, 5, 6});

TEST_F(NumpyFile, NumbersStayInTheirTypeAndOrder) {
  const MatrixFile rows = array(npy("<f8", "(2, 3)", bytes_of<double>({1, -2, 3, 4, 5, 6})));
  EXPECT_EQ(values_of(rows), two_by_three);
  EXPECT_EQ(rows.dense.layout(), Layout::row_major);
  EXPECT_EQ(rows.dense.scalar(), ScalarType::float64);
  const MatrixFile columns = array(npy("<f4", "(2, 3)", bytes_of<float>({1, 4, -2, 5, 3, 6}), true));
  EXPECT_EQ(values_of(columns), two_by_three);
  EXPECT_EQ(columns.dense.layout(), Layout::column_major);
  EXPECT_EQ(columns.dense.scalar(), ScalarType::float32);
  const MatrixFile small = array(npy("|i1", "(2, 3)", bytes_of<std::int8_t>({1, -2, 3, 4, 5, 6})));
  EXPECT_EQ(values_of(small), two_by_three);
  EXPECT_EQ(small.dense.scalar(), ScalarType::int8);
  EXPECT_TRUE(rows.notes.empty() && columns.notes.empty() && small.notes.empty());
}

TEST_F(NumpyFile, OtherNumbersBecomeWhatHoldsThem) {
  const auto expect = [&](const MatrixFile& file, ScalarType scalar, std::size_t notes) {
    EXPECT_EQ(values_of(file), by_rows(1, 3, {1, 0, 127})) << fmt::format("{}", fmt::join(file.notes, "; "));
    EXPECT_EQ(file.dense.scalar(), scalar);
    EXPECT_EQ(file.notes.size(), notes);
  };
  expect(array(npy("|u1", "(1, 3)", bytes_of<std::uint8_t>({1, 0, 127}))), ScalarType::int8, 0);
  expect(array(npy("<i2", "(1, 3)", bytes_of<std::int16_t>({1, 0, 127}))), ScalarType::float32, 1);
  expect(array(npy("<u4", "(1, 3)", bytes_of<std::uint32_t>({1, 0, 127}))), ScalarType::float64, 1);
  expect(array(npy(">i8", "(1, 3)", bytes_of<std::int64_t>({1, 0, 127}, true))), ScalarType::float64, 1);
  expect(array(npy(">f4", "(1, 3)", bytes_of<float>({1, 0, 127}, true))), ScalarType::float32, 0);
  expect(array(npy("<f2", "(1, 3)", bytes_of<std::uint16_t>({0x3C00, 0, 0x57F0}))), ScalarType::float32, 1);
  EXPECT_EQ(values_of(array(npy("|b1", "(1, 2)", std::string("\1\0", 2)))), by_rows(1, 2, {1, 0}));
  EXPECT_EQ(values_of(array(npy("|u1", "(1, 2)", "\x80\xFF"))), by_rows(1, 2, {128, 255}));
  EXPECT_EQ(values_of(array(npy("<i8", "(1, 1)", bytes_of<std::int64_t>({std::int64_t{1} << 53})))), by_rows(1, 1, {9007199254740992.0}));
}

TEST_F(NumpyFile, HeadersOfOtherWritersAreRead) {
  const std::string numbers = bytes_of<double>({1, -2, 3, 4, 5, 6});
  for (const char* header :
       {"{'descr':'<f8','fortran_order':False,'shape':(2,3)}", "{\"shape\": (2L, 3L), \"fortran_order\": False, \"descr\": \"<f8\"}"})
    for (const int version : {1, 2, 3}) EXPECT_EQ(values_of(array(npy_of_header(header, numbers, version))), two_by_three) << header;
  // The numbers may begin anywhere: the header of this file ends off the boundaries of doubles.
  std::string odd = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }    \n";
  while ((10 + odd.size()) % 8 != 3) odd.insert(odd.size() - 1, " ");
  EXPECT_EQ(values_of(array("\x93NUMPY\1" + std::string(1, '\0') + bytes_of<std::uint16_t>({static_cast<std::uint16_t>(odd.size())}) + odd +
                            numbers)),
            two_by_three);
}

TEST_F(NumpyFile, WhatIsNoMatrixOfNumbersIsRefused) {
  const std::string eight(8, '\0');
  EXPECT_EQ(array_error(npy("|O", "(1, 1)", eight)),
            "'a.npy' holds objects of Python, which are pickled: to read them could run any program; save numbers: numpy.save(path, "
            "X.astype(float))");
  EXPECT_EQ(array_error(npy_of_header("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }", eight)),
            "'a.npy' holds records; save the numbers of one field, or a matrix");
  EXPECT_EQ(array_error(npy("<c16", "(1, 1)", eight + eight)),
            "'a.npy' holds complex numbers; a fit takes real numbers; save the real or the absolute part");
  EXPECT_EQ(array_error(npy("<f16", "(1, 1)", eight + eight)), "'a.npy' holds floats of 16 bytes; save X.astype(float)");
  EXPECT_EQ(array_error(npy("<M8[s]", "(1, 1)", eight)), "'a.npy' holds dates or durations; turn them into numbers first");
  EXPECT_EQ(array_error(npy("<U2", "(1, 1)", eight)), "'a.npy' holds texts; a fit takes numbers; turn them into numbers");
  EXPECT_EQ(array_error(npy("|b1", "(1, 1)", "\2")),
            "'a.npy' holds bool with other bytes than 0 and 1; it was cut or damaged; copy or make it again");
  EXPECT_EQ(array_error(npy("<f8", "(1,)", eight)), "'a.npy' has 1 dimension; a matrix has 2; save X.reshape(-1, 1) if it is one column");
  EXPECT_EQ(array_error(npy("<f8", "(1, 1, 1)", eight)),
            "'a.npy' has 3 dimensions; a matrix has 2; save X.reshape(len(X), -1), or a part of it");
  EXPECT_EQ(array_error("x,y\n1,2\n"), "'a.npy' is no array of NumPy; write it by numpy.save");
  EXPECT_EQ(array_error(""), "'a.npy' is no array of NumPy; write it by numpy.save");
  EXPECT_EQ(array_error("\x1F\x8B..."), "'a.npy' is compressed; unpack it first: an array of NumPy is read where it lies");
}

TEST_F(NumpyFile, AShapeThatTheBytesDoNotBackIsRefused) {
  const std::string numbers = bytes_of<double>({1, 2});
  EXPECT_EQ(array_error(npy("<f8", "(3, 1)", numbers)),
            "'a.npy' has 16 bytes of numbers; its shape, 3 x 1, needs 24; it was cut or damaged; copy or make it again");
  EXPECT_NE(array_error(npy("<f8", "(4611686018427387904, 4611686018427387904)", numbers)).find("more than there can be"),
            std::string::npos);
  EXPECT_EQ(array_error(npy("<f8", "(1, 1)", numbers)),
            "'a.npy' has 8 bytes after its array of 1 x 1; it is damaged, or holds several arrays: save one in a file");
  const std::string whole = npy("<f8", "(2, 1)", numbers);
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(array_error(whole.substr(0, size)).empty()) << size;
  EXPECT_EQ(array(npy("<f8", "(0, 3)", "")).cols(), 3);
  EXPECT_FALSE(array_error(npy("<f8", "(-2, -1)", numbers)).empty());
}

TEST_F(NumpyFile, SparseMatricesOfScipyAreRead) {
  const Matrix X = by_rows(3, 4, {0, 0, 2, 0, 0, 0, 0, 0, 5, -1, 0, 0});
  Csr csr;
  const MatrixFile file = archive(csr.bytes());
  EXPECT_EQ(values_of(file), X);
  EXPECT_FALSE(file.is_dense);
  EXPECT_TRUE(file.notes.empty());
  Csr csc;
  csc.format = "csc";
  csc.indices = list<std::int64_t>("<i8", {2, 2, 0});
  csc.indptr = list<std::int64_t>("<i8", {0, 1, 2, 3, 3});
  csc.data = list<float>("<f4", {5, -1, 2});
  EXPECT_EQ(values_of(archive(csc.bytes())), X);
  EXPECT_EQ(archive(csc.bytes()).sparse.scalar, ScalarType::float32);
  EXPECT_EQ(values_of(archive(zip_bytes({{"row.npy", list<std::int32_t>("<i4", {2, 0, 2})},
                                         {"col.npy", list<std::int32_t>("<i4", {1, 2, 0})},
                                         {"format.npy", word("coo")},
                                         {"shape.npy", list<std::int64_t>("<i8", {3, 4})},
                                         {"data.npy", list<double>("<f8", {-1, 2, 5})},
                                         {"_is_array.npy", npy("|b1", "()", "\1")}}))),
            X);
}

TEST_F(NumpyFile, EntriesOfAPlaceAreAddedWithoutOverflow) {
  Csr csr;
  csr.indices = list<std::int32_t>("<i4", {2, 1, 1});
  csr.data = list<std::int8_t>("|i1", {100, 100, 100});
  const MatrixFile file = archive(csr.bytes());
  EXPECT_EQ(values_of(file), by_rows(3, 4, {0, 0, 100, 0, 0, 0, 0, 0, 0, 200, 0, 0}));
  ASSERT_EQ(file.notes.size(), 1U);
  EXPECT_NE(file.notes[0].find("1 entry of"), std::string::npos);
}

TEST_F(NumpyFile, ADamagedSparseMatrixIsRefused) {
  const auto error = [&](auto&& change) {
    Csr csr;
    change(csr);
    return archive_error(csr.bytes());
  };
  const std::string misfit =
      "'a.npz' has an indptr that does not fit its shape and its entries; it was cut or damaged; copy or make it again";
  EXPECT_EQ(error([](Csr& c) { c.format = "bsr"; }),
            "'a.npz' holds a sparse matrix of the format 'bsr', which is not read here; save X.tocsr(): scipy.sparse.save_npz(path, "
            "X.tocsr())");
  EXPECT_EQ(error([](Csr& c) { c.indptr = list<std::int32_t>("<i4", {0, 2, 1, 3}); }), misfit);
  EXPECT_EQ(error([](Csr& c) { c.indptr = list<std::int32_t>("<i4", {0, 1, 3}); }), misfit);
  EXPECT_EQ(error([](Csr& c) { c.indptr = list<std::int32_t>("<i4", {1, 1, 1, 3}); }), misfit);
  EXPECT_EQ(error([](Csr& c) {
              c.indices = list<std::int32_t>("<i4", {2, 0, 4});
            }),
            "'a.npz' has an entry in column 4; there are 4 columns, counted from 0; it was cut or damaged; copy or make it again");
  EXPECT_EQ(error([](Csr& c) {
              c.indices = list<std::int32_t>("<i4", {2, 0, -1});
            }),
            "'a.npz' has an entry in column -1; there are 4 columns, counted from 0; it was cut or damaged; copy or make it again");
  EXPECT_EQ(error([](Csr& c) { c.indices = list<std::int32_t>("<i4", {2}); }),
            "indices in 'a.npz' has 1 numbers where there must be 3; it was cut or damaged; copy or make it again");
  EXPECT_EQ(error([](Csr& c) { c.shape = list<std::int64_t>("<i8", {3}); }),
            "'a.npz' has 1 dimension; a matrix has 2; save it as a matrix: X.reshape(rows, columns)");
  EXPECT_EQ(error([](Csr& c) {
              c.shape = list<std::int64_t>("<i8", {3, 2000000000});
            }),
            "'a.npz' has 3 rows and 2000000000 columns, but 3 entries: most columns would be empty; write it without columns that have no "
            "entries");
}

TEST_F(NumpyFile, ADamagedArchiveIsRefusedWhereverItIsCut) {
  const std::string whole = Csr().bytes();
  for (std::size_t size = 0; size < whole.size(); size += 7) EXPECT_FALSE(archive_error(whole.substr(0, size)).empty()) << size;
  EXPECT_EQ(archive_error(whole.substr(0, whole.size() - 30)),
            "'a.npz' has no directory at its end; it was cut or damaged; copy or make it again");
  std::string changed = whole;
  changed[whole.find("data.npy") + 8 + 128 + 3] ^= 1;  // a byte of the first number
  EXPECT_EQ(archive_error(changed), "'a.npz' has a damaged member 'data.npy'; it was cut or damaged; copy or make it again");
  EXPECT_EQ(archive_error("x,y\n"), "'a.npz' is no archive of arrays; write it by numpy.savez or scipy.sparse.save_npz");
  EXPECT_EQ(archive_error(zip_bytes({})), "'a.npz' holds no array; write it by numpy.savez or scipy.sparse.save_npz");
  const std::string one = list<double>("<f8", {1});
  EXPECT_EQ(archive_error(zip_bytes({{"X.npy", one}, {"y.npy", one}})),
            "'a.npz' holds 2 arrays, 'X', 'y'; save the matrix alone, and the target as a .npy file for --target");
}

TEST_F(NumpyFile, FilesOfNumpyHoldWhatItWrote) {
  const auto path = [](const std::string& name) { return testing::data_path("matrices/" + name); };
  const Matrix X = by_rows(5, 4, {0, 0, 0, 1.5, 0, 4, 0, 0, -2, 0, 1e10, 0, 0, 0, 0, 0, 0, .003, 0, 0});
  EXPECT_EQ(values_of(read_npy(path("numpy_float64.npy"))), X);
  EXPECT_EQ(values_of(read_npy(path("numpy_version2.npy"))), X);
  EXPECT_EQ(values_of(read_npy(path("numpy_big_endian.npy"))), X);
  EXPECT_EQ(values_of(read_npy(path("numpy_fortran32.npy"))), X.cast<float>().cast<double>());
  EXPECT_EQ(values_of(read_npy(path("numpy_int8.npy"))), by_rows(2, 3, {1, -2, 3, 0, 127, -128}));
  EXPECT_EQ(values_of(read_npy(path("numpy_bool.npy"))), by_rows(2, 3, {1, 0, 1, 0, 0, 1}));
  // The nearest numbers of 11 bits: 3e-6 is below the least normal one, so a multiple of 2^-24.
  EXPECT_EQ(values_of(read_npy(path("numpy_float16.npy"))), by_rows(2, 3, {1, -2.5, 50 * std::exp2(-24), 0, 65504, 1638 * std::exp2(-14)}));
  EXPECT_EQ(read_npy_vector(path("numpy_target.npy")), (std::vector<double>{3, -1, 4, 1, 5}));
  EXPECT_NE(error_of([&] { static_cast<void>(read_npy(path("numpy_objects.npy"))); }).find("objects of Python"), std::string::npos);
}

TEST_F(NumpyFile, ArchivesOfScipyHoldWhatItWrote) {
  const auto path = [](const std::string& name) { return testing::data_path("matrices/" + name); };
  const Matrix X = by_rows(5, 4, {0, 0, 0, 1.5, 0, 4, 0, 0, -2, 0, 1e10, 0, 0, 0, 0, 0, 0, .003, 0, 0});
  EXPECT_EQ(values_of(read_npz(path("scipy_csc_stored.npz"))), X.cast<float>().cast<double>());
  EXPECT_NE(error_of([&] { static_cast<void>(read_npz(path("scipy_bsr.npz"))); }).find("'bsr'"), std::string::npos);
  if (!testing::gzipped("")) GTEST_SKIP() << "zlib is not there";
  EXPECT_EQ(values_of(read_npz(path("scipy_csr.npz"))), X);
  EXPECT_EQ(values_of(read_npz(path("scipy_coo_repeated.npz"))), X);
  EXPECT_EQ(read_npz(path("scipy_coo_repeated.npz")).notes.size(), 1U);
  EXPECT_EQ(values_of(read_npz(path("scipy_bool64.npz"))), X.unaryExpr([](double x) { return x != 0 ? 1.0 : 0.0; }));
  EXPECT_EQ(read_npz(path("scipy_bool64.npz")).sparse.scalar, ScalarType::int8);
  EXPECT_EQ(values_of(read_npz(path("numpy_savez.npz"))), X);
}

TEST_F(NumpyFile, ATargetHasOneDimension) {
  write_bytes(folder_ / "y.npy", npy("<f4", "(3, 1)", bytes_of<float>({1, 2, 3})));
  EXPECT_EQ(read_npy_vector(folder_ / "y.npy"), (std::vector<double>{1, 2, 3}));
  write_bytes(folder_ / "y.npy", npy("<f4", "(2, 2)", bytes_of<float>({1, 2, 3, 4})));
  EXPECT_EQ(error_of([&] { static_cast<void>(read_npy_vector(folder_ / "y.npy")); }),
            "'y.npy' has the shape 2 x 2; a target has one dimension; save one column of it");
}

}  // namespace
}  // namespace ardvark
