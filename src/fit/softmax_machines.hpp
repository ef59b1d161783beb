// Several classes by logistic regressions: one against the rest, one against one.                   docs/math/softmax.md (SMX.9), (SMX.10)
#pragma once

#include <string>
#include <vector>

#include "ardvark/softmax.hpp"
#include "design/table_design.hpp"

namespace ardvark::internal {

/// \throws InvalidArgument  with the option, its value and the constraint
void validate_options(const SoftmaxOptions& options, Index num_columns);

/// The coding: as given, or chosen if the caller does not set it.                                                               (SMX.9)
[[nodiscard]] ClassCoding coding_of(const SoftmaxOptions& options, Index num_classes, Index num_rows, Index num_columns);

/// Fills `fit`, except for the fields that depend only on classes and rows. \param label  [n] 0 .. C-1;  \param k  [n] observation weights
void fit_machines(MatrixView X, const std::vector<Index>& label, const Vector& k, const SoftmaxOptions& options, SoftmaxFit& fit);

// ---- the parts of fit_machines

/// The name of a machine in messages.
[[nodiscard]] std::string against_the_rest(const std::string& class_name);
/// The options of a machine whose prior is not automatic: those of fit_logistic, so that `compare` and a fit agree. Of a preset, the
/// default likelihood and rule are those of a softmax.
[[nodiscard]] FitOptions options_of(const FitOptions& each, Index num_rows, Index num_columns, std::string& note);
/// Gives the fields that have a column for each machine their sizes.
void begin_machines(Index num_columns, Index num_machines, const SoftmaxOptions& options, SoftmaxFit& fit);
/// Adds the next machine. Returns false if it has no posterior; no other machine is then needed.
/// \param units  of the columns to which the machines were fitted
bool add_machine(Fit one, const Standardization& units, SoftmaxFit& fit);
/// Writes how many machines have converged, the message of the first that has not, and what they note.
void summarise_machines(const std::vector<std::string>& names, bool compat, SoftmaxFit& fit);
void drop_covariances(SoftmaxFit& fit);
/// Warnings and notes on the whole fit.
void warn_of_classes(const SoftmaxOptions& options, SoftmaxFit& fit);

}  // namespace ardvark::internal
