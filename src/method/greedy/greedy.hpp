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
  Vector weights;                                                  ///< [rows] weight k = the row k times; >= 0, not all zero; empty: ones
  double noise_precision = 0;                                      ///< gaussian: the first tau, >= 0; 0: 1/(0.1 sd of the target)^2
  bool fixed_noise = false;                                        ///< gaussian: tau does not change
  std::vector<Index> free_columns;                                 ///< never deleted; their precision is always free_precision
  double free_precision = std::numeric_limits<double>::epsilon();  ///< > 0, for the column scaled to length one; default as published
  std::vector<Index> start_columns;                                ///< further columns that are in the model at the beginning
  Vector start_precision;                                          ///< [start_columns] their precisions, > 0
  GreedyPrior precision;   ///< c0, d0 of each precision: both 0, or both > 0                                    (GREEDY.7)
  double column_cost = 0;  ///< nats, >= 0: each column that is not free must gain at least this                        (GREEDY.7)
  /// true: column_cost applies from the first action. false: it applies once no action gains without it, or the model has a column for
  /// every four rows, so that columns that gain only in pairs can be added.
  bool cost_at_once = false;
  GreedyPrior noise;    ///< a0, b0 of tau, likewise
  int noise_every = 0;  ///< gaussian: actions between two estimates of tau; 0: after each addition and deletion, and every 5 changes
  /// gaussian, tau estimated, all columns kept in memory: also start with other values of the noise (GREEDY.10). Not gaussian: see `alike`.
  bool more_starts = true;
  /// Neighbouring columns are similar, like those of kernels. Not gaussian: if there are `many`, the search begins with the best model from
  /// four eighths of the columns, each searched alone; without more_starts, from one eighth.                             (GREEDY.12)
  bool alike = false;
  static constexpr Index many = 1024;
  int max_actions = 10000;
  double tolerance = 1e-6;                                      ///< nats, > 0: actions that gain less are not taken
  int refactor_every = 50;                                      ///< actions between two computations from Cholesky factors
  double alignment = 1 - 1e-3;                                  ///< a column is not added if its |cosine| with one of the model is larger
  bool exchange = true;                                         ///< also try to replace one column by another, once nothing else gains
  Index screen_block = 1024;                                    ///< columns judged at a time if rows x columns exceed most_kept
  Index most_kept = Index{1} << 25;                             ///< numbers: up to this size, all columns are read once and kept (256 MB)
  std::function<bool(int actions, double evidence)> on_action;  ///< after each action; false: stop
};

struct GreedyOutcome {
  Status status = Status::failed;
  std::string message;
  int num_added = 0, num_reestimated = 0, num_deleted = 0, num_exchanged = 0;
  int num_refused = 0;         ///< actions undone because the evidence would have fallen
  int num_screens = 0;         ///< passes over all columns, if they are not kept in memory
  std::vector<Index> columns;  ///< the model, ascending
  Vector w;                    ///< [columns] posterior mean
  Matrix V;                    ///< [columns, columns] posterior covariance
  Vector alpha;                ///< [columns] precisions
  Vector well_determined;      ///< [columns] 1 - alpha_j V_jj
  double noise_precision = 1;
  double log_evidence = 0;             ///< every constant included
  double objective = 0;                ///< what is maximised: log evidence, penalty of hyper-priors and cost of the columns   (GREEDY.7)
  std::vector<double> evidence_trace;  ///< the objective after each action. It never falls, except where the cost of the columns begins
                                       ///< to apply
  Vector m;                            ///< [rows] fitted linear predictor X w
};

/// \param basis   all candidate columns; those of length 0 are skipped
/// \param target  [rows] y, or labels 0 and 1
/// \throws InvalidArgument  a setting or a target outside its range
[[nodiscard]] GreedyOutcome greedy(Design& basis, const Vector& target, const GreedySettings& settings);

}  // namespace ardvark::internal
