// The rows that carry all points of a mixture together.                                                        docs/math/process.md (KM.6)
#pragma once

#include <vector>

#include "process/fit_parts.hpp"
#include "process/vectors.hpp"

namespace ardvark::internal {

/// One point of the mixture while its vectors are chosen.
struct PointOfMixture {
  FullEvidence* evidence;
  Hyperparameters theta;
  double weight;
  FullPosterior full;
  double divergence = 0;  ///< mean over the rows of what its own distribution loses with the vectors, nats
};

/// What a mixture of normal distributions says of each row.
class MixtureOfRows {
 public:
  /// \param center  [n] near the means, against rounding; \param classes  whether observations are labels
  MixtureOfRows(bool classes, Vector center);
  /// \param f  mean, and variance in units of s2, of the function at the rows
  void add(double weight, double s2, const FunctionMoments& f);
  [[nodiscard]] Vector mean() const { return center_ + first_; }  ///< [n] of an observation; classes: probability
  [[nodiscard]] Vector variance() const;                          ///< [n] of an observation; classes: 1
  /// [n] nats, of normal distributions with the moments of the mixtures; classes: of Bernoulli ones
  [[nodiscard]] Vector divergence_from(const MixtureOfRows& other) const;

 private:
  bool classes_;
  Vector center_, first_, second_;  // moments of an observation around the center
};

/// Chooses few rows with which the mixture says nearly what it says with all.
class SharedVectors {
 public:
  SharedVectors(const Problem& problem, const KernelOptions& options, std::vector<PointOfMixture> points);
  /// \param at_best  the maximum of the evidence, which need not be one of the points
  void choose(const PointOfMixture& at_best);
  [[nodiscard]] const std::vector<Index>& rows() const { return rows_; }
  /// With vectors as positions in rows().
  [[nodiscard]] std::vector<KernelPoint>& stored() { return stored_; }
  [[nodiscard]] double divergence() const { return divergence_; }  ///< mean over the rows, nats
  [[nodiscard]] double largest_change() const {
    return largest_change_;
  }  ///< of a mean, in sd of an observation; classes: of a probability

 private:
  void with_rows(const PointOfMixture& point, auto&& f) const;
  void extend(VectorChoice& choice, double most);
  void grow(const PointOfMixture& point, double most);
  void measure(bool grow_first = false);
  [[nodiscard]] KernelPoint to_store(const PointOfMixture& point, const VectorChoice& choice) const;

  static constexpr double worthwhile = 0.05;  // of the allowed divergence: a row that gains as much is added
  const Problem& problem_;
  const KernelOptions& options_;
  std::vector<PointOfMixture> points_;
  Vector share_, center_;  // [n] of each row in means over rows; mean of f
  std::vector<Index> rows_;
  std::vector<KernelPoint> stored_;
  double divergence_ = 0, largest_change_ = 0;
};

}  // namespace ardvark::internal
