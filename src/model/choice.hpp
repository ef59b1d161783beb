// Options whose value is one of several words, and options that cannot be used with others.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ardvark/model.hpp"
#include "core/refusals.hpp"
#include "model/refused_options.hpp"
#include "model/remarks.hpp"
#include "target/target.hpp"

namespace ardvark::internal {

template <typename Value>
using Words = std::initializer_list<std::pair<const char*, Value>>;

/// The option that sets this field of the core; nullptr: none, or one that the program does not set with an option of this name.
[[nodiscard]] const char* option_of_field(std::string_view field);

/// \throws InvalidArgument  with the name of the option and the words that it may be in this fit
template <typename Value, typename List = Words<Value>>
Value choose(const ModelOptions& options, const char* option, const std::string& word, const std::type_identity_t<List>& words) {
  for (const auto& [name, value] : words)
    if (word == name) return value;
  std::set<std::string> known;
  for (const auto& [name, value] : words)
    if (!is_refused(option, name, cases_of(options))) known.insert(name);
  throw wrong(options.spelled(option), word, fmt::format("it must be one of {}", fmt::join(known, ", ")));
}

/// The same for values whose words are their names.
template <typename Value>
Value choose_named(const ModelOptions& options, const char* option, const std::string& word, std::initializer_list<Value> values) {
  std::vector<std::pair<const char*, Value>> words;
  for (const Value value : values) words.emplace_back(to_string(value), value);
  return choose<Value, decltype(words)>(options, option, word, words);
}

/// The word itself, which must be one of those that the option table has in this fit.
/// \throws InvalidArgument  as choose()
inline const std::string& choose_word(const ModelOptions& options, const char* option, const std::string& word) {
  const std::vector<std::string> known = words_of(model_option(option), cases_of(options));
  if (std::ranges::find(known, word) != known.end()) return word;
  throw wrong(options.spelled(option), word, fmt::format("it must be one of {}", fmt::join(known, ", ")));
}

/// "NAME 'VALUE' WHY", or "--NAME VALUE WHY".
[[nodiscard]] inline InvalidArgument refused(const ModelOptions& options, const std::string& name, const std::string& value,
                                             const std::string& why) {
  const std::string argument = options.spelled(name);
  return {{.argument = argument, .value = value, .why = why},
          fmt::format("{} {}", options.spelled(name, value).substr(argument.size()), why)};
}

/// \throws InvalidArgument  if one of these options was given: "NAME why"
inline void refuse(const ModelOptions& options, std::initializer_list<const char*> names, const std::string& why) {
  for (const char* name : names)
    if (options.has(name)) throw refused(options.spelled(name), why);
}

/// Errors of the core name fields. Here they name the options, in the spelling of the interface. What is wrong with the table as a whole
/// may come of a column that was read as texts.
auto in_names_of(const ModelOptions& options, auto&& work) {
  try {
    return work();
  } catch (const InvalidArgument& e) {
    throw e.changed([&](ErrorFields& fields) {
      if (const char* name = option_of_field(fields.argument)) fields.argument = options.spelled(name);
      if (!fields.argument.empty() || fields.row != 0 || !fields.column.empty()) return;
      if (const std::string texts = why_texts(options); !texts.empty()) fields.remedy += (fields.remedy.empty() ? "" : "; ") + texts;
    });
  }
}

[[nodiscard]] inline LogisticLikelihood likelihood_of(const ModelOptions& options) {
  return choose<LogisticLikelihood>(
      options, "likelihood", options.likelihood,
      {{"vg", LogisticLikelihood::gaussian}, {"jj", LogisticLikelihood::bound}, {"laplace", LogisticLikelihood::laplace}});
}

[[nodiscard]] inline RowOrder row_order_of(const ModelOptions& options) {
  return choose<RowOrder>(options, "row_order", options.row_order,
                          {{"as-given", RowOrder::as_given}, {"by-content", RowOrder::by_content}});
}

/// The hyper-parameters keep the names of the published programs: a0, b0 belong to the noise of a linear fit but to the precisions of a
/// logistic one.
void set_hyperparameters(const ModelOptions& from, Task task, auto& options) {
  if (has_noise(task)) {
    options.noise = {from.a0.value_or(options.noise.shape), from.b0.value_or(options.noise.rate)};
    if constexpr (requires { options.precision_in_units_of_target; }) options.precision_in_units_of_target = from.d0.has_value();
    options.precision = {from.c0.value_or(options.precision.shape), from.d0.value_or(options.precision.rate)};
  } else {
    if (from.c0 || from.d0)
      throw refused(from.spelled("c0"), fmt::format("and {} apply only to regressions; the precisions of a classification have {} and {}",
                                                    from.spelled("d0"), from.spelled("a0"), from.spelled("b0")));
    options.precision = {from.a0.value_or(options.precision.shape), from.b0.value_or(options.precision.rate)};
  }
}

}  // namespace ardvark::internal
