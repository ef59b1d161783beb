// Finds the kernel parameters with the highest evidence of a relevance vector machine.                docs/math/kernel_search.md (RVM.5)
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "ardvark/relevance.hpp"

namespace ardvark::internal {

/// The relevance vectors of each machine, as positions among the centres. The search only passes them on.
using KernelSupport = std::vector<std::vector<Index>>;

/// Log evidences that differ by less are equal, nats.                                                                        (RVM.5)
constexpr double same_evidence = 1e-6;

/// The log evidence for one kernel, of all machines together.
struct KernelEvaluation {
  double log_evidence = -std::numeric_limits<double>::infinity();  ///< not finite: worse than any other
  KernelSupport support;
  Index num_vectors = 0;
  bool stopped = false;  ///< the user stopped the fit: the search returns the best so far
};

/// The log evidence for one kernel with fixed support, maximised over the precisions and the noise, and its gradient in ln(parameter)
/// (evidence_gradient.hpp). With hyper-priors, it is the objective of greedy(): value and gradient then agree to the last digit.
struct KernelSlope {
  double log_evidence = -std::numeric_limits<double>::infinity();
  Vector gradient;  ///< [num_parameters]
  bool stopped = false;
};

/// The functions that the caller provides for the search.
struct KernelProblem {
  std::function<KernelEvaluation(const Kernel&)> evaluate;                         ///< over all centres
  std::function<KernelSlope(const Kernel&, const KernelSupport& on)> evaluate_on;  ///< only for `each`: over the columns of this support
};

struct KernelSearchOutcome {
  Kernel kernel;  ///< the best kernel evaluated over all centres; the start if no evidence was finite
  double log_evidence = -std::numeric_limits<double>::infinity();
  std::vector<KernelTrial> trials = {};  ///< every evaluation over all centres, sorted by the first parameter
  int num_on_support = 0;                ///< calls of evaluate_on
  std::string warning = {};              ///< one sentence for the user, or empty
  bool stopped = false;
};

/// Returns at once if the kernel has no parameters or `how` is `none`. With one parameter, `each` is the same as `scale`.
/// \param start  for `each`, the search begins with the ratios of its parameters; if all parameters are widths, its scale is ignored
/// \param groups [d] for `each`: the widths of inputs with the same number change together; empty: every width by itself
/// \param X      [n,d] inputs as the kernel uses them, each once: repeated inputs would not help to find the range of widths
[[nodiscard]] KernelSearchOutcome search_kernel(const Kernel& start, KernelSearch how, const Matrix& X, const KernelProblem& problem,
                                                const std::vector<Index>& groups = {});

/// The first range of the common factor of all parameters, in ln.                                                       (RVM.5a)
struct ScaleRange {
  double low = 0, high = 0;     ///< equal: the scale does not matter
  bool from_distances = false;  ///< false: factors relative to the start, so the start matters
};
[[nodiscard]] ScaleRange scale_range(const Kernel& start, const Matrix& X);

}  // namespace ardvark::internal
