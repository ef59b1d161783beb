// Small tables of two classes. In every second table, the first column separates the classes.
#pragma once

#include <cmath>

#include "support/random_problem.hpp"

namespace ardvark::testing {

struct ClassTable {
  Matrix X;
  Vector t;
};

/// \param number  if even, the classes are separable
inline ClassTable classes_that_may_part(Random& random, Index n, Index p, int number) {
  ClassTable out{random.normals(n, p), Vector(n)};
  if (random.chance(0.3)) out.X.col(0) *= random.scale(1e-3, 1e3);
  const double cut = random.normal() * out.X.col(0).norm() / std::sqrt(static_cast<double>(n)) * 0.5;
  for (Index row = 0; row < n; ++row) out.t[row] = number % 2 == 0 ? out.X(row, 0) > cut : random.chance(0.5);
  if (out.t.minCoeff() == out.t.maxCoeff()) out.t[0] = 1 - out.t[0];
  return out;
}

}  // namespace ardvark::testing
