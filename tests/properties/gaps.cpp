// Tables with gaps, and a penalty that cross-validation chooses: problems made from a drawn one.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "property.hpp"

namespace ardvark::testing {
namespace {

constexpr double gap = std::numeric_limits<double>::quiet_NaN();

bool is_whole(const DrawnProblem& problem, Index row) {
  return !std::isnan(problem.target[row]) &&
         std::ranges::none_of(problem.columns, [&](const DrawnColumn& column) { return std::isnan(column.values[row]); });
}

// A third of the rows at most, and less than half of the gaps in the target.
DrawnProblem with_gaps(DrawnProblem problem) {
  Random random(problem.seed + 9);
  for (Index count = random.integer(1, std::max<Index>(1, problem.rows() / 3)); count > 0; --count) {
    const Index row = random.integer(0, problem.rows() - 1);
    if (random.chance(0.2))
      problem.target[row] = gap;
    else
      problem.columns[static_cast<std::size_t>(random.integer(0, problem.num_columns() - 1))].values[row] = gap;
  }
  return problem;
}

// What may differ: notes and options say that rows were dropped, and rows of kernel machines have their numbers in the whole table.
Json without_row_numbers(Json json) {
  if (json.contains("relevance_rows")) json.erase("columns"), json.erase("relevant");  // "k(row 7)"
  for (const char* name : {"notes", "options", "relevance_rows", "machines"}) json.erase(name);
  return json;
}

// The refusals of a table that has lost its rows, a whole column, or so much weight that a column cannot be explained by the others, or
// that never had the rows that an average over completed tables needs.
bool says_what_is_left(const std::string& message) {
  return message.find("no rows are left") != std::string::npos || message.find("has no value") != std::string::npos ||
         message.find("which counts as the number of rows") != std::string::npos ||
         message.find("an average over completed tables needs a finite variance") != std::string::npos;
}

Verdict first_failure(const Subject& subject, std::initializer_list<Verdict (*)(const Subject&)> properties) {
  for (const auto property : properties)
    if (Verdict verdict = property(subject); verdict.fails()) return verdict;
  return holds();
}

}  // namespace

std::optional<DrawnProblem> imputed_variant(const DrawnProblem& problem) {
  const std::string model = problem.word("model");
  const bool several = model == "logistic" && std::set<double>(problem.target.begin(), problem.target.end()).size() > 2;
  if (problem.rows() < 6 || model == "rvm" || model == "kernel" || model == "counts" || model.empty() ||
      problem.word("prior") == "laplace" || several)
    return std::nullopt;
  DrawnProblem out = with_gaps(problem);
  drop_option(out, "diagnose"), drop_option(out, "fdr");  // which it does not have
  set_option(out, "missing", "impute");
  set_option(out, "imputations", 5.0);
  return out;
}

std::optional<DrawnProblem> chosen_lambda_variant(const DrawnProblem& problem) {
  if (problem.word("prior") != "laplace" || problem.word("lambda").empty()) return std::nullopt;
  DrawnProblem out = problem;
  drop_option(out, "lambda");
  if (Random(problem.seed + 10).chance(0.5)) set_option(out, "lambda_rule", "1se");
  return out;
}

Verdict rows_with_gaps_are_dropped(const Subject& given) {
  if (given.problem.rows() < 6) return says_nothing();
  DrawnProblem holes = with_gaps(given.problem);
  set_option(holes, "missing", "drop");
  std::vector<Index> rows;
  for (Index i = 0; i < holes.rows(); ++i)
    if (is_whole(holes, i)) rows.push_back(i);
  const Subject dropped(holes);
  const Subject left(with_rows(given.problem, rows));
  if (!dropped.model || !left.model) {
    if (says_what_is_left(dropped.refusal)) return says_nothing();
    return dropped.model || left.model ? fails("with dropped rows: '" + dropped.refusal + "', without them: '" + left.refusal + "'")
                                       : holds();
  }
  std::string place = difference(without_row_numbers(json_of(*dropped.model, false)), without_row_numbers(json_of(*left.model, false)));
  if (!place.empty()) return fails("with dropped rows and without them: " + place);
  if (!left.has_posterior() || !left.keeps_covariance()) return holds();
  const Matrix fresh = new_rows(left);
  place = difference(json_of(predict(*dropped.model, fresh), *dropped.model), json_of(predict(*left.model, fresh), *left.model));
  return place.empty() ? holds() : fails("predictions with dropped rows and without them: " + place);
}

Verdict gaps_are_filled(const Subject& given) {
  const std::optional<DrawnProblem> problem = imputed_variant(given.problem);
  if (!problem) return says_nothing();
  std::vector<Index> rows;
  for (Index i = 0; i < problem->rows(); ++i)
    if (!std::isnan(problem->target[i])) rows.push_back(i);
  if (!Subject(with_rows(given.problem, rows)).model) return says_nothing();  // too few rows have a target
  const Subject subject(*problem);
  if (!subject.model) return says_what_is_left(subject.refusal) ? says_nothing() : fails("it refuses to impute: " + subject.refusal);
  if (subject.report().status == Status::separated) {  // in a completed table, coefficients grow without limit
    for (const std::string& note : subject.report().notes)
      if (note.find("nan") != std::string::npos) return fails("a note is: " + note);
    return says_nothing();
  }
  return first_failure(subject, {results_are_sound, saved_is_what_was_fitted, the_same_again});
}

Verdict chosen_penalties_are_sound(const Subject& given) {
  const std::optional<DrawnProblem> problem = chosen_lambda_variant(given.problem);
  if (!problem || !given.model) return says_nothing();
  const Subject subject(*problem);
  return first_failure(subject, {results_are_sound, saved_is_what_was_fitted, the_same_again});
}

}  // namespace ardvark::testing
