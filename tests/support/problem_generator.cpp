#include "support/problem_generator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "ardvark/errors.hpp"
#include "support/draw_target.hpp"

namespace ardvark::testing {
namespace {

using Json = nlohmann::ordered_json;
using Value = ModelOptions::Value;
using Words = std::vector<std::string>;

const std::string& one_of(Random& random, const Words& words) {
  return words[static_cast<std::size_t>(random.integer(0, static_cast<Index>(words.size()) - 1))];
}

// ---- the columns ----

const Words odd_names = {"a b",    "caf\xC3\xA9", "1st",         "x.y", "x=1",  "say \"x\"", "co,ma",
                         "--json", "-",           "(intercept)", "NA",  "x\ty", "\xCE\xB1",  "x'y"};

std::vector<std::string> draw_names(Random& random, Index p) {
  const bool odd = random.chance(0.15);
  std::vector<std::string> names;
  std::set<std::string> used;
  for (Index j = 0; j < p; ++j) {
    std::string name = fmt::format("x{}", j + 1);
    if (odd && random.chance(0.5)) name = one_of(random, odd_names);
    if (!used.insert(name).second) used.insert(name += fmt::format("{}", j + 1));
    names.push_back(name);
  }
  return names;
}

Matrix draw_table(Random& random, Index n, Index p, std::set<std::string>& traits) {
  Matrix X = random.normals(n, p);
  if (random.chance(0.25)) {  // neighbouring columns are correlated
    const double alike = random.chance(0.3) ? 0.999 : random.uniform(0.3, 0.99);
    for (Index j = 1; j < p; ++j) X.col(j) = alike * X.col(j - 1) + std::sqrt(1 - alike * alike) * X.col(j);
    traits.insert("correlated columns");
  }
  if (random.chance(0.2)) {
    X = X.array().round();
    traits.insert("ties");
  }
  if (random.chance(0.1)) {
    X = (X.array() > 0).cast<double>();
    traits.insert("zeros and ones");
  }
  return X;
}

// Traits that make a table difficult: most tables have at most one, some have several.
void spoil_columns(Random& random, Matrix& X, std::set<std::string>& traits) {
  const Index p = X.cols(), n = X.rows();
  const bool hard = random.chance(0.4);
  const double often = hard ? 0.2 : 0;
  if (random.chance(0.4))
    for (Index j = 0; j < p; ++j)
      X.col(j) = X.col(j).array() * random.scale(1e-3, 1e3) + (random.chance(0.3) ? random.normal() * random.scale(1e-2, 1e2) : 0);
  for (Index j = 0; j < p; ++j) {
    if (j > 0 && random.chance(often / 3)) {
      X.col(j) = X.col(random.integer(0, j - 1)) * (random.chance(0.5) ? 1 : random.uniform(-2, 2));
      traits.insert("duplicated column");
    }
    if (j > 0 && random.chance(often / 3)) {
      X.col(j) = X.col(random.integer(0, j - 1)) + random.scale(1e-9, 1e-2) * random.normals(n);
      traits.insert("nearly collinear column");
    }
    if (j > 1 && random.chance(often / 6)) {
      X.col(j) = X.col(random.integer(0, j - 1)) - X.col(random.integer(0, j - 1));
      traits.insert("column that others add up to");
    }
    if (random.chance(often / 4)) {
      X.col(j).setConstant(random.chance(0.5) ? 0 : random.normal());
      traits.insert("constant column");
    }
    if (random.chance(often / 4)) {
      X.col(j) *= random.scale(1e-12, 1e12);
      traits.insert("tiny or huge column");
    }
    if (random.chance(often / 8)) {
      X.col(j).array() += random.scale(1e3, 1e7) * (X.col(j).norm() / std::sqrt(static_cast<double>(n)) + 1e-3);
      traits.insert("column far from zero");
    }
  }
}

// ---- target and weights ----

Vector draw_signal(Random& random, const Matrix& X) {
  Vector signal = Vector::Zero(X.rows());
  const Index effects = random.chance(0.1) ? 0 : random.chance(0.15) ? X.cols() : std::min<Index>(X.cols(), 3);
  for (Index k = 0; k < effects; ++k) {
    const Index j = effects == X.cols() ? k : random.integer(0, X.cols() - 1);
    const Vector centred = X.col(j).array() - X.col(j).mean();
    const double size = centred.norm() / std::sqrt(static_cast<double>(X.rows()));
    if (size > 0) signal += centred * (random.normal() / size);
  }
  return signal;
}

Vector draw_numbers(Random& random, const Matrix& X, std::set<std::string>& traits) {
  double noise = random.scale(1e-2, 5);
  if (random.chance(0.05)) {
    noise = 0;
    traits.insert("no noise");
  }
  Vector y = draw_signal(random, X) + noise * random.normals(X.rows());
  if (random.chance(0.3)) y *= random.scale(1e-4, 1e4);
  if (random.chance(0.2)) y.array() += 100 * random.normal();
  if (random.chance(0.02)) {
    y.setConstant(random.chance(0.5) ? 0 : random.normal());
    traits.insert("constant target");
  }
  return y;
}

// At most some thousands; rarely all of them are zero.
Vector draw_counts(Random& random, const Matrix& X) {
  const double size = random.uniform(0.2, 1.5), level = 1.5 * random.normal();
  const Vector eta = (size * draw_signal(random, X).array() + level).max(-6).min(8);
  Vector y = draw_target(Task::counts, eta, random);
  if (y.isZero(0) && random.chance(0.8)) y[0] = 1;
  return y;
}

// Positions 0 .. classes - 1; every class has one row, or two if there are enough rows.
Vector draw_classes(Random& random, const Matrix& X, Index classes, std::set<std::string>& traits) {
  const Index n = X.rows();
  double steepness = random.scale(0.2, 5);
  if (random.chance(0.12)) {
    steepness = 1e3;
    traits.insert("separable");
  }
  Matrix scores(n, classes);
  for (Index c = 0; c < classes; ++c) scores.col(c) = steepness * draw_signal(random, X).array() + random.normal();
  if (random.chance(0.12)) {
    scores.col(random.integer(0, classes - 1)).array() -= 3 + steepness;
    traits.insert("rare class");
  }
  Vector labels(n);
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < classes; ++c)
      scores(i, c) -= std::log(-std::log(1 - random.uniform() * (1 - 1e-12) - 1e-13));  // Gumbel: a draw of the softmax
    Index most = 0;
    scores.row(i).maxCoeff(&most);
    labels[i] = static_cast<double>(most);
  }
  const std::vector<Index> order = random.permutation(n);
  const Index each = n >= 2 * classes ? 2 : 1;
  for (Index k = 0; k < std::min(n, each * classes); ++k) {
    const double label = static_cast<double>(k % classes);
    if ((labels.array() == label).count() < each) labels[order[static_cast<std::size_t>(k)]] = label;
  }
  return labels;
}

// Texts or numbers as names of the classes; for numbers, positions are replaced by them.
void name_classes(Random& random, Index classes, DrawnProblem& problem) {
  if (random.chance(0.35)) {
    Words names = {"a", "b,c", "\xC3\xA9t\xC3\xA9", "no", "yes", "z \"q\""};
    while (static_cast<Index>(names.size()) > classes) names.erase(names.begin() + random.integer(0, static_cast<Index>(names.size()) - 1));
    std::sort(names.begin(), names.end());
    problem.class_names = names;
    return;
  }
  const double first = random.chance(0.5) ? 0 : random.chance(0.5) ? -1 : 1, step = first < 0 ? 2 : random.chance(0.1) ? 2.5 : 1;
  problem.target = (first + step * problem.target.array()).matrix();
}

Vector draw_weights(Random& random, const Vector& target, std::set<std::string>& traits) {
  if (!random.chance(0.35)) return {};
  Vector weights(target.size());
  const int kind = static_cast<int>(random.integer(0, 3));
  for (double& k : weights)
    k = kind == 0   ? static_cast<double>(random.integer(1, 4))
        : kind == 1 ? static_cast<double>(random.integer(0, 2))
                    : random.scale(0.1, 10);
  if (kind == 3) {
    weights *= random.scale(1e-3, 1e3);
    traits.insert("weights far from one");
  }
  traits.insert(kind == 1 ? "zero weights" : "weights");
  std::map<double, bool> seen;  // a row of each class counts, where there are classes
  const bool classes = std::set<double>(target.begin(), target.end()).size() < 6;
  for (Index i = 0; i < target.size(); ++i)
    if (weights[i] == 0 && ((classes && !seen[target[i]]) || i < 3))
      weights[i] = 1;
    else if (weights[i] > 0)
      seen[target[i]] = true;
  return weights;
}

// ---- options ----

struct Shape {
  Index n, p, classes;  // classes 0: a regression
  bool rvm;
};

// Options of --model kernel alone. Other problems do not ask for them, so that each seed still draws the problem that it always drew.
const std::set<std::string> of_process = {"vectors", "divergence", "averaging", "linear_part"};

using Rule = std::function<Value(Random&, const Shape&)>;

Rule scale(double low, double high) {
  return [=](Random& random, const Shape&) { return random.scale(low, high); };
}
Rule whole(Index low, Index high) {
  return [=](Random& random, const Shape&) { return static_cast<double>(random.integer(low, high)); };
}

// The ranges of numeric options. Words and flags need none.
const std::map<std::string, Rule>& rules() {
  static const std::map<std::string, Rule> all = {
      {"lambda", scale(0.05, 30)},
      {"toolbox_gamma1", scale(0.05, 30)},
      {"toolbox_gamma0", scale(1e-6, 1)},
      {"a0", scale(1e-6, 2)},
      {"b0", scale(1e-6, 2)},
      {"c0", scale(1e-6, 2)},
      {"d0", scale(1e-6, 2)},
      {"max_sweeps", [](Random& random, const Shape&) { return random.chance(0.3) ? static_cast<double>(random.integer(1, 5)) : 2000.0; }},
      {"tolerance", scale(1e-10, 1e-5)},
      {"prune_at", scale(1e3, 1e9)},
      {"readmit_every", whole(1, 10)},
      {"threads", whole(1, 2)},
      {"record_every", whole(1, 5)},
      {"start_noise", scale(1e-2, 1e2)},
      {"width",
       [](Random& random, const Shape& shape) -> Value {
         if (random.chance(0.2)) return std::string(random.chance(0.5) ? "auto" : "each");
         std::string widths = fmt::format("{:.3g}", random.scale(0.2, 8));
         if (random.chance(0.2))
           for (Index j = 1; j < shape.p; ++j) widths += fmt::format(",{:.3g}", random.scale(0.2, 8));
         return widths;
       }},
      {"toolbox_R", scale(0.1, 10)},
      {"degree", whole(1, 3)},
      {"offset", [](Random& random, const Shape&) { return random.chance(0.3) ? 0.0 : random.scale(0.1, 3); }},
      {"centres",
       [](Random& random, const Shape& shape) -> Value { return static_cast<double>(random.integer(1, std::max<Index>(1, shape.n))); }},
      {"level", [](Random& random, const Shape&) { return random.uniform(0.5, 0.999); }},
      {"fdr", [](Random& random, const Shape&) { return random.uniform(0.02, 0.5); }},
      {"vectors",
       [](Random& random, const Shape& shape) -> Value {
         if (random.chance(0.5)) return std::string(random.chance(0.3) ? "auto" : "all");
         return static_cast<double>(random.integer(1, shape.n + 3));
       }},
      {"divergence", scale(1e-5, 1)},
  };
  return all;
}

// How often an option is drawn for a model that has it.
double chance_of(const std::string& name, const DrawnProblem& problem, const Shape& shape) {
  if (name == "prior") return 0.85;
  if (name == "lambda") return problem.word("prior") == "laplace" ? 1 : problem.word("preset").starts_with("l1") ? 0.4 : 0.01;
  if (name == "coding" || name == "precision_per_class") return shape.classes > 2 ? 0.4 : 0;
  if (of_process.contains(name)) return name == "averaging" ? 0.4 : 0.3;
  if (name == "kernel" || name == "width" || name == "algorithm" || name == "centres" || name == "bands") return shape.rvm ? 0.5 : 0;
  if (name == "degree" || name == "offset") return problem.word("kernel") == "polynomial" ? 0.5 : 0;
  if (name == "toolbox_R" || name == "toolbox_gamma0" || name == "toolbox_gamma1" || name == "converge" || name == "compat")
    return problem.word("preset").empty() ? 0 : 0.3;
  if (name == "intercept" || name == "standardize" || name == "likelihood" || name == "solver" || name == "posterior") return 0.2;
  if (name == "row_order") return problem.word("preset") == "vb_logit_fit_iter" ? 0.5 : 0;
  return 0.05;
}

Value draw_value(Random& random, const ModelOption& option, const Shape& shape) {
  const std::string name = option.name;
  if (std::holds_alternative<bool ModelOptions::*>(option.member))
    return ModelOptions().*std::get<bool ModelOptions::*>(option.member) ? 0.0 : 1.0;
  const auto rule = rules().find(name);
  if (rule != rules().end()) return rule->second(random, shape);
  static std::map<std::string, Words> words;
  if (!words.contains(name)) words[name] = words_of(name);
  if (words.at(name).empty())
    throw InternalError(fmt::format("tests/support/problem_generator.cpp has no rule to draw the option '{}': give it one", name));
  return one_of(random, words.at(name));
}

bool is_accepted(const DrawnProblem& problem) {
  try {
    (void)check_options(model_options_of(problem));
    return true;
  } catch (const InvalidArgument&) {
    return false;
  }
}

bool is_essential(const std::string& name) { return name == "model" || name == "preset" || name == "task"; }

// The library decides which options can be combined. If it refuses, an option is removed without which it does not refuse, or else any
// option.
void drop_until_accepted(Random& random, DrawnProblem& problem) {
  while (!is_accepted(problem)) {
    std::vector<std::string> droppable;
    for (const auto& [name, value] : problem.options)
      if (!is_essential(name)) droppable.push_back(name);
    if (droppable.empty()) throw InternalError("the library refuses " + describe(problem));
    std::string gone = one_of(random, droppable);
    for (const std::string& name : droppable) {
      DrawnProblem without = problem;
      drop_option(without, name);
      if (is_accepted(without)) gone = name;
    }
    drop_option(problem, gone);
  }
}

void draw_options(Random& random, const Shape& shape, DrawnProblem& problem) {
  const bool is_process = problem.word("model") == "kernel";
  for (const ModelOption& option : model_options())
    if (!options_not_drawn().contains(option.name) && (is_process || !of_process.contains(option.name)) &&
        random.chance(chance_of(option.name, problem, shape)))
      problem.options.emplace_back(option.name, draw_value(random, option, shape));
  drop_until_accepted(random, problem);
  // Without a lambda, folds are drawn, which depend on the numbers in the rows: another unit or order of columns has other folds.
  const bool has_lambda =
      std::any_of(problem.options.begin(), problem.options.end(), [](const auto& one) { return one.first == "lambda"; });
  if (problem.word("prior") == "laplace" && !has_lambda) problem.options.emplace_back("lambda", 2.0);
}

// Groups of columns, if the prior has groups, and columns without a prior.
void draw_column_options(Random& random, DrawnProblem& problem) {
  const std::string prior = problem.word("prior");
  const auto try_it = [&](const char* name, const std::vector<Index>& value, std::vector<Index>& place) {
    DrawnProblem with = problem;
    with.options.emplace_back(name, std::vector<double>(value.begin(), value.end()));
    if (is_accepted(with)) place = value;
  };
  if (random.chance(prior == "groups" ? 1 : 0.1)) {
    std::vector<Index> group;
    const Index groups = random.integer(1, std::min<Index>(problem.num_columns(), 4));
    for (Index j = 0; j < problem.num_columns(); ++j) group.push_back(j < groups ? j : random.integer(0, groups - 1));
    try_it("group", group, problem.group);
  }
  if (random.chance(0.06)) try_it("flat", {random.integer(0, problem.num_columns() - 1)}, problem.flat);
}

// A column of numbers becomes the exposure, or the offset.
void draw_exposure(Random& random, DrawnProblem& problem) {
  const Index j = random.integer(0, problem.num_columns() - 1);
  DrawnColumn& column = problem.columns[static_cast<std::size_t>(j)];
  if (!column.levels.empty() || column.name[0] != 'x') return;
  column.values = random.scale(1e-3, 1e3) * (0.5 * random.normals(problem.rows())).array().exp();
  const bool is_offset = random.chance(0.4);
  if (is_offset) column.values = Vector(column.values.array().log());
  problem.options.emplace_back(is_offset ? "offset_column" : "exposure", column.name);
}

// Columns without a prior, if the library accepts them for these options.
void draw_flat(DrawnProblem& problem, const std::function<bool(Index)>& is_flat) {
  std::vector<double> flat;
  for (Index j = 0; j < problem.num_columns(); ++j)
    if (is_flat(j)) flat.push_back(static_cast<double>(j));
  DrawnProblem with = problem;
  with.options.emplace_back("flat", flat);
  if (is_accepted(with)) problem.flat.assign(flat.begin(), flat.end());
}

// ---- the whole ----

void make_text_column(Random& random, DrawnColumn& column) {
  Words levels = {"a", "b", "c,d", "e\"f", "long name", "\xC3\xB6", "10", "-"};
  const Index count = random.integer(2, 5);
  while (static_cast<Index>(levels.size()) > count) levels.erase(levels.begin() + random.integer(0, static_cast<Index>(levels.size()) - 1));
  std::sort(levels.begin(), levels.end());
  Vector positions(column.values.size());
  for (double& position : positions) position = static_cast<double>(random.integer(0, count - 1));
  std::vector<Index> used(levels.size(), -1);  // only levels that occur
  for (const double position : positions) used[static_cast<std::size_t>(position)] = 0;
  for (std::size_t k = 0; k < levels.size(); ++k)
    if (used[k] == 0) {
      used[k] = static_cast<Index>(column.levels.size());
      column.levels.push_back(levels[k]);
    }
  for (double& position : positions) position = static_cast<double>(used[static_cast<std::size_t>(position)]);
  column.values = positions;
}

// One problem of seventeen is one for a Gaussian process. The residue is one of which no mended failure has a seed.
bool is_of_process(std::uint64_t seed) { return seed % 17 == 4; }

// One of thirteen is one of counts, chosen by the same rule.
bool is_of_counts(std::uint64_t seed) { return seed % 13 == 2; }

// A model or a preset, and the number of classes: 0 for a regression.
Index draw_what(Random& random, DrawFor what, DrawnProblem& problem) {
  if (is_of_counts(problem.seed) && what == DrawFor::any_task) {
    problem.options.emplace_back("model", "counts");
    return 0;
  }
  if (is_of_process(problem.seed) && what == DrawFor::any_task) {
    const bool regression = random.chance(0.5);
    problem.options.emplace_back("model", "kernel");
    problem.options.emplace_back("task", regression ? "regression" : "classification");
    return regression ? 0 : random.chance(0.75) ? 2 : 3;
  }
  const double which = random.uniform();
  if (which < 0.28) {
    problem.options.emplace_back("model", "linear");
    return 0;
  }
  if (which < 0.6) {
    problem.options.emplace_back("model", "logistic");
    return which < 0.52 ? 2 : random.integer(3, 5);
  }
  if (which < 0.7 && what == DrawFor::any_task) {
    problem.options.emplace_back("model", "rvm");
    const bool regression = random.chance(0.5);
    problem.options.emplace_back("task", regression ? "regression" : "classification");
    return regression ? 0 : random.chance(0.75) ? 2 : 3;
  }
  std::string name;
  do {
    name = presets()[static_cast<std::size_t>(random.integer(0, static_cast<Index>(presets().size()) - 1))].name;
  } while (what == DrawFor::linear_score && name == "slr_rvm");
  problem.options.emplace_back("preset", name);
  return task_of_preset(name) == Task::linear      ? 0
         : is_softmax_preset(name)                 ? random.integer(2, 4)
         : name == "slr_rvm" && random.chance(0.2) ? 3
                                                   : 2;
}

// ---- extreme problems ----

// Numbers in units that are far from one, but whose squares are still numbers.
void take_far_units(Random& random, Vector& values, const char* what, DrawnProblem& problem) {
  values *= random.scale(1e-40, 1e40);
  problem.traits.emplace_back(what);
}

// A column without a prior that separates some rows, or all, of one class from the others.
void separate(Random& random, DrawnProblem& problem) {
  const auto j = static_cast<std::size_t>(random.integer(0, problem.num_columns() - 1));
  DrawnColumn& column = problem.columns[j];
  const double least = problem.target.minCoeff(), share = random.chance(0.5) ? 1 : random.uniform();
  column.levels.clear();
  for (Index i = 0; i < problem.rows(); ++i) column.values[i] = problem.target[i] == least && random.chance(share) ? 1 : 0;
  problem.traits.emplace_back("column that separates");
  if (random.chance(0.5)) draw_flat(problem, [&](Index k) { return k == static_cast<Index>(j); });
}

// A value of any size that the library accepts for a numeric option.
void take_extreme_options(Random& random, DrawnProblem& problem) {
  for (const char* name : {"a0", "b0", "c0", "d0", "lambda", "toolbox_gamma0", "toolbox_gamma1", "prune_at", "start_noise", "divergence",
                           "offset", "toolbox_R", "tolerance", "level"}) {
    if (!random.chance(0.3)) continue;
    DrawnProblem with = problem;
    const bool share = std::string_view(name) == "tolerance" || std::string_view(name) == "level";
    const double low = share ? 1e-16 : random.chance(0.5) ? 1e-100 : 1e-20, high = share ? 1 : 1 / low;
    set_option(with, name, random.scale(low, high));
    if (is_accepted(with)) problem = with;
  }
}

}  // namespace

DrawnProblem draw_extreme_problem(std::uint64_t seed) {
  DrawnProblem problem = draw_problem(seed);
  Random random(seed ^ 0x5851F42D4C957F2DU);
  take_extreme_options(random, problem);
  if (random.chance(0.3)) draw_flat(problem, [&](Index) { return random.chance(0.5); });
  if (problem.word("task") != "regression" && problem.class_names.empty() && random.chance(0.3)) separate(random, problem);
  for (DrawnColumn& column : problem.columns)
    if (column.levels.empty() && random.chance(0.15)) take_far_units(random, column.values, "column in far units", problem);
  const std::set<double> values(problem.target.begin(), problem.target.end());
  if (problem.class_names.empty() && problem.word("model") != "counts" && values.size() > 5 && random.chance(0.2))
    take_far_units(random, problem.target, "target in far units", problem);
  if (problem.weights.size() > 0 && random.chance(0.2)) take_far_units(random, problem.weights, "weights in far units", problem);
  return problem;
}

DrawnProblem draw_problem(std::uint64_t seed, DrawFor what) {
  Random random(seed ^ 0x9E3779B97F4A7C15U);
  DrawnProblem problem;
  problem.seed = seed;
  const Index classes = draw_what(random, what, problem);
  const bool process = problem.word("model") == "kernel";
  const bool rvm = problem.word("model") == "rvm" || problem.word("preset") == "slr_rvm" || process;
  Index n = random.chance(0.75) ? random.integer(6, 40) : random.chance(0.4) ? random.integer(1, 6) : random.integer(40, 150);
  Index p = random.chance(0.7) ? random.integer(1, 10) : random.chance(0.2) ? 1 : random.integer(10, 50);
  if (rvm) n = std::min<Index>(n, 40), p = std::min<Index>(p, 4);
  n = std::max(n, classes);
  std::set<std::string> traits;
  Matrix X = draw_table(random, n, p, traits);
  const bool counts = problem.word("model") == "counts";
  problem.target = counts         ? draw_counts(random, X)
                   : classes == 0 ? draw_numbers(random, X, traits)
                                  : draw_classes(random, X, classes, traits);
  spoil_columns(random, X, traits);
  const std::vector<std::string> names = draw_names(random, p);
  const bool text = process ? random.chance(0.25) : !rvm && random.chance(0.12);
  for (Index j = 0; j < p; ++j) {
    problem.columns.push_back({names[static_cast<std::size_t>(j)], {}, X.col(j)});
    if (text && random.chance(0.4)) make_text_column(random, problem.columns.back());
  }
  problem.weights = draw_weights(random, problem.target, traits);
  if (problem.word("preset") == "slr_rvm" && random.chance(0.5)) problem.weights = {};
  if (classes > 0) name_classes(random, classes, problem);
  draw_options(random, {n, p, classes, rvm}, problem);
  draw_column_options(random, problem);
  if (counts && random.chance(0.3)) draw_exposure(random, problem);
  if (problem.word("model") == "linear" && random.chance(0.2)) {
    problem.options.emplace_back("noise", std::string(random.chance(0.7) ? "student" : "auto"));
    drop_until_accepted(random, problem);
  }
  if (problem.has_text()) traits.insert("text");
  problem.traits.assign(traits.begin(), traits.end());
  return problem;
}

std::vector<std::string> words_of(const std::string& option) {
  const Matrix X = (Matrix(6, 1) << 0, 1, 2, 4, 3, 5).finished();
  const Vector labels = (Vector(6) << 0, 0, 1, 1, 2, 2).finished();
  const std::vector<std::vector<std::pair<std::string, std::string>>> places = {{{"model", "linear"}},
                                                                                {{"model", "logistic"}},
                                                                                {{"model", "counts"}},
                                                                                {{"model", "rvm"}, {"task", "regression"}},
                                                                                {{"preset", "vb_logit_fit_iter"}}};
  Words words;
  for (const auto& place : places) {
    try {
      ModelOptions options;
      for (const auto& [name, value] : place) options.set(name, value);
      options.set(option, std::string("?"));
      (void)fit_model(X, place.front().first == "preset" ? Vector(labels.cwiseMin(1)) : labels, options);
    } catch (const InvalidArgument& error) {
      const std::string message = error.what(), before = "it must be one of ";
      std::size_t at = message.find(before);
      if (at == std::string::npos) continue;
      for (at += before.size(); at < message.size();) {
        const std::size_t comma = std::min(message.find(", ", at), message.size());
        const std::string word = message.substr(at, comma - at);
        if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
        at = comma + 2;
      }
    }
  }
  return words;
}

const std::set<std::string>& options_not_drawn() {
  static const std::set<std::string> names = {
      "model",        "preset",   "task",      "group",         "flat",       "weights",     "column_names",    "class_names",
      "target",       "folds",    "repeats",   "seed",          "reference",  "lambda_rule", "verbose",         "odds",
      "standardized", "rule",     "interval",  "precision",     "block_rows", "input_group", "start_precision", "missing",
      "imputations",  "exposure", "guarantee", "offset_column", "row_offset", "noise"};
  return names;
}

}  // namespace ardvark::testing
