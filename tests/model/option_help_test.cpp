// What the help of an option says of kernel machines is what they do with it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ardvark/model.hpp"

namespace ardvark {
namespace {

std::vector<std::string> sentences(const std::string& text) {
  std::vector<std::string> out;
  std::string rest = text;
  for (std::size_t end = rest.find(". "); end != std::string::npos; end = rest.find(". ")) {
    out.push_back(rest.substr(0, end));
    rest.erase(0, end + 2);
  }
  out.push_back(rest);
  return out;
}

// Sets the option to some value of its kind; the value may be a wrong one, which is told after the option itself is refused.
bool set_to_anything(const std::string& name, ModelOptions& options) {
  using Value = ModelOptions::Value;
  for (const Value& value : {Value(1.0), Value(std::string("auto")), Value(std::vector<double>{1}), Value(std::vector<std::string>{"a"})})
    try {
      options.set(name, value);
      return true;
    } catch (const InvalidArgument&) {
    }
  return false;
}

// The message with which a model refuses an option whatever its value; empty: it takes it, or has something to say of the value.
std::string refusal(const std::string& model, const ModelOption& option) {
  ModelOptions options;
  options.set("model", model);
  options.set("task", std::string("regression"));
  if (!set_to_anything(option.name, options)) return {};
  try {
    static_cast<void>(check_options(options));
  } catch (const InvalidArgument& error) {
    const std::string message = error.what();
    if (message.starts_with(options.spelled(option.name)) &&
        message.find(" cannot be used with " + options.spelled("model", model)) != std::string::npos)
      return message;
  }
  return {};
}

// What a sentence says of a machine: that it takes the option, that it does not, or nothing.
enum class Says { nothing, taken, refused };
Says what_is_said(const std::string& sentence, const std::string& model) {
  const bool names_it = sentence.find("[model=" + model + "]") != std::string::npos || sentence.find("ernel machine") != std::string::npos;
  if (!names_it || sentence.find("draws from") != std::string::npos) return Says::nothing;  // of predictions, not of fits
  return sentence.find("cannot be used") != std::string::npos ? Says::refused : Says::taken;
}

TEST(OptionHelp, SaysOfKernelMachinesWhatTheyDo) {
  int said = 0;
  for (const ModelOption& option : model_options())
    for (const char* model : {"kernel", "rvm"}) {
      const std::string refused = refusal(model, option);
      for (const std::string& sentence : sentences(option.help)) {
        const Says says = what_is_said(sentence, model);
        if (says == Says::nothing || std::string(option.name) == "model") continue;
        ++said;
        EXPECT_EQ(says == Says::refused, !refused.empty()) << option.name << ": '" << sentence << "', but: " << refused;
      }
    }
  EXPECT_GT(said, 10);
}

// The two machines differ here: one makes sweeps, the other searches.
TEST(OptionHelp, TheLimitOfSweepsIsOfRelevanceMachinesOnly) {
  EXPECT_FALSE(refusal("kernel", model_option("max_sweeps")).empty());
  EXPECT_TRUE(refusal("rvm", model_option("max_sweeps")).empty());
}

}  // namespace
}  // namespace ardvark
