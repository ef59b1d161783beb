// One generator of problems: every table, target and set of options follows from a seed, and what fails is made smaller.
//
// A problem is what a user has: columns with names (some of text), a target, weights, and options by name, which are drawn from the
// library's own tables: presets(), model_options(), and the words that a refusal names. A new preset, option or word is drawn without a
// change here.
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
  /// The text of an option, or nothing.
  [[nodiscard]] std::string word(const std::string& name) const;
  [[nodiscard]] bool has_trait(const std::string& trait) const;
  [[nodiscard]] bool has_text() const;  ///< a column of it
};

enum class DrawFor {
  any_task,     ///< linear, logistic and kernel models, presets
  linear_score  ///< without relevance vector machines
};

[[nodiscard]] DrawnProblem draw_problem(std::uint64_t seed, DrawFor what = DrawFor::any_task);

/// What fit_model is given. Columns of text are dummies without the first level, and one group, as the documentation has it: written here
/// anew, so that it judges the encoding of the library.
struct PreparedProblem {
  Matrix X;
  Vector target;
  ModelOptions options;
};
/// The options by name alone, without those that name columns.
[[nodiscard]] ModelOptions model_options_of(const DrawnProblem& problem);
[[nodiscard]] PreparedProblem prepare(const DrawnProblem& problem);

/// One line: size, model and options, what is unusual.
[[nodiscard]] std::string describe(const DrawnProblem& problem);

/// The table as CSV, with the digits that bring each number back; new rows of the same columns likewise.
[[nodiscard]] std::string csv_of(const DrawnProblem& problem);
/// Arguments of `ardvark fit` behind the table. \param known  the options that the program has, "--max-sweeps"; others are left out
[[nodiscard]] std::vector<std::string> arguments_of(const DrawnProblem& problem, const std::vector<std::string>& known);
/// Without the options that the program has not, and those that its table cannot say (names with commas in --group).
[[nodiscard]] DrawnProblem for_the_shell(DrawnProblem problem, const std::vector<std::string>& known);

/// Everything but the traits, to be read by other languages and by problem_of.
[[nodiscard]] nlohmann::ordered_json json_of(const DrawnProblem& problem);
[[nodiscard]] DrawnProblem problem_of(const nlohmann::ordered_json& json);

/// Smaller while it still fails: half of the rows and of the columns, then fewer, single options, plain names and numbers of few digits.
/// \param fails     whether this one still does
/// \param attempts  at most so many problems are tried
[[nodiscard]] DrawnProblem shrink(DrawnProblem problem, const std::function<bool(const DrawnProblem&)>& fails, int attempts = 400);

/// Some rows, in this order; some columns.
[[nodiscard]] DrawnProblem with_rows(const DrawnProblem& problem, const std::vector<Index>& rows);
[[nodiscard]] DrawnProblem with_columns(const DrawnProblem& problem, const std::vector<Index>& columns);
void set_option(DrawnProblem& problem, const std::string& name, const ModelOptions::Value& value);
void drop_option(DrawnProblem& problem, const std::string& name);

/// What the table of options holds and no fit of a table draws: filled from the table itself, or of other commands.
[[nodiscard]] const std::set<std::string>& options_not_drawn();

/// The words that an option of this model may be, as the library's refusal lists them; empty where it is none of words.
[[nodiscard]] std::vector<std::string> words_of(const std::string& option);

}  // namespace ardvark::testing
