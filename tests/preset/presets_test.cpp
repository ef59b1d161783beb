#include <gtest/gtest.h>

#include "../support/thrown.hpp"
#include "ardvark/fit.hpp"
#include "preset/preset.hpp"

namespace ardvark::internal {
namespace {

using testing::expect_invalid;

TEST(Presets, AreListedAndFillInThePublishedOptions) {
  EXPECT_EQ(presets().size(), 22U);
  for (const PresetInfo& info : presets()) {
    const FitOptions options = options_for_preset(info.name, true);
    EXPECT_EQ(options.preset, info.name);
    EXPECT_TRUE(options.compat);
    EXPECT_FALSE(options.accelerate) << info.name;
    EXPECT_EQ(options.intercept, options.penalize_intercept) << info.name;  // only the SLR toolbox has one, like any other column
    if (!options.intercept) {
      EXPECT_FALSE(options.standardize) << info.name;
    }
    EXPECT_EQ(task_of_preset(info.name), info.task);
  }
  expect_invalid([] { static_cast<void>(options_for_preset("vb_linear")); }, {"'vb_linear'", "vb_linear_fit", "vb_logit_fit_iter"});
  expect_invalid([] { static_cast<void>(task_of_preset("")); }, {"preset ''"});
}

TEST(Presets, OfSeveralClassesAreRegressionsThatAreThemselvesPresets) {
  int machines = 0;
  for (const PresetInfo& info : presets()) {
    const PresetFacts& facts = preset_facts(info.name);
    EXPECT_EQ(facts.machine != nullptr, facts.coding && *facts.coding != ClassCoding::softmax) << info.name;
    if (facts.machine == nullptr) continue;
    ++machines;
    for (const bool compat : {false, true}) {
      const FitOptions all = options_for_preset(info.name, compat);
      const FitOptions each = options_for_preset(facts.machine, compat);
      EXPECT_EQ(all.prior.kind, each.prior.kind) << info.name;
      EXPECT_EQ(all.likelihood, each.likelihood) << info.name;
      EXPECT_EQ(all.rule, each.rule) << info.name;
      EXPECT_EQ(all.scaling, each.scaling) << info.name;
      EXPECT_EQ(all.pruning.threshold, each.pruning.threshold) << info.name;
    }
    EXPECT_FALSE(preset_facts(facts.machine).coding) << info.name;
  }
  EXPECT_EQ(machines, 4);  // one against the rest: slr_lap, slr_var, rlr_var; one against one: slr_var                       (SLR toolbox)
}

// What no preset says is what a model does: an unknown name in a file changes nothing.
TEST(Presets, HaveFactsThatAModelHasToo) {
  for (const char* name : {"", "vb_linear"}) {
    const PresetFacts& facts = preset_facts(name);
    EXPECT_EQ(facts.method, PresetMethod::sweeps);
    EXPECT_FALSE(facts.slr_toolbox || facts.kernel || facts.laplace_prior || facts.coding || facts.machine);
    EXPECT_EQ(facts.rule, PredictiveRule::exact);
  }
}

}  // namespace
}  // namespace ardvark::internal
