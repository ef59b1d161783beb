#include "method/l1/l1_points.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace ardvark::internal {
namespace {

// For the Gram matrices of one pass.
constexpr Index most_grams = 8, most_numbers_of_grams = 4'000'000;

}  // namespace

// The same number of points between two of them.
std::vector<Index> L1Points::places_of_grams(Index count) const {
  const Index q = length_.size(), most = std::clamp<Index>(most_numbers_of_grams / (q * q / 2 + 1), 1, most_grams),
              grams = std::min(most, count);
  std::vector<Index> out;
  for (Index g = 0; g < grams; ++g) out.push_back((2 * g + 1) * count / (2 * grams));
  return out;
}

L1Sums L1Points::ask(L1Question question) {
  const RowQuestion::State& pass = passes_.question();
  question.units = pass.units;
  question.own_label = pass.own_label;
  question.folds = folds_;
  const auto asked = std::make_shared<const L1Question>(std::move(question));
  return {*asked, passes_.numbers(asked)};
}

double L1Points::violation(const L1Point& point) const {
  const double rounding = 1e-14 * std::sqrt(std::max(-point.log_likelihood, 0.0));  // (t - sigma)^2 <= -ln p(t)
  double worst = 0;
  for (Index j = 0; j < point.w.size(); ++j)
    worst = std::max(worst, optimality_excess(point.gradient[j], point.w[j], point.lambda[j]) - rounding * length_[j]);
  return worst / point.unit;
}

// The rows at the weights that are tried. Returns whether they become those of the point.
bool L1Points::take(const L1Sums& sums, Index place, L1Point& point) const {
  const double log_likelihood = sums.log_likelihood.col(place).sum();
  if (point.is_known) {
    const double before = point.value(), rounding = 1e-14 * (point.penalty(point.w) - point.log_likelihood);
    const bool rises = log_likelihood - point.penalty(point.trial) >= before + 1e-4 * point.length * point.gain - rounding;
    if (!rises) return false;
    point.idle = point.length * point.gain > rounding ? 0 : point.idle + 1;
  }
  point.w = point.trial;
  point.log_likelihood = log_likelihood;
  point.omega = sums.omega[place];
  point.of_fold.resize(point.w.size(), folds_.count);
  for (Index f = 0; f < folds_.count; ++f) point.of_fold.col(f) = sums.gradient[static_cast<std::size_t>(f)].col(place);
  point.gradient = point.of_fold.rowwise().sum();
  return true;
}

L1Points::Model& L1Points::model_of(std::size_t number) {
  const auto distance = [&](const Model& model) { return model.point > number ? model.point - number : number - model.point; };
  return *std::ranges::min_element(models_, {}, distance);
}

void L1Points::add_model(std::size_t number, const Vector& at, double omega, Matrix gram) {
  Model& model = models_.emplace_back();
  model.point = number;
  model.at = at;
  model.omega = omega;
  model.gram = std::move(gram);
  model.quadratic.set(model.gram);
}

// At the points themselves, and not where the search began.
void L1Points::renew_models(const std::vector<L1Point>& points) {
  const std::vector<Index> places = places_of_grams(static_cast<Index>(points.size()));
  L1Question question;
  question.W.resize(length_.size(), static_cast<Index>(places.size()));
  for (Index g = 0; g < question.W.cols(); ++g) {
    question.W.col(g) = points[static_cast<std::size_t>(places[static_cast<std::size_t>(g)])].w;
    question.grams.push_back(g);
  }
  const Matrix W = question.W;
  L1Sums sums = ask(std::move(question));
  models_.clear();
  for (Index g = 0; g < W.cols(); ++g)
    add_model(static_cast<std::size_t>(places[static_cast<std::size_t>(g)]), W.col(g), sums.omega[g],
              std::move(sums.gram[static_cast<std::size_t>(g)]));
}

// The next step. False: no step gains anything.                                                                                   (L1.4)
bool L1Points::aim(std::size_t number, L1Point& point) {
  Model& model = model_of(number);
  const double scale = model.omega / std::max(point.omega, 1e-300);  // from the present omega to that of the model
  point.target = point.w;
  model.quadratic.minimise(scale * point.gradient, scale * point.lambda, 0, point.target);
  point.gain = predicted_gain(point.gradient, point.lambda, point.w, point.target);
  point.length = 1;
  point.trial = point.target;
  return point.gain > 0;
}

Status L1Points::run(std::vector<L1Point>& points, const L1Settings& settings) {
  for (L1Point& point : points) point.trial = point.w;
  bool renews = true;
  for (int round = 0;; ++round) {
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (!points[i].has_ended) numbers.push_back(i);
    if (numbers.empty()) return Status::converged;
    if (round > settings.max_rounds) return Status::max_sweeps;
    L1Question question;
    question.W.resize(length_.size(), static_cast<Index>(numbers.size()));
    for (std::size_t i = 0; i < numbers.size(); ++i) question.W.col(static_cast<Index>(i)) = points[numbers[i]].trial;
    if (renews) question.grams = places_of_grams(question.W.cols());
    const std::vector<Index> grams = question.grams;
    L1Sums sums = ask(std::move(question));
    weight_ = sums.weight;
    if (renews) models_.clear();
    for (std::size_t g = 0; g < grams.size(); ++g) {
      const std::size_t number = numbers[static_cast<std::size_t>(grams[g])];
      add_model(number, points[number].trial, sums.omega[grams[g]], std::move(sums.gram[g]));
    }
    renews = !settings.keeps_gram;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      L1Point& point = points[numbers[i]];
      const double violated = point.violation;
      const bool was_known = point.is_known;
      if (!take(sums, static_cast<Index>(i), point)) {
        point.length /= 2;
        point.trial = point.w + point.length * (point.target - point.w);
        renews = true;
        if (point.length < 1e-8) point.at_rounding = point.has_ended = true;
        continue;
      }
      point.is_known = true;
      point.violation = violation(point);
      if (was_known) {
        point.objective.push_back(point.value());
        if (point.violation < 0.5 * violated) point.idle = 0;
        if (point.violation > 0.3 * violated) renews = true;
      }
      point.has_ended = point.violation <= settings.tolerance;
      if (!point.has_ended && (point.idle == 3 || !aim(numbers[i], point))) point.at_rounding = point.has_ended = true;
    }
    if (round > 0 && settings.on_round && !settings.on_round()) return Status::stopped_by_user;
  }
}

Matrix L1Points::gram_at(const L1Point& point) {
  if (models_.front().at == point.w) return models_.front().gram;
  L1Question question;
  question.W = point.w;
  question.grams = {0};
  return ask(std::move(question)).gram.front();
}

L1Points::Tests L1Points::tests(const std::vector<L1Point>& points) {
  renew_models(points);
  const auto count = static_cast<Index>(points.size());
  L1Question question;
  question.is_test = true;
  question.W.resize(length_.size(), folds_.count * count);
  for (Index f = 0; f < folds_.count; ++f) {
    const double left = 1 - weight_[f] / weight_.sum();  // the share of the other rows, and of the curvature that they have
    for (Index i = 0; i < count; ++i) {
      const L1Point& point = points[static_cast<std::size_t>(i)];
      Vector w = point.w;
      Model& model = model_of(static_cast<std::size_t>(i));
      const double scale = model.omega / std::max(point.omega, 1e-300);
      if (left > 0) model.quadratic.minimise(scale / left * (point.gradient - point.of_fold.col(f)), scale * point.lambda, 0, w);
      question.W.col(f * count + i) = w;
    }
  }
  L1Sums sums = ask(std::move(question));
  return {std::move(sums.weight), std::move(sums.log_likelihood)};
}

}  // namespace ardvark::internal
