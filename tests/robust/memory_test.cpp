// Files that ask for much memory with few bytes: at most ten times their size is held, beside a fixed part. Rows that are predicted by many
// draws: their draws are not held all at once. Tables of bytes: no copy in another type.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>

#include "ardvark/errors.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/model.hpp"
#include "ardvark/sequential.hpp"
#include "ardvark/table.hpp"
#include "failing.hpp"
#include "io/temporary_file.hpp"
#include "support/random_problem.hpp"

namespace ardvark {
namespace {

constexpr std::int64_t fixed = 1 << 16;

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

// A file that consists of a header.
std::string file_of(const std::string& header) {
  const std::uint64_t length = header.size();
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes + header;
}

// Of a list without its last comma.
std::string joined(std::string list) {
  list.pop_back();
  return list;
}

void expect_small(const std::string& what, const std::string& bytes) {
  const testing::PeakMemory peak;
  EXPECT_THROW(static_cast<void>(model_from_bytes(bytes)), InvalidArgument) << what;
  EXPECT_LE(peak.bytes(), 10 * static_cast<std::int64_t>(bytes.size()) + fixed) << what << ", " << bytes.size() << " bytes";
}

TEST(Memory, OfAHeaderIsAtMostTenTimesItsSize) {
  std::string entries, texts, arrays;
  for (int i = 0; i < 20000; ++i) {
    entries += "\"" + std::to_string(i) + "\":{},";
    texts += "\"" + std::to_string(i) + "\":\"\",";
    arrays += "\"" + std::to_string(i) + "\":{\"dtype\":\"F64\",\"shape\":[0],\"data_offsets\":[0,0]},";
  }
  expect_small("entries that are empty", file_of("{" + joined(entries) + "}"));
  expect_small("many texts", file_of("{\"__metadata__\":{" + joined(texts) + "}}"));
  expect_small("many arrays", file_of("{" + joined(arrays) + "}"));
  expect_small("a long shape",
               file_of("{\"a\":{\"dtype\":\"F64\",\"shape\":[" + joined(repeated("1,", 50000)) + "],\"data_offsets\":[0,8]}}"));
  expect_small("many keys of one entry", file_of("{\"a\":{" + joined(texts) + "}}"));
}

std::string with_text(const std::string& key, const std::string& text) {
  return file_of("{\"__metadata__\":{\"format\":\"ardvark-model\",\"format_version\":\"1\",\"" + key + "\":\"" + text + "\"}}");
}

TEST(Memory, OfADescriptionIsAtMostTenTimesTheFile) {
  expect_small("lists in a list", with_text("fit", "[" + joined(repeated("[],", 50000)) + "]"));
  expect_small("lists in each other", with_text("fit", repeated("[", 100000)));
  expect_small("maps in each other", with_text("fit", repeated("{\\\"\\\":", 20000)));
  expect_small("numbers", with_text("fit", "{\\\"features\\\":[" + joined(repeated("1,", 50000)) + "]}"));
  expect_small("names", with_text("fit", "{\\\"features\\\":[" + joined(repeated("\\\"\\\",", 50000)) + "]}"));
  expect_small("checksums in a list", with_text("checksums", "[" + joined(repeated("[],", 50000)) + "]"));
}

TEST(Memory, OfAFilterIsThatOfItsBytesHoweverLargeItsBlocks) {
  const std::string bytes = SequentialLogistic(2, {.precision = {}, .block_rows = 30000, .threads = 0}).to_bytes();
  const testing::PeakMemory peak;
  const SequentialLogistic filter = SequentialLogistic::from_bytes(bytes);
  EXPECT_EQ(filter.mean().size(), 2);
  EXPECT_LE(peak.bytes(), 10 * static_cast<std::int64_t>(bytes.size()) + fixed);
}

// The reader's buffer is two megabytes, whatever the file. A row that is split takes a place for each field, a column a name and its
// levels.
TEST(Memory, OfATableOfFewRowsIsThatOfItsFields) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "wide.csv";
  constexpr int columns = 20000;
  std::string names, numbers;
  for (int j = 0; j < columns; ++j) {
    names += "x" + std::to_string(j) + ",";
    numbers += "1,";
  }
  const std::string text = joined(names) + "\n" + joined(numbers) + "\n";
  testing::write_bytes(path, text);
  const testing::PeakMemory peak;
  EXPECT_EQ(read_csv(path).num_columns(), columns);
  EXPECT_LE(peak.bytes(), 10 * static_cast<std::int64_t>(text.size()) + (2 << 20) + fixed + 500 * columns);
}

// Each has a hundred draws, and each draw is predicted under twenty posteriors.
TEST(Memory, OfRowsWithGapsIsNotThatOfTheirDraws) {
  testing::Random random(3);
  constexpr Index p = 5;
  Matrix X = random.normals(40, p);
  const Vector y = X.col(0) + random.normals(40);
  for (Index i = 0; i < X.size(); i += 7) X.data()[i] = std::nan("");
  const SavedModel model = fit_model(X, VectorView(y), {.model = "linear", .prior = "shared", .missing = "impute"});
  const auto peak_of = [&](Index rows) {
    Matrix X_new = random.normals(rows, p);
    X_new.col(2).setConstant(std::nan(""));
    const testing::PeakMemory peak;
    static_cast<void>(predict(model, MatrixView(X_new)));
    return peak.bytes();
  };
  const std::int64_t of_few = peak_of(40), of_many = peak_of(1000);
  EXPECT_LE(of_many - of_few, 10 * 1000 * p * static_cast<std::int64_t>(sizeof(double)));
}

// As doubles, the table below would take 64 MB.
struct BytesTable {
  Eigen::Matrix<std::int8_t, Eigen::Dynamic, Eigen::Dynamic> X;
  Vector y;
};

BytesTable table_of_bytes() {
  testing::Random random(31);
  BytesTable out{Eigen::Matrix<std::int8_t, Eigen::Dynamic, Eigen::Dynamic>(20000, 400), Vector(20000)};
  for (std::int8_t& x : out.X.reshaped()) x = static_cast<std::int8_t>(random.integer(0, 2));
  for (Index i = 0; i < out.y.size(); ++i) out.y[i] = 0.3 * out.X(i, 0) + random.normal();
  return out;
}

TEST(Memory, OfAFitToBytesIsLessThanHalfOfTheirDoubles) {
  const BytesTable table = table_of_bytes();
  constexpr std::int64_t most = 32 << 20;
  for (const Prior& prior : {Prior::sparse(), Prior::shared()}) {
    SCOPED_TRACE(to_string(prior.kind));
    const testing::PeakMemory of_fits;
    const LinearFit linear = fit_linear(table.X, table.y, {.prior = prior});
    EXPECT_LT(of_fits.bytes(), most);
    if (prior.kind == PriorKind::sparse) continue;
    const testing::PeakMemory of_predictions;
    EXPECT_EQ(predict(linear, table.X).mean.size(), 20000);
    EXPECT_LT(of_predictions.bytes(), most);
  }
}

}  // namespace
}  // namespace ardvark
