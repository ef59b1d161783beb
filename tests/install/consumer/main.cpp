// A program of somebody else that uses the installed library.
#include <ardvark/linear.hpp>
#include <ardvark/logistic.hpp>
#include <ardvark/model_file.hpp>
#include <ardvark/sequential.hpp>
#include <ardvark/table.hpp>
#include <cmath>
#include <cstdio>

int main() {
  const ardvark::Index n = 101;
  ardvark::Matrix X(n, 2);
  ardvark::Vector y(n), labels(n);
  for (ardvark::Index i = 0; i < n; ++i) {
    const double t = static_cast<double>(i) / 50 - 1;
    X(i, 0) = t;
    X(i, 1) = std::sin(20 * t);
    const double noise = 0.1 * std::cos(static_cast<double>(37 * i));
    y[i] = 1 + 3 * t + noise;
    labels[i] = t + 10 * noise > 0 ? 1 : -1;
  }

  const ardvark::LinearFit linear = ardvark::fit_linear(X, y, {.prior = ardvark::Prior::ard()});
  const ardvark::LogisticFit logistic = ardvark::fit_logistic(X, labels);
  const double slope = linear.mean[0], half_width = ardvark::predict(linear, X).half_width()[0];
  const ardvark::Vector probability = ardvark::predict(logistic, X).probability;
  std::printf("slope %.3f, half width %.3f, probability %.3f to %.3f, %s, %s\n", slope, half_width, probability[0], probability[n - 1],
              ardvark::to_string(linear.report.status), ardvark::to_string(logistic.report.status));

  ardvark::SequentialLogistic filter(2);
  filter.update(X, labels);
  try {
    (void)ardvark::fit_linear(X, y, {.max_sweeps = 0});
    return 1;
  } catch (const ardvark::InvalidArgument& e) {
    std::printf("refused: %s\n", e.what());
  }
  const bool right = std::abs(slope - 3) < 0.1 && std::abs(linear.intercept->mean - 1) < 0.1 && half_width > 0.1 && half_width < 0.3 &&
                     probability[0] < 0.2 && probability[n - 1] > 0.8 && filter.mean()[0] > 0 &&
                     linear.report.status == ardvark::Status::converged && logistic.report.status == ardvark::Status::converged;
  return right ? 0 : 1;
}
