// Fits one machine with a given kernel: chooses columns, then fits them.                                       docs/math/relevance.md (RVM)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fit/checked.hpp"
#include "method/greedy/greedy_preset.hpp"
#include "predict/predictive.hpp"
#include "prior/hyperprior_cost.hpp"
#include "relevance/of_columns.hpp"
#include "relevance/relevance_problem.hpp"
#include "target/target.hpp"

namespace ardvark::internal {
namespace {

class Machine {
 public:
  Machine(const RelevanceProblem& problem, const Kernel& kernel, const MachineTarget& target)
      : problem_(problem), options_(problem.options), kernel_(kernel), target_(target) {}

  FittedMachine run() {
    const std::vector<Index> at = problem_.candidates(kernel_);
    if (options_.algorithm == RelevanceAlgorithm::plain) return plain(at, false);
    if (options_.algorithm == RelevanceAlgorithm::pruned) return prune(at);
    KernelDesign basis = problem_.design(kernel_, at, RelevanceProblem::Effort().tolerance);
    if (options_.algorithm == RelevanceAlgorithm::type_two) return type_two(at, basis);
    FittedMachine fast = refine(at, problem_.search_columns(basis, target_, {}));
    if ((basis.is_kept() || basis.factors() != nullptr) && !problem_.progress.stopped()) {  // larger problems would take a minute more
      FittedMachine other = refine(at, problem_.search_columns(basis, target_, {.cost_at_once = true}));
      if (other.log_evidence > fast.log_evidence) fast = std::move(other);
    }
    if (static_cast<Index>(at.size()) > options_.compare_up_to || problem_.progress.stopped()) return fast;
    FittedMachine slow = plain(at, true);  // if these sweeps do not converge, the fit of the kept columns still does
    const bool better = slow.log_evidence > fast.log_evidence + 1e-6;
    if (better)
      slow.notes.push_back(fmt::format(
          "sweeps over all {} kernel columns reached a higher log evidence than the greedy choice and were kept: {:.4f} against {:.4f}",
          at.size(), slow.log_evidence, fast.log_evidence));
    return better ? slow : fast;
  }

 private:
  // The greedy choice, then sweeps over it.
  FittedMachine refine(const std::vector<Index>& at, const GreedyOutcome& outcome) {
    FittedMachine out;
    std::vector<double> start;
    for (std::size_t i = 0; i + 1 < outcome.columns.size(); ++i) {  // the last is the bias
      out.vectors.push_back(at[static_cast<std::size_t>(outcome.columns[i])]);
      start.push_back(outcome.alpha[static_cast<Index>(i)]);
    }
    settle(out, start, outcome.noise_precision / (target_.scale * target_.scale));
    if (outcome.status == Status::max_sweeps) {
      out.fit.report.status = Status::max_sweeps;
      out.fit.report.message = outcome.message + "; " + out.fit.report.message;
    }
    return out;
  }

  // The published algorithm: sweeps over all columns, then over the relevant ones.
  FittedMachine plain(const std::vector<Index>& at, bool to_compare) {
    FittedMachine out;
    out.vectors = at;
    FitOptions options = sweep_options(at);
    options.accelerate = to_compare;
    out.fit = sweep(out.vectors, options);
    const Status all = out.fit.report.status;
    const std::string message = out.fit.report.message;
    const std::vector<double> start = drop_irrelevant(out);
    settle(out, start, noise_of(out.fit));
    if (!to_compare && all != Status::converged && all != Status::stopped_by_user) {
      out.fit.report.status = all;
      out.fit.report.message = fmt::format("over all {} columns: {}", at.size(), message);
    }
    return out;
  }

  // The SLR toolbox's algorithm: starts with all columns; those with infinite precision leave.                                (SLR.6)
  FittedMachine prune(const std::vector<Index>& at) {
    FitOptions options = options_for_preset("slr_rvm", options_.compat);
    if (!options_.compat) options.weights = problem_.k;
    options.max_sweeps = options_.max_sweeps;
    options.pruning.threshold = options_.prune_at;
    options.record_every = options_.record_every;
    if (!options_.intercept) options.intercept = options.penalize_intercept = false;
    options.start_precision = start_of_candidates(at);
    options.keep_covariance = Keep::always;
    options.on_sweep = [this](const Progress& p) { return problem_.progress.step(p.bound); };
    options.column_names = names(at);
    FittedMachine out;
    const Fit all = sweep(at, options);
    std::vector<Index> columns;
    for (std::size_t j = 0; j < at.size(); ++j)
      if (all.relevant[j]) {
        columns.push_back(static_cast<Index>(j));
        out.vectors.push_back(at[j]);
      }
    out.fit = all.mean.allFinite() ? of_columns(all, columns, options_.prune_at) : all;
    out.log_evidence = out.fit.bound;
    out.candidate_mean = all.standardized_mean;
    if (options_.compat && all.mean.allFinite()) {  // the program predicts its training rows before the last columns leave
      Vector m;
      predictive_moments(all, problem_.columns(kernel_, at), m, nullptr);
      out.candidate_probability.resize(m.size(), 2);
      for (Index i = 0; i < m.size(); ++i) out.candidate_probability.row(i) << sigmoid(-m[i]), sigmoid(m[i]);
    }
    return out;
  }

  // RelevanceOptions::start_precision for these columns; it is given for the rows of the table.
  [[nodiscard]] std::vector<double> start_of_candidates(const std::vector<Index>& at) const {
    const std::vector<double>& given = options_.start_precision;
    std::vector<double> start;
    if (given.empty()) return start;
    for (Index i : at) start.push_back(given[static_cast<std::size_t>(problem_.rows[static_cast<std::size_t>(i)])]);
    if (given.size() > problem_.row_of.size()) start.push_back(given.back());
    return start;
  }

  // Repeats sweeps until every remaining column is relevant.
  void settle(FittedMachine& out, std::vector<double> start, double noise) {
    int sweeps = 0;
    for (;;) {
      FitOptions options = sweep_options(out.vectors);
      options.start_precision = start;
      options.start_noise = has_noise(problem_.task) ? noise : 0;
      out.fit = sweep(out.vectors, options);
      sweeps += out.fit.report.sweeps;
      const std::size_t before = out.vectors.size();
      if (problem_.progress.stopped() || !out.fit.mean.allFinite()) break;
      start = drop_irrelevant(out);
      if (out.vectors.size() == before) break;
      noise = noise_of(out.fit);
    }
    out.fit.report.sweeps = sweeps;
    const auto columns = static_cast<double>(out.fit.precision.size());
    out.log_evidence = out.fit.bound - columns * hyperprior_cost(options_.precision.shape, 0.5) - precision_cost(out.fit.precision);
    if (has_noise(problem_.task)) out.log_evidence -= hyperprior_cost(options_.noise.shape, 0.5 * out.fit.num_rows);
  }

  // Removes all columns whose precision would be infinite without the hyper-prior, or that the data hardly determine. If there are none,
  // removes the column with the smallest gain among those that gain less than the cost of their precision, or an eighth of these columns,
  // so that the number of fits grows slowly with their number. Returns the precisions of the others.                           (RVM.4)
  static std::vector<double> drop_irrelevant(FittedMachine& out) {
    const Fit& fit = out.fit;
    std::vector<std::size_t> kept;
    std::vector<std::pair<double, std::size_t>> unworthy;  // the gain, and the column
    for (Index j = 0; j < fit.num_columns(); ++j) {
      const double determined = fit.relevance[j], ratio = fit.mean[j] * fit.mean[j] / fit.variance[j];  // w^2/V, in any units
      if (fit.group[static_cast<std::size_t>(j)] < 0 || !(determined > 1e-3) || !(ratio > determined)) continue;
      const double worth = 0.5 * (ratio + std::log(std::max(1 - determined, 1e-16)));
      if (worth < precision_cost()) unworthy.emplace_back(worth, static_cast<std::size_t>(j));
      kept.push_back(static_cast<std::size_t>(j));
    }
    if (kept.size() == out.vectors.size() && !unworthy.empty()) {
      std::sort(unworthy.begin(), unworthy.end());
      unworthy.resize(std::max<std::size_t>(unworthy.size() / 8, 1));
      std::erase_if(kept, [&](std::size_t j) {
        return std::any_of(unworthy.begin(), unworthy.end(), [j](const auto& one) { return one.second == j; });
      });
    }
    std::vector<Index> vectors;
    std::vector<double> precision;
    for (std::size_t j : kept) {
      vectors.push_back(out.vectors[j]);
      precision.push_back(fit.precision[fit.group[j]]);
    }
    out.vectors = std::move(vectors);
    return precision;
  }

  static double noise_of(const Fit& fit) { return fit.noise.rate > 0 ? fit.noise.shape / fit.noise.rate : 0.0; }

  FitOptions sweep_options(const std::vector<Index>& at) const {
    FitOptions options;
    options.integrate_few_rows = false;  // a published method
    options.prior = Prior::ard();
    options.precision = options_.precision;
    options.noise = options_.noise;
    options.posterior = LinearPosterior::factorised;
    options.likelihood = options_.likelihood;
    options.intervals = Intervals::gaussian;
    options.weights = problem_.k;
    options.max_sweeps = options_.max_sweeps;
    options.keep_covariance = Keep::always;
    options.on_sweep = [this](const Progress& p) { return problem_.progress.step(p.bound); };
    options.column_names = names(at);
    return options;
  }

  [[nodiscard]] std::vector<std::string> names(const std::vector<Index>& at) const {
    std::vector<std::string> out;
    for (Index i : at) {
      const Index row = problem_.rows[static_cast<std::size_t>(i)];
      out.push_back(row >= 0 ? fmt::format("k(row {})", row + 1) : fmt::format("k(centre {})", i + 1));
    }
    return out;
  }

  [[nodiscard]] Fit sweep(const std::vector<Index>& at, const FitOptions& options) const {
    const Matrix K = problem_.columns(kernel_, at);
    if (!K.allFinite())
      throw InvalidArgument(
          fmt::format("the kernel {} overflows for some rows: use a smaller degree, or scale the inputs down", kernel_.name()));
    Fit fit = fit_checked(problem_.task, K, target_.y, options);
    fit.classes = target_.classes;
    return fit;
  }

  FittedMachine type_two(const std::vector<Index>& at, KernelDesign& basis) {
    const RelevanceProblem::Effort free_of_cost = {.column_cost = 0};
    GreedyOutcome outcome = problem_.search_columns(basis, target_, free_of_cost);
    FittedMachine out;
    out.log_evidence = problem_.log_evidence(outcome, target_, free_of_cost);
    std::vector<Index> columns = outcome.columns;
    columns.pop_back();  // the bias
    const auto size = static_cast<Index>(columns.size());
    for (Index i = 0; i < size; ++i) {
      out.vectors.push_back(at[static_cast<std::size_t>(columns[static_cast<std::size_t>(i)])]);
      outcome.columns[static_cast<std::size_t>(i)] = i;
    }
    outcome.columns.back() = size;
    const Matrix K = problem_.columns(kernel_, out.vectors);
    Frame frame;
    frame.task = problem_.task;
    frame.X = K;
    frame.k = problem_.k;
    frame.rows = frame.k.sum();
    frame.target = target_.t;
    frame.classes = target_.classes;
    frame.units = {{basis.standardization().center(columns), basis.standardization().scale(columns), true}, target_.center, target_.scale};
    frame.names = names(out.vectors);
    frame.left_out.assign(out.vectors.size(), false);
    out.fit = assemble(frame, solution_of(outcome, frame, {size}));
    return out;
  }

  const RelevanceProblem& problem_;
  const RelevanceOptions& options_;
  const Kernel& kernel_;
  const MachineTarget& target_;
};

}  // namespace

FittedMachine fit_machine(const RelevanceProblem& problem, const Kernel& kernel, const MachineTarget& target) {
  return Machine(problem, kernel, target).run();
}

}  // namespace ardvark::internal
