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

// Of each row whether the observation is the predicted class.
bool is_right(const ClassPrediction& p, Index i, double y) { return (says_second(p.probability[i]) ? 1.0 : 0.0) == y; }
bool is_right(const ClassProbabilities& p, Index i, double y) {
  return static_cast<double>(p.most_probable[static_cast<std::size_t>(i)]) == y;
}

template <typename Prediction>
constexpr bool is_regression = std::is_same_v<Prediction, StudentPrediction> || std::is_same_v<Prediction, NoiseMixturePrediction> ||
                               std::is_same_v<Prediction, TMixturePrediction>;

template <typename Prediction>
void add_regression(const Prediction& p, VectorView y, double level, PredictionScore& score) {
  const auto [lower, upper] = interval_of(p, level);
  double sum = 0, squares = 0, covered = 0;
  for (Index i = 0; i < y.size(); ++i) {
    if (std::isnan(y[i])) continue;
    sum += y[i];
    squares += (y[i] - p.mean[i]) * (y[i] - p.mean[i]);
    covered += lower[i] <= y[i] && y[i] <= upper[i] ? 1 : 0;
  }
  const auto n = static_cast<double>(score.num_rows);
  double spread = 0;
  for (Index i = 0; i < y.size(); ++i)
    if (!std::isnan(y[i])) spread += (y[i] - sum / n) * (y[i] - sum / n);
  score.r_squared = spread > 0 ? 1 - squares / spread : std::numeric_limits<double>::quiet_NaN();
  score.rmse = std::sqrt(squares / n);
  score.coverage = covered / n;
}

}  // namespace

PredictionScore score(const Prediction& prediction, VectorView y, double level) {
  PredictionScore out;
  Vector filled(y.size());  // a row without an observation has any value: it is left out below
  for (Index i = 0; i < y.size(); ++i) {
    filled[i] = std::isnan(y[i]) ? 0 : y[i];
    out.num_rows += std::isnan(y[i]) ? 0 : 1;
  }
  const Vector density = log_density(prediction, filled);
  if (out.num_rows == 0) return out;
  double right = 0;
  for (Index i = 0; i < y.size(); ++i)
    if (!std::isnan(y[i])) out.log_density += density[i] / static_cast<double>(out.num_rows);
  std::visit(
      [&](const auto& p) {
        if constexpr (is_regression<std::decay_t<decltype(p)>>) {
          add_regression(p, y, level, out);
        } else {
          for (Index i = 0; i < y.size(); ++i)
            if (!std::isnan(y[i])) right += is_right(p, i, y[i]) ? 1 : 0;
          out.accuracy = right / static_cast<double>(out.num_rows);
        }
      },
      prediction);
  return out;
}

}  // namespace ardvark
