// Where the columns and rows come from. No algorithm touches the data itself: it asks a design.
#pragma once

#include <memory>

#include "ardvark/types.hpp"

namespace ardvark::internal {

/// The arithmetic of the O(rows cols^2) products, gram and row_variance.                                       docs/math/optimum.md (MP)
enum class Products { double_precision, single_precision };

/// X = left right, to the tolerance they were asked for, with far fewer columns on the left than X has.
struct Factors {
  Matrix left;   ///< [rows, rank]
  Matrix right;  ///< [rank, cols]
};

/// L with V = L'L, lower triangular; V symmetric, with no negative eigenvalue but for rounding.
[[nodiscard]] Matrix lower_root(const Matrix& V);

/// A design matrix X [rows, cols] behind the questions that the solvers ask. Sums over rows run over fixed blocks, in the order of the
/// block number. Calls may use a workspace of the design: one fit at a time per object.
class Design {
 public:
  virtual ~Design() = default;
  [[nodiscard]] virtual Index rows() const = 0;
  [[nodiscard]] virtual Index cols() const = 0;

  /// True if single precision is there and serves; designs start in double.
  virtual bool set_products(Products products) { return products == Products::double_precision; }

  /// G <- lower triangle of X' diag(omega) X; omega [rows], >= 0. The strict upper triangle is left alone.
  virtual void gram(const Vector& omega, Matrix& G) = 0;
  /// out <- X' r
  virtual void project(const Vector& r, Vector& out) = 0;
  /// Both, Xr <- X' diag(omega) r: where X is large, in one pass over it.
  virtual void gram_and_project(const Vector& omega, const Vector& r, Matrix& G, Vector& Xr) {
    gram(omega, G);
    project(omega.cwiseProduct(r), Xr);
  }
  /// out <- X w
  virtual void apply(const Vector& w, Vector& out) = 0;
  /// out_n <- || L_inverse x_n ||^2 = x_n' V x_n, with V^-1 = L L' and L_inverse lower triangular [cols, cols].   (RIDGE.3)
  virtual void row_variance(const Matrix& L_inverse, Vector& out) = 0;
  /// out_n <- x_n' V x_n; V [cols, cols] symmetric, with no negative eigenvalue but for rounding
  virtual void row_forms(const Matrix& V, Vector& out);

  /// May be called from several threads at once.
  /// panel.leftCols(count) <- columns first .. first+count-1, dense, column first+j times scale[j] (null: as they are). The dual and
  /// single-column methods read X this way.
  virtual void scaled_columns(Index first, Index count, const double* scale, Eigen::Ref<Matrix> panel) = 0;
  void columns(Index first, Index count, Eigen::Ref<Matrix> panel) { scaled_columns(first, count, nullptr, panel); }

  /// Where the memory of X was given to the design: its columns but for an intercept, one after the other in that memory, and the design
  /// has none any more. Null: read them.
  [[nodiscard]] virtual std::shared_ptr<double[]> surrender_columns() { return nullptr; }
  /// Nothing will be asked any more: memory that was given to the design can go.
  virtual void forget() {}

  /// Null where X has no known factors. Those who ask many questions of all columns ask them of these, at O((rows + cols) rank) each.
  [[nodiscard]] virtual const Factors* factors() const { return nullptr; }
};

}  // namespace ardvark::internal
