#include <gtest/gtest.h>

#include "../support/thrown.hpp"
#include "ardvark/fit.hpp"

namespace ardvark {
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

}  // namespace
}  // namespace ardvark
