// Priors of the weights: a partition of the columns into groups with one Gamma-distributed precision each, or a Laplace distribution.
#pragma once

#include <string>
#include <vector>

#include "ardvark/types.hpp"

namespace ardvark {

/// Gamma(shape, rate) with mean shape/rate. Both > 0.
struct GammaDistribution {
  double shape = 1e-2;
  double rate = 1e-4;
  [[nodiscard]] double mean() const { return shape / rate; }
};

enum class PriorKind {
  automatic,  ///< sparse. With an option that does not apply to sparse, for a softmax of several classes, and for two classes with more
              ///< than 20,000 rows and columns: ard if rows >= 5 columns, else shared; the report says which and why
  shared,     ///< one precision for all columns
  ard,        ///< one precision per column (per group, where `group` is given)
  groups,     ///< one precision per group of columns
  none,       ///< every column flat
  sparse,     ///< a few larger effects plus many small ones: spike and slab plus ridge; the data determine both sizes      (SP.1)
  slab,       ///< only the few larger effects: spike and slab
  dense,      ///< only the many small effects: a ridge with its exact log evidence
  laplace     ///< lambda/2 exp(-lambda |w_j|) for each column: L1 regularisation                                       (L1.1)
};

/// How a sweep updates the precisions of the weights.
enum class UpdateRule {
  vb,      ///< (c0 + |g|/2) / (d0 + 1/2 sum(w^2 + V)); with Jeffreys' prior |g| / sum(w^2 + V), which is EM             (LIN.2), (JJ.4)
  mackay,  ///< has the same fixed points and reaches them much sooner; the bound may fall on the way                          (OPT.6)
  laplace  ///< lambda/|w|: EM for the Laplace prior lambda/2 exp(-lambda |w|) as a scale mixture; the mode, not an average     (L1.8)
};
[[nodiscard]] const char* to_string(UpdateRule rule);

/// Columns whose precision grows without limit leave the computation; they may come back.
struct Pruning {
  double threshold = 0;   ///< a group leaves when its precision (for columns as they are scaled inside) reaches this value; 0: none leaves
  int readmit_every = 0;  ///< sweeps between two tests whether a column that left would raise the bound (OPT.5); also tested before the fit
                          ///< converges; binary fits double the interval after a test that finds none; 0: columns do not come back
  [[nodiscard]] bool is_on() const { return threshold > 0; }
};

/// The prior of the weights. Columns may also have a fixed precision, or be flat (without a prior).
///
///     Prior::ard()                                    one precision per column
///     Prior::groups({0, 0, 1, 1, 1})                  two groups
///     Prior::shared().flat({0}).fixed({3}, 2.5)       column 0 without a prior, column 3 at precision 2.5, the rest share one
///     Prior::laplace(20)                              the mode: maximum of sum_n ln p(t_n) - 20 sum_j |w_j|, for standardised columns
struct Prior {
  PriorKind kind = PriorKind::automatic;
  double lambda = 0;  ///< laplace, or UpdateRule::laplace: nats per unit of |w_j| of the standardised column, > 0. It is n times glmnet's
                      ///< lambda, and 1/C of liblinear; linear: in units of y  (L1.10). 0: chosen by cross-validation  (L1.12)
  std::vector<Index> group;             ///< [columns] group number from 0; required for PriorKind::groups, optional for ard and automatic
  std::vector<Index> flat_columns;      ///< positions of columns without a prior
  std::vector<Index> fixed_columns;     ///< positions of columns with a given precision
  std::vector<double> fixed_precision;  ///< their precisions, > 0
  std::vector<GammaDistribution> hyperprior;  ///< one per group (ard without groups: per column of X); empty: FitOptions::precision for all

  [[nodiscard]] static Prior automatic() { return {}; }
  [[nodiscard]] static Prior shared() { return of(PriorKind::shared); }
  [[nodiscard]] static Prior ard() { return of(PriorKind::ard); }
  [[nodiscard]] static Prior sparse() { return of(PriorKind::sparse); }
  [[nodiscard]] static Prior slab() { return of(PriorKind::slab); }
  [[nodiscard]] static Prior dense() { return of(PriorKind::dense); }
  [[nodiscard]] static Prior none() { return of(PriorKind::none); }
  [[nodiscard]] static Prior laplace(double lambda = 0) {
    Prior p = of(PriorKind::laplace);
    p.lambda = lambda;
    return p;
  }
  [[nodiscard]] static Prior groups(std::vector<Index> group_of_column) {
    Prior p = of(PriorKind::groups);
    p.group = std::move(group_of_column);
    return p;
  }
  [[nodiscard]] Prior flat(const std::vector<Index>& columns) const {
    Prior p = *this;
    p.flat_columns.insert(p.flat_columns.end(), columns.begin(), columns.end());
    return p;
  }
  [[nodiscard]] Prior fixed(const std::vector<Index>& columns, double precision) const {
    Prior p = *this;
    p.fixed_columns.insert(p.fixed_columns.end(), columns.begin(), columns.end());
    p.fixed_precision.insert(p.fixed_precision.end(), columns.size(), precision);
    return p;
  }

 private:
  static Prior of(PriorKind kind) {
    Prior p;
    p.kind = kind;
    return p;
  }
};
[[nodiscard]] const char* to_string(PriorKind kind);
/// Whether the prior is sparse, slab or dense.
[[nodiscard]] constexpr bool is_sparse(PriorKind kind) {
  return kind == PriorKind::sparse || kind == PriorKind::slab || kind == PriorKind::dense;
}

}  // namespace ardvark
