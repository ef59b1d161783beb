// A kernel machine in the features of some rows.                                                               docs/math/process.md (KM.7)
#include <fmt/format.h>

#include <cmath>

#include "core/pulse.hpp"
#include "process/fit_parts.hpp"

namespace ardvark::internal {

namespace {

constexpr Index most_exact = 2000, usual_centres = 300;  // rows

// The candidate with the highest evidence on some rows, and what was found there.
struct Scouted {
  Candidate candidate;
  WidthHypothesis hypothesis;
  double weight;  // of the rows
};
Scouted scout(const Problem& problem, const std::vector<Candidate>& candidates) {
  constexpr Index rows_of_scout = 500;
  const std::vector<Index> rows = rows_by_hash(problem.Z, rows_of_scout);
  const Matrix Z = problem.Z(rows, Eigen::all);
  const Vector k = problem.k(rows), t = problem.t(rows);
  const bool has_both = t.minCoeff() < t.maxCoeff();
  if (!has_both && problem.classes)
    throw InvalidArgument(
        "a class is too rare for centres: all of 500 rows are of the others; fit the table in memory, with centres = all");
  const std::vector<FoundHypothesis> found = search_hypotheses({Z, k, t, problem.classes, false}, candidates);
  std::size_t best = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i].hypothesis.log_evidence > found[best].hypothesis.log_evidence || found[best].hypothesis.points.empty()) best = i;
  return {candidates[best], found[best].hypothesis, k.sum()};
}

// The few rows of the scout may say nothing of an input that many rows know well. At a width far beyond the rows the evidence is flat, so
// that the search does not come back. Therefore each wide input is tried at a usual width.                                       (KM.7)
void look_again_at_wide_inputs(const KernelOptions& options, CentreSearch& search) {
  if (search.candidate.widths != WidthKind::each || search.found.points.empty()) return;
  constexpr double wide = 7, usual = 2, worthwhile = 1;  // standard deviations of an input; nats
  WidthHypothesis begin = search.found;
  std::vector<Index> rows = search.rows;
  for (Index i = 1; i <= search.evidence->covariance().num_widths(); ++i) {
    if (begin.best.theta[i] > -std::log(wide)) continue;
    Hyperparameters trial = begin.best.theta;
    trial[i] = -std::log(usual);
    std::vector<Index> chosen = choose_centres(search.evidence->covariance(), trial, centres_of(options));
    search.evidence->set_centres(chosen);
    const double value = search.evidence->at(trial, false).value;
    if (!(value > begin.best.value + worthwhile)) continue;
    begin.best.theta = std::move(trial), begin.best.value = value, rows = std::move(chosen);
    begin.covariance.row(i).setZero(), begin.covariance.col(i).setZero();
    begin.covariance(i, i) = 1;
  }
  search.evidence->set_centres(rows);
  if (rows == search.rows) return;
  WidthHypothesis found = find_hypothesis(*search.evidence, {}, begin, 1, Ending::exact);
  search.steps += found.best.steps;
  search.found = std::move(found), search.rows = std::move(rows);
}

// The few rows of the scout may speak for narrow widths, from which these centres see no function. Then the search begins anew, at the
// usual widths, and the better result counts.
void search_again(const KernelOptions& options, CentreSearch& search) {
  constexpr double no_function = -5;  // ln h
  if (search.found.points.empty() || search.found.best.theta[0] > no_function) return;
  Hyperparameters usual = Hyperparameters::Zero(search.found.best.theta.size());
  usual.segment(1, search.candidate.given.size()) = search.candidate.given;
  std::vector<Index> rows = choose_centres(search.evidence->covariance(), usual, centres_of(options));
  search.evidence->set_centres(rows);
  WidthHypothesis found = find_hypothesis(*search.evidence, search.candidate.given);
  search.steps += found.best.steps;
  if (!found.points.empty() && found.log_evidence > search.found.log_evidence)
    search.found = std::move(found), search.rows = std::move(rows);
  else
    search.evidence->set_centres(search.rows);
}

}  // namespace

Index centres_of(const KernelOptions& options) { return options.centres > 0 ? options.centres : usual_centres; }

bool is_low_rank(const KernelOptions& options, Index num_rows) {
  return !options.all_centres && (options.centres > 0 ? options.centres < num_rows : num_rows > most_exact);
}

Index rows_of_sample(const KernelOptions& options) { return std::max<Index>(20'000, 10 * centres_of(options)); }

std::string note_on_centres(const KernelFit& fit) {
  return fmt::format(
      "{} of the rows are centres, in whose features the process is computed; with more of them (option centres) it follows finer detail; "
      "kernel and first widths come from 500 of the rows",
      fit.num_vectors());
}

std::unique_ptr<LowRankEvidence> Problem::low_rank_evidence(const Candidate& candidate) const {
  Covariance covariance(candidate.kernel, Z, candidate.group, candidate.linear_part);
  return classes ? low_rank_classes(std::move(covariance), k, t) : low_rank_regression(std::move(covariance), k, t);
}

CentreSearch search_with_centres(const Problem& problem, const KernelOptions& options, const KernelInputs& inputs) {
  Scouted start = scout(problem, candidates(options, inputs));
  CentreSearch out{std::move(start.candidate), nullptr, std::move(start.hypothesis), {}};
  out.evidence = problem.low_rank_evidence(out.candidate);
  constexpr Index rounds = 2;  // centres are chosen for the widths, and then again for better ones
  for (Index round = 0; round < rounds; ++round) {
    pulse("fitting", {.name = "round", .done = round, .total = rounds, .alike = false});
    out.rows = choose_centres(out.evidence->covariance(), out.found.best.theta, centres_of(options));
    out.evidence->set_centres(out.rows);
    const double more = round == 0 ? problem.k.sum() / start.weight : 1;
    out.found = find_hypothesis(*out.evidence, out.candidate.given, out.found, more, round + 1 < rounds ? Ending::rough : Ending::exact);
    out.steps += out.found.best.steps;
  }
  look_again_at_wide_inputs(options, out);
  search_again(options, out);
  if (out.found.points.empty() || !std::isfinite(out.found.log_evidence))
    throw InvalidArgument("the kernel matrix of the centres cannot be factorised");
  return out;
}

ProcessOutcome outcome_of(const CentreSearch& search, ProcessEvidence& evidence, const WidthHypothesis& found, FeaturePosterior posterior,
                          double s2, const KernelInputs& inputs) {
  const Hyperparameters& theta = found.best.theta;
  ProcessOutcome out;
  out.rows = search.rows;
  out.steps = search.steps;
  KernelPoint point;
  point.kernel = evidence.covariance().kernel(theta.tail(theta.size() - 1));
  point.signal = std::exp(theta[0]);
  point.linear = point.signal * evidence.covariance().linear_weight(theta);
  point.noise_variance = s2;
  for (std::size_t i = 0; i < out.rows.size(); ++i) point.vectors.push_back(static_cast<Index>(i));
  point.mean = std::move(posterior.mean);
  point.factor = std::move(posterior.factor);
  out.process.points.push_back(std::move(point));
  out.converged = found.best.converged;
  for (const Index at : found.best.at_limit) (at == 0 && theta[0] >= evidence.most_log_h() ? out.no_noise : out.width_at_limit) = true;
  out.process.log_evidence = found.log_evidence;
  out.process.hypotheses.push_back(described(evidence, found, search.candidate, inputs));
  out.process.hypotheses.back().weight = 1;
  out.process.divergence = out.process.largest_change = std::numeric_limits<double>::quiet_NaN();
  return out;
}

ProcessOutcome fit_low_rank(const Problem& problem, const KernelOptions& options, const KernelInputs& inputs) {
  const CentreSearch search = search_with_centres(problem, options, inputs);
  const Hyperparameters& theta = search.found.best.theta;
  FeaturePosterior posterior = search.evidence->posterior(theta);
  const double s2 = search.evidence->rows(theta).s2;
  return outcome_of(search, *search.evidence, search.found, std::move(posterior), s2, inputs);
}

}  // namespace ardvark::internal
