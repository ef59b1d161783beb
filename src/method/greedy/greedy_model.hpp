// The model of the greedy algorithm: the columns in use, their posterior, the rows of the likelihood, the evidence.  docs/math/greedy.md
//
//     V^-1 = diag(alpha) + Phi' diag(omega) Phi        w = V Phi' r                                   (RIDGE.1), (RIDGE.2)
//
// An action changes one column with fixed rows: closed forms, O(n k + k^2). Then the rows are updated: tau, the mode, or xi.
#pragma once

#include "method/greedy/greedy.hpp"
#include "method/greedy/greedy_gains.hpp"

namespace ardvark::internal {

/// A change of V and w of rank one, from which S and Q of other columns are updated:
///     e = (cross products with `direction`),  S += factor e^2,  Q += shift e                                           (GREEDY.3)
struct RankOne {
  Vector direction;  ///< [k] in the columns before the action; also of another size: core/resize.hpp
  double factor = 0;
  double shift = 0;
};

/// Unbiased variance of t under observation weights k; 0 if their sum is at most 1.
[[nodiscard]] double target_variance(const Vector& t, const Vector& k);

class GreedyModel {
 public:
  struct State {
    std::vector<Index> columns;
    Vector alpha, w, projected;  // projected = Phi' r
    Matrix V, gram;              // gram = Phi' diag(omega) Phi
    Vector omega, r, m, xi;
    double log_det_V = 0, tau = 1, evidence = 0;

    State() = default;
    State(const State&) = default;
    State(State&&) = default;
    State& operator=(const State& other);  // also of another size: core/resize.hpp
    State& operator=(State&&) = default;
    ~State() = default;
  };

  GreedyModel(const Vector& target, const GreedySettings& settings);

  [[nodiscard]] const State& state() const { return now_; }
  [[nodiscard]] Index size() const { return static_cast<Index>(now_.columns.size()); }
  [[nodiscard]] auto Phi() const { return Phi_.leftCols(size()); }
  [[nodiscard]] double objective() const { return now_.evidence + penalty(); }
  [[nodiscard]] bool is_gaussian() const { return likelihood_ == GreedyLikelihood::gaussian; }
  [[nodiscard]] bool is_free(Index position) const { return position < num_free_; }
  [[nodiscard]] const ColumnGain& gain() const { return gain_; }
  [[nodiscard]] LeftOut left_out(Index position) const;                           ///< (OPT.2)
  [[nodiscard]] LeftOut candidate(const Eigen::Ref<const Vector>& column) const;  ///< S and Q, from their definition
  [[nodiscard]] Vector residual() const { return now_.r - now_.omega.cwiseProduct(now_.m); }

  /// Remembers this state; undo() returns to it after at most one of the actions below.
  void begin();
  void undo();

  void add(Index id, const Eigen::Ref<const Vector>& column, double precision, RankOne& change);
  void reestimate(Index position, double precision, RankOne& change);
  void remove(Index position, RankOne& change);  ///< the last column takes its place
  /// Replaces this column by another one. V is not updated: call solve().
  void exchange(Index position, Index id, const Eigen::Ref<const Vector>& column, double precision);
  /// The length that each column of the design was divided by.
  void set_lengths(const Vector* length) { length_ = length; }
  /// From now on, each column has this cost.                                                                         (GREEDY.7)
  void charge(double column_cost) { gain_ = ColumnGain(prior_, column_cost); }
  void end_free() { num_free_ = size(); }

  /// V, w and the evidence from a Cholesky factor. False: not positive definite.
  bool solve();
  /// m and the evidence after a change of rank one.
  void update_evidence();
  /// Bernoulli: to the mode. Bound: `rounds` updates of xi. Gaussian: nothing.
  bool settle_rows(int rounds);
  /// Gaussian: one step of tau, unless the evidence would fall. Returns the change of ln tau.
  double update_noise();

 private:
  void write_rows(double tau);
  void recompute_products();
  [[nodiscard]] double penalty() const;
  [[nodiscard]] double square(Index i) const;
  [[nodiscard]] double evaluate() const;
  [[nodiscard]] double volume() const;  // 1/2 (ln|V| + ln|A|)
  bool factorise();                     // V and w
  bool to_mode();
  bool update_contact();
  bool solve_contact();
  bool try_noise(double tau);
  void store(Index position, const Eigen::Ref<const Vector>& column);

  enum class Last { none, added, removed, exchanged };

  GreedyLikelihood likelihood_;
  Vector t_;
  GreedyPrior noise_, prior_;
  ColumnGain gain_;
  bool fixed_noise_;
  double tolerance_;
  Vector k_;      // observation weights
  double total_;  // their sum
  const Vector* length_ = nullptr;
  double most_tau_ = 0;
  double stretch_ = 1;  // of a step in ln xi
  Index num_free_ = 0;
  State now_, before_;
  Matrix scaled_;         // [n, size] workspace
  mutable Vector p_, q_;  // Bernoulli: probability of 1 and of 0 at the last evaluation of the likelihood
  Matrix Phi_;            // [n, capacity]; the column that an action removed is behind the last one
  Last last_ = Last::none;
  Index last_position_ = 0;
};

}  // namespace ardvark::internal
