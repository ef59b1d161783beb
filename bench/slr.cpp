// Times ardvark on the data that bench/slr.m wrote to a folder, compares with its times, and checks that the same number of sweeps gives
// the same weights.
//   bench_slr FOLDER
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>

#include "ardvark/logistic.hpp"
#include "ardvark/softmax.hpp"
#include "octave.hpp"

namespace {

using namespace ardvark;

struct Run {
  double seconds = 0;
  Vector weights;  // of the scaled columns, the bias last; class after class
};

void line(const std::string& name, int passes, double theirs, const Matrix& reference, const std::function<Run()>& fit) {
  std::vector<double> seconds;
  Run last;
  for (int i = 0; i < 3; ++i) {
    last = fit();
    seconds.push_back(last.seconds);
  }
  std::sort(seconds.begin(), seconds.end());
  const Vector expected = reference.reshaped();
  const double difference = (last.weights - expected).cwiseAbs().maxCoeff() / expected.cwiseAbs().maxCoeff();
  fmt::print("{:<10} {:>4} passes  toolbox {:>9.3f} s  ardvark {:>8.4f} s  {:>7.1f} times; {} weights, largest difference {:.1e}\n", name,
             passes, theirs, seconds[1], theirs / seconds[1], (expected.array() != 0).count(), difference);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: bench_slr FOLDER\n");
    return 2;
  }
  const std::string folder = std::string(argv[1]) + "/";
  try {
    const Matrix X = bench::read_matrix(folder + "X");
    const Vector t = bench::read_matrix(folder + "t"), classes = bench::read_matrix(folder + "classes");
    std::ifstream times(folder + "times");
    std::string name;
    int passes = 0;
    double theirs = 0;
    while (times >> name >> passes >> theirs) {
      const Matrix w = bench::read_matrix(fmt::format("{}w_{}_{}", folder, name, passes));
      const auto timed = [&](auto options, auto fit_now) {
        options.max_sweeps = passes;
        line(name, passes, theirs, w, [&]() -> Run {
          const auto fit = fit_now(options);
          return {fit.report.seconds, fit.standardized_mean.reshaped()};
        });
      };
      if (is_softmax_preset(name))
        timed(softmax_options_for_preset(name, true), [&](const SoftmaxOptions& o) { return fit_softmax(X, classes, o); });
      else
        timed(options_for_preset(name, true), [&](const FitOptions& o) { return fit_logistic(X, t, o); });
    }
  } catch (const Error& e) {
    fmt::print(stderr, "bench_slr: {}\n", e.what());
    return 3;
  }
  return 0;
}
