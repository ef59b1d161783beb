// The tree that model files and results are made of, against the library that reads and writes its texts.
#include "io/json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "ardvark/errors.hpp"
#include "io/json_reader.hpp"
#include "support/random_problem.hpp"

namespace ardvark::internal::io {
namespace {

using testing::Random;
using Library = nlohmann::ordered_json;

Json read(const std::string& text) { return bounded_json(text, 1'000'000, "m.ardvark"); }

// Both hold the same.
std::pair<Json, Library> draw(Random& random, int depth) {
  const Index kind = random.integer(0, depth > 0 ? 7 : 5);
  if (kind == 0) return {Json(), nullptr};
  if (kind == 1) return {Json(true), true};
  if (kind == 2) {
    const std::int64_t whole = std::int64_t{1} << random.integer(0, 62);
    return {Json(-whole), -whole};
  }
  if (kind == 3) return {Json(std::numeric_limits<std::uint64_t>::max()), std::numeric_limits<std::uint64_t>::max()};
  if (kind == 4) {
    const double number = random.normal() * std::pow(10.0, static_cast<double>(random.integer(-300, 300)));
    return {Json(number), number};
  }
  if (kind == 5) {
    std::string text;
    for (Index i = random.integer(0, 20); i > 0; --i) text += static_cast<char>(random.integer(0, 255));
    return {Json(text), text};
  }
  Json json = kind == 6 ? Json::array() : Json::object();
  Library library = kind == 6 ? Library::array() : Library::object();
  for (Index i = random.integer(0, 4); i > 0; --i) {
    auto [a, b] = draw(random, depth - 1);
    if (kind == 6)
      json.push_back(a), library.push_back(b);
    else
      json["k\"" + std::to_string(i)] = a, library["k\"" + std::to_string(i)] = b;
  }
  return {json, library};
}

TEST(Json, IsWrittenAndReadAsByTheLibrary) {
  Random random(1);
  for (int t = 0; t < 2000; ++t) {
    const auto [json, library] = draw(random, 4);
    const std::string text = json.dump();
    EXPECT_EQ(text, library.dump(-1, ' ', false, Library::error_handler_t::replace));
    EXPECT_EQ(read(text).dump(), text);
    EXPECT_EQ(Json(json).dump(), text) << "a copy";
  }
}

TEST(Json, WritesNumbersThatAreNotFiniteAsNull) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Json(std::vector<double>{1, -0.0, infinity, -infinity, std::nan("")}).dump(), "[1.0,-0.0,null,null,null]");
}

TEST(Json, KeepsTheOrderOfMembersAndTheLastOfAName) {
  const Json json = read(R"({"b":1,"a":2,"b":3})");
  EXPECT_EQ(json.at("b").whole_number(), 3);
  EXPECT_EQ(json.members().front().first, "b");
  EXPECT_EQ(Json({{"z", 1}, {"a", Json::array({"x", 2})}}).dump(), R"({"z":1,"a":["x",2]})");
}

TEST(Json, SaysWhatItIsWhereSomethingElseIsAskedFor) {
  const auto message = [](auto&& ask) {
    try {
      static_cast<void>(ask());
    } catch (const JsonError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message([] { return Json("x").number(); }), "a number is expected, but there is a text");
  EXPECT_EQ(message([] { return Json(1.5).whole_number(); }), "a whole number up to 2^53 is expected, but there is a number");
  EXPECT_EQ(message([] { return Json(std::int64_t{1} << 54).whole_number(); }),
            "a whole number up to 2^53 is expected, but there is a whole number");
  EXPECT_EQ(message([] { return Json(std::vector<double>{1}).text(); }), "a text is expected, but there is a list");
  EXPECT_EQ(message([] { return Json::object().at("mean"); }), "there is no 'mean'");
  EXPECT_EQ(message([] { return Json().at("mean"); }), "an object is expected, but there is null");
  EXPECT_EQ(message([] { return Json::array({1, "x"}).numbers(); }), "a number is expected, but there is a text");
  EXPECT_EQ(message([] { return read("[1,2"); }), "it is not valid JSON at character 5");
}

TEST(Json, IsRefusedWhereItWouldTakeMoreThanItMay) {
  std::string lists = "[[]", deep(300, '[');
  for (int i = 0; i < 10'000; ++i) lists += ",[]";
  lists += "]";
  deep += std::string(300, ']');
  EXPECT_NO_THROW(read(lists));
  EXPECT_THROW(static_cast<void>(bounded_json(lists, 500'000, "m.ardvark")), InvalidArgument);
  EXPECT_THROW(read(deep), InvalidArgument);
}

}  // namespace
}  // namespace ardvark::internal::io
