// Several classes by logistic regressions: one against the rest, one against one.                   docs/math/softmax.md (SMX.9), (SMX.10)
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ardvark/softmax.hpp"
#include "table/fit_table.hpp"

namespace ardvark::internal {

/// \throws InvalidArgument  with the option, its value and the constraint
void validate_options(const SoftmaxOptions& options, Index num_columns);

/// The coding: as given, or chosen if the caller does not set it.                                                               (SMX.9)
[[nodiscard]] ClassCoding coding_of(const SoftmaxOptions& options, Index num_classes, Index num_rows, Index num_columns);

/// Fills `fit`, except for the fields that depend only on classes and rows. \param label  [n] 0 .. C-1;  \param k  [n] observation weights
void fit_machines(FitTable X, const std::vector<Index>& label, const Vector& k, const SoftmaxOptions& options, SoftmaxFit& fit);

// ---- the parts of fit_machines

/// The name of a machine in messages.
[[nodiscard]] std::string against_the_rest(const std::string& class_name);
/// The options of a machine whose prior is not automatic: those of fit_logistic, so that `compare` and a fit agree. Of a preset, the
/// default likelihood and rule are those of a softmax.
[[nodiscard]] FitOptions options_of(const FitOptions& each, Index num_rows, Index num_columns, std::string& note,
                                    const std::string& need_of_small = {});
/// Fits the machines in their order, as far as they have a posterior, puts them into `fit`, and writes how many have converged, the message
/// of the first that has not, and what they note.
/// \param names   of the machines \param units  of the columns to which they are fitted
/// \param fitted  empty: the caller has stopped the machine before
void take_machines(const std::vector<std::string>& names, Index num_columns, const Standardization& units, const SoftmaxOptions& options,
                   SoftmaxFit& fit, const std::function<std::optional<Fit>(Index machine)>& fitted);
void drop_covariances(SoftmaxFit& fit);
/// Warnings and notes on the whole fit.
void warn_of_classes(const SoftmaxOptions& options, SoftmaxFit& fit);

}  // namespace ardvark::internal
