// What is asked of a few weights, or of draws of all, without the full covariance.               docs/math/sparse.md (SP.28)
#pragma once

#include "core/normals.hpp"
#include "posterior/solver.hpp"

namespace ardvark::internal {

/// V X. \param X  [columns of the design, any]
[[nodiscard]] Matrix times(const CovarianceFactor& V, const Matrix& X);

/// Draws minus the mean, with the covariance V. Of a mixture: of one component each.
/// \return [columns of the design, count]
[[nodiscard]] Matrix deviations(const CovarianceFactor& V, Index num_columns, Index count, Normals& random);

}  // namespace ardvark::internal
