#include "property.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "model/fields.hpp"

namespace ardvark::testing {

using namespace internal;

SavedModel fit_of(const PreparedProblem& prepared) { return fit_model(prepared.X, prepared.target, prepared.options); }

Subject::Subject(const DrawnProblem& drawn) : problem(drawn), prepared(prepare(drawn)) {
  try {
    model = fit_of(prepared);
  } catch (const InvalidArgument& error) {
    refusal = error.what();
  }
}

bool Subject::keeps_covariance() const {
  if (prepared.options.keep_covariance == "never") return false;
  try {
    if (is_linear_score()) (void)fit().covariance();
    if (model->softmax()) (void)json_of(*model, true);
    return true;
  } catch (const InvalidArgument&) {
    return false;
  }
}

double Subject::condition() const {
  if (condition_ > 0) return condition_;
  condition_ = 1;
  if (!is_linear_score() || !has_posterior() || !keeps_covariance()) return condition_;
  const Matrix V = fit().V();
  std::vector<Index> inside;
  for (Index j = 0; j < V.cols(); ++j)
    if (V(j, j) > 0) inside.push_back(j);
  if (inside.empty()) return condition_;
  Matrix C = V(inside, inside);
  const Vector unit = C.diagonal().cwiseSqrt().cwiseInverse();
  C = unit.asDiagonal() * C * unit.asDiagonal();
  if (!C.allFinite()) return condition_ = std::numeric_limits<double>::infinity();
  const Vector l = Eigen::SelfAdjointEigenSolver<Matrix>(C, Eigen::EigenvaluesOnly).eigenvalues();
  condition_ = l[0] > 0 ? l[l.size() - 1] / l[0] : std::numeric_limits<double>::infinity();
  return condition_;
}

double rounding_of_condition(const Subject& subject) { return 4 * std::numeric_limits<double>::epsilon() * subject.condition(); }

const std::vector<Property>& properties() {
  static const std::vector<Property> all = {
      {"saved", "a saved fit gives back the same results, summary and predictions, bit for bit", saved_is_what_was_fitted},
      {"sizes", "with numbers of any size, a fit is refused, or its file can be read", sizes_leave_files_that_can_be_read},
      {"sound", "results are finite unless documented otherwise, probabilities lie in [0, 1] and sum to one", results_are_sound},
      {"derived", "there are at most as many effective parameters as weights, inclusions of sets lie in [0, 1]", derived_numbers_are_sound},
      {"bound", "the bound never falls in fits for which this is documented", bound_rises},
      {"described", "accuracy, log loss and R^2 are those of the predictions of the training rows", rows_are_described},
      {"predicted", "predictions are those computed by hand from the coefficients", predictions_by_hand},
      {"converged", "after a fit has converged, the bound can rise by at most the tolerance", converged_means_the_end},
      {"rows", "rows in another order give the same answer", rows_may_be_permuted},
      {"columns", "columns in another order give the same answer in that order", columns_may_be_permuted},
      {"units", "columns in other units give the same answer in these units", columns_have_units},
      {"target", "a target in other units gives the same answer in these units", target_has_units},
      {"weights", "a weight gives the same answer as repeated rows", weights_are_repetition},
      {"labels", "exchanged labels change the signs of the coefficients", labels_may_be_flipped},
      {"solvers", "every solver gives the same answer", solvers_agree},
      {"memory", "every memory order gives the same answer", memory_order_does_not_matter},
      {"threads", "one thread and two give the same bits", threads_do_not_matter},
      {"again", "the same fit, made again, has the same bits", the_same_again},
      {"refused", "a value that is not a finite number is refused, with its row and column", what_is_no_number_is_refused},
      {"gaps", "rows with gaps that are dropped leave the answer of the table without these rows", rows_with_gaps_are_dropped},
      {"imputed", "a fit that fills gaps is sound, saved, and the same again; it predicts rows with gaps", gaps_are_filled},
      {"lambda", "a fit whose penalty cross-validation chooses is sound, saved, and the same again", chosen_penalties_are_sound},
      {"c", "the C interface gives the same bits", the_c_interface_agrees},
      {"page", "the report is a page: texts are escaped, ids differ, nothing is loaded, and it is small", report_is_a_page},
      {"shell", "the program prints, saves and predicts the same as the library", the_program_agrees},
  };
  return all;
}

Matrix new_rows(const Subject& subject, Index rows) {
  Random random(subject.problem.seed + 77);
  const Matrix& X = subject.prepared.X;
  Matrix out(rows, X.cols());
  for (Index j = 0; j < X.cols(); ++j)
    for (Index i = 0; i < rows; ++i) out(i, j) = X(random.integer(0, X.rows() - 1), j);
  return out;
}

Json json_of(const SavedModel& model, bool covariance, double level) {
  Json json = Json::parse(to_json(model, level, covariance && has_posterior(model)));
  json.erase("seconds");
  return json;
}

Json json_of(const Prediction& prediction, const SavedModel& model) {
  JsonFields fields(false);
  visit(prediction, classes_of(model), 0.95, fields);
  return Json::parse(fields.json().dump());  // numbers that are not finite are null, as in all JSON output
}

std::vector<std::string> names_of_members(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

namespace {

double largest(const Json& json) {
  if (json.is_number()) return std::abs(json.get<double>());
  double most = 0;
  if (json.is_array())
    for (const Json& element : json) most = std::max(most, largest(element));
  return most;
}

std::string difference_within(const Json& a, const Json& b, double allowed, const std::string& at) {
  if (a.is_number() && b.is_number()) {
    const double x = a.get<double>(), y = b.get<double>();
    return x == y || std::abs(x - y) <= allowed ? "" : fmt::format("{} is {} and {} (differs by {:.2g})", at, x, y, std::abs(x - y));
  }
  if (a.is_array() && b.is_array() && a.size() == b.size()) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::string place = difference_within(a[i], b[i], allowed, fmt::format("{}[{}]", at, i));
      if (!place.empty()) return place;
    }
    return "";
  }
  const auto shown = [](const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 200); };
  return a == b ? "" : fmt::format("{} is {} and {}", at, shown(a), shown(b));
}

}  // namespace

std::string difference(const Json& a, const Json& b, double tolerance, const std::string& at) {
  if (!a.is_object() || !b.is_object())
    return difference_within(a, b, tolerance * std::max(largest(a), largest(b)), at.empty() ? "the whole result" : at);
  for (const auto& [name, value] : a.items()) {
    if (!b.contains(name)) return fmt::format("the second has no {}{}", at.empty() ? "" : at + ".", name);
    const std::string place = difference(value, b.at(name), tolerance, at.empty() ? name : at + "." + name);
    if (!place.empty()) return place;
  }
  for (const auto& [name, value] : b.items())
    if (!a.contains(name)) return fmt::format("the first has no {}{}", at.empty() ? "" : at + ".", name);
  return "";
}

}  // namespace ardvark::testing
