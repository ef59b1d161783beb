// The generator of random problems. The seed determines table, target and options. A problem that fails is reduced to a smaller one.
//
// A problem has all that a user has: columns with names (some of text), a target, weights, and options by name. The options are drawn from
// the library's own tables: presets(), model_options(), and the words that an error message lists. New presets, options and words are
// therefore drawn without a change here.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ardvark/model.hpp"
#include "support/random_problem.hpp"

namespace ardvark::testing {

struct DrawnColumn {
  std::string name;
  std::vector<std::string> levels;  ///< sorted; empty: a column of numbers
  Vector values;                    ///< [rows] numbers, or positions in levels
};

struct DrawnProblem {
  std::uint64_t seed = 0;
  std::vector<DrawnColumn> columns;
  std::string target_name = "target", weights_name = "weights";
  std::vector<std::string> class_names;                              ///< of a target of text; then the target holds positions
  Vector target;                                                     ///< [rows]
  Vector weights;                                                    ///< [rows]; empty: none
  std::vector<Index> group;                                          ///< [columns] of the table; empty: none was drawn
  std::vector<Index> flat;                                           ///< positions of columns of the table
  std::vector<std::pair<std::string, ModelOptions::Value>> options;  ///< model or preset first; without those that name columns
  std::vector<std::string> traits;                                   ///< what is unusual, for messages: "duplicated column", "separable"

  [[nodiscard]] Index rows() const { return target.size(); }
  [[nodiscard]] Index num_columns() const { return static_cast<Index>(columns.size()); }
  [[nodiscard]] const ModelOptions::Value* option(const std::string& name) const;
  /// The text of an option; empty if it is not set.
  [[nodiscard]] std::string word(const std::string& name) const;
  [[nodiscard]] bool has_trait(const std::string& trait) const;
  [[nodiscard]] bool has_text() const;  ///< whether there is a text column
};

enum class DrawFor {
  any_task,     ///< linear, logistic and kernel models, presets
  linear_score  ///< without relevance vector machines
};

[[nodiscard]] DrawnProblem draw_problem(std::uint64_t seed, DrawFor what = DrawFor::any_task);

/// The problem of this seed with numbers of options, columns, target and weights of any size, with more columns without a prior, and with
/// columns that separate classes. What a fit is worth there, rounding decides; results must nevertheless be numbers.
[[nodiscard]] DrawnProblem draw_extreme_problem(std::uint64_t seed);

/// The arguments of fit_model. A text column becomes dummies without the level that has most rows, in one group, as the documentation says.
/// This is an independent implementation, so that it tests the encoding of the library.
struct PreparedProblem {
  Matrix X;
  Vector target;
  ModelOptions options;
};
/// The options by name alone, without those that name columns.
[[nodiscard]] ModelOptions model_options_of(const DrawnProblem& problem);
[[nodiscard]] PreparedProblem prepare(const DrawnProblem& problem);

/// One line: size, model, options and traits.
[[nodiscard]] std::string describe(const DrawnProblem& problem);

/// The table as CSV, with enough digits for each number to be read back exactly; the same for new rows of these columns.
[[nodiscard]] std::string csv_of(const DrawnProblem& problem);
/// The arguments of `ardvark fit` after the table. \param known  the options of the program, "--max-sweeps"; others are left out
[[nodiscard]] std::vector<std::string> arguments_of(const DrawnProblem& problem, const std::vector<std::string>& known);
/// The problem without options that the program does not have or that its arguments cannot express (names with commas in --group).
[[nodiscard]] DrawnProblem for_the_shell(DrawnProblem problem, const std::vector<std::string>& known);

/// Everything except the traits, for other languages and for problem_of.
[[nodiscard]] nlohmann::ordered_json json_of(const DrawnProblem& problem);
[[nodiscard]] DrawnProblem problem_of(const nlohmann::ordered_json& json);

/// A smaller problem that still fails. It tries half of the rows and of the columns, then fewer, without single options, with simple names
/// and with numbers of few digits. \param fails     whether a problem still fails \param attempts  maximum number of problems to try
[[nodiscard]] DrawnProblem shrink(DrawnProblem problem, const std::function<bool(const DrawnProblem&)>& fails, int attempts = 400);

/// Some rows, in this order; some columns.
[[nodiscard]] DrawnProblem with_rows(const DrawnProblem& problem, const std::vector<Index>& rows);
[[nodiscard]] DrawnProblem with_columns(const DrawnProblem& problem, const std::vector<Index>& columns);
void set_option(DrawnProblem& problem, const std::string& name, const ModelOptions::Value& value);
void drop_option(DrawnProblem& problem, const std::string& name);

/// Options that are not drawn: they are filled from the table itself, or belong to other commands.
[[nodiscard]] const std::set<std::string>& options_not_drawn();

/// The allowed words of an option of this model, as the library's error message lists them; empty if its values are not words.
[[nodiscard]] std::vector<std::string> words_of(const std::string& option);

}  // namespace ardvark::testing
