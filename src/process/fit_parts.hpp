// The steps of a fit of a kernel machine, which all its front doors share.                                       docs/math/process.md (KM)
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ardvark/kernel_machine.hpp"
#include "frame/kernel_inputs.hpp"
#include "process/low_rank.hpp"
#include "process/search.hpp"

namespace ardvark::internal {

/// One kernel and one way to find its widths.
struct Candidate {
  std::string kernel;
  WidthKind widths = WidthKind::shared;
  std::vector<Index> group = {};  ///< [d] as in Covariance
  bool linear_part = false;
  Vector given = {};  ///< ln rho that are fixed
};
[[nodiscard]] std::vector<Candidate> candidates(const KernelOptions& options, const KernelInputs& inputs);

/// A target of the process: a regression, or one class against the rest.
struct Problem {
  const Matrix& Z;  ///< [n,d] standardised inputs
  const Vector& k;
  const Vector& t;
  bool classes = false;
  bool average = true;

  [[nodiscard]] std::unique_ptr<FullEvidence> evidence(const Candidate& candidate) const;
  [[nodiscard]] std::unique_ptr<LowRankEvidence> low_rank_evidence(const Candidate& candidate) const;
};

struct FoundHypothesis {
  std::unique_ptr<FullEvidence> evidence;
  WidthHypothesis hypothesis;
  double weight = 0;
};
/// Each candidate with its best widths.                                                                                           (KM.3)
[[nodiscard]] std::vector<FoundHypothesis> search_hypotheses(const Problem& problem, const std::vector<Candidate>& candidates);
/// Weights by the evidence, 0 for those that the data hardly support.  \throws InvalidArgument  no hypothesis has an evidence       (KM.4)
void weigh(std::vector<FoundHypothesis>& found);
/// Places the points of those that have a weight, if the problem averages.                                                        (KM.4)
void average(const Problem& problem, const std::vector<Candidate>& candidates, std::vector<FoundHypothesis>& found);

struct ProcessOutcome {
  KernelProcess process;    ///< with vectors as positions in `rows`
  std::vector<Index> rows;  ///< of Z
  bool converged = true;
  bool width_at_limit = false, no_noise = false;
  int steps = 0;
};

[[nodiscard]] ProcessOutcome fit_exact(const Problem& problem, const KernelOptions& options, const KernelInputs& inputs);

[[nodiscard]] Index centres_of(const KernelOptions& options);
[[nodiscard]] bool is_low_rank(const KernelOptions& options, Index num_rows);
/// fit_kernel_regression and fit_kernel_classification, also where they would go by passes.
[[nodiscard]] KernelRegression fit_regression_in_memory(MatrixView X, VectorView y, const KernelOptions& options);
[[nodiscard]] KernelClassification fit_classes_in_memory(MatrixView X, VectorView labels, const KernelOptions& options);
/// Sample size from which a fit by passes chooses kernel, centres and first widths. (PASS.7)
[[nodiscard]] Index rows_of_sample(const KernelOptions& options);
[[nodiscard]] std::string note_on_centres(const KernelFit& fit);

/// For many rows: one hypothesis, in the features of some of them.                                                                (KM.7)
struct CentreSearch {
  Candidate candidate;
  std::unique_ptr<LowRankEvidence> evidence;
  WidthHypothesis found;
  std::vector<Index> rows;  ///< the centres
  int steps = 0;
};
[[nodiscard]] CentreSearch search_with_centres(const Problem& problem, const KernelOptions& options, const KernelInputs& inputs);
/// \param evidence, found, posterior  of all rows; s2: the variance of the noise there
[[nodiscard]] ProcessOutcome outcome_of(const CentreSearch& search, ProcessEvidence& evidence, const WidthHypothesis& found,
                                        FeaturePosterior posterior, double s2, const KernelInputs& inputs);
[[nodiscard]] ProcessOutcome fit_low_rank(const Problem& problem, const KernelOptions& options, const KernelInputs& inputs);

/// \throws InvalidArgument  an option is out of range, or does not fit X
void validate_options(const KernelOptions& options, MatrixView X);
[[nodiscard]] KernelHypothesis described(ProcessEvidence& evidence, const WidthHypothesis& found, const Candidate& candidate,
                                         const KernelInputs& inputs);
/// Names and units of the inputs.
void take_inputs(const KernelOptions& options, KernelInputs& inputs, KernelFit& fit);
/// [d] Names of all columns.
[[nodiscard]] std::vector<std::string> input_names(const KernelOptions& options, Index num_inputs);
/// Collects the vectors of all processes, each once, in the order of the rows, and describes the fit.
/// \param rows  of X
void finish(MatrixView X, const DifferentRows& rows, std::vector<ProcessOutcome>&& outcomes, KernelFit& fit);
/// [d] KernelFit::variance_share.                                                                                                 (KM.9)
[[nodiscard]] Vector variance_shares(MatrixView X, const DifferentRows& rows, const std::vector<Index>& groups, const KernelFit& fit);

}  // namespace ardvark::internal
