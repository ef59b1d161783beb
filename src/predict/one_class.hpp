// Several classes, with an independent answer for each: exactly one of the answers is yes.                 docs/math/process.md (KM.12)
#pragma once

#include <vector>

#include "ardvark/types.hpp"
#include "target/class_scores.hpp"

namespace ardvark::internal {

/// Probabilities of the classes: in proportion to p / (1 - p)^power, with p the probability of the answer of each class.
/// \param probability  [rows, classes]
/// \param power        in [0, 1]: 0: the p over their sum; 1: their odds over the sum of the odds
void given_one_class(Matrix& probability, double power);

/// Probability of yes of a training row, by the posterior without one observation of it.
/// \param is_yes          its answer
/// \param k               its observation weight
/// \param m, v            mean and variance of its score in the features
/// \param rest            variance that the features leave open
[[nodiscard]] double left_out_probability(bool is_yes, double k, double m, double v, double rest);

/// What training rows say of each power.
class PowerSums {
 public:
  static constexpr Index num_powers = 21, num_numbers = 2 * num_powers + 1;

  /// \param probability, left_out  [rows, classes] of the answers, by all rows and without the row itself
  /// \param own                    [rows] class of each row; negative: the row is not counted
  void add(const Matrix& probability, const Matrix& left_out, const std::vector<Index>& own, const Vector& k);
  [[nodiscard]] const Vector& numbers() const { return numbers_; }
  /// \param numbers  [num_numbers] their sum over all rows
  explicit PowerSums(Vector numbers = Vector::Zero(num_numbers)) : numbers_(std::move(numbers)) {}

  [[nodiscard]] double power() const;  ///< the one under which the rows, each without itself, are most probable; of equal ones the largest
  [[nodiscard]] ClassScores scores() const;  ///< with that power

 private:
  [[nodiscard]] Index best() const;
  Vector numbers_;  // for each power the loss without the row itself, for each power the loss; the weight of the correct ones
};

}  // namespace ardvark::internal
