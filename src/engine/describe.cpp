#include "engine/describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/special.hpp"
#include "core/validate.hpp"

namespace ardvark {

namespace {

// own_class(i) = ln of the probability of row i's class; is_second(i): the fit says the second.
template <typename OwnClass, typename IsSecond>
void describe_rows(const Vector& t, const Vector& k, Fit& fit, OwnClass&& own_class, IsSecond&& is_second) {
  double correct = 0, loss = 0;
  for (Index i = 0; i < t.size(); ++i) {
    const bool second = t[i] > 0.5;
    fit.class_weight[second ? 1 : 0] += k[i];
    if (is_second(i) == second) correct += k[i];
    loss -= k[i] * own_class(i, second ? 1.0 : -1.0);
  }
  fit.accuracy = std::min(correct / k.sum(), 1.0);
  fit.log_loss = loss / k.sum();
}

}  // namespace

void describe_classes(const Vector& t, const Vector& k, const Vector& m, const Vector& s, Fit& fit) {
  describe_rows(
      t, k, fit, [&](Index i, double sign) { return log_expected_sigmoid(sign * m[i], s[i]); },  // (PRED.2)
      [&](Index i) { return m[i] > 0; });
}

void describe_classes(const Vector& t, const Vector& k, const Mixture& mixture, const ComponentMoments& moments, Fit& fit) {
  const auto probability = [&](Index i, double sign) {
    double sum = 0;
    for (std::size_t c = 0; c < mixture.components.size(); ++c) {
      const auto at = static_cast<Index>(c);
      sum += mixture.components[c].weight * std::exp(log_expected_sigmoid(sign * moments.mean(i, at), moments.variance(i, at)));
    }
    return sum;
  };
  describe_rows(
      t, k, fit, [&](Index i, double sign) { return std::log(probability(i, sign)); }, [&](Index i) { return probability(i, 1) > 0.5; });
}

std::vector<std::string> complete_names(const FitOptions& options, Index num_columns) {
  std::vector<std::string> names = options.column_names;
  for (Index j = static_cast<Index>(names.size()); j < num_columns; ++j) names.push_back(validate::column_name({}, j));
  return names;
}

const char* to_string(Status status) {
  switch (status) {
    case Status::failed: return "failed";
    case Status::converged: return "converged";
    case Status::max_sweeps: return "max_sweeps";
    case Status::stopped_by_user: return "stopped_by_user";
    case Status::not_positive_definite: return "not_positive_definite";
    case Status::separated: return "separated";
    case Status::bound_fell: return "bound_fell";
    case Status::false_stop: return "false_stop";
  }
  return "unknown";
}

const char* to_string(SolverKind kind) {
  switch (kind) {
    case SolverKind::automatic: return "automatic";
    case SolverKind::primal: return "primal";
    case SolverKind::dual: return "dual";
    case SolverKind::spectral: return "spectral";
    case SolverKind::sequential: return "sequential";
    case SolverKind::greedy: return "greedy";
    case SolverKind::coordinate: return "coordinate";
  }
  return "unknown";
}

const char* to_string(PriorKind kind) {
  switch (kind) {
    case PriorKind::automatic: return "auto";
    case PriorKind::shared: return "shared";
    case PriorKind::ard: return "ard";
    case PriorKind::groups: return "groups";
    case PriorKind::none: return "none";
    case PriorKind::sparse: return "sparse";
    case PriorKind::slab: return "slab";
    case PriorKind::dense: return "dense";
    case PriorKind::laplace: return "laplace";
  }
  return "unknown";
}

const char* to_string(UpdateRule rule) {
  switch (rule) {
    case UpdateRule::vb: return "vb";
    case UpdateRule::mackay: return "mackay";
    case UpdateRule::laplace: return "laplace";
  }
  return "unknown";
}

const char* to_string(LogisticLikelihood likelihood) {
  switch (likelihood) {
    case LogisticLikelihood::gaussian: return "gaussian";
    case LogisticLikelihood::bound: return "bound";
    case LogisticLikelihood::laplace: return "laplace";
  }
  return "unknown";
}

const char* to_string(LinearPosterior posterior) { return posterior == LinearPosterior::joint ? "joint" : "factorised"; }

const char* to_string(Task task) { return task == Task::linear ? "linear" : "logistic"; }

}  // namespace ardvark
