// The columns that a search works with, held beside the table: as doubles, or by their entries.                        docs/math/l1.md
// (L1.4)
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "design/design.hpp"

namespace ardvark::internal {

/// Columns of a design, each read once, at its first use. Searches in the same table share them, also from several threads.
class ColumnStore {
 public:
  struct Column {
    SparseColumn entries;
    Vector numbers;  ///< [rows]; empty: the column is `entries`
    [[nodiscard]] bool is_sparse() const { return numbers.size() == 0; }
    // Of the numbers, or of the entries without their shift:
    [[nodiscard]] double dot(const Vector& r) const;
    [[nodiscard]] double square(const Vector& omega) const;                   ///< sum_n omega_n x_n^2
    void subtract(double step, const Vector& omega, Vector& residual) const;  ///< residual -= step omega x
  };

  /// X must exist as long as the store.
  explicit ColumnStore(Design& X) : X_(X) {}
  [[nodiscard]] Design& design() const { return X_; }
  /// It stays where it is as long as the store.
  [[nodiscard]] const Column& at(Index j);

 private:
  Design& X_;
  std::mutex mutex_;
  std::unordered_map<Index, std::unique_ptr<const Column>> columns_;
};

/// Other units of the columns of a design: column j is factor_j x_j + shift_j. Empty: as it is.
struct ColumnUnits {
  Vector factor, shift;
  /// out <- the products of the columns in these units with r, from those of the design. \param total  the sum of r
  void apply(double total, Vector& out) const;
};

/// Some columns of a store, in an order of their own.
class HeldColumns {
 public:
  explicit HeldColumns(std::shared_ptr<ColumnStore> store, std::shared_ptr<const ColumnUnits> units = {});

  [[nodiscard]] Index rows() const { return store_->design().rows(); }
  [[nodiscard]] Index size() const { return static_cast<Index>(columns_.size()); }
  void append(Index column);
  /// Keeps only these positions, in this order.
  void keep(const std::vector<Index>& positions);

  /// out [size] <- X'r
  void project(const Vector& r, Vector& out) const;
  [[nodiscard]] double dot(Index position, const Vector& r, double total) const;
  /// out [rows] <- X v
  void apply(const Vector& v, Vector& out) const;
  /// How many numbers a product with the column reads.
  [[nodiscard]] Index num_read(Index position) const;
  /// Columns first .. size-1 of G <- X' diag(omega) X, and the same rows: G stays symmetric. The rest of G does not change.
  void gram(Index first, const Vector& omega, Matrix& G) const;
  /// out_n <- || L_inverse x_n ||^2; L_inverse [size, size]
  [[nodiscard]] Vector row_forms(const Matrix& L_inverse) const;

  struct Held {
    const ColumnStore::Column* column;
    double factor, shift;  ///< in the units of the search: factor * the numbers of the column, or of its entries, + shift
  };
  [[nodiscard]] const Held& at(Index position) const { return columns_[static_cast<std::size_t>(position)]; }

 private:
  void add_dense_pairs(Index first, const Vector& omega, Matrix& G) const;
  void add_sparse_pairs(Index first, const Vector& omega, Matrix& G) const;

  std::shared_ptr<ColumnStore> store_;
  std::shared_ptr<const ColumnUnits> units_;
  std::vector<Held> columns_;
};

}  // namespace ardvark::internal
