// From the caller's table to a design: standardisation, and columns that are left out.
#pragma once

#include "ardvark/fit.hpp"
#include "table/fit_table.hpp"

namespace ardvark::internal {

/// The warning about numbers whose differences have few digits.                                                                 (LIN.7)
[[nodiscard]] std::string few_digits(const std::string& what, double spread, double mean);

/// The observation weights; ones if there are none.
[[nodiscard]] Vector weights_or_ones(VectorView weights, Index n);

/// A table that replaces that of the caller, because it has the same sums. Empty and 0: it is the
/// caller's own.
struct StandIn {
  Vector x = {};      ///< [columns] the numbers of the table are differences from this point of the caller's units
  double y = 0;       ///< of the target
  double weight = 0;  ///< of each row of the table
  [[nodiscard]] double at(Index j) const { return j < x.size() ? x[j] : 0.0; }
};

struct Prepared {
  Standardization standardization;
  std::vector<bool> left_out;  ///< [p] constant, or a copy of an earlier column
  std::vector<std::string> notes, warnings;
};

/// Weighted centre and scale of each column (with an intercept: mean and standard deviation; without: 0 and root mean square), and the
/// columns that take no part in a model. With neither intercept nor standardisation, columns stay as they are.
/// \throws InvalidArgument  X is not finite, or its squares overflow
/// \param stand_in  says how far the columns are from zero
/// \param offset  a column that is no predictor
Prepared prepare_columns(const FitTable& X, const Vector& k, const FitOptions& options, const StandIn& stand_in = {},
                         const std::optional<OffsetColumn>& offset = {});

}  // namespace ardvark::internal
