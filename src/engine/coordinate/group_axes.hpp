// A group of many columns in the axes of its own Gram matrix, in which its system is a diagonal and what the other columns add to it.
//                                                                                                          docs/math/sparse.md (SP.17)
#pragma once

#include <memory>
#include <vector>

#include "engine/coordinate/column_blocks.hpp"

namespace ardvark {

/// (A + I/kappa)^-1 = kappa I + Q (diag(shrink) + N N') Q' of a group, A = Z_B'DZ_B.
struct GroupInverse {
  double kappa = 0;
  Vector shrink;                                      ///< [a]
  Matrix N;                                           ///< [a, r]
  double stretch = 0;                                 ///< ln |I + kappa A|
  [[nodiscard]] Vector times(const Vector& c) const;  ///< [a] of a vector in the axes
  [[nodiscard]] double trace(Index columns) const;    ///< of all of it
};

/// What a group sees of the rows and of the other columns. It hangs on the rows alone: every h, kappa and start share it.
struct GroupAxes {
  Matrix Q;       ///< [k, a] Z_B'Z_B = Q diag(lambda) Q', orthonormal
  Vector lambda;  ///< [a]
  Matrix W;       ///< [m, a] Z_B Q; empty where the group is all columns: then it is diag(lambda)^1/2
  Matrix P;       ///< [a, r] W'Z_R, R the other columns; of none, or where there is never a dense part, [a, 0]
  Matrix G;       ///< [r, r] Z_R'Z_R

  [[nodiscard]] Vector project(const Vector& u) const;               ///< [a] W'u
  [[nodiscard]] Vector apply(const Vector& x) const;                 ///< [m] W x
  [[nodiscard]] Vector times_A(double h, const Vector& x) const;     ///< [a] Q'A Q x
  [[nodiscard]] GroupInverse invert(double h, double kappa) const;   ///< O(a r^2)
  [[nodiscard]] Vector spread(const GroupInverse& inverse) const;    ///< [m] diag(Z_B inverse Z_B')
  [[nodiscard]] Vector diagonal(const GroupInverse& inverse) const;  ///< [k] of the inverse
  [[nodiscard]] Matrix matrix(const GroupInverse& inverse) const;    ///< [k, k]

  [[nodiscard]] Matrix times_W(const Matrix& B) const;  ///< [., a] B W
  /// The diagonal of BW (Q' inverse Q) (BW)', what the axes do not reach being nothing to B W.
  [[nodiscard]] Vector squares(const Matrix& BW, const GroupInverse& inverse) const;

 private:
  [[nodiscard]] bool is_whole() const { return W.size() == 0; }
  [[nodiscard]] Matrix root_of_others(double h, double x, double& log_det) const;
};

/// Of each set; empty pointers where a set is small or has fewer columns than there are others, which its own matrix serves better.
/// \param has_dense  false: h is 0 throughout, and the other columns do not matter.  \param least  columns that are worth it
/// O(k^3 + m k r) for each
[[nodiscard]] std::vector<std::shared_ptr<const GroupAxes>> axes_of(const ReducedRows& rows, const ColumnSets& sets, bool has_dense,
                                                                    Index least = 32);

}  // namespace ardvark
