// What a fit says of the rows it was made from, and of how far it is to be trusted.
#pragma once

#include <functional>

#include "ardvark/fit.hpp"
#include "posterior/mixture.hpp"

namespace ardvark::internal {

/// Class weights, accuracy and log loss of the training rows, from their m and s by the rule of predict(), that of fit.report.preset and
/// compat; t in {0, 1}, weights k.
void describe_classes(const Vector& t, const Vector& k, const Vector& m, const Vector& s, Fit& fit);

/// The same where the posterior is a mixture, whose probabilities are averaged.                                              (SP.8)
/// \param moments_of  of rows first .. first+count-1: so many rows at a time that they take no memory
void describe_classes(const Vector& t, const Vector& k, const Mixture& mixture,
                      const std::function<ComponentMoments(Index first, Index count)>& moments_of, Fit& fit);

/// Warns of what this prior does to intervals when columns are not few beside rows, in plain words.
/// \param num_columns  of the caller's table
void warn_if_too_confident(const FitOptions& options, Fit& fit, Index num_columns);

/// With classes that can be separated the coefficients grow until the prior stops them, if it does.
void describe_separation(const FitOptions& options, Fit& fit);

}  // namespace ardvark::internal
