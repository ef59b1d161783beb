// Random numbers, tables, labels and priors for tests. The seed determines a problem.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include "ardvark/types.hpp"
#include "waist/waist.hpp"

namespace ardvark::testing {

using namespace internal;

/// RapidCheck draws its problems from this seed unless RC_PARAMS says otherwise, so that a run can be repeated.
inline const bool rapidcheck_is_seeded = ::setenv("RC_PARAMS", "seed=1310543815", 0) == 0;

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// In [0, 1), the same on every platform.
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Uniform in the logarithm.
  double scale(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }
  /// From low to high, both included.
  Index integer(Index low, Index high) { return low + static_cast<Index>(engine_() % static_cast<std::uint64_t>(high - low + 1)); }
  bool chance(double probability) { return uniform() < probability; }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }
  Vector normals(Index size);
  Matrix normals(Index rows, Index cols);
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
[[nodiscard]] Partition make_partition(std::vector<Index> group, const Vector& fixed_precision = {});

inline Partition shared_partition(Index p) { return make_partition(std::vector<Index>(static_cast<std::size_t>(p), 0)); }
[[nodiscard]] Partition ard_partition(Index p);

/// A posterior whose vectors have the right sizes, as solvers expect it.
[[nodiscard]] Posterior sized_posterior(const Partition& partition, Index rows);

/// A linear and a logistic problem on the same table: only a few columns have an effect.
struct Problem {
  Matrix X;
  Vector y;       ///< signal plus noise
  Vector labels;  ///< -1 and +1, both present (two rows or more)
};

[[nodiscard]] Problem make_problem(std::uint64_t seed, Index n, Index p, double noise = 1);

}  // namespace ardvark::testing
