#include "likelihood/count_target.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ardvark/errors.hpp"

namespace ardvark::internal {
void validate_counts(VectorView y, Index before) {
  constexpr double most = 1e9;
  for (Index n = 0; n < y.size(); ++n)
    if (!(y[n] >= 0 && y[n] <= most && y[n] == std::floor(y[n])))
      throw InvalidArgument({.argument = "y",
                             .value = fmt::format("{}", y[n]),
                             .row = before + n + 1,
                             .why = fmt::format("a count is a whole number from 0 to {:.0e}", most),
                             .remedy = "of rates, give the counts, and their exposure"});
}

void require_counts(double counted, Index num_flat) {
  if (num_flat > 0 && counted == 0)
    throw InvalidArgument(
        "every count is 0: the weight of the intercept, or of another column without a prior, would decrease without limit");
}

CountTarget count_target(Vector y, Vector k, Index num_flat, Vector offset) {
  if (k.size() == 0) k = Vector::Ones(y.size());
  if (offset.size() == 0) offset = Vector::Zero(y.size());
  validate_counts(y);
  require_counts(k.dot(y), num_flat);
  return {std::move(y), std::move(k), std::move(offset)};
}

}  // namespace ardvark::internal
