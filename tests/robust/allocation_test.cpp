// Memory that ends at the k-th allocation, for every k: a fit, a prediction, a save and a load say so in a sentence, leave no memory behind
// and no half of a file. The allocations are those of our code, Eigen and the C++ library; BLAS has its own, which it takes care of itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ardvark/ardvark.h"
#include "ardvark/errors.hpp"
#include "ardvark/model.hpp"
#include "ardvark/table.hpp"
#include "failing.hpp"
#include "io/temporary_file.hpp"
#include "support/random_problem.hpp"

namespace ardvark {
namespace {

using testing::FailingAllocation;

struct Problem {
  Matrix X;
  Vector numbers, two_classes, three_classes;
};

Problem problem_of(Index rows, Index columns) {
  testing::Random random(7);
  Problem p{random.normals(rows, columns), Vector(rows), Vector(rows), Vector(rows)};
  for (Index i = 0; i < rows; ++i) {
    p.numbers[i] = p.X(i, 0) - p.X(i, columns - 1) + 0.3 * random.normal();
    p.two_classes[i] = p.numbers[i] + random.normal() > 0 ? 1 : 0;
    p.three_classes[i] = static_cast<double>(random.integer(0, 2));
  }
  return p;
}

struct Case {
  const char* name;
  std::vector<std::pair<const char*, const char*>> options;
  Index rows = 25, columns = 4;
  enum Target { numbers, two_classes, three_classes } target = numbers;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"linear, shared", {{"model", "linear"}, {"prior", "shared"}}},
      {"linear, shared, more columns than rows", {{"model", "linear"}, {"prior", "shared"}}, 8, 20},
      {"linear, ard", {{"model", "linear"}, {"prior", "ard"}}},
      {"linear, none", {{"model", "linear"}, {"prior", "none"}}},
      {"linear, dense", {{"model", "linear"}, {"prior", "dense"}}},
      {"linear, sparse", {{"model", "linear"}, {"prior", "sparse"}}},
      {"linear, sparse, two threads", {{"model", "linear"}, {"prior", "sparse"}, {"threads", "2"}}, 40, 12},
      {"linear, slab", {{"model", "linear"}, {"prior", "slab"}}},
      {"linear, qr", {{"model", "linear"}, {"prior", "none"}, {"solver", "qr"}}},
      {"linear, pruned", {{"model", "linear"}, {"prior", "ard"}, {"prune_at", "100"}, {"readmit_every", "3"}}, 25, 12},
      {"linear, factorised", {{"model", "linear"}, {"prior", "ard"}, {"posterior", "factorised"}}},
      {"linear, preset", {{"preset", "vb_linear_fit_ard"}}},
      {"logistic, shared", {{"model", "logistic"}, {"prior", "shared"}}, 25, 4, Case::two_classes},
      {"logistic, ard, jj", {{"model", "logistic"}, {"prior", "ard"}, {"likelihood", "jj"}}, 25, 4, Case::two_classes},
      {"logistic, sparse", {{"model", "logistic"}, {"prior", "sparse"}}, 25, 4, Case::two_classes},
      {"softmax, ard", {{"model", "logistic"}, {"prior", "ard"}}, 25, 3, Case::three_classes},
      {"one against rest",
       {{"model", "logistic"}, {"prior", "ard"}, {"coding", "one-against-rest"}, {"threads", "2"}},
       25,
       3,
       Case::three_classes},
      {"logistic, laplace", {{"model", "logistic"}, {"prior", "laplace"}, {"lambda", "0.5"}}, 25, 12, Case::two_classes},
      {"logistic, ard, diagnosed", {{"model", "logistic"}, {"prior", "ard"}, {"diagnose", "1"}}, 25, 4, Case::two_classes},
      {"logistic, more columns than rows", {{"model", "logistic"}, {"prior", "ard"}}, 12, 20, Case::two_classes},
      {"slr_var", {{"preset", "slr_var"}, {"max_sweeps", "200"}}, 25, 12, Case::two_classes},
      {"slr_lap", {{"preset", "slr_lap"}, {"max_sweeps", "200"}}, 25, 12, Case::two_classes},
      {"rlr_lap", {{"preset", "rlr_lap"}}, 25, 12, Case::two_classes},
      {"l1_slr_lap", {{"preset", "l1_slr_lap"}, {"max_sweeps", "200"}}, 25, 12, Case::two_classes},
      {"l1_slr_c", {{"preset", "l1_slr_c"}}, 25, 12, Case::two_classes},
      {"rvm, regression", {{"model", "rvm"}, {"task", "regression"}, {"width", "1"}}, 20, 2},
      {"rvm, regression, width sought", {{"model", "rvm"}, {"task", "regression"}, {"width", "auto"}}, 20, 2},
      {"rvm, classification", {{"model", "rvm"}, {"task", "classification"}, {"width", "1"}, {"threads", "2"}}, 15, 2, Case::two_classes},
      {"kernel, regression", {{"model", "kernel"}, {"task", "regression"}}, 12, 2},
      {"kernel, three classes",
       {{"model", "kernel"}, {"task", "classification"}, {"threads", "2"}, {"kernel", "cauchy"}, {"averaging", "0"}},
       12,
       1,
       Case::three_classes},
      {"smlr", {{"preset", "smlr"}}, 25, 3, Case::three_classes},
      {"rmlr", {{"preset", "rmlr"}}, 25, 3, Case::three_classes},
      {"slr_var_ovo", {{"preset", "slr_var_ovo"}}, 25, 3, Case::three_classes},
      {"rvm, three classes", {{"model", "rvm"}, {"task", "classification"}, {"width", "1"}}, 15, 2, Case::three_classes},
      {"linear, gaps", {{"model", "linear"}, {"prior", "shared"}, {"missing", "impute"}, {"imputations", "5"}, {"threads", "2"}}, 20, 3},
      {"logistic, gaps, sparse",
       {{"model", "logistic"}, {"prior", "sparse"}, {"missing", "impute"}, {"imputations", "5"}},
       25,
       3,
       Case::two_classes},
      {"linear, chosen lambda", {{"model", "linear"}, {"prior", "laplace"}, {"folds", "2"}}, 20, 3},
      {"logistic, chosen lambda",
       {{"model", "logistic"}, {"prior", "laplace"}, {"folds", "2"}, {"threads", "2"}},
       25,
       3,
       Case::two_classes}};
  return all;
}

// Every seventh value is missing if the options say what to do then.
Problem problem_of(const Case& c) {
  Problem p = problem_of(c.rows, c.columns);
  const bool with_gaps = std::ranges::any_of(c.options, [](const auto& option) { return std::string_view(option.first) == "missing"; });
  for (Index i = 0; with_gaps && i < p.X.size(); i += 7) p.X.data()[i] = std::nan("");
  return p;
}

// What one piece of work does under the failures; it returns what it made as a text that does not depend on the clock.
using Work = std::function<std::string()>;

// The k that are tried: spread over the whole where fewer are asked for than the work has allocations and 2000; else the first ones as many
// as asked for, and a quarter of that spread over what comes after them.
std::vector<std::int64_t> moments(std::int64_t num_allocations) {
  const std::int64_t asked = testing::times("ARDVARK_TEST_ALLOCATIONS", 20);
  std::vector<std::int64_t> all;
  const auto spread = [&](std::int64_t from, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) all.push_back(from + 1 + i * (num_allocations - from) / count);
  };
  const std::int64_t first = asked >= std::min<std::int64_t>(num_allocations, 2000) ? std::min(asked, num_allocations) : 0;
  for (std::int64_t k = 1; k <= first; ++k) all.push_back(k);
  spread(first, first == 0 ? asked : std::min(asked / 4, num_allocations - first));
  if (all.back() < num_allocations) all.push_back(num_allocations);
  return all;
}

std::int64_t count_allocations(const Work& work) {
  constexpr std::int64_t far = 1'000'000'000'000;
  std::int64_t low = 1, high = 1;
  const auto reaches = [&](std::int64_t k) {
    try {
      const FailingAllocation failing(k);
      static_cast<void>(work());
      return FailingAllocation::has_failed();
    } catch (...) {
      return true;
    }
  };
  while (high < far && reaches(high)) low = high, high *= 2;
  while (low + 1 < high) (reaches((low + high) / 2) ? low : high) = (low + high) / 2;
  return low;
}

// What became of the work with a failing allocation.
enum class Outcome { error, overcome, untouched, wrong, leak, other_exception, freed_twice };

Outcome outcome_of(const Work& work, const std::string& right, std::int64_t k, bool forever) {
  const std::int64_t before = testing::num_live_allocations();
  Outcome outcome = Outcome::error;
  try {
    std::string made;
    {
      const FailingAllocation failing(k, forever);
      made = work();
    }
    // A sort that goes on without its buffer, say.
    outcome = made != right ? Outcome::wrong : FailingAllocation::has_failed() ? Outcome::overcome : Outcome::untouched;
  } catch (const std::bad_alloc&) {
  } catch (const EnvironmentError& e) {
    if (std::string_view(e.what()).find("memory") == std::string_view::npos) outcome = Outcome::other_exception;
  } catch (const std::exception&) {
    outcome = Outcome::other_exception;
  }
  if (FailingAllocation::has_freed_twice()) return Outcome::freed_twice;
  return testing::num_live_allocations() == before ? outcome : Outcome::leak;
}

void expect_survives(const std::string& name, const Work& work) {
  SCOPED_TRACE(name);
  const std::string right = work();
  ASSERT_EQ(work(), right) << "the work is to be the same each time";
  const std::int64_t num_allocations = count_allocations(work);
  std::map<Outcome, std::int64_t> count;
  for (const bool forever : {false, true})
    for (const std::int64_t k : moments(num_allocations)) {
      const Outcome outcome = outcome_of(work, right, k, forever);
      if (outcome == Outcome::untouched) break;  // it has fewer allocations
      ++count[outcome];
      EXPECT_TRUE(outcome == Outcome::error || outcome == Outcome::overcome)
          << "allocation " << k << (forever ? " and all later ones: " : ": ")
          << (outcome == Outcome::wrong         ? "another result"
              : outcome == Outcome::leak        ? "memory is left behind"
              : outcome == Outcome::freed_twice ? "memory is freed twice"
                                                : "another exception");
    }
  EXPECT_GT(count[Outcome::error], 0);
  std::printf("figure: %s: %lld errors, %lld overcome\n", name.c_str(), static_cast<long long>(count[Outcome::error]),
              static_cast<long long>(count[Outcome::overcome]));
}

VectorView view(const Vector& v) { return {v.data(), v.size()}; }
MatrixView view(const Matrix& M) { return {M.data(), M.rows(), M.cols()}; }

bool has_sweeps(const Case& c) {  // kernel machines have none
  return std::ranges::none_of(c.options, [](const auto& option) { return std::string_view(option.second) == "kernel"; });
}

// The options are made once, as a caller has made them before.
ModelOptions options_of(const Case& c) {
  ModelOptions options;
  if (has_sweeps(c)) options.set("max_sweeps", 12.0);
  for (const auto& [name, value] : c.options) options.set(name, std::string(value));
  return options;
}

const Vector& target_of(const Case& c, const Problem& p) {
  return c.target == Case::numbers ? p.numbers : c.target == Case::two_classes ? p.two_classes : p.three_classes;
}

// A fit in a line: its coefficients' bits.
std::string outline(const SavedModel& model) {
  const Report& report = report_of(model);
  std::string text = to_string(report.status) + std::to_string(report.sweeps) + " " + std::to_string(report.bound);
  return text;
}

SavedModel fitted(const char* name) {
  for (const Case& c : cases())
    if (std::string(c.name) == name) {
      const Problem p = problem_of(c);
      return fit_model(view(p.X), view(target_of(c, p)), options_of(c));
    }
  throw InternalError("no case of this name");
}

class AllocationOfFit : public ::testing::TestWithParam<Case> {};

TEST_P(AllocationOfFit, ThatFailsIsAnError) {
  const Case& c = GetParam();
  const Problem p = problem_of(c);
  const ModelOptions options = options_of(c);
  expect_survives(c.name, [&] { return outline(fit_model(view(p.X), view(target_of(c, p)), options)); });
}

// The C interface: a status and a sentence, and no handle.
TEST_P(AllocationOfFit, ThatFailsIsAStatusOfTheCInterface) {
  const Case& c = GetParam();
  const Problem p = problem_of(c);
  ardvark_error error = {};
  error.struct_size = sizeof error;
  expect_survives(std::string(c.name) + ", C interface", [&] {
    ardvark_options* options = ardvark_options_create();
    if (options == nullptr) throw std::bad_alloc();
    ardvark_code code = ARDVARK_OK;
    if (has_sweeps(c)) code = ardvark_options_set_number(options, "max_sweeps", 12, &error);
    for (const auto& [name, value] : c.options)
      if (code == ARDVARK_OK) code = ardvark_options_set_text(options, name, value, &error);
    const ardvark_matrix X = {sizeof(ardvark_matrix), p.X.data(), ARDVARK_FLOAT64, p.X.rows(), p.X.cols(), 1, p.X.rows()};
    ardvark_model* model = nullptr;
    ardvark_result* result = nullptr;
    ardvark_array mean = {};
    mean.struct_size = sizeof mean;
    char *summary = nullptr, *all = nullptr;
    if (code == ARDVARK_OK) code = ardvark_fit(&X, target_of(c, p).data(), options, &model, &error);
    if (code == ARDVARK_OK) code = ardvark_model_summary(model, nullptr, &summary, &error);
    if (code == ARDVARK_OK) code = ardvark_predict(model, &X, nullptr, nullptr, &result, &error);
    if (code == ARDVARK_OK) code = ardvark_result_text(result, nullptr, &all, &error);
    if (code == ARDVARK_OK) code = ardvark_result_array(result, c.target == Case::numbers ? "mean" : "probability", &mean, &error);
    const bool is_sound = code == ARDVARK_OK && mean.data != nullptr && all != nullptr && summary != nullptr;
    ardvark_free(mean.data), ardvark_free(all), ardvark_free(summary);
    ardvark_result_free(result), ardvark_model_free(model), ardvark_options_free(options);
    if (code == ARDVARK_ENVIRONMENT) throw EnvironmentError(error.message);
    if (!is_sound) throw InternalError("code " + std::to_string(code) + ": " + error.message);
    return std::string("sound");
  });
}

INSTANTIATE_TEST_SUITE_P(Models, AllocationOfFit, ::testing::ValuesIn(cases()), [](const auto& one) {
  std::string name = one.param.name;
  std::erase_if(name, [](char c) { return c == ' ' || c == ',' || c == '-'; });
  return name;
});

constexpr const char* kinds[] = {"linear, shared",      "linear, sparse", "logistic, sparse",       "softmax, ard",
                                 "rvm, classification", "linear, gaps",   "logistic, chosen lambda"};

TEST(Allocation, ThatFailsInASaveLeavesTheOldFile) {
  for (const char* kind : kinds) {
    const testing::TemporaryFolder folder;
    const std::string path = folder / "model";
    const SavedModel model = fitted(kind);
    testing::write_bytes(path, "old");
    const std::string saved = model_to_bytes(model);
    expect_survives("save of " + std::string(kind), [&] {
      try {
        save_model(path, model);
      } catch (...) {
        const testing::NoFailingAllocation looking;
        if (testing::read_bytes(path) != "old" || folder.num_files() != 1) throw InternalError("half a file is left");
        throw;
      }
      const testing::NoFailingAllocation looking;
      if (testing::read_bytes(path) != saved || folder.num_files() != 1) throw InternalError("not the file that was to be written");
      testing::write_bytes(path, "old");
      return std::string("saved");
    });
  }
}

TEST(Allocation, ThatFailsInALoadIsAnError) {
  for (const char* kind : kinds) {
    const testing::TemporaryFolder folder;
    const std::string path = folder / "model", bytes = model_to_bytes(fitted(kind));
    testing::write_bytes(path, bytes);
    expect_survives(std::string("load of ") + kind, [&] { return outline(load_model(path)); });
    expect_survives(std::string("bytes of ") + kind, [&] { return outline(model_from_bytes(bytes)); });
  }
}

TEST(Allocation, ThatFailsInATableIsAnError) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "table.csv";
  std::string text = "y,a,\"b\"\"c\",colour\n";
  for (int i = 0; i < 300; ++i) text += std::to_string(i % 7) + "," + std::to_string(i) + ".5,1,level " + std::to_string(i % 5) + "\n";
  testing::write_bytes(path, text);
  expect_survives("table", [&] {
    Table table = read_csv(path);
    const FeatureEncoding encoding = make_encoding(table, {"y"});
    const EncodedTable X = encode(std::move(table), encoding);
    return std::to_string(X.rows) + "x" + std::to_string(X.cols);
  });
}

TEST(Allocation, ThatFailsInAFilterIsAnError) {
  const Problem p = problem_of(10, 3);
  const Vector signs = (2 * p.two_classes.array() - 1).matrix();
  expect_survives("sequential", [&] {
    SequentialLogistic filter(3);
    filter.update(view(p.X), view(signs));
    return std::to_string(SequentialLogistic::from_bytes(filter.to_bytes()).bound());
  });
}

TEST(Allocation, ThatFailsInAnUpdateLeavesTheFilterAsItWas) {
  const Problem p = problem_of(200, 3);  // several blocks of rows
  const Vector signs = (2 * p.two_classes.array() - 1).matrix();
  const std::string before = SequentialLogistic(3).to_bytes();
  for (const RowOrder order : {RowOrder::as_given, RowOrder::by_content}) {
    std::int64_t num_errors = 0;
    for (std::int64_t k = 1;; ++k, ++num_errors) {
      SequentialLogistic filter = SequentialLogistic::from_bytes(before);
      bool is_done = false;
      try {
        const FailingAllocation failing(k);
        filter.update(view(p.X), view(signs), {}, order);
        is_done = true;
      } catch (const std::bad_alloc&) {
      }
      if (is_done) break;
      ASSERT_EQ(filter.to_bytes(), before) << "allocation " << k;
    }
    EXPECT_GT(num_errors, 3);
  }
}

TEST(Allocation, ThatFailsInASelectionIsAnError) {
  const Problem p = problem_of(24, 3);
  ModelOptions options;
  for (const auto& [name, value] :
       std::vector<std::pair<const char*, double>>{{"folds", 2}, {"repeats", 2}, {"max_sweeps", 5}, {"threads", 2}})
    options.set(name, value);
  options.set("preset", std::string("slr_var"));
  expect_survives("selection on two threads",
                  [&] { return to_json(select_columns(view(p.X), view(p.two_classes), options), options).substr(0, 20); });
}

}  // namespace
}  // namespace ardvark
