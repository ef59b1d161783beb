// Greedy maximisation of the evidence: one column is added, changed or deleted at a time.                         docs/math/greedy.md
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "ardvark/report.hpp"
#include "design/design.hpp"

namespace ardvark::internal {

enum class GreedyLikelihood {
  gaussian,       ///< noise precision tau, known or re-estimated
  bernoulli,      ///< logistic, Laplace's approximation at the mode
  logistic_bound  ///< logistic, the Jaakkola-Jordan bound at its best xi
};

/// A Gamma prior with shape and rate; both 0: no prior (type-II maximum likelihood).
struct GreedyPrior {
  double shape = 0;
  double rate = 0;
};

struct GreedySettings {
  GreedyLikelihood likelihood = GreedyLikelihood::gaussian;
  Vector weights;                                                  ///< [rows] a weight equals repetition; >= 0, not all zero; empty: ones
  double noise_precision = 0;                                      ///< gaussian: the first tau, >= 0; 0: 1/(0.1 sd of the target)^2
  bool fixed_noise = false;                                        ///< gaussian: tau stays what it is
  std::vector<Index> free_columns;                                 ///< never deleted, their precision held at free_precision
  double free_precision = std::numeric_limits<double>::epsilon();  ///< > 0, of the column scaled to unit length; as published
  std::vector<Index> start_columns;                                ///< not free: in the model at the beginning
  Vector start_precision;                                          ///< [start_columns] their precisions, > 0
  GreedyPrior precision;   ///< c0, d0 of each precision: both 0, or both > 0                                    (GREEDY.7)
  double column_cost = 0;  ///< nats, >= 0: what each column that is not free has to be worth                           (GREEDY.7)
  /// column_cost from the first action on; else once no action gains without it, or there is a column for every four rows: columns that
  /// only serve in pairs find their way in.
  bool cost_at_once = false;
  GreedyPrior noise;    ///< a0, b0 of tau, likewise
  int noise_every = 0;  ///< gaussian: actions between two estimates of tau; 0: after each addition and deletion, and every 5 changes
  /// gaussian, tau estimated: where the columns are kept, also begin with other noises (GREEDY.10). Others: see alike.
  bool more_starts = true;
  /// Neighbours among the columns are much alike, as those of kernels are. Not gaussian: where there are `many`, the search
  /// begins with the best model of several eighths of them, of one without more_starts.                                  (GREEDY.12)
  bool alike = false;
  static constexpr Index many = 1024;
  int max_actions = 10000;
  double tolerance = 1e-6;                                      ///< nats, > 0: an action that gains less is not taken
  int refactor_every = 50;                                      ///< actions between two computations from Cholesky factors
  double alignment = 1 - 1e-3;                                  ///< a column is not added beside one of the model at a larger |cosine|
  bool exchange = true;                                         ///< also try one column in place of another, once nothing else gains
  Index screen_block = 1024;                                    ///< columns judged at a time where rows x columns exceed most_kept
  Index most_kept = Index{1} << 25;                             ///< numbers: up to here all columns are read once and kept (256 MB)
  std::function<bool(int actions, double evidence)> on_action;  ///< after each action; false: stop
};

struct GreedyOutcome {
  Status status = Status::failed;
  std::string message;
  int num_added = 0, num_reestimated = 0, num_deleted = 0, num_exchanged = 0;
  int num_refused = 0;         ///< actions taken back because the evidence would have fallen
  int num_screens = 0;         ///< passes over all columns, where they are not kept
  std::vector<Index> columns;  ///< the model, ascending
  Vector w;                    ///< [columns] posterior mean
  Matrix V;                    ///< [columns, columns] posterior covariance
  Vector alpha;                ///< [columns] precisions
  Vector well_determined;      ///< [columns] 1 - alpha_j V_jj
  double noise_precision = 1;
  double log_evidence = 0;             ///< every constant included
  double objective = 0;                ///< what was maximised: with the penalty of hyper-priors and the cost of the columns (GREEDY.7)
  std::vector<double> evidence_trace;  ///< after each action; with hyper-priors their penalty included (GREEDY.7). Never falls, but where
                                       ///< the cost of the columns begins
  Vector m;                            ///< [rows] fitted linear predictor X w
};

/// \param basis   all candidate columns; those of length 0 are skipped
/// \param target  [rows] y, or labels 0 and 1
/// \throws InvalidArgument  a setting or a target outside its range
[[nodiscard]] GreedyOutcome greedy(Design& basis, const Vector& target, const GreedySettings& settings);

}  // namespace ardvark::internal
