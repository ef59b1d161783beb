// What holds of every problem that the generator draws. One function a property, by name in one list.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ardvark/model.hpp"
#include "support/problem_generator.hpp"

namespace ardvark::testing {

using Json = nlohmann::ordered_json;

/// A property holds, says nothing about this problem, or fails with a sentence.
struct Verdict {
  bool applies = true;
  std::string failure;
  [[nodiscard]] bool fails() const { return !failure.empty(); }
};
inline Verdict holds() { return {}; }
inline Verdict says_nothing() { return {false, {}}; }
inline Verdict fails(const std::string& sentence) { return {true, sentence}; }

/// A problem with its fit, made once for all properties.
struct Subject {
  DrawnProblem problem;
  PreparedProblem prepared;
  std::optional<SavedModel> model;  ///< absent where the library refuses the problem
  std::string refusal;              ///< its sentence

  explicit Subject(const DrawnProblem& drawn);
  [[nodiscard]] const Report& report() const { return report_of(*model); }
  [[nodiscard]] bool is_converged() const { return model && report().status == Status::converged; }
  [[nodiscard]] bool has_posterior() const { return model && ardvark::has_posterior(*model); }
  [[nodiscard]] bool is_regression() const { return task_of(*model) == Task::linear; }
  /// One linear score: coefficients of a regression or of two classes.
  [[nodiscard]] bool is_linear_score() const { return model && !model->relevance() && !model->softmax(); }
  /// Of a linear score; of another model an empty one.
  [[nodiscard]] const Fit& fit() const {
    static const Fit none;
    return model->score() != nullptr ? *model->score() : none;
  }
  [[nodiscard]] bool is_preset() const { return prepared.options.model.empty(); }
  /// Of a linear score: whether it can be asked for.
  [[nodiscard]] bool keeps_covariance() const;
  /// Of a linear score: condition number of the posterior's correlations, which is that of the equations at the best scale of the columns;
  /// infinity where rounding leaves no more of it, 1 where the covariance is not known.
  [[nodiscard]] double condition() const;

 private:
  mutable double condition_ = 0;

 public:
};

/// What solving these equations may cost: their condition number times the rounding of a number, by a Gram matrix.            (RIDGE.9)
[[nodiscard]] double rounding_of_condition(const Subject& subject);

/// Of a linear score: what the entries of a row are differences of, |x| and with an intercept the size of the columns' means; and sum_j of
/// its squares times the prior variances, of which x'Vx is a part.
[[nodiscard]] Vector size_of(const Subject& subject, const Vector& x);
[[nodiscard]] double variance_before(const Subject& subject, const Vector& size);

/// The same with some of it changed. \throws InvalidArgument where the library refuses it
[[nodiscard]] SavedModel fit_of(const PreparedProblem& prepared);

struct Property {
  const char* name;
  const char* sentence;
  Verdict (*check)(const Subject&);
};
[[nodiscard]] const std::vector<Property>& properties();

/// Where a property is known not to hold: named, with the reason. The list is to become shorter.
struct Exemption {
  std::vector<const char*> properties;
  bool (*applies)(const Subject&);
  const char* of;  ///< what `applies` asks, in words
  const char* reason;
};
[[nodiscard]] const std::vector<Exemption>& exemptions();
/// In Markdown: properties, of what, and why.
[[nodiscard]] std::string table_of_exemptions();
/// The first that speaks of this problem; nullptr: none.
[[nodiscard]] const Exemption* exemption_of(const std::string& property, const Subject& subject);

Verdict saved_is_what_was_fitted(const Subject&);
Verdict results_are_sound(const Subject&);
Verdict derived_numbers_are_sound(const Subject&);
Verdict bound_rises(const Subject&);
Verdict rows_are_described(const Subject&);
Verdict predictions_by_hand(const Subject&);
Verdict converged_means_the_end(const Subject&);
Verdict rows_may_be_permuted(const Subject&);
Verdict columns_may_be_permuted(const Subject&);
Verdict columns_have_units(const Subject&);
Verdict target_has_units(const Subject&);
Verdict weights_are_repetition(const Subject&);
Verdict labels_may_be_flipped(const Subject&);
Verdict solvers_agree(const Subject&);
Verdict memory_order_does_not_matter(const Subject&);
Verdict threads_do_not_matter(const Subject&);
Verdict the_same_again(const Subject&);
Verdict what_is_no_number_is_refused(const Subject&);
Verdict the_c_interface_agrees(const Subject&);
Verdict the_program_agrees(const Subject&);

/// The options that `ardvark fit --help` names: "--max-sweeps".
[[nodiscard]] const std::vector<std::string>& shell_options();

/// What the shell refuses by its own rules of tables, where the library is given numbers.
[[nodiscard]] bool is_refused_by_the_shell_alone(const std::string& message);
/// The options of a problem with those that name columns and rows: what a caller of the library sets by name.
[[nodiscard]] std::vector<std::pair<std::string, ModelOptions::Value>> all_options(const Subject& subject);
/// A problem and its answer, for other languages.
[[nodiscard]] Json exchanged(const Subject& subject);

/// New rows: each cell is one of its column.
[[nodiscard]] Matrix new_rows(const Subject& subject, Index rows = 7);
[[nodiscard]] Json json_of(const SavedModel& model, bool covariance, double level = 0.95);
[[nodiscard]] Json json_of(const Prediction& prediction, const SavedModel& model);
/// Where two differ, and how; empty: nowhere. Numbers may differ by `tolerance` times the largest of their list.
[[nodiscard]] std::string difference(const Json& a, const Json& b, double tolerance = 0, const std::string& at = {});
[[nodiscard]] std::vector<std::string> names_of_members(const Json& object);

}  // namespace ardvark::testing
