#include "select/polya_gamma.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/special.hpp"

namespace ardvark::internal {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double border = 0.64;     // where the two series of the density meet: each proposal then bounds it within .07%
constexpr double normal_from = 50;  // shape from which the skewness, below 1.1 / sqrt(shape), is below .15
constexpr int terms = 64;           // of the series of a fractional shape; the others are replaced by their mean
constexpr double far = 25;          // half a tilt from which e^z Phi(-(border z + 1) / sqrt(border)) is below e^-200

double exponential(Normals& draw) { return -std::log(draw.uniform()); }

// Term i of the alternating series of the density of 4 PG(1, 0).                                                            (FDR.6)
double term_of_density(int i, double x) {
  const double h = i + 0.5;
  if (x > border) return pi * h * std::exp(-h * h * pi * pi * x / 2);
  return pi * h * std::pow(2 / (pi * x), 1.5) * std::exp(-2 * h * h / x);
}

// An inverse normal variate of mean 1/z and shape 1 that is below the border.
double short_time(double z, Normals& draw) {
  if (z * border < 1) {
    for (;;) {
      double first, second;
      do first = exponential(draw), second = exponential(draw);
      while (first * first > 2 * second / border);
      const double x = border / ((1 + border * first) * (1 + border * first));
      if (draw.uniform() < std::exp(-z * z * x / 2)) return x;
    }
  }
  for (;;) {
    const double mean = 1 / z, normal = draw(), y = mean * normal * normal;
    double x = mean + mean / 2 * (y - std::sqrt(4 * y + y * y));
    if (draw.uniform() > mean / (mean + x)) x = mean * mean / x;
    if (x > 0 && x < border) return x;
  }
}

// Whether a uniform share of the first term lies below the sum of the series.
bool is_accepted(double x, Normals& draw) {
  double sum = term_of_density(0, x);
  const double level = draw.uniform() * sum;
  for (int i = 1;; ++i) {
    const bool subtracts = i % 2 == 1;
    sum += (subtracts ? -1 : 1) * term_of_density(i, x);
    if (subtracts && level <= sum) return true;
    if (!subtracts && level > sum) return false;
  }
}

double of_shape_one(double tilt, Normals& draw) {
  const double z = std::abs(tilt) / 2, rate = pi * pi / 8 + z * z / 2, root = std::sqrt(border);
  const double late = pi / (2 * rate) * std::exp(-rate * border);
  const double early =
      2 * (std::exp(-z) * normal_cdf((border * z - 1) / root) + (z < far ? std::exp(z) * normal_cdf(-(border * z + 1) / root) : 0.0));
  for (;;) {
    const double x = draw.uniform() * (early + late) < late ? border + exponential(draw) / rate : short_time(z, draw);
    if (is_accepted(x, draw)) return x / 4;
  }
}

// The series of gamma variates that defines the distribution.                                                              (FDR.6)
double of_series(double shape, double tilt, Normals& draw) {
  const double square = tilt * tilt / (4 * pi * pi);
  double sum = 0, mean = 0;
  for (int i = 0; i < terms; ++i) {
    const double each = 1 / (2 * pi * pi * ((i + 0.5) * (i + 0.5) + square));
    sum += each * gamma_variate(shape, draw), mean += each;
  }
  return sum + shape * std::max(polya_gamma_moments(tilt).mean - mean, 0.0);
}

}  // namespace

// By Marsaglia and Tsang.
double gamma_variate(double shape, Normals& draw) {
  if (shape < 1) return gamma_variate(shape + 1, draw) * std::pow(draw.uniform(), 1 / shape);
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = draw(), root = 1 + c * x, v = root * root * root;
    if (v > 0 && std::log(draw.uniform()) < x * x / 2 + d - d * v + d * std::log(v)) return d * v;
  }
}

// tanh(c/2) / (2c), and (sinh c - c) / (4 c^3 cosh^2(c/2)), divided by e^c where this is large.                             (FDR.6)
PolyaGammaMoments polya_gamma_moments(double tilt) {
  const double c = std::abs(tilt), mean = 2 * jj_lambda(c);
  if (c < 0.02) return {mean, 1.0 / 24 - c * c / 120};
  const double e = std::exp(-c);
  return {mean, (1 - e * e - 2 * c * e) / (2 * c * c * c * (1 + e) * (1 + e))};
}

double polya_gamma(double shape, double tilt, Normals& draw) {
  if (shape >= normal_from) {
    const PolyaGammaMoments one = polya_gamma_moments(tilt);
    return std::max(shape * one.mean + std::sqrt(shape * one.variance) * draw(), 0.1 * shape * one.mean);
  }
  double sum = 0;
  for (; shape >= 1; shape -= 1) sum += of_shape_one(tilt, draw);
  return shape > 0 ? sum + of_series(shape, tilt, draw) : sum;
}

}  // namespace ardvark::internal
