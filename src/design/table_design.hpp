// The columns and the rows of the caller's table. This file is the one place that knows the kinds of tables.
#pragma once

#include "ardvark/genotype_view.hpp"
#include "design/design.hpp"

namespace ardvark::internal {

/// Column j of the design is (X_j - center_j) * scale_j; an intercept, if any, is the last column, all ones.
/// Empty vectors mean 0 and 1. A column with scale 0 is left out of the fit: it reads as zeros.
struct Standardization {
  Vector center;
  Vector scale;
  bool intercept = false;
};

class TableDesign : public Design {
 public:
  /// panel(0..count-1, all columns) <- rows first .. first+count-1; row n is multiplied by row_scale[n] if given.
  virtual void read_rows(Index first, Index count, const Vector* row_scale, Matrix& panel) const = 0;
};

/// X must exist as long as the design.
/// \param memory  the memory of X if the design may overwrite it: rows * cols numbers without gaps
[[nodiscard]] std::unique_ptr<TableDesign> table_design(MatrixView X, Standardization standardization = {},
                                                        std::shared_ptr<double[]> memory = nullptr);
/// The same for a sparse X. Columns with an entry in most rows are centred as a dense one is.
[[nodiscard]] std::unique_ptr<TableDesign> table_design(const CscView& X, Standardization standardization = {});
/// The same for genotypes.
[[nodiscard]] std::unique_ptr<TableDesign> table_design(const GenotypeView& X, Standardization standardization = {});
/// The columns of the design without an intercept, in one matrix.
[[nodiscard]] Matrix read_table(MatrixView X, const Standardization& standardization = {});

}  // namespace ardvark::internal
