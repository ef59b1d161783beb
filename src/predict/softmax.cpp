#include "predict/softmax.hpp"

#include <algorithm>
#include <array>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <limits>

#include "core/eigen_solvers.hpp"
#include "core/special.hpp"

namespace ardvark::internal {
namespace {

constexpr Index num_points = 4096, block = 256;

struct Feature {
  double at, width;
};

// The possible length of a panel that begins at x, if the integrand changes at feature.at within about feature.width. Ten Gauss points then
// have an error of 1e-9, because the poles are at least pi away from the real line.                                             (SMX.8)
double panel_from(double x, const Feature& feature) {
  return std::max(feature.width, x > feature.at ? 3 * (x - feature.at) : 0.75 * (feature.at - x));
}

}  // namespace

ClassScores class_scores(const ClassProbabilities& p, const std::vector<Index>& own, const Vector& k) {
  ClassScores out;
  for (Index i = 0; i < k.size(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    if (own[row] >= 0) out.add(k[i], p.most_probable[row] == own[row], p.probability(i, own[row]));
  }
  return out;
}

void plain_softmax(const Eigen::Ref<const Vector>& f, Eigen::Ref<Vector> probability) {
  probability = (f.array() - f.maxCoeff()).exp();
  probability /= probability.sum();
}

// With s_d the variance of f_d - f_own, a rule of degree 5 leaves about .12 s_d^3 of the odds p_d/p_own, the second derivatives s_d^2/8;
// nothing that is left can exceed e^(s_d/2) of them.
bool NarrowSoftmax::operator()(const Vector& m, const Matrix& S, Index own, Vector& probability) {
  const bool has_points = C_ <= most_by_points_;
  probability.resize(C_);
  plain_softmax(m, probability);
  double error = 0;
  for (Index d = 0; d < C_; ++d)
    if (const double s = S(d, d) + S(own, own) - 2 * S(d, own); d != own)
      error += probability[d] * std::exp(0.5 * s) * std::min(1.0, has_points ? 0.12 * s * s * s : 0.125 * s * s);
  if (!(error <= 1e-4)) return false;
  if (has_points) {
    by_points(m, S, probability);
  } else {
    at_ = S.diagonal() - 2 * (S * probability);
    probability.array() *= 1 + 0.5 * (at_.array() - at_.dot(probability));
  }
  return true;
}

void NarrowSoftmax::by_points(const Vector& m, const Matrix& S, Vector& probability) {
  const Index d = C_ - 1;
  Matrix L(d, d);
  for (Index b = 0; b < d; ++b)
    for (Index a = b; a < d; ++a) L(a, b) = S(a, b) - S(a, d) - S(b, d) + S(d, d);
  // Cholesky; a direction without variance has no length.
  for (Index j = 0; j < d; ++j) {
    const double rest = L(j, j) - L.row(j).head(j).squaredNorm();
    const bool is_known = rest > 1e-14 * L(j, j);
    L(j, j) = is_known ? std::sqrt(rest) : 0;
    for (Index i = j + 1; i < d; ++i) L(i, j) = is_known ? (L(i, j) - L.row(i).head(j).dot(L.row(j).head(j))) / L(j, j) : 0;
  }
  root_.setZero();
  root_.topRows(d) = L.triangularView<Eigen::Lower>();
  probability = Vector::Zero(C_);
  const auto add = [&](double weight, const auto& move) {
    at_ = m + move;
    at_ = (at_.array() - at_.maxCoeff()).exp();
    probability += weight / at_.sum() * at_;
  };
  const auto size = static_cast<double>(d);
  const double far = std::sqrt(size + 2), near = std::sqrt(0.5 * (size + 2)), of_pair = 1 / ((size + 2) * (size + 2));
  add(2 / (size + 2), Vector::Zero(C_));
  for (Index i = 0; i < d; ++i) {
    for (const double sign : {-1.0, 1.0}) add(0.5 * (4 - size) * of_pair, sign * far * root_.col(i));
    for (Index j = 0; j < i; ++j)
      for (const double one : {-near, near})
        for (const double other : {-near, near}) add(of_pair, one * root_.col(i) + other * root_.col(j));
  }
}

ExpectedSoftmax::ExpectedSoftmax(Index num_classes) : C_(num_classes) {}

void ExpectedSoftmax::operator()(const Vector& m, const Matrix& S, Vector& probability) {
  probability.resize(C_);
  if (C_ == 2) {
    const double s = std::max(S(0, 0) + S(1, 1) - 2 * S(0, 1), 0.0);
    probability << expected_sigmoid(m[0] - m[1], s), expected_sigmoid(m[1] - m[0], s);  // (PRED.2)
    probability /= probability.sum();
    return;
  }
  if (C_ == 3)
    by_longest_side(m, S, probability);
  else
    by_lattice(m, S, probability);
}

void ExpectedSoftmax::by_longest_side(const Vector& m, const Matrix& S, Vector& probability) {
  const auto square = [&](Index a, Index b) { return S(a, a) + S(b, b) - S(a, b) - S(b, a); };
  Index low = 0, high = 1, last = 2;
  for (const auto& [a, b, c] : {std::array<Index, 3>{0, 2, 1}, {1, 2, 0}})
    if (square(a, b) > square(low, high)) low = a, high = b, last = c;
  const double variance = square(low, high);
  if (!(variance > 0)) return plain_softmax(m, probability);
  constexpr double rounding = 4e-16;
  if (std::sqrt(variance) <= rounding * std::abs(m[high] - m[low])) return plain_softmax(m, probability);
  // u = f_high - f_low. Given u, v = f_last - f_low is normal with mean v_mean + foot (u - mean); `foot` is a point of the longest side.
  const double mean = m[high] - m[low], sd = std::sqrt(variance), v_mean = m[last] - m[low];
  const double covariance = S(high, last) - S(high, low) - S(low, last) + S(low, low);
  const double foot = std::clamp(covariance / variance, 0.0, 1.0);
  const double rest = std::max(square(low, last) - foot * covariance, 0.0);
  const ExpectedSigmoid last_wins(rest);  // (PRED.2)

  // The sigmoids of u change at 0, where the larger of the two scores changes too. The last score equals the larger one at two places at
  // most.
  const double narrow = std::max(4.0, 1e-8 * sd), above = v_mean - foot * mean;
  std::array<Feature, 3> features;
  features.fill({0, narrow});
  const double wide = std::max(narrow, std::sqrt(3 + rest));
  if (above > 0 && foot > 0) features[1] = {-above / foot, wide};
  if (above > 0 && foot < 1) features[2] = {above / (1 - foot), wide};
  using Gauss = boost::math::quadrature::gauss<double, 10>;
  constexpr double tail = 6.5;  // the probability beyond is 8e-11
  probability.setZero();
  const double end = mean + tail * sd;
  if (!std::isfinite(end - mean)) return void(probability.setConstant(std::numeric_limits<double>::quiet_NaN()));
  for (double x = mean - tail * sd; x < end;) {
    double length = std::min(3 * sd, end - x);
    for (const Feature& feature : features) length = std::min(length, panel_from(x, feature));
    length = std::max(length, rounding * std::abs(x));  // so that x + length is above x
    const double centre = x + 0.5 * length;
    for (std::size_t k = 0; k < Gauss::abscissa().size(); ++k)
      for (const double side : {-0.5 * length, 0.5 * length}) {
        const double u = centre + side * Gauss::abscissa()[k], z = (u - mean) / sd;
        const double weight = length * Gauss::weights()[k] * std::exp(-0.5 * z * z), ahead = v_mean + foot * (u - mean) - softplus(u);
        const double smaller = last_wins(-std::abs(ahead)), wins = ahead > 0 ? 1 - smaller : smaller,
                     loses = ahead > 0 ? smaller : 1 - smaller;
        probability[last] += weight * wins;
        probability[high] += weight * loses * sigmoid(u);
        probability[low] += weight * loses * sigmoid(-u);
      }
    x += length;
  }
  probability /= probability.sum();
}

// A Kronecker lattice with the numbers of Roberts' R_d sequence, folded so that the integrand is periodic, and mirrored.
void ExpectedSoftmax::make_lattice() {
  const Index d = C_ - 1;
  double phi = 1.5;
  for (int i = 0; i < 200; ++i) phi = std::pow(1 + phi, 1.0 / static_cast<double>(d + 1));
  lattice_.resize(num_points, d);
  for (Index k = 0; k < d; ++k) {
    const double alpha = std::pow(phi, -static_cast<double>(k + 1));
    for (Index i = 0; i < num_points; ++i) {
      const double x = std::fmod((static_cast<double>(i) + 0.5) * alpha, 1.0), folded = 1 - std::abs(2 * x - 1);
      lattice_(i, k) = -std::sqrt(2.0) * boost::math::erfc_inv(2 * std::min(std::max(folded, 1e-12), 1 - 1e-12));
    }
  }
}

void ExpectedSoftmax::by_lattice(const Vector& m, const Matrix& S, Vector& probability) {
  if (lattice_.size() == 0) make_lattice();
  // Only differences of scores matter: the covariance of the centred scores, along its axes, the longest first.
  const Vector row = S.rowwise().mean();
  const Matrix centred = (S.colwise() - row).rowwise() - (row.array() - row.mean()).matrix().transpose();
  const Eigen::SelfAdjointEigenSolver<Matrix> axes(centred);
  const Matrix directions =
      (axes.eigenvectors() * axes.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal()).rightCols(C_ - 1).rowwise().reverse();
  probability.setZero();
  for (Index first = 0; first < num_points; first += block) {
    change_.noalias() = lattice_.middleRows(first, block) * directions.transpose();
    for (const double sign : {1.0, -1.0}) {
      scores_ = (sign * change_).rowwise() + m.transpose();
      top_ = scores_.col(0);
      for (Index c = 1; c < C_; ++c) top_ = top_.cwiseMax(scores_.col(c));
      scores_ = (scores_.colwise() - top_).array().exp();
      top_ = scores_.col(0);
      for (Index c = 1; c < C_; ++c) top_ += scores_.col(c);
      probability.noalias() += scores_.transpose() * top_.cwiseInverse();
    }
  }
  probability /= probability.sum();
}

}  // namespace ardvark::internal
