// Files of matrices through the C interface.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>

#include "../support/paths.hpp"
#include "calls.hpp"
#include "io/temporary_file.hpp"

namespace ardvark {
namespace {

using testing::data_path;

class CMatrixFile : public ::testing::Test {
 protected:
  ardvark_code read(const std::string& path, const char* format = nullptr, const char* base = nullptr, const char* language = nullptr) {
    ardvark_matrix_file_free(file_);
    file_ = nullptr;
    error_ = empty_error();
    return ardvark_matrix_file_read(path.c_str(), format, base, language, &file_, &error_);
  }
  ~CMatrixFile() override { ardvark_matrix_file_free(file_); }
  double number(const char* name) {
    ardvark_result* result = nullptr;
    EXPECT_EQ(ardvark_matrix_file_result(file_, &result, &error_), ARDVARK_OK) << error_.message;
    const Result owner(result);
    double value = -1;
    EXPECT_EQ(ardvark_result_number(result, name, &value, &error_), ARDVARK_OK) << error_.message;
    return value;
  }

  ardvark_matrix_file* file_ = nullptr;
  ardvark_error error_ = empty_error();
};

TEST_F(CMatrixFile, GivesSparseColumnsThatAFitReads) {
  ASSERT_EQ(read(data_path("matrices/sklearn_one.svm"), nullptr, "1"), ARDVARK_OK) << error_.message;
  ardvark_csc X = {};
  X.struct_size = sizeof X;
  ASSERT_EQ(ardvark_matrix_file_csc(file_, &X, &error_), ARDVARK_OK) << error_.message;
  // The rows (0, .5, 0), (0, 0, 2), (0, -1, 0), and their targets.
  ASSERT_EQ(X.rows, 3);
  ASSERT_EQ(X.columns, 3);
  ASSERT_EQ(X.index_bits, 32);
  ASSERT_EQ(X.type, ARDVARK_FLOAT64);
  const std::int32_t start[] = {0, 0, 2, 3}, row[] = {0, 2, 1};
  const double value[] = {.5, -1, 2};
  EXPECT_EQ(std::memcmp(X.start, start, sizeof start), 0);
  EXPECT_EQ(std::memcmp(X.row, row, sizeof row), 0);
  EXPECT_EQ(std::memcmp(X.value, value, sizeof value), 0);
  EXPECT_EQ(number("rows"), 3);
  EXPECT_EQ(number("index_base"), 1);
  EXPECT_EQ(number("sparse"), 1);
  ardvark_result* result = nullptr;
  ASSERT_EQ(ardvark_matrix_file_result(file_, &result, &error_), ARDVARK_OK);
  const Result owner(result);
  ardvark_array target = {};
  target.struct_size = sizeof target;
  ASSERT_EQ(ardvark_result_array(result, "target", &target, &error_), ARDVARK_OK) << error_.message;
  ASSERT_EQ(target.shape[0], 3);
  EXPECT_EQ(target.data[0], 1.25);
  EXPECT_EQ(target.data[1], -3);
  const Options options = options_of({{"model", "linear"}, {"prior", "shared"}});
  ardvark_model* model = nullptr;
  EXPECT_EQ(ardvark_fit_csc(&X, target.data, options.get(), &model, &error_), ARDVARK_OK) << error_.message;
  ardvark_model_free(model);
  ardvark_free(target.data);
  ardvark_matrix dense = {};
  dense.struct_size = sizeof dense;
  EXPECT_EQ(ardvark_matrix_file_dense(file_, &dense, &error_), ARDVARK_INVALID_ARGUMENT);
}

TEST_F(CMatrixFile, GivesADenseMatrixInItsType) {
  ASSERT_EQ(read(data_path("matrices/numpy_fortran32.npy")), ARDVARK_OK) << error_.message;
  ardvark_matrix X = {};
  X.struct_size = sizeof X;
  ASSERT_EQ(ardvark_matrix_file_dense(file_, &X, &error_), ARDVARK_OK) << error_.message;
  EXPECT_EQ(X.rows, 5);
  EXPECT_EQ(X.columns, 4);
  EXPECT_EQ(X.type, ARDVARK_FLOAT32);
  EXPECT_EQ(X.row_stride, 1);
  EXPECT_EQ(X.column_stride, 5);
  EXPECT_EQ(static_cast<const float*>(X.data)[1 * 5 + 4], .003F);
  ardvark_csc sparse = {};
  sparse.struct_size = sizeof sparse;
  EXPECT_EQ(ardvark_matrix_file_csc(file_, &sparse, &error_), ARDVARK_INVALID_ARGUMENT);
  ASSERT_EQ(read(data_path("matrices/numpy_int8.npy")), ARDVARK_OK) << error_.message;
  ASSERT_EQ(ardvark_matrix_file_dense(file_, &X, &error_), ARDVARK_OK) << error_.message;
  EXPECT_EQ(X.type, ARDVARK_INT8);
  EXPECT_EQ(X.row_stride, 3);
  EXPECT_EQ(X.column_stride, 1);
}

TEST_F(CMatrixFile, SpeaksTheLanguageOfItsCaller) {
  const testing::TemporaryFolder folder;
  testing::write_bytes(folder / "a.txt", "1 0:1\n");
  ASSERT_EQ(read(folder / "a.txt", "svmlight", "1", "python"), ARDVARK_INVALID_ARGUMENT);
  EXPECT_STREQ(error_.remedy, "give index_base=0");
  ASSERT_EQ(read(folder / "a.txt", "svmlight", "1"), ARDVARK_INVALID_ARGUMENT);
  EXPECT_STREQ(error_.remedy, "give --index-base 0");
  ASSERT_EQ(read(folder / "a.txt"), ARDVARK_INVALID_ARGUMENT);
  EXPECT_STREQ(error_.argument, "path");
  ASSERT_EQ(read(folder / "a.txt", "csv"), ARDVARK_INVALID_ARGUMENT);
  EXPECT_STREQ(error_.argument, "format");
  ASSERT_EQ(read(folder / "a.txt", "svmlight", "2"), ARDVARK_INVALID_ARGUMENT);
  EXPECT_STREQ(error_.argument, "--index-base");
  ASSERT_EQ(read(folder / "none.svm"), ARDVARK_ENVIRONMENT) << error_.message;
}

}  // namespace
}  // namespace ardvark
