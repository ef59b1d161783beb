// The option table says where an option applies and which values it takes, and the library refuses the rest.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>

#include "ardvark/model.hpp"
#include "model/refused_options.hpp"

namespace ardvark {
namespace {

using Value = ModelOptions::Value;

std::string refusal(const ModelOptions& options) {
  try {
    static_cast<void>(check_options(options));
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return {};
}

ModelOptions of_model(const std::string& model) {
  ModelOptions options;
  options.set("model", model);
  return options;
}

// Some value of the kind of an option.
Value some_value(const ModelOption& option) {
  const std::string kind = option.kind();
  if (kind == "word") return std::string(option.facts.words.front().word);
  if (kind == "text" || kind == "texts") return std::string("auto");
  if (kind == "flag") return std::get<bool ModelOptions::*>(option.member) == &ModelOptions::averaging ? 0.0 : 1.0;
  if (kind == "positions" || kind == "numbers") return std::vector<double>{1};
  return option.facts.range.most == 1 ? 0.5 : 10.0;
}

bool is_on_by_default(const ModelOption& option) {
  const auto* const flag = std::get_if<bool ModelOptions::*>(&option.member);
  return flag != nullptr && ModelOptions().*(*flag);
}

TEST(OptionTable, SaysWhichModelsRefuseAnOption) {
  for (const OptionWord& model : model_option("model").facts.words)
    for (const ModelOption& option : model_options()) {
      const std::string name = option.name;
      if (option.group == OptionGroup::what && name != "compat" && name != "converge") continue;
      ModelOptions options = of_model(model.word);
      options.set(name, is_on_by_default(option) ? Value(0.0) : some_value(option));
      const std::string message = refusal(options);
      const bool is_refused = message.starts_with(name + " applies only") || message.starts_with(name + " cannot be used with model") ||
                              message.starts_with(name + " reproduces") || message.starts_with(name + " reads which columns");
      if ((option.refused() & model.says) != 0) {
        EXPECT_TRUE(is_refused) << model.word << ": " << name << ": '" << message << "'";
      } else if (name != "task" && name != "degree" && name != "offset" && name != "lambda" &&
                 name != "lambda_rule") {  // need another option
        EXPECT_FALSE(is_refused) << model.word << ": " << message;
      }
    }
}

TEST(OptionTable, ListsTheWordsThatAModelTakes) {
  int listed = 0;
  for (const OptionWord& model : model_option("model").facts.words)
    for (const ModelOption& option : model_options()) {
      if (option.facts.words.empty() || std::string(option.name) == "model") continue;
      ModelOptions options = of_model(model.word);
      options.set(option.name, std::string("nonsense"));
      const std::string message = refusal(options), before = fmt::format("{} is 'nonsense'; it must be one of ", option.name);
      if (!message.starts_with(before)) continue;  // refused, or read by other calls
      ++listed;
      EXPECT_EQ(message.substr(before.size()), fmt::format("{}", fmt::join(internal::words_of(option, internal::cases_of(options)), ", ")));
      for (const std::string& word : internal::words_of(option, model.says)) {
        options.set(option.name, word);
        EXPECT_EQ(refusal(options).find("must be one of"), std::string::npos) << refusal(options);
      }
    }
  EXPECT_GE(listed, 15);
}

TEST(OptionTable, OffersCountsNoPriorThatTheyRefuse) {
  ModelOptions options = of_model("counts");
  options.set("prior", std::string("foo"));
  EXPECT_EQ(refusal(options), "prior is 'foo'; it must be one of ard, auto, dense, groups, none, shared, slab, sparse");
}

TEST(OptionTable, RefusesNumbersOutOfRange) {
  for (const ModelOption& option : model_options()) {
    const OptionRange& range = option.facts.range;
    if (range.least < 0) continue;
    const std::string values = option.values;
    const std::string bound = range.most == 1 ? "between 0 and 1" : fmt::format("{} {}", range.is_open ? ">" : ">=", range.least);
    EXPECT_NE(values.find(bound), std::string::npos) << option.name << " is " << values << "; the range begins with " << bound;
    ModelOptions options;
    options.set(option.name, range.is_open ? range.least : range.least - 1);
    try {
      internal::check_range(options, option);
      FAIL() << option.name;
    } catch (const InvalidArgument& error) {
      EXPECT_TRUE(
          std::string(error.what()).starts_with(fmt::format("{} is {}; it must ", option.name, range.least - (range.is_open ? 0 : 1))))
          << error.what();
    }
    options.set(option.name, range.least + (range.most == 1 ? 0.5 : 1));
    internal::check_range(options, option);
  }
}

TEST(OptionTable, SaysWhatNeedsTheTableInMemory) {
  const auto refused = [](const char* model, const char* name, const Value& value) {
    ModelOptions options = of_model(model);
    options.set(name, value);
    const auto found = internal::refused_in(options, fit_case::passes | fit_case::many_rows);
    return found ? found->what + " " + found->why + found->otherwise : "";
  };
  EXPECT_EQ(refused("logistic", "coding", std::string("one-against-one")),
            "coding 'one-against-one' needs the table in memory (coding may be automatic, one-against-rest, softmax)");
  EXPECT_EQ(refused("logistic", "coding", std::string("softmax")), "");
  EXPECT_EQ(refused("logistic", "solver", std::string("dual")),
            "solver 'dual' needs the table in memory (solver may be automatic, primal)");
  EXPECT_EQ(refused("logistic", "diagnose", 1.0), "diagnose needs the table in memory");
  EXPECT_EQ(refused("logistic", "missing", std::string("refuse")), "");
  EXPECT_EQ(refused("kernel", "centres", std::string("all")), "centres 'all' needs the table in memory");
  EXPECT_EQ(refused("kernel", "centres", std::string("40")), "");
  EXPECT_EQ(refused("kernel", "vectors", std::string("40")), "vectors needs the table in memory");
  EXPECT_EQ(refused("kernel", "vectors", std::string("auto")), "");
  EXPECT_EQ(refused("linear", "noise", std::string("student")), "");
  EXPECT_EQ(refused("rvm", "centres", std::string("auto")),
            "model 'rvm' needs the table in memory (model may be counts, kernel, linear, logistic)");
  EXPECT_EQ(internal::refused_in(of_model("counts"), fit_case::statistics)->otherwise, " (model may be linear)");
  ModelOptions few_rows = of_model("kernel");
  few_rows.set("centres", std::string("all"));
  EXPECT_FALSE(internal::refused_in(few_rows, fit_case::passes));  // all of them are in the sample
  ModelOptions preset{.preset = "slr_var"};
  EXPECT_EQ(internal::refused_in(preset, fit_case::passes)->what, "preset 'slr_var'");
}

// A preset refuses what its program fixes.
TEST(OptionTable, SaysWhatPresetsRefuse) {
  const auto refused = [](const char* preset, const char* name, const Value& value) {
    ModelOptions options;
    options.set("preset", std::string(preset));
    options.set(name, value);
    return refusal(options);
  };
  EXPECT_EQ(refused("vb_linear_fit", "prior", std::string("ard")), "prior cannot be used with preset; a preset fixes it");
  EXPECT_EQ(refused("l1_slr_c", "a0", 1.0), "a0 cannot be used with l1_slr_c: its prior has only lambda");
  EXPECT_EQ(refused("slr_var", "lambda", 1.0),
            "lambda applies only to the Laplace prior: prior 'laplace', preset 'l1_slr_lap' and l1_slr_c");
  EXPECT_EQ(refused("slr_var", "toolbox_gamma0", 1.0),
            "toolbox_gamma0 applies only to preset 'smlr'; the toolbox's other programs do not read it");
  EXPECT_EQ(refused("smlr", "toolbox_gamma0", 1.0), "");
  EXPECT_EQ(refused("l1_slr_lap", "lambda", 1.0), "");
  EXPECT_EQ(refused("vb_logit_fit_iter", "tolerance", 1.0),
            "tolerance cannot be used with vb_logit_fit_iter, which passes over the rows once");
  EXPECT_EQ(refused("vb_logit_fit_iter", "row_order", std::string("by-content")), "");
  EXPECT_EQ(refused("rvm_regression", "flat", std::vector<double>{0}), "");
  EXPECT_EQ(refused("slr_var", "kernel", std::string("linear")),
            "kernel applies only to model 'rvm' or preset 'slr_rvm'; this preset takes the table's columns as they are, without a kernel");
}

}  // namespace
}  // namespace ardvark
