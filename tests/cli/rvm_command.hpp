// fit --model rvm: its tables, its command lines, and what it prints against what the library finds.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "ardvark/relevance.hpp"
#include "program.hpp"
#include "tables.hpp"

namespace ardvark::testing {

using Names = std::vector<std::string>;

inline const Arguments sinc = {"fit", "sinc.csv", "--target", "y", "--model", "rvm", "--task", "regression"};
inline const Arguments blobs = {"fit", "blobs.csv", "--target", "colour", "--ignore", "number,side", "--model", "rvm", "--width", "1.5"};
inline const Arguments two = {"fit", "blobs.csv", "--target", "side", "--ignore", "number,colour", "--model", "rvm", "--width", "1.5"};

/// sin(x)/x with noise 0.1, and an input z that has no part in it.
struct Sinc {
  Matrix X;
  Vector y;
  explicit Sinc(Index n = 80, unsigned seed = 3) : X(n, 2), y(n) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    for (Index i = 0; i < n; ++i) {
      const double x = -10 + 20 * (static_cast<double>(i) + 0.5) / static_cast<double>(n);
      X(i, 0) = x;
      X(i, 1) = 100 + 5 * normal(random);
      y[i] = std::sin(x) / x + 0.1 * normal(random);
    }
  }
  // Only the first inputs; "" for the value of every `hole`-th row's x.
  [[nodiscard]] std::string csv(bool with_z = false, Index hole = 0) const {
    std::string text = with_z ? "x,z,y\n" : "x,y\n";
    for (Index i = 0; i < y.size(); ++i) {
      const std::string x = hole > 0 && i % hole == 0 ? "" : fmt::format("{}", X(i, 0));
      text += with_z ? fmt::format("{},{},{}\n", x, X(i, 1), y[i]) : fmt::format("{},{}\n", x, y[i]);
    }
    return text;
  }
};

/// Three classes about three points of the plane: their colour, a number for each, and one of them against the rest.
inline std::string blobs_csv(int n = 90, unsigned seed = 4) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const char* colours[] = {"red", "green", "blue"};
  std::string text = "u,v,colour,number,side\n";
  for (int i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * (i % 3) / 3;
    text += fmt::format("{},{},{},{},{}\n", 2 * std::cos(angle) + 0.8 * normal(random), 20 * std::sin(angle) + 8 * normal(random),
                        colours[i % 3], 10 * (i % 3), i % 3 == 0 ? "left" : "right");
  }
  return text;
}

class RelevanceCommand : public ::testing::Test {
 protected:
  RelevanceCommand() {
    put(Sinc().csv(), "sinc.csv");
    put(Sinc().csv(true), "sinc2.csv");
    put(blobs_csv(), "blobs.csv");
  }
  void put(const std::string& text, const std::string& name) const { write_bytes(folder_ / name, text); }
  std::string output(const Arguments& arguments) const { return output_of(arguments, folder_.path()); }
  [[nodiscard]] Json json(const Arguments& arguments) const { return json_of(arguments, folder_.path()); }
  void refused(const Arguments& arguments, std::initializer_list<const char*> pieces) const {
    expect_refused(arguments + Arguments{"-o", "out.ardvark"}, folder_, 2, pieces);
  }

  TemporaryFolder folder_;
};

/// The program's numbers are those of the library, to the last bit.
inline void expect_same_machine(const Json& json, const RelevanceMachine& machine) {
  EXPECT_EQ(json["vectors"].get<std::vector<Index>>(), machine.vectors);
  EXPECT_EQ(json["columns"].get<Names>(), machine.fit.column_names);
  EXPECT_EQ(json["mean"].get<Numbers>(), numbers(machine.fit.mean));
  EXPECT_EQ(json["variance"].get<Numbers>(), numbers(machine.fit.variance));
  EXPECT_EQ(json["relevance"].get<Numbers>(), numbers(machine.fit.relevance));
  EXPECT_EQ(json["precision"].get<Numbers>(), numbers(machine.fit.precision));
  EXPECT_EQ(json["intercept"]["mean"].get<double>(), machine.fit.intercept->mean);
}

inline void expect_same_fit(const Json& json, const RelevanceFit& fit) {
  EXPECT_EQ(json["status"], to_string(fit.report.status));
  EXPECT_EQ(json["kernel"], fit.kernel.name());
  EXPECT_EQ(json["algorithm"], to_string(fit.algorithm));
  EXPECT_EQ(json["log_evidence"].get<double>(), fit.log_evidence);
  EXPECT_EQ(json["num_vectors"].get<Index>(), fit.num_vectors());
  ASSERT_EQ(json["relevance_rows"].size(), fit.relevance_rows.size());
  for (std::size_t i = 0; i < fit.relevance_rows.size(); ++i) {
    EXPECT_EQ(json["relevance_rows"][i].get<Index>(), fit.relevance_rows[i] + 1);
    EXPECT_EQ(json["relevance_vectors"][i].get<Numbers>(), numbers(fit.relevance_vectors.row(static_cast<Index>(i)).transpose()));
  }
  ASSERT_EQ(json["trials"].size(), fit.trials.size());
  for (std::size_t i = 0; i < fit.trials.size(); ++i) {
    EXPECT_EQ(json["trials"][i]["parameters"].get<Numbers>(), fit.trials[i].parameters);
    EXPECT_EQ(json["trials"][i]["log_evidence"].get<double>(), fit.trials[i].log_evidence);
    EXPECT_EQ(json["trials"][i]["num_vectors"].get<Index>(), fit.trials[i].num_vectors);
  }
  EXPECT_EQ(json["input_center"].get<Numbers>(), numbers(fit.input_center));
  EXPECT_EQ(json["input_scale"].get<Numbers>(), numbers(fit.input_scale));
  if (fit.machines.size() == 1) {
    expect_same_machine(json, fit.machines.front());
  } else {
    ASSERT_EQ(json["machines"].size(), fit.machines.size());
    for (std::size_t k = 0; k < fit.machines.size(); ++k) expect_same_machine(json["machines"][k], fit.machines[k]);
  }
}

}  // namespace ardvark::testing
