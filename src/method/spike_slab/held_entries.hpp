// Columns of a sparse table that are held by their entries: products without writing them out.            docs/math/sparse.md (SP.26)
#pragma once

#include <optional>
#include <vector>

#include "design/design.hpp"

namespace ardvark::internal {

/// X~ = P diag(omega)^1/2 X with P = I - Q Q', the projection off the flat columns.
class HeldEntries {
 public:
  /// \param root  [n] of omega  \param Q  [n, flats] orthonormal  \param has_constant  whether the flat columns span a constant
  HeldEntries(Design& X, const Vector& root, const Matrix& Q, bool has_constant);

  /// Of some further columns.
  struct Products {
    Matrix with_held;  ///< [held, count] X~_held'X~
    Matrix among;      ///< [count, count] X~'X~
    Vector of_target;  ///< [count] X~'y~
    Matrix with_flat;  ///< [flats, count] Q'diag(omega)^1/2 X
  };
  /// None: most of them are not known by their entries.  \param target  [n] y~
  [[nodiscard]] std::optional<Products> products(const std::vector<Index>& columns, const Vector& target) const;
  /// Holds these columns of the design, too, of which products() gave a result.
  void hold(const std::vector<Index>& columns);

 private:
  struct Column {
    SparseColumn entries;  // its shift is 0 if the flat columns make it the same
    double sum = 0;        // of omega times value
    Vector flat;           // Q'diag(omega)^1/2 x
  };
  [[nodiscard]] Column read(Index j, Vector& with_flat) const;
  [[nodiscard]] Column read_full(Index j, Vector& with_flat) const;

  Design& X_;
  const Vector& root_;
  const Matrix& Q_;
  bool has_constant_;
  double total_;    // sum of omega
  Vector of_ones_;  // [flats] Q'root
  std::vector<Column> held_;
};

}  // namespace ardvark::internal
