// Which parameters of its kernel the evidence of a relevance vector machine prefers.                  docs/math/kernel_search.md (RVM.5)
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "ardvark/relevance.hpp"

namespace ardvark::internal {

/// The relevance vectors of each machine, as positions among the centres. The search passes them on unread.
using KernelSupport = std::vector<std::vector<Index>>;

/// The evidence at one kernel, of all machines together.
struct KernelEvaluation {
  double log_evidence = -std::numeric_limits<double>::infinity();  ///< not finite: as bad as can be
  KernelSupport support;
  Index num_vectors = 0;
  bool stopped = false;  ///< the user wants no more: the search ends with what it has
};

/// The evidence at one kernel with the support held, maximised over the precisions and the noise, and its gradient in ln(parameter)
/// (evidence_gradient.hpp). With hyper-priors, what greedy() maximises: the two then belong together to the last digit.
struct KernelSlope {
  double log_evidence = -std::numeric_limits<double>::infinity();
  Vector gradient;  ///< [num_parameters]
  bool stopped = false;
};

/// What the search asks of its caller.
struct KernelProblem {
  std::function<KernelEvaluation(const Kernel&)> evaluate;                         ///< over all centres
  std::function<KernelSlope(const Kernel&, const KernelSupport& on)> evaluate_on;  ///< `each` only: over the columns of this support alone
};

struct KernelSearchOutcome {
  Kernel kernel;  ///< the best that was evaluated over all centres; the start if none was finite
  double log_evidence = -std::numeric_limits<double>::infinity();
  std::vector<KernelTrial> trials = {};  ///< every evaluation over all centres, by the first parameter
  int num_on_support = 0;                ///< calls of evaluate_on
  std::string warning = {};              ///< one sentence where the caller should know something, else empty
  bool stopped = false;
};

/// A kernel without parameters, and `none`, return at once. One parameter: `each` is `scale`.
/// \param start  for `each` the ratios of its parameters are where the search begins; for kernels of widths only, its scale is ignored
/// \param groups [d] for `each`: the widths of inputs of one number move together; empty: each by itself
/// \param X      [n,d] inputs as the kernel sees them, each once: a repeated one says nothing of where widths lie
[[nodiscard]] KernelSearchOutcome search_kernel(const Kernel& start, KernelSearch how, const Matrix& X, const KernelProblem& problem,
                                                const std::vector<Index>& groups = {});

/// Where the factor of all parameters is searched first, in ln.                                                        (RVM.5a)
struct ScaleRange {
  double low = 0, high = 0;     ///< equal: no scale matters
  bool from_distances = false;  ///< false: factors about the start, which then matters
};
[[nodiscard]] ScaleRange scale_range(const Kernel& start, const Matrix& X);

}  // namespace ardvark::internal
