// Chained equations: the gaps of a table are filled in turn, each variable from the others.                docs/math/missing.md (MI.1)
#pragma once

#include <functional>
#include <vector>

#include "impute/variable.hpp"

namespace ardvark::internal {

struct GappedTable {
  Matrix Z;  ///< [n, p + 1] in common units, the target last; 0 in the gaps
  Vector k;  ///< [n] observation weights
  TableUnits units;
  std::vector<Variable> variables;
  std::vector<std::vector<Index>> gaps, known;                  ///< [variables] rows
  std::vector<std::vector<Index>> with_target, without_target;  ///< [variables] predictors
  [[nodiscard]] Index num_columns() const { return Z.cols() - 1; }
};
/// \throws InvalidArgument  a variable has no value
[[nodiscard]] GappedTable gapped_table(MatrixView X, VectorView y, const Vector& k, const FeatureEncoding& encoding, bool centred);

/// The table with its gaps filled by one chain. \param goes_on  asked after each cycle; false: the chain ends
[[nodiscard]] Matrix completed_by_chain(const GappedTable& table, Normals& random, const std::function<bool()>& goes_on);
/// For each variable, a draw of its parameters given the others, without the target, from a completed table.                    (MI.6)
[[nodiscard]] std::vector<Conditional> conditionals_of(const GappedTable& table, const Matrix& Z, Normals& random);

}  // namespace ardvark::internal
