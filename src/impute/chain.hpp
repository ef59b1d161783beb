// The gaps of a table are filled in turn with what they say about the parameters of their distribution.        docs/math/missing.md (MI.1)
#pragma once

#include <functional>
#include <vector>

#include "impute/joint.hpp"

namespace ardvark::internal {

/// Rows of weight 0 take no part: their gaps are not filled, and hold the centre.
struct GappedTable {
  Matrix Z;  ///< [n, p + 1] in common units, the target last; 0 in the gaps
  Vector k;  ///< [n] observation weights
  TableUnits units;
  std::vector<Variable> variables;
  std::vector<std::vector<Index>> gaps, known;  ///< [variables] rows
  GapModel with_target, without_target;         ///< the first: a sequence of the columns with gaps only
  std::vector<std::vector<Index>> rows_of;      ///< [with_target.sequence.columns] rows that tell about a column's regression
  std::vector<Gaps> patterns;
  [[nodiscard]] Index num_columns() const { return Z.cols() - 1; }
};
/// \throws InvalidArgument  a variable has no value
[[nodiscard]] GappedTable gapped_table(MatrixView X, VectorView y, const Vector& k, const FeatureEncoding& encoding, bool centred);

using Asks = std::function<bool()>;  ///< asked after each cycle; false: the chain ends

struct Memory {
  int cycles = 0;
  bool forgets = true;  ///< false: after these cycles, the gaps still depend on their start
};
/// After how many cycles two chains with the same random numbers agree that started far apart.                                    (MI.9)
[[nodiscard]] Memory memory_of(const GappedTable& table, std::uint64_t seed, const Asks& goes_on);
/// The table with its gaps filled by one chain.
[[nodiscard]] Matrix completed_by_chain(const GappedTable& table, int cycles, Normals& random, const Asks& goes_on);
/// A draw of the parameters without the target, from a completed table.                                                          (MI.6)
[[nodiscard]] GapParameters parameters_of(const GappedTable& table, const Matrix& Z, Normals& random);

}  // namespace ardvark::internal
