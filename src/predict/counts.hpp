// Predictions of counts whose log rate is normal.                                                        docs/math/poisson.md (POIS.4)
#pragma once

#include "ardvark/counts.hpp"
#include "table/fit_table.hpp"

namespace ardvark::internal {

/// P(Y <= y) of a count whose ln rate is N(m, s). \param y  >= 0  \param k  dispersion; 0: Poisson                         (NB.6)
[[nodiscard]] double count_cdf(double y, double m, double s, double k = 0);
/// The smallest y with P(Y <= y) >= p.
[[nodiscard]] double count_quantile(double p, double m, double s, double k = 0);
/// ln P(Y = y). \param y  a whole number >= 0
[[nodiscard]] double log_count_probability(double y, double m, double s, double k = 0);

/// Without the offsets that the rows bring themselves.
[[nodiscard]] CountPrediction count_prediction(const Fit& fit, const FitTable& X_new, PredictionOf what);
/// \param row_offset  [rows] if the fit had one; else empty \throws InvalidArgument
void add_row_offset(const Fit& fit, VectorView row_offset, CountPrediction& prediction);

}  // namespace ardvark::internal
