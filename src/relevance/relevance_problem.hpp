// A relevance vector machine before it is fitted: inputs, targets, candidates for relevance vectors.          docs/math/relevance.md (RVM)
#pragma once

#include "ardvark/relevance.hpp"
#include "core/stopwatch.hpp"
#include "design/kernel_design.hpp"
#include "method/greedy/greedy.hpp"
#include "relevance/kernel_search.hpp"

namespace ardvark::internal {

/// What a column at its best precision is worth less than that, in nats, because the precision had to be found.                (RVM.1)
[[nodiscard]] double precision_cost();
/// The sum over columns with these precisions, for columns and target of standard deviation 1.
[[nodiscard]] double precision_cost(const Vector& precision);

/// Type-II maximum likelihood takes no hyper-priors.
[[nodiscard]] inline bool has_hyper_priors(const RelevanceOptions& options) { return options.algorithm != RelevanceAlgorithm::type_two; }

/// What one machine explains: one for a regression or two classes, else one for each class against the rest.
struct MachineTarget {
  Vector y;  ///< [n] in the user's units; classes: 0 and 1
  Vector t;  ///< [n] as the greedy part sees it: y = center + scale t
  double center = 0;
  double scale = 1;
  std::vector<std::string> classes;  ///< of y = 0 and y = 1
};

/// Counts sweeps and actions, passes them on, and remembers that the caller wants no more.
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
  Matrix X;                 ///< [n,d] inputs as the kernel sees them; no two rows have the same inputs and target
  Vector k;                 ///< [n] observation weights
  Matrix points;            ///< [P,d] candidates for relevance vectors, all different
  std::vector<Index> rows;  ///< [P] the row of the table each is; -1: a point between the rows
  std::vector<MachineTarget> targets;
  std::vector<Index> row_of = {};  ///< [rows of the table] which row of X each is; -1: of weight 0

  [[nodiscard]] GreedyLikelihood likelihood() const;
  /// Positions in `points` of the columns that a fit with this kernel has to choose from, ascending.
  [[nodiscard]] std::vector<Index> candidates(const Kernel& kernel) const;
  /// The columns at these points, standardised, and a bias, for a search that ends at such gains in nats.
  [[nodiscard]] KernelDesign design(const Kernel& kernel, const std::vector<Index>& at, double tolerance) const;
  /// The raw kernel at these points. [n, at]
  [[nodiscard]] Matrix columns(const Kernel& kernel, const std::vector<Index>& at) const;
  /// The greedy part; its free column is the bias, the last of the design.
  struct Effort {
    bool exchange = true;                   ///< also exchanges (GREEDY.9): some tenths of a nat for five to ten times the time
    bool cost_at_once = false;              ///< columns have to be worth their price from the first on
    double tolerance = 1e-6;                ///< nats: an action that gains less is not taken
    double column_cost = precision_cost();  ///< their price; the machine of type_two pays none, but its kernel is found with it
  };
  [[nodiscard]] GreedyOutcome search_columns(KernelDesign& design, const MachineTarget& target, Effort effort) const;
  /// The log evidence of that outcome in the user's units, comparable with every other.                                       (RVM.1)
  [[nodiscard]] double log_evidence(const GreedyOutcome& outcome, const MachineTarget& target, Effort effort) const;
  [[nodiscard]] double log_prior_of_bias(const GreedyOutcome& outcome) const;
  /// What search_kernel() asks, quickly: columns are charged at once, nothing is exchanged.
  [[nodiscard]] KernelEvaluation evaluate(const Kernel& kernel) const;
  [[nodiscard]] KernelEvaluation evaluate(const Kernel& kernel, Effort effort) const;
  /// The better of columns charged at once and at the end: up to some nats higher, and ten times as slow where the kernel is narrow.
  [[nodiscard]] KernelEvaluation evaluate_closer(const Kernel& kernel) const;
  [[nodiscard]] KernelSlope evaluate_on(const Kernel& kernel, const KernelSupport& support) const;

  /// The same with some of the rows only, and of the points those that are among them.
  [[nodiscard]] RelevanceProblem part(const std::vector<Index>& some_rows) const;
};

/// What one machine was found to be.
struct FittedMachine {
  std::vector<Index> vectors;  ///< positions in RelevanceProblem::points, ascending
  Fit fit;
  double log_evidence = 0;
  Vector candidate_mean;  ///< as RelevanceMachine's
  Matrix candidate_probability;
  std::vector<std::string> notes;
};
/// By RelevanceOptions::algorithm, with this kernel.                                                                  (RVM.2), (RVM.3)
[[nodiscard]] FittedMachine fit_machine(const RelevanceProblem& problem, const Kernel& kernel, const MachineTarget& target);

}  // namespace ardvark::internal
