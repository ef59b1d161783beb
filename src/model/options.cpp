// Sets options by name, and spells their names.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "ardvark/model.hpp"
#include "core/refusals.hpp"
#include "io/text.hpp"
#include "model/choice.hpp"
#include "model/option_help.hpp"
#include "model/resolve.hpp"

namespace ardvark {

using namespace internal;

namespace {

using Value = ModelOptions::Value;

std::string shown(const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  return "a list";
}

[[noreturn]] void fail(const std::string& name, const Value& value, const char* constraint) {
  if (const auto* text = std::get_if<std::string>(&value)) throw wrong(name, *text, fmt::format("it must be {}", constraint));
  throw InvalidArgument({.argument = name, .value = shown(value), .why = fmt::format("it must be {}", constraint)});
}

double number_of(const std::string& name, const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* text = std::get_if<std::string>(&value)) {
    double number = 0;
    const char* const end = text->data() + text->size();
    const auto [stop, error] = std::from_chars(text->data(), end, number);
    if (error == std::errc() && stop == end) return number;
  }
  fail(name, value, "a number");
}

template <typename Integer>
Integer whole_number(const std::string& name, const Value& value, double number) {
  constexpr double most = sizeof(Integer) < 8 ? static_cast<double>(std::numeric_limits<Integer>::max()) : 9007199254740992.0;
  if (!(std::abs(number) <= most) || number != std::floor(number)) fail(name, value, "a whole number");
  return static_cast<Integer>(number);
}

// A number as the shortest decimal that gives the same number when read; lists with commas.
std::string text_of(const std::string& name, const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* numbers = std::get_if<std::vector<double>>(&value)) return fmt::format("{}", fmt::join(*numbers, ","));
  fail(name, value, "a text, a number or a list of numbers");
}

// An interface without a scalar type may pass a list of one number as a single number.
std::vector<double> numbers_of(const std::string& name, const Value& value) {
  if (const auto* numbers = std::get_if<std::vector<double>>(&value)) return *numbers;
  if (const auto* number = std::get_if<double>(&value)) return {*number};
  fail(name, value, "a list of numbers");
}

struct Assign {
  const std::string& name;
  const Value& value;

  void operator()(std::string& to) const { to = text_of(name, value); }
  void operator()(double& to) const { to = number_of(name, value); }
  void operator()(int& to) const { to = whole_number<int>(name, value, number_of(name, value)); }
  void operator()(bool& to) const {
    const double number = number_of(name, value);
    if (number != 0 && number != 1) fail(name, value, "0 or 1");
    to = number == 1;
  }
  void operator()(std::optional<double>& to) const { to = number_of(name, value); }
  void operator()(std::optional<int>& to) const { to = whole_number<int>(name, value, number_of(name, value)); }
  void operator()(std::vector<double>& to) const { to = numbers_of(name, value); }
  void operator()(std::vector<Index>& to) const {
    std::vector<Index> positions;
    for (const double number : numbers_of(name, value)) positions.push_back(whole_number<Index>(name, number, number));
    to = std::move(positions);
  }
  void operator()(std::vector<std::string>& to) const {
    if (const auto* text = std::get_if<std::string>(&value)) {
      to = {*text};
      return;
    }
    const auto* texts = std::get_if<std::vector<std::string>>(&value);
    if (texts == nullptr) fail(name, value, "a list of texts");
    to = *texts;
  }
};

bool is_empty(const Value& value) {
  return std::visit(
      [](const auto& v) {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, double>)
          return false;
        else
          return v.empty();
      },
      value);
}

}  // namespace

void ModelOptions::set(const std::string& name, const Value& value) {
  static const ModelOptions defaults;
  for (const ModelOption& option : model_options()) {
    if (name != option.name) continue;
    std::visit(
        [&](auto member) {
          if (is_empty(value))
            this->*member = defaults.*member;
          else
            Assign{name, value}(this->*member);
          // A flag that is set to its default does not count as given.
          const bool is_default = std::is_same_v<decltype(member), bool ModelOptions::*> && this->*member == defaults.*member;
          if (is_empty(value) || is_default)
            given.erase(name);
          else
            given.insert(name);
        },
        option.member);
    return;
  }
  const auto spell = [this](const std::string& option, const std::string& word) {
    return word.empty() ? spelled(option) : spelled(option, word);
  };
  if (const std::string ours = instead_of(name, spell); !ours.empty())
    throw InvalidArgument(fmt::format("there is no option '{}'; {}", name, ours));
  std::vector<std::string> known;
  for (const ModelOption& option : model_options()) known.emplace_back(option.name);
  const std::string nearest = io::did_you_mean(name, known);
  throw InvalidArgument(
      fmt::format("there is no option '{}'{} options are {}", name, nearest.empty() ? "; the" : nearest + " The", fmt::join(known, ", ")));
}

std::string ModelOptions::spelled(const std::string& name) const {
  if (spelling == Spelling::words) return name;
  const bool is_on = name == "intercept" || name == "standardize" || name == "acceleration" || name == "averaging";
  std::string option = (is_on ? "--no-" : "--") + name;
  for (char& c : option) c = c == '_' ? '-' : c;
  return option;
}

std::string ModelOptions::spelled(const std::string& name, const std::string& value) const {
  return spelling == Spelling::words ? fmt::format("{} '{}'", name, value) : fmt::format("{} {}", spelled(name), value);
}

}  // namespace ardvark

namespace ardvark::internal {

namespace {

struct ValueOf {
  OptionValue operator()(const std::string& text) const { return text; }
  OptionValue operator()(double number) const { return number; }
  OptionValue operator()(int number) const { return static_cast<double>(number); }
  OptionValue operator()(bool flag) const { return flag ? 1.0 : 0.0; }
  template <typename Number>
  OptionValue operator()(const std::optional<Number>& number) const {
    return static_cast<double>(number.value_or(Number{}));  // only if it differs from the default, which is nothing
  }
  OptionValue operator()(const std::vector<Index>& positions) const { return std::vector<double>(positions.begin(), positions.end()); }
  OptionValue operator()(const std::vector<double>& numbers) const { return numbers; }
  OptionValue operator()(const std::vector<std::string>& texts) const { return texts; }
};

}  // namespace

std::vector<std::pair<std::string, OptionValue>> options_to_keep(const ModelOptions& options) {
  static const ModelOptions defaults;
  std::vector<std::pair<std::string, OptionValue>> kept;
  for (const ModelOption& option : model_options())
    if (option.facts.is_kept)
      std::visit(
          [&](auto member) {
            if (options.*member != defaults.*member) kept.emplace_back(option.name, ValueOf()(options.*member));
          },
          option.member);
  return kept;
}

std::string help_of(const ModelOption& option) {
  std::vector<std::string_view> models;
  for (const OptionWord& word : model_option("model").facts.words)
    if ((option.refused() & word.says) == 0) models.emplace_back(word.word);
  const bool is_told = models.empty() || models.size() == model_option("model").facts.words.size() || *option.help == '[';
  return is_told ? option.help : fmt::format("{} Models: {}.", option.help, fmt::join(models, ", "));
}

std::string with_options_spelled(const std::string& text, const std::function<std::string(const std::string&, const std::string&)>& spell) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find('[', at), close = text.find(']', open);
    out += text.substr(at, open - at);
    if (close == std::string::npos) break;
    const std::string inside = text.substr(open + 1, close - open - 1);
    const std::size_t equals = inside.find('=');
    out += equals == std::string::npos ? spell(inside, "") : spell(inside.substr(0, equals), inside.substr(equals + 1));
    at = close + 1;
  }
  return out;
}

}  // namespace ardvark::internal

namespace ardvark::internal {

const char* option_of_field(std::string_view field) {
  constexpr std::pair<std::string_view, const char*> others[] = {{"prior.group", "group"},
                                                                 {"prior.flat_columns", "flat"},
                                                                 {"prior.lambda", "lambda"},
                                                                 {"pruning.threshold", "prune_at"},
                                                                 {"pruning.readmit_every", "readmit_every"}};
  for (const auto& [name, option] : others)
    if (name == field) return option;
  if (field == "weights") return nullptr;  // --weights names a column
  const std::span<const ModelOption> all = model_options();
  const auto found = std::ranges::find_if(all, [&](const ModelOption& option) { return option.name == field; });
  return found == all.end() ? nullptr : found->name;
}

std::string instead_of(std::string_view foreign, const std::function<std::string(const std::string&, const std::string&)>& spell) {
  constexpr std::pair<std::string_view, const char*> words[] = {
      {"alpha", "alpha = 1 of glmnet is [prior=laplace], alpha = 0 is [prior=shared]"},
      {"l1_ratio", "an L1 prior is [prior=laplace], an L2 prior is [prior=shared]"},
      {"penalty", "an L1 penalty is [prior=laplace], an L2 penalty is [prior=shared]"},
      {"C", "C = 1/lambda: give [lambda], with [prior=laplace]"},
      {"glmnet", "its lasso is [prior=laplace], its ridge regression is [prior=shared]"},
      {"cv.glmnet", "[prior=laplace] without [lambda] chooses lambda by cross-validation"},
      {"rule", "the rule for lambda is [lambda_rule=1se] or min; other rules belong to predictions"},
      {"nfolds", "the number of folds is [folds]"},
      {"cv", "the number of folds is [folds]"},
      {"ignore", "leave the column out of the table"},
      {"categorical", "give the column as texts"}};
  for (const auto& [name, text] : words)
    if (name == foreign) return with_options_spelled(text, spell);
  return {};
}

}  // namespace ardvark::internal

namespace ardvark {

std::string ModelOptions::help(const ModelOption& option) const {
  const bool flag = std::holds_alternative<bool ModelOptions::*>(option.member);
  const std::string text = help_of(option);
  return with_options_spelled(
      flag && spelling == Spelling::command_line ? text : fmt::format("{}. {}", option.values, text),
      [this](const std::string& name, const std::string& value) { return value.empty() ? spelled(name) : spelled(name, value); });
}

const ModelOption& model_option(const std::string& name) {
  const std::span<const ModelOption> all = model_options();
  const auto found = std::ranges::find_if(all, [&](const ModelOption& option) { return name == option.name; });
  if (found == all.end()) throw InvalidArgument(fmt::format("there is no option '{}'", name));
  return *found;
}

}  // namespace ardvark
