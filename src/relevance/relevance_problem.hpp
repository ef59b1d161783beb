// A relevance vector machine before it is fitted: inputs, targets, candidates for relevance vectors.          docs/math/relevance.md (RVM)
#pragma once

#include "ardvark/relevance.hpp"
#include "core/stopwatch.hpp"
#include "design/kernel_design.hpp"
#include "frame/kernel_inputs.hpp"
#include "method/greedy/greedy.hpp"
#include "relevance/kernel_search.hpp"

namespace ardvark::internal {

/// The cost of estimating the precision of a column, in nats: it is subtracted from the value at the best precision.               (RVM.1)
[[nodiscard]] double precision_cost();
/// The sum of the costs for columns with these precisions; columns and target have standard deviation 1.
[[nodiscard]] double precision_cost(const Vector& precision);

/// Type-II maximum likelihood has no hyper-priors.
[[nodiscard]] inline bool has_hyper_priors(const RelevanceOptions& options) { return options.algorithm != RelevanceAlgorithm::type_two; }

/// Counts sweeps and actions, reports them to the callback, and remembers that it asked to stop.
class RelevanceProgress {
 public:
  explicit RelevanceProgress(const SweepCallback& callback) : callback_(callback) {}
  bool step(double evidence);
  [[nodiscard]] bool stopped() const { return stopped_; }
  [[nodiscard]] double seconds() const { return watch_.seconds(); }

 private:
  const SweepCallback& callback_;
  Stopwatch watch_;
  int steps_ = 0;
  bool stopped_ = false;
};

struct RelevanceProblem {
  Task task = Task::linear;
  const RelevanceOptions& options;
  RelevanceProgress& progress;
  Matrix X;                 ///< [n,d] inputs as the kernel uses them; no two rows have the same inputs and target
  Vector k;                 ///< [n] observation weights
  Matrix points;            ///< [P,d] candidates for relevance vectors, all different
  std::vector<Index> rows;  ///< [P] row of the table; -1: a point that is not a row
  std::vector<MachineTarget> targets;
  std::vector<Index> row_of = {};  ///< [rows of the table] the row of X; -1: weight 0

  [[nodiscard]] GreedyLikelihood likelihood() const;
  /// The candidate columns for a fit with this kernel, as positions in `points`, ascending.
  [[nodiscard]] std::vector<Index> candidates(const Kernel& kernel) const;
  /// The standardised columns at these points and a bias. tolerance: gains in nats at which the search ends.
  [[nodiscard]] KernelDesign design(const Kernel& kernel, const std::vector<Index>& at, double tolerance) const;
  /// The raw kernel at these points. [n, at]
  [[nodiscard]] Matrix columns(const Kernel& kernel, const std::vector<Index>& at) const;
  /// Settings of the greedy search. Its free column is the bias, the last column of the design.
  struct Effort {
    bool exchange = true;                   ///< also exchanges (GREEDY.9): some tenths of a nat for five to ten times the time
    bool cost_at_once = false;              ///< the cost of columns counts from the beginning
    double tolerance = 1e-6;                ///< nats: actions with smaller gains are not taken
    double column_cost = precision_cost();  ///< cost per column; type_two uses it only for finding the kernel
  };
  [[nodiscard]] GreedyOutcome search_columns(KernelDesign& design, const MachineTarget& target, Effort effort) const;
  /// The log evidence of the outcome in the user's units; comparable with all others.                                         (RVM.1)
  [[nodiscard]] double log_evidence(const GreedyOutcome& outcome, const MachineTarget& target, Effort effort) const;
  [[nodiscard]] double log_prior_of_bias(const GreedyOutcome& outcome) const;
  /// A quick evaluation for search_kernel(): the cost of columns counts from the beginning, and there are no exchanges.
  [[nodiscard]] KernelEvaluation evaluate(const Kernel& kernel) const;
  [[nodiscard]] KernelEvaluation evaluate(const Kernel& kernel, Effort effort) const;
  /// The better of two searches, with the cost of columns from the beginning or only at the end. Up to some nats higher, but ten times
  /// slower for a narrow kernel.
  [[nodiscard]] KernelEvaluation evaluate_closer(const Kernel& kernel) const;
  [[nodiscard]] KernelSlope evaluate_on(const Kernel& kernel, const KernelSupport& support) const;

  /// The same problem with only some of the rows, and with the points among them.
  [[nodiscard]] RelevanceProblem part(const std::vector<Index>& some_rows) const;
};

/// The result of one machine.
struct FittedMachine {
  std::vector<Index> vectors;  ///< positions in RelevanceProblem::points, ascending
  Fit fit;
  double log_evidence = 0;
  Vector candidate_mean;  ///< see RelevanceMachine
  Matrix candidate_probability;
  std::vector<std::string> notes;
};
/// Fits a machine with this kernel by RelevanceOptions::algorithm.                                                                (RVM.2),
/// (RVM.3)
[[nodiscard]] FittedMachine fit_machine(const RelevanceProblem& problem, const Kernel& kernel, const MachineTarget& target);

}  // namespace ardvark::internal
