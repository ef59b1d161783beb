// Properties that must hold for every problem of the generator. Each property is a function; one list has their names.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ardvark/model.hpp"
#include "support/problem_generator.hpp"

namespace ardvark::testing {

using Json = nlohmann::ordered_json;

/// A property holds, does not apply to this problem, or fails with a message.
struct Verdict {
  bool applies = true;
  std::string failure;
  [[nodiscard]] bool fails() const { return !failure.empty(); }
};
inline Verdict holds() { return {}; }
inline Verdict says_nothing() { return {false, {}}; }
inline Verdict fails(const std::string& sentence) { return {true, sentence}; }

/// Whether a kernel machine is to take some of the rows as centres.
[[nodiscard]] inline bool takes_some_centres(const ModelOptions& options) { return options.centres != "auto" && options.centres != "all"; }

/// A problem with its fit, made once for all properties.
struct Subject {
  DrawnProblem problem;
  PreparedProblem prepared;
  std::optional<SavedModel> model;  ///< absent if the library refuses the problem
  std::string refusal;              ///< the message of the refusal

  explicit Subject(const DrawnProblem& drawn);
  [[nodiscard]] const Report& report() const { return report_of(*model); }
  [[nodiscard]] bool is_converged() const { return model && report().status == Status::converged; }
  [[nodiscard]] bool has_posterior() const { return model && ardvark::has_posterior(*model); }
  [[nodiscard]] bool is_regression() const { return task_of(*model) == Task::linear; }
  [[nodiscard]] bool is_classification() const { return task_of(*model) == Task::logistic; }
  /// One linear score: coefficients of a regression or of two classes.
  [[nodiscard]] bool is_linear_score() const { return model && model->score() != nullptr; }
  /// A machine of a kernel: it has no coefficients of columns.
  [[nodiscard]] bool is_machine() const { return model && (model->relevance() != nullptr || model->process() != nullptr); }
  /// The fit of a linear score; for other models, an empty fit.
  [[nodiscard]] const Fit& fit() const {
    static const Fit none;
    return model->score() != nullptr ? *model->score() : none;
  }
  [[nodiscard]] bool is_preset() const { return prepared.options.model.empty(); }
  /// Whether the covariance is available.
  [[nodiscard]] bool keeps_covariance() const;
  /// For a linear score: condition number of the posterior correlations, which is that of the equations with the best scales of the
  /// columns. It is infinite if rounding leaves no correct digit, and 1 if the covariance is not known.
  [[nodiscard]] double condition() const;

 private:
  mutable double condition_ = 0;

 public:
};

/// Relative error of a solution of these equations by a Gram matrix: their condition number times rounding.                   (RIDGE.9)
[[nodiscard]] double rounding_of_condition(const Subject& subject);

/// For a linear score. size_of: the entries of a row are differences of numbers of this size, |x| plus, with an intercept, the absolute
/// means of the columns. variance_before: the sum over the columns of size^2 times the prior variance; x'Vx is a part of it.
[[nodiscard]] Vector size_of(const Subject& subject, const Vector& x);
[[nodiscard]] double variance_before(const Subject& subject, const Vector& size);

/// The fit of a problem, which may be a changed one. \throws InvalidArgument if the library refuses it
[[nodiscard]] SavedModel fit_of(const PreparedProblem& prepared);

struct Property {
  const char* name;
  const char* sentence;
  Verdict (*check)(const Subject&);
};
[[nodiscard]] const std::vector<Property>& properties();

/// Fits for which a property is known to fail, with the reason. The list should become shorter.
struct Exemption {
  std::vector<const char*> properties;
  bool (*applies)(const Subject&);
  const char* of;  ///< the condition of `applies`, in words
  const char* reason;
};
[[nodiscard]] const std::vector<Exemption>& exemptions();
/// In Markdown: properties, fits and reasons.
[[nodiscard]] std::string table_of_exemptions();
/// The first exemption that applies to this problem; nullptr: none.
[[nodiscard]] const Exemption* exemption_of(const std::string& property, const Subject& subject);

Verdict saved_is_what_was_fitted(const Subject&);
Verdict sizes_leave_files_that_can_be_read(const Subject&);
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
Verdict rows_with_gaps_are_dropped(const Subject&);
Verdict gaps_are_filled(const Subject&);
Verdict chosen_penalties_are_sound(const Subject&);
Verdict the_c_interface_agrees(const Subject&);
Verdict the_program_agrees(const Subject&);
Verdict report_is_a_page(const Subject&);

/// The problem with gaps that a fit fills; absent: the model has no imputation.
[[nodiscard]] std::optional<DrawnProblem> imputed_variant(const DrawnProblem& problem);
/// The problem with a penalty that cross-validation chooses; absent: it has no penalty of this kind.
[[nodiscard]] std::optional<DrawnProblem> chosen_lambda_variant(const DrawnProblem& problem);

/// The options that `ardvark fit --help-all` names: "--max-sweeps".
[[nodiscard]] const std::vector<std::string>& shell_options();

/// A word of a command line, as the shell reads it back.
[[nodiscard]] std::string quoted(const std::string& word);
/// Whether this is a refusal by rules for tables that only the program has, because the library gets numbers.
[[nodiscard]] bool is_refused_by_the_shell_alone(const std::string& message);
/// All options that a caller of the library sets by name, including those that name columns and rows.
[[nodiscard]] std::vector<std::pair<std::string, ModelOptions::Value>> all_options(const Subject& subject);
/// A problem and its results, for tests in other languages.
[[nodiscard]] Json exchanged(const Subject& subject);

/// New rows: each entry is a random entry of its column.
[[nodiscard]] Matrix new_rows(const Subject& subject, Index rows = 7);
[[nodiscard]] Json json_of(const SavedModel& model, bool covariance, double level = 0.95);
[[nodiscard]] Json json_of(const Prediction& prediction, const SavedModel& model);
/// Says where two results differ, and how; empty: nowhere. Numbers may differ by `tolerance` times the largest number of their list.
[[nodiscard]] std::string difference(const Json& a, const Json& b, double tolerance = 0, const std::string& at = {});
[[nodiscard]] std::vector<std::string> names_of_members(const Json& object);

}  // namespace ardvark::testing
