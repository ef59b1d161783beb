// Candidate columns in memory, with S and Q of each for the present model.                                          docs/math/greedy.md
// If the design has factors, X = F C, the pool has the columns of C instead of those of X, and products with X read only C. (GREEDY.11)
#pragma once

#include "method/greedy/greedy_model.hpp"

namespace ardvark::internal {

class GreedyPool {
 public:
  /// \param num_threads  for products with many columns; meanwhile, BLAS should have one thread
  explicit GreedyPool(Index num_threads = 1) : num_threads_(num_threads) {}
  /// Columns of the design, each divided by its length (0: not usable).
  void load_range(Design& design, Index first, Index count, Vector& length);
  void load(Design& design, const std::vector<Index>& ids, const Vector& length);
  /// S, Q and W of these columns without keeping the columns: load_range() and refresh() in one pass. Afterwards, column() and the actions
  /// cannot be used until the next load.
  void survey(Design& design, Index first, Index count, const GreedyModel& model, Vector& length);

  [[nodiscard]] Index size() const { return static_cast<Index>(ids_.size()); }
  [[nodiscard]] Index id(Index row) const { return ids_[static_cast<std::size_t>(row)]; }
  [[nodiscard]] Vector column(Index row) const;  ///< [n], of length 1

  /// Computes the cross products, and S and Q, from the posterior.
  void refresh(const GreedyModel& model);
  /// Makes these rows near: refresh_near() updates only their S and Q, until the next load or narrow().
  void narrow(std::vector<Index> rows);
  void refresh_near(const GreedyModel& model);
  /// The rest of refresh(), after refresh_near() with the same model.
  void refresh_rest(const GreedyModel& model);
  [[nodiscard]] bool has_near() const { return !near_.empty(); }
  [[nodiscard]] bool is_near(Index row) const { return is_near_[static_cast<std::size_t>(row)]; }
  /// Gaussian: as refresh(), from the known cross products with the model and the target, without reading columns; also after a new tau.
  void rescale(const GreedyModel& model);
  /// Gaussian: as rescale(), after an exchange at `position`.
  void replace(Index position, const GreedyModel& model);
  /// S and Q after an action with fixed rows, O(size k); an added column also needs its cross products, O(size n).
  void add(const GreedyModel& model, const RankOne& change);
  void reestimate(const RankOne& change);
  void remove(Index position, const RankOne& change);

  [[nodiscard]] LeftOut candidate(Index row) const { return {S_[row], Q_[row]}; }
  void set(Index row, LeftOut x) {
    S_[row] = x.s;
    Q_[row] = x.q;
  }
  /// Whether a candidate is in the span of the model, up to rounding.
  [[nodiscard]] bool in_span(Index row) const { return !(S_[row] > 1e-11 * diagonal_[row]); }
  /// For exchanges: cross products times V. S and Q without the column at `position` are S + W^2/V, Q + W w/V.            (GREEDY.9)
  void prepare_exchange(const GreedyModel& model);
  [[nodiscard]] double W(Index row, Index position) const { return W_(row, position); }

 private:
  // What the columns are multiplied with.
  struct Rows {
    Matrix rows;   // [n, k + 1] diag(omega) Phi and the residual; with factors, F' times these
    Vector omega;  // [n], empty with factors
    Matrix form;   // F' diag(omega) F
  };
  [[nodiscard]] Rows rows_of(const GreedyModel& model) const;
  void from_cross(const GreedyModel& model);
  void begin_products(const GreedyModel& model);
  void begin_columns(Design& design, const Vector& length);
  void load_factors(const Eigen::Ref<const Matrix>& right, Vector& length);
  // Cross products, Q and diagonal of a few columns; `begin` is the position of the first one.
  void products(Index begin, const Eigen::Ref<const Matrix>& columns, const Rows& rows);
  struct ProductsOfColumns {
    Matrix cross;  // [columns, k] with diag(omega) Phi, then [columns] with the residual
    Vector diagonal;
  };
  [[nodiscard]] static ProductsOfColumns products_of(const Eigen::Ref<const Matrix>& columns, const Rows& with);
  void multiply(const GreedyModel& model, Index position);  // the cross products with one column of the model

  // Calls f(first, count) for runs of columns.
  void for_chunks(Index rows, auto&& f) const;

  Index num_threads_;
  Design* design_ = nullptr;         // of the columns
  const Matrix* left_ = nullptr;     // F
  const Vector* lengths_ = nullptr;  // of the columns of the design
  std::vector<Index> ids_;
  Matrix B_;                 // [n, size] columns of length 1, or [rank, size]: their C
  Matrix cross_;             // [size, capacity] B' diag(omega) Phi
  Matrix W_;                 // [size, k] cross V
  std::vector<Index> near_;  // rows
  std::vector<bool> is_near_;
  Matrix B_near_;            // their columns
  Rows rows_;                // of the last refresh
  Vector diagonal_, S_, Q_;  // diag(B' diag(omega) B)
  Vector zero_;              // Gaussian: B' t, which is Q/tau of a model without columns
  Index k_ = 0;
  double tau_ = 1;  // of cross_ and diagonal_
};

}  // namespace ardvark::internal
