// Rows with mostly zeros, such as dummies of text columns. The time of products depends only on the other entries.
#pragma once

#include <memory>
#include <vector>

#include "design/dense.hpp"

namespace ardvark::internal {

/// Whether so many entries of a column are not zero that it is kept with all its rows.
[[nodiscard]] inline bool is_full_column(Index entries, Index rows) { return 4 * entries > rows; }

/// Calls use(row, x) for every row of a column, in order, also where there is no entry.
void for_column(const CscView& X, Index j, auto&& use) {
  Index i = 0;
  for (Index e = X.start(j); e < X.start(j + 1); ++e) {
    for (; i < X.row(e); ++i) use(i, 0.0);
    use(i++, X.value(e));
  }
  for (; i < X.rows(); ++i) use(i, 0.0);
}

/// x_n = v_n + shift, where v_n has few nonzero entries. A column with few nonzero entries has v = scale x and shift = - scale center. For
/// any other column v holds the standardised values and shift is 0, so a large center costs no digits. (SL.8)
class SparseRows {
 public:
  /// Null if v would hold more than an eighth of the entries.
  [[nodiscard]] static std::shared_ptr<const SparseRows> of(MatrixView X, const Standardization& standardization);
  /// Rows first .. first+count-1 of a sparse X, with any number of entries. Only columns with an entry in most rows count as full.
  /// \param next  [cols] the first entry of each column in these rows; then the first one behind them
  [[nodiscard]] static std::shared_ptr<const SparseRows> of_rows(const CscView& X, const Standardization& standardization, Index first,
                                                                 Index count, std::vector<Index>& next);

  [[nodiscard]] Index rows() const { return static_cast<Index>(begin_.size()) - 1; }
  [[nodiscard]] Index cols() const { return shift_.size(); }
  /// G <- lower triangle of X' diag(omega) X, Xr <- X' diag(omega) r.   O(sum_n entries_n^2 + cols^2)
  void gram_and_project(const Vector& omega, const Vector& r, Matrix& G, Vector& Xr) const;

  /// The same in parts, for rows that are not all there at once: start() and end() once, add() for each part.
  struct Sums {
    Vector of_entries;              ///< sum omega v
    double weight = 0, with_r = 0;  ///< sum omega, sum omega r
  };
  [[nodiscard]] static Sums start(Index cols, Matrix& G, Vector& Xr);
  /// \param omega, r  those of these rows
  void add(const double* omega, const double* r, Matrix& G, Vector& Xr, Sums& sums) const;
  void end(const Sums& sums, Matrix& G, Vector& Xr) const;
  [[nodiscard]] Vector apply(const Vector& w) const;  ///< X w
  /// x_n'T x_n; T [cols, cols] symmetric.   O(sum_n entries_n^2 + cols^2)
  [[nodiscard]] Vector forms(const Matrix& T) const;
  /// panel(0..count-1, all columns) <- rows first .. first+count-1
  void read(Index first, Index count, Matrix& panel) const;

 private:
  void put_values(const auto& entries, const std::vector<bool>& is_full, const Standardization& standardization);

  std::vector<std::size_t> begin_;  // [rows + 1]
  std::vector<int> column_;         // ascending within a row
  std::vector<double> value_;
  Vector shift_;
};

/// A dense design with sparse rows.
class SparseDesign final : public Design {
 public:
  SparseDesign(MatrixView X, const Standardization& standardization, std::shared_ptr<const SparseRows> sparse)
      : dense_(X, standardization), sparse_(std::move(sparse)) {}
  [[nodiscard]] Index rows() const override { return dense_.rows(); }
  [[nodiscard]] Index cols() const override { return dense_.cols(); }
  [[nodiscard]] bool has_intercept() const override { return dense_.has_intercept(); }
  void gram(const Vector& omega, Matrix& G) override {
    Vector ignored;
    sparse_->gram_and_project(omega, Vector::Zero(rows()), G, ignored);
  }
  void gram_and_project(const Vector& omega, const Vector& r, Matrix& G, Vector& Xr) override {
    sparse_->gram_and_project(omega, r, G, Xr);
  }
  void project(const Vector& r, Vector& out) override { dense_.project(r, out); }
  void apply(const Vector& w, Vector& out) override { out = sparse_->apply(w); }
  void row_variance(const Matrix& L_inverse, Vector& out) override { dense_.row_variance(L_inverse, out); }
  void row_forms(const Matrix& V, Vector& out) override { out = sparse_->forms(V).cwiseMax(0.0); }
  void scaled_columns(Index first, Index count, const double* scale, Eigen::Ref<Matrix> panel) override {
    dense_.scaled_columns(first, count, scale, panel);
  }

 private:
  DenseDesign dense_;
  std::shared_ptr<const SparseRows> sparse_;
};

}  // namespace ardvark::internal
