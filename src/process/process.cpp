// fit_kernel_regression and fit_kernel_classification: rows and inputs are prepared, each hypothesis is searched, and the rows that carry
// the predictions are chosen.                                                                                    docs/math/process.md (KM)
#include "predict/process.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "ardvark/kernel_machine.hpp"
#include "ardvark/row_pass.hpp"
#include "core/blas.hpp"
#include "core/memory.hpp"
#include "core/normals.hpp"
#include "core/parallel.hpp"
#include "core/pulse.hpp"
#include "core/stopwatch.hpp"
#include "core/validate.hpp"
#include "fit/from_passes.hpp"
#include "frame/kernel_inputs.hpp"
#include "frame/prepare.hpp"
#include "kernel/kernel_function.hpp"
#include "process/fit_parts.hpp"
#include "process/vectors.hpp"

namespace ardvark::internal {

namespace {

constexpr double least_weight = 0.02;  // hypotheses with less are dropped                                                        (KM.4)

// The kernel, its derivative, the slope and a factor: n x n each.
void require_memory(Index n) {
  constexpr double matrices = 4, gib = 1024.0 * 1024 * 1024;
  const double needed = matrices * sizeof(double) * static_cast<double>(n) * static_cast<double>(n), available = physical_memory();
  if (available > 0 && needed > available)
    throw InvalidArgument(
        fmt::format("centres = all takes about {:.0f} GiB of memory for {} rows, and this machine has {:.1f}; give a "
                    "number of centres, such as {}",
                    needed / gib, n, available / gib, centres_of({})));
}

}  // namespace

void validate_options(const KernelOptions& options, MatrixView X) {
  validate::matrix(X, "X", options.input_names);
  validate::weights(options.weights, X.rows());
  validate::positive(options.divergence, "divergence");
  const auto d = static_cast<std::size_t>(X.cols());
  if (options.kernel != "auto" && !is_distance_kernel(options.kernel))
    throw InvalidArgument(
        fmt::format("kernel is '{}'; it must be one of auto, cauchy, gaussian, laplacian, matern32, matern52", options.kernel));
  if (options.threads < 0) throw InvalidArgument(fmt::format("threads is {}; it must be at least 0", options.threads));
  if (options.centres < 0) throw InvalidArgument(fmt::format("centres is {}; it must be at least 0", options.centres));
  if (options.num_vectors < 0) throw InvalidArgument(fmt::format("num_vectors is {}; it must be at least 0", options.num_vectors));
  if ((options.search == WidthSearch::given) == options.widths.empty())
    throw InvalidArgument("widths must be given with search = given, and only then");
  if (options.widths.size() > 1 && options.widths.size() != d)
    throw InvalidArgument(fmt::format("widths has {} entries; it must have one, or one per column of X: {}", options.widths.size(), d));
  for (const double width : options.widths) validate::positive(width, "an entry of widths");
  for (const auto& [size, name] : {std::pair{options.input_names.size(), "input_names"}, {options.input_groups.size(), "input_groups"}})
    if (size != 0 && size != d)
      throw InvalidArgument(fmt::format("{} has {} entries; it must have one per column of X: {}", name, size, d));
}

namespace {

// Rows that are equal are one here, so that a table with repeated rows is answered as one with weights.
void refuse_vectors_of_centres(const KernelOptions& options, const DifferentRows& rows) {
  const auto n = static_cast<Index>(rows.first.size());
  if (is_low_rank(options, n) && (options.all_vectors || options.num_vectors > 0))
    throw InvalidArgument(
        fmt::format("vectors applies only with centres = all: of {} different rows the fit takes {} as centres, which are the vectors; "
                    "leave out vectors, or give centres = all",
                    n, centres_of(options)));
}

}  // namespace

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
  each([&](std::size_t i) { out[i] = outlook_of_part(*part.evidence(leaders[i]), leaders[i].given); });
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

namespace {

// Weights by the evidence, and without hypotheses that the data hardly support.
void weigh(std::vector<FoundHypothesis>& found) {
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

// Of the hypotheses that are used.
void average(const Problem& problem, const std::vector<Candidate>& candidates, std::vector<FoundHypothesis>& found) {
  if (!problem.average) return;
  const auto corners = corners_of(problem, candidates, found);
  parallel_for(static_cast<Index>(found.size()), threads_of_search(problem), [&](Index i) {
    const auto at = static_cast<std::size_t>(i);
    if (found[at].weight > 0) place_points(*found[at].evidence, candidates[at].given, found[at].hypothesis, corners[at]);
  });
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
  static double width(const Part& part) { return -part.theta.segment(1, part.evidence->covariance().num_widths()).mean(); }

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

KernelHypothesis described(ProcessEvidence& evidence, const WidthHypothesis& found, const Candidate& candidate,
                           const KernelInputs& inputs) {
  const Vector log_rho = found.best.theta.tail(found.best.theta.size() - 1);
  KernelHypothesis out;
  out.linear_share = evidence.linear_share(found.best.theta);
  out.kernel = evidence.covariance().kernel(log_rho);
  out.each = candidate.widths != WidthKind::shared && candidate.group.size() > 1;
  out.signal = std::exp(found.best.theta[0]);
  out.log_evidence = found.log_evidence;
  const auto add = [&](Index group, double unit) {
    const double width = std::exp(-log_rho[group]) * unit;
    constexpr double z = 1.959963984540054;
    const double sd = candidate.widths == WidthKind::fixed ? 0 : std::sqrt(found.covariance(group + 1, group + 1));
    out.widths.push_back(width);
    out.intervals.push_back({width * std::exp(-z * sd), width * std::exp(z * sd)});
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < candidate.group.size(); ++j) {
    const Index group = candidate.group[j];
    if (group < 0 && out.each) {
      out.widths.push_back(infinity);
      out.intervals.push_back({infinity, infinity});
    } else if (group >= 0 && (out.each || out.widths.empty())) {
      add(group, out.each || candidate.group.size() == 1 ? 1 / inputs.scale[static_cast<Index>(j)] : 1.0);
    }
  }
  return out;
}

namespace {

ProcessOutcome fit_process(const Problem& problem, const KernelOptions& options, const KernelInputs& inputs) {
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

}  // namespace

// Two tables with columns that are drawn independently, and of each input or group the covariance of f(B) with what changes in f(A) if
// this input comes from B.                                                                                                       (KM.9)
Vector variance_shares(MatrixView X, const DifferentRows& rows, const std::vector<Index>& groups, const KernelFit& fit) {
  constexpr Index draws = 1024;
  const Index d = X.cols();
  Vector upto = rows.k;
  std::partial_sum(upto.begin(), upto.end(), upto.begin());
  Normals random(1);
  const auto group_of = [&](Index j) { return groups.empty() ? j : groups[static_cast<std::size_t>(j)]; };
  const auto drawn_row = [&] {
    const double at = random.uniform() * upto[upto.size() - 1];
    return rows.first[static_cast<std::size_t>(std::lower_bound(upto.begin(), upto.end(), at) - upto.begin())];
  };
  std::map<Index, std::vector<Index>> inputs;  // of each group
  for (Index j = 0; j < d; ++j) inputs[group_of(j)].push_back(j);
  Matrix A(draws, d), B(draws, d);
  for (const auto& [group, columns] : inputs)
    for (Index i = 0; i < draws; ++i) {
      const Index a = drawn_row(), b = drawn_row();
      for (const Index j : columns) A(i, j) = X(a, j), B(i, j) = X(b, j);
    }
  std::vector<Matrix> tables = {A, B};  // and A with the inputs of each group from B
  for (const auto& [group, columns] : inputs) {
    Matrix& one = tables.emplace_back(A);
    for (const Index j : columns) one.col(j) = B.col(j);
  }
  const std::vector<Vector> means = function_means(fit, 0, tables);
  const Vector &of_A = means[0], &of_B = means[1];
  const double centre = 0.5 * (of_A.mean() + of_B.mean());
  const double variance = 0.5 * ((of_A.array() - centre).square().mean() + (of_B.array() - centre).square().mean());
  Vector share = Vector::Zero(d);
  if (!(variance > 0)) return share;
  for (std::size_t at = 2; const auto& [group, columns] : inputs) {
    const double covariance = ((of_B.array() - centre) * (means[at++] - of_A).array()).mean();
    for (const Index j : columns) share[j] = std::clamp(covariance / variance, 0.0, 1.0);
  }
  return share;
}

// Collects the vectors of all processes, each once, in the order of the rows, and describes the fit.
void finish(MatrixView X, const DifferentRows& rows, std::vector<ProcessOutcome>&& outcomes, KernelFit& fit) {
  std::map<Index, Index> position;
  for (const ProcessOutcome& outcome : outcomes)
    for (const Index row : outcome.rows) position.emplace(row, 0);
  fit.relevance_vectors.resize(static_cast<Index>(position.size()), X.cols());
  Index next = 0;
  for (auto& [row, at] : position) {
    at = next++;
    const Index of_table = rows.first[static_cast<std::size_t>(row)];
    fit.relevance_rows.push_back(of_table);
    for (Index j = 0; j < X.cols(); ++j) fit.relevance_vectors(at, j) = X(of_table, j);
  }
  bool converged = true, width_at_limit = false, no_noise = false;
  for (ProcessOutcome& outcome : outcomes) {
    for (KernelPoint& point : outcome.process.points)
      for (Index& vector : point.vectors) vector = position.at(outcome.rows[static_cast<std::size_t>(vector)]);
    fit.log_evidence += outcome.process.log_evidence;
    fit.report.sweeps += outcome.steps;
    converged &= outcome.converged;
    width_at_limit |= outcome.width_at_limit;
    no_noise |= outcome.no_noise;
    fit.processes.push_back(std::move(outcome.process));
  }
  fit.report.status = converged ? Status::converged : Status::max_sweeps;
  fit.report.message = converged ? fmt::format("the evidence is at its maximum after {} steps", fit.report.sweeps)
                                 : "the search for the widths ended before the evidence was at its maximum";
  if (width_at_limit)
    fit.report.warnings.emplace_back(
        "the search for a width, or for the size of the function, ended at its limit: the rows do not determine it");
  if (no_noise)
    fit.report.notes.emplace_back(
        fit.task == Task::linear
            ? "the rows show hardly any noise: its standard deviation is taken to be at least 1/8000 of that of the function"
            : "the classes are separated: nothing in the rows says how steep the probability is at their border");
  fit.report.bound = fit.log_evidence;
}

std::vector<std::string> input_names(const KernelOptions& options, Index num_inputs) {
  std::vector<std::string> out = options.input_names;
  for (Index j = static_cast<Index>(out.size()); j < num_inputs; ++j) out.push_back(validate::column_name({}, j));
  return out;
}

void take_inputs(const KernelOptions& options, KernelInputs& inputs, KernelFit& fit) {
  fit.input_names = input_names(options, inputs.scale.size());
  fit.input_center = inputs.center;
  fit.input_scale = inputs.scale;
  fit.report.notes = std::move(inputs.notes);
  fit.report.warnings = std::move(inputs.warnings);
}

namespace {

void start(MatrixView X, const KernelOptions& options, const DifferentRows& rows, KernelInputs& inputs, KernelFit& fit) {
  refuse_vectors_of_centres(options, rows);
  const InputScale divide_by = options.standardize ? InputScale::deviation : InputScale::nothing;
  inputs = prepare_inputs(X, rows, divide_by, input_names(options, X.cols()));
  take_inputs(options, inputs, fit);
  fit.num_rows = rows.k.sum();
}

}  // namespace

}  // namespace ardvark::internal

namespace ardvark {

using namespace internal;

KernelRegression internal::fit_regression_in_memory(MatrixView X, VectorView y, const KernelOptions& options) {
  pulse("preparing");
  const blas::ThreadScope threads(options.threads);
  const Stopwatch watch;
  KernelRegression fit;
  fit.task = Task::linear;
  const DifferentRows rows = different_rows(X, y, options.weights);
  KernelInputs inputs;
  start(X, options, rows, inputs, fit);
  if (!(fit.num_rows > 1)) throw InvalidArgument(fmt::format("X has {:.6g} row; a kernel regression needs at least 2", fit.num_rows));
  const MachineTarget target = regression_target(entries(y, rows.first), rows.k, fit.report.warnings);
  fit.target_center = target.center;
  fit.target_scale = target.scale;
  fit.degrees_of_freedom = fit.num_rows - 1;
  std::vector<ProcessOutcome> outcome;
  const bool low_rank = is_low_rank(options, inputs.Z.rows());
  if (!low_rank) require_memory(inputs.Z.rows());
  const auto fit_any = low_rank ? fit_low_rank : fit_process;
  outcome.push_back(fit_any({inputs.Z, rows.k, target.t, false, options.average}, options, inputs));
  finish(X, rows, std::move(outcome), fit);
  if (low_rank) fit.report.notes.push_back(note_on_centres(fit));
  const double to_units = (fit.num_rows - 1) * std::log(target.scale) + 0.5 * rows.k.array().log().sum();  // of the target and the rows
  for (KernelHypothesis& one : fit.processes.front().hypotheses) one.log_evidence -= to_units;
  fit.log_evidence -= to_units;
  fit.report.bound = fit.processes.front().log_evidence = fit.log_evidence;
  describe_rows(X, y, weights_or_ones(options.weights, X.rows()), fit);
  fit.variance_share = variance_shares(X, rows, options.input_groups, fit);
  fit.report.seconds = watch.seconds();
  return fit;
}

KernelClassification internal::fit_classes_in_memory(MatrixView X, VectorView labels, const KernelOptions& options) {
  pulse("preparing");
  const blas::ThreadScope threads(options.threads);
  const Stopwatch watch;
  KernelClassification fit;
  fit.task = Task::logistic;
  const DifferentRows rows = different_rows(X, labels, options.weights);
  ClassTargets targets = class_targets(entries(labels, rows.first), options.class_names);
  fit.classes = std::move(targets.classes);
  KernelInputs inputs;
  start(X, options, rows, inputs, fit);
  std::vector<ProcessOutcome> outcomes;
  const bool average = options.average, low_rank = is_low_rank(options, inputs.Z.rows());
  if (!low_rank) require_memory(inputs.Z.rows());
  const auto fit_any = low_rank ? fit_low_rank : fit_process;
  for (const MachineTarget& target : targets.targets)
    outcomes.push_back(fit_any({inputs.Z, rows.k, target.t, true, average}, options, inputs));
  finish(X, rows, std::move(outcomes), fit);
  if (low_rank) fit.report.notes.push_back(note_on_centres(fit));
  describe_rows(X, labels, weights_or_ones(options.weights, X.rows()), fit);
  if (fit.classes.size() == 2) fit.variance_share = variance_shares(X, rows, options.input_groups, fit);
  fit.report.seconds = watch.seconds();
  return fit;
}

namespace {

// Where a fit with centres has many rows, a fit by passes, which searches with a sample first, is up to ten times as fast and predicts as
// well.                                                                                                                        (PASS.7)
bool goes_by_passes(MatrixView X, VectorView y, const KernelOptions& options) {
  const auto has_many = [&](Index rows) { return is_low_rank(options, rows) && rows > 2 * rows_of_sample(options); };
  return !options.all_vectors && options.num_vectors == 0 && has_many(X.rows()) && has_many(different_rows(X, y, options.weights).k.size());
}

template <typename FitRows>
auto fit_by_passes(MatrixView X, VectorView y, KernelOptions options, FitRows&& fit) {
  const VectorView weights = std::exchange(options.weights, {});
  return fit(rows_from([&](const TakeRows& take) { take(X, y, weights); }), options);
}

}  // namespace

KernelRegression fit_kernel_regression(MatrixView X, VectorView y, const KernelOptions& options) {
  validate_options(options, X);
  validate::vector(y, X.rows(), "y");
  if (!goes_by_passes(X, y, options)) return fit_regression_in_memory(X, y, options);
  return fit_by_passes(X, y, options, [](const auto&... of_rows) { return fit_kernel_regression(of_rows...); });
}

KernelClassification fit_kernel_classification(MatrixView X, VectorView labels, const KernelOptions& options) {
  validate_options(options, X);
  validate::vector(labels, X.rows(), "labels");
  if (!goes_by_passes(X, labels, options) || std::set<double>(labels.begin(), labels.end()).size() > most_classes_by_passes)
    return fit_classes_in_memory(X, labels, options);
  return fit_by_passes(X, labels, options, [](const auto&... of_rows) { return fit_kernel_classification(of_rows...); });
}

}  // namespace ardvark
