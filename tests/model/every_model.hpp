// Every model, prior and preset by name, with options that make sense beside it, and tables for them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "../support/random_problem.hpp"
#include "ardvark/model.hpp"

namespace ardvark::testing {

struct NamedModel {
  std::string name;
  ModelOptions options;
  Index num_classes = 0;  ///< of a regression 0

  [[nodiscard]] bool takes_weights() const { return options.preset.empty(); }
};

using Setting = std::pair<const char*, ModelOptions::Value>;

inline NamedModel named_model(const std::vector<Setting>& settings, Index num_classes) {
  NamedModel out{std::to_string(num_classes) + " classes", {}, num_classes};
  for (const auto& [name, value] : settings) {
    out.options.set(name, value);
    const auto* text = std::get_if<std::string>(&value);
    out.name += std::string(", ") + name + " " + (text != nullptr ? *text : std::to_string(std::get<double>(value)));
  }
  return out;
}

inline std::vector<NamedModel> every_linear_score() {
  using std::string;
  std::vector<NamedModel> out;
  for (const char* prior : {"sparse", "slab", "dense", "shared", "ard", "none"}) {
    out.push_back(named_model({{"model", string("linear")}, {"prior", string(prior)}}, 0));
    out.push_back(named_model({{"model", string("logistic")}, {"prior", string(prior)}}, 2));
    for (const char* coding : {"one-against-rest", "one-against-one"})
      out.push_back(named_model({{"model", string("logistic")}, {"prior", string(prior)}, {"coding", string(coding)}}, 3));
  }
  for (const char* prior : {"shared", "ard", "none"}) {
    out.push_back(named_model({{"model", string("linear")}, {"prior", string(prior)}, {"posterior", string("factorised")}}, 0));
    out.push_back(named_model({{"model", string("logistic")}, {"prior", string(prior)}}, 3));
    for (const char* likelihood : {"jj", "laplace"})
      out.push_back(named_model({{"model", string("logistic")}, {"prior", string(prior)}, {"likelihood", string(likelihood)}}, 2));
  }
  out.push_back(named_model({{"model", string("logistic")}, {"prior", string("laplace")}, {"lambda", 2.0}}, 2));
  out.push_back(named_model({{"model", string("logistic")}, {"prior", string("shared")}, {"intercept", 0.0}}, 2));
  return out;
}

inline std::vector<NamedModel> every_machine() {
  using std::string;
  std::vector<NamedModel> out;
  for (const char* algorithm : {"variational", "plain", "type-two"}) {
    const std::vector<Setting> common = {{"model", string("rvm")}, {"algorithm", string(algorithm)}, {"width", 1.5}};
    for (const Index classes : {0, 2, 3}) {
      std::vector<Setting> settings = common;
      settings.emplace_back("task", string(classes == 0 ? "regression" : "classification"));
      out.push_back(named_model(settings, classes));
    }
  }
  return out;
}

inline std::vector<NamedModel> every_preset() {
  std::vector<NamedModel> out;
  for (const PresetInfo& preset : presets())
    for (const double compat : {0.0, 1.0}) {
      const std::string name = preset.name;
      const bool several = name == "smlr" || name == "rmlr" || name.ends_with("_ovr") || name.ends_with("_ovo");
      const Index classes = preset.task == Task::linear ? 0 : several ? 3 : 2;
      out.push_back(named_model({{"preset", name}, {"compat", compat}}, classes));
    }
  return out;
}

inline std::vector<NamedModel> every_model() {
  std::vector<NamedModel> out = every_linear_score();
  for (const auto& more : {every_machine(), every_preset()}) out.insert(out.end(), more.begin(), more.end());
  return out;
}

/// A table, targets for each number of classes, and weights.
struct AnyTable {
  Matrix X;
  Vector y, weights;

  /// Numbers for 0, else labels from 0, of which each occurs.
  [[nodiscard]] Vector target(Index num_classes) const {
    if (num_classes == 0) return y;
    Vector sorted = y, labels(y.size());
    std::sort(sorted.begin(), sorted.end());
    for (Index i = 0; i < y.size(); ++i)
      labels[i] = static_cast<double>((std::lower_bound(sorted.begin(), sorted.end(), y[i]) - sorted.begin()) * num_classes / y.size());
    return labels;
  }
};

/// \param noise  0: classes that a plane separates
inline AnyTable any_table(std::uint64_t seed, Index n, Index p, double noise) {
  Random random(seed);
  AnyTable out{random.normals(n, p), {}, Vector::Ones(n)};
  for (Index j = 0; j < p; ++j)
    if (random.chance(0.3)) out.X.col(j) *= random.scale(0.1, 10);
  out.y = noise * random.normals(n);
  for (Index j = 0; j < std::min<Index>(p, 2); ++j)
    out.y += out.X.col(j) * (random.uniform(0.5, 1.5) / out.X.col(j).norm() * std::sqrt(static_cast<double>(n)));
  if (random.chance(0.5))
    for (double& k : out.weights) k = static_cast<double>(random.integer(1, 3));
  return out;
}

inline SavedModel fit_to(const NamedModel& model, const AnyTable& table) {
  ModelOptions options = model.options;
  if (model.takes_weights()) options.weights.assign(table.weights.begin(), table.weights.end());
  options.keep_covariance = options.model == "rvm" || options.preset == "slr_rvm" ? options.keep_covariance : "always";
  return fit_model(table.X, table.target(model.num_classes), options);
}

}  // namespace ardvark::testing
