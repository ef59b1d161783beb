// One variable of a table given others, by our own linear or logistic regression.                              docs/math/missing.md (MI.2)
#pragma once

#include <vector>

#include "ardvark/table.hpp"
#include "core/normals.hpp"

namespace ardvark::internal {

/// A column of the caller's table among the columns of X: a number, or a text with a column of 0 and 1 for each level but the reference
/// (true and false: the column of true).
struct Variable {
  Index first = 0, width = 1;  ///< columns of X
  Index num_levels = 0;        ///< 0: a number
  Index reference = 0;
  Index feature = 0;  ///< position in the encoding

  [[nodiscard]] bool is_text() const { return num_levels > 0; }
  /// Scores from which a value is drawn: one, or one for each of three levels or more.
  [[nodiscard]] Index num_scores() const { return num_levels > 2 ? num_levels : 1; }
  [[nodiscard]] Index column_of(Index level) const { return level < reference ? first + level : first + level - 1; }
};
/// Features without columns are left out.
[[nodiscard]] std::vector<Variable> variables_of(const FeatureEncoding& encoding);

/// z = (x - center) scale. A column with scale 0 has one value, its center.
struct TableUnits {
  Vector center, scale;  ///< [columns]
};

/// A draw of the parameters of a variable given its predictors.
struct Conditional {
  Matrix weights;  ///< [1 + predictors, scores], the intercept first
  double sd = 0;   ///< a number: of its noise
};

/// Z [n, columns] in these units. \param rows  those in which the variable is known. \param k  [n] observation weights   (MI.2), (MI.3)
[[nodiscard]] Conditional draw_conditional(const Matrix& Z, const Vector& k, const Variable& variable, const TableUnits& units,
                                           const std::vector<Index>& predictors, const std::vector<Index>& rows, Normals& random);
/// Replaces the variable in these rows by draws.
void fill(Matrix& Z, const std::vector<Index>& rows, const Variable& variable, const TableUnits& units,
          const std::vector<Index>& predictors, const Conditional& conditional, Normals& random);

}  // namespace ardvark::internal
