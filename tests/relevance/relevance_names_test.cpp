// What a relevance vector machine calls its classes, and what it says of its kernel.
#include <gtest/gtest.h>

#include "../support/thrown.hpp"
#include "ardvark/relevance.hpp"

namespace ardvark {
namespace {

using Names = std::vector<std::string>;

// Three groups on a line; the label of the middle one is 1.
struct Groups {
  Matrix X{12, 1};
  Vector labels{12};
  Groups() {
    for (Index i = 0; i < 12; ++i) {
      X(i, 0) = static_cast<double>(i + 3 * (i / 4));
      labels[i] = static_cast<double>(i / 4);
    }
  }
};

TEST(FitRelevanceClassification, NamesClassesAsItIsTold) {
  const Groups groups;
  RelevanceOptions options;
  options.kernel = Kernel::gaussian(0.5);
  options.search = KernelSearch::none;
  options.class_names = {"low", "middle", "high"};
  const RelevanceClassification fit = fit_relevance_classification(groups.X, groups.labels, options);
  EXPECT_EQ(fit.classes, options.class_names);
  ASSERT_EQ(fit.machines.size(), 3u);
  EXPECT_EQ(fit.machines[1].fit.classes, (Names{"rest", "middle"}));
  EXPECT_EQ(fit.search, KernelSearch::none);

  // Of labels that occur, or occur with a weight, only.
  Vector weights = Vector::Ones(12);
  weights.head(4).setZero();
  options.weights = weights;
  EXPECT_EQ(fit_relevance_classification(groups.X, groups.labels, options).classes, (Names{"middle", "high"}));
}

TEST(FitRelevanceClassification, RefusesLabelsWithoutAName) {
  const Groups groups;
  RelevanceOptions options;
  options.class_names = {"low", "middle"};
  testing::expect_invalid([&] { (void)fit_relevance_classification(groups.X, groups.labels, options); },
                          {"labels at row", "is 2", "from 0 to 1"});
}

TEST(FitRelevanceRegression, SaysHowItsKernelWasFound) {
  const Groups groups;
  EXPECT_EQ(fit_relevance_regression(groups.X, groups.labels).search, KernelSearch::scale);
  RelevanceOptions linear;
  linear.kernel = Kernel::linear();  // without a parameter there is nothing to search
  EXPECT_EQ(fit_relevance_regression(groups.X, groups.labels, linear).search, KernelSearch::none);
}

}  // namespace
}  // namespace ardvark
