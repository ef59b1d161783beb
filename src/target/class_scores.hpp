// How well probabilities describe the classes of rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace ardvark::internal {

struct ClassScores {
  double correct = 0;  ///< weight of the rows whose class is the most probable one
  double loss = 0;     ///< sum of weight times -ln of the probability of a row's class

  /// A row of weight k. \param probability  of its class
  void add(double k, bool is_correct, double probability) {
    if (is_correct) correct += k;
    loss -= k * std::log(std::max(probability, std::numeric_limits<double>::min()));
  }
  void merge(const ClassScores& right) {
    correct += right.correct;
    loss += right.loss;
  }
  /// Means over rows. A sum of weights may exceed that of all rows by rounding.
  template <typename Fit>
  void describe(double total_weight, Fit& fit) const {
    fit.accuracy = std::min(correct / total_weight, 1.0);
    fit.log_loss = loss / total_weight;
  }
};

}  // namespace ardvark::internal
