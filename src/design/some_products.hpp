// Products that a search among many columns asks of a design: quick ones with all columns, and exact ones with some.
//                                                                                                         docs/math/sparse.md (SP.26)
#pragma once

#include <vector>

#include "design/design.hpp"

namespace ardvark::internal {

/// A design derives from this if it has products in single precision.
class SingleProducts {
 public:
  virtual ~SingleProducts() = default;
  virtual void project_in_single(const Matrix& R, Matrix& out) = 0;
  /// False: the design has no product of this kind that is quicker than apply_several().
  [[nodiscard]] virtual bool apply_in_single(const Matrix& /*W*/, Matrix& /*out*/) { return false; }
};
/// A design derives from this if it must not write out columns to multiply them.
class ProductsOfSome {
 public:
  virtual ~ProductsOfSome() = default;
  virtual void project_some(const std::vector<Index>& columns, const Matrix& R, Matrix& out) = 0;
  virtual void apply_some(const std::vector<Index>& columns, const Matrix& W, Matrix& out) = 0;
};

/// out [cols, R.cols()] <- X'R. Products are in single precision, and added up in double every few thousand rows, if the design can do
/// that: the error of an entry is then about 1e-7 |x_j| |r|.
void project_in_single(Design& X, const Matrix& R, Matrix& out);
/// out [rows, W.cols()] <- X W, likewise
void apply_in_single(Design& X, const Matrix& W, Matrix& out);
/// out [columns, R.cols()] <- X_C'R with these columns of X, in their order.
void project_some(Design& X, const std::vector<Index>& columns, const Matrix& R, Matrix& out);
/// out [rows, W.cols()] <- X_C W
void apply_some(Design& X, const std::vector<Index>& columns, const Matrix& W, Matrix& out);

}  // namespace ardvark::internal
