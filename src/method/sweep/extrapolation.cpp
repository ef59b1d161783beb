#include "method/sweep/extrapolation.hpp"

namespace ardvark::internal {

void Extrapolation::next(const PrecisionPrior& prior, Likelihood& likelihood, const Posterior& q, bool bold, const Settled& settled,
                         Vector& expected, Rows& rows) {
  const Index groups = prior.partition().num_groups(), state = likelihood.state_size();
  const bool first = input_.size() == 0;
  output_.resize(groups + state);
  weight_.resize(groups + state);
  if (groups > 0) {
    if (bold)
      prior.coordinate(q, likelihood.noise_precision(), step_);
    else
      prior.mackay(q, likelihood.noise_precision(), step_);
    for (std::size_t i = 0; i < settled.groups.size(); ++i) step_[settled.groups[i]] = settled.expected[static_cast<Index>(i)];
    output_.head(groups) = step_.array().log();
    prior.well_determined(q, step_);
    weight_.head(groups) =
        0.5 * step_.array() + 1e-3;  // about the curvature in ln E[alpha]; the constant keeps some weight for irrelevant groups
  }
  likelihood.get_state(output_.tail(state), weight_.tail(state));
  if (first) {
    input_ = output_;
  } else {
    if (groups > 0) input_.head(groups) = prior.expected().array().log();
    anderson_.extrapolate(input_, output_, weight_, extrapolated_);
    // In one sweep, a precision changes at most by a factor of e^4.
    extrapolated_.head(groups) = input_.head(groups).array() + (extrapolated_ - input_).head(groups).array().max(-4.0).min(4.0);
    input_ = extrapolated_.allFinite() ? extrapolated_ : output_;
  }
  if (groups > 0) expected = input_.head(groups).array().exp();
  likelihood.set_state(input_.tail(state), rows);
}

void Extrapolation::take_back(Likelihood& likelihood, Rows& rows) {
  anderson_.forget();
  input_ = output_;
  likelihood.set_state(output_.tail(likelihood.state_size()), rows);
}

}  // namespace ardvark::internal
