// A kernel machine of all its rows: the hypotheses, and the rows that carry their predictions.                  docs/math/process.md (KM.6)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/pulse.hpp"
#include "process/fit_parts.hpp"
#include "process/shared_vectors.hpp"

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

}  // namespace

ProcessOutcome fit_exact(const Problem& problem, const KernelOptions& options, const KernelInputs& inputs) {
  const std::vector<Candidate> all = candidates(options, inputs);
  for (const Candidate& candidate : all) require_variation(problem, candidate, options);
  std::vector<FoundHypothesis> found = search_hypotheses(problem, all);
  weigh(found);
  average(problem, all, found);
  ProcessOutcome out;
  std::vector<PointOfMixture> mixture;
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
    const bool varies = one.evidence->covariance().num_widths() > 0;  // of constant inputs, the rows say nothing of the function
    for (const Index at : one.hypothesis.best.at_limit)
      if (varies) (at == 0 && one.hypothesis.best.theta[0] >= one.evidence->most_log_h() ? out.no_noise : out.width_at_limit) = true;
    out.process.hypotheses.push_back(described(*one.evidence, one.hypothesis, all[i], inputs));
    out.process.hypotheses.back().weight = one.weight;
    const auto& points = one.hypothesis.points;
    for (std::size_t p = 0; p < points.size(); ++p)
      mixture.push_back({one.evidence.get(), points[p], one.weight / static_cast<double>(points.size()),
                         problem.average ? one.hypothesis.posteriors[p] : one.evidence->posterior(points[p])});
  }
  double sum = 0;
  for (const FoundHypothesis& one : found)
    if (std::isfinite(one.hypothesis.best.value)) sum += std::exp(one.hypothesis.log_evidence - most);
  out.process.log_evidence = most + std::log(sum / static_cast<double>(found.size()));
  std::stable_sort(out.process.hypotheses.begin(), out.process.hypotheses.end(),
                   [](const KernelHypothesis& a, const KernelHypothesis& b) { return a.weight > b.weight; });
  pulse("fitting", {.name = "point", .done = 0, .total = static_cast<Index>(mixture.size())});
  const Hyperparameters& at_best = best->hypothesis.best.theta;
  FullPosterior of_best = mixture.size() > 1 ? best->evidence->posterior(at_best) : FullPosterior{};
  SharedVectors vectors(problem, options, std::move(mixture));
  vectors.choose({best->evidence.get(), at_best, 1, std::move(of_best)});
  out.rows = vectors.rows();
  out.process.points = std::move(vectors.stored());
  out.process.divergence = vectors.divergence();
  out.process.largest_change = vectors.largest_change();
  return out;
}

}  // namespace ardvark::internal
