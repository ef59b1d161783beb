// The description of the training rows in a fit, and warnings about results that cannot be trusted.
#pragma once

#include <functional>

#include "ardvark/fit.hpp"
#include "posterior/mixture.hpp"

namespace ardvark::internal {

/// Class weights, accuracy and log loss of the training rows, from their m and s by the rule of predict() for fit.report.preset and compat.
/// \param t  [rows] 0 or 1, \param k  [rows] weights
void describe_classes(const Vector& t, const Vector& k, const Vector& m, const Vector& s, Fit& fit);

/// The same if the posterior is a mixture: probabilities are averaged over it.                                                   (SP.8)
/// \param moments_of  moments of rows first .. first+count-1: blocks of rows keep the memory small
void describe_classes(const Vector& t, const Vector& k, const Mixture& mixture,
                      const std::function<ComponentMoments(Index first, Index count)>& moments_of, Fit& fit);

/// Warns if intervals are too narrow because there are too few rows for the columns under this prior.
/// \param num_columns  of the caller's table
void warn_if_too_confident(const FitOptions& options, Fit& fit, Index num_columns);

/// Notes or warns that the classes can be separated: then coefficients grow until the prior stops them, if it does.
void describe_separation(const FitOptions& options, Fit& fit);

}  // namespace ardvark::internal
