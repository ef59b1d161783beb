// Every number of a result, and every prediction, has the same bits for one thread and for 2 or 3: all models, priors, likelihoods, solvers
// and presets, on tables large enough to be shared out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "../support/random_problem.hpp"
#include "ardvark/model.hpp"
#include "model/fields.hpp"

namespace ardvark::internal {
namespace {

using testing::Random;
using Json = nlohmann::ordered_json;

struct Case {
  std::string name;
  int classes;  // 0: a regression
  ModelOptions options;
  Index rows = 0, cols = 0;  // 0: some of those of all
};
void PrintTo(const Case& tested, std::ostream* out) { *out << tested.name; }

Case linear(const std::string& name, const std::string& prior, const std::string& solver = "automatic", Index rows = 0, Index cols = 0) {
  ModelOptions options{.model = "linear", .prior = prior};
  if (solver != "automatic") options.set("solver", solver);
  return {"linear_" + name, 0, options, rows, cols};
}

Case logistic(const std::string& name, const std::string& prior, const std::string& likelihood = "vg", Index rows = 0, Index cols = 0) {
  ModelOptions options{.model = "logistic", .prior = prior};
  if (likelihood != "vg") options.set("likelihood", likelihood);
  if (prior == "laplace") options.set("lambda", 20.0);
  return {"logistic_" + name, 2, options, rows, cols};
}

Case of_classes(const std::string& name, const std::string& prior, const std::string& coding, Index rows, Index cols) {
  ModelOptions options{.model = "logistic", .prior = prior};
  options.set("coding", coding);
  options.set("max_sweeps", 6.0);
  return {"classes_" + name, 3, options, rows, cols};
}

Case preset(const std::string& name, int classes, Index rows, Index cols) {
  ModelOptions options{.preset = name};
  if (name != "vb_logit_fit_iter") options.set("max_sweeps", 12.0);
  return {"preset_" + name, classes, options, rows, cols};
}

Case machine(const std::string& name, int classes, const std::string& algorithm, const std::string& centres, Index rows) {
  ModelOptions options{.model = "rvm", .task = classes == 0 ? "regression" : "classification"};
  options.set("algorithm", algorithm);
  options.set("centres", centres);
  options.set("width", "1.5");
  options.set("max_sweeps", 12.0);
  return {"rvm_" + name, classes, options, rows, 6};
}

Case process(const std::string& name, int classes, Index rows, const std::vector<std::pair<const char*, ModelOptions::Value>>& more = {}) {
  ModelOptions options{.model = "kernel", .task = classes == 0 ? "regression" : "classification"};
  for (const auto& [option, value] : more) options.set(option, value);
  return {"kernel_" + name, classes, options, rows, 6};
}

bool is_machine(const ModelOptions& options) { return options.model == "rvm" || options.model == "kernel"; }

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (const char* prior : {"sparse", "slab", "dense", "shared", "ard", "groups"}) all.push_back(linear(prior, prior));
  for (const char* solver : {"primal", "dual", "spectral"}) all.push_back(linear(std::string("shared_") + solver, "shared", solver));
  for (const char* solver : {"primal", "dual"}) all.push_back(linear(std::string("ard_") + solver, "ard", solver));
  all.push_back(linear("shared_beyond_a_thousand", "shared", "spectral", 1300, 1150));
  all.push_back(linear("none", "none", "automatic", 2000, 500));
  all.push_back(linear("ard_long", "ard", "automatic", 60000, 40));
  Case factorised = linear("factorised", "ard");
  factorised.options.set("posterior", "factorised");
  all.push_back(factorised);
  for (const char* prior : {"sparse", "slab", "dense", "shared", "ard", "groups", "laplace"}) all.push_back(logistic(prior, prior));
  for (const char* prior : {"shared", "ard"}) {
    all.push_back(logistic(std::string(prior) + "_jj", prior, "jj"));
    all.push_back(logistic(std::string(prior) + "_mode", prior, "laplace"));
  }
  all.push_back(logistic("none", "none", "vg", 4000, 130));
  all.push_back(logistic("none_jj", "none", "jj", 4000, 130));
  all.push_back(logistic("shared_long", "shared", "vg", 60000, 40));
  all.push_back(of_classes("shared", "shared", "softmax", 1500, 90));
  all.push_back(of_classes("ard", "ard", "softmax", 1500, 90));
  all.push_back(of_classes("ard_wide", "ard", "softmax", 150, 700));
  all.push_back(of_classes("rest", "ard", "one-against-rest", 1500, 150));
  for (const char* name : {"vb_linear_fit", "vb_linear_fit_ard", "vrvm_regression"}) all.push_back(preset(name, 0, 900, 400));
  for (const char* name :
       {"vb_logit_fit", "vb_logit_fit_ard", "slr_var", "slr_lap", "rlr_var", "rlr_lap", "l1_slr_lap", "l1_slr_c", "vrvm_classification"})
    all.push_back(preset(name, 2, 900, 400));
  all.push_back(preset("vb_logit_fit_iter", 2, 1500, 200));
  all.push_back(preset("rvm_regression", 0, 500, 6));
  all.push_back(preset("rvm_classification", 2, 400, 6));
  all.push_back(preset("slr_rvm", 2, 500, 6));
  for (const char* name : {"smlr", "rmlr", "slr_lap_ovr", "slr_var_ovr", "rlr_var_ovr", "slr_var_ovo"})
    all.push_back(preset(name, 3, 700, 150));
  all.push_back(machine("regression", 0, "variational", "all", 500));
  all.push_back(machine("regression_centres", 0, "variational", "150", 2000));
  all.push_back(machine("regression_plain", 0, "plain", "all", 400));
  all.push_back(machine("regression_type_two", 0, "type-two", "all", 500));
  all.push_back(machine("classification", 2, "variational", "all", 400));
  all.push_back(process("regression", 0, 350));
  all.push_back(process("large_regression", 0, 900, {{"averaging", 0.0}}));
  all.push_back(process("linear_part", 0, 350, {{"linear_part", 1.0}}));
  all.push_back(process("centres", 0, 3000, {{"centres", std::string("60")}}));
  all.push_back(process("classification", 2, 320));
  return all;
}

struct Table {
  Matrix X, X_new;
  Vector target;
};

Table make_table(Random& random, int classes, Index n, Index p) {
  Table table{random.normals(n, p), random.normals(700, p), Vector(n)};
  for (Matrix* X : {&table.X, &table.X_new})
    for (Index j = 1; j < p; ++j) X->col(j) = 0.6 * X->col(j - 1) + 0.8 * X->col(j);
  for (Index j = 0; j < p; ++j) {
    const double unit = random.scale(0.1, 10), place = 3 * random.normal();
    for (Matrix* X : {&table.X, &table.X_new}) X->col(j).array() = X->col(j).array() * unit + place * unit;
  }
  Vector w = Vector::Zero(p);
  for (Index j = 0; j < p; j += 1 + p / 12)
    w[j] = random.normal() / std::sqrt((table.X.col(j).array() - table.X.col(j).mean()).square().mean());
  const Vector score = table.X * w;
  const double middle = score.mean(), unit = std::sqrt((score.array() - middle).square().mean());
  for (Index i = 0; i < n; ++i) {
    const double t = (score[i] - middle) / unit + random.normal();
    table.target[i] = classes == 0 ? t : classes == 2 ? (t > 0 ? 1 : 0) : (t < -0.6 ? 0 : t < 0.6 ? 1 : 2);
  }
  return table;
}

void erase_times(Json& json) {
  if (json.is_object()) {
    for (auto it = json.begin(); it != json.end();) it = it.key().ends_with("seconds") ? json.erase(it) : std::next(it);
  }
  if (json.is_structured())
    for (Json& part : json) erase_times(part);
}

// Every result by its name, and every prediction, numbers with the 17 digits that tell doubles apart.
std::string results_of(const MatrixView& X, const Table& table, ModelOptions options, int threads) {
  options.set("threads", static_cast<double>(threads));
  if (!is_machine(options) && options.preset != "slr_rvm") options.set("keep_covariance", std::string("always"));
  const SavedModel model = fit_model(X, table.target, options);
  Json json = Json::parse(to_json(model));
  erase_times(json);
  JsonFields predictions(false);
  visit(predict(model, table.X_new), classes_of(model), 0.95, predictions);
  Json predicted = Json::parse(predictions.json().dump());
  erase_times(predicted);
  return json.dump() + "\n" + predicted.dump();
}

class SameBits : public ::testing::TestWithParam<Case> {};

TEST_P(SameBits, ForAnyNumberOfThreads) {
  const Case& tested = GetParam();
  Random random(1000 + std::hash<std::string>{}(tested.name) % 1000);
  constexpr Index shapes[][2] = {{700, 260}, {260, 700}, {2000, 300}, {300, 1500}, {600, 600}, {9000, 70}};
  const auto* shape = shapes[random.integer(0, 5)];
  const Index n = tested.rows > 0 ? tested.rows : shape[0], p = tested.cols > 0 ? tested.cols : shape[1];
  const Table table = make_table(random, tested.classes, n, p);
  ModelOptions options = tested.options;
  if (options.prior == "groups") {
    std::vector<double> group;
    for (Index j = 0; j < p; ++j) group.push_back(static_cast<double>(j / 5));
    options.set("group", group);
  }
  if (!is_machine(options) && options.preset.empty() && !options.has("max_sweeps") && options.prior != "laplace")
    options.set("max_sweeps", 15.0);  // the bits have parted by then, if they do
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_rows = table.X;
  const bool is_by_rows = random.chance(0.5);
  const MatrixView X = is_by_rows ? MatrixView(by_rows.data(), n, p, Layout::row_major) : MatrixView(table.X);
  const std::string one = results_of(X, table, options, 1);
  const int threads = random.chance(0.5) ? 2 : 3;  // each sum is one of several cases
  const std::string found = results_of(X, table, options, threads);
  const auto at = static_cast<std::size_t>(std::mismatch(one.begin(), one.end(), found.begin(), found.end()).first - one.begin());
  const std::size_t from = at > 60 ? at - 60 : 0;
  ASSERT_TRUE(one == found) << n << " x " << p << (is_by_rows ? " by rows, " : " by columns, ") << threads << " threads: '"
                            << found.substr(from, 120) << "' against '" << one.substr(from, 120) << "'";
}

INSTANTIATE_TEST_SUITE_P(Models, SameBits, ::testing::ValuesIn(all_cases()), [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace ardvark::internal
