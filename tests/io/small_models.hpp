// Small fits of every kind that a model file can hold, to random problems, and what is asked of a model that was read.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ardvark/errors.hpp"
#include "ardvark/kernel_machine.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/model.hpp"
#include "ardvark/relevance.hpp"
#include "ardvark/softmax.hpp"
#include "support/random_problem.hpp"

namespace ardvark::testing {

struct SmallProblem {
  Matrix X;
  Vector y, two, three;
  std::vector<Index> group;
};

/// 1 to 6 columns, or more than rows; of any scale; some alike, some constant.
inline SmallProblem small_problem(std::uint64_t seed) {
  Random random(seed);
  const bool wide = random.chance(0.2);
  const Index n = wide ? random.integer(8, 12) : random.integer(14, 40), p = wide ? random.integer(n + 1, n + 6) : random.integer(1, 6);
  SmallProblem out{random.normals(n, p), Vector(n), Vector(n), Vector(n), {}};
  if (p > 1 && random.chance(0.3)) out.X.col(p - 1) = out.X.col(0) + random.scale(1e-6, 1) * random.normals(n);
  if (random.chance(0.1)) out.X.col(0).setConstant(random.normal());
  const Vector weight = random.normals(p);
  const double noise = random.scale(0.05, 3);
  const Vector score = out.X * weight + noise * random.normals(n);
  for (Index j = 0; j < p; ++j)
    out.X.col(j) = (random.scale(1e-3, 1e3) * out.X.col(j)).array() + (random.chance(0.5) ? 0 : random.normal());
  out.y = random.scale(1e-3, 1e3) * score.array() + random.normal();
  for (Index i = 0; i < n; ++i) {
    out.two[i] = i < 2 ? static_cast<double>(i) : (score[i] > 0 ? 1 : 0);  // both occur
    out.three[i] = i < 3 ? static_cast<double>(i) : std::floor(std::clamp(score[i] + 1.5, 0.0, 2.9));
  }
  for (Index j = 0; j < p; ++j) out.group.push_back(j / 2);
  return out;
}

struct SmallModel {
  std::string name;
  std::function<SavedModel(const SmallProblem&)> fit;
};

template <typename AnyFit>
SavedModel as_saved(AnyFit fit) {
  SavedModel model;
  const std::vector<std::string>* names = nullptr;
  if constexpr (std::is_base_of_v<RelevanceFit, AnyFit>)
    names = &model.fit.emplace<RelevanceFit>(std::move(fit)).input_names;
  else if constexpr (std::is_base_of_v<KernelFit, AnyFit>)
    names = &model.fit.emplace<KernelFit>(std::move(fit)).input_names;
  else if constexpr (std::is_base_of_v<SoftmaxFit, AnyFit>)
    names = &model.fit.emplace<SoftmaxFit>(std::move(fit)).column_names;
  else
    names = &model.fit.emplace<Fit>(std::move(fit)).column_names;
  model.encoding = FeatureEncoding::of_numbers(*names);
  return model;
}

namespace small {

inline FitOptions options_of(PriorKind kind, const SmallProblem& problem) {
  FitOptions options;
  options.prior.kind = kind;
  if (kind == PriorKind::groups) options.prior.group = problem.group;
  if (kind == PriorKind::laplace) options.prior.lambda = 1;
  options.max_sweeps = 60;
  return options;
}

inline void add_regressions(std::vector<SmallModel>& all) {
  const std::pair<const char*, PriorKind> priors[] = {
      {"shared", PriorKind::shared}, {"ard", PriorKind::ard},   {"groups", PriorKind::groups}, {"none", PriorKind::none},
      {"sparse", PriorKind::sparse}, {"slab", PriorKind::slab}, {"dense", PriorKind::dense},   {"laplace", PriorKind::laplace}};
  for (const auto& [name, kind] : priors) {
    const PriorKind prior = kind;
    all.push_back(
        {std::string("linear ") + name, [prior](const SmallProblem& d) { return as_saved(fit_linear(d.X, d.y, options_of(prior, d))); }});
    all.push_back({std::string("logistic ") + name,
                   [prior](const SmallProblem& d) { return as_saved(fit_logistic(d.X, d.two, options_of(prior, d))); }});
  }
  for (const char* name : {"vb_linear_fit", "vb_linear_fit_ard", "vrvm_regression"})
    all.push_back({name, [name](const SmallProblem& d) { return as_saved(fit_linear(d.X, d.y, options_for_preset(name))); }});
  for (const char* name :
       {"vb_logit_fit", "vb_logit_fit_ard", "vb_logit_fit_iter", "slr_var", "slr_lap", "rlr_var", "rlr_lap", "l1_slr_lap", "l1_slr_c"})
    all.push_back({name, [name](const SmallProblem& d) {
                     FitOptions options = options_for_preset(name);
                     options.max_sweeps = 100;
                     if (std::string(name).starts_with("l1")) options.prior.lambda = 1;
                     return as_saved(fit_logistic(d.X, d.two, options));
                   }});
}

inline void add_classifications(std::vector<SmallModel>& all) {
  for (const PriorKind prior : {PriorKind::shared, PriorKind::ard})
    all.push_back({prior == PriorKind::ard ? "softmax ard" : "softmax shared", [prior](const SmallProblem& d) {
                     SoftmaxOptions options;
                     options.prior.kind = prior;
                     options.max_sweeps = 60;
                     return as_saved(fit_softmax(d.X, d.three, options));
                   }});
  for (const char* name : {"smlr", "rmlr", "slr_lap_ovr", "slr_var_ovr", "rlr_var_ovr", "slr_var_ovo"})
    all.push_back({name, [name](const SmallProblem& d) {
                     SoftmaxOptions options = softmax_options_for_preset(name);
                     options.max_sweeps = 60;
                     return as_saved(fit_softmax(d.X, d.three, options));
                   }});
}

inline void add_machines(std::vector<SmallModel>& all) {
  for (const auto& [name, algorithm] : {std::pair{"variational", RelevanceAlgorithm::variational},
                                        {"plain", RelevanceAlgorithm::plain},
                                        {"type two", RelevanceAlgorithm::type_two},
                                        {"pruned", RelevanceAlgorithm::pruned}})
    for (const char* target : {"numbers", "two classes", "three classes"}) {
      const bool regression = std::string(target) == "numbers", two = std::string(target) == "two classes";
      if (algorithm == RelevanceAlgorithm::pruned && regression) continue;
      const RelevanceAlgorithm chosen = algorithm;
      all.push_back({std::string("rvm ") + name + " of " + target, [=](const SmallProblem& d) {
                       RelevanceOptions options;
                       options.algorithm = chosen;
                       options.search = KernelSearch::none;
                       options.max_sweeps = 60;
                       return regression ? as_saved(fit_relevance_regression(d.X, d.y, options))
                                         : as_saved(fit_relevance_classification(d.X, two ? d.two : d.three, options));
                     }});
    }
}

inline void add_processes(std::vector<SmallModel>& all) {
  for (const std::string name : {"averaged", "at its maximum", "with a line"})
    for (const char* target : {"numbers", "two classes", "three classes"}) {
      const bool regression = std::string(target) == "numbers", two = std::string(target) == "two classes";
      all.push_back({std::string("kernel ") + name + " of " + target, [=](const SmallProblem& d) {
                       KernelOptions options;
                       options.average = name == "averaged";
                       if (name == "at its maximum") options.kernel = "matern52";
                       options.linear_part = name == "with a line";
                       options.num_vectors = 4;
                       return regression ? as_saved(fit_kernel_regression(d.X, d.y, options))
                                         : as_saved(fit_kernel_classification(d.X, two ? d.two : d.three, options));
                     }});
    }
}

// Every fourth value of a column is missing; the first column is a text of two levels.
inline SavedModel fit_with_gaps(const SmallProblem& d, const char* kind, const char* prior) {
  ModelOptions options{.model = kind, .prior = prior, .missing = "impute", .imputations = 5};
  Matrix X = d.X;
  for (Index j = 0; j < X.cols(); ++j) options.encoding.features.push_back({"x" + std::to_string(j + 1)});
  options.encoding.features.front() = {"city", true, {"Bonn", "Oslo"}, 1, 7};
  X.col(0) = (X.col(0).array() > X.col(0).mean()).cast<double>();
  for (Index j = 0; j < X.cols(); ++j)
    for (Index i = j % 4; i < X.rows(); i += 4) X(i, j) = std::nan("");
  options.max_sweeps = 60;
  return fit_model(X, options.model == "linear" ? d.y : d.two, options);
}

// Cross-validation chooses lambda; the model keeps the path.
inline void add_chosen_lambdas(std::vector<SmallModel>& all) {
  for (const char* target : {"numbers", "two classes", "three classes"})
    all.push_back({std::string("laplace, chosen lambda, ") + target, [target = std::string(target)](const SmallProblem& d) {
                     const Vector& y = target == "numbers" ? d.y : target == "two classes" ? d.two : d.three;
                     return fit_model(
                         d.X, y, {.model = target == "numbers" ? "linear" : "logistic", .prior = "laplace", .max_sweeps = 60, .folds = 3});
                   }});
}

inline void add_fits_with_gaps(std::vector<SmallModel>& all) {
  for (const auto& [kind, prior] : {std::pair{"linear", "shared"}, {"logistic", "ard"}})
    all.push_back(
        {std::string(kind) + " with gaps", [kind = kind, prior = prior](const SmallProblem& d) { return fit_with_gaps(d, kind, prior); }});
}

}  // namespace small

inline std::vector<SmallModel> small_models() {
  std::vector<SmallModel> all;
  small::add_regressions(all);
  small::add_classifications(all);
  small::add_machines(all);
  small::add_processes(all);
  small::add_fits_with_gaps(all);
  small::add_chosen_lambdas(all);
  return all;
}

/// Whether there is a posterior to save.
inline bool is_usable(const SavedModel& model) {
  if (model.relevance()) return !model.relevance()->machines.empty() && model.relevance()->machines.front().fit.state != nullptr;
  if (model.process()) return true;
  if (model.softmax()) return model.softmax()->state != nullptr && model.softmax()->mean.allFinite();
  return model.score()->state != nullptr && model.score()->report.status != Status::failed && model.score()->mean.allFinite();
}

/// A fit with a posterior to save; nothing where the problem is refused or the fit fails.
inline std::optional<SavedModel> fitted(const SmallModel& kind, const SmallProblem& problem) {
  try {
    SavedModel model = kind.fit(problem);
    if (is_usable(model)) return model;
  } catch (const InvalidArgument&) {
  }
  return std::nullopt;
}

template <typename AnyFit, typename From>
AnyFit as_fit(const From& fit) {
  AnyFit typed;
  static_cast<From&>(typed) = fit;
  return typed;
}

/// Means, or probabilities of all classes. \throws as predict()
inline Matrix predictions(const SavedModel& model, const Matrix& X) {
  if (model.softmax()) return predict(*model.softmax(), X).probability;
  if (model.process()) {
    if (model.process()->task == Task::logistic) return predict(as_fit<KernelClassification>(*model.process()), X).probability;
    const TMixturePrediction p = predict(as_fit<KernelRegression>(*model.process()), X);
    Matrix out(X.rows(), 2);
    out << p.mean, p.standard_deviation();
    return out;
  }
  if (model.relevance()) {
    if (model.relevance()->task == Task::logistic) return predict(as_fit<RelevanceClassification>(*model.relevance()), X).probability;
    const StudentPrediction p = predict(as_fit<RelevanceRegression>(*model.relevance()), X);
    Matrix out(X.rows(), 2);
    out << p.mean, p.scale;
    return out;
  }
  if (model.score()->task == Task::logistic) return predict(as_fit<LogisticFit>(*model.score()), X).probability;
  const StudentPrediction p = predict(as_fit<LinearFit>(*model.score()), X);
  Matrix out(X.rows(), 2);
  out << p.mean, p.scale;
  return out;
}

/// Likewise; none where a fit cannot predict, say as it kept no covariance.
inline std::optional<Matrix> predictions_if_any(const SavedModel& model, const Matrix& X) {
  try {
    return predictions(model, X);
  } catch (const InvalidArgument&) {
    return std::nullopt;
  }
}

inline bool is_classifier(const SavedModel& model) { return task_of(model) == Task::logistic; }

/// Rows with gaps of a model that fills them: the last column is missing in the first row, all columns in the second.
inline std::optional<Matrix> predictions_with_gaps(const SavedModel& model, Matrix X) {
  if (!model.imputation || X.rows() < 2) return std::nullopt;
  X(0, X.cols() - 1) = std::nan("");
  X.row(1).setConstant(std::nan(""));
  const Prediction found = predict(model, MatrixView(X));
  const auto moments = [](const auto& p) {
    Matrix out(p.mean.size(), 2);
    out << p.mean, p.scale;
    return out;
  };
  if (const auto* p = std::get_if<StudentPrediction>(&found)) return moments(*p);
  return std::get<ClassPrediction>(found).probability;
}

inline std::string summary_of(const SavedModel& model) { return summary(model); }

/// Shares and probabilities that a model states are in [0, 1].
inline void expect_shares(const Fit& fit) {
  if (!fit.sparse) return;
  const auto in_range = [](double share) { return share >= 0 && share <= 1; };
  for (const double share : fit.sparse->inclusion) EXPECT_TRUE(in_range(share)) << share - 1;
  for (const double share : fit.relevance) EXPECT_TRUE(in_range(share)) << share - 1;
  EXPECT_TRUE(in_range(fit.sparse->dense_fraction)) << fit.sparse->dense_fraction;
  for (const SparseStart& start : fit.sparse->starts) EXPECT_TRUE(in_range(start.weight)) << start.weight - 1;
  for (const CredibleSet& set : fit.sparse->sets) {
    EXPECT_TRUE(in_range(set.inclusion)) << set.inclusion - 1;
    for (const double share : set.probability) EXPECT_TRUE(in_range(share)) << share - 1;
  }
}

}  // namespace ardvark::testing
