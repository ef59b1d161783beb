// What the C interface says by name: the argument that an error is about, the results that there are, options in other languages.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "capi/calls.hpp"

namespace ardvark {
namespace {

using nlohmann::json;

// The argument that a failing call names, with which its message begins.
template <typename Call>
std::string argument_of(Call&& call) {
  ardvark_error error = empty_error();
  EXPECT_EQ(call(&error), ARDVARK_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(error.message).rfind(error.argument, 0), 0U) << error.message;
  return error.argument;
}

struct Problem {
  Matrix X{30, 3};
  Vector y{30}, labels{30}, classes{30};
  Problem() {
    for (Index i = 0; i < 30; ++i) {
      for (Index j = 0; j < 3; ++j) X(i, j) = std::sin(1.7 * static_cast<double>((i + 1) * (j + 2)));
      y[i] = X(i, 0) + 0.2 * std::cos(31.0 * static_cast<double>(i));
      labels[i] = y[i] > 0 ? 1 : 0;
      classes[i] = y[i] > 0.3 ? 2 : labels[i];
    }
  }
};

Model fit_of(const Problem& problem, const Vector& target, const std::vector<std::pair<const char*, const char*>>& texts) {
  return fitted(view(problem.X), target, options_of(texts));
}

TEST(CErrors, NameTheArgument) {
  const Problem problem;
  const ardvark_matrix X = view(problem.X);
  Matrix gap = problem.X;
  gap(4, 1) = std::nan("");
  const ardvark_matrix broken = view(gap);
  Vector bad_target = problem.y, one_class = Vector::Ones(30);
  bad_target[7] = std::nan("");
  const Options linear(ardvark_options_create()), logistic(ardvark_options_create());
  ardvark_options_set_text(linear.get(), "model", "linear", nullptr);
  ardvark_options_set_text(logistic.get(), "model", "logistic", nullptr);
  ardvark_model* model = nullptr;
  const auto fit = [&](const ardvark_matrix* table, const Vector& target, const Options& options) {
    return argument_of([&](ardvark_error* e) { return ardvark_fit(table, target.data(), options.get(), &model, e); });
  };
  EXPECT_EQ(fit(nullptr, problem.y, linear), "X");
  EXPECT_EQ(fit(&broken, problem.y, linear), "X");
  EXPECT_EQ(fit(&broken, problem.labels, logistic), "X");
  EXPECT_EQ(fit(&X, one_class, logistic), "labels");
  EXPECT_EQ(fit(&X, bad_target, linear), "y");
  EXPECT_EQ(fit(&X, bad_target, logistic), "labels");
  EXPECT_EQ(argument_of([&](ardvark_error* e) { return ardvark_fit(&X, nullptr, linear.get(), &model, e); }), "target");

  const Model fine = fit_of(problem, problem.y, {{"model", "linear"}});
  ardvark_result* result = nullptr;
  const auto predict = [&](const ardvark_matrix* table) {
    return argument_of([&](ardvark_error* e) { return ardvark_predict(fine.get(), table, nullptr, nullptr, &result, e); });
  };
  const Matrix narrow = problem.X.leftCols(2);
  const ardvark_matrix two_columns = view(narrow);
  EXPECT_EQ(predict(&two_columns), "X_new");
  EXPECT_EQ(predict(&broken), "X_new");
  const std::vector<double> weights(29, 1.0);
  ASSERT_EQ(ardvark_options_set_numbers(linear.get(), "weights", weights.data(), 29, nullptr), ARDVARK_OK);
  EXPECT_EQ(fit(&X, problem.y, linear), "weights");
}

// Nothing is made for a pointer that is null: nobody could free it. (The sanitizer of addresses finds what is left.)
TEST(CErrors, NameTheResultThatHasNoPlace) {
  const Problem problem;
  const Model fine = fit_of(problem, problem.y, {{"model", "linear"}});
  const auto names = [](auto&& call) { return argument_of([&](ardvark_error* e) { return call(e); }); };
  EXPECT_EQ(names([&](auto* e) { return ardvark_model_summary(fine.get(), nullptr, nullptr, e); }), "text");
  EXPECT_EQ(names([&](auto* e) { return ardvark_model_drawing(fine.get(), 0, nullptr, nullptr, e); }), "text");
  EXPECT_EQ(names([&](auto* e) { return ardvark_model_report(fine.get(), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, e); }),
            "html");
  EXPECT_EQ(names([&](auto* e) { return ardvark_table_create(3, nullptr, e); }), "table");
  EXPECT_EQ(names([&](auto* e) { return ardvark_catalogue(nullptr, e); }), "result");
  EXPECT_EQ(names([&](auto* e) { return ardvark_progress_line("fitting", 1, 2, nullptr, e); }), "line");
  EXPECT_EQ(names([&](auto* e) { return ardvark_spell("a text", "python", nullptr, 0, nullptr, e); }), "written");
}

// Of every option of the table: a value of another kind, or a word that it does not know.
TEST(CErrors, NameEveryOption) {
  const Problem problem;
  const ardvark_matrix X = view(problem.X);
  const std::set<std::string> any_text = {"target", "column_names", "class_names", "reference"},
                              of_other_calls = {"row_order", "rule", "interval"};
  for (const ModelOption& option : model_options()) {
    const std::string name = option.name;
    const Options options(ardvark_options_create());
    if (any_text.contains(name) || of_other_calls.contains(name)) continue;
    if (!std::holds_alternative<std::string ModelOptions::*>(option.member)) {
      EXPECT_EQ(argument_of([&](ardvark_error* e) { return ardvark_options_set_text(options.get(), option.name, "no number", e); }), name);
      continue;
    }
    const std::set<std::string> machine = {"kernel", "width", "algorithm", "centres", "task"};
    const bool is_alone = name == "model" || name == "preset";
    if (!is_alone) ardvark_options_set_text(options.get(), "model", machine.contains(name) ? "rvm" : "logistic", nullptr);
    if (machine.contains(name) && name != "task") ardvark_options_set_text(options.get(), "task", "classification", nullptr);
    const bool regression = name == "posterior";
    if (regression) ardvark_options_set_text(options.get(), "model", "linear", nullptr);
    ASSERT_EQ(ardvark_options_set_text(options.get(), option.name, "nonsense", nullptr), ARDVARK_OK);
    ardvark_model* model = nullptr;
    const double* const target = regression ? problem.y.data() : name == "coding" ? problem.classes.data() : problem.labels.data();
    EXPECT_EQ(argument_of([&](ardvark_error* e) { return ardvark_fit(&X, target, options.get(), &model, e); }), name);
  }
}

// A binding writes its own names and advice; it need not read the message.
TEST(CErrors, HaveFields) {
  Problem problem;
  problem.X(4, 1) = std::nan("");
  const ardvark_matrix X = view(problem.X);
  ardvark_error error = empty_error();
  ardvark_model* model = nullptr;
  ASSERT_EQ(ardvark_fit(&X, problem.y.data(), options_of({{"model", "linear"}}).get(), &model, &error), ARDVARK_INVALID_ARGUMENT);
  EXPECT_STREQ(error.argument, "X");
  EXPECT_EQ(error.row, 5);
  EXPECT_EQ(std::string(error.message + error.row_begin, error.message + error.row_end), "row 5");
  EXPECT_STREQ(error.column, "x2");
  EXPECT_STREQ(error.value, "NaN");
  EXPECT_STREQ(error.why, "all values must be finite");
  EXPECT_TRUE(std::string(error.message).ends_with(error.remedy)) << error.remedy;
  EXPECT_STRNE(error.remedy, "");

  const Options ridge = options_of({{"model", "linear"}, {"prior", "ridge"}});
  ASSERT_EQ(ardvark_fit(&X, problem.y.data(), ridge.get(), &model, &error), ARDVARK_INVALID_ARGUMENT);
  EXPECT_STREQ(error.argument, "prior");
  EXPECT_STREQ(error.value, "ridge");
  EXPECT_EQ(error.row, 0);
  EXPECT_STREQ(error.column, "");
  EXPECT_EQ(ardvark_model_load("/no/such/memory", &model, &error), ARDVARK_ENVIRONMENT);
  EXPECT_STREQ(error.why, "") << "there is memory";
  EXPECT_STREQ(error.value, "");
}

TEST(CErrors, KeepTheStructureOfAnOlderProgram) {
  ardvark_error error;
  std::memset(&error, 'x', sizeof error);
  error.struct_size = offsetof(ardvark_error, argument);
  const Options options(ardvark_options_create());
  EXPECT_EQ(ardvark_options_set_text(options.get(), "max_sweeps", "many", &error), ARDVARK_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(error.message).substr(0, 10), "max_sweeps");
  EXPECT_EQ(error.argument[0], 'x');
  error.struct_size = offsetof(ardvark_error, row);  // that of 0.1.0 without fields
  EXPECT_EQ(ardvark_options_set_text(options.get(), "max_sweeps", "many", &error), ARDVARK_INVALID_ARGUMENT);
  EXPECT_STREQ(error.argument, "max_sweeps");
  EXPECT_EQ(error.value[0], 'x');
}

// What a name stands for, read by the functions for its kind, as JSON has it.
json value_at(const Result& result, const ardvark_entry& entry);

json entries_below(const Result& result, const char* path, bool is_record) {
  json out = is_record ? json::object() : json::array();
  std::int64_t count = -1;
  EXPECT_EQ(ardvark_result_count(result.get(), path, &count, nullptr), ARDVARK_OK);
  for (std::int64_t i = 0; i < count; ++i) {
    ardvark_entry entry = {};
    entry.struct_size = sizeof entry;
    ardvark_error error = empty_error();
    EXPECT_EQ(ardvark_result_entry(result.get(), path, i, &entry, &error), ARDVARK_OK) << error.message;
    if (is_record)
      out[entry.name] = value_at(result, entry);
    else
      out.push_back(value_at(result, entry));
  }
  return out;
}

json value_at(const Result& result, const ardvark_entry& entry) {
  if (entry.kind == ARDVARK_LIST || entry.kind == ARDVARK_RECORD) {
    const json below = entries_below(result, entry.path, entry.kind == ARDVARK_RECORD);
    EXPECT_EQ(below.size(), static_cast<std::size_t>(entry.count));
    return below;
  }
  if (entry.kind == ARDVARK_NUMBERS) {
    ardvark_array array = {};
    array.struct_size = sizeof array;
    EXPECT_EQ(ardvark_result_array(result.get(), entry.path, &array, nullptr), ARDVARK_OK) << entry.path;
    const testing::Owned<double> owner(array.data);
    return array.dimensions;
  }
  if (entry.kind == ARDVARK_FLAG) {
    double flag = -1;
    EXPECT_EQ(ardvark_result_number(result.get(), entry.path, &flag, nullptr), ARDVARK_OK) << entry.path;
    return flag == 1;
  }
  if (entry.kind == ARDVARK_NOTHING) return nullptr;
  char* text = nullptr;
  EXPECT_EQ(ardvark_result_text(result.get(), entry.path, &text, nullptr), ARDVARK_OK) << entry.path;
  const testing::Owned<char> owner(text);
  EXPECT_STREQ(entry.text, text);
  return text == nullptr ? "" : text;
}

// The same tree as the JSON: flags, texts, names and lengths, and for numbers their dimensions.
void expect_same(const json& entries, const json& whole, const std::string& where) {
  if (entries.is_object()) {
    ASSERT_TRUE(whole.is_object()) << where;
    ASSERT_EQ(entries.size(), whole.size()) << where;
    for (const auto& [name, value] : entries.items()) {
      ASSERT_TRUE(whole.contains(name)) << where << '.' << name;
      expect_same(value, whole[name], where + '.' + name);
    }
  } else if (entries.is_array()) {
    ASSERT_EQ(entries.size(), whole.size()) << where;
    for (std::size_t i = 0; i < entries.size(); ++i) expect_same(entries[i], whole[i], where + '.' + std::to_string(i));
  } else if (entries.is_number()) {
    const int dimensions = entries.get<int>();
    EXPECT_TRUE(dimensions > 0 ? whole.is_array() : whole.is_number() || whole.is_null()) << where;
  } else {
    EXPECT_EQ(entries, whole) << where;
  }
}

TEST(CResults, AreListedAsTheirJsonHasThem) {
  const Problem problem;
  const std::vector<Model> models = [&] {
    std::vector<Model> all;
    all.push_back(fit_of(problem, problem.y, {{"model", "linear"}}));
    all.push_back(fit_of(problem, problem.y, {{"model", "linear"}, {"prior", "ard"}, {"record_every", "1"}}));
    all.push_back(fit_of(problem, problem.labels, {{"model", "logistic"}, {"prior", "shared"}, {"diagnose", "1"}}));
    all.push_back(fit_of(problem, problem.classes, {{"model", "logistic"}, {"coding", "softmax"}}));
    all.push_back(fit_of(problem, problem.y, {{"model", "rvm"}, {"task", "regression"}}));
    all.push_back(fit_of(problem, problem.classes, {{"model", "rvm"}, {"task", "classification"}, {"width", "1"}}));
    return all;
  }();
  for (const Model& model : models) {
    const Result result = result_of(model);
    char* text = nullptr;
    ASSERT_EQ(ardvark_result_text(result.get(), nullptr, &text, nullptr), ARDVARK_OK);
    const testing::Owned<char> owner(text);
    expect_same(entries_below(result, nullptr, true), json::parse(text), "result");
  }
}

TEST(CResults, SayWhatIsNotThere) {
  const Problem problem;
  const Result result = result_of(fit_of(problem, problem.y, {{"model", "linear"}}));
  ardvark_entry entry = {};
  entry.struct_size = sizeof entry;
  ardvark_error error = empty_error();
  EXPECT_EQ(ardvark_result_entry(result.get(), nullptr, 100000, &entry, &error), ARDVARK_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(error.message).rfind("index is 100000; there are ", 0), 0U) << error.message;
  EXPECT_EQ(ardvark_result_entry(result.get(), "no_such", 0, &entry, &error), ARDVARK_INVALID_ARGUMENT);
  EXPECT_NE(std::string(error.message).find("there is no result 'no_such'"), std::string::npos) << error.message;
  entry.struct_size = 3;
  EXPECT_EQ(ardvark_result_entry(result.get(), nullptr, 0, &entry, &error), ARDVARK_INVALID_ARGUMENT);
}

TEST(Spelling, WritesOptionsInOtherLanguages) {
  const auto spelled = [](const char* text, const char* language, const std::vector<const char*>& renamed = {}) {
    char* out = nullptr;
    EXPECT_EQ(ardvark_spell(text, language, renamed.data(), static_cast<std::int64_t>(renamed.size() / 2), &out, nullptr), ARDVARK_OK);
    const testing::Owned<char> owner(out);
    return std::string(out);
  };
  const char* const advice = "give them a prior (--prior shared --a0 1 --b0 0.5), or --max-sweeps 20. Never -- so";
  EXPECT_EQ(spelled(advice, "python"), "give them a prior (prior='shared', a0=1, b0=0.5), or max_sweeps=20. Never -- so");
  EXPECT_EQ(spelled(advice, "octave"), "give them a prior ('prior', 'shared', 'a0', 1, 'b0', 0.5), or 'max_sweeps', 20. Never -- so");
  EXPECT_EQ(spelled("use --compat for it, (--coding one-against-rest)", "python"), "use compat for it, (coding='one-against-rest')");
  EXPECT_EQ(spelled("a0 (--a0 1 --lambda 2)", "python", {"a0", "lambda_1", "lambda", "laplace_lambda"}),
            "a0 (lambda_1=1, laplace_lambda=2)");
  EXPECT_EQ(spelled("--", "octave"), "--");
  EXPECT_EQ(argument_of([&](ardvark_error* e) {
              char* out = nullptr;
              return ardvark_spell("x", "cobol", nullptr, 0, &out, e);
            }),
            "language");
}

}  // namespace
}  // namespace ardvark
