// A value that is not a finite number is refused before any work, and the message names its row and column.
#include <fmt/format.h>

#include <limits>

#include "property.hpp"

namespace ardvark::testing {

Verdict what_is_no_number_is_refused(const Subject& subject) {
  if (!subject.model) return says_nothing();
  Random random(subject.problem.seed + 6);
  const double values[] = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity()};
  const double value = values[random.integer(0, 2)];
  const Index i = random.integer(0, subject.problem.rows() - 1), j = random.integer(0, subject.prepared.X.cols() - 1);
  const int place = static_cast<int>(random.integer(0, subject.problem.weights.size() > 0 ? 2 : 1));
  PreparedProblem prepared = subject.prepared;
  if (place == 0) prepared.X(i, j) = value;
  if (place == 1) prepared.target[i] = value;
  if (place == 2) prepared.options.weights[static_cast<std::size_t>(i)] = value;
  const std::string what = place == 0   ? fmt::format("column '{}'", prepared.options.column_names[static_cast<std::size_t>(j)])
                           : place == 1 ? "the target"
                                        : "the weights";
  try {
    (void)fit_of(prepared);
  } catch (const InvalidArgument& error) {
    const std::string message = error.what();
    if (message.find(fmt::format("{}", i + 1)) == std::string::npos)
      return fails(fmt::format("{} of row {} is {}, and the refusal does not name the row: {}", what, i + 1, value, message));
    const std::string name = place == 0 ? prepared.options.column_names[static_cast<std::size_t>(j)] : "";
    if (message.find(name) == std::string::npos)
      return fails(fmt::format("{} of row {} is {}, and the refusal does not name the column: {}", what, i + 1, value, message));
    return holds();
  }
  return fails(fmt::format("{} of row {} is {} and was accepted", what, i + 1, value));
}

}  // namespace ardvark::testing
