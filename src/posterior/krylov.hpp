// Krylov methods for several vectors at once, of a symmetric matrix S without negative eigenvalues that is only known by its products.
//                                                                                             docs/math/ridge.md (RIDGE.12), (RIDGE.13)
#pragma once

#include <functional>
#include <vector>

#include "ardvark/types.hpp"

namespace ardvark::internal {

/// S V; V [size, any]
using SquareProduct = std::function<Matrix(const Matrix& V)>;

/// Lanczos' tridiagonal matrices T of some starting vectors z, which all make the same number of steps. They do not depend on a.
class Lanczos {
 public:
  /// \param start  [size, count] \param most_kept  bytes that solution() may take for the vectors of all steps
  explicit Lanczos(Matrix start, double most_kept = 0);
  void advance(const SquareProduct& S);
  [[nodiscard]] Index steps() const { return diagonal_.cols(); }
  [[nodiscard]] Index count() const { return squares_.size(); }
  [[nodiscard]] const Vector& squares() const { return squares_; }       ///< z'z
  [[nodiscard]] double first(Index i) const { return diagonal_(i, 0); }  ///< z'Sz / z'z

  [[nodiscard]] double largest() const;  ///< not below any eigenvalue of T
  /// With x = (S + a)^-1 z as these steps have it.
  struct Solved {
    double zx, xx, xSx;
    double remaining;  ///< |z - (S + a)x|
  };
  [[nodiscard]] Solved solve(Index i, double a) const;
  /// x of the only starting vector; empty: the vectors of the steps take too much memory.
  [[nodiscard]] Vector solution(double a) const;
  /// z' ln(S + a) z, by Gauss' quadrature
  [[nodiscard]] double log_form(Index i, double a);

 private:
  struct Quadrature {
    Vector node, weight;
  };
  [[nodiscard]] Quadrature quadrature(Index i) const;
  [[nodiscard]] Vector coefficients(Index i, double a) const;

  Matrix now_, before_;             // [size, count] the last two vectors, of length 1 or 0
  Vector squares_;                  // [count]
  Matrix diagonal_, off_diagonal_;  // [count, steps]; the last off-diagonal element leads to the next vector
  std::vector<Quadrature> quadratures_;
  std::vector<Vector> kept_;  // the vectors of all steps, or none
  Index most_kept_;
};

/// X <- (S + a)^-1 B, until |B - (S + a)X| <= most in each column. Returns the largest of these lengths, of the products themselves: it is
/// above `most` if rounding, or the number of steps, does not allow more.                                                       (RIDGE.12)
/// \param quick  S with fewer digits, for the steps; the lengths are computed with S
[[nodiscard]] double solve_by_gradients(const SquareProduct& S, const SquareProduct& quick, double a, const Matrix& B, double most,
                                        Matrix& X);

}  // namespace ardvark::internal
