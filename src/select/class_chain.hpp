// A chain of models of two classes.                                                                          docs/math/effects.md
#pragma once

#include <optional>
#include <vector>

#include "select/chain_columns.hpp"

namespace ardvark::internal {

/// Leaves out columns that a chain under normal approximations of the classes hardly ever visits.                           (FDR.5)
[[nodiscard]] ChainColumns class_columns_in_play(const ChainColumns& columns, std::uint64_t seed);

/// Two classes are a regression with weights that are drawn, too.                                                          (FDR.5)
class ClassChain {
 public:
  /// \param columns  must exist as long as the chain
  ClassChain(const ChainColumns& columns, std::uint64_t seed);
  ClassChain(const ClassChain&) = delete;  // the chain reads the rows of this object
  ClassChain& operator=(const ClassChain&) = delete;
  /// A sweep of the chain of models; before every fifth one, new weights.
  void sweep();
  [[nodiscard]] const std::vector<Index>& included() const { return chain_->included(); }
  [[nodiscard]] const std::vector<std::vector<Index>>& near() const { return near_; }

 private:
  void draw_weights(const Vector& scores);

  const ChainColumns& columns_;
  Normals draw_;
  WeightedRows rows_;
  std::vector<std::vector<Index>> near_;
  std::optional<InclusionChain> chain_;
  int sweeps_ = 0;
};

}  // namespace ardvark::internal
