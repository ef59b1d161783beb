// The system of a group of many columns, (A + I/kappa)^-1 with A = Z_B'DZ_B, from its own columns or the others, whichever are fewer.
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
  [[nodiscard]] double stretch() const { return stretch_; }         ///< ln |I + kappa A|; NaN: because of rounding, there is no inverse
  [[nodiscard]] double trace() const { return trace_; }             ///< of the inverse
  [[nodiscard]] const Vector& spread() const { return spread_; }    ///< [m] diag(Z_B inverse Z_B')
  [[nodiscard]] virtual Vector times(const Vector& c) const = 0;    ///< [k] inverse times c; c in the range of A
  [[nodiscard]] virtual Vector diagonal() const = 0;                ///< [k] of the inverse
  [[nodiscard]] virtual Matrix matrix() const = 0;                  ///< [k, k]
  [[nodiscard]] virtual DiagonalAndSquare in_the_rows() const = 0;  ///< Z_B inverse Z_B'

 protected:
  double stretch_ = 0, trace_ = 0;
  Vector spread_;
};

/// The part of a group's system that depends only on the rows. All values of h and kappa and all starts share it.
class GroupSystem {
 public:
  virtual ~GroupSystem() = default;
  [[nodiscard]] virtual std::shared_ptr<const GroupInverse> invert(double h, double kappa) const = 0;
};

enum class Side { own, others, axes };
/// The system and its inverses keep the memory of Z alive. \param first, count  the columns of the group
/// own     from I + kappa A.                                          O(m k^2 + k^3) per inverse
/// others  from the r other columns; l > 0.                           O(m r^2 + r^3) per inverse
/// axes    from the eigenvectors of A; h must always be 0.            O(k^3) once, O(m k + k^2) per inverse
/// Null: the eigenvectors could not be computed.
[[nodiscard]] std::shared_ptr<const GroupSystem> group_system(const ReducedRows& rows, Index first, Index count, Side side);

/// The system of each set, by the cheapest side. Null for small sets, where the covariance matrix itself is better.
/// \param has_dense  false: h is always 0.  \param least  smallest number of columns of a set with a system
[[nodiscard]] std::vector<std::shared_ptr<const GroupSystem>> group_systems(const ReducedRows& rows, const ColumnSets& sets, bool has_dense,
                                                                            Index least = 32);

}  // namespace ardvark::internal
