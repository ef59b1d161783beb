#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "ardvark/html_report.hpp"
#include "ardvark/plot.hpp"

namespace ardvark {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// ASCII, not wider than it may be, without blanks at the ends of lines.
void expect_fits(const std::string& text, std::size_t width) {
  for (const std::string& line : lines_of(text)) {
    EXPECT_LE(line.size(), width) << text;
    EXPECT_TRUE(line.empty() || line.back() != ' ') << text;
    EXPECT_TRUE(std::ranges::all_of(line, [](char c) { return c >= ' ' && c <= '~'; })) << text;
  }
}

SavedModel three_effects(const std::vector<std::string>& names) {
  std::mt19937_64 engine(2);
  std::normal_distribution<double> normal;
  Matrix X(400, 3);
  Vector y(400);
  for (double& x : X.reshaped()) x = normal(engine);
  for (Index i = 0; i < 400; ++i) y[i] = 2 * X(i, 0) - 2 * X(i, 1) + 0.2 * normal(engine);
  ModelOptions options{.model = "linear"};
  options.column_names = names;
  return fit_model(X, y, options);
}

TEST(Drawing, PutsCoefficientsOnACommonAxis) {
  const SavedModel model = three_effects({"up", "dn", "idle"});
  const std::string text = drawing(model, 60);
  expect_fits(text, 60);
  const std::vector<std::string> lines = lines_of(text);
  const auto line = [&](const std::string& name) {
    return *std::ranges::find_if(lines, [&](const std::string& l) { return l.starts_with(name + " "); });
  };
  // The two effects are equal but for their sign, so that they are as far from zero on both sides.
  const std::size_t zero = line("up").find(':'), up = line("up").find('*'), down = line("dn").find('*');
  ASSERT_NE(up, std::string::npos);
  ASSERT_NE(down, std::string::npos);
  EXPECT_EQ(line("dn").find(':'), zero);
  EXPECT_NEAR(static_cast<double>(up) - static_cast<double>(zero), static_cast<double>(zero) - static_cast<double>(down), 2);
  EXPECT_NEAR(static_cast<double>(line("idle").find('o')), static_cast<double>(zero), 1);
  EXPECT_NE(text.find("sd of the target per sd of the column; 95% interval; * kept"), std::string::npos);
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// What a standardised coefficient is per: in the drawing, in a summary of such coefficients, and in what a report says for a paper.
TEST(Drawing, SaysWhatCoefficientsArePer) {
  std::mt19937_64 engine(6);
  std::normal_distribution<double> normal;
  Matrix X(90, 2);
  Vector y(90), two(90), three(90);
  for (double& x : X.reshaped()) x = 5 + 3 * normal(engine);
  for (Index i = 0; i < 90; ++i) {
    y[i] = 40 + 9 * X(i, 0) + normal(engine);
    two[i] = X(i, 0) + normal(engine) > 5 ? 1 : 0, three[i] = X(i, 0) < 3 ? 0 : X(i, 1) < 5 ? 1 : 2;
  }
  const auto expect = [&](const std::string& options, const Vector& target, const std::string& per, const std::string& long_form,
                          const std::string& written) {
    ModelOptions chosen;
    std::istringstream words(options);
    for (std::string name, value; words >> name >> value;)
      name == "intercept" || name == "standardize" || name == "compat" || name == "lambda" ? chosen.set(name, std::stod(value))
                                                                                           : chosen.set(name, value);
    const SavedModel model = fit_model(X, target, chosen);
    const std::string drawn = drawing(model, 200);
    EXPECT_TRUE(contains(drawn, "\n" + per + "; 95% interval")) << options << drawn;
    const std::string page = html_report(model);
    EXPECT_TRUE(contains(page, ">" + per + "<")) << options;
    EXPECT_EQ(contains(page, "Columns were"), !written.empty()) << options;
    EXPECT_TRUE(written.empty() || contains(page, "Columns were " + written + " for the fit")) << options;
    SummaryOptions scaled;
    scaled.standardized = true;
    const Fit* const fit = model.score();
    EXPECT_TRUE(fit == nullptr || contains(summary(*fit, scaled), "\ncoefficients per " + long_form + "\n")) << options;
  };
  const std::string unit = "unit of the column", square = "root mean square of the column";
  expect("model linear", y, "sd of the target per sd of the column", "standard deviation of the column and of the target", "standardised");
  expect("model linear standardize 0", y, "effect per " + unit, unit, "");
  expect("model linear intercept 0 prior ard", y, "rms of the target per rms of the column", square + " and of the target",
         "divided by their root mean squares");
  expect("model linear intercept 0 standardize 0 prior shared", y, "effect per " + unit, unit, "");
  expect("model linear prior laplace lambda 1 standardize 0", y, "effect per " + unit, unit, "");
  expect("preset vb_linear_fit", y, "effect per " + unit, unit, "");
  expect("model logistic", two, "log odds per sd of the column", "standard deviation of the column", "standardised");
  expect("model logistic standardize 0 prior ard", two, "log odds per " + unit, unit, "");
  expect("preset slr_var", two, "log odds per sd of the column", "standard deviation of the column", "standardised");
  expect("preset slr_var compat 1", two, "log odds per largest |x - mean|", "largest distance of the column from its mean",
         "divided by their largest distance from the mean");
  expect("model logistic", three, "log odds per sd of the column", "", "");
  expect("model logistic standardize 0", three, "log odds per " + unit, "", "");
  expect("preset slr_var_ovr compat 1", three, "log odds per largest |x - mean|", "", "");
}

TEST(Drawing, FitsIntoAnyWidth) {
  const SavedModel model =
      three_effects({"a name that is longer than the line of a narrow terminal", "\u00e4\u00f6\u00fc\u65e5", "x\x1b[31m"});
  for (int width = 20; width <= 130; ++width)
    for (const std::string& line : lines_of(drawing(model, width))) {
      const auto characters = std::ranges::count_if(line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
      EXPECT_LE(characters, width) << line;
      EXPECT_EQ(line.find('\x1b'), std::string::npos);
    }
  EXPECT_THROW((void)drawing(model, 19), InvalidArgument);
  EXPECT_THROW((void)drawing(model, 80, 1.0), InvalidArgument);
}

TEST(Drawing, ShowsCurves) {
  Matrix X(80, 1);
  Vector y(80), labels(80);
  for (Index i = 0; i < 80; ++i) X(i, 0) = 0.1 * static_cast<double>(i), y[i] = X(i, 0), labels[i] = i < 27 ? 0 : i < 54 ? 1 : 2;
  ModelOptions options{.model = "kernel", .task = "regression"};
  options.column_names = {"time"};
  const SavedModel model = fit_model(X, y, options);
  for (const int width : {20, 39, 40, 80, 120}) expect_fits(drawing(model, width), static_cast<std::size_t>(width));
  // A rising line: the mean in the last column is in the first row, and the other way round.
  const std::vector<std::string> lines = lines_of(drawing(model, 80));
  const auto first = std::ranges::find_if(
      lines, [](const std::string& line) { return line.find('*') != std::string::npos && line.find("over") == std::string::npos; });
  ASSERT_NE(first, lines.end());
  EXPECT_EQ(lines.front(), "target over time");
  EXPECT_GT(first->find('*'), 70u);
  EXPECT_LT((first + 11)->find('*'), 20u);
  options = {.model = "kernel", .task = "classification"};
  const std::string classes = drawing(fit_model(X, labels, options), 60);
  expect_fits(classes, 60);
  for (const char* const legend : {"a: 0", "b: 1", "c: 2"}) EXPECT_NE(classes.find(legend), std::string::npos) << classes;
}

TEST(Drawing, ShowsSeveralClasses) {
  std::mt19937_64 engine(2);
  std::normal_distribution<double> normal;
  Matrix X(150, 3);
  Vector labels(150);
  for (double& x : X.reshaped()) x = normal(engine);
  for (Index i = 0; i < 150; ++i) labels[i] = X(i, 0) < -0.5 ? 0 : X(i, 0) < 0.5 ? 1 : 2;
  ModelOptions options{.model = "logistic", .coding = "softmax"};
  options.class_names = {"low", "middle", "high"};
  const std::string text = drawing(fit_model(X, labels, options), 50);
  expect_fits(text, 50);
  for (const char* const name : {"low:", "middle:", "high:"}) EXPECT_NE(text.find(name), std::string::npos);
}

TEST(Drawing, OfNoFitSaysSo) {
  SavedModel model;
  model.fit = Fit();
  EXPECT_EQ(drawing(model), "there is no fit to draw\n");
}

}  // namespace
}  // namespace ardvark
