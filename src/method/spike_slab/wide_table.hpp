// A table with many more columns than have effects: the reduced rows of some of its columns, and passes over all.
//                                                                                             docs/math/sparse.md (SP.26), (SP.27)
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "method/spike_slab/held_entries.hpp"
#include "method/spike_slab/reduced_rows.hpp"

namespace ardvark::internal {

/// Columns are named by their positions in PenalisedColumns::columns. Memory: some columns at a time, never the table.
class WideTable {
 public:
  /// \param X, all  must exist as long as this object
  WideTable(Design& X, const PenalisedColumns& all, const Vector& omega, const Vector& y, double num_rows);
  WideTable(const WideTable&) = delete;
  WideTable& operator=(const WideTable&) = delete;
  /// Projects out the flat columns. False: they are linearly dependent, or a value is not finite.
  [[nodiscard]] bool begin();
  /// One pass: what the flat columns subtract from each column, G().
  void look_at_all();
  /// \param squares  [p] of the columns with the weights omega, as if the flat columns were orthogonal to them
  /// \param exact    false: they are estimates
  void set_squares(Vector squares, bool exact);
  /// The decomposition of X~ X~' of all columns, for the dense part. False: it is not finite.                                  (SP.27)
  /// \param K  Design::row_gram(), both triangles
  [[nodiscard]] bool decompose(Matrix K);

  [[nodiscard]] bool is_decomposed() const { return U_.size() > 0; }
  [[nodiscard]] Index size() const { return all_.size(); }
  [[nodiscard]] double degrees() const { return degrees_; }
  [[nodiscard]] const Vector& squares() const { return squares_; }  ///< [p] |x~_j|^2
  [[nodiscard]] bool knows_squares() const { return knows_squares_; }
  [[nodiscard]] const Vector& target() const { return y_; }  ///< [n] y~
  [[nodiscard]] const Matrix& U() const { return U_; }       ///< [n, m] with the dense part
  [[nodiscard]] const Vector& l() const { return l_; }       ///< [m] with the dense part, ascending

  [[nodiscard]] Matrix columns(const std::vector<Index>& which) const;  ///< [n, count] of X~
  /// One pass: X~'A for some directions A [n, count] that are orthogonal to the flat columns.
  /// \returns  [columns of the design, count]; at(product, j, i) is the entry of column j
  [[nodiscard]] Matrix project(const Matrix& A) const;
  /// The same with products in single precision: enough to see which columns may have an effect.                 (SP.26)
  [[nodiscard]] Matrix project_in_single(const Matrix& A) const;
  [[nodiscard]] double at(const Matrix& product, Index j, Index i) const { return product(all_.columns[static_cast<std::size_t>(j)], i); }

  /// Names the active columns, without their rows: for residuals().
  void name_active(const std::vector<Index>& more);
  /// Adds columns to the active ones.
  void activate(const std::vector<Index>& more);
  [[nodiscard]] const std::vector<Index>& active() const { return active_; }
  /// The active columns as columns of the design, in the order in which they were added.
  [[nodiscard]] const PenalisedColumns& which() const { return which_; }
  /// Their reduced rows. Without a dense part, Z'Z = X~'X~ of these columns, and l is 0; with KeepBasis::yes, Z Z' = diag(l), too.
  [[nodiscard]] std::shared_ptr<ReducedRows> rows(KeepBasis basis = KeepBasis::no) const;
  /// With a dense part U D r, otherwise y~ - X~m of each state: what project() needs for Z'Dr of all columns.
  /// \param of_active  [active, count] m of each state.  \param Dr  [m, count] SpikeSlab::Dr() of each
  [[nodiscard]] Matrix residuals(const Matrix& of_active, const Matrix& Dr) const;

  /// The last `count` directions of X~ X~', those with the largest l, of all columns; one pass.                              (SP.27)
  [[nodiscard]] std::shared_ptr<const DenseBasis> basis(Index count) const;
  [[nodiscard]] const Matrix& G() const { return G_; }  ///< [flats, p] after look_at_all()

 private:
  [[nodiscard]] Matrix read(const std::vector<Index>& which) const;  // before the flat columns are projected out
  void project_out(Matrix& of_rows) const;
  [[nodiscard]] Eigen::Map<Matrix> Z() const { return {Z_.get(), rank_, static_cast<Index>(which_.columns.size())}; }
  void append(const Matrix& more, Index count);
  [[nodiscard]] HeldEntries::Products products_of_panel(const std::vector<Index>& some);
  void add_to_triangle(const std::vector<Index>& more);
  void add_to_rotated(const std::vector<Index>& more);
  void open_rows(const Matrix& above, const Matrix& own, const Vector& product);
  void decompose_rows(ReducedRows& out) const;

  Design& X_;
  const PenalisedColumns& all_;
  Vector root_, y_;  // [n] root of omega; y~
  double degrees_, square_of_target_ = 0;
  Matrix Q_;  // [n, flats] orthonormal
  Matrix R_, G_, G_active_;
  Vector flat_mean_, squares_;
  bool knows_squares_ = false;
  double log_det_FOF_ = 0;
  Matrix U_;
  Vector l_, rotated_target_;
  double rest_ = 0;
  std::vector<Index> active_;
  PenalisedColumns which_;
  std::shared_ptr<double[]> Z_;  // [rank, active] with a dense part U'X~, else upper triangular but for combinations of earlier columns
  Index rank_ = 0;
  // Without a dense part: the columns of the design that opened a row of Z, X~_O = U L', and L^-1 and U'y~.
  std::vector<Index> openers_;
  std::optional<HeldEntries> by_entries_;  // none: most have no entries
  Matrix inverse_;
  Vector of_target_;
};

}  // namespace ardvark::internal
