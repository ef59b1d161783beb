// Options whose value is one of several words, and options that cannot be used with others.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "ardvark/model.hpp"
#include "model/refusals.hpp"
#include "target/target.hpp"

namespace ardvark::internal {

template <typename Value>
using Words = std::initializer_list<std::pair<const char*, Value>>;

/// \throws InvalidArgument  with the name of the option and the words that it may be in this fit
template <typename Value>
Value choose(const ModelOptions& options, const char* option, const std::string& word, Words<std::type_identity_t<Value>> words) {
  for (const auto& [name, value] : words)
    if (word == name) return value;
  std::set<std::string> known;
  for (const auto& [name, value] : words)
    if (!is_refused(option, name, cases_of(options))) known.insert(name);
  throw InvalidArgument(fmt::format("{} is '{}'; it must be one of {}", options.spelled(option), word, fmt::join(known, ", ")));
}

/// \throws InvalidArgument  if one of these options was given: "NAME why"
inline void refuse(const ModelOptions& options, std::initializer_list<const char*> names, const std::string& why) {
  for (const char* name : names)
    if (options.has(name)) throw InvalidArgument(fmt::format("{} {}", options.spelled(name), why));
}

/// Messages of the core begin with names of fields. Here they get the names of the options, in the spelling of the interface.
template <typename Work>
auto in_names_of(const ModelOptions& options, Work&& work) {
  try {
    return work();
  } catch (const InvalidArgument& e) {
    const std::string_view message = e.what(), field = message.substr(0, message.find(' '));
    const auto say = [&](const std::string& name) {
      throw InvalidArgument(fmt::format("{}{}", options.spelled(name), message.substr(field.size())));
    };
    if (field == "prior.group") say("group");
    if (field == "prior.flat_columns") say("flat");
    if (field == "prior.lambda") say("lambda");
    if (field == "pruning.threshold") say("prune_at");
    if (field == "pruning.readmit_every") say("readmit_every");
    const auto is_field = [&](const ModelOption& option) { return option.name == field; };
    const std::span<const ModelOption> all = model_options();
    const std::string_view rest = message.substr(field.size());
    if ((rest.starts_with(" is ") || rest.starts_with(" applies only")) && std::any_of(all.begin(), all.end(), is_field))
      say(std::string(field));
    throw;
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
template <typename Options>
void set_hyperparameters(const ModelOptions& from, Task task, Options& options) {
  if (has_noise(task)) {
    options.noise = {from.a0.value_or(options.noise.shape), from.b0.value_or(options.noise.rate)};
    if constexpr (requires { options.precision_in_units_of_target; }) options.precision_in_units_of_target = from.d0.has_value();
    options.precision = {from.c0.value_or(options.precision.shape), from.d0.value_or(options.precision.rate)};
  } else {
    if (from.c0 || from.d0)
      throw InvalidArgument(fmt::format("{} and {} apply only to regressions; the precisions of a classification have {} and {}",
                                        from.spelled("c0"), from.spelled("d0"), from.spelled("a0"), from.spelled("b0")));
    options.precision = {from.a0.value_or(options.precision.shape), from.b0.value_or(options.precision.rate)};
  }
}

}  // namespace ardvark::internal
