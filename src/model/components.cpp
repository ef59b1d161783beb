#include "model/components.hpp"

#include <memory>

#include "posterior/state.hpp"

namespace ardvark::internal {
namespace {

// The fit as if this component were the whole mixture.
Fit alone(const Fit& fit, MixtureComponent component) {
  const FitState& whole = *fit.state;
  component.weight = 1;
  auto state = std::make_shared<FitState>();
  state->standardization = whole.standardization;
  state->y_center = whole.y_center;
  state->y_scale = whole.y_scale;
  state->factor.kind = CovarianceFactor::Kind::mixture;
  state->factor.mixture = {{std::move(component)}, whole.factor.mixture.columns, whole.factor.mixture.flat_columns};
  state->w = state->factor.mixture.mean(whole.w.size());
  Fit out;
  out.task = fit.task;
  out.posterior = fit.posterior;
  out.mean = fit.mean;
  out.state = std::move(state);
  return out;
}

Vector user_mean(const FitState& state, Index num_columns) {
  const Standardization& s = state.standardization;
  Vector mean = state.y_scale * state.w;
  if (s.scale.size() > 0) mean.head(num_columns).array() *= s.scale.array();
  if (!s.intercept) return mean;
  mean[num_columns] += state.y_center;
  if (s.center.size() > 0) mean[num_columns] -= s.center.dot(mean.head(num_columns));
  return mean;
}

}  // namespace

std::vector<NormalComponent> components_of(const Fit& fit) {
  std::vector<NormalComponent> out;
  if (fit.state == nullptr || fit.state->factor.kind != CovarianceFactor::Kind::mixture) return out;
  for (const MixtureComponent& component : fit.state->factor.mixture.components) {
    const Fit one = alone(fit, component);
    out.push_back({component.weight, user_mean(*one.state, fit.num_columns()), one.covariance()});
  }
  return out;
}

}  // namespace ardvark::internal
