// Files of Matrix Market and svmlight.
#include "io/matrix_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "../support/packed.hpp"
#include "../support/paths.hpp"
#include "../support/thrown.hpp"

namespace ardvark {
namespace {

using internal::io::IndexBase;
using internal::io::matrix_format_of;
using internal::io::MatrixFile;
using internal::io::MatrixFormat;
using internal::io::read_matrix_market;
using internal::io::read_svmlight;
using testing::gzipped;
using testing::message_of;
using testing::TemporaryFolder;
using testing::write_bytes;

Matrix dense_of(const MatrixFile& file) {
  Matrix X = Matrix::Zero(file.rows(), file.cols());
  if (file.is_dense) {
    for (Index i = 0; i < X.rows(); ++i)
      for (Index j = 0; j < X.cols(); ++j) X(i, j) = file.dense(i, j);
    return X;
  }
  const CscView view = file.sparse.view();
  for (Index j = 0; j < view.cols(); ++j)
    for (Index e = view.start(j); e < view.start(j + 1); ++e) {
      X(view.row(e), j) += view.value(e);
      EXPECT_TRUE(e == view.start(j) || view.row(e - 1) < view.row(e));
    }
  return X;
}

Matrix matrix(Index rows, Index cols, std::initializer_list<double> by_row) {
  Matrix X(rows, cols);
  auto next = by_row.begin();
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) X(i, j) = *next++;
  return X;
}

std::string written(const TemporaryFolder& folder, const std::string& name, const std::string& text) {
  const std::string path = folder / name;
  write_bytes(path, text);
  return path;
}

MatrixFile market(const std::string& text) {
  const TemporaryFolder folder;
  return read_matrix_market(written(folder, "a.mtx", text));
}
MatrixFile svm(const std::string& text, IndexBase base = IndexBase::automatic, Index cols = 0) {
  const TemporaryFolder folder;
  return read_svmlight(written(folder, "a.svm", text), base, cols);
}

// The message without the folder.
std::string market_error(const std::string& text) {
  const std::string message = message_of<InvalidArgument>([&] { static_cast<void>(market(text)); });
  const std::size_t begin = message.find('\''), end = message.find("a.mtx");
  return end == std::string::npos ? message : message.substr(0, begin + 1) + message.substr(end);
}
std::string svm_error(const std::string& text, IndexBase base = IndexBase::automatic) {
  const std::string message = message_of<InvalidArgument>([&] { static_cast<void>(svm(text, base)); });
  const std::size_t begin = message.find("'/"), end = message.find("a.svm");
  return end == std::string::npos ? message : message.substr(0, begin + 1) + message.substr(end);
}

const std::string coordinate = "%%MatrixMarket matrix coordinate real general\n";
const std::string of_kind = "%%MatrixMarket matrix coordinate real ";

TEST(MatrixFile, IsKnownByItsName) {
  EXPECT_EQ(matrix_format_of("a.MTX"), MatrixFormat::matrix_market);
  EXPECT_EQ(matrix_format_of("a.mtx.gz"), MatrixFormat::matrix_market);
  EXPECT_EQ(matrix_format_of("a.svm"), MatrixFormat::svmlight);
  EXPECT_EQ(matrix_format_of("a.libsvm.zst"), MatrixFormat::svmlight);
  EXPECT_FALSE(matrix_format_of("a.csv.gz"));
}

TEST(MatrixMarket, EntriesComeInAnyOrder) {
  const MatrixFile file = market(coordinate + "% of a program\n%\n\n5 4 5\n1 4 1.5\n3 1 -2\n5 2 3e-3\r\n2 2 4\n\n3 3 10000000000.0\n");
  EXPECT_EQ(dense_of(file), matrix(5, 4, {0, 0, 0, 1.5, 0, 4, 0, 0, -2, 0, 1e10, 0, 0, 0, 0, 0, 0, .003, 0, 0}));
  EXPECT_TRUE(file.notes.empty());
  EXPECT_FALSE(file.is_dense);
}

TEST(MatrixMarket, HalfOfASymmetricMatrixIsCompleted) {
  const MatrixFile file = market(of_kind + "symmetric\n3 3 3\n2 1 1\n2 2 2\n3 2 -3\n");
  EXPECT_EQ(dense_of(file), matrix(3, 3, {0, 1, 0, 1, 2, -3, 0, -3, 0}));
  ASSERT_EQ(file.notes.size(), 1U);
  EXPECT_EQ(dense_of(market(of_kind + "skew-symmetric\n3 3 2\n2 1 -1\n3 2 3\n")), matrix(3, 3, {0, 1, 0, -1, 0, -3, 0, 3, 0}));
  EXPECT_EQ(market_error(of_kind + "skew-symmetric\n1 1 1\n1 1 2\n"),
            "line 3 of 'a.mtx' has '1 1 2'; the diagonal of a skew-symmetric matrix is zero");
}

TEST(MatrixMarket, PatternsAreOnesAndIntegersNumbers) {
  EXPECT_EQ(dense_of(market("%%MatrixMarket matrix coordinate pattern general\n3 2 3\n1 2\n2 1\n3 2\n")), matrix(3, 2, {0, 1, 1, 0, 0, 1}));
  EXPECT_EQ(dense_of(market("%%matrixmarket MATRIX Coordinate INTEGER General\n3 2 3\n1 2 5\n2 1 7\n3 2 -1\n")),
            matrix(3, 2, {0, 5, 7, 0, 0, -1}));
}

TEST(MatrixMarket, ArraysAreDense) {
  const std::string array = "%%MatrixMarket matrix array real ";
  const MatrixFile file = market(array + "general\n%\n2 3\n1\n4\n2\n5\n3\n6\n");
  EXPECT_TRUE(file.is_dense);
  EXPECT_EQ(dense_of(file), matrix(2, 3, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(dense_of(market(array + "symmetric\n2 2\n1\n2\n3\n")), matrix(2, 2, {1, 2, 2, 3}));
  EXPECT_EQ(dense_of(market(array + "skew-symmetric\n3 3\n1\n2\n3\n")), matrix(3, 3, {0, -1, -2, 1, 0, -3, 2, 3, 0}));
  EXPECT_EQ(market_error(array + "general\n2 1\n1\n"),
            "'a.mtx' has 1 of the 2 entries that it says it has; it was cut, or its line of the shape is wrong; copy or make it again");
}

TEST(MatrixMarket, EntriesOfAPlaceAreAdded) {
  const MatrixFile file = market(coordinate + "2 2 4\n1 1 1\n2 2 5\n1 1 2\n1 1 4\n");
  EXPECT_EQ(dense_of(file), matrix(2, 2, {7, 0, 0, 5}));
  ASSERT_EQ(file.notes.size(), 1U);
  EXPECT_NE(file.notes[0].find("2 entries of"), std::string::npos);
  EXPECT_EQ(dense_of(market(coordinate + "0 3 0\n")).cols(), 3);
}

TEST(MatrixMarket, DamageIsNamedWithItsLine) {
  const std::string whole = "the first line says that the numbers are integer; write 'real' there, or whole numbers";
  EXPECT_EQ(market_error("%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 3\n2 2 1.5\n"),
            "line 4 of 'a.mtx' has '1.5'; " + whole);
  EXPECT_EQ(market_error("%%MatrixMarket matrix array integer general\n2 1\n7\n-.25\n"), "line 4 of 'a.mtx' has '-.25'; " + whole);
  EXPECT_EQ(market_error(coordinate + "2 2 3\n1 1 1\n2 2 1\n"),
            "'a.mtx' has 2 of the 3 entries that it says it has; it was cut, or its line of the shape is wrong; copy or make it again");
  EXPECT_EQ(market_error(coordinate + "2 2 1\n1 1 1\n2 2 1\n"), "line 4 of 'a.mtx' has '2 2 1'; the file says that it has 1 entry");
  EXPECT_EQ(market_error(coordinate + "2 2 1\n0 1 1\n"), "line 3 of 'a.mtx' has '0'; the row must be a whole number between 1 and 2");
  EXPECT_EQ(market_error(coordinate + "2 2 1\n1 3 1\n"), "line 3 of 'a.mtx' has '3'; the column must be a whole number between 1 and 2");
  EXPECT_EQ(market_error(coordinate + "2 2 1\n1 2\n"), "line 3 of 'a.mtx': the entry has no value");
  EXPECT_EQ(market_error(coordinate + "2 2 1\n1 2 x\n"), "line 3 of 'a.mtx' has 'x'; it is not a number");
  EXPECT_EQ(market_error(coordinate + "2 2 1\n1 2 nan\n"), "row 1 (line 3 of 'a.mtx'), column 'x2' is nan; all values must be finite");
  EXPECT_EQ(market_error(coordinate + "2 2 1\n1 2 1 7\n"), "line 3 of 'a.mtx' has '1 2 1 7'; an entry is: row column value");
  EXPECT_EQ(market_error("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n"),
            "line 1 of 'a.mtx' has 'complex'; a fit takes real numbers; write the real or the absolute part");
  EXPECT_EQ(market_error("x,y\n1,2\n"),
            "'a.mtx' is not of Matrix Market: the first line must be '%%MatrixMarket matrix coordinate real general', or the like");
  EXPECT_EQ(market_error(coordinate + "-1 2 3\n"),
            "line 2 of 'a.mtx' has '-1 2 3'; this line must have three numbers: rows, columns and "
            "entries");
  EXPECT_EQ(market_error(""), "'a.mtx' is empty");
}

TEST(MatrixMarket, RandomEntriesAreReadPackedOrNot) {
  std::mt19937 random(5);
  Matrix X = Matrix::Zero(300, 70);
  std::string lines;
  int entries = 0;
  for (; entries < 4000; ++entries) {
    const int i = static_cast<int>(random() % 300), j = static_cast<int>(random() % 70), value = static_cast<int>(random() % 100) - 50;
    X(i, j) += value;
    lines += fmt::format("{} {} {}\n", i + 1, j + 1, value);
  }
  const std::string text = coordinate + fmt::format("300 70 {}\n", entries) + lines;
  EXPECT_EQ(dense_of(market(text)), X);
  const TemporaryFolder folder;
  const auto packed = gzipped(text);
  if (!packed) GTEST_SKIP() << "zlib is not there";
  EXPECT_EQ(dense_of(read_matrix_market(written(folder, "a.mtx.gz", *packed))), X);
}

TEST(Svmlight, IndicesCountFromOneUnlessThereIsAZero) {
  const Matrix X = matrix(3, 3, {0, .5, 0, 0, 0, 2, 0, -1, 0});
  const MatrixFile one = svm("1.25 2:.5\n-3 3:2\n2 2:-1\n");
  EXPECT_EQ(dense_of(one), X);
  EXPECT_EQ(one.target, (std::vector<double>{1.25, -3, 2}));
  EXPECT_EQ(one.index_base, 1);
  ASSERT_EQ(one.notes.size(), 1U);
  EXPECT_NE(one.notes[0].find("columns count from 1"), std::string::npos);
  const MatrixFile zero = svm("1 0:1 1:.5\n2 2:2\n3 1:-1\n");
  EXPECT_EQ(dense_of(zero), matrix(3, 3, {1, .5, 0, 0, 0, 2, 0, -1, 0}));
  EXPECT_EQ(zero.index_base, 0);
  EXPECT_EQ(dense_of(svm("1.25 1:.5\n-3 2:2\n2 1:-1\n", IndexBase::zero)), X);
  EXPECT_NE(svm_error("1 0:1\n", IndexBase::one).find("has an index 0, but its columns count from 1"), std::string::npos);
}

TEST(Svmlight, CommentsQueriesAndEmptyRowsArePartOfTheFormat) {
  const MatrixFile file = svm("# made by a program\n\n+1 qid:3 2:4 1:3 # row 1: a\r\n-1\n0.5 qid:4 1:1 1:2", IndexBase::one, 4);
  EXPECT_EQ(dense_of(file), matrix(3, 4, {3, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0}));
  EXPECT_EQ(file.target, (std::vector<double>{1, -1, .5}));
  ASSERT_EQ(file.notes.size(), 1U);
  EXPECT_NE(file.notes[0].find("1 entry of"), std::string::npos);
}

TEST(Svmlight, DamageIsNamedWithItsLine) {
  EXPECT_EQ(svm_error("1 1:1\n2 a:1\n"), "line 2 of 'a.svm' has 'a:1'; an index must be a whole number between 0 and 2147483647");
  EXPECT_EQ(svm_error("1 1:1\n2 7\n"), "line 2 of 'a.svm' has '7'; after the target, a line has pairs INDEX:VALUE");
  EXPECT_EQ(svm_error("1:1\n"), "line 1 of 'a.svm' has '1:1'; a line must begin with the target");
  EXPECT_EQ(svm_error("1,2 1:1\n"), "line 1 of 'a.svm' has '1,2'; a row must have one target, a number");
  EXPECT_EQ(svm_error("# a\n1 1:inf\n"), "row 1 (line 2 of 'a.svm'), index 1 is inf; all values must be finite");
  EXPECT_EQ(svm_error("spam 1:1\n"), "line 1 of 'a.svm' has 'spam'; the value of the target is not a number");
  EXPECT_EQ(svm_error("\n# nothing\n"), "'a.svm' has no rows");
}

TEST(MatrixFile, FilesOfScipyHoldWhatItWrote) {
  const auto read = [](const std::string& name) {
    return dense_of(read_matrix_market(testing::data_path("matrices/scipy_" + name + ".mtx")));
  };
  EXPECT_EQ(read("general"), matrix(5, 4, {0, 0, 0, 1.5, 0, 4, 0, 0, -2, 0, 1e10, 0, 0, 0, 0, 0, 0, .003, 0, 0}));
  EXPECT_EQ(read("symmetric"), matrix(3, 3, {0, 1, 0, 1, 2, -3, 0, -3, 0}));
  EXPECT_EQ(read("skew"), matrix(3, 3, {0, 1, 0, -1, 0, -3, 0, 3, 0}));
  EXPECT_EQ(read("integer"), matrix(3, 2, {0, 5, 7, 0, 0, -1}));
  EXPECT_EQ(read("pattern"), matrix(3, 2, {0, 1, 1, 0, 0, 1}));
  EXPECT_EQ(read("dense"), matrix(2, 3, {0., 1 / 7., 2 / 7., 3 / 7., 4 / 7., 5 / 7.}));
}

TEST(MatrixFile, FilesOfScikitLearnHoldWhatItWrote) {
  const auto read = [](const std::string& name, IndexBase base) {
    return read_svmlight(testing::data_path("matrices/sklearn_" + name + ".svm"), base);
  };
  const Matrix X = matrix(3, 3, {0, .5, 0, 0, 0, 2, 0, -1, 0});
  EXPECT_EQ(dense_of(read("zero", IndexBase::zero)), X);
  EXPECT_EQ(dense_of(read("one", IndexBase::one)), X);
  EXPECT_EQ(read("zero", IndexBase::zero).target, (std::vector<double>{1.25, -3, 2}));
  // It counts from 0 unless told otherwise, and a first column without entries does not show that.
  EXPECT_EQ(dense_of(read("zero", IndexBase::automatic)).cols(), 2);
  EXPECT_NE(read("zero", IndexBase::automatic).notes.at(0).find("if they count from 0: --index-base 0"), std::string::npos);
}

TEST(Svmlight, ALineMayBeLongerThanTheBuffer) {
  std::string line = "1";
  for (int j = 1; j <= 40000; ++j) line += fmt::format(" {}:{}", j, j % 9 + 1);
  const MatrixFile file = svm(line + "\n" + line + "\n");
  ASSERT_EQ(file.cols(), 40000);
  ASSERT_EQ(file.rows(), 2);
  for (Index j = 0; j < file.cols(); ++j) ASSERT_EQ(file.sparse.view().value(2 * j + 1), static_cast<double>((j + 1) % 9 + 1));
}

}  // namespace
}  // namespace ardvark
