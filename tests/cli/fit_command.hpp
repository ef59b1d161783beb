// fit: its command lines, and what it prints against what the library finds.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ardvark/fit.hpp"
#include "program.hpp"
#include "support/paths.hpp"
#include "tables.hpp"

namespace ardvark::testing {

using Names = std::vector<std::string>;
using Groups = std::vector<Index>;

inline const std::string pima = example_path("Pima.tr.csv");
inline const Arguments linear = {"fit", "data.csv", "--target", "y", "--ignore", "label", "--model", "linear"};
inline const Arguments logistic = {"fit", "data.csv", "--target", "label", "--ignore", "y", "--model", "logistic"};

class FitCommand : public ::testing::Test {
 protected:
  void put(const std::string& text, const std::string& name = "data.csv") const { write_bytes(folder_ / name, text); }
  [[nodiscard]] Json fitted(const Arguments& arguments) const { return json_of(arguments, folder_.path()); }

  TemporaryFolder folder_;
};

inline void expect_same_numbers(const Json& json, const Vector& expected, const char* what) {
  EXPECT_EQ(json.get<Numbers>(), Numbers(expected.begin(), expected.end())) << what;
}

inline void expect_same_fit(const Json& json, const Fit& fit) {
  EXPECT_EQ(json["status"], to_string(fit.report.status));
  EXPECT_EQ(json["sweeps"], fit.report.sweeps);
  EXPECT_EQ(json["bound"].get<double>(), fit.bound);
  EXPECT_EQ(json["bound_history"].get<Numbers>(), fit.report.bound_history);
  expect_same_numbers(json["mean"], fit.mean, "mean");
  expect_same_numbers(json["variance"], fit.variance, "variance");
  expect_same_numbers(json["V_diagonal"], fit.V_diagonal, "V_diagonal");
  if (is_sparse(fit.prior)) {  // it has none
    EXPECT_TRUE(json["precision"].is_null() && json["log_det_V"].is_null());
  } else {
    expect_same_numbers(json["precision"], fit.precision, "precision");
    EXPECT_EQ(json["log_det_V"].get<double>(), fit.log_det_V);
  }
  EXPECT_EQ(json["group"].get<Groups>(), fit.group);
  EXPECT_EQ(json.contains("intercept"), fit.intercept.has_value());
  if (fit.intercept) {
    EXPECT_EQ(json["intercept"]["mean"].get<double>(), fit.intercept->mean);
    EXPECT_EQ(json["intercept"]["variance"].get<double>(), fit.intercept->variance);
  }
  if (fit.task == Task::linear) {
    EXPECT_EQ(json["noise"]["shape"].get<double>(), fit.noise.shape);
    EXPECT_EQ(json["noise"]["rate"].get<double>(), fit.noise.rate);
  }
}

}  // namespace ardvark::testing
