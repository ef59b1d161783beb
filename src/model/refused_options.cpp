#include "model/refused_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/refusals.hpp"
#include "model/option_help.hpp"
#include "preset/preset.hpp"

namespace ardvark::internal {
namespace {

FitCases case_of_preset(const std::string& preset) {
  const PresetFacts& facts = preset_facts(preset);
  if (facts.kernel) return fit_case::slr_rvm;
  if (facts.method == PresetMethod::sequential) return fit_case::sequential;
  if (facts.method == PresetMethod::greedy) return fit_case::greedy;
  if (facts.method == PresetMethod::coordinate) return fit_case::l1_slr_c;
  if (facts.laplace_prior) return fit_case::l1_slr_lap;
  if (preset == "smlr") return fit_case::smlr;
  return facts.slr_toolbox ? fit_case::toolbox : fit_case::vb;
}

// What the word of an option says of the fit.
FitCases case_of_word(const char* option, const std::string& word) {
  for (const OptionWord& one : model_option(option).facts.words)
    if (word == one.word) return one.says;
  return 0;
}

// Why an option cannot be used in a case, unless its row has a reason of its own.
const char* reason_of(FitCases one) {
  switch (one) {
    case fit_case::kernel: return "cannot be used with [model=kernel]";
    case fit_case::rvm: return "cannot be used with [model=rvm]";
    case fit_case::slr_rvm: return "cannot be used with [preset=slr_rvm]";
    case fit_case::laplace: return "cannot be used with [prior=laplace]: its prior has only [lambda]";
    case fit_case::sparse: return "cannot be used with [prior=sparse], which finds its hyper-parameters itself";
    case fit_case::slab: return "cannot be used with [prior=slab], which finds its hyper-parameters itself";
    case fit_case::dense: return "cannot be used with [prior=dense], which finds its hyper-parameters itself";
    case fit_case::several_classes: return "cannot be used with several classes, which are fitted without it";
    case fit_case::statistics: return "needs the rows, which statistics no longer have";
    case fit_case::passes:
    case fit_case::many_rows: return "needs the table in memory";
    case fit_case::sparse_x: return "needs a dense X";
    default: return "cannot be used with [preset]; a preset fixes it";
  }
}

constexpr FitCases forms_of_rows = fit_case::statistics | fit_case::passes | fit_case::many_rows | fit_case::sparse_x;

bool is_default(const ModelOptions& options, const ModelOption& option) {
  static const ModelOptions defaults;
  return std::visit([&](auto member) { return options.*member == defaults.*member; }, option.member);
}

// By name, or, without a default, by a value.
bool is_given(const ModelOptions& options, const ModelOption& option) {
  const bool has_value = std::visit(
      [&](auto member) {
        if constexpr (requires { (options.*member).has_value(); })
          return (options.*member).has_value();
        else
          return false;
      },
      option.member);
  return has_value || options.has(option.name);
}

std::string spelled_reason(const ModelOptions& options, std::string why) {
  if (const std::size_t at = why.find("{}"); at != std::string::npos) why.replace(at, 2, options.preset);
  return with_options_spelled(why, [&](const std::string& name, const std::string& value) {
    return value.empty() ? options.spelled(name) : options.spelled(name, value);
  });
}

std::string reason(const ModelOptions& options, const ModelOption& option, FitCases cases) {
  for (const OptionRefusal& refusal : option.facts.because)
    if ((refusal.cases & cases) != 0) return spelled_reason(options, refusal.why);
  const FitCases all = option.facts.not_in & cases;
  return spelled_reason(options, reason_of(all & -all));  // of the first case
}

// What else an option may be in these cases, if that is more than its default.
std::string other_words(const ModelOptions& options, const ModelOption& option, FitCases cases) {
  static const ModelOptions defaults;
  const std::vector<std::string> words = words_of(option, cases);
  const bool is_default = words.size() == 1 && words.front() == defaults.*std::get<std::string ModelOptions::*>(option.member);
  return words.empty() || is_default ? "" : fmt::format(" ({} may be {})", options.spelled(option.name), fmt::join(words, ", "));
}

// The option, or its word, as what is refused; empty: it is not.
std::optional<Refused> refusal_of(const ModelOptions& options, const ModelOption& option, FitCases cases) {
  const FitCases forms = cases & forms_of_rows, others = cases & ~forms_of_rows;
  const bool is_known = options.has(option.name) || option.group == OptionGroup::what;  // which may be members that are set
  const bool has_value = forms != 0 && is_known && !is_default(options, option);
  const FitCases refused = option.refused() & ((has_value ? forms : 0) | (is_given(options, option) ? others : 0));
  const auto* const text = std::get_if<std::string ModelOptions::*>(&option.member);
  if (refused != 0) {
    const bool shows_value = (refused & forms_of_rows) != 0 && text != nullptr && option.facts.words.empty();
    return Refused{options.spelled(option.name), shows_value ? options.*(*text) : "",
                   shows_value ? options.spelled(option.name, options.*(*text)) : options.spelled(option.name),
                   reason(options, option, refused), ""};
  }
  if (!has_value || text == nullptr) return std::nullopt;
  for (const OptionWord& word : option.facts.words)
    if (const FitCases of_word = word.not_in & forms; of_word != 0 && options.*(*text) == word.word)
      return Refused{options.spelled(option.name), word.word, options.spelled(option.name, word.word),
                     spelled_reason(options, reason_of(of_word & -of_word)), other_words(options, option, forms)};
  return std::nullopt;
}

bool is_bounded(const OptionRange& range) { return range.most < OptionRange().most; }

bool holds(const OptionRange& range, double number) {
  if (is_bounded(range))
    return range.is_open ? number > range.least && number < range.most
                         : number >= range.least && number <= range.most && number == std::floor(number);
  return (range.is_open ? number > range.least : number >= range.least) && number <= range.most;
}

std::string in_words(const OptionRange& range) {
  if (is_bounded(range))
    return range.is_open ? fmt::format("lie between {} and {}", range.least, range.most)
                         : fmt::format("be a whole number from {:.0f} to {:.0f}", range.least, range.most);
  if (range.is_open) return fmt::format("be > {} and finite", range.least);
  return range.least == 0 ? "be 0 or more" : fmt::format("be at least {}", range.least);
}

}  // namespace

FitCases cases_of(const ModelOptions& options) {
  const FitCases compat = options.compat ? FitCases{fit_case::compat} : 0;
  if (!options.preset.empty()) return case_of_preset(options.preset) | compat;
  const FitCases model = case_of_word("model", options.model);
  const bool has_prior = (model & (fit_case::linear | fit_case::logistic | fit_case::counts)) != 0;
  return model | (has_prior ? case_of_word("prior", options.prior) : 0);
}

std::optional<Refused> refused_in(const ModelOptions& options, FitCases cases) {
  for (const ModelOption& option : model_options())
    if (std::optional<Refused> refused = refusal_of(options, option, cases)) return refused;
  return std::nullopt;
}

void refuse_in(const ModelOptions& options, FitCases cases) {
  if (const auto refused = refused_in(options, cases))
    throw InvalidArgument({.argument = refused->argument, .value = refused->value, .why = refused->why},
                          refused->what.substr(refused->argument.size()) + " " + refused->why + refused->otherwise);
}

// The priors sparse, slab and dense make a matrix that they do not make of a sparse X if it is large: FitTable::need_of_small().
bool is_better_sparse(Index num_rows, const FeatureEncoding& encoding, const ModelOptions& options) {
  constexpr Index least_numbers = Index{1} << 20, most_numbers_of_square = Index{1} << 24;  // 8 MB, 128 MB
  constexpr Index least_columns_of_feature = 8;  // on average; an entry of a sparse X takes 12 bytes, a number of a dense one 8
  const Index cols = encoding.num_columns(), features = static_cast<Index>(encoding.features.size());
  if (num_rows * cols < least_numbers || cols < least_columns_of_feature * features) return false;
  if (num_rows * features > std::numeric_limits<std::int32_t>::max()) return false;
  if (!options.preset.empty() || options.missing != "refuse" || options.solver != "automatic") return false;
  constexpr FitCases makes_no_square = fit_case::shared | fit_case::ard | fit_case::groups | fit_case::laplace | fit_case::none;
  const bool makes_square = (cases_of(options) & (makes_no_square | fit_case::counts)) == 0;
  if (makes_square && std::min(num_rows, cols) * cols > most_numbers_of_square) return false;
  return !refused_in(options, fit_case::sparse_x);
}

std::vector<std::string> words_of(const ModelOption& option, FitCases cases) {
  std::vector<std::string> words;
  for (const OptionWord& word : option.facts.words)
    if ((word.not_in & cases) == 0) words.emplace_back(word.word);
  std::ranges::sort(words);
  return words;
}

bool is_refused(std::string_view option, std::string_view word, FitCases cases) {
  for (const ModelOption& one : model_options())
    for (const OptionWord& its : one.facts.words)
      if (one.name == option && its.word == word) return (its.not_in & cases) != 0;
  return false;
}

std::vector<std::string> names_of_cases(FitCases cases) {
  std::vector<std::string> names;
  for (const char* option : {"model", "prior"})
    for (const OptionWord& word : model_option(option).facts.words)
      if ((word.says & cases) != 0) names.emplace_back(word.word);
  if ((cases & fit_case::statistics) != 0) names.emplace_back("statistics");
  if ((cases & fit_case::passes) != 0) names.emplace_back("passes");
  if ((cases & fit_case::many_rows) != 0) names.emplace_back("many rows in passes");
  if ((cases & fit_case::sparse_x) != 0) names.emplace_back("sparse X");
  return names;
}

void check_range(const ModelOptions& options, const ModelOption& option) {
  const OptionRange& range = option.facts.range;
  const auto check = [&](double number) {
    if (!holds(range, number)) throw wrong(options.spelled(option.name), number, "it must " + in_words(range));
  };
  std::visit(
      [&](auto member) {
        using Value = std::decay_t<decltype(options.*member)>;
        if constexpr (std::is_same_v<Value, double> || std::is_same_v<Value, int>)
          check(options.*member);
        else if constexpr (std::is_same_v<Value, std::optional<double>> || std::is_same_v<Value, std::optional<int>>)
          if (options.*member) check(*(options.*member));
      },
      option.member);
}

void check_ranges(const ModelOptions& options) {
  for (const ModelOption& option : model_options()) check_range(options, option);
}

}  // namespace ardvark::internal

namespace ardvark {

const char* ModelOption::kind() const {
  struct Kind {
    bool has_words;
    const char* operator()(std::string ModelOptions::*) const { return has_words ? "word" : "text"; }
    const char* operator()(bool ModelOptions::*) const { return "flag"; }
    const char* operator()(int ModelOptions::*) const { return "whole number"; }
    const char* operator()(std::optional<int> ModelOptions::*) const { return "whole number"; }
    const char* operator()(double ModelOptions::*) const { return "number"; }
    const char* operator()(std::optional<double> ModelOptions::*) const { return "number"; }
    const char* operator()(std::vector<Index> ModelOptions::*) const { return "positions"; }
    const char* operator()(std::vector<double> ModelOptions::*) const { return "numbers"; }
    const char* operator()(std::vector<std::string> ModelOptions::*) const { return "texts"; }
  };
  return std::visit(Kind{!facts.words.empty()}, member);
}

}  // namespace ardvark
