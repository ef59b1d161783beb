// Random numbers, tables, labels and priors for tests. Every problem follows from its seed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include "ardvark/types.hpp"
#include "engine/waist.hpp"

namespace ardvark::testing {

/// RapidCheck draws its problems from this seed unless RC_PARAMS says otherwise, so that a run can be repeated.
inline const bool rapidcheck_is_seeded = ::setenv("RC_PARAMS", "seed=1310543815", 0) == 0;

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// In [0, 1), the same on every platform.
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Evenly spread in the logarithm.
  double scale(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }
  /// From low to high, both included.
  Index integer(Index low, Index high) { return low + static_cast<Index>(engine_() % static_cast<std::uint64_t>(high - low + 1)); }
  bool chance(double probability) { return uniform() < probability; }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }
  Vector normals(Index size) {
    Vector v(size);
    for (double& x : v) x = normal();
    return v;
  }
  Matrix normals(Index rows, Index cols) {
    Matrix M(rows, cols);
    for (Index j = 0; j < cols; ++j) M.col(j) = normals(rows);
    return M;
  }
  /// A random order of 0 .. size-1.
  std::vector<Index> permutation(Index size) {
    std::vector<Index> order(static_cast<std::size_t>(size));
    for (Index i = 0; i < size; ++i) order[static_cast<std::size_t>(i)] = i;
    for (Index i = size - 1; i > 0; --i) std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(integer(0, i))]);
    return order;
  }

 private:
  std::mt19937_64 engine_;
};

/// A partition from the group of each column (Partition::flat and ::fixed included) and the fixed precisions, if there are any.
inline Partition make_partition(std::vector<Index> group, const Vector& fixed_precision = {}) {
  Partition partition;
  bool any_fixed = false;
  for (std::size_t j = 0; j < group.size(); ++j) {
    const Index g = group[j];
    if (g == Partition::flat) partition.flat_columns.push_back(static_cast<Index>(j));
    if (g == Partition::fixed) any_fixed = true;
    if (g >= partition.num_groups()) partition.group_size.resize(static_cast<std::size_t>(g) + 1, 0);
    if (g >= 0) ++partition.group_size[static_cast<std::size_t>(g)];
  }
  partition.group = std::move(group);
  if (any_fixed) partition.fixed_precision = fixed_precision;
  return partition;
}

inline Partition shared_partition(Index p) { return make_partition(std::vector<Index>(static_cast<std::size_t>(p), 0)); }
inline Partition ard_partition(Index p) {
  std::vector<Index> group(static_cast<std::size_t>(p));
  for (Index j = 0; j < p; ++j) group[static_cast<std::size_t>(j)] = j;
  return make_partition(std::move(group));
}

/// A posterior with its vectors sized, as the engine hands it to a solver.
inline Posterior sized_posterior(const Partition& partition, Index rows) {
  Posterior q;
  q.w = q.V_diagonal = Vector::Zero(partition.num_columns());
  q.m = q.s = Vector::Zero(rows);
  q.group_square = q.group_variance = Vector::Zero(partition.num_groups());
  return q;
}

/// A linear and a logistic problem on the same table: a few columns matter, the others do not.
struct Problem {
  Matrix X;
  Vector y;       ///< signal plus noise
  Vector labels;  ///< -1 and +1, both present (two rows or more)
};

inline Problem make_problem(std::uint64_t seed, Index n, Index p, double noise = 1) {
  Random random(seed);
  Problem problem{random.normals(n, p), {}, Vector::Zero(n)};
  Vector w = Vector::Zero(p);
  for (Index j = 0; j < p; ++j)
    if (j % 3 == 0) w[j] = random.uniform(0.5, 2) * (random.chance(0.5) ? 1 : -1);
  const Vector signal = problem.X * w;
  problem.y = signal.array() + 0.7 + noise * random.normals(n).array();
  for (Index i = 0; i < n; ++i) problem.labels[i] = random.uniform() < 1 / (1 + std::exp(-signal[i] - 0.3)) ? 1 : -1;
  if (n > 1) {
    problem.labels[0] = -1;
    problem.labels[n - 1] = 1;
  }
  return problem;
}

}  // namespace ardvark::testing
