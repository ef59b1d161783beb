// Checks every property on 120 problems of the generator. scripts/check runs thousands.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>

#include "runner.hpp"
#include "support/paths.hpp"

namespace ardvark {
namespace {

using testing::RunOptions;

class Properties : public ::testing::TestWithParam<int> {};

// Only every fifth problem also runs with the program, because starting it takes longer than a fit.
TEST_P(Properties, HoldOfRandomProblems) {
  RunOptions options;
  options.count = 6;
  options.seed = 1 + options.count * static_cast<std::uint64_t>(GetParam());
  options.failures = "";
  options.shell_every = 5;
  options.brief = true;
  EXPECT_EQ(run_properties(options).num_failures, 0u) << "the output above shows each failure, and the command that repeats it";
}

INSTANTIATE_TEST_SUITE_P(Generator, Properties, ::testing::Range(0, 20));

// Options, columns, targets and weights of any size, columns that separate classes: a model that is written is read, and what it reports
// are numbers, unless the documentation says otherwise.
TEST(Properties, HoldOfExtremeProblems) {
  RunOptions options;
  options.count = 75;
  options.failures = "";
  options.extreme = true;
  EXPECT_EQ(run_properties(options).num_failures, 0u) << "the output above shows each failure, and the command that repeats it";
}

struct Mended {
  std::uint64_t seed;
  const char* property;
  const char* what;
  bool extreme = false;
};

TEST(Properties, HoldWhereTheyOnceDidNot) {
  const Mended all[] = {
      {139, "predicted", "a preset with compat centred its columns without an intercept, and did not say so"},
      {1600, "predicted", "the same for l1_slr_lap"},
      {2456, "predicted", "the same for the softmax"},
      {1895, "described", "with any flat column, R^2 of a greedy preset was relative to the mean, as with an intercept"},
      {2300, "rows", "blocks of columns with correlations of one half depended on the order of the rows"},
      {1580, "memory", "the order of columns with the same correlation with the target depended on rounding"},
      {12174, "weights", "a sparse fit of separable classes ended after two steps that were small by accident"},
      {631, "solvers", "a fit with the dual solver that could not begin said that the classes are separated"},
      {1855, "sound", "for a constant target, no start of the prior slab had a finite bound"},
      {11277, "rows", "a target far from zero was not centred if the columns were not standardised"},
      {11525, "converged", "a small promised gain of the next step alone was enough to end plain sweeps with pruning"},
      {1010706, "derived", "the effective parameters of a fit without effects were negative by rounding"},
      {20076, "c", "a softmax with pruned columns and no posterior ended the program by a division by zero"},
      {1000920, "sound", "with separable classes and columns that may leave, each full step went further beyond the maximum"},
      {1002339, "saved", "a filter whose covariance was lost by rounding gave NaN, but could be saved"},
      {1014125, "sound", "a kernel machine without a column and without a bias had no posterior"},
      {1001308, "described", "with columns of very different sizes, the Gram matrix lost the small ones"},
      {1018090, "described", "the same with more columns than rows"},
      {1011549, "rows", "the same, and for a target almost without noise, rounding decided"},
      {1014433, "units", "with 16 rows and standardised columns, rounding chose the points of the grid of hyper-parameters"},
      {1003390, "memory", "the last bit of its mean decided whether a copy of a column, far from zero, was found"},
      {1012840, "columns", "the rows of a kernel machine were sorted by the first column"},
      {1014781, "weights", "the order of the rows decided which columns of a chain of near copies were left out"},
      {90, "imputed", "two effects that the same columns share in one completed table counted as one, with an inclusion above 1"},
      {116, "imputed", "without a covariance, a loaded fit to completed tables had another log_det_V"},
      {372, "imputed", "the share of missing information was not a number where separable classes had no limit"},
      {1001025, "sound", "the weights of two hypotheses did not sum to one because of rounding of their evidence"},
      {6210, "sound", "the same for two classes"},
      {4271, "weights", "a kernel machine with centres refused repeated rows where it took the same rows with weights"},
      {4200, "imputed", "an average over completed tables whose posteriors have no variance had no intercept"},
      {6286, "imputed", "the same with few rows by their weights"},
      {6022, "units", "the first centre of a kernel machine depended on the last bits of the inputs"},
      {6175, "units", "the same with one centre"},
      {4345, "sound", "the interval of a prediction with .0015 degrees of freedom is infinite, which the property did not know"},
      {1000197, "saved", "a flat column that separates some rows has no variance under the prior laplace, and the file had none"},
      {1000486, "saved", "the same for one class against the rest"},
      {1003038, "predicted", "the property ended the program for a kernel machine without a vector"},
      {100835, "saved", "a noise posterior of weights that sum to 1e-28 was saved, and its file refused", true},
      {87, "sound", "no kernel of a search had a log evidence: the list of the best was empty, and was read", true},
      {767, "saved", "an interval was a sum of 1e12 terms where the noise is known exactly and the mean is not", true},
      {5400105, "saved", "a kernel machine with centres whose evidence was not finite could be saved, and not read again", true},
      {5400109, "sound", "no row was left to show the noise, and variances were not finite", true},
      {286, "sizes", "a preset of classes took columns whose squares overflow, and its file was refused"},
      {519, "sizes", "a preset of regressions took a target whose square overflows, and its file was refused"},
      {1095, "sizes", "the variance of the intercept was not a number with columns of 1e149"},
      {5200069, "columns", "where all rows are far apart, the first column chose the centres"},
      {27159, "sound", "the sd of a count was infinity times zero where its log rate varies by more than 26"},
      {40133, "saved", "with a0 of 1e42, counts without a maximum had converged, and their file was refused", true},
  };
  for (const Mended& one : all) {
    RunOptions options;
    options.seed = one.seed;
    options.wanted = one.property;
    options.extreme = one.extreme;
    options.failures = "";
    options.strict = true;
    EXPECT_EQ(run_properties(options).num_failures, 0u) << one.what;
  }
}

TEST(Exemptions, StandOnThePageOfReliability) {
  std::ifstream file(testing::data_path("../../docs/reliability.md"));
  std::stringstream page;
  page << file.rdbuf();
  const std::string table = testing::table_of_exemptions();
  EXPECT_NE(page.str().find(table), std::string::npos) << "the page should contain what ardvark_random --exemptions prints:\n" << table;
}

TEST(ProblemGenerator, DrawsTheSameProblemFromTheSameSeed) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const testing::DrawnProblem problem = testing::draw_problem(seed);
    EXPECT_EQ(testing::json_of(problem), testing::json_of(testing::draw_problem(seed)));
    EXPECT_EQ(testing::json_of(problem), testing::json_of(testing::problem_of(testing::json_of(problem))));
    EXPECT_NE(testing::json_of(problem).at("target"), testing::json_of(testing::draw_problem(seed + 1)).at("target"));
  }
}

TEST(ProblemGenerator, DrawsEveryPresetModelWordAndOption) {
  std::set<std::string> drawn;
  for (std::uint64_t seed = 1; seed <= 5000; ++seed)
    for (const auto& [name, value] : testing::draw_problem(seed).options) {
      drawn.insert(name);
      if (const auto* text = std::get_if<std::string>(&value)) drawn.insert(name + "=" + *text);
    }
  for (const PresetInfo& preset : presets()) EXPECT_TRUE(drawn.contains(std::string("preset=") + preset.name)) << preset.name;
  for (const char* option :
       {"prior", "likelihood", "posterior", "coding", "solver", "update_rule", "kernel", "algorithm", "keep_covariance"}) {
    EXPECT_FALSE(testing::words_of(option).empty()) << option;
    for (const std::string& word : testing::words_of(option))
      EXPECT_TRUE(drawn.contains(std::string(option) + "=" + word)) << option << " " << word;
  }
  std::set<std::string> of_others = testing::options_not_drawn();
  for (const char* drawn_apart : {"model", "preset", "task", "exposure", "offset_column", "noise"}) of_others.erase(drawn_apart);
  of_others.insert("toolbox_R");  // only for slr_rvm with a Gaussian kernel and without a width, and these were not drawn together
  for (const ModelOption& option : model_options()) EXPECT_NE(drawn.contains(option.name), of_others.contains(option.name)) << option.name;
}

TEST(ProblemShrink, LeavesTheLeastThatStillFails) {  // here, a problem fails if it has a second column and four rows
  const auto fails = [](const testing::DrawnProblem& problem) { return problem.num_columns() >= 2 && problem.rows() >= 4; };
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const testing::DrawnProblem problem = testing::draw_problem(seed);
    if (!fails(problem)) continue;
    const testing::DrawnProblem small = testing::shrink(problem, fails, 10000);
    EXPECT_EQ(small.rows(), 4);
    EXPECT_EQ(small.num_columns(), 2);
    EXPECT_LE(small.options.size(), 2u);
  }
}

}  // namespace
}  // namespace ardvark
