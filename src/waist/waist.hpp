// The waist: the two small structs in which likelihoods, priors and solvers meet.
//
//     V^-1 = diag(a) + X' diag(omega) X        w = V X' r                                                (RIDGE.1), (RIDGE.2)
//
// A likelihood writes Rows, a prior writes the precisions a, a solver turns both into a Posterior. They share nothing else.
#pragma once

#include <algorithm>
#include <limits>

#include "ardvark/types.hpp"

namespace ardvark::internal {

/// Written by the likelihood, one entry per row.
struct Rows {
  Vector omega;  ///< weight, >= 0
  Vector r;      ///< working response
};

/// Written by a solver.
struct Posterior {
  Vector w;           ///< [p]
  Vector V_diagonal;  ///< [p]
  double log_det_V = 0;
  Vector group_square;        ///< [groups] sum of w_j^2
  Vector group_variance;      ///< [groups] sum of V_jj
  double penalty = 0;         ///< w' A w = sum of a_j w_j^2 over all columns
  double fixed_square = 0;    ///< sum of a_j w_j^2 over the columns of fixed precision
  double fixed_variance = 0;  ///< sum of a_j V_jj over the columns of fixed precision
  Vector m;                   ///< [n] X w, if the likelihood needs row moments
  Vector s;                   ///< [n] x_n' V x_n, likewise
  double residual = 0;        ///< sum omega_n (r_n/omega_n - x_n'w)^2, if the likelihood needs it
  double total_weight = 0;    ///< sum omega_n of the rows that this was built from
  double explained = 0;       ///< sum omega_n x_n'V x_n = p - sum a_j V_jj                                        (RIDGE.5)
};

/// How the columns are divided: into groups with one estimated precision each, columns of fixed precision, and flat columns without a
/// prior.
struct Partition {
  static constexpr Index flat = -1;
  static constexpr Index fixed = -2;
  static constexpr Index left_out = -3;  ///< a column of zeros at precision 1: adds exactly nothing to posterior, bound or prediction
  std::vector<Index> group;              ///< [p] group number, or flat, fixed, left_out
  std::vector<Index> group_size;         ///< [groups]
  std::vector<Index> flat_columns;
  Vector fixed_precision;  ///< [p], read where group is `fixed`; empty if no column is

  [[nodiscard]] Index num_columns() const { return static_cast<Index>(group.size()); }
  [[nodiscard]] Index num_groups() const { return static_cast<Index>(group_size.size()); }
  [[nodiscard]] Index num_flat() const { return static_cast<Index>(flat_columns.size()); }
  [[nodiscard]] Index num_left_out() const { return std::count(group.begin(), group.end(), left_out); }
  [[nodiscard]] bool has_fixed() const { return fixed_precision.size() > 0; }
  /// One estimated precision for every penalised column: what the spectral solver needs.
  [[nodiscard]] bool is_shared() const { return num_groups() == 1 && !has_fixed(); }
};

/// Parameters that a likelihood finds for itself, beside the noise precision.
struct OwnParameters {
  double dispersion = 0;                                                ///< k of counts                                       (NB.1)
  double degrees_of_freedom = std::numeric_limits<double>::infinity();  ///< of Student-t noise                                (TN.1)
  double log_mean = 0, log_sd = 0;                                      ///< of the logarithm of the one that there is         (NB.5)
  double spread = 0;                                                    ///< nats that its uncertainty adds to the bound       (NB.5)
  Vector row_weight = {};                                               ///< [rows] E lambda; empty: none                      (TN.1)
};

/// What a likelihood needs from the solver, and its properties. Combinations are checked before any work.
struct LikelihoodTraits {
  bool row_moments = false;    ///< reads Posterior::m and ::s
  bool residual = false;       ///< reads Posterior::residual
  bool constant_rows = false;  ///< omega and r never change: Gram matrices may be kept
  bool damped = false;         ///< a full step may lower the bound: the loop searches along the step
  bool separable = false;      ///< rows may be separable: their log likelihood then goes to 0 as the weights grow without limit (VG.5)
  bool to_mode = false;  ///< rows are those at the mode: with fixed precisions, the loop repeats solve and update until w converges (LAP.2)
};

}  // namespace ardvark::internal
