// What a Laplace prior asks of rows that are not in memory, and the sums that answer.                            docs/math/passes.md
// (PASS.9)
#pragma once

#include <vector>

#include "passes/row_folds.hpp"
#include "passes/row_sums.hpp"

namespace ardvark::internal {

inline constexpr Index most_folds_by_passes = 100;

/// At some weights: the log likelihood of one class against all others, its gradient, and the Gram matrix of its curvature.
struct L1Question final : RowWork {
  Standardization units;
  double own_label = 1;
  RowFolds folds;            ///< equal rows are in the same fold                                                              (L1.14)
  bool is_test = false;      ///< the log likelihood alone, of each row at the weights of its fold
  Matrix W;                  ///< [q, points]; of a test [q, folds * points], those of a fold side by side
  std::vector<Index> grams;  ///< points whose Gram matrix is asked for

  [[nodiscard]] Index num_points() const { return is_test ? W.cols() / folds.count : W.cols(); }
  [[nodiscard]] Vector sums_of(const RowBlock& block) const override;
  static constexpr const char* own_name = "l1";
  [[nodiscard]] const char* name() const override { return own_name; }
  void write(WorkWriter& to) const override;
  [[nodiscard]] static std::shared_ptr<const RowWork> read(const WorkReader& from);
};

struct L1Sums {
  Vector weight;                 ///< [folds] of the rows
  Matrix log_likelihood;         ///< [folds, points]
  Vector omega;                  ///< [points] sum of the curvatures; not of a test
  std::vector<Matrix> gradient;  ///< [folds] of [q, points]; not of a test
  std::vector<Matrix> gram;      ///< [grams] of [q, q], both triangles

  /// From the numbers that answer the question.
  L1Sums(const L1Question& asked, const Vector& numbers);
};

}  // namespace ardvark::internal
