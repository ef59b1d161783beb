// The presets of several classes with compat against the SLR toolbox 1.2.1alpha run in Octave (tests/data/README.md), sweep for sweep.
#include "ardvark/softmax.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "support/reference.hpp"

namespace ardvark {
namespace {

using testing::load_design;
using testing::load_matrix;
using testing::load_vector;

constexpr double same_sweeps = 1e-8;

struct Case {
  std::string set, program, preset;
  int sweeps;

  [[nodiscard]] std::string folder() const { return "refs/" + set + "/slr_muclsfy_" + program + "__nlearn" + std::to_string(sweeps) + "/"; }
  [[nodiscard]] bool is_iris() const { return set == "iris_multiclass"; }
  // The toolbox was given no column of ones, and of syn_rankdef no column of zeros.
  [[nodiscard]] Matrix inputs(bool test) const {
    if (is_iris()) return load_matrix("refs/" + set + (test ? "/X_test.csv" : "/X.csv"));
    const Matrix X = load_design(set, test);
    return X.middleCols(1, X.cols() - (set == "syn_rankdef" ? 2 : 1));
  }
  [[nodiscard]] Vector labels() const { return load_vector("refs/" + set + (is_iris() ? "/t.csv" : "/y_log.csv")); }
};

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
  return info.param.set + "_" + info.param.program + "_" + std::to_string(info.param.sweeps);
}
void PrintTo(const Case& c, std::ostream* out) { *out << c.folder(); }

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* set : {"syn_over", "syn_rankdef", "syn_under", "synth"})
    for (const int sweeps : {20, 300}) all.push_back({set, "smlr", "smlr", sweeps});
  const std::pair<const char*, const char*> programs[] = {{"smlr", "smlr"},
                                                          {"rmlr", "rmlr"},
                                                          {"slrlapovrm", "slr_lap_ovr"},
                                                          {"slrvarovrm", "slr_var_ovr"},
                                                          {"rlrvarovrm", "rlr_var_ovr"},
                                                          {"slrvarovo", "slr_var_ovo"}};
  for (const auto& [program, preset] : programs)
    for (const int sweeps : {20, 200}) all.push_back({"iris_multiclass", program, preset, sweeps});
  return all;
}

SoftmaxFit fit_case(const Case& c, SolverKind solver = SolverKind::automatic) {
  SoftmaxOptions options = softmax_options_for_preset(c.preset, true);
  options.max_sweeps = c.sweeps;
  options.solver = solver;
  return fit_softmax(c.inputs(false), c.labels(), options);
}

double largest_difference(const Matrix& a, const Matrix& b) { return (a - b).cwiseAbs().maxCoeff(); }

// MacKay's step (1 - a S)/w^2 of a weight on its way out subtracts two numbers that agree to all but a few digits: 1 - a S = alpha w^2.
double rounding_of_mackay(double alpha, double w) { return 1e-15 / (alpha * w * w); }

class MulticlassPresets : public ::testing::TestWithParam<Case> {};

TEST_P(MulticlassPresets, IsReproducedByTheCompatPreset) {
  const Case& c = GetParam();
  const SoftmaxFit fit = fit_case(c);
  const Matrix ww = load_matrix(c.folder() + "ww.csv");
  ASSERT_EQ(ww.rows(), fit.standardized_mean.rows());
  EXPECT_LE(largest_difference(fit.standardized_mean, ww) / ww.cwiseAbs().maxCoeff(), same_sweeps);
  EXPECT_LE(largest_difference(predict(fit, c.inputs(false)).probability, load_matrix(c.folder() + "Ptr.csv")), same_sweeps);
  EXPECT_LE(largest_difference(predict(fit, c.inputs(true)).probability, load_matrix(c.folder() + "Pte.csv")), same_sweeps);
  if (c.is_iris()) return;  // what follows was not written down

  std::vector<double> survivors;
  for (Index j = 0; j < fit.num_columns(); ++j)
    if (fit.relevant[static_cast<std::size_t>(j)]) survivors.push_back(static_cast<double>(j + 1));
  const Vector kept = load_vector(c.folder() + "ix_eff.csv");
  EXPECT_EQ(survivors, std::vector<double>(kept.begin(), kept.end()));
  const Vector alpha = load_vector(c.folder() + "alpha_last.csv");
  ASSERT_EQ(alpha.size(), fit.precision.size());
  for (Index i = 0; i < alpha.size(); ++i) {
    const Index j = i % fit.precision.rows(), k = i / fit.precision.rows();
    if (alpha[i] < 1e8)
      EXPECT_LE(testing::relative_difference(fit.precision(j, k), alpha[i]),
                std::max(same_sweeps, rounding_of_mackay(alpha[i], fit.standardized_mean(j, k))))
          << j << " " << k;
    else
      EXPECT_GE(fit.precision(j, k), 1e8) << j << " " << k;
  }
}

TEST(MulticlassPreset, IsReproducedByBothSolvers) {
  for (const SolverKind solver : {SolverKind::primal, SolverKind::dual})
    for (const Case& c : {Case{"syn_under", "smlr", "smlr", 20}, Case{"iris_multiclass", "rmlr", "rmlr", 20}}) {
      const Matrix ww = load_matrix(c.folder() + "ww.csv");
      EXPECT_LE(largest_difference(fit_case(c, solver).standardized_mean, ww) / ww.cwiseAbs().maxCoeff(), same_sweeps) << c.folder();
    }
}
TEST(MulticlassPreset, BeginsWhereItIsTold) {
  for (Case c :
       {Case{"iris_multiclass", "slrvarovo_ax0_ramp", "slr_var_ovo", 20}, Case{"iris_multiclass", "rlrvarovrm_ax0_3", "rlr_var_ovr", 20}}) {
    SoftmaxOptions options = softmax_options_for_preset(c.preset, true);
    options.max_sweeps = c.sweeps;
    if (c.preset == "slr_var_ovo")
      for (int k = 1; k <= 15; ++k) options.start_precision.push_back(1 + k / 4.0);  // three pairs, four columns and a bias each
    else
      options.start_precision = {3};
    const SoftmaxFit fit = fit_softmax(c.inputs(false), c.labels(), options);
    const Matrix ww = load_matrix(c.folder() + "ww.csv");
    EXPECT_LE(largest_difference(fit.standardized_mean, ww) / ww.cwiseAbs().maxCoeff(), same_sweeps) << c.program;
    EXPECT_LE(largest_difference(predict(fit, c.inputs(true)).probability, load_matrix(c.folder() + "Pte.csv")), same_sweeps) << c.program;
    options.start_precision.clear();
    EXPECT_GT(largest_difference(fit_softmax(c.inputs(false), c.labels(), options).standardized_mean, ww), 1e-3) << c.program;
  }
}

TEST(MulticlassPreset, AveragesThePairsAsPublished) {  // (SMX.10)
  const Case c{"iris_multiclass", "slrvarovo_combine_mode_1", "slr_var_ovo", 20};
  const SoftmaxFit fit = fit_case(c);
  EXPECT_LE(largest_difference(predict(fit, c.inputs(false), ClassRule::average).probability, load_matrix(c.folder() + "Ptr.csv")),
            same_sweeps);
  EXPECT_LE(largest_difference(predict(fit, c.inputs(true), ClassRule::average).probability, load_matrix(c.folder() + "Pte.csv")),
            same_sweeps);
}
INSTANTIATE_TEST_SUITE_P(References, MulticlassPresets, ::testing::ValuesIn(cases()), case_name);

}  // namespace
}  // namespace ardvark
