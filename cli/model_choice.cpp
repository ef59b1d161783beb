#include "model_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

#include "ardvark/table_stream.hpp"
#include "io/notation.hpp"
#include "io/number_forms.hpp"
#include "io/text.hpp"
#include "table_sums.hpp"

namespace ardvark::cli {

using namespace internal;
namespace {

// The values of the target in the rows that decide.
struct TargetLook {
  bool is_text = false, is_listed = false;
  std::set<std::string> texts;
  std::set<double> numbers;
  Index num_rows = 0;        // that have a value
  bool is_complete = false;  // no row was left unread

  [[nodiscard]] bool tells() const { return is_text || numbers.size() > 2; }
  void add(const Table& piece, Index column) {
    const TableColumn& c = piece.columns[static_cast<std::size_t>(column)];
    is_text = c.categorical, is_listed = c.is_listed;
    for (Index i = 0; i < piece.num_rows; ++i) {
      const double value = piece.value(i, column);
      if (std::isnan(value)) continue;
      ++num_rows;
      if (is_text)
        texts.insert(c.levels[static_cast<std::size_t>(value)]);
      else
        numbers.insert(value);
    }
  }
  [[nodiscard]] bool are_whole() const {
    return std::ranges::all_of(numbers, [](double y) { return y == std::floor(y); });
  }
  [[nodiscard]] bool mostly_repeat() const { return 2 * static_cast<Index>(numbers.size()) <= num_rows; }
};

TargetLook look_at_target(const FitArguments& args) {
  constexpr Index most_rows = 8192;
  const ProgressLine progress(args.shows_progress(), "reading");
  TableStream stream(args.files, csv_options(args));
  TargetLook look;
  Table piece;
  while (!look.tells() && !look.is_complete) {
    look.is_complete = !stream.next(piece, most_rows);
    if (look.is_complete) break;
    look.add(piece, piece.at(args.target));
    look.is_complete = piece.num_rows < most_rows;
  }
  if (look.num_rows == 0) throw refused("target", args.target, "has no value in any row");
  if (look.is_text && !look.is_listed) {
    const std::vector<std::string> unified = io::with_one_spelling({look.texts.begin(), look.texts.end()});
    look.texts = {unified.begin(), unified.end()};
  }
  return look;
}

// The table is read for the choice, and then for the fit.
void require_two_readings(const FitArguments& args) {
  for (const std::string& file : args.files)
    if (std::error_code none; std::filesystem::exists(file, none) && !std::filesystem::is_regular_file(file, none))
      throw InvalidArgument(fmt::format(
          "without --model, the target is read before the fit, but '{}' is a pipe or a device, which can be read only once; say "
          "what to fit: --model linear, logistic, counts, kernel or rvm",
          file));
}

// Why these options are none of the model; nothing: they are.
std::optional<std::string> refusal_of(FitArguments args, const char* model) {
  args.model = model;
  args.given.insert("model");
  try {
    static_cast<void>(reads_in_pieces(args, check_options(args)));
  } catch (const InvalidArgument& e) {
    return e.what();
  }
  return std::nullopt;
}

struct Choice {
  bool has_classes = false;
  std::string what;    // the target holds
  std::string others;  // for what else the values may be; may be empty
};

// \throws InvalidArgument  the texts may not be classes
void require_texts_of_classes(const TargetLook& look, const std::string& target) {
  const std::vector<std::string> texts(look.texts.begin(), look.texts.end());
  std::string remark = io::remark_on_numbers(texts);
  if (remark.empty() && std::ranges::all_of(texts, io::is_date))
    remark = fmt::format("its texts are dates ('{}'); make numbers of them, such as the days since a start", io::shown(texts.front()));
  if (!remark.empty() && !look.is_listed)
    throw refused("target", target, fmt::format("is text: {}; if its texts name classes, say --model logistic", remark));
}

std::string words_for(const std::vector<std::string>& texts) {
  if (texts.size() > 1 && io::hold_truths(texts)) return "true and false";
  return texts.size() == 2 ? fmt::format("'{}' and '{}'", io::shown(texts[0]), io::shown(texts[1])) : "texts";
}

std::string other_meanings(const TargetLook& look) {
  constexpr std::size_t most_classes = 10;
  if (!look.are_whole() || !look.mostly_repeat()) return {};
  std::string out;
  if (look.is_complete && look.numbers.size() <= most_classes) out += "if they name classes: --model logistic";
  if (*look.numbers.begin() >= 0) out += fmt::format("{}if they are counts: --model counts", out.empty() ? "" : "; ");
  return out;
}

Choice choice_of(const TargetLook& look, const std::string& target) {
  const std::set<double>& numbers = look.numbers;
  if (look.is_text) return {true, words_for({look.texts.begin(), look.texts.end()}), {}};
  if (numbers.size() == 2) return {true, fmt::format("only {} and {}", *numbers.begin(), *numbers.rbegin()), "as numbers: --model linear"};
  if (numbers.size() == 1 && std::abs(*numbers.begin()) >= 0x1p53)  // digits are lost; a fit of classes says what to do
    return {true, fmt::format("whole numbers near {}", *numbers.begin()), {}};
  if (numbers.size() == 1)
    throw refused(
        "target", target,
        fmt::format("holds only the number {}, which does not tell what to fit; say --model linear, or another", *numbers.begin()));
  const bool is_counted = look.are_whole() && look.is_complete;
  return {false, is_counted ? fmt::format("{} different whole numbers", numbers.size()) : "numbers", other_meanings(look)};
}

// Why these values are no classes; nothing: they are, or more rows must be read.
std::optional<std::string> refusal_of_classes(const TargetLook& look, const std::string& target) {
  if (!look.is_complete) return std::nullopt;
  std::vector<std::string> classes(look.texts.begin(), look.texts.end());
  for (const double number : look.numbers) classes.push_back(fmt::format("{}", number));
  try {
    check_classes(target, look.is_text, classes, look.num_rows, "--model linear");
  } catch (const InvalidArgument& e) {
    return e.what();
  }
  return std::nullopt;
}

// A word as a shell reads it.
std::string shell_word(const std::string& word) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("_-./:,=+@%").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string command_with(const std::string& model) {
  constexpr std::size_t most_characters = 1000;
  std::vector<std::string> words = given_words();
  const auto end_of_options = std::ranges::find(words, "--");
  words.insert(words.insert(end_of_options, model), "--model");
  std::string command = "ardvark";
  for (const std::string& word : words) command += " " + shell_word(word);
  if (command.size() > most_characters || command != io::printable(command)) return fmt::format("add --model {} for the same fit", model);
  return "the same command with the choice: " + command;
}

}  // namespace

std::string choose_model(FitArguments& args) {
  if (!args.model.empty() || !args.preset.empty()) return {};
  std::optional<std::string> not_linear = refusal_of(args, "linear"), not_logistic = refusal_of(args, "logistic");
  if (not_linear && not_logistic)
    throw InvalidArgument(*not_linear == *not_logistic
                              ? *not_linear
                              : fmt::format("say what to fit with --model; of linear: {}; of logistic: {}", *not_linear, *not_logistic));
  require_writable(args);
  require_two_readings(args);
  const TargetLook look = look_at_target(args);
  if (look.is_text) require_texts_of_classes(look, args.target);
  const Choice choice = choice_of(look, args.target);
  const char* const model = choice.has_classes ? "logistic" : "linear";
  const std::string why = fmt::format("the target '{}' holds {}, so the model is {}", io::shown(args.target), choice.what, model);
  if (choice.has_classes && !not_logistic) not_logistic = refusal_of_classes(look, args.target);
  if (const auto& refusal = choice.has_classes ? not_logistic : not_linear; refusal) {
    const char* const other = look.is_text || !look.are_whole() ? "" : choice.has_classes ? "linear" : "logistic";
    throw InvalidArgument(
        fmt::format("{}, but {}{}", why, *refusal, *other == 0 ? "" : fmt::format("; say --model {} if that is meant", other)));
  }
  args.model = model;
  args.given.insert("model");
  return fmt::format("{}{}; {}", why, choice.others.empty() ? "" : " (" + choice.others + ")", command_with(model));
}

}  // namespace ardvark::cli
