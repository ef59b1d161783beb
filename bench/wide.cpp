// ARD linear regression with many more columns than rows: seconds of the fit and memory of the process.
//   bench_wide [ROWS COLUMNS]
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <random>

#include "ardvark/linear.hpp"

int main(int argc, char** argv) {
  using namespace ardvark;
  const Index n = argc > 2 ? std::atoll(argv[1]) : 200, p = argc > 2 ? std::atoll(argv[2]) : 20000;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  Matrix X(n, p);
  for (double& x : X.reshaped()) x = normal(random);
  Vector y = 2 * X.leftCols(std::min<Index>(10, p)).rowwise().sum();
  for (double& v : y) v += normal(random);
  const double megabytes = static_cast<double>(n * p) * 8e-6;
  for (const auto& [name, prior] : {std::pair{"ARD", Prior::ard()}, std::pair{"shared", Prior::shared()}}) {
    const LinearFit fit = fit_linear(X, y, {.prior = prior, .keep_covariance = Keep::never});
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    fmt::print("{} x {}, {:<7} {:>7.3f} s, {} sweeps, {}; memory {:.0f} MB, X {:.0f} MB, ratio {:.2f}\n", n, p, name, fit.report.seconds,
               fit.report.sweeps, to_string(fit.report.status), static_cast<double>(usage.ru_maxrss) * 1.024e-3, megabytes,
               static_cast<double>(usage.ru_maxrss) * 1.024e-3 / megabytes);
  }
}
