#include "frame/standard_target.hpp"

#include <algorithm>
#include <cmath>

#include "core/digits.hpp"
#include "core/validate.hpp"
#include "frame/prepare.hpp"

namespace ardvark::internal {

StandardTarget standard_target(Vector y, const Vector& k, const FitOptions& options, double stand_in) {
  StandardTarget out{.y = std::move(y), .warning = {}};
  // With a flat intercept, subtracting the mean does not change the model and avoids a cancellation in the residuals.
  const bool centred = options.intercept && !options.penalize_intercept;
  if (!options.preset.empty() || (!options.standardize && !centred)) {
    static_cast<void>(validate::spread(out.y.cwiseAbs().maxCoeff(), out.y.cwiseAbs().maxCoeff() < 1, "the target"));
    return out;
  }
  const double total = k.sum();
  double mean = k.dot(out.y) / total;
  // The error of a sum of large numbers may exceed their differences, so the mean is corrected by the differences.              (LIN.7)
  const double off = k.dot((out.y.array() - mean).matrix()) / total;
  if (steps_of(std::abs(off), mean) > 4) mean += off;
  if (options.intercept) out.center = mean;
  out.y.array() -= out.center;
  const double first =
      options.intercept ? out.y[std::find_if(k.begin(), k.end(), [](double weight) { return weight > 0; }) - k.begin()] : 0.0;
  const bool all_equal = (k.array() == 0 || out.y.array() == first).all();
  const double spread = validate::spread(std::sqrt(k.dot(out.y.cwiseAbs2()) / total), all_equal, "the target");
  mean += stand_in;  // from here on it is compared with the spread
  out.is_constant = !is_spread(spread, mean);
  if (out.is_constant) {
    out.warning = "the target is constant: there is nothing to explain";
    out.y.setZero();
  } else if (options.intercept && has_few_digits(spread, mean)) {
    out.warning = few_digits("the target", spread, mean);
  }
  if (!options.standardize) return out;
  out.scale = !out.is_constant ? spread : mean != 0 ? std::clamp(std::abs(mean), 1e-120, 1e120) : 1.0;
  out.y /= out.scale;
  return out;
}

}  // namespace ardvark::internal
