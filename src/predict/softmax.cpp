#include "predict/softmax.hpp"

#include <Eigen/Eigenvalues>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>

#include "core/special.hpp"

namespace ardvark {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr Index num_points = 4096;

// Step and number of steps to either side of the trapezoidal rule for the standard normal density times a softmax with these slopes. Its
// error is about 2 e^{y^2/2 - 2 pi y/h} for any y up to the nearest pole, pi/range, and least at y = 2 pi/h: below 2e-9 here. The tails
// beyond 6.5 hold 8e-11.                                                                                                          (SMX.8)
void trapezoids(const Eigen::Ref<const Vector>& slopes, double& h, Index& steps) {
  constexpr double tail = 6.5;
  const double range = slopes.maxCoeff() - slopes.minCoeff(), y = std::min(pi / std::max(range, 1e-300), 6.5);
  h = std::max(2 * pi * y / (21 + 0.5 * y * y), tail / 1000);
  steps = static_cast<Index>(std::ceil(tail / h));
}

}  // namespace

void plain_softmax(const Eigen::Ref<const Vector>& f, Eigen::Ref<Vector> probability) {
  probability = (f.array() - f.maxCoeff()).exp();
  probability /= probability.sum();
}

ExpectedSoftmax::ExpectedSoftmax(Index num_classes) : C_(num_classes), f_(num_classes), inner_(num_classes) {}

void ExpectedSoftmax::operator()(const Vector& m, const Matrix& S, Vector& probability) {
  probability.resize(C_);
  if (C_ == 2) {
    const double s = std::max(S(0, 0) + S(1, 1) - 2 * S(0, 1), 0.0);
    probability << expected_sigmoid(m[0] - m[1], s), expected_sigmoid(m[1] - m[0], s);  // (PRED.2)
    probability /= probability.sum();
    return;
  }
  // Differences alone matter: the covariance of the centred scores, along its axes.
  const Vector row = S.rowwise().mean();
  const Matrix centred = (S.colwise() - row).rowwise() - (row.array() - row.mean()).matrix().transpose();
  const Eigen::SelfAdjointEigenSolver<Matrix> axes(centred);
  directions_.resize(C_, C_ - 1);
  for (Index k = 0; k < C_ - 1; ++k)
    directions_.col(k) = std::sqrt(std::max(axes.eigenvalues()[C_ - 1 - k], 0.0)) * axes.eigenvectors().col(C_ - 1 - k);
  if (C_ == 3)
    by_trapezoids(m, probability);
  else
    by_lattice(m, probability);
}

void ExpectedSoftmax::by_trapezoids(const Vector& m, Vector& probability) {
  double h_outer = 0, h_inner = 0;
  Index outer = 0, inner = 0;
  trapezoids(directions_.col(0), h_outer, outer);
  trapezoids(directions_.col(1), h_inner, inner);
  probability.setZero();
  double total = 0;
  for (Index i = -outer; i <= outer; ++i) {
    const double z = static_cast<double>(i) * h_outer, weight = std::exp(-0.5 * z * z);
    for (Index k = -inner; k <= inner; ++k) {
      const double y = static_cast<double>(k) * h_inner, both = weight * std::exp(-0.5 * y * y);
      f_ = m + z * directions_.col(0) + y * directions_.col(1);
      plain_softmax(f_, inner_);
      probability += both * inner_;
      total += both;
    }
  }
  probability /= total;
}

// A Kronecker lattice with the reals of Roberts' R_d sequence, folded so that the integrand is periodic, and mirrored.
void ExpectedSoftmax::make_lattice() {
  const Index d = C_ - 1;
  double phi = 1.5;
  for (int i = 0; i < 200; ++i) phi = std::pow(1 + phi, 1.0 / static_cast<double>(d + 1));
  lattice_.resize(d, num_points);
  for (Index k = 0; k < d; ++k) {
    const double alpha = std::pow(phi, -static_cast<double>(k + 1));
    for (Index i = 0; i < num_points; ++i) {
      const double x = std::fmod((static_cast<double>(i) + 0.5) * alpha, 1.0), folded = 1 - std::abs(2 * x - 1);
      lattice_(k, i) = -std::sqrt(2.0) * boost::math::erfc_inv(2 * std::min(std::max(folded, 1e-12), 1 - 1e-12));
    }
  }
}

void ExpectedSoftmax::by_lattice(const Vector& m, Vector& probability) {
  if (lattice_.size() == 0) make_lattice();
  probability.setZero();
  for (Index i = 0; i < num_points; ++i) {
    const Vector change = directions_ * lattice_.col(i);
    for (const double sign : {1.0, -1.0}) {
      f_ = m + sign * change;
      plain_softmax(f_, inner_);
      probability += inner_;
    }
  }
  probability /= probability.sum();
}

}  // namespace ardvark
