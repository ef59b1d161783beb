// Logistic and linear regression with an L1 penalty, solved to the optimum. docs/math/l1.md
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ardvark/report.hpp"
#include "method/l1/held_columns.hpp"
#include "method/l1/l1_quadratic.hpp"

namespace ardvark::internal {

struct CoordinateSettings {
  double tolerance = 1e-9;  ///< > 0; largest violation of the optimality conditions, in units of lambda                     (L1.2)
  int max_steps = 500;
  std::function<bool(int steps, double objective)> on_step;  ///< false: stop
};

struct CoordinateOutcome {
  Status status = Status::failed;
  std::string message;
  double log_likelihood = 0;  ///< sum k_n (t_n m_n - softplus(m_n)), nats; or -1/2 sum k_n (t_n - m_n)^2
  double penalty = 0;         ///< lambda sum |w_j|
  double optimality = 0;      ///< the largest violation, in units of lambda
  double gap = 0;  ///< how far log_likelihood - penalty is below its maximum at most, as a part of it; infinity: not known (L1.16)
  bool at_rounding = false;  ///< the gains of steps were rounding before the tolerance was reached (lambda below about 1e-6 lambda_max)
  int num_steps = 0;
  int num_passes = 0;             ///< over all columns
  std::vector<double> objective;  ///< log_likelihood - penalty after each step
};

enum class RowLoss { logistic, squared };

/// Maximises sum_n k_n (t_n m_n - softplus(m_n)) - lambda sum_j |w_j| over w; m = X w, j over all columns except flat ones. (L1.1)
/// With RowLoss::squared, -1/2 sum_n k_n (t_n - m_n)^2 - lambda sum_j |w_j|.                                               (L1.10)
/// Each solve() starts from the result of the last one. Therefore paths with a decreasing lambda are fast if lambda changes little.
class CoordinateAscent {
 public:
  /// \param t     [n] 0 or 1; with RowLoss::squared any number.  \param k  [n] observation weights, >= 0
  /// \param flat  columns without penalty, ascending, with the intercept
  /// \param length  [columns] sqrt(sum k_n x_nj^2), if known; otherwise empty                                              (L1.6)
  CoordinateAscent(Design& X, Vector t, Vector k, const std::vector<Index>& flat, Vector length = {}, RowLoss loss = RowLoss::logistic)
      : CoordinateAscent(std::make_shared<ColumnStore>(X), {}, std::move(t), std::move(k), flat, std::move(length), loss) {}
  /// The same for columns in other units, which other searches share.
  CoordinateAscent(std::shared_ptr<ColumnStore> store, ColumnUnits units, Vector t, Vector k, const std::vector<Index>& flat, Vector length,
                   RowLoss loss);
  /// The smallest lambda at which every penalised weight is zero. Call it before the first solve().                          (L1.5)
  [[nodiscard]] double lambda_max();
  /// After lambda_max(): whether the flat columns separate rows, so that there is no maximum at any lambda.                    (L1.13)
  [[nodiscard]] bool flat_columns_separate() const { return flat_columns_separate_; }
  /// If the flat columns separate rows, the status is `separated`.
  CoordinateOutcome solve(double lambda, const CoordinateSettings& settings = {});

  // lambda_max() and solve() in parts, for a caller who makes the products of r() with all columns of the design for several searches at
  // once:  start(); take_pass(products); largest_gradient();  begin(lambda, settings); while (advance()) take_pass(products); end();
  void start();
  [[nodiscard]] double largest_gradient();
  void begin(double lambda, const CoordinateSettings& settings);
  /// Whether the products are needed; false: the search has ended.
  [[nodiscard]] bool advance();
  /// \param products  [columns] of the design, in its own units, with r()
  void take_pass(Vector products);
  [[nodiscard]] CoordinateOutcome end();
  [[nodiscard]] const Vector& r() const { return r_; }  ///< [n] the gradient of the rows

  [[nodiscard]] Vector w() const;                       ///< [columns]
  [[nodiscard]] const Vector& m() const { return m_; }  ///< [n] X w
  [[nodiscard]] const Vector& omega() const { return omega_; }
  /// The flat columns and those that are not zero, ascending.
  struct Support {
    std::vector<Index> columns;
    Vector w;
    HeldColumns X;
  };
  [[nodiscard]] Support support() const;

 private:
  // The active columns ("in hand"): their copies, weights and quadratic model.
  void take(const std::vector<Index>& columns);
  void drop_idle(double lambda);
  [[nodiscard]] bool has_exact_model() const;
  // The minimum of the quadratic model at the present rows, by the columns' own numbers if these are few.                      (L1.17)
  bool aim_by_columns(const Vector& lambdas, double accuracy, Vector& target);
  [[nodiscard]] bool has_few_numbers() const;
  // One Newton step; false: there is no gain.
  bool step(double lambda, double accuracy);
  void set_rows(const Vector& m);  // r, omega and the likelihood at m
  void rows_at(const Vector& m, const Vector& exponential, Vector& r, Vector& omega) const;
  [[nodiscard]] double log_likelihood_at(const Vector& m);
  void find_gradient();
  [[nodiscard]] double violation(double lambda) const;  // of the active columns, in units of lambda
  [[nodiscard]] bool flat_columns_grow() const;         // of the flat columns alone, after settle()
  [[nodiscard]] double penalty_of(const Vector& v, double lambda) const;
  [[nodiscard]] double rounding_of_gradient() const;  // for a column of length 1                                            (L1.2)
  bool settle(double lambda, double goal, const CoordinateSettings& settings, CoordinateOutcome& out);
  [[nodiscard]] Vector products_of_all() const;
  [[nodiscard]] double in_own_units(Index column, double product, double total) const;

  // The other columns: those that must not stay at zero, the worst first.
  struct Outside {
    std::vector<Index> violators;
    double worst = 0;         // largest |g_j|/lambda - 1
    double most = 0;          // largest |g_j| of the columns that were read
    bool is_certain = false;  // no other column violates its condition
  };
  class Judge;
  struct Bounds;
  [[nodiscard]] Bounds bounds_outside() const;
  [[nodiscard]] double most_outside() const;
  [[nodiscard]] double gap(double most_outside);
  // The rows where the flat columns are at their maximum, beside the other weights.
  struct FlatMaximum {
    Vector r, omega;
    double gain = 0;  // the likelihood is at most so much larger there
  };
  [[nodiscard]] FlatMaximum maximum_of_flat() const;
  Outside look_outside();
  Outside judge_all();
  bool go_on(const Outside& outside);  // false: the search has ended
  [[nodiscard]] bool in_hand(Index column) const { return position_[static_cast<std::size_t>(column)] >= 0; }
  [[nodiscard]] Index size() const { return static_cast<Index>(columns_.size()); }

  std::shared_ptr<ColumnStore> store_;
  std::shared_ptr<const ColumnUnits> units_;
  Vector t_, k_, length_;
  std::vector<bool> flat_;
  double total_;
  RowLoss loss_;

  HeldColumns held_;
  std::vector<Index> columns_, position_;  // the active columns; the position of each column of X among them, -1: not active
  Vector v_, gradient_;                    // [size()]
  L1Quadratic model_;
  bool model_fails_ = true, flat_columns_separate_ = false;
  enum class Descent { by_model, by_columns, by_model_for_good } descent_ = Descent::by_model;

  Vector m_, r_, omega_, exponential_, trial_m_;  // [n]
  double log_likelihood_ = 0;

  Vector reference_gradient_, reference_r_;  // at the last pass over all columns
  double reference_lambda_ = 0;
  bool pass_is_new_ = false;

  // Of the search that has begun.
  double lambda_ = 0, goal_ = 0, most_outside_ = 0;
  CoordinateSettings settings_;
  CoordinateOutcome out_;
};

}  // namespace ardvark::internal
