// Which columns have an effect, at a stated false discovery rate.                                          docs/math/effects.md
#pragma once

#include <cstdint>
#include <vector>

#include "ardvark/fit.hpp"

namespace ardvark {

/// Columns of which at least one has an effect, with this probability. One column alone, or one with its neighbours.
struct EffectSet {
  std::vector<Index> columns;  ///< the most probable one first
  double probability = 0;
};

/// Why a selection has its rate.
enum class Guarantee {
  posterior,  ///< the rate holds on average over the prior: the probabilities of the sets are those of the posterior             (FDR.4)
  knockoffs,  ///< it holds whatever the effects are, if the columns are normal and their covariance is known                    (FDR.8)
};

/// What a selection at any rate is made from.
struct Effects {
  /// For each column that may have an effect, the most probable one first: the column alone, then with one more neighbour each.   (FDR.3)
  std::vector<std::vector<EffectSet>> nested;
  double fdr = 0.1;  ///< the rate that the caller of the fit asked for
  Guarantee guarantee = Guarantee::posterior;
  /// Knockoffs: for each of `nested`, which then holds one column, its inclusion less that of its knockoff, the largest first; never 0.
  /// The probability of a set is the inclusion. Otherwise empty.                                                                  (FDR.8)
  std::vector<double> differences = {};
};

struct EffectOptions {
  Task task = Task::linear;  ///< linear with normal noise, or logistic: two labels. Counts and Student-t noise: fit_model with fdr
  bool intercept = true;
  std::vector<Index> flat = {};  ///< columns that are in every model, and are not judged
  VectorView weights = {};       ///< [rows] >= 0; empty: ones
  /// [columns] of a fit. Of more than 2000 columns, the chain visits those with the largest one, down to .001, and then those that go most
  /// with the target; empty: only the latter
  VectorView inclusion = {};
  Guarantee guarantee = Guarantee::posterior;
  std::uint64_t seed = 1;  ///< the same seed gives the same result to the last bit, with any number of threads
};

/// Draws models from their posterior: 3000 draws of a chain.     O(n m^2 + draws (m + included m)), m = min(columns, 2000)      (FDR.1)
/// \param X       [n,p], finite
/// \param target  [n] numbers, or two labels
/// Knockoffs: one fit of twice the columns instead, under the prior slab; O(columns^3), up to 1000 columns, none of them flat.     (FDR.7)
/// \throws InvalidArgument  an argument has the wrong size, is not finite, or a weight is below 0; knockoffs cannot be made
[[nodiscard]] Effects find_effects(MatrixView X, VectorView target, const EffectOptions& options = {});
/// The same of a sparse X, which is never written out.
[[nodiscard]] Effects find_effects(CscView X, VectorView target, const EffectOptions& options = {});

/// Sets of columns without a common column: the share of those that hold no column with an effect is expected to be at most `fdr`. Empty if
/// nothing can be said at this rate.                                                                                    (FDR.4)
/// \param fdr  in (0, 1)
[[nodiscard]] std::vector<EffectSet> effects_at(const Effects& effects, double fdr);

}  // namespace ardvark
