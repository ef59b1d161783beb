// Lists and vectors of many columns in a model file, and the files of such models.
#include "io/many_columns.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ardvark/errors.hpp"
#include "ardvark/model_file.hpp"
#include "io/encoding_record.hpp"
#include "io/json_reader.hpp"
#include "posterior/state.hpp"
#include "support/random_problem.hpp"
#include "temporary_file.hpp"

namespace ardvark::internal::io {
namespace {

using testing::message_of;
using testing::Random;
using testing::TemporaryFolder;
using Numbers = std::vector<Index>;

Json from_text(const std::string& text) { return bounded_json(text, std::size_t{1} << 30, "the text"); }

// Constant stretches, stretches that count, and single numbers.
Numbers some_list(Random& random) {
  Numbers numbers;
  const bool is_short = random.chance(0.2);
  const std::size_t size = static_cast<std::size_t>(is_short ? random.integer(0, 1000) : random.integer(1001, 4000));
  while (numbers.size() < size) {
    const Index first = random.integer(-3, 5000), step = random.integer(0, 1);
    for (Index length = random.chance(0.5) ? 1 : random.integer(2, 400); length > 0 && numbers.size() < size; --length)
      numbers.push_back(numbers.empty() || length == 1 ? first : numbers.back() + step);
  }
  return numbers;
}

TEST(ManyColumns, BringsEveryListBack) {
  Random random(91);
  for (int round = 0; round < 200; ++round) {
    const Numbers numbers = some_list(random);
    const auto size = static_cast<Index>(numbers.size());
    EXPECT_EQ(whole_numbers_of(from_text(by_runs(numbers).dump()), size), numbers);
    std::vector<bool> flags(numbers.size());
    for (std::size_t i = 0; i < flags.size(); ++i) flags[i] = numbers[i] % 50 == 0;
    EXPECT_EQ(flags_of(from_text(by_runs(flags).dump()), size), flags);
  }
}

TEST(ManyColumns, LeavesShortListsAsTheyWere) {
  EXPECT_EQ(by_runs(Numbers(1000, 7)).dump(), Json(Numbers(1000, 7)).dump());
  EXPECT_EQ(by_runs(std::vector<bool>{true, false}).dump(), "[true,false]");
}

TEST(ManyColumns, WritesACountAsOneRun) {
  Numbers numbers(1'000'000);
  for (std::size_t j = 0; j < numbers.size(); ++j) numbers[j] = static_cast<Index>(j);
  EXPECT_EQ(by_runs(numbers).dump(), R"({"runs":[0,1,1000000]})");
  EXPECT_EQ(by_runs(std::vector<bool>(1'000'000, false)).dump(), R"({"runs":[0,0,1000000]})");
}

TEST(ManyColumns, RefusesListsThatAreNone) {
  for (const char* text :
       {R"({"runs":[0,1]})", R"({"runs":[0,2,5]})", R"({"runs":[0,-1,5]})", R"({"runs":[0,1,0]})", R"({"runs":[0,1,11]})",
        R"({"runs":[0,1,6,0,1,5]})", R"({"runs":[0,1,9000000000000000]})", R"({"runs":["a",1,2]})", R"({"run":[0,1,2]})"})
    EXPECT_THROW(static_cast<void>(whole_numbers_of(from_text(text), 10)), JsonError) << text;
  EXPECT_THROW(static_cast<void>(flags_of(from_text(R"({"runs":[1,1,5]})"), 10)), JsonError);  // 1, 2, ...
}

Vector back_from_file(const Vector& v, std::size_t& num_bytes) {
  SafetensorsWriter writer;
  add_by_entries(writer, "v", v);
  writer.add_checksums();
  const std::string bytes = writer.bytes();
  num_bytes = bytes.size();
  return vector_of_entries(SafetensorsReader(bytes, "the bytes"), "v", v.size());
}

TEST(ManyColumns, BringsEveryVectorBackToTheLastBit) {
  Random random(92);
  const double inf = std::numeric_limits<double>::infinity();
  for (const double share : {0.0, 0.01, 0.3, 0.6, 1.0})
    for (const double common : {0.0, -0.0, 0.5, inf})
      for (const Index size : {3, 1000, 1001, 5000}) {
        Vector v = Vector::Constant(size, common);
        for (double& x : v)
          if (random.chance(share)) x = random.chance(0.2) ? (random.chance(0.5) ? 0.0 : -0.0) : random.normal();
        std::size_t num_bytes = 0;
        const Vector back = back_from_file(v, num_bytes);
        ASSERT_EQ(back.size(), size);
        for (Index j = 0; j < size; ++j) EXPECT_TRUE(back[j] == v[j] && std::signbit(back[j]) == std::signbit(v[j])) << j;
        EXPECT_TRUE(share > 0.1 || size <= 1000 || num_bytes < static_cast<std::size_t>(2 * size)) << num_bytes;
      }
}

TEST(ManyColumns, RefusesEntriesThatAreNone) {
  const auto refuses = [](const Vector& column, const Vector& value) {
    SafetensorsWriter writer;
    writer.add_vector("v.column", column);
    writer.add_vector("v.value", value);
    const std::string bytes = writer.bytes();
    EXPECT_THROW(static_cast<void>(vector_of_entries(SafetensorsReader(bytes, "the bytes"), "v", 10)), InvalidArgument);
  };
  refuses(Vector(), Vector());
  refuses(Eigen::Vector2d(10, 3), Eigen::Vector3d(0, 1, 2));
  refuses(Eigen::Vector2d(11, 3), Eigen::Vector2d(0, 1));        // longer than 10
  refuses(Eigen::Vector2d(10, 10), Eigen::Vector2d(0, 1));       // behind the end
  refuses(Eigen::Vector2d(10, 2.5), Eigen::Vector2d(0, 1));      // no position
  refuses(Eigen::Vector3d(10, 4, 4), Eigen::Vector3d(0, 1, 2));  // twice
  refuses(Eigen::Vector2d(10, std::nan("")), Eigen::Vector2d(0, 1));
  refuses(Eigen::Vector2d(-1, 3), Eigen::Vector2d(0, 1));
}

// A regression under a Laplace prior with few weights that are not zero.
Fit wide_fit(Index num_columns) {
  Random random(93);
  Fit fit;
  const auto p = static_cast<std::size_t>(num_columns);
  auto state = std::make_shared<FitState>();
  fit.task = Task::linear, fit.prior = PriorKind::laplace, fit.lambda = 0.1, fit.target = "y";
  fit.mean = fit.variance = fit.V_diagonal = fit.relevance = Vector::Zero(num_columns);
  fit.precision = Vector::Constant(num_columns, 2);
  for (std::size_t j = 0; j < p; ++j) fit.column_names.push_back(fmt::format("x{}", j + 1)), fit.group.push_back(static_cast<Index>(j));
  fit.relevant.assign(p, false), fit.left_out.assign(p, false);
  for (const Index j : {Index{3}, num_columns / 2, num_columns - 1}) {
    fit.mean[j] = random.normal(), fit.variance[j] = 0.25, fit.V_diagonal[j] = 0.5, fit.relevance[j] = 1;
    fit.relevant[static_cast<std::size_t>(j)] = true;
  }
  fit.num_rows = 50, fit.noise = {25, 3};
  fit.report.status = Status::converged, fit.report.solver = SolverKind::coordinate;
  state->standardization = {random.normals(num_columns), Vector::Ones(num_columns), false};
  state->w = fit.standardized_mean = fit.mean;
  fit.state = state;
  return fit;
}

std::string version_of(const std::string& bytes) { return SafetensorsReader(bytes, "the bytes").metadata().at("format_version"); }

// The mean and the scale of each column, and nothing else that grows.
TEST(ManyColumns, AModelOfAMillionColumnsTakesTwoNumbersForEach) {
  constexpr Index p = 1'000'000;
  const Fit fit = wide_fit(p);
  const std::string bytes = model_to_bytes({.fit = fit, .encoding = FeatureEncoding::of_numbers(fit.column_names)});
  EXPECT_LT(bytes.size(), static_cast<std::size_t>(16 * p + 16384));
  EXPECT_EQ(version_of(bytes), "12");
  const SavedModel model = model_from_bytes(bytes);
  const Fit& read = *model.score();
  EXPECT_EQ(read.column_names, fit.column_names);
  EXPECT_EQ(read.group, fit.group);
  EXPECT_EQ(read.relevant, fit.relevant);
  EXPECT_EQ(read.left_out, fit.left_out);
  EXPECT_EQ(read.mean, fit.mean);
  EXPECT_EQ(read.variance, fit.variance);
  EXPECT_EQ(read.precision, fit.precision);
  EXPECT_EQ(read.state->w, fit.state->w);
  EXPECT_EQ(read.state->standardization.center, fit.state->standardization.center);
}

TEST(ManyColumns, AModelOfAThousandColumnsIsWhatItWas) {
  const Fit fit = wide_fit(1000);
  const std::string bytes = model_to_bytes({.fit = fit, .encoding = FeatureEncoding::of_numbers(fit.column_names)});
  EXPECT_EQ(version_of(bytes), "5");
  const SafetensorsReader file(bytes, "the bytes");
  EXPECT_TRUE(file.has("mean") && file.has("w") && !file.has("mean.column"));
  const Json description = from_text(file.text("fit"));
  EXPECT_EQ(description.at("group").whole_numbers(), fit.group);
  EXPECT_EQ(description.at("relevant").flags(), fit.relevant);
  EXPECT_EQ(description.at("features").texts(), fit.column_names);
}

TEST(ManyColumns, BringsEveryNameBack) {
  FeatureEncoding encoding = FeatureEncoding::of_numbers({"age", "x7"});
  for (int j = 8; j < 2000; ++j) encoding.features.push_back({fmt::format("x{}", j)});
  encoding.features.push_back({"city", true, {"Bonn", "Rome"}});
  for (const char* name : {"x010", "x011", "x012", "", "99", "100", "x99999999999999999999", "x3"}) encoding.features.push_back({name});
  for (int j = 0; j < 30; ++j) encoding.features.push_back({fmt::format("{}", j)});
  for (int j = 0; j < 40; ++j) encoding.features.push_back({.name = fmt::format("t{}", j), .is_truth = j > 25});
  Json description = Json::object();
  add_encoding(description, encoding, true);
  EXPECT_LT(description.dump().size(), 900u);
  const FeatureEncoding read = read_encoding(from_text(description.dump()), 3000);
  ASSERT_EQ(read.features.size(), encoding.features.size());
  for (std::size_t f = 0; f < read.features.size(); ++f) {
    EXPECT_EQ(read.features[f].name, encoding.features[f].name);
    EXPECT_EQ(read.features[f].levels, encoding.features[f].levels);
    EXPECT_EQ(read.features[f].is_truth, encoding.features[f].is_truth) << read.features[f].name;
  }
  EXPECT_THROW(static_cast<void>(read_encoding(from_text(description.dump()), 1999)), JsonError);  // a file with fewer numbers
}

TEST(ManyColumns, RefusesToCountMoreColumnsThanTheFileHasNumbers) {
  const std::string text = R"({"features":[{"prefix":"x","first":1,"count":9000000000000}]})";
  EXPECT_NE(message_of<JsonError>([&] { static_cast<void>(read_encoding(from_text(text), 100)); }).find("more columns than it has numbers"),
            std::string::npos);
}

}  // namespace
}  // namespace ardvark::internal::io
