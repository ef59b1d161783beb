// Maxima under L1 penalties, which share passes over rows that are not in memory.                            docs/math/passes.md (PASS.9)
#pragma once

#include <functional>
#include <vector>

#include "method/l1/l1_quadratic.hpp"
#include "method/l1/l1_question.hpp"
#include "passes/passes.hpp"

namespace ardvark::internal {

/// A maximum of sum_n k_n ln p(t_n | w) - sum_j lambda_j |w_j|, and how far the search for it is.
struct L1Point {
  Vector lambda;                  ///< [q] 0: no penalty
  double unit = 0;                ///< of violations: the largest lambda
  Vector w;                       ///< [q] at first: the start
  double log_likelihood = 0;      ///< here and below: at w
  double omega = 0;               ///< sum of the curvatures of the rows
  Matrix of_fold;                 ///< [q, folds] gradients of the log likelihood
  Vector gradient;                ///< their sum
  double violation = 0;           ///< of the optimality conditions, in these units                                                 (L1.2)
  bool at_rounding = false;       ///< no step gains more than rounding
  std::vector<double> objective;  ///< after each step

  // The step that is being tried: from w to w + length (target - w).
  Vector target, trial;
  double length = 1, gain = 0;
  int idle = 0;
  bool is_known = false, has_ended = false;

  [[nodiscard]] double penalty(const Vector& at) const { return lambda.dot(at.cwiseAbs()); }
  [[nodiscard]] double value() const { return log_likelihood - penalty(w); }
};

struct L1Settings {
  double tolerance = 1e-9;
  int max_rounds = 500;
  bool keeps_gram = false;         ///< Gram matrices are asked for again only where steps are bad
  std::function<bool()> on_round;  ///< false: stop
};

/// Searches for several maxima at a time: one pass answers all of them.
class L1Points {
 public:
  /// \param length  [q] sqrt(sum of k x^2) of each column, for the rounding of gradients
  /// \param folds   that the gradients are divided by
  L1Points(Passes& passes, Vector length, RowFolds folds = {}) : passes_(passes), length_(std::move(length)), folds_(std::move(folds)) {}

  /// converged: of all points; max_sweeps; stopped_by_user.
  Status run(std::vector<L1Point>& points, const L1Settings& settings);
  /// X'diag(omega)X at the point. \pre run() has ended with this one point
  [[nodiscard]] Matrix gram_at(const L1Point& point);
  /// [folds] Log likelihood of the rows of each fold at weights found without them, and their weight.
  struct Tests {
    Vector weight;
    Matrix log_likelihood;  ///< [folds, points]
  };
  /// A Newton step from each point, without the rows of each fold.
  [[nodiscard]] Tests tests(const std::vector<L1Point>& points);

 private:
  struct Model {
    std::size_t point = 0;
    Vector at;
    double omega = 0;
    Matrix gram;
    L1Quadratic quadratic;
  };
  [[nodiscard]] L1Sums ask(L1Question question);
  [[nodiscard]] Model& model_of(std::size_t point);
  void add_model(std::size_t number, const Vector& at, double omega, Matrix gram);
  void renew_models(const std::vector<L1Point>& points);
  bool take(const L1Sums& sums, Index place, L1Point& point) const;
  bool aim(std::size_t number, L1Point& point);
  [[nodiscard]] double violation(const L1Point& point) const;
  [[nodiscard]] std::vector<Index> places_of_grams(Index count) const;

  Passes& passes_;
  Vector length_;
  RowFolds folds_;
  std::vector<Model> models_;
  Vector weight_;  // [folds] of the rows
};

}  // namespace ardvark::internal
