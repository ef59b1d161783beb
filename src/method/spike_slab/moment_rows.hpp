// Rows of any likelihood of the moments of its linear predictors, under a sparse prior.                         docs/math/sparse.md (SL.16)
#pragma once

#include <memory>

#include "likelihood/moment_likelihood.hpp"
#include "method/spike_slab/class_rows.hpp"

namespace ardvark::internal {

/// Their intercept, if there is one, is flat.
class MomentRows final : public RowsInMemory {
 public:
  /// \param start  [n] the first linear predictors;  \param k  [n] observation weights;  \param most_noise  limit of noise()
  MomentRows(std::unique_ptr<Design> design, const MomentLikelihood& likelihood, Vector start, const Vector& k, double most_noise);

  [[nodiscard]] double noise() const override { return noise_; }
  [[nodiscard]] double saturated() const override { return 1; }  ///< variance: omega may grow with e^eta, as that of counts
  [[nodiscard]] bool is_evidence(bool) const override { return false; }
  [[nodiscard]] KnownOdds before(bool) const override { return LogOdds{start_, Vector::Zero(start_.size())}; }
  [[nodiscard]] bool are_steps(const KnownOdds&) const override { return false; }
  [[nodiscard]] WorkingSites first_sites() const override { return first_; }
  [[nodiscard]] Extent extent(const WorkingSites& sites, const KnownOdds& known) const override;

 private:
  [[nodiscard]] double evaluate(const LogOdds& known, Sites* sites) const override;
  [[nodiscard]] std::pair<double, double> moments_of_intercept(const KnownOdds&) const override { return {0, 0}; }

  const MomentLikelihood& likelihood_;
  Vector start_, own_;  ///< own_: where each search for the own parameters begins
  Sites first_;
  double noise_ = 1;
};

}  // namespace ardvark::internal
