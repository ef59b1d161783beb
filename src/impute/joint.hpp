// The columns of a table as one normal distribution, from which all gaps of a row are drawn together.       docs/math/missing.md (MI.7)
#pragma once

#include <vector>

#include "impute/variable.hpp"

namespace ardvark::internal {

/// Columns in an order in which each is a regression on columns before it, and on columns that are never missing.                (MI.2)
struct Sequence {
  std::vector<Index> columns;                  ///< of Z; texts before numbers
  std::vector<std::vector<Index>> predictors;  ///< [columns] of Z
};

/// What draws gaps: the columns as one normal distribution, and each text given all others.
struct GapModel {
  std::vector<Variable> variables;
  TableUnits units;
  std::vector<std::vector<Index>> predictors;  ///< [variables] columns of Z. Numbers have some only in files of earlier versions
  Sequence sequence;                           ///< empty in files of earlier versions
};
struct GapParameters {
  std::vector<Conditional> variables, columns;  ///< [variables], [sequence.columns]
};

/// Rows that lack the same values.
struct Gaps {
  std::vector<Index> rows;
  std::vector<Index> columns, numbers;  ///< of Z, without those that are constant; numbers: without those of texts
  std::vector<std::size_t> texts;       ///< variables
};
/// \param is_missing  [variables]
[[nodiscard]] Gaps gaps_of(const GapModel& model, const std::vector<bool>& is_missing);

/// Fills the gaps of these rows; what stood there is forgotten.                                                               (MI.8)
void fill_gaps(Matrix& Z, const Gaps& gaps, const GapModel& model, const GapParameters& parameters, Normals& random);

/// For each row, how far the numbers in its gaps are apart in two completions: root mean square, in standard deviations of their draw.
[[nodiscard]] Vector distances(const Matrix& Z, const Matrix& other, const Gaps& gaps, const Sequence& sequence,
                               const std::vector<Conditional>& parameters);

}  // namespace ardvark::internal
