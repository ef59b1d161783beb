// Numbers of any size, 1e-300 to 1e300: a fit is refused, or its file can be read. What cannot be squared in memory is refused by sums too.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ardvark/statistics.hpp"
#include "property.hpp"

namespace ardvark::testing {
namespace {

// The decimal exponent of a unit: of any size, more often near those at which squares, and squares of squares, leave the range of numbers.
double drawn_unit(Random& random) {
  constexpr int limits[] = {-170, -155, -150, -149, -78, 78, 149, 150, 155};
  return std::pow(10.0, random.chance(0.5) ? limits[random.integer(0, 8)] : static_cast<int>(random.integer(-300, 300)));
}

Vector in_unit(const Vector& values, double unit) { return (unit * values).cwiseMin(1e300).cwiseMax(-1e300); }

// The problem in other units, and half of the time with a penalty that cross-validation chooses.
DrawnProblem with_units(const DrawnProblem& given) {
  Random random(given.seed + 13);
  DrawnProblem out = random.chance(0.5) ? chosen_lambda_variant(given).value_or(given) : given;
  const bool has_numbers =
      out.class_names.empty() && out.word("model") != "logistic" && out.word("model") != "counts" && out.word("task") != "classification";
  if (has_numbers && random.chance(0.7)) out.target = in_unit(out.target, drawn_unit(random));
  for (DrawnColumn& column : out.columns)
    if (column.levels.empty() && random.chance(0.3)) column.values = in_unit(column.values, drawn_unit(random));
  return out;
}

bool is_about_squares(const std::string& refusal) { return refusal.find("to be squared") != std::string::npos; }

// The same fit from sums over the rows; what is refused, in `refusal`.
std::optional<SavedModel> by_sums(const PreparedProblem& problem, StatisticsForm form, std::string& refusal) {
  ModelOptions options = problem.options;
  options.weights.clear();
  options.given.erase("weights");
  try {
    LinearStatistics sums(form);
    sums.update(problem.X, problem.target, problem.options.weights);
    return fit_model(sums, options);
  } catch (const InvalidArgument& error) {
    refusal = error.what();
    return std::nullopt;
  }
}

}  // namespace

Verdict sizes_leave_files_that_can_be_read(const Subject& given) {
  if (given.prepared.options.missing == "impute") return says_nothing();
  const Subject subject(with_units(given.problem));
  try {
    if (Verdict verdict = saved_is_what_was_fitted(subject); verdict.fails()) return verdict;
  } catch (const InvalidArgument& error) {  // a row of columns that are not standardised
    if (std::string(error.what()).find("or its square overflows") == std::string::npos) throw;
  }
  if (given.problem.word("model") != "linear") return subject.has_posterior() ? holds() : says_nothing();
  for (const StatisticsForm form : {StatisticsForm::gram, StatisticsForm::factor}) {
    std::string refusal;
    const std::optional<SavedModel> summed = by_sums(subject.prepared, form, refusal);
    if (summed && is_about_squares(subject.refusal))
      return fails(fmt::format("statistics of the form {} are fitted; in memory: {}", to_string(form), subject.refusal));
    if (!summed || !has_posterior(*summed)) continue;
    try {
      static_cast<void>(model_from_bytes(model_to_bytes(*summed)));
    } catch (const InvalidArgument& error) {
      return fails(fmt::format("the file of a fit of statistics of the form {}: {}", to_string(form), error.what()));
    }
  }
  return holds();
}

}  // namespace ardvark::testing
