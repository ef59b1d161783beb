// How far the posterior of a classification is from the exact one: k-hat of importance sampling.                    docs/math/khat.md
#pragma once

#include "ardvark/fit.hpp"
#include "ardvark/relevance.hpp"
#include "ardvark/softmax.hpp"

namespace ardvark {

/// Draws from the posterior that a fit gives, and the tail of their importance ratios to the exact one.
struct Diagnosis {
  double khat = 0;                   ///< below 1/2 good, up to `threshold` usable; NaN: it was not computed           (KHAT.1), (KHAT.2)
  double khat_given_precisions = 0;  ///< the same with the precisions (under a sparse prior: the other hyper-parameters) held at their
                                     ///< estimates: how good the normal distribution is by itself; khat itself where that is all there is
  double threshold = 0.7;            ///< of so many draws                                                                    (KHAT.3)
  double effective_share = 0;        ///< of the draws, in (0, 1]: near 1 the ratios hardly vary, and k-hat is of the far tails alone
  Vector log_ratios;                 ///< [draws] those of `khat`, nats; not in a model file
};

/// Of two classes. Draws are the same with any number of threads.        O(draws (n p + p^2) + p^3), draws = 4000
/// \param fit      a fit of these rows under these options, which kept its covariance
/// \param labels   [n] as in fit_logistic
/// \throws InvalidArgument  a fit of numbers, or one whose posterior or prior has no density: of a Laplace prior, or `slab`
/// Where k-hat cannot be computed it is NaN; `why_not` then says why in a sentence.
[[nodiscard]] Diagnosis diagnose(const Fit& fit, MatrixView X, VectorView labels, const FitOptions& options, std::string& why_not);
/// The same of a relevance vector machine: of several classes the machine that has the largest k-hat.
[[nodiscard]] Diagnosis diagnose(const RelevanceFit& fit, MatrixView X, VectorView labels, const RelevanceOptions& options,
                                 std::string& why_not);
/// The same of several classes that have a regression each, or each pair of them: that of the regression with the largest k-hat.
/// \throws InvalidArgument  also a softmax
[[nodiscard]] Diagnosis diagnose(const SoftmaxFit& fit, MatrixView X, VectorView labels, const SoftmaxOptions& options,
                                 std::string& why_not);

/// What a fit should say of it; empty where k-hat is below its threshold.
[[nodiscard]] std::string warning_of(const Diagnosis& diagnosis);

}  // namespace ardvark
