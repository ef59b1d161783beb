#include "process/shared_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/logistic_moments.hpp"
#include "core/pulse.hpp"

namespace ardvark::internal {

MixtureOfRows::MixtureOfRows(bool classes, Vector center)
    : classes_(classes), center_(std::move(center)), first_(Vector::Zero(center_.size())), second_(first_) {
  if (classes_) center_.setZero();
}

void MixtureOfRows::add(double weight, double s2, const FunctionMoments& f) {
  if (classes_) {
    LogisticMoments moments;
    moments.of(f.mean, f.variance);
    first_ += weight * moments.sigma;
    return;
  }
  const Eigen::ArrayXd off = f.mean - center_;
  first_.array() += weight * off;
  second_.array() += weight * (off.square() + s2 * (f.variance.array() + 1));
}

Vector MixtureOfRows::variance() const {
  return classes_ ? Vector::Ones(first_.size()) : Vector(second_.array() - first_.array().square());
}

Vector MixtureOfRows::divergence_from(const MixtureOfRows& other) const {
  const Vector mean = this->mean(), of_mean = other.mean(), variance = this->variance(), of_variance = other.variance();
  return Vector::NullaryExpr(mean.size(), [&](Index i) {
    return classes_ ? bernoulli_divergence(mean[i], of_mean[i]) : normal_divergence(mean[i], variance[i], of_mean[i], of_variance[i]);
  });
}

SharedVectors::SharedVectors(const Problem& problem, const KernelOptions& options, std::vector<PointOfMixture> points)
    : problem_(problem),
      options_(options),
      points_(std::move(points)),
      share_(problem.k / problem.k.sum()),
      center_(Vector::Zero(problem.k.size())) {
  for (const PointOfMixture& one : points_) center_ += one.weight * one.full.moments.mean;
}

// Calls f(choice) with the rows so far, as this point sees them.
void SharedVectors::with_rows(const PointOfMixture& point, auto&& f) const {
  const Matrix K = point.evidence->signal_covariance(point.theta);
  const Covariance& covariance = point.evidence->covariance();
  VectorChoice choice(K, point.full.rows, problem_.k, problem_.classes, point.full.moments,
                      covariance.linear_features(covariance.inputs(), point.theta));
  choice.add_first(rows_);
  f(choice);
}

// Each time at the point that has the largest part in what is lost.
void SharedVectors::choose(const PointOfMixture& at_best) {
  if (points_.size() == 1) return measure(true);
  const double most = options_.divergence;
  grow(at_best, most);
  if (options_.all_vectors || options_.num_vectors > 0) {
    for (const PointOfMixture& point : points_) grow(point, most);
    return measure();
  }
  for (measure(); divergence_ > most; measure()) {
    const auto less = [](const auto& a, const auto& b) { return a.weight * a.divergence < b.weight * b.divergence; };
    const PointOfMixture& worst = *std::max_element(points_.begin(), points_.end(), less);
    const std::size_t before = rows_.size();
    grow(worst, 0.9 * worst.divergence * most / divergence_);
    if (rows_.size() == before) return;
  }
}

void SharedVectors::extend(VectorChoice& choice, double most) {
  const auto old = static_cast<Index>(choice.rows().size()), left = options_.num_vectors - static_cast<Index>(rows_.size());
  if (options_.all_vectors)
    choice.add_all();
  else if (options_.num_vectors > 0)
    choice.grow(0, 0, old + std::max<Index>(left, 0));
  else
    choice.grow(most, worthwhile * options_.divergence, problem_.k.size());
  rows_.insert(rows_.end(), choice.rows().begin() + old, choice.rows().end());
}

void SharedVectors::grow(const PointOfMixture& point, double most) {
  with_rows(point, [&](VectorChoice& choice) { extend(choice, most); });
}

// What the rows so far lose, and the points with them.
void SharedVectors::measure(bool grow_first) {
  MixtureOfRows full(problem_.classes, center_), reduced = full;
  stored_.clear();
  for (PointOfMixture& point : points_) {
    pulse();
    with_rows(point, [&](VectorChoice& choice) {
      if (grow_first) extend(choice, options_.divergence);
      full.add(point.weight, point.full.rows.s2, point.full.moments);
      reduced.add(point.weight, point.full.rows.s2, choice.moments());
      point.divergence = choice.mean_divergence();
      stored_.push_back(to_store(point, choice));
    });
  }
  divergence_ = std::max(share_.dot(full.divergence_from(reduced)), 0.0);  // rounding errors
  largest_change_ = ((reduced.mean() - full.mean()).array().abs() / full.variance().array().max(1e-300).sqrt()).maxCoeff();
}

KernelPoint SharedVectors::to_store(const PointOfMixture& point, const VectorChoice& choice) const {
  const Covariance& covariance = point.evidence->covariance();
  FeaturePosterior posterior = choice.posterior();
  KernelPoint out;
  out.weight = point.weight;
  out.kernel = covariance.kernel(point.theta.tail(point.theta.size() - 1));
  out.signal = std::exp(point.theta[0]);
  out.linear = out.signal * covariance.linear_weight(point.theta);
  out.noise_variance = point.full.rows.s2;
  for (auto at = rows_.begin(); const Index row : choice.rows())
    out.vectors.push_back((at = std::find(at, rows_.end(), row)) - rows_.begin());
  out.mean = std::move(posterior.mean);
  out.factor = std::move(posterior.factor);
  return out;
}

}  // namespace ardvark::internal
