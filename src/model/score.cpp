// How well predictions fit what was observed.
#include <cmath>
#include <limits>
#include <type_traits>
#include <variant>
#include <vector>

#include "ardvark/model.hpp"
#include "predict/predictive.hpp"

namespace ardvark {

using namespace internal;

namespace {

// Whether the predicted class of row i is the observed one.
bool is_right(const ClassPrediction& p, Index i, double y) { return (says_second(p.probability[i]) ? 1.0 : 0.0) == y; }
bool is_right(const ClassProbabilities& p, Index i, double y) {
  return static_cast<double>(p.most_probable[static_cast<std::size_t>(i)]) == y;
}

template <typename Prediction>
constexpr bool is_regression = std::is_same_v<Prediction, StudentPrediction> || std::is_same_v<Prediction, NoiseMixturePrediction> ||
                               std::is_same_v<Prediction, TMixturePrediction> || std::is_same_v<Prediction, CountPrediction>;

}  // namespace

void PredictionScorer::add(const Prediction& prediction, VectorView y) {
  Vector filled(y.size());  // a row without an observation has any value: it is left out below
  std::vector<Index> known;
  for (Index i = 0; i < y.size(); ++i) {
    filled[i] = std::isnan(y[i]) ? 0 : y[i];
    if (!std::isnan(y[i])) known.push_back(i);
  }
  const Vector density = log_density(prediction, filled);
  if (known.empty()) return;
  const double before = static_cast<double>(num_rows_), here = static_cast<double>(known.size());
  num_rows_ += static_cast<Index>(known.size());
  for (const Index i : known) density_ += density[i];
  std::visit(
      [&](const auto& p) {
        if constexpr (is_regression<std::decay_t<decltype(p)>>) {
          is_regression_ = true;
          const auto [lower, upper] = interval_of(p, level_);
          const Vector of_known = filled(known);
          const double mean = of_known.mean(), off = mean - mean_;
          for (const Index i : known) {
            squared_error_ += (y[i] - p.mean[i]) * (y[i] - p.mean[i]);
            covered_ += lower[i] <= y[i] && y[i] <= upper[i] ? 1 : 0;
          }
          spread_ += (of_known.array() - mean).square().sum() + off * off * before * here / (before + here);
          mean_ += off * here / (before + here);
        } else {
          for (const Index i : known) right_ += is_right(p, i, y[i]) ? 1 : 0;
        }
      },
      prediction);
}

PredictionScore PredictionScorer::score() const {
  PredictionScore out;
  out.num_rows = num_rows_;
  if (num_rows_ == 0) return out;
  const auto n = static_cast<double>(num_rows_);
  out.log_density = density_ / n;
  if (!is_regression_) {
    out.accuracy = right_ / n;
    return out;
  }
  out.r_squared = spread_ > 0 ? 1 - squared_error_ / spread_ : std::numeric_limits<double>::quiet_NaN();
  out.rmse = std::sqrt(squared_error_ / n);
  out.coverage = covered_ / n;
  return out;
}

PredictionScore score(const Prediction& prediction, VectorView y, double level) {
  PredictionScorer scorer(level);
  scorer.add(prediction, y);
  return scorer.score();
}

}  // namespace ardvark
