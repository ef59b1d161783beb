// How far a posterior is from the exact one: k-hat of importance sampling.                                          docs/math/khat.md
#pragma once

#include "ardvark/fit.hpp"
#include "ardvark/relevance.hpp"
#include "ardvark/softmax.hpp"

namespace ardvark {

/// The tail of the importance ratios of draws: exact posterior divided by the posterior of the fit.
struct Diagnosis {
  double khat = 0;                   ///< below 1/2 good, up to `threshold` usable; NaN: not computed           (KHAT.1), (KHAT.2)
  double khat_given_precisions = 0;  ///< the same with the precisions (sparse prior: the other hyper-parameters) fixed at their estimates:
                                     ///< how good the normal distribution alone is; equal to khat if there is nothing to fix
  double threshold = 0.7;            ///< for this number of draws                                                            (KHAT.3)
  double effective_share = 0;        ///< share of the draws that count, in (0, 1]; near 1, k-hat describes only the far tails
  Vector log_ratios;                 ///< [draws] log importance ratios of `khat`, nats; not in a model file
};

/// For two classes, counts and Student-t noise, whose own parameters have the values of the fit. The draws do not depend on the number of
/// threads.                                                     O(draws (n p + p^2) + p^3), draws = 4000                        (KHAT.6)
/// \param fit      a fit of these rows with these options, which kept its covariance
/// \param target   [n] labels as in fit_logistic, counts, or numbers
/// \throws InvalidArgument  a fit whose posterior or prior has no density: prior laplace or slab
/// If k-hat cannot be computed, as with normal noise, it is NaN, and `why_not` gives the reason in a sentence.
[[nodiscard]] Diagnosis diagnose(const Fit& fit, MatrixView X, VectorView target, const FitOptions& options, std::string& why_not);
/// The same for a relevance vector machine; with several classes, for the machine with the largest k-hat.
[[nodiscard]] Diagnosis diagnose(const RelevanceFit& fit, MatrixView X, VectorView labels, const RelevanceOptions& options,
                                 std::string& why_not);
/// The same for several classes with a regression for each class or each pair: for the regression with the largest k-hat.
/// \throws InvalidArgument  also for a softmax
[[nodiscard]] Diagnosis diagnose(const SoftmaxFit& fit, MatrixView X, VectorView labels, const SoftmaxOptions& options,
                                 std::string& why_not);

/// The warning of a fit with this k-hat; empty if k-hat is below its threshold.
[[nodiscard]] std::string warning_of(const Diagnosis& diagnosis);

}  // namespace ardvark
