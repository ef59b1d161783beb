// How the evidence changes with the columns of a model, and with the parameters of the kernel that they come from.
//                                                                                            docs/math/kernel_search.md (RVM.5b), (RVM.5c)
#pragma once

#include <vector>

#include "ardvark/kernel.hpp"
#include "method/greedy/greedy.hpp"

namespace ardvark::internal {

enum class ColumnLength {
  free,  ///< a column that grows is a longer column
  fixed  ///< every column is scaled to the same length whatever the kernel: D loses its part along the column
};

/// D = dL/dPhi where the precisions (and tau or xi) are what greedy() found, which is best: they follow the columns at no first-order
/// cost. L is what greedy() maximises: with hyper-priors, their penalty included.                                         (RVM.5b)
/// \param basis        the design that the fit was made on
/// \param target       [rows] as for greedy()
/// \param row_weights  [rows] or empty: ones
/// \returns  [rows, fit.columns]
[[nodiscard]] Matrix column_gradient(Design& basis, const Vector& target, GreedyLikelihood likelihood, const GreedyOutcome& fit,
                                     ColumnLength length, const Vector& row_weights = {});

/// dL / d ln(parameter), where column j of the design is (k(x, c_j) - center_j) scale_j, with centers only if a column of ones stands
/// beside them; columns from C.rows() on have no kernel.                                                              (RVM.5c)
/// \param X        [n,d] inputs as the kernel sees them
/// \param C        [M,d] the centres of the columns 0 .. M-1 of the design
/// \param scale    [M] or empty: ones
/// \param columns  those of the model, positions in the design
/// \param D        [n, columns] from column_gradient()
/// \returns  [kernel.num_parameters()]
[[nodiscard]] Vector kernel_gradient(const Kernel& kernel, const Matrix& X, const Matrix& C, const Vector& scale,
                                     const std::vector<Index>& columns, const Matrix& D);

}  // namespace ardvark::internal
