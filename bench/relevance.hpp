// Data and measures that the benchmarks of relevance vector machines share.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "ardvark/kernel.hpp"
#include "ardvark/types.hpp"
#include "method/greedy/greedy.hpp"

namespace ardvark::bench {

using namespace internal;

/// Wall clock seconds, and processor seconds of all threads: on a busy machine the second varies less.
struct Seconds {
  double clock = 0, processor = 0;
};

inline Seconds time_of(const std::function<void()>& work) {
  const auto processor = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
  };
  const double before = processor();
  const auto start = std::chrono::steady_clock::now();
  work();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), processor() - before};
}

/// The run with the median wall clock time, of this number of runs.
inline Seconds median_of(int runs, const std::function<void()>& work) {
  std::vector<Seconds> all;
  for (int i = 0; i < runs; ++i) all.push_back(time_of(work));
  std::sort(all.begin(), all.end(), [](const Seconds& a, const Seconds& b) { return a.clock < b.clock; });
  return all[all.size() / 2];
}

inline double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1.024e-3 * static_cast<double>(usage.ru_maxrss);
}

struct Data {
  Matrix x;
  Vector y;  ///< numbers, or labels -1 and 1
};

/// sin(x)/x at uniform x in [-10, 10], with noise of standard deviation 0.1.
inline Data sinc(Index n, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-10, 10);
  std::normal_distribution<double> normal;
  Data data{Matrix(n, 1), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    const double x = uniform(random);
    data.x(i, 0) = x;
    data.y[i] = (x == 0 ? 1 : std::sin(x) / x) + 0.1 * normal(random);
  }
  return data;
}

/// Two classes in the plane, each a mixture of two round Gaussians, with about 8% of them on the wrong side of the best boundary, as in the
/// data of Ripley (1996).
inline Data two_classes(Index n, unsigned seed = 2) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  constexpr double centre[2][2][2] = {{{-0.7, 0.3}, {0.3, 0.3}}, {{-0.3, 0.7}, {0.4, 0.7}}}, spread = 0.173;
  Data data{Matrix(n, 2), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    const auto label = random() % 2, part = random() % 2;
    for (Index j = 0; j < 2; ++j) data.x(i, j) = centre[label][part][j] + spread * normal(random);
    data.y[i] = label == 0 ? -1 : 1;
  }
  return data;
}

/// [n, n] or, with `bias`, [n, n+1]: a kernel at every row, and ones.
inline Matrix kernel_columns(const Kernel& kernel, const Matrix& x, bool bias) {
  Matrix K(x.rows(), x.rows() + (bias ? 1 : 0));
  kernel.evaluate(x, x, K.leftCols(x.rows()));
  if (bias) K.col(x.rows()).setOnes();
  return K;
}

inline Matrix columns_of(const Matrix& K, const std::vector<Index>& columns) {
  Matrix Phi(K.rows(), static_cast<Index>(columns.size()));
  for (std::size_t j = 0; j < columns.size(); ++j) Phi.col(static_cast<Index>(j)) = K.col(columns[j]);
  return Phi;
}

}  // namespace ardvark::bench
