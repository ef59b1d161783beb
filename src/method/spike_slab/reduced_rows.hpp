// A linear problem with a shared ridge, in the coordinates in which the ridge is diagonal.                         docs/math/sparse.md
#pragma once

#include <memory>
#include <vector>

#include "posterior/mixture.hpp"

namespace ardvark::internal {

/// The columns of a design that have the prior, in an order in which the columns of a group are side by side.
struct PenalisedColumns {
  std::vector<Index> columns;  ///< [p] positions in the design
  std::vector<Index> begin;    ///< [groups + 1] group g holds columns begin[g] .. begin[g+1]-1
  std::vector<Index> flat;     ///< columns of the design without a prior, ascending
  [[nodiscard]] Index size() const { return static_cast<Index>(columns.size()); }
  [[nodiscard]] Index num_groups() const { return static_cast<Index>(begin.size()) - 1; }
  [[nodiscard]] Index group_begin(Index g) const { return begin[static_cast<std::size_t>(g)]; }
  [[nodiscard]] Index group_size(Index g) const { return begin[static_cast<std::size_t>(g) + 1] - begin[static_cast<std::size_t>(g)]; }
};

class GroupSystem;

/// For each column, the others whose correlation with it may be above one half: all that are, and few more.                  (SP.13)
using NearColumns = std::vector<std::vector<Index>>;

/// Z'Z = X~'X~ and Z'y = X~'y~ with X~ = diag(omega)^1/2 (X - flat part), and Z Z' = diag(l): m = min(rows, p) or fewer rows.  (SP.2)
struct ReducedRows : DenseBasis {
  Vector y;                            ///< [m]
  double rest = 0;                     ///< y~'y~ - y'y
  double square = 0;                   ///< |Z|^2; divided by p: the mean square norm of a column
  double degrees = 0;                  ///< sum of the observation weights minus the number of flat columns
  Matrix U;                            ///< [rows, m] X~ = U Z, with KeepBasis::yes, else empty                                       (SL.2)
  std::shared_ptr<const Matrix> gram;  ///< [p, p] Z'Z, if it was computed anyway, else null; may be freed
  std::shared_ptr<const NearColumns> near;  ///< null: not known
  /// The systems of large groups, one entry per set; empty if there are none; may be freed.                             (SP.17)
  std::vector<std::shared_ptr<const GroupSystem>> systems;

  // The flat columns F.                                                                              (RIDGE.7)
  Vector flat_mean;        ///< [flats]    (F'OF)^-1 F'O y
  double log_det_FOF = 0;  ///< ln |F'OF|

  [[nodiscard]] Index size() const { return G.cols(); }
  [[nodiscard]] Index rank() const { return l.size(); }  ///< m
  [[nodiscard]] Vector project(const Vector& u) const;   ///< [p] Z'u
};

enum class KeepBasis { no, yes };
/// How Z is made. Without a dense part, l is 0 and has no meaning: `as_they_are` avoids the decomposition, Z = X~; `to_triangle` makes Z
/// from the Cholesky factor of the Gram matrix, if there are no more columns than rows and none is a combination of others.
enum class Rotation { to_diagonal, as_they_are, to_triangle };
/// \param omega  [rows] >= 0; for a linear model the observation weights
/// \param y      [rows] (working) target
/// \param products  of the Gram matrix, with no more columns than rows; single precision only if the result does not lose digits  (MP.3)
/// False: the flat columns are linearly dependent, or a value is not finite.      O(n p min(n,p) + min(n,p)^3)
[[nodiscard]] bool reduce_rows(Design& X, const PenalisedColumns& which, const Vector& omega, const Vector& y, double num_rows,
                               KeepBasis basis, ReducedRows& out, Rotation rotation = Rotation::to_diagonal,
                               Products products = Products::double_precision);

/// What many targets of the same columns share.                                                                              (TGT.9)
struct ReducedColumns {
  ReducedRows rows;  ///< with U, without a target
  Vector root;       ///< [rows] omega^1/2
  Matrix flat;       ///< [rows, flats] orthonormal: the flat columns, times root

  /// As reduce_rows() with KeepBasis::no, but for rounding.                                                    O(n m)
  [[nodiscard]] ReducedRows with_target(const Vector& y) const;
};

/// Null: the flat columns are linearly dependent, a value is not finite, or reduce_rows() decomposes the rows together with a target,
/// because the Gram matrix has lost digits.                                            O(n p min(n,p) + min(n,p)^3)
[[nodiscard]] std::unique_ptr<ReducedColumns> reduce_columns(Design& X, const PenalisedColumns& which, const Vector& omega,
                                                             double num_rows);

}  // namespace ardvark::internal
