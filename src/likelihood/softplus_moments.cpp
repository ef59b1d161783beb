#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <boost/math/special_functions/log1p.hpp>
#include <cmath>
#include <span>
#include <vector>

#include "core/special.hpp"
#include "likelihood/negative_binomial.hpp"

namespace ardvark::internal {
namespace {

// The series in s: derivatives of sigma at the mean, polynomials in u = sigma'.
SoftplusMoments of_little_variance(const SoftplusMoments& at, double s) {
  const double u = at.slope, ud = u * (1 - 2 * at.sigma);
  const double first = s / 2, second = s * s / 8, third = s * s * s / 48, fourth = s * s * s * s / 384;
  const double order3 = u * (1 - 6 * u), order5 = u * (1 - u * (30 - 120 * u)), order7 = u * (1 - u * (126 - u * (1680 - 5040 * u)));
  const double order4 = ud * (1 - 12 * u), order6 = ud * (1 - u * (60 - 360 * u)), order8 = ud * (1 - u * (252 - u * (5040 - 20160 * u)));
  const double order9 = u * (1 - u * (510 - u * (17640 - u * (151200 - 362880 * u))));
  return {at.softplus + first * u + second * order3 + third * order5 + fourth * order7,
          at.sigma + first * ud + second * order4 + third * order6 + fourth * order8,
          u + first * order3 + second * order5 + third * order7 + fourth * order9};
}

// Nodes and weights for a standard normal distribution: those above 0, each of which stands for the one below, too.
struct Rule {
  double most_variance;
  std::vector<double> node, weight;
};

// Gauss and Hermite's rule by the eigenvectors of its Jacobi matrix (Golub and Welsch 1969). \param count  even
Rule hermite_rule(double most_variance, int count) {
  Matrix jacobi = Matrix::Zero(count, count);
  for (int i = 1; i < count; ++i) jacobi(i, i - 1) = jacobi(i - 1, i) = std::sqrt(static_cast<double>(i));
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(jacobi);
  Rule out{most_variance, {}, {}};
  for (int i = count / 2; i < count; ++i) {
    out.node.push_back(solver.eigenvalues()[i]);
    out.weight.push_back(std::pow(solver.eigenvectors()(0, i), 2));
  }
  return out;
}

// Within 1e-13 of it; of the C library's functions, log is several times as fast as log1p.
double log_one_plus(double x) { return x > 1e-3 ? std::log(1 + x) : std::log1p(x); }

// ln(1 + e^z), sigma and sigma' of one z, with one exponential and one logarithm.
SoftplusMoments at_point(double z) {
  const double e = std::exp(-std::abs(z)), larger = 1 / (1 + e), rarer = e * larger;
  return {log_one_plus(e) + std::max(z, 0.0), z > 0 ? larger : rarer, larger * rarer};
}

void add(double weight, const SoftplusMoments& one, SoftplusMoments& sum) {
  sum.softplus += weight * one.softplus;
  sum.sigma += weight * one.sigma;
  sum.slope += weight * one.slope;
}

// Two points of one weight: their logarithms are one.
void add_pair(double weight, double z1, double z2, SoftplusMoments& sum) {
  const double e1 = std::exp(-std::abs(z1)), e2 = std::exp(-std::abs(z2)), larger1 = 1 / (1 + e1), larger2 = 1 / (1 + e2);
  const double rarer1 = e1 * larger1, rarer2 = e2 * larger2;
  sum.softplus += weight * (log_one_plus(e1 + e2 + e1 * e2) + std::max(z1, 0.0) + std::max(z2, 0.0));
  sum.sigma += weight * ((z1 > 0 ? larger1 : rarer1) + (z2 > 0 ? larger2 : rarer2));
  sum.slope += weight * (larger1 * rarer1 + larger2 * rarer2);
}

// The rest of Stirling's series of ln Gamma(x), and of its derivative, x >= 10.
double stirling(double x) {
  const double u = 1 / (x * x);
  return (1.0 / 12 - u * (1.0 / 360 - u * (1.0 / 1260 - u * (1.0 / 1680 - u * (1.0 / 1188 - u * 691.0 / 360360))))) / x;
}
double stirling_slope(double x) {
  const double u = 1 / (x * x);
  return -u * (1.0 / 12 - u * (1.0 / 120 - u * (1.0 / 252 - u * (1.0 / 240 - u * (1.0 / 132 - u * 691.0 / 32760)))));
}

}  // namespace

SoftplusMoments softplus_moments(double m, double s, Nodes nodes) {
  static const std::array<Rule, 5> usual = {hermite_rule(0.01, 6), hermite_rule(0.05, 8), hermite_rule(0.15, 12), hermite_rule(0.3, 16),
                                            hermite_rule(0.7, 24)};
  static const std::array<Rule, 3> few = {hermite_rule(0.15, 6), hermite_rule(0.3, 8), hermite_rule(0.7, 10)};
  constexpr double little = 0.008;
  if (s <= little) return of_little_variance(at_point(m), s);
  SoftplusMoments sum{0, 0, 0};
  const double sd = std::sqrt(s);
  for (const Rule& rule : nodes == Nodes::few ? std::span<const Rule>(few) : usual) {
    if (s > rule.most_variance) continue;
    for (std::size_t i = 0; i < rule.node.size(); ++i) {
      const double move = sd * rule.node[i];
      add_pair(rule.weight[i], m + move, m - move, sum);
    }
    return sum;
  }
  constexpr double farthest = 9;                                // standard deviations
  const double step = std::max(0.6 / std::max(1.0, sd), 0.03);  // beyond sd 20, of rows without limit, 600 nodes are enough
  const auto half = static_cast<int>(farthest / step);
  for (int i = -half; i <= half; ++i) add(step * normal_pdf(i * step), at_point(m + sd * i * step), sum);
  return sum;
}

LogRising log_rising(double y, double k) {
  constexpr double few = 40, least_for_series = 10;
  const double r = 1 / k;
  LogRising sum{0, 0};
  const double one_by_one = y <= few ? y : r < least_for_series ? least_for_series : 0;
  for (double i = 1; i < one_by_one; ++i) {
    sum.value += std::log1p(i * k);
    sum.slope += i * k / (1 + i * k);
  }
  if (y <= few) return sum;
  // ln Gamma(x) = (x - 1/2) ln x - x + ln(2 pi)/2 + stirling(x); psi(x) = ln x - 1/(2x) + stirling_slope(x)
  if (one_by_one > 0) {
    const double first = one_by_one, log_last = std::log1p(y * k), log_first = std::log1p(first * k);
    sum.value += (y + r - 0.5) * log_last - (first + r - 0.5) * log_first - (y - first) + stirling(y + r) - stirling(first + r);
    const double psi = log_last - log_first - 0.5 / (y + r) + 0.5 / (first + r) + stirling_slope(y + r) - stirling_slope(first + r);
    sum.slope += y - first - r * psi;
    return sum;
  }
  // log1pmx(x) = ln(1 + x) - x
  const double x = y / r, less = boost::math::log1pmx(x), log = std::log1p(x);
  const double value = (y - 0.5) * log + r * less + stirling(y + r) - stirling(r);
  const double slope = -r * less - r * (0.5 / r - 0.5 / (y + r) + stirling_slope(y + r) - stirling_slope(r));
  return {value, slope};
}

double negative_binomial_log_probability(double y, double eta, double k) {
  const double z = eta + std::log(k);
  return log_rising(y, k).value - log_gamma(y + 1) + y * eta - (y + 1 / k) * softplus(z);
}

}  // namespace ardvark::internal
