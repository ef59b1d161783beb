// Kernel columns as a relevance vector machine uses them: centred, with standard deviation 1, followed by a column of ones; and their
// greedy fit.
#pragma once

#include <cmath>
#include <memory>

#include "ardvark/kernel.hpp"
#include "design/dense.hpp"
#include "method/greedy/greedy.hpp"

namespace ardvark::testing {

using namespace internal;

class KernelColumns {
 public:
  KernelColumns(const Kernel& kernel, const Matrix& X, const Matrix& C) : K_(X.rows(), C.rows()), scale_(C.rows()) {
    if (C.rows() > 0) kernel.evaluate(X, C, K_);
    Vector center = K_.colwise().mean();
    for (Index j = 0; j < C.rows(); ++j) {
      const double sd = std::sqrt((K_.col(j).array() - center[j]).square().mean());
      scale_[j] = sd > 1e-10 ? 1 / sd : 0;
    }
    design_ = std::make_unique<DenseDesign>(K_, Standardization{std::move(center), scale_, true});
  }
  [[nodiscard]] Design& design() const { return *design_; }
  [[nodiscard]] const Vector& scale() const { return scale_; }

 private:
  Matrix K_;
  Vector scale_;
  std::unique_ptr<DenseDesign> design_;
};

/// For `num_kernels` columns, followed by the column of ones, which has no prior.
inline GreedySettings kernel_settings(GreedyLikelihood likelihood, Index num_kernels) {
  GreedySettings settings;
  settings.likelihood = likelihood;
  settings.free_columns = {num_kernels};
  settings.precision = {1e-6, 1e-6};
  if (likelihood == GreedyLikelihood::gaussian) settings.noise = {1e-6, 1e-6};
  return settings;
}

/// The same with known columns: no column is exchanged, and the noise starts with its old value.
inline GreedySettings support_settings(GreedyLikelihood likelihood, Index num_kernels, double noise_precision) {
  GreedySettings settings = kernel_settings(likelihood, num_kernels);
  settings.exchange = settings.more_starts = false;
  if (likelihood == GreedyLikelihood::gaussian) settings.noise_precision = noise_precision;
  return settings;
}

/// The value that greedy() maximised: the log evidence, with the penalty of the hyper-priors if there are any.
inline double maximised(const GreedyOutcome& fit) { return fit.evidence_trace.empty() ? fit.log_evidence : fit.evidence_trace.back(); }

inline Matrix rows_of(const Matrix& X, const std::vector<Index>& rows) {
  Matrix out(static_cast<Index>(rows.size()), X.cols());
  for (Index i = 0; i < out.rows(); ++i) out.row(i) = X.row(rows[static_cast<std::size_t>(i)]);
  return out;
}

/// The kernel columns of a fit.
inline std::vector<Index> kernels_of(const GreedyOutcome& fit, Index num_kernels) {
  std::vector<Index> out;
  for (const Index j : fit.columns)
    if (j < num_kernels) out.push_back(j);
  return out;
}

}  // namespace ardvark::testing
