// Times ardvark on the data that bench/vblinlogit.m wrote to a folder, and compares with its times.
//   bench_vblinlogit FOLDER
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <tuple>

#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "octave.hpp"

namespace {

using namespace ardvark;
using bench::read_matrix;

void line(const std::string& name, double theirs, const std::function<Fit()>& fit, int repeats) {
  std::vector<double> seconds;
  Fit last;
  for (int i = 0; i < repeats; ++i) {
    last = fit();
    seconds.push_back(last.report.seconds);
  }
  std::sort(seconds.begin(), seconds.end());
  const double ours = seconds[seconds.size() / 2];
  fmt::print("{:<34} {:>9.3f} s {:>9.4f} s {:>8.1f}   {} sweeps, bound {:.3f}, {}\n", name, theirs, ours, theirs / ours, last.report.sweeps,
             last.bound, to_string(last.report.status));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: bench_vblinlogit FOLDER\n");
    return 2;
  }
  const std::string folder = std::string(argv[1]) + "/";
  try {
    std::ifstream times(folder + "times");
    double linear, linear_ard, logit, logit_ard, iterative, prediction;
    if (!(times >> linear >> linear_ard >> logit >> logit_ard >> iterative >> prediction))
      throw EnvironmentError("the times cannot be read; run bench/vblinlogit.m first");
    const Matrix X = read_matrix(folder + "linear_X"), Z = read_matrix(folder + "logit_X"), Z_test = read_matrix(folder + "logit_X_test");
    const Vector y = read_matrix(folder + "linear_y"), t = read_matrix(folder + "logit_y");
    fmt::print("{:<34} {:>11} {:>11} {:>8}\n", "", "VBLinLogit", "ardvark", "ratio");
    line(
        "vb_linear_fit, 500 x 1000", linear, [&] { return fit_linear(X, y, options_for_preset("vb_linear_fit")); }, 11);
    line(
        "  model, shared prior", linear, [&] { return fit_linear(X, y, {.prior = Prior::shared()}); }, 11);
    line(
        "vb_linear_fit_ard, 500 x 1000", linear_ard, [&] { return fit_linear(X, y, options_for_preset("vb_linear_fit_ard")); }, 3);
    line(
        "  model, ARD", linear_ard, [&] { return fit_linear(X, y, {.prior = Prior::ard()}); }, 5);
    line(
        "vb_logit_fit, 2000 x 1000", logit, [&] { return fit_logistic(Z, t, options_for_preset("vb_logit_fit")); }, 3);
    line(
        "  model, shared prior", logit, [&] { return fit_logistic(Z, t, {.prior = Prior::shared()}); }, 3);
    line(
        "vb_logit_fit_ard, 2000 x 1000", logit_ard, [&] { return fit_logistic(Z, t, options_for_preset("vb_logit_fit_ard")); }, 1);
    line(
        "  model, ARD", logit_ard, [&] { return fit_logistic(Z, t, {.prior = Prior::ard()}); }, 3);
    FitOptions
        same_bound;  // the published bound, hyper-parameters and columns, to 0.02 nats: ends at a higher bound than the published program
    same_bound.likelihood = LogisticLikelihood::bound;
    same_bound.intercept = same_bound.standardize = false;
    same_bound.tolerance = 1e-5;
    for (const auto& [name, prior, theirs] : {std::tuple{"  the same bound, converged", Prior::shared(), logit},
                                              {"  the same bound, ARD, converged", Prior::ard(), logit_ard}}) {
      same_bound.prior = prior;
      line(
          name, theirs, [&] { return fit_logistic(Z, t, same_bound); }, 3);
    }
    line(
        "vb_logit_fit_iter, 2000 x 1000", iterative, [&] { return fit_logistic(Z, t, options_for_preset("vb_logit_fit_iter")); }, 5);
    const LogisticFit fit = fit_logistic(Z, t, options_for_preset("vb_logit_fit"));
    std::vector<double> seconds;
    for (int i = 0; i < 7; ++i) {
      const auto start = std::chrono::steady_clock::now();
      static_cast<void>(predict(fit, Z_test));
      seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(seconds.begin(), seconds.end());
    fmt::print("{:<34} {:>9.3f} s {:>9.4f} s {:>8.1f}\n", "prediction of 10,000 rows", prediction, seconds[3], prediction / seconds[3]);
  } catch (const Error& e) {
    fmt::print(stderr, "bench_vblinlogit: {}\n", e.what());
    return 1;
  }
}
