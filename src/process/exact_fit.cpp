// A kernel machine of all its rows: the hypotheses, and the rows that carry their predictions.                  docs/math/process.md (KM.6)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/pulse.hpp"
#include "process/fit_parts.hpp"
#include "process/vectors.hpp"

namespace ardvark::internal {
namespace {

// With widths far beyond the rows, the kernel is the same for every two of them, and there is no function to find.
void require_variation(const Problem& problem, const Candidate& candidate, const KernelOptions& options) {
  if (candidate.given.size() == 0) return;
  Matrix K;
  Covariance(candidate.kernel, problem.Z, candidate.group).evaluate(candidate.given, K, nullptr);
  const double N = problem.k.sum(), spread = 1 - problem.k.dot(K.selfadjointView<Eigen::Lower>() * problem.k) / (N * N);
  if (!(spread > 1e-10))
    throw InvalidArgument(
        fmt::format("a width of {:g} is so large that the kernel is the same for every two rows; give a smaller one, or "
                    "let the evidence choose it",
                    *std::max_element(options.widths.begin(), options.widths.end())));
}

// One point of the mixture while its vectors are chosen.
struct Part {
  FullEvidence* evidence;
  Hyperparameters theta;
  double weight;
  FullPosterior full = {};
  KernelPoint point = {};  // with the first `num_vectors` of the rows
  Reduction loss = {};
  std::size_t num_vectors = 0;

  [[nodiscard]] Matrix linear_features() const {
    const Covariance& of = evidence->covariance();
    return of.linear_features(of.inputs(), theta);
  }
};

// The rows that the predictions of all points need.                                                                              (KM.6)
class Choice {
 public:
  Choice(const Problem& problem, const KernelOptions& options, std::vector<Part>& parts)
      : problem_(problem), options_(options), parts_(parts) {}

  /// \param at_best  the first part: the maximum itself
  std::vector<Index> rows(Part at_best) {
    if (parts_.size() > 1) grow(at_best, options_.divergence);
    std::vector<Part*> order;
    for (Part& part : parts_) order.push_back(&part);
    std::stable_sort(order.begin(), order.end(), [](const Part* a, const Part* b) { return width(*a) < width(*b); });
    for (Part* part : order) grow(*part, parts_.size() > 1 ? 2 * options_.divergence : options_.divergence);
    for (Part& part : parts_) {
      if (part.num_vectors == rows_.size()) continue;  // none was added after its turn
      const Matrix K = part.evidence->signal_covariance(part.theta);
      VectorChoice reduced(K, part.full.rows, problem_.k, problem_.classes, part.full.moments, part.linear_features());
      reduced.add_first(rows_);
      finish(part, reduced);
    }
    return rows_;
  }

 private:
  // ln of the mean width; constant inputs have none.
  static double width(const Part& part) {
    const Index size = part.evidence->covariance().num_widths();
    return size > 0 ? -part.theta.segment(1, size).mean() : 0;
  }

  void grow(Part& part, double most) {
    const Matrix K = part.evidence->signal_covariance(part.theta);
    VectorChoice choice(K, part.full.rows, problem_.k, problem_.classes, part.full.moments, part.linear_features());
    choice.add_first(rows_);
    const Index n = K.rows(), limit = options_.num_vectors > 0 ? std::min(options_.num_vectors, n) : n;
    if (options_.all_vectors)
      choice.add_all();
    else
      choice.grow(options_.num_vectors > 0 ? 0 : most, limit);
    for (const Index row : choice.rows())
      if (std::find(rows_.begin(), rows_.end(), row) == rows_.end()) rows_.push_back(row);
    finish(part, choice);
  }

  void finish(Part& part, const VectorChoice& choice) const {
    part.num_vectors = rows_.size();
    part.loss = choice.reduction();
    KernelPoint& point = part.point;
    point.vectors.clear();
    for (auto at = rows_.begin(); const Index row : choice.rows())
      point.vectors.push_back((at = std::find(at, rows_.end(), row)) - rows_.begin());
    FeaturePosterior posterior = choice.posterior();
    point.weight = part.weight;
    point.kernel = part.evidence->covariance().kernel(part.theta.tail(part.theta.size() - 1));
    point.signal = std::exp(part.theta[0]);
    point.linear = point.signal * part.evidence->covariance().linear_weight(part.theta);
    point.noise_variance = part.full.rows.s2;
    point.mean = std::move(posterior.mean);
    point.factor = std::move(posterior.factor);
  }

  const Problem& problem_;
  const KernelOptions& options_;
  std::vector<Part>& parts_;
  std::vector<Index> rows_;
};

}  // namespace

ProcessOutcome fit_exact(const Problem& problem, const KernelOptions& options, const KernelInputs& inputs) {
  const std::vector<Candidate> all = candidates(options, inputs);
  for (const Candidate& candidate : all) require_variation(problem, candidate, options);
  std::vector<FoundHypothesis> found = search_hypotheses(problem, all);
  weigh(found);
  average(problem, all, found);
  ProcessOutcome out;
  std::vector<Part> parts;
  const FoundHypothesis* best = nullptr;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const FoundHypothesis& one = found[i];
    out.steps += one.hypothesis.best.steps;
    if (one.weight == 0) continue;
    if (one.hypothesis.log_evidence > most) {
      most = one.hypothesis.log_evidence;
      best = &one;
    }
    out.converged &= one.hypothesis.best.converged;
    for (const Index at : one.hypothesis.best.at_limit)
      (at == 0 && one.hypothesis.best.theta[0] > 0 ? out.no_noise : out.width_at_limit) = true;
    out.process.hypotheses.push_back(described(*one.evidence, one.hypothesis, all[i], inputs));
    out.process.hypotheses.back().weight = one.weight;
    const auto& points = one.hypothesis.points;
    for (std::size_t p = 0; p < points.size(); ++p)
      parts.push_back({one.evidence.get(), points[p], one.weight / static_cast<double>(points.size()),
                       problem.average ? one.hypothesis.posteriors[p] : one.evidence->posterior(points[p])});
  }
  double sum = 0;
  for (const FoundHypothesis& one : found)
    if (std::isfinite(one.hypothesis.best.value)) sum += std::exp(one.hypothesis.log_evidence - most);
  out.process.log_evidence = most + std::log(sum / static_cast<double>(found.size()));
  std::stable_sort(out.process.hypotheses.begin(), out.process.hypotheses.end(),
                   [](const KernelHypothesis& a, const KernelHypothesis& b) { return a.weight > b.weight; });
  pulse("fitting", {.name = "point", .done = 0, .total = static_cast<Index>(parts.size())});
  Choice choice(problem, options, parts);
  const Hyperparameters& at_best = best->hypothesis.best.theta;
  out.rows = choice.rows({best->evidence.get(), at_best, 1, parts.size() > 1 ? best->evidence->posterior(at_best) : FullPosterior{}});
  Vector change = Vector::Zero(problem.k.size()), sd = change;
  for (Part& part : parts) {
    out.process.divergence += part.weight * problem.k.dot(part.loss.divergence) / problem.k.sum();
    change += part.weight * (part.loss.reduced - part.loss.full);
    sd += part.weight * part.loss.sd;
    out.process.points.push_back(std::move(part.point));
  }
  out.process.largest_change = (change.array().abs() / sd.array().max(1e-300)).maxCoeff();
  return out;
}

}  // namespace ardvark::internal
