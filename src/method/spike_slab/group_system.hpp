// The system of a group of many columns, (A + I/kappa)^-1 with A = Z_B'DZ_B, by its own columns or by the others, whichever are fewer.
//                                                                                                          docs/math/sparse.md (SP.17)
#pragma once

#include <memory>
#include <vector>

#include "method/spike_slab/column_blocks.hpp"

namespace ardvark::internal {

/// diag(a) + sign Y Y'.
struct DiagonalAndSquare {
  Vector a;  ///< [m]
  Matrix Y;  ///< [m, .]
  double sign = 1;
};

/// (A + I/kappa)^-1 at one h and one kappa.
class GroupInverse {
 public:
  virtual ~GroupInverse() = default;
  [[nodiscard]] double stretch() const { return stretch_; }         ///< ln |I + kappa A|; NaN: rounding has left nothing to invert
  [[nodiscard]] double trace() const { return trace_; }             ///< of the inverse
  [[nodiscard]] const Vector& spread() const { return spread_; }    ///< [m] diag(Z_B inverse Z_B')
  [[nodiscard]] virtual Vector times(const Vector& c) const = 0;    ///< [k] of a c in the range of A
  [[nodiscard]] virtual Vector diagonal() const = 0;                ///< [k] of the inverse
  [[nodiscard]] virtual Matrix matrix() const = 0;                  ///< [k, k]
  [[nodiscard]] virtual DiagonalAndSquare in_the_rows() const = 0;  ///< Z_B inverse Z_B'

 protected:
  double stretch_ = 0, trace_ = 0;
  Vector spread_;
};

/// What a group sees of the rows and of the other columns. It hangs on the rows alone: every h, kappa and start share it.
class GroupSystem {
 public:
  virtual ~GroupSystem() = default;
  [[nodiscard]] virtual std::shared_ptr<const GroupInverse> invert(double h, double kappa) const = 0;
};

enum class Side { own, others, axes };
/// The rows' Z outlives it, and what it makes. \param first, count  the columns of the group
/// own     I + kappa A itself.                                        O(m k^2 + k^3) an inverse
/// others  the r other columns; l > 0.                                O(m r^2 + r^3) an inverse
/// axes    the group's own, in which A is diagonal; h is 0 for good.  O(k^3) once, O(m k + k^2) an inverse
/// Null: the axes could not be found.
[[nodiscard]] std::shared_ptr<const GroupSystem> group_system(const ReducedRows& rows, Index first, Index count, Side side);

/// Of each set, by the side that is cheapest; empty pointers where a set is small, which its covariance matrix serves better.
/// \param has_dense  false: h is 0 throughout.  \param least  columns that are worth it
[[nodiscard]] std::vector<std::shared_ptr<const GroupSystem>> group_systems(const ReducedRows& rows, const ColumnSets& sets, bool has_dense,
                                                                            Index least = 32);

}  // namespace ardvark::internal
