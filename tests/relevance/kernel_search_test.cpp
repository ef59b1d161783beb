#include "relevance/kernel_search.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <limits>

#include "../support/kernel_columns.hpp"
#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "relevance/evidence_gradient.hpp"
#include "relevance/relevance_problem.hpp"

namespace ardvark::internal {
namespace {

using testing::expect_invalid;
using testing::Random;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Points on a line: the median distance to the nearest is 1, the largest 100.
Matrix line() { return Vector::LinSpaced(101, 0, 100); }

// A problem whose evidence is a function of the first ln parameter; evaluate_on must not be asked.
struct Curve {
  std::function<double(double)> value;
  std::vector<double> asked;

  KernelSearchOutcome search(const Kernel& start, KernelSearch how = KernelSearch::scale) {
    KernelProblem problem;
    problem.evaluate = [this](const Kernel& kernel) {
      asked.push_back(kernel.log_parameters()[0]);
      KernelEvaluation found;
      found.log_evidence = value(asked.back());
      found.support = {{}};
      return found;
    };
    return search_kernel(start, how, line(), problem);
  }
};

// ---- the range --------------------------------------------------------------------------------------------------------------------

void expect_range(const ScaleRange& range, double low, double high) {
  EXPECT_NEAR(std::exp(range.low), low, 1e-9 * low);
  EXPECT_NEAR(std::exp(range.high), high, 1e-9 * high);
}

TEST(ScaleRange, IsHalfTheNearestToTwiceTheLargestDistance) {  // (RVM.5a)
  Matrix X(5, 1);
  X << 0, 1, 3, 7, 15;  // nearest: 1, 1, 2, 4, 8
  expect_range(scale_range(Kernel::gaussian(1), X), 1, 30);
  expect_range(scale_range(Kernel::laplacian(1), X), 1, 30);
  expect_range(scale_range(Kernel::cauchy(1), X), 1, 30);
  EXPECT_TRUE(scale_range(Kernel::cauchy(1), X).from_distances);
  expect_range(scale_range(Kernel::gaussian(0.25), X), 4, 120);  // factors of 0.25
  expect_range(scale_range(Kernel::gaussian(1) + 0.5 * (Kernel::linear() * Kernel::cauchy(8)), X), 1.0 / 8, 30);

  Matrix plane(3, 2);
  plane << 0, 0, 3, 0, 0, 4;  // in widths (1, 2): 3, 2 and sqrt(13)
  expect_range(scale_range(Kernel::gaussian({1, 2}), plane), 1, 2 * std::sqrt(13));
}

TEST(ScaleRange, PassesOverEqualRows) {
  Matrix X(7, 1);
  X << 0, 0, 0, 0, 5, 5, 8;  // nearest others: 5 5 5 5 3 3 3
  expect_range(scale_range(Kernel::gaussian(1), X), 2.5, 16);
  const ScaleRange nothing = scale_range(Kernel::gaussian(1), Matrix::Constant(6, 2, 3.0));
  EXPECT_EQ(nothing.low, nothing.high);
  const ScaleRange one_row = scale_range(Kernel::gaussian(1), Matrix::Ones(1, 2));
  EXPECT_EQ(one_row.low, one_row.high);
}

// 100 points 1 apart: their median distances are 25 to 50 and so is the median of these, here 37 or 38.
TEST(ScaleRange, IsNotRuledByAnOutlyingRow) {
  for (double outlier : {1e4, 1e7, 1e12}) {
    Matrix X = line();
    X(100, 0) = outlier;
    expect_range(scale_range(Kernel::gaussian(1), X), 0.5, 2 * outlier);
  }
  // Where most inputs have a twin next to them the spread of all still is the measure.
  Matrix twins(202, 1);
  twins << line(), line().array() + 1e-9;
  const ScaleRange range = scale_range(Kernel::gaussian(1), twins);
  EXPECT_NEAR(std::exp(range.low), 0.5e-4 * 100, 1e-9);
}

TEST(ScaleRange, IsInTheUnitOfTheInputs) {  // squares of 1e-200 and 1e200 are no numbers
  for (double unit : {1e-290, 1e-200, 1e-3, 1e200, 1e280}) {
    SCOPED_TRACE(unit);
    expect_range(scale_range(Kernel::gaussian(1), unit * line()), 0.5 * unit, 200 * unit);
    expect_range(scale_range(Kernel::gaussian(1e5 * unit), unit * line()), 0.5e-5, 200e-5);
  }
  Matrix plane(3, 2);
  plane << 0, 0, 3e200, 0, 0, 4e-200;
  expect_range(scale_range(Kernel::gaussian({1e200, 2e-200}), plane), 1, 2 * std::sqrt(13));
}

TEST(ScaleRange, LooksAtAllRowsFromAFew) {
  const Index n = 4000;
  expect_range(scale_range(Kernel::gaussian(1), Vector::LinSpaced(n, 0, n - 1)), 0.5, 2.0 * (n - 1));
}

TEST(ScaleRange, IsAboutTheStartWithoutWidths) {
  expect_range(scale_range(Kernel::polynomial(2, 4), line()), 1e-3, 1e3);
  const Kernel callable = Kernel::callable([](const double*, const double*, Index) { return 1.0; }, "one");
  const ScaleRange range = scale_range(callable + Kernel::gaussian(1), line());
  expect_range(range, 1e-3, 1e3);
  EXPECT_FALSE(range.from_distances);
}

// ---- one factor -------------------------------------------------------------------------------------------------------------------

TEST(SearchKernel, FindsTheMaximumOfSmoothCurves) {
  for (double top : {-0.3, 0.1, 1.0, 2.345, 4.0, 5.2})
    for (int shape = 0; shape < 3; ++shape) {
      SCOPED_TRACE(std::to_string(top) + ", shape " + std::to_string(shape));
      Curve curve{[&](double x) {
                    const double u = x - top;
                    if (shape == 0) return -500 - 40 * u * u;
                    if (shape == 1) return -500 + 30 * (1 + u - std::exp(u));  // steep to the right
                    return -500 + 100 / (1 + 9 * u * u);
                  },
                  {}};
      const KernelSearchOutcome found = curve.search(Kernel::gaussian(1));
      EXPECT_NEAR(found.kernel.log_parameters()[0], top, 0.01);
      EXPECT_NEAR(found.log_evidence, curve.value(top), 0.01);
      EXPECT_LE(curve.asked.size(), 24u);
      EXPECT_EQ(found.warning, "");
      EXPECT_FALSE(found.stopped);
    }
}

TEST(SearchKernel, FindsTheHigherOfTwoPeaks) {
  // The scan meets the broad peak nearer to its top; the narrow one is the higher.
  for (double narrow : {0.35, 0.6, 4.1, 4.4}) {
    SCOPED_TRACE(narrow);
    Curve curve{[&](double x) { return 10 * std::exp(-std::pow(x - 2.3, 2)) + 13 * std::exp(-6 * std::pow(x - narrow, 2)); }, {}};
    double best = 0;
    for (double x = -1; x < 6; x += 1e-4) best = std::max(best, curve.value(x));
    EXPECT_NEAR(curve.search(Kernel::gaussian(1)).log_evidence, best, 0.01);
    EXPECT_LE(curve.asked.size(), 34u);
  }
}

TEST(SearchKernel, ExtendsARangeThatIsTooNarrow) {
  // One step of the scan is ln(400)/12 = 0.4993.
  for (double beyond : {0.3, 0.9, 1.4}) {
    Curve high{[&](double x) { return -20 * std::pow(x - std::log(200.0) - beyond, 2); }, {}};
    EXPECT_NEAR(high.search(Kernel::gaussian(1)).kernel.log_parameters()[0], std::log(200.0) + beyond, 0.01) << beyond;
    Curve low{[&](double x) { return -20 * std::pow(x - std::log(0.5) + beyond, 2); }, {}};
    const KernelSearchOutcome found = low.search(Kernel::gaussian(1));
    EXPECT_NEAR(found.kernel.log_parameters()[0], std::log(0.5) - beyond, 0.01) << beyond;
    EXPECT_EQ(found.warning, "");
  }
}

TEST(SearchKernel, SaysWhereTheMaximumLiesAtTheEnd) {
  Curve rising{[](double x) { return 3 * x; }, {}}, falling{[](double x) { return -3 * x; }, {}}, level{[](double) { return -7.0; }, {}};
  const KernelSearchOutcome widest = rising.search(Kernel::gaussian(1)), narrowest = falling.search(Kernel::gaussian(1));
  EXPECT_EQ(widest.kernel.log_parameters()[0], *std::max_element(rising.asked.begin(), rising.asked.end()));
  EXPECT_NE(widest.warning.find("widest"), std::string::npos) << widest.warning;
  EXPECT_NE(widest.warning.find(widest.kernel.name()), std::string::npos) << widest.warning;
  EXPECT_GT(widest.kernel.log_parameters()[0], std::log(200.0) + 1);
  EXPECT_EQ(narrowest.kernel.log_parameters()[0], *std::min_element(falling.asked.begin(), falling.asked.end()));
  EXPECT_NE(narrowest.warning.find("narrowest"), std::string::npos) << narrowest.warning;
  const KernelSearchOutcome largest = rising.search(Kernel::polynomial(2, 4));
  EXPECT_NE(largest.warning.find("largest parameters"), std::string::npos) << largest.warning;
  // Where nothing depends on the width, nothing is said, and it is one in the middle of what the data offer.
  const KernelSearchOutcome any = level.search(Kernel::gaussian(1));
  EXPECT_EQ(any.warning, "");
  EXPECT_NEAR(any.kernel.log_parameters()[0], std::log(10.0), 1e-6);
  EXPECT_EQ(level.asked.size(), 13u);
}

TEST(SearchKernel, TakesWhatIsNotFiniteForVeryLow) {
  const auto parabola = [](double x) { return -10 * (x - 2) * (x - 2); };
  Curve left{[&](double x) { return x < 1.9 ? nan : parabola(x); }, {}};
  Curve right{[&](double x) { return x > 2.1 ? -std::numeric_limits<double>::infinity() : parabola(x); }, {}};
  Curve holes{[&](double x) { return std::fmod(std::abs(x), 0.7) < 0.25 && std::abs(x - 2) > 0.2 ? nan : parabola(x); }, {}};
  Curve all{[](double) { return nan; }, {}};
  for (Curve* curve : {&left, &right, &holes}) EXPECT_NEAR(curve->search(Kernel::gaussian(1)).kernel.log_parameters()[0], 2, 0.02);
  const KernelSearchOutcome none = all.search(Kernel::gaussian(0.77));
  EXPECT_NEAR(std::exp(none.kernel.log_parameters()[0]), 0.77, 1e-15);
  EXPECT_NE(none.warning, "");
  EXPECT_EQ(none.trials.size(), 13u);
}

TEST(SearchKernel, DoesNotDependOnTheWidthItStartsFrom) {
  Curve curve{[](double x) { return 10 * std::exp(-std::pow(x - 2.2, 2)) + 9 * std::exp(-std::pow(x - 4, 2) / 0.1); }, {}};
  const double at = curve.search(Kernel::laplacian(1)).kernel.log_parameters()[0];
  for (double start : {1e-300, 1e-3, 0.2, 1e3, 1e300})
    EXPECT_NEAR(curve.search(Kernel::laplacian(start)).kernel.log_parameters()[0], at, 0.01) << start;
}

TEST(SearchKernel, KeepsEveryTrialAndAsksForNoneTwice) {
  Curve curve{[](double x) { return -3 * (x - 2.2) * (x - 2.2); }, {}};
  const KernelSearchOutcome found = curve.search(Kernel::gaussian(1));
  ASSERT_EQ(found.trials.size(), curve.asked.size());
  std::sort(curve.asked.begin(), curve.asked.end());
  for (std::size_t i = 0; i < curve.asked.size(); ++i) {
    EXPECT_NEAR(std::log(found.trials[i].parameters[0]), curve.asked[i], 1e-12);
    EXPECT_EQ(found.trials[i].log_evidence, curve.value(curve.asked[i]));
    if (i > 0) {
      EXPECT_GT(curve.asked[i], curve.asked[i - 1] + 1e-5);
    }
    EXPECT_LE(found.trials[i].log_evidence, found.log_evidence);
  }
}

TEST(SearchKernel, MovesAllParametersOfSumsAndProductsTogether) {
  const Kernel start = 0.5 * Kernel::gaussian(2) + Kernel::gaussian(3) * Kernel::polynomial(2, 5);
  KernelProblem problem;
  problem.evaluate = [](const Kernel& kernel) {
    KernelEvaluation found;
    found.log_evidence = -std::pow(kernel.log_parameters()[2] - 1.5, 2);
    return found;
  };
  const KernelSearchOutcome found = search_kernel(start, KernelSearch::scale, line(), problem);
  const std::vector<double> logs = found.kernel.log_parameters();
  EXPECT_NEAR(logs[2], 1.5, 0.01);
  for (std::size_t p = 0; p < 4; ++p) EXPECT_NEAR(logs[p] - start.log_parameters()[p], 1.5 - std::log(3.0), 0.01);
}

TEST(SearchKernel, ReturnsAtOnceWhereThereIsNothingToSearch) {
  Curve curve{[](double) { return 1.0; }, {}};
  EXPECT_EQ(curve.search(Kernel::linear()).trials.size(), 0u);
  EXPECT_EQ(curve.search(Kernel::spline(), KernelSearch::each).kernel.name(), Kernel::spline().name());
  EXPECT_EQ(curve.search(Kernel::polynomial(3, 0)).trials.size(), 0u);
  EXPECT_EQ(curve.search(Kernel::gaussian(0.4), KernelSearch::none).kernel.name(), Kernel::gaussian(0.4).name());
  EXPECT_TRUE(curve.asked.empty());
  // A single parameter: `each` is `scale`, and never asks for a gradient.
  Curve peak{[](double x) { return -x * x; }, {}};
  EXPECT_NEAR(peak.search(Kernel::gaussian(9), KernelSearch::each).kernel.log_parameters()[0], 0, 0.01);
}

TEST(SearchKernel, SurvivesInputsThatAreAllEqual) {
  for (KernelSearch how : {KernelSearch::scale, KernelSearch::each}) {
    int asked = 0;
    KernelProblem problem;
    problem.evaluate = [&](const Kernel&) {
      ++asked;
      return KernelEvaluation{-3, {{}}, 0, false};
    };
    const KernelSearchOutcome found = search_kernel(Kernel::gaussian({0.5, 2}), how, Matrix::Constant(20, 2, 1.5), problem);
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(found.kernel.name(), Kernel::gaussian({0.5, 2}).name());
    EXPECT_EQ(found.log_evidence, -3);
    EXPECT_NE(found.warning.find("equal"), std::string::npos);
  }
}

TEST(SearchKernel, StopsWhenAskedTo) {
  for (int last = 1; last <= 18; ++last) {
    int asked = 0;
    double best = -std::numeric_limits<double>::infinity();
    KernelProblem problem;
    problem.evaluate = [&](const Kernel& kernel) {
      KernelEvaluation found;
      found.log_evidence = -std::pow(kernel.log_parameters()[0] - 2, 2);
      found.stopped = ++asked >= last;
      if (!found.stopped) best = std::max(best, found.log_evidence);
      return found;
    };
    const KernelSearchOutcome found = search_kernel(Kernel::gaussian(1.0), KernelSearch::scale, line(), problem);
    EXPECT_EQ(asked, last);
    EXPECT_TRUE(found.stopped);
    EXPECT_EQ(found.log_evidence, best);
    EXPECT_EQ(found.trials.size(), static_cast<std::size_t>(last - 1));
  }
}

TEST(SearchKernel, RefusesAKernelOfOtherInputs) {
  KernelProblem problem;
  expect_invalid([&] { static_cast<void>(search_kernel(Kernel::gaussian({1, 2, 3}), KernelSearch::each, line(), problem)); }, {"3", "1"});
}

// ---- every parameter --------------------------------------------------------------------------------------------------------------

// The evidence as a function of all ln parameters, with its gradient; over all centres it is lower by what `loss` says.
struct Surface {
  std::function<double(const Vector&, Vector* gradient)> value;
  std::function<double(const Vector&)> loss = [](const Vector&) { return 0.0; };
  int num_on = 0, stop_at = -1;
  Index inputs = 0;  // 0: as many as parameters

  KernelSearchOutcome search(const Kernel& start, KernelSearch how = KernelSearch::each, const std::vector<Index>& groups = {}) {
    const auto logs = [](const Kernel& kernel) {
      const std::vector<double> x = kernel.log_parameters();
      return Vector(Eigen::Map<const Vector>(x.data(), static_cast<Index>(x.size())));
    };
    KernelProblem problem;
    problem.evaluate = [this, logs](const Kernel& kernel) {
      KernelEvaluation found;
      found.log_evidence = value(logs(kernel), nullptr) - loss(logs(kernel));
      found.support = {{1, 2}, {3}};
      found.num_vectors = 3;
      return found;
    };
    problem.evaluate_on = [this, logs](const Kernel& kernel, const KernelSupport& on) {
      EXPECT_EQ(on, (KernelSupport{{1, 2}, {3}}));
      KernelSlope found;
      found.gradient.resize(kernel.num_parameters());
      found.log_evidence = value(logs(kernel), &found.gradient);
      found.stopped = ++num_on == stop_at;
      return found;
    };
    Random random(3);
    return search_kernel(start, how, random.normals(50, inputs > 0 ? inputs : start.num_parameters()), problem, groups);
  }
};

TEST(SearchKernelEach, ClimbsAnEllipsoidToItsTop) {
  Random random(5);
  for (Index d : {2, 3, 6}) {
    const Matrix root = random.normals(d, d);
    const Matrix A = root * root.transpose() + 0.3 * Matrix::Identity(d, d);
    const Vector top = random.normals(d);
    Surface surface{[&](const Vector& x, Vector* gradient) {
      const Vector u = x - top;
      if (gradient != nullptr) *gradient = -2 * A * u;
      return -100 - u.dot(A * u);
    }};
    const KernelSearchOutcome found = surface.search(Kernel::gaussian(std::vector<double>(static_cast<std::size_t>(d), 1.0)));
    EXPECT_NEAR(found.log_evidence, -100, 2e-3) << d;
    EXPECT_LE(found.trials.size(), 40u);
    RecordProperty("calls_on_support_" + std::to_string(d), found.num_on_support);
  }
}

// The top of a parabola on the plane of parameters that are equal in a group is a least-squares solution.
TEST(SearchKernelEach, MovesTheWidthsOfAGroupTogether) {
  Random random(15);
  const Matrix root = random.normals(7, 7), A = root * root.transpose() + 0.3 * Matrix::Identity(7, 7);
  const Vector top = random.normals(7);
  Surface surface{[&](const Vector& x, Vector* gradient) {
    const Vector u = x - top;
    if (gradient != nullptr) *gradient = -2 * A * u;
    return -100 - u.dot(A * u);
  }};
  surface.inputs = 3;  // the first and the third in one group; the parameters are a scale and twice three widths
  const Kernel start = 2.0 * Kernel::gaussian({1, 1, 1}) + Kernel::polynomial(2, 0) * Kernel::gaussian({1, 1, 1});
  Matrix B = Matrix::Zero(7, 5);
  B(0, 0) = B(1, 1) = B(2, 2) = B(3, 1) = B(4, 3) = B(5, 4) = B(6, 3) = 1;
  const Vector base{{std::log(2.0), 0, 0, 0, 0, 0, 0}};
  const Vector best = base + B * (B.transpose() * A * B).ldlt().solve(B.transpose() * A * (top - base));
  const KernelSearchOutcome found = surface.search(start, KernelSearch::each, {7, 3, 7});
  const std::vector<double> x = found.kernel.log_parameters();
  EXPECT_NEAR(found.log_evidence, -100 - (best - top).dot(A * (best - top)), 5e-3);
  for (Index p = 0; p < 7; ++p) EXPECT_NEAR(x[static_cast<std::size_t>(p)], best[p], 0.1) << p;
  EXPECT_EQ(x[1], x[3]);
  EXPECT_EQ(x[4], x[6]);
}

TEST(SearchKernelEach, LetsAParameterRunAsFarAsItsBound) {
  // The second rises for ever, the third towards a limit, as an irrelevant input does.
  Surface surface{[](const Vector& x, Vector* gradient) {
    if (gradient != nullptr) *gradient << -2 * (x[0] + 1), 2, 2 * std::exp(-x[2]);
    return -(x[0] + 1) * (x[0] + 1) + 2 * x[1] - 2 * std::exp(-x[2]);
  }};
  const KernelSearchOutcome found = surface.search(Kernel::gaussian({1, 1, 1})),
                            scale = surface.search(Kernel::gaussian({1, 1, 1}), KernelSearch::scale);
  const std::vector<double> x = found.kernel.log_parameters(), common = scale.kernel.log_parameters();
  EXPECT_NEAR(x[0], -1, 0.05);
  // 8 above a common scale from which an ascent began.
  EXPECT_TRUE(std::any_of(scale.trials.begin(), scale.trials.end(),
                          [&](const KernelTrial& t) { return std::abs(x[1] - 8 - std::log(t.parameters[1])) < 1e-9; }));
  EXPECT_GT(x[2], common[2] + 2);
  EXPECT_LE(x[2], x[1] + 1e-9);
}

TEST(SearchKernelEach, NeverEndsBelowTheCommonScale) {
  Random random(6);
  for (int trial = 0; trial < 30; ++trial) {
    // A rough surface whose gradient is at times wrong, and a choice of the support that often fails.
    const Vector c = random.normals(8);
    Surface surface{[&](const Vector& x, Vector* gradient) {
                      if (gradient != nullptr)
                        for (Index i = 0; i < 2; ++i) (*gradient)[i] = -2 * x[i] + c[i] + 3 * std::sin(40 * x[i]);
                      if (std::abs(x[0] - c[2]) < 0.1) return nan;
                      return -x.squaredNorm() + c.head(2).dot(x) + c[3] * std::sin(9 * x[0] * x[1]) + 0.3 * std::sin(70 * x[1]);
                    },
                    [&](const Vector& x) { return std::sin(1000 * x.sum()) > 0 ? 5.0 : 0.0; }};
    const KernelSearchOutcome each = surface.search(Kernel::gaussian({1, 2})),
                              scale = surface.search(Kernel::gaussian({1, 2}), KernelSearch::scale);
    EXPECT_GE(each.log_evidence, scale.log_evidence);
    double best = -std::numeric_limits<double>::infinity();
    for (const KernelTrial& t : each.trials) {
      if (std::isfinite(t.log_evidence)) best = std::max(best, t.log_evidence);
    }
    EXPECT_EQ(each.log_evidence, best);
    EXPECT_TRUE(std::is_sorted(each.trials.begin(), each.trials.end(), [](auto& a, auto& b) { return a.parameters[0] < b.parameters[0]; }));
  }
}

TEST(SearchKernelEach, StopsWhenAskedTo) {
  for (int stop : {1, 2, 5}) {
    Surface surface{[](const Vector& x, Vector* gradient) {
      if (gradient != nullptr) *gradient = -2 * x;
      return -x.squaredNorm();
    }};
    surface.stop_at = stop;
    const KernelSearchOutcome found = surface.search(Kernel::gaussian({1, 30}));
    EXPECT_TRUE(found.stopped);
    EXPECT_EQ(surface.num_on, stop);
    EXPECT_EQ(found.num_on_support, stop);
  }
}

// ---- real fits --------------------------------------------------------------------------------------------------------------------

// Regression on kernels at all rows, fitted by greedy().
struct Regression {
  Matrix X;
  Vector y;
  bool priced = true;  // each column, as relevance vector machines price them
  double noise_precision = 0;

  GreedyOutcome fit(const Kernel& kernel) const {
    const testing::KernelColumns columns(kernel, X, X);
    return greedy(columns.design(), y, testing::kernel_settings(GreedyLikelihood::gaussian, X.rows()));
  }
  KernelSearchOutcome search(const Kernel& start, KernelSearch how) {
    KernelProblem problem;
    problem.evaluate = [this](const Kernel& kernel) {
      const GreedyOutcome found = fit(kernel);
      noise_precision = found.noise_precision;
      KernelEvaluation out;
      out.log_evidence = found.log_evidence;
      out.support = {testing::kernels_of(found, X.rows())};
      out.num_vectors = static_cast<Index>(out.support[0].size());
      if (priced) out.log_evidence -= precision_cost() * static_cast<double>(out.num_vectors);
      return out;
    };
    problem.evaluate_on = [this](const Kernel& kernel, const KernelSupport& on) {
      const Matrix C = testing::rows_of(X, on[0]);
      const testing::KernelColumns columns(kernel, X, C);
      const GreedyOutcome found =
          greedy(columns.design(), y, testing::support_settings(GreedyLikelihood::gaussian, C.rows(), noise_precision));
      const Matrix D = column_gradient(columns.design(), y, GreedyLikelihood::gaussian, found, ColumnLength::fixed);
      return KernelSlope{testing::maximised(found), kernel_gradient(kernel, X, C, columns.scale(), found.columns, D), false};
    };
    return search_kernel(start, how, X, problem);
  }
};

Regression sinc(std::uint64_t seed) {
  Random random(seed);
  const Index n = 60;
  Matrix X(n, 1);
  Vector y(n);
  for (Index i = 0; i < n; ++i) {
    X(i, 0) = random.uniform(-10, 10);
    y[i] = std::sin(X(i, 0)) / X(i, 0) + 0.1 * random.normal();
  }
  return {X, y};
}

TEST(SearchKernel, FindsTheBestWidthOfSinc) {
  Regression problem = sinc(3);
  problem.priced = false;
  const KernelSearchOutcome found = problem.search(Kernel::gaussian(1), KernelSearch::scale);
  const ScaleRange range = scale_range(Kernel::gaussian(1), problem.X);
  double best = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < 400; ++i) {  // the narrowest quarter of the range, slow to fit, in steps of 6%, the rest in steps of 1.1%
    const double t = range.low + (range.high - range.low) * (i < 25 ? i / 100.0 : 0.25 + (i - 25) / 500.0);
    best = std::max(best, problem.fit(Kernel::gaussian(std::exp(t))).log_evidence);
  }
  EXPECT_GE(found.log_evidence, best - 1e-3);
  EXPECT_LE(found.trials.size(), 24u);
  EXPECT_NEAR(found.log_evidence, problem.fit(found.kernel).log_evidence, 1e-12);
}

TEST(SearchKernel, FindsTheSameWidthOfSincFromAnyStart) {
  for (bool priced : {false, true}) {
    Regression problem = sinc(1);
    problem.priced = priced;
    const double narrow = problem.search(Kernel::gaussian(1e-3), KernelSearch::scale).kernel.log_parameters()[0],
                 wide = problem.search(Kernel::gaussian(1e3), KernelSearch::scale).kernel.log_parameters()[0];
    EXPECT_NEAR(narrow, wide, 0.01);
    EXPECT_GT(narrow, std::log(0.5));
    EXPECT_LT(narrow, std::log(5.0));
  }
}

TEST(SearchKernel, DoesNotMemoriseNoise) {  // (RVM.1)
  Random random(21);
  Regression problem{random.normals(60, 4), random.normals(60)};
  const auto at = [](const KernelSearchOutcome& found) {
    return *std::max_element(found.trials.begin(), found.trials.end(), [](auto& a, auto& b) { return a.log_evidence < b.log_evidence; });
  };
  EXPECT_LE(at(problem.search(Kernel::gaussian(1), KernelSearch::scale)).num_vectors, 10);
  problem.priced = false;  // by the evidence alone, every row becomes a vector of a narrow kernel
  EXPECT_GE(at(problem.search(Kernel::gaussian(1), KernelSearch::scale)).num_vectors, 45);
}

TEST(SearchKernelEach, FindsTheInputThatMatters) {
  Random random(8);
  const Index n = 100;
  Matrix X = random.normals(n, 5);
  Vector y(n);
  for (Index i = 0; i < n; ++i) y[i] = std::sin(3 * X(i, 0)) + 0.1 * random.normal();
  Regression problem{X, y};
  const Kernel start = Kernel::gaussian(std::vector<double>(5, 1.0));
  const KernelSearchOutcome scale = problem.search(start, KernelSearch::scale), each = problem.search(start, KernelSearch::each);
  EXPECT_GT(each.log_evidence, scale.log_evidence + 50);
  const std::vector<double> x = each.kernel.log_parameters();
  for (std::size_t i = 1; i < 5; ++i) EXPECT_GT(x[i], x[0] + std::log(4.0)) << i;
  EXPECT_LT(problem.fit(each.kernel).columns.size(), 20u);
  EXPECT_LE(each.trials.size(), 60u);
}

}  // namespace
}  // namespace ardvark::internal
