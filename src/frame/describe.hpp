// The description of the training rows in a fit, and warnings about results that cannot be trusted.
#pragma once

#include <cmath>
#include <functional>

#include "ardvark/logistic.hpp"
#include "posterior/mixture.hpp"
#include "target/class_scores.hpp"

namespace ardvark::internal {

/// Counts rows of two classes and sums their scores.
struct ClassTally : ClassScores {
  /// \param second     the probability of the second class, as in predict()
  /// \param own_class  own_class(sign) is ln of the probability of the second class (sign = 1) or of the first (sign = -1)
  void add(double t, double k, double second, auto&& own_class) {
    constexpr double certain = 1e-4;  // below it the logarithm of a difference has no digits
    const bool is_second = t > 0.5;
    weight[is_second ? 1 : 0] += k;
    if (says_second(second) == is_second) correct += k;
    const double own = is_second ? second : 1 - second;
    loss -= k * (own > certain ? std::log(own) : own_class(is_second ? 1.0 : -1.0));
  }
  void merge(const ClassTally& right);
  void describe(Fit& fit) const;

  double weight[2] = {0, 0};
};

/// Sums the deviance of counts.                                                                                       (POIS.5), (POIS.8)
struct CountTally {
  double weight = 0, counted = 0, exposed = 0;  ///< sums of the weights, of counts and of exposures
  double deviance = 0, at_constant = 0;         ///< the latter at a given rate per unit of exposure, which may be rounded
  double largest = -1e300;                      ///< log mean of a row with a weight

  /// \param log_mean    of the count  \param log_exposure  which it contains
  /// \param dispersion  0: Poisson. Otherwise the constant rate must be that of the rows                                         (NB.7)
  void add(double y, double k, double log_mean, double log_exposure, double constant_rate, double dispersion = 0);
  void merge(const CountTally& right);
  void describe(double constant_rate, Fit& fit) const;
};

/// Class weights, accuracy and log loss of the training rows, from their m and s by the rule of predict() for fit.report.preset and compat.
/// \param t  [rows] 0 or 1, \param k  [rows] weights
void describe_classes(const Vector& t, const Vector& k, const Vector& m, const Vector& s, Fit& fit);

/// Deviance of the training rows, from the moments of their log rates.                                                          (POIS.5)
/// \param offset  [rows] logarithms of the exposures; empty: they are 1
void describe_counts(const Vector& y, const Vector& k, const Vector& mu, const Vector& offset, Fit& fit);

/// The same if the posterior is a mixture: probabilities are averaged over it.                                                   (SP.8)
/// \param moments_of  moments of rows first .. first+count-1: blocks of rows keep the memory small
void describe_classes(const Vector& t, const Vector& k, const Mixture& mixture,
                      const std::function<ComponentMoments(Index first, Index count)>& moments_of, Fit& fit);

/// How often intervals of published linear regressions with few rows have covered; else empty. Measured by bench/honest/few_rows.py.
[[nodiscard]] std::string note_of_few_rows(const FitOptions& options, const Fit& fit);
/// The same of two classes and their log odds, x'w. Measured by bench/honest/few_rows_classes.py.
[[nodiscard]] std::string note_of_few_rows_of_classes(PriorKind prior, double num_rows, Index num_columns);
/// Warns if intervals are too narrow because there are too few rows for the columns under this prior.
/// \param num_columns    of the caller's table
/// \param need_of_small  of a sparse table that is large: what keeps the sparse priors from it; else empty
void warn_if_too_confident(const FitOptions& options, Fit& fit, Index num_columns, const std::string& need_of_small);

/// Notes or warns that the classes can be separated: then coefficients grow until the prior stops them, if it does.
void describe_separation(const FitOptions& options, Fit& fit);

}  // namespace ardvark::internal
