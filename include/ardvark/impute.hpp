// Missing values: a table with gaps is completed several times, and the posterior is the average of the fits.     docs/math/missing.md
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ardvark/fit.hpp"
#include "ardvark/table.hpp"

namespace ardvark {

struct ImputationOptions {
  int imputations = 20;    ///< >= 5: how often the table is completed
  std::uint64_t seed = 1;  ///< the same seed gives the same result with any number of threads
};

namespace internal {
struct RowImputer;
}

/// How the gaps of a training table were filled.
struct Imputation {
  Index imputations = 0;             ///< completed tables
  std::vector<std::string> columns;  ///< columns of the table with gaps, the one with the most first
  std::vector<Index> gaps;           ///< [columns] missing values in each
  Vector missing_information;        ///< [p] in [0, 1]: the share of the information on the coefficient that is missing           (MI.5)
  std::shared_ptr<const internal::RowImputer> rows;  ///< draws the missing values of new rows
};

/// A fit to a table with gaps. The posterior is the average over the completed tables.
struct ImputedFit {
  Fit fit;
  Imputation imputation;
};

/// \param X         [n,p] as in fit_linear and fit_logistic; NaN is a missing value
/// \param y         [n] without missing values
/// \param encoding  how X was made: a text column is missing as a whole. Empty: columns of numbers
/// \throws InvalidArgument  a column has no value; the prior is laplace or a preset is asked for; what fit_linear and fit_logistic throw
[[nodiscard]] ImputedFit fit_linear_imputed(MatrixView X, VectorView y, const FeatureEncoding& encoding = {},
                                            const FitOptions& options = {}, const ImputationOptions& how = {});
[[nodiscard]] ImputedFit fit_logistic_imputed(MatrixView X, VectorView labels, const FeatureEncoding& encoding = {},
                                              const FitOptions& options = {}, const ImputationOptions& how = {});

}  // namespace ardvark
