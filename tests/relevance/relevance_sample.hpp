// A table for relevance vector machines, and both machines under short names.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "../support/random_problem.hpp"
#include "ardvark/relevance.hpp"

namespace ardvark::testing {

struct RelevanceSample {
  Matrix X;
  Vector y, two, three;  ///< targets: a curve with noise, two classes that overlap, three that overlap
};

inline RelevanceSample relevance_sample(Index n, std::uint64_t seed, Index inputs = 1) {
  Random random(seed);
  RelevanceSample s{Matrix(n, inputs), Vector(n), Vector(n), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < inputs; ++j) s.X(i, j) = random.uniform(-10, 10);
    const double x = s.X(i, 0), curve = x == 0 ? 1 : std::sin(x) / x;
    s.y[i] = 5 + 2 * (curve + 0.1 * random.normal());
    s.two[i] = curve + 0.3 * random.normal() > 0.2 ? 3 : -1;
    s.three[i] = std::clamp(std::floor((x + 2.5 * random.normal() + 10) / 7), 0.0, 2.0);
  }
  return s;
}

inline RelevanceRegression regress(const Matrix& X, const Vector& y, const RelevanceOptions& options = {}) {
  return fit_relevance_regression(X, y, options);
}
inline RelevanceClassification classify(const Matrix& X, const Vector& labels, const RelevanceOptions& options = {}) {
  return fit_relevance_classification(X, labels, options);
}

/// This kernel, its parameters as they are.
inline RelevanceOptions fixed(Kernel kernel) {
  RelevanceOptions options;
  options.kernel = std::move(kernel);
  options.search = KernelSearch::none;
  return options;
}

}  // namespace ardvark::testing
