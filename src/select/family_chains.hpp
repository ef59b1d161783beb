// Chains of models of counts, and of numbers with Student-t noise.                                           docs/math/effects.md
#pragma once

#include <optional>
#include <vector>

#include "select/columns_in_play.hpp"
#include "select/table_effects.hpp"

namespace ardvark::internal {

/// Given a weight for each row, numbers with Student-t noise are a regression; the weights are drawn, too.                   (FDR.9)
class StudentChain {
 public:
  /// \param columns  must exist as long as the chain
  StudentChain(const ColumnsInPlay& columns, double degrees_of_freedom, std::uint64_t seed);
  StudentChain(const StudentChain&) = delete;  // the chain reads the rows of this object
  StudentChain& operator=(const StudentChain&) = delete;
  /// A sweep of the chain of models; before every fifth one, new weights.
  void sweep();
  [[nodiscard]] const std::vector<Index>& included() const { return chain_->included(); }
  [[nodiscard]] const std::vector<std::vector<Index>>& near() const { return near_; }

 private:
  const ChainColumns& columns_;
  double nu_;
  Normals draw_;
  WeightedRows rows_;
  std::vector<std::vector<Index>> near_;
  std::optional<InclusionChain> chain_;
  int sweeps_ = 0;
};
[[nodiscard]] ColumnsInPlay student_columns_in_play(const ChainColumns& columns, double degrees_of_freedom, std::uint64_t seed);

/// Sweeps under a normal approximation, each taken or not by the ratio of the likelihoods.                                  (FDR.10)
class CountChain {
 public:
  /// \param columns, family  must exist as long as the chain
  CountChain(const ColumnsInPlay& columns, const EffectFamily& family, std::uint64_t seed);
  CountChain(const CountChain&) = delete;  // the chain reads the rows of this object
  CountChain& operator=(const CountChain&) = delete;
  void sweep();
  [[nodiscard]] const std::vector<Index>& included() const { return chain_->included(); }
  [[nodiscard]] const std::vector<std::vector<Index>>& near() const { return near_; }
  [[nodiscard]] double share_taken() const { return sweeps_ > 0 ? static_cast<double>(taken_) / sweeps_ : 0; }

 private:
  [[nodiscard]] double lead_of(const Vector& scores) const;

  const ChainColumns& columns_;
  const EffectFamily& family_;
  Normals draw_;
  Vector omega_, z_;  // [n] of the approximation
  WeightedRows rows_;
  std::vector<std::vector<Index>> near_;
  std::optional<InclusionChain> chain_;
  double lead_ = 0;  // ln of the likelihood over the approximation
  int sweeps_ = 0, taken_ = 0;
};
[[nodiscard]] ColumnsInPlay count_columns_in_play(const ChainColumns& columns, const EffectFamily& family, std::uint64_t seed);

}  // namespace ardvark::internal
