// The gradient of the log evidence with respect to the columns of a model, and to the parameters of their kernel.
//                                                                                            docs/math/kernel_search.md (RVM.5b), (RVM.5c)
#pragma once

#include <vector>

#include "ardvark/kernel.hpp"
#include "method/greedy/greedy.hpp"

namespace ardvark::internal {

enum class ColumnLength {
  free,  ///< the length of a column may change
  fixed  ///< every column is scaled to the same length for every kernel: D has no part along the column
};

/// D = dL/dPhi at the precisions (and tau or xi) that greedy() found. They are optimal, so their changes do not matter to first order. L is
/// the objective of greedy(); with hyper-priors, it includes their penalty.                                               (RVM.5b)
/// \param basis        the design that the fit was made on
/// \param target       [rows] like for greedy()
/// \param row_weights  [rows] or empty: ones
/// \returns  [rows, fit.columns]
[[nodiscard]] Matrix column_gradient(Design& basis, const Vector& target, GreedyLikelihood likelihood, const GreedyOutcome& fit,
                                     ColumnLength length, const Vector& row_weights = {});

/// dL / d ln(parameter), where column j of the design is (k(x, c_j) - center_j) scale_j, with centers only if the design also has a
/// column of ones; columns from C.rows() on have no kernel.                                                             (RVM.5c)
/// \param X        [n,d] inputs as the kernel sees them
/// \param C        [M,d] the centres of the columns 0 .. M-1 of the design
/// \param scale    [M] or empty: ones
/// \param columns  the columns of the model, as positions in the design
/// \param D        [n, columns] from column_gradient()
/// \returns  [kernel.num_parameters()]
[[nodiscard]] Vector kernel_gradient(const Kernel& kernel, const Matrix& X, const Matrix& C, const Vector& scale,
                                     const std::vector<Index>& columns, const Matrix& D);

}  // namespace ardvark::internal
