// What a kernel machine asks of rows that are not in memory, and the sums that answer.                           docs/math/passes.md
// (PASS.7)
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "passes/row_sums.hpp"
#include "process/features.hpp"

namespace ardvark::internal {

/// Sums over rows in the features of some h and g.
struct KernelSums {
  FeatureSums sums;
  Vector fk;                  ///< [features] Phi' k
  double log_likelihood = 0;  ///< of classes: under the posterior of the question
  ClassScores scores;         ///< of classes: under that posterior

  explicit KernelSums(Index num_features) : sums(num_features), fk(Vector::Zero(num_features)) {}
  void operator+=(const KernelSums& other);
  [[nodiscard]] static Index num_numbers(Index num_features) { return num_features * (num_features + 1) / 2 + 3 * num_features + 7; }
  [[nodiscard]] Vector packed() const;  ///< [num_numbers]
  [[nodiscard]] static KernelSums unpacked(const Vector& numbers, Index num_features);
  /// (1 - share) times these sums and share times the others.
  [[nodiscard]] KernelSums mixed(const KernelSums& other, double share) const;
  /// The sums in features that are multiples of these. \param root_scale  [features]
  [[nodiscard]] FeatureSums scaled(const Vector& root_scale) const;
};

/// Centres, widths, and of classes a posterior.
struct KernelQuestion final : RowWork {
  Vector center, scale;  ///< [d] the kernel uses (x - center) * scale
  double target_center = 0, target_scale = 1;
  std::string kernel;
  std::vector<Index> group;  ///< as in Covariance
  bool linear_part = false;
  Hyperparameters theta;  ///< of the features
  Matrix centres;         ///< [m,d] as the kernel uses them
  // Of classes: a posterior.
  bool classes = false;
  std::optional<double> own_label;  ///< of one class against the rest: t is 1 for its rows, and 0 for all others
  double h = 1;                     ///< perhaps another one than that of the features
  Vector mean;                      ///< [features + 1] of the weights, and the intercept
  Matrix root;  ///< [features + 1, features + 1] lower: the variance of a score is |root (features, 1)|^2, and what h leaves out
  std::optional<FeatureSlope> slope;  ///< then the answer is its part that rows have, [widths], instead of sums

  [[nodiscard]] Index num_features() const { return centres.rows() + (linear_part ? center.size() : 0); }
  [[nodiscard]] Index num_numbers() const;  ///< in the answer
  [[nodiscard]] Vector sums_of(const RowBlock& block) const override;
  static constexpr const char* own_name = "kernel";
  [[nodiscard]] const char* name() const override { return own_name; }
  void write(WorkWriter& to) const override;
  [[nodiscard]] static std::shared_ptr<const RowWork> read(const WorkReader& from);
  /// Of the own class under the posterior: by all rows, and without the row itself.                                               (KM.12)
  struct Answers {
    Vector probability, left_out;  ///< [rows]
  };
  [[nodiscard]] Answers answers(const RowBlock& block) const;

 private:
  [[nodiscard]] Matrix inputs(const RowBlock& block) const;
  [[nodiscard]] Vector targets(const RowBlock& block) const;
};

/// What the machines of several classes ask in one read of the rows. The answer has the numbers of all of them, one after the other.
struct KernelQuestions final : RowWork {
  std::vector<std::shared_ptr<const KernelQuestion>> machines;
  /// Of one machine for each class: then the answer is PowerSums::numbers().                                                      (KM.12)
  bool compares = false;

  [[nodiscard]] Vector sums_of(const RowBlock& block) const override;
  static constexpr const char* own_name = "machines";
  [[nodiscard]] const char* name() const override { return own_name; }
  void write(WorkWriter& to) const override;
  [[nodiscard]] static std::shared_ptr<const RowWork> read(const WorkReader& from);
};

}  // namespace ardvark::internal
