// The source of columns and rows. Algorithms do not read the data themselves: they call a design.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ardvark/types.hpp"

namespace ardvark::internal {

/// The arithmetic of the O(rows cols^2) products, gram and row_variance.                                       docs/math/optimum.md (MP)
enum class Products { double_precision, single_precision };

/// X = left right, up to the requested tolerance; `left` has far fewer columns than X.
struct Factors {
  Matrix left;   ///< [rows, rank]
  Matrix right;  ///< [rank, cols]
};

/// A column that has the same number in most rows: `shift` everywhere, plus value[e] in row[e]. The rows ascend.
struct SparseColumn {
  std::vector<std::int32_t> row;
  std::vector<double> value;
  double shift = 0;
};

/// Lower triangular L with V = L'L. V is symmetric, without negative eigenvalues except by rounding.
[[nodiscard]] Matrix lower_root(const Matrix& V);

/// A design matrix X [rows, cols] with the operations that the solvers need. Sums over rows use fixed blocks, in the order of the block
/// numbers. Calls may use a workspace of the design, so an object serves one fit at a time.
class Design {
 public:
  virtual ~Design() = default;
  [[nodiscard]] virtual Index rows() const = 0;
  [[nodiscard]] virtual Index cols() const = 0;

  /// Whether the last column is an intercept that the design adds.
  [[nodiscard]] virtual bool has_intercept() const { return false; }

  /// Whether X has mostly zeros, so that it must not be written out.
  [[nodiscard]] virtual bool is_sparse() const { return false; }

  /// True if the design now uses these products. Designs start with double precision; not all of them have single precision.
  virtual bool set_products(Products products) { return products == Products::double_precision; }

  /// G <- lower triangle of X' diag(omega) X; omega [rows], >= 0. The strict upper triangle does not change.
  virtual void gram(const Vector& omega, Matrix& G) = 0;
  /// out <- X' r
  virtual void project(const Vector& r, Vector& out) = 0;
  /// out [cols, R.cols()] <- X' R, in one pass over X; R [rows, any]
  virtual void project_several(const Matrix& R, Matrix& out);
  /// K [rows, rows] <- lower triangle of X X' over all columns but the intercept. The strict upper triangle is not defined.
  virtual void row_gram(Matrix& K);
  /// gram(), and Xr <- X' diag(omega) r; if X is large, in one pass over it.
  virtual void gram_and_project(const Vector& omega, const Vector& r, Matrix& G, Vector& Xr) {
    gram(omega, G);
    project(omega.cwiseProduct(r), Xr);
  }
  /// out <- X w
  virtual void apply(const Vector& w, Vector& out) = 0;
  /// out [rows, W.cols()] <- X W, in one pass over X; W [cols, any]
  virtual void apply_several(const Matrix& W, Matrix& out);
  /// out_n <- || L_inverse x_n ||^2 = x_n' V x_n, with V^-1 = L L' and L_inverse lower triangular [cols, cols].   (RIDGE.3)
  virtual void row_variance(const Matrix& L_inverse, Vector& out) = 0;
  /// out_n <- x_n' V x_n; V [cols, cols] symmetric, without negative eigenvalues except by rounding
  virtual void row_forms(const Matrix& V, Vector& out);

  /// May be called from several threads at once.
  /// panel.leftCols(count) <- columns first .. first+count-1, dense, column first+j times scale[j] (null: not scaled). The dual
  /// solvers and methods that update one column at a time read X this way.
  virtual void scaled_columns(Index first, Index count, const double* scale, Eigen::Ref<Matrix> panel) = 0;
  void columns(Index first, Index count, Eigen::Ref<Matrix> panel) { scaled_columns(first, count, nullptr, panel); }

  /// If the memory of X was given to the design: returns this memory with the columns (without an intercept) one after the other; the
  /// design then has no columns any more. Null: use scaled_columns() to read them.
  [[nodiscard]] virtual std::shared_ptr<double[]> surrender_columns() { return nullptr; }
  /// Frees the memory that was given to the design. No other call may follow.
  virtual void forget() {}

  /// Null if X has no known factors. Use them for many operations with all columns: each costs O((rows + cols) rank).
  [[nodiscard]] virtual const Factors* factors() const { return nullptr; }

  /// May be called from several threads at once. \param out  column j, if the design has it by its entries. False: read it with columns().
  [[nodiscard]] virtual bool entries_of(Index /*j*/, SparseColumn& /*out*/) const { return false; }
  /// out[i] <- the product of column columns[i] with r, each as it lies: for columns that are few among all.
  virtual void project_in_place(const std::vector<Index>& columns, const Vector& r, Vector& out);
};

}  // namespace ardvark::internal
