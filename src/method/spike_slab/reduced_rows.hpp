// A linear problem with a shared ridge under it, in the coordinates in which that ridge is diagonal.               docs/math/sparse.md
#pragma once

#include <memory>
#include <vector>

#include "posterior/mixture.hpp"

namespace ardvark::internal {

/// Which columns of a design the prior is about, and in what order: those of a group lie side by side.
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

/// Z'Z = X~'X~ and Z'y = X~'y~ with X~ = diag(omega)^1/2 (X - flat part), and Z Z' = diag(l): m = min(rows, p) or fewer rows.  (SP.2)
struct ReducedRows : DenseBasis {
  Vector y;            ///< [m]
  double rest = 0;     ///< y~'y~ - y'y
  double square = 0;   ///< |Z|^2; over p: how much of the observations a typical column sees
  double degrees = 0;  ///< sum of the observation weights less the number of flat columns
  Matrix U;            ///< [rows, m] X~ = U Z, if it was asked for                                                   (SL.2)
  Matrix gram;         ///< [p, p] Z'Z, of a linear model where it was at hand; may be given back; else empty
  /// Of each set of a partition into groups, where it has them; may be given back.                                     (SP.17)
  std::vector<std::shared_ptr<const GroupSystem>> systems;

  // The flat columns F: what they take off the target.                                               (RIDGE.7)
  Vector flat_mean;        ///< [flats]    (F'OF)^-1 F'O y
  double log_det_FOF = 0;  ///< ln |F'OF|

  [[nodiscard]] Index size() const { return G.cols(); }
  [[nodiscard]] Index rank() const { return l.size(); }  ///< m
  [[nodiscard]] Vector project(const Vector& u) const;   ///< [p] Z'u
};

enum class KeepBasis { no, yes };
/// How Z comes about. Where no dense part is asked for, `as_they_are` spares the decomposition: Z = X~, and l says nothing.
enum class Rotation { to_diagonal, as_they_are };
/// \param omega  [rows] >= 0; of a linear model the observation weights
/// \param y      [rows] (working) target
/// \param products  of the Gram matrix of more rows than columns; in single precision only where nobody can tell              (MP.3)
/// False: the flat columns are linearly dependent, or something is not finite.    O(n p min(n,p) + min(n,p)^3)
[[nodiscard]] bool reduce_rows(Design& X, const PenalisedColumns& which, const Vector& omega, const Vector& y, double num_rows,
                               KeepBasis basis, ReducedRows& out, Rotation rotation = Rotation::to_diagonal,
                               Products products = Products::double_precision);

}  // namespace ardvark::internal
