// The kernels and widths that a fit tries: each is searched, weighed by its evidence, and averaged over what the evidence leaves open.
//                                                                                                  docs/math/process.md (KM.3), (KM.4)
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "core/pulse.hpp"
#include "process/fit_parts.hpp"

namespace ardvark::internal {

std::vector<Candidate> candidates(const KernelOptions& options, const KernelInputs& inputs) {
  const auto d = static_cast<std::size_t>(inputs.scale.size());
  const auto groups = [&](bool each) {
    std::vector<Index> out(d, -1);
    std::map<Index, Index> number;  // of the caller's groups
    for (std::size_t j = 0; j < d; ++j) {
      if (inputs.scale[static_cast<Index>(j)] == 0) continue;
      const Index named = !each ? 0 : options.input_groups.empty() ? static_cast<Index>(j) : options.input_groups[j];
      out[j] = number.emplace(named, static_cast<Index>(number.size())).first->second;
    }
    return out;
  };
  const std::vector<Index> of_each = groups(true);
  const Index last_group = *std::max_element(of_each.begin(), of_each.end());
  const bool several = last_group > 0, linear_part = options.linear_part && last_group >= 0;
  std::vector<Candidate> out;
  std::vector<std::string> kernels = {"gaussian", "cauchy"};
  if (options.kernel != "auto") kernels.assign(1, options.kernel);
  for (const std::string& kernel : kernels) {
    if (options.search == WidthSearch::given) {
      Candidate& one = out.emplace_back(Candidate{kernel, WidthKind::fixed, std::vector<Index>(d, -1), linear_part});
      std::vector<double> log_rho;
      for (std::size_t j = 0; j < d; ++j) {
        if (inputs.scale[static_cast<Index>(j)] == 0) continue;
        one.group[j] = static_cast<Index>(log_rho.size());
        log_rho.push_back(-std::log(options.widths[options.widths.size() == 1 ? 0 : j]));
      }
      one.given = Eigen::Map<Vector>(log_rho.data(), static_cast<Index>(log_rho.size()));
      continue;
    }
    if (options.search != WidthSearch::each || !several) out.push_back({kernel, WidthKind::shared, groups(false), linear_part});
    if (options.search != WidthSearch::shared && several) out.push_back({kernel, WidthKind::each, of_each, linear_part});
  }
  return out;
}

std::unique_ptr<FullEvidence> Problem::evidence(const Candidate& candidate) const {
  Covariance covariance(candidate.kernel, Z, candidate.group, candidate.linear_part);
  return classes ? class_evidence(std::move(covariance), k, t) : regression_evidence(std::move(covariance), k, t);
}

namespace {

// A fourth of the rows, spread over all of them: the search for the widths begins there.                                           (KM.3)
struct PartOfRows {
  explicit PartOfRows(const Problem& of) {
    const Index n = of.Z.rows(), size = std::max<Index>(200, n / 4);
    if (n < many_rows) return;
    std::vector<Index> rows;
    for (Index i = 0; i < size; ++i) rows.push_back(i * n / size);
    Z = of.Z(rows, Eigen::all), k = of.k(rows), t = of.t(rows);
  }
  /// Whether it can stand for the rows: some rows may have almost all weight, or be of one class.
  [[nodiscard]] bool useful() const { return k.size() > 0 && k.sum() > 0.5 * static_cast<double>(k.size()) && t.maxCoeff() > t.minCoeff(); }
  Matrix Z;
  Vector k, t;
};

Index threads_of_search(const Problem& problem) {
  constexpr Index largest_to_share = 800;  // larger matrices are shared by the threads themselves
  return problem.Z.rows() <= largest_to_share ? static_cast<Index>(blas::num_threads()) : 1;
}

// Whether another hypothesis makes this one improbable, even if the search gains thrice what its outlook promises.                  (KM.3)
std::vector<bool> are_hopeless(const std::vector<SearchOutlook>& outlooks) {
  constexpr double margin = 10;  // nats
  double most = -std::numeric_limits<double>::infinity();
  for (const SearchOutlook& one : outlooks) most = std::max(most, one.log_evidence);
  std::vector<bool> out;
  for (const SearchOutlook& one : outlooks)
    out.push_back(std::isfinite(one.log_evidence) && one.log_evidence + 3 * one.gain + margin < most);
  return out;
}

// Of the leaders, where the search with all rows begins; and which of them it leaves out.                                        (KM.3)
struct Outlooks {
  std::vector<SearchOutlook> of;
  std::vector<bool> hopeless;
};
Outlooks outlooks_of(const Problem& problem, const std::vector<Candidate>& leaders, const std::vector<FoundHypothesis>& found) {
  const PartOfRows some(problem);
  std::vector<SearchOutlook> out(leaders.size());
  if (!some.useful()) return {out, std::vector<bool>(leaders.size())};
  const Problem part{some.Z, some.k, some.t, problem.classes, problem.average};
  const auto each = [&](auto&& f) {
    parallel_for(static_cast<Index>(leaders.size()), threads_of_search(problem), [&](Index i) { f(static_cast<std::size_t>(i)); });
  };
  Hyperparameters of_one;
  const auto begin = [&](bool with_one) {
    each([&](std::size_t i) {
      if ((leaders[i].widths == WidthKind::shared) == with_one)
        out[i] = outlook_of_part(*part.evidence(leaders[i]), leaders[i].given, of_one);
    });
  };
  begin(true);
  for (std::size_t i = 0; i < leaders.size(); ++i)
    if (leaders[i].widths == WidthKind::shared && std::isfinite(out[i].log_evidence)) of_one = out[i].theta;
  begin(false);
  // One width for all inputs that is improbable with a part of the rows stays so with more.
  std::vector<bool> hopeless = are_hopeless(out);
  for (std::size_t i = 0; i < leaders.size(); ++i) hopeless[i] = hopeless[i] && leaders[i].widths == WidthKind::shared;
  each([&](std::size_t i) {
    out[i] = hopeless[i] ? SearchOutlook{} : outlook(*found[i].evidence, leaders[i].given, out[i], problem.k.sum() / part.k.sum());
  });
  const std::vector<bool> later = are_hopeless(out);
  for (std::size_t i = 0; i < leaders.size(); ++i) hopeless[i] = hopeless[i] || later[i];
  return {out, hopeless};
}

// From the maximum for another kernel with the same widths.                                                                      (KM.3)
void follow(const Problem& problem, const Candidate& candidate, const FoundHypothesis& leader, FoundHypothesis& found) {
  constexpr Index few_widths = 3;
  found.evidence->begin_with(leader.evidence->posterior_near(leader.hypothesis.best.theta));
  const bool exact = !problem.average || leader.hypothesis.covariance.cols() <= few_widths;
  found.hypothesis = find_hypothesis(*found.evidence, candidate.given, leader.hypothesis, 1, exact ? Ending::exact : Ending::of_steps);
}

// With many rows, kernels with the same widths share the corners of the polytope, in proportion to their weights. Empty: all of them.
//                                                                                                                                  (KM.4)
std::vector<std::optional<std::vector<Index>>> corners_of(const Problem& problem, const std::vector<Candidate>& candidates,
                                                          const std::vector<FoundHypothesis>& found) {
  std::vector<std::optional<std::vector<Index>>> out(found.size());
  if (problem.Z.rows() < many_rows) return out;
  for (const WidthKind kind : {WidthKind::fixed, WidthKind::shared, WidthKind::each}) {
    std::vector<std::size_t> alike;
    double sum = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i].weight > 0 && candidates[i].widths == kind && found[i].hypothesis.covariance.cols() > few_dimensions)
        alike.push_back(i), out[i].emplace(), sum += found[i].weight;
    const auto lack = [&](std::size_t i, Index corners) {
      return found[i].weight / sum * static_cast<double>(corners) - static_cast<double>(out[i]->size());
    };
    for (Index corner = 0; !alike.empty() && corner < num_corners(found[alike.front()].hypothesis); ++corner)
      out[*std::max_element(alike.begin(), alike.end(), [&](auto a, auto b) { return lack(a, corner + 1) < lack(b, corner + 1); })]
          ->push_back(corner);
  }
  return out;
}

}  // namespace

// With many rows, the hypotheses of the first kernel lead, and those of others follow.
std::vector<FoundHypothesis> search_hypotheses(const Problem& problem, const std::vector<Candidate>& candidates) {
  const bool all_lead = problem.Z.rows() < many_rows;
  const auto leads = [&](const Candidate& one) { return all_lead || one.kernel == candidates.front().kernel; };
  std::vector<Candidate> leaders;
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(leaders), leads);
  const auto num_leaders = static_cast<Index>(leaders.size()), count = static_cast<Index>(candidates.size());
  std::vector<FoundHypothesis> found(candidates.size());
  pulse("fitting", {.name = "kernel", .done = 0, .total = count, .alike = false});
  const auto each = [&](Index first, Index end, auto&& f) {
    parallel_for(end - first, threads_of_search(problem), [&](Index i) { f(static_cast<std::size_t>(first + i)); });
  };
  for (std::size_t i = 0; i < found.size(); ++i) found[i].evidence = problem.evidence(candidates[i]);
  const auto [outlooks, hopeless] = outlooks_of(problem, leaders, found);
  each(0, num_leaders, [&, &outlooks = outlooks, &hopeless = hopeless](std::size_t i) {
    if (!hopeless[i]) found[i].hypothesis = find_hypothesis(*found[i].evidence, candidates[i].given, outlooks[i], problem.average);
  });
  each(num_leaders, count, [&](std::size_t i) {
    const FoundHypothesis& leader = found[i % leaders.size()];
    if (std::isfinite(leader.hypothesis.best.value)) follow(problem, candidates[i], leader, found[i]);
  });
  return found;
}

// Weights by the evidence, and without hypotheses that the data hardly support.
void weigh(std::vector<FoundHypothesis>& found) {
  constexpr double least_weight = 0.02;  // hypotheses with less are dropped                                                      (KM.4)
  double most = -std::numeric_limits<double>::infinity();
  for (const FoundHypothesis& one : found)
    if (std::isfinite(one.hypothesis.best.value)) most = std::max(most, one.hypothesis.log_evidence);
  if (!std::isfinite(most)) throw InvalidArgument("the kernel matrix of the rows cannot be factorised for any width");
  const auto total = [&] {
    return std::accumulate(found.begin(), found.end(), 0.0, [](double sum, const FoundHypothesis& one) { return sum + one.weight; });
  };
  for (FoundHypothesis& one : found)
    one.weight = std::isfinite(one.hypothesis.best.value) ? std::exp(one.hypothesis.log_evidence - most) : 0;
  for (const double sum = total(); FoundHypothesis & one : found) one.weight = one.weight < least_weight * sum ? 0 : one.weight;
  for (const double sum = total(); FoundHypothesis & one : found) one.weight /= sum;
}

// Of the hypotheses that are used.
void average(const Problem& problem, const std::vector<Candidate>& candidates, std::vector<FoundHypothesis>& found) {
  if (!problem.average) return;
  const auto corners = corners_of(problem, candidates, found);
  parallel_for(static_cast<Index>(found.size()), threads_of_search(problem), [&](Index i) {
    const auto at = static_cast<std::size_t>(i);
    if (found[at].weight > 0) place_points(*found[at].evidence, candidates[at].given, found[at].hypothesis, corners[at]);
  });
}

}  // namespace ardvark::internal
